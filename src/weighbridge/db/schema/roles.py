"""The two roles of a database: one owns its tables and changes their form, the other runs the service.

Whoever owns a table can switch its triggers off, and so the promise that books and audit rows are only
added. The running role owns nothing: it reads every table and writes those that are written, each only in
the ways that no trigger refuses anyway, so that what is only added is so for two reasons.

Invariants: what the running role may do follows from the tables and their triggers alone, anew after each
migration; it is never TRUNCATE, never the history of migrations, never the form of anything.
"""

from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg.sql import SQL, Identifier

from weighbridge.db import locks

HISTORY: Final = "alembic_version"
"""The table that says which migrations were applied; the running role reads it."""

_OWNED: Final = """
    SELECT c.relname, c.relkind = 'S' AS is_sequence,
           NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgfoid = refusal.oid
                          AND t.tgqual IS NULL AND t.tgtype & 16 <> 0) AS may_update,
           NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgfoid = refusal.oid
                          AND t.tgqual IS NULL AND t.tgtype & 8 <> 0) AS may_delete
      FROM pg_class c LEFT JOIN pg_proc refusal
             ON (refusal.proname, refusal.pronamespace) = ('refuse_change', c.relnamespace)
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'S')
       AND pg_has_role(c.relowner, 'USAGE')
     ORDER BY c.relname
"""
"""What the owner has there, and whether a trigger refuses each UPDATE (16 in `tgtype`) or DELETE (8).

What else lies in the schema, such as the views of an extension, is not the owner's to grant.
"""


@dataclass(frozen=True, slots=True)
class DatabaseUrls:
    """How one database is reached: by the role that runs the service, and by the one that migrates."""

    running: str
    migrating: str


def let_run(urls: DatabaseUrls) -> None:
    """Give the running role what it needs in a migrated database, and take whatever else it was given.

    Does nothing where one role does both. Raises psycopg.Error.
    """
    role = _role(urls.running)
    with psycopg.connect(urls.migrating) as connection:
        if connection.execute("SELECT current_user").fetchone() != (role,):
            connection.execute(*locks.hold(locks.GRANTS))
            _grant(connection, Identifier(role))


def can_switch_triggers_off(url: str) -> bool:
    """Whether the role of this URL has the power of the tables' owner, and so over their triggers."""
    with psycopg.connect(url) as connection:
        found = connection.execute(
            """
            SELECT bool_or(pg_has_role(relowner, 'USAGE'))
              FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
            """
        ).fetchone()
    return found is not None and bool(found[0])


def _role(url: str) -> str:
    with psycopg.connect(url) as connection:
        found = connection.execute("SELECT current_user").fetchone()
    assert found is not None, "the statement gives one row"  # noqa: S101
    return str(found[0])


def _grant(connection: psycopg.Connection[Any], role: Identifier) -> None:
    found = connection.execute("SELECT current_schema(), current_database()").fetchone()
    assert found is not None, "the statement gives one row"  # noqa: S101
    schema, database = found
    within = {"role": role, "schema": Identifier(schema), "database": Identifier(database)}
    statements = [
        SQL("GRANT CONNECT, TEMPORARY ON DATABASE {database} TO {role}").format(**within),
        SQL("GRANT USAGE ON SCHEMA {schema} TO {role}").format(**within),
    ]
    for name, is_sequence, may_update, may_delete in connection.execute(_OWNED).fetchall():
        kind = SQL("SEQUENCE" if is_sequence else "TABLE")
        granted = "USAGE" if is_sequence else "SELECT"
        if not is_sequence and name != HISTORY:
            granted += ", INSERT" + ", UPDATE" * may_update + ", DELETE" * may_delete
        place = {"kind": kind, "granted": SQL(granted), "name": Identifier(schema, name), "role": role}
        statements += [
            SQL("REVOKE ALL ON {kind} {name} FROM {role}").format(**place),
            SQL("GRANT {granted} ON {kind} {name} TO {role}").format(**place),
        ]
    connection.execute(SQL("; ").join(statements))
