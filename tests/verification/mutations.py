"""Changes of a database past every operation: for each column one, made of its type.

Triggers, foreign keys, constraints and what generates columns are put aside, as the owner of the database
can. What a change is follows from the catalogue, so that a new column has one without anybody adding it.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psycopg import Error

from weighbridge.db.engine import Database, Write
from weighbridge.verification import EVERYTHING, PHASES, Progress, Verification, run_phase

PAGE = Path(__file__).parents[2] / "docs/reference/what-verify-shows.md"

COLUMNS = """
    SELECT c.relname::text, a.attname::text, format_type(a.atttypid, NULL)
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attgenerated = ''
       AND c.relname !~ '^procrastinate|^alembic'
       AND NOT a.attnum = ANY (coalesce(i.indkey::smallint[], '{}')) AND a.attidentity = ''
     ORDER BY c.relname, a.attnum
"""
"""Every column but keys: a row under another key is one that is gone, which a deletion stands for."""

OTHERWISE = {
    "numeric": "{c} + 1", "bigint": "{c} + 1", "integer": "{c} + 1", "smallint": "{c} + 1",
    "text": "{c} || 'x'", "character varying": "{c} || 'x'", "boolean": "NOT {c}", "bytea": "sha256({c})",
    "timestamp with time zone": "{c} + interval '1 hour'", "date": "{c} + 1", "interval": "{c} * 2",
    "jsonb": "jsonb_build_object('other', {c})", "uuid": "gen_random_uuid()", "xid8": "'1'::xid8",
    "int8multirange": "'{{}}'", "numeric[]": "(SELECT array_agg(v + 1) FROM unnest({c}) AS v)",
    "text[]": "array_append({c}, 'x')",
    "bigint[]": "array_append({c}, 1)", "integer[]": "array_append({c}, 1)",
    "uuid[]": "array_append({c}, gen_random_uuid())", "smallint[]": "array_append({c}, 1::smallint)",
    "boolean[]": "array_append({c}, true)",
}  # fmt: skip
"""What a value becomes."""

INSTEAD_OF_NOTHING = {
    "numeric": "1", "bigint": "1", "integer": "1", "smallint": "1", "text": "'x'", "boolean": "true",
    "bytea": "sha256('x')", "timestamp with time zone": "'2025-01-01Z'", "date": "'2025-01-01'",
    "jsonb": "'{{\"other\": 1}}'", "uuid": "gen_random_uuid()", "xid8": "'1'::xid8", "numeric[]": "'{{1}}'",
    "text[]": "'{{x}}'", "bigint[]": "'{{1}}'", "boolean[]": "'{{t}}'", "character varying": "'x'",
}  # fmt: skip
"""What a value becomes that no row of the books has."""


@dataclass(frozen=True)
class Mutation:
    """A change of one row: of a column, or that it is gone."""

    table: str
    column: str | None
    statements: tuple[str, ...]
    """The first that changes a row is the change."""

    @property
    def name(self) -> str:
        return f"{self.table}.{self.column or 'row'}"


TABLES = """
    SELECT relname::text FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname !~ '^procrastinate|^alembic'
     ORDER BY relname
"""


def mutations(tables: list[tuple[str]], columns: list[tuple[str, str, str]]) -> Iterator[Mutation]:
    """A change for each column, and for each table that a row of it is gone."""
    for (table,) in tables:
        yield Mutation(table, None, (f"DELETE FROM {table} WHERE ctid = (SELECT min(ctid) FROM {table})",))
    for table, column, kind in columns:
        where = f"WHERE ctid = (SELECT min(ctid) FROM {table}"
        other = OTHERWISE[kind].format(c=column)
        changed = f"UPDATE {table} SET {column} = {other} {where} WHERE {column} IS NOT NULL)"
        filled = f"UPDATE {table} SET {column} = {INSTEAD_OF_NOTHING.get(kind, 'NULL').format()} {where})"
        yield Mutation(table, column, (changed, filled))


def unshown() -> dict[str, str]:
    """The columns and tables of which the documents say that `verify` shows nothing, and why."""
    rows = re.findall(r"^\| `(\w+\.[\w*]+)` \| (.+?) \|$", PAGE.read_text(), re.MULTILINE)
    return dict(rows)


def is_listed(mutation: Mutation, listed: dict[str, str]) -> bool:
    """Whether the documents name the change, by its column or with its whole table."""
    return mutation.name in listed or f"{mutation.table}.*" in listed


class Examiner:
    """Makes changes one after the other, each undone after it was looked for."""

    def __init__(self, database: Database, store: Any) -> None:
        self._database = database
        self._store = store
        self._order: list[Callable[..., Any]] = [*PHASES]

    async def found(self, mutation: Mutation) -> str | None:
        """What verification says of the change; None where it says nothing. `-` where there is no row."""
        async with self._database.trial() as tx:
            try:
                if not await _applied(tx, mutation):
                    return "-"
            except Error as error:
                return f"- {error}"
            one = Verification(tx, self._store, EVERYTHING, Progress())
            for phase in self._order:
                found = [said for check in await run_phase(phase, one) for said in check.violations]
                if found:
                    # What found one change of a table finds most others.
                    self._order = [phase, *(other for other in self._order if other is not phase)]
                    return str(found[0])
        return None


async def _applied(tx: Write, mutation: Mutation) -> bool:
    await tx.execute("SET LOCAL session_replication_role = replica")
    for (constraint,) in await tx.tuples(_CONSTRAINTS, (mutation.table,)):
        await tx.execute(f"ALTER TABLE {mutation.table} DROP CONSTRAINT {constraint} CASCADE")
    for (index,) in await tx.tuples(_INDEXES, (mutation.table,)):
        await tx.execute(f"DROP INDEX {index}")
    for (column,) in await tx.tuples(_GENERATED, (mutation.table,)):
        await tx.execute(f"ALTER TABLE {mutation.table} ALTER COLUMN {column} DROP EXPRESSION")
    for statement in mutation.statements:
        if await tx.execute(statement):
            await tx.execute("SET LOCAL session_replication_role = origin")
            return True
    return False


_CONSTRAINTS = """
    SELECT quote_ident(conname) FROM pg_constraint
     WHERE conrelid = %s::regclass AND contype IN ('c', 'u', 'x')
"""
_GENERATED = """
    SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = %s::regclass AND attgenerated = 's'
"""
_INDEXES = """
    SELECT indexrelid::regclass::text FROM pg_index
     WHERE indrelid = %s::regclass AND NOT indisprimary
       AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
"""
