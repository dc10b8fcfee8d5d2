"""The tables of a cell as its node has them, which statements reach without the cluster.

Citus keeps the rows of a table of a distributed schema in a table of the node whose name ends with a number,
and sends a statement on the table there: it plans it twice, each time anew. A transaction on the node needs
none of that. So a schema of the node has a view on each of those tables, under the name of the table, and
transactions in the cell look there first (`CellEntry`): PostgreSQL plans them alone, as it does elsewhere.
Where there is no view, as while a later step changes the tables, the same statement goes by the cluster.

Functions that are bound to tables are made there once more, for its views: those that take a row of one, and
those whose body was read when they were made. Functions with a search path of their own get that schema into
it. COPY takes no view, and names the table itself.

Invariants: views have the columns, the defaults and the rights of their tables. What is written past the
cluster is not lost to a move: whoever is in the cell has the lock that a move waits for (`enter_on_node`).
"""

import hashlib
import time
from typing import Any, Final

import psycopg
from psycopg.errors import DeadlockDetected, LockNotAvailable
from psycopg.sql import SQL, Composed, Identifier, Literal

from weighbridge.core.platform.cell import local_schema
from weighbridge.db.nodes import LOCAL

_TABLES: Final = """
    SELECT c.relname, s.shardid,
           (SELECT coalesce(json_agg(json_build_array(a.attname, CASE a.attidentity
                       WHEN '' THEN pg_get_expr(d.adbin, d.adrelid)
                       ELSE format('nextval(%%L)', pg_get_serial_sequence(c.oid::regclass::text, a.attname))
                       END) ORDER BY a.attnum), '[]')
              FROM pg_attribute a LEFT JOIN pg_attrdef d ON (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
             WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
               AND (a.attidentity <> '' OR d.adbin IS NOT NULL)) AS defaults,
           (SELECT coalesce(array_agg(DISTINCT granted.privilege_type ORDER BY granted.privilege_type), '{}')
              FROM aclexplode(c.relacl) AS granted WHERE granted.grantee = %(role)s::regrole) AS rights
      FROM pg_dist_shard s JOIN pg_class c ON c.oid = s.logicalrelid
     WHERE c.relnamespace = %(schema)s::regnamespace ORDER BY c.relname
"""
"""The tables of a cell: the number of what holds their rows, defaults of columns, and what a role may."""

_BOUND_FUNCTIONS: Final = """
    SELECT p.proname, pg_get_functiondef(p.oid) FROM pg_proc p
     WHERE p.pronamespace = %s::regnamespace AND p.prokind = 'f'
       AND (p.prosqlbody IS NOT NULL OR EXISTS (
               SELECT FROM pg_type t
                 LEFT JOIN pg_type item ON item.oid = t.typelem JOIN pg_class c
                   ON c.oid IN (t.typrelid, item.typrelid)
                WHERE t.oid = ANY (p.proargtypes::oid[] || p.prorettype) AND c.relkind = 'r'))
     ORDER BY p.oid
"""
"""Functions that take or give rows of tables, or arrays of them, or have a body that is read once."""

_FUNCTIONS_WITH_PATH: Final = """
    SELECT p.oid::regprocedure::text FROM pg_proc p
     WHERE p.pronamespace = %s::regnamespace
       AND EXISTS (SELECT FROM unnest(p.proconfig) AS c (setting) WHERE setting LIKE 'search_path=%%')
     ORDER BY p.oid
"""
"""Functions that look for tables along a path of their own, as those do that run as the owner."""

_KNOWN: Final = """
    SELECT obj_description(n.oid, 'pg_namespace'), count(c.oid)
      FROM pg_namespace n LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind = 'v'
     WHERE n.nspname = %s GROUP BY n.oid
"""
"""What the views that are there were made of, and how many there are: they go with tables that move."""


TRY_MILLISECONDS: Final = 800
"""How long transactions are waited for at a time, so that others wait no longer behind."""

TRIES: Final = 60


def show_local_tables(node: psycopg.Connection[Any], schema: str, role: str) -> None:
    """Make the views of a cell on the node that it lies on, for the running role; does what is left to do.

    The connection is that of the tables' owner, in no transaction, and looks into the schema of the cell.
    Raises psycopg.Error.
    """
    local = local_schema(schema)
    node.execute(LOCAL)
    tables = node.execute(_TABLES, {"schema": schema, "role": role}).fetchall()
    functions = node.execute(_BOUND_FUNCTIONS, (schema,)).fetchall()
    with_path = node.execute(_FUNCTIONS_WITH_PATH, (schema,)).fetchall()
    digest = hashlib.sha256(repr((tables, functions, with_path, role)).encode()).hexdigest()
    if node.execute(_KNOWN, (local,)).fetchone() == (digest, len(tables)):
        return
    with node.transaction():
        hide_local_tables(node, schema)
        node.execute(SQL("CREATE SCHEMA {}").format(Identifier(local)))
        node.execute(SQL("GRANT USAGE ON SCHEMA {} TO {}").format(Identifier(local), Identifier(role)))
        for name, shard, defaults, rights in tables:
            for statement in _define_view(schema, name, shard, defaults, rights, role):
                node.execute(statement)
        path = SQL(", ").join([Identifier(local), Identifier(schema)])
        for (signature,) in with_path:
            node.execute(SQL("ALTER FUNCTION {} SET search_path = {}").format(SQL(signature), path))
        node.execute(SQL("SET LOCAL search_path = {}").format(path))
        for name, definition in functions:
            # What comes behind the name is looked for along the path, so a row is one of the view.
            node.execute(SQL(definition.replace(f"{schema}.{name}(", f"{local}.{name}(", 1)))
        node.execute(SQL("COMMENT ON SCHEMA {} IS {}").format(Identifier(local), Literal(digest)))


def hide_local_tables(node: psycopg.Connection[Any], schema: str) -> None:
    """Remove the views of a cell before its tables get another form; the statements go by the cluster then.

    Waits for transactions that use them, but never so long that one of these would be given up instead, which
    is what PostgreSQL does after a second where two wait for one another. Raises psycopg.Error.
    """
    node.execute(LOCAL)
    for tries_left in reversed(range(TRIES)):
        try:
            with node.transaction():
                node.execute(SQL("SET LOCAL lock_timeout = {}").format(Literal(f"{TRY_MILLISECONDS}ms")))
                node.execute(SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(Identifier(local_schema(schema))))
                return
        except (LockNotAvailable, DeadlockDetected):
            if not tries_left:
                raise
            time.sleep(TRY_MILLISECONDS / 1000)


def _define_view(
    schema: str, name: str, shard: int, defaults: list[tuple[str, str]], rights: list[str], role: str
) -> list[Composed]:
    view = Identifier(local_schema(schema), name)
    rows = Identifier(schema, f"{name}_{shard}")
    return [
        SQL("CREATE VIEW {} AS SELECT * FROM {}").format(view, rows),
        *(
            SQL("ALTER VIEW {} ALTER COLUMN {} SET DEFAULT {}").format(view, Identifier(column), SQL(default))
            for column, default in defaults
        ),
        *(SQL("GRANT {} ON {} TO {}").format(SQL(right), view, Identifier(role)) for right in rights),
    ]
