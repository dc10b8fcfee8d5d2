"""Who may do what in a database, and which step of the migration history it is at.

Invariants: the permissions of the running role follow from the tables and their triggers alone, anew
after each migration; it never has TRUNCATE.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

import psycopg
from psycopg.sql import SQL, Identifier

from weighbridge.db import locks
from weighbridge.errors import Refusal

# The two roles of a database: one owns its tables and changes their form, the other runs the service.
#
# Whoever owns a table can switch its triggers off, and so the promise that books and audit rows are only
# added. The running role owns nothing: it reads every table and writes those that are written, each only in
# the ways that no trigger refuses anyway, so that what is only added is so for two reasons.
#
# Invariants: what the running role may do follows from the tables and their triggers alone, anew after each
# migration; it is never TRUNCATE, never the history of migrations, never the form of anything.


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


def grant_running_role(urls: DatabaseUrls) -> None:
    """Give the running role what it needs in a migrated database, and take whatever else it was given.

    Does nothing where one role does both. Raises psycopg.Error.
    """
    role = role_of(urls.running)
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


def role_of(url: str) -> str:
    """The role that a URL connects as. Raises psycopg.Error."""
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


# The newest step of the migration history, which a database must be at for this version, and the first one.
#
# They are read from the names of the steps, so that a program that only compares imports nothing that
# migrates.


_STEP: Final = re.compile(r"(\d{4})_\w+\.py")


@cache
def revisions() -> tuple[str, ...]:
    """List the steps of the history, the first of which is the baseline."""
    entries = files("weighbridge.db").joinpath("migrations", "versions").iterdir()
    return tuple(sorted(step[1] for entry in entries if (step := _STEP.fullmatch(entry.name))))


def newest_revision() -> str:
    """Name the last step of the history."""
    return revisions()[-1]


def read_revision_of(database_url: str) -> str | None:
    """Read the last step that was applied to a database; None where there was none. Raises psycopg.Error."""
    with psycopg.connect(database_url) as connection:
        return read_revision(connection)


def read_revision(connection: psycopg.Connection[Any]) -> str | None:
    """Do the same on a connection."""
    if connection.execute("SELECT to_regclass('alembic_version')").fetchone() == (None,):
        return None
    found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return str(found[0]) if found else None


def refuse_unreleased(revision: str | None) -> None:
    """Refuse a database at a step before the baseline, which the history does not have any more."""
    baseline = revisions()[0]
    if revision is not None and revision < baseline:
        raise Refusal(
            f"The database is at revision {revision}, which no released version made; the first one that can"
            f" be migrated is {baseline}, that of 1.0.0. Nothing was changed."
        )
