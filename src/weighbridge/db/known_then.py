"""Statements that read records as they were known at a row of the audit log.

A statement that names tables of records is sent with parts of the same names before it (`WITH events AS …`).
Each part has the rows that were known then: those of the table itself, and the former versions that triggers
keep (`former_events`). So a query that reads records of now, by any filter and in any order, reads those of
then, and none exists twice. The planner takes the parts into the statement, and the tables of former versions
have the indexes of their tables, so a page is still cut out by an index.

A row names the moment (the writing transaction) from which it is as it is, and a former version also the one
from which it was no longer known. `audit_moments` has the place of each moment in the audit log. A moment
without a place has committed after the row of the log that is asked for, so what it wrote was not known.

Invariants: a row of `VERSIONED` never changes without leaving its version; a table of `ADDED` never changes.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, LiteralString

from psycopg.sql import SQL, Composed

from weighbridge.core.time.calendar import Instant
from weighbridge.db.statements import STATEMENTS_OF_CONTROL, Command, Statement

AS_OF: Final = "as_of"
"""The parameter of requests that names the row of the log."""

VERSIONED: Final = (
    "events", "corrections", "imputations", "batches", "deficits", "stale_runs", "ledgers", "reports",
    "report_batches", "data_point_results", "model_run_results", "event_types", "data_point_types",
    "locations", "feedstocks", "assets", "model_families", "calibrations",
)  # fmt: skip
"""Tables whose former versions are kept."""

ADDED: Final = ("ledger_entries", "deficit_entries", "evidence")
"""Tables whose rows are only added."""

THERE_BEFORE: Final = {"ledgers": "(f.project_id, f.id) = (v.project_id, v.id)"}
"""Tables whose rows are there before they were made, with the key of a version: a ledger held nothing."""

DERIVED: Final = ("ledger_waits", "slot_waits")
"""Tables that a worker works out from records again and again; nothing is known of what they said before."""

_STILL_KNOWN: Final = 2**63 - 1
"""Stands for the moment from which a row is no longer known, where there is none yet."""

_NAMES: Final = re.compile(rf"\b({'|'.join((*VERSIONED, *ADDED, *DERIVED))})\b")
_LEADING: Final = re.compile(r"(\s*EXPLAIN \([^)]*\)\s*|)(.*)", re.DOTALL)


COLUMNS: Final[Command] = (
    """
    SELECT c.relname::text, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ANY (%s)
     GROUP BY c.relname
    """,
    ([*VERSIONED],),
)
"""The columns of the versioned tables."""


class VersionedTables:
    """How statements are written that read what was known, by the columns that the tables have."""

    def __init__(self, columns: Mapping[str, str]) -> None:
        self._columns = columns
        self._made: dict[tuple[tuple[str, ...], bool], tuple[LiteralString, LiteralString]] = {}

    def read_as_known(self, command: Command) -> Command:
        """The command that reads what was known at the number of the transaction's settings."""
        if command in STATEMENTS_OF_CONTROL:
            return command
        statement, values = command
        return self.read_statement_as_known(statement), values

    def read_statement_as_known(self, statement: Statement) -> Statement:
        """The statement with the rows that were known in place of the tables that it names."""
        text = statement if isinstance(statement, str) else statement.as_string()
        names = tuple(sorted(set(_NAMES.findall(text))))
        if not names:
            return statement
        explaining, rest = _LEADING.match(text).groups()  # type: ignore[union-attr]
        before, after = self._surround(names, has_parts=rest.lstrip().startswith("WITH"))
        if explaining:
            return SQL(f"{explaining}{before}{rest}{after}")
        whole = statement if isinstance(statement, SQL | Composed) else SQL(statement)
        return Composed([SQL(before), whole, SQL(after)])

    def _surround(self, names: tuple[str, ...], *, has_parts: bool) -> tuple[LiteralString, LiteralString]:
        """What is written before and after a statement; one with parts of its own becomes a table."""
        made = self._made.get((names, has_parts))
        if made is None:
            parts = f"WITH {', '.join(map(self._write_part, names))}"
            before, after = (" SELECT * FROM (", ") AS answered") if has_parts else (" (", ")")
            made = parts + before, after
            self._made[names, has_parts] = made
        return made

    def _write_part(self, name: str) -> str:
        """The rows of a table that were known, with the columns of the table."""
        if name in DERIVED:
            return f"{name} AS NOT MATERIALIZED (SELECT * FROM {name} WHERE false)"
        if name in ADDED:
            known = _is_past("v.known_from")
            return (
                f"{name} AS NOT MATERIALIZED (SELECT * FROM {name} v WHERE v.known_from IS NULL OR {known})"
            )
        is_first = "false"
        if key := THERE_BEFORE.get(name):
            is_first = (
                f"NOT EXISTS (SELECT FROM former_{name} f WHERE {key} AND f.known_until = v.known_from)"
            )
        return f"""{name} AS NOT MATERIALIZED (
            SELECT {self._columns[name]}
              FROM (SELECT {_STILL_KNOWN}::bigint AS known_until, * FROM {name}
                    UNION ALL SELECT * FROM former_{name}) AS v
             WHERE (v.known_from IS NULL OR {_is_past("v.known_from")} OR {is_first})
               AND (v.known_until = {_STILL_KNOWN} OR ({_is_past("v.known_until")}) IS NOT TRUE))"""


def _is_past(moment: str) -> str:
    """Whether a moment has its place up to the number that is asked for."""
    return f"""({moment} <= {_read_setting("last_moment")}
               AND (SELECT m.number FROM audit_moments m
                     WHERE m.account_id = {_read_setting("account")}::integer
                       AND m.moment = {moment}) <= {_read_setting("number")})"""


def _read_setting(name: str) -> str:
    """A setting of the transaction, which is read once for all rows."""
    return f"(SELECT current_setting('weighbridge.then_{name}')::bigint)"


@dataclass(frozen=True, slots=True)
class KnownThen:
    """A row of an account's audit log, and what is known by it."""

    account: int
    number: int
    known_at: Instant | None
    """From which time on that was known; None before the first row."""
    last_moment: int
    """A bound of the moments that have a place up to the number; later ones need not be looked up."""
    tables: VersionedTables

    @property
    def settings(self) -> Command:
        """What a transaction says before it reads what was known."""
        names = ("account", "number", "last_moment")
        calls = ", ".join(f"set_config('weighbridge.then_{name}', %s, true)" for name in names)
        return SQL(f"SELECT {calls}"), tuple(str(getattr(self, name)) for name in names)
