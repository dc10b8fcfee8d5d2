"""Cells on the nodes of a Citus cluster: a distributed schema lies on one node as a whole.

The service connects to the node itself, where locks by name, NOTIFY, clocks and numbers of transactions are
the same for its statements and for the triggers that they fire. Whatever changes the form of tables goes
through the coordinator, which tells the nodes.

Sequences are objects of each node, and what gives out keys is the node that a statement is sent to. So the
ranges of keys are set on the node of the cell (`cell_creation.py`).

Invariant: a step that failed is done again by the same command.
"""

import time
from typing import Any, Final

import psycopg
from psycopg.sql import SQL, Identifier

from weighbridge.core.platform.cell import Cell, problem_of_node, read_node
from weighbridge.errors import Refusal

_IS_CITUS: Final = "SELECT true FROM pg_extension WHERE extname = 'citus'"
_NODES: Final = """
    SELECT nodename, nodeport FROM pg_dist_node
     WHERE isactive AND shouldhaveshards AND noderole = 'primary' ORDER BY nodename, nodeport
"""
_IS_DISTRIBUTED: Final = """
    SELECT EXISTS (SELECT FROM pg_dist_schema WHERE schemaid = current_schema()::regnamespace)
"""
_UNLOGGED: Final = """
    SELECT relname FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relpersistence = 'u'
"""
_WITHOUT_KEY: Final = """
    SELECT relname FROM pg_class c
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relreplident = 'd'
       AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)
"""
_LIES_ELSEWHERE: Final = """
    SELECT EXISTS (
        SELECT FROM citus_shards s JOIN pg_class c ON c.oid = s.table_name
         WHERE c.relnamespace = current_schema()::regnamespace AND (s.nodename, s.nodeport) <> (%s, %s))
"""
_TYPES: Final = """
    SELECT t.typname, format('CREATE TYPE %I AS (%s)', t.typname,
           string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum))
      FROM pg_type t JOIN pg_class c ON c.oid = t.typrelid JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE t.typnamespace = current_schema()::regnamespace AND c.relkind = 'c' AND NOT a.attisdropped
     GROUP BY t.typname
"""
_FUNCTIONS: Final = """
    SELECT p.oid::regprocedure::text, pg_get_functiondef(p.oid) FROM pg_proc p
     WHERE p.pronamespace = current_schema()::regnamespace AND p.prokind = 'f' ORDER BY p.oid
"""
SEQUENCES: Final = """
    SELECT sequencename, data_type::text, coalesce(last_value, 0) FROM pg_sequences
     WHERE schemaname = current_schema() ORDER BY sequencename
"""
"""The sequences of the current schema: the name, the type, and what was given out last."""

_MOVE: Final = "SELECT citus_schema_move(current_schema()::regnamespace, %s, %s, %s)"
_CLEAN_UP: Final = "CALL citus_cleanup_orphaned_resources()"
"""What removes the copies that a move has left behind, which would be in the way of the next one."""
_LEFT_BEHIND: Final = "SELECT EXISTS (SELECT FROM pg_dist_cleanup)"
CLEAN_UP_SECONDS: Final = 60
"""How long the cluster may take for that, which may be at it by itself, before a move says that it cannot."""

LOCAL: Final = SQL("SET citus.enable_ddl_propagation = off")
"""What lets a statement on the form of things be carried out where the connection leads, and nowhere else."""

SHOW_SHARDS: Final = SQL("SET citus.show_shards_for_app_name_prefixes = '*'")
"""What lets the catalogue of a node show the tables that hold the rows of its cells."""


def check_node(connection: psycopg.Connection[Any], node: str) -> None:
    """Refuse a node that no cell can lie on."""
    if problem := problem_of_node(node):
        raise Refusal(problem)
    if connection.execute(_IS_CITUS).fetchone() is None:
        raise Refusal("The database is not the coordinator of a Citus cluster, so no cell lies on a node.")
    nodes = connection.execute(_NODES).fetchall()
    if read_node(node) not in nodes:
        known = ", ".join(f"{host}:{port}" for host, port in nodes)
        raise Refusal(f"The cluster has no node {node}; cells can lie on {known}.")


def is_distributed(connection: psycopg.Connection[Any]) -> bool | None:
    """Whether the current schema lies on a node; None where there is no cluster."""
    if connection.execute(_IS_CITUS).fetchone() is None:
        return None
    [found] = connection.execute(_IS_DISTRIBUTED).fetchone() or (False,)
    return bool(found)


def distribute(coordinator: str, cell: Cell) -> None:
    """Bring a migrated cell with no rows to its node; does what is left to do."""
    host, port = read_node(str(cell.node))
    with psycopg.connect(coordinator, autocommit=True) as connection:
        if not is_distributed(connection):
            connection.execute("SELECT citus_schema_distribute(current_schema()::regnamespace)")
            make_movable(connection)
        if not lies_on(connection, str(cell.node)):
            connection.execute(_MOVE, (host, port, "block_writes"))  # nobody writes to it yet


def lies_on(coordinator: psycopg.Connection[Any], node: str) -> bool:
    """Whether the tables of the current schema are on a node."""
    return coordinator.execute(_LIES_ELSEWHERE, read_node(node)).fetchone() == (False,)


def make_movable(coordinator: psycopg.Connection[Any]) -> None:
    """Let the changes of every table be replicated: unlogged ones and those without a key would not be."""
    for [name] in coordinator.execute(_UNLOGGED).fetchall():
        coordinator.execute(SQL("ALTER TABLE {} SET LOGGED").format(Identifier(name)))
    for [name] in coordinator.execute(_WITHOUT_KEY).fetchall():
        coordinator.execute(SQL("ALTER TABLE {} REPLICA IDENTITY FULL").format(Identifier(name)))


def move_tables(coordinator: psycopg.Connection[Any], node: str) -> None:
    """Bring the tables of the current schema to a node: written to meanwhile, where the cluster can do so."""
    is_logical = coordinator.execute("SHOW wal_level").fetchone() == ("logical",)
    _clean_up(coordinator)
    coordinator.execute(_MOVE, (*read_node(node), "auto" if is_logical else "block_writes"))


def _clean_up(coordinator: psycopg.Connection[Any]) -> None:
    for _ in range(CLEAN_UP_SECONDS):
        coordinator.execute(_CLEAN_UP)
        if coordinator.execute(_LEFT_BEHIND).fetchone() == (False,):
            return
        time.sleep(1)


def complete(coordinator: psycopg.Connection[Any], node: psycopg.Connection[Any], role: str) -> None:
    """Make on the node what distributing left out, and let the running role use it.

    That are functions which neither a trigger nor a column names, with their types, and sequences that no
    column owns. A node that the cell was on before may have functions as they were then.
    """
    node.execute(LOCAL)
    known = {name for name, _ in node.execute(_TYPES).fetchall()}
    for name, definition in coordinator.execute(_TYPES).fetchall():
        if name not in known:
            node.execute(SQL(definition))
    definitions = dict(node.execute(_FUNCTIONS).fetchall())
    for name, definition in coordinator.execute(_FUNCTIONS).fetchall():
        if definitions.get(name) != definition:
            node.execute(SQL(definition))
    known = {name for name, *_ in node.execute(SEQUENCES).fetchall()}
    for name, kind, _ in coordinator.execute(SEQUENCES).fetchall():
        sequence = {"name": Identifier(name), "kind": SQL(kind), "role": Identifier(role)}
        if name not in known:
            node.execute(SQL("CREATE SEQUENCE {name} AS {kind}").format(**sequence))
        node.execute(SQL("GRANT USAGE ON SEQUENCE {name} TO {role}").format(**sequence))
