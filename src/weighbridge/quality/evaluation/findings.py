"""Store the findings of an evaluation in a table of its transaction, and update rule results from them.

A failing record has an open result; once it passes, the result is closed. A dismissed result remains
while the record fails with the same value for the same reason.

Invariants: the table exists only in its transaction. Repeating the statements changes nothing; each
handles all records of a period.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, LiteralString, NamedTuple

from psycopg.sql import SQL, Composable

from weighbridge.core.expression.value import Scalar
from weighbridge.core.rule.states import (
    CLOSES,
    RESULT_MOVES,
    ResultStatus,
    ResultTrigger,
    RunCounts,
    list_statuses_closed_by,
    list_statuses_open_to,
)
from weighbridge.db.engine import Write
from weighbridge.db.statements import Literal, canonical
from weighbridge.quality.rule_versions import StoredVersion

# The table of findings: what evaluating a rule has found, for the statements of the same transaction.
#
# An evaluation fills it portion by portion; results are made of it, and corrections and proposals.
#
# Statements that read it with other tables name it as `(SELECT * FROM rule_findings)`, and those that change
# it take what they need of others from a materialized part: a node of a cluster does not join a table of a
# transaction with the tables of a cell otherwise. To PostgreSQL that is the same.
#
# Invariants: it belongs to one transaction and goes with it; memory stays flat, whatever the number of
# findings.


class ImputedSlot(NamedTuple):
    """A slot of a meter that no event came for; 0 for an asset or location that it does not have."""

    event_type: int
    asset: int
    location: int
    start: datetime
    end: datetime


class FindingTableRow(NamedTuple):
    """A finding on one record: the record, the content of its result, and the correction to make."""

    event: int | None
    position: int | None
    batch: int | None
    model_run: int | None
    value: str | None
    error: str | None
    from_value: Scalar | None
    to_value: Scalar | None
    start: datetime
    substitution: dict[str, Any] | None = None
    """How the value was found that fills a gap."""
    slot: ImputedSlot | None = None
    """The slot that has no event; the row names no event then."""


async def make_empty_table(tx: Write) -> None:
    """Make the table of findings of the transaction, or empty it."""
    await tx.execute(_TABLE)
    await tx.execute(_MISSING_SLOTS)
    await tx.execute("DELETE FROM rule_findings")
    await tx.execute("DELETE FROM rule_missing_slots")


async def insert_findings(tx: Write, findings: Sequence[FindingTableRow]) -> None:
    """Put a portion of findings into the table."""
    rows = [
        (*row[:6], _json(row.from_value), _json(row.to_value), _json(row.substitution))
        for row in findings
        if row.slot is None
    ]
    if rows:
        await tx.execute(_INSERT, [list(column) for column in zip(*rows, strict=True)])
    missing = [
        (*row.slot, row.position, _json(row.to_value), _json(row.substitution))
        for row in findings
        if row.slot is not None and row.to_value is not None
    ]
    if missing:
        await tx.execute(_INSERT_MISSING, [list(column) for column in zip(*missing, strict=True)])


async def index_findings(tx: Write) -> None:
    """Index the findings by event and position, so that lookups do not depend on planner statistics."""
    await tx.execute("CREATE INDEX IF NOT EXISTS rule_findings_keys ON rule_findings (event_id, position)")


def _json(value: Scalar | dict[str, Any] | None) -> str | None:
    return None if value is None else canonical(value).decode()


_TABLE: Final = """
    CREATE TEMPORARY TABLE IF NOT EXISTS rule_findings (
        event_id bigint, position smallint, batch_id bigint, model_run_id bigint, value text, error text,
        from_value jsonb, to_value jsonb, substitution jsonb
    ) ON COMMIT DROP
"""
_MISSING_SLOTS: Final = """
    CREATE TEMPORARY TABLE IF NOT EXISTS rule_missing_slots (
        place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, event_type_id integer, asset_id integer,
        location_id integer, slot_start timestamptz(3), slot_end timestamptz(3), position smallint,
        to_value jsonb, substitution jsonb, event jsonb
    ) ON COMMIT DROP
"""
"""The slots without an event that a rule has found a value for, and how an event for one is described."""

_INSERT_MISSING: Final = """
    INSERT INTO rule_missing_slots (event_type_id, asset_id, location_id, slot_start, slot_end, position,
                                    to_value, substitution)
    SELECT event_type_id, asset_id, location_id, slot_start, slot_end, position, to_value::jsonb,
           substitution::jsonb
      FROM unnest(%s::integer[], %s::integer[], %s::integer[], %s::timestamptz[], %s::timestamptz[],
                  %s::smallint[], %s::text[], %s::text[])
        AS portion (event_type_id, asset_id, location_id, slot_start, slot_end, position, to_value,
                    substitution)
"""
_INSERT: Final = """
    INSERT INTO rule_findings
    SELECT event_id, position, batch_id, model_run_id, value, error, from_value::jsonb, to_value::jsonb,
           substitution::jsonb
      FROM unnest(%s::bigint[], %s::smallint[], %s::bigint[], %s::bigint[], %s::text[], %s::text[],
                  %s::text[], %s::text[], %s::text[])
        AS portion (event_id, position, batch_id, model_run_id, value, error, from_value, to_value,
                    substitution)
"""


# Results follow the findings: new findings of a rule in a period are compared with its earlier ones.
#
# A record that fails has an open result; one that has one and fails no more passes, and its result is
# closed. A dismissed result stays while its record fails with the same value for the same reason; with
# another it is closed, and the record has a new one. A record that never failed has none.
#
# Results of an older version are closed once a newer one has evaluated their record, and say which.
#
# Invariants: the statements are safe to repeat, and repeating them changes nothing; each is one statement
# for all records of a period, whatever their number.


@dataclass(frozen=True, slots=True)
class ResultTable:
    """One of the two tables of results: its columns, and the records that they are about as `e`."""

    name: LiteralString
    keys: LiteralString
    value: LiteralString
    same: LiteralString
    """Whether a finding `f` and a result `o` are about one record: by equality, which can be hashed."""
    extra: LiteralString = ""
    open: LiteralString = "closed_at IS NULL"
    """Which rows an index keeps from being two for one record."""


DATA_POINTS: Final = ResultTable(
    "data_point_results",
    "event_id, position",
    "entered_value",
    "(f.event_id, f.position) = (o.event_id, o.position)",
)
MODEL_RUNS: Final = ResultTable(
    "model_run_results",
    "batch_id, model_run_id",
    "checked_value",
    "coalesce(f.batch_id, -f.model_run_id) = coalesce(o.batch_id, -o.model_run_id)",
    ", node_ids",
)
_SLOT_KEYS: Final = "event_type_id, asset_id, location_id, slot_start, slot_end, position"
MISSING_SLOTS: Final = ResultTable(
    "data_point_results",
    _SLOT_KEYS,
    "entered_value",
    f"({', '.join(f'f.{key}' for key in _SLOT_KEYS.split(', '))})"
    f" = ({', '.join(f'o.{key}' for key in _SLOT_KEYS.split(', '))})",
    open="closed_at IS NULL AND slot_start IS NOT NULL",
)
"""The results about events' data points, those about model runs, and those about slots without an event."""


@dataclass(frozen=True, slots=True)
class PeriodFindings:
    """The findings of a rule in a period, as SQL."""

    table: ResultTable
    records: Composable
    """Yields keys, value and error of the records that fail, what else the table has, and `is_found`."""
    covered: Composable
    """The condition that a result `o` is about a record of the period, one that is voided by now included."""
    of_result: Composable | None = None
    """Yields the same for the record of one result `o`, where that is quicker than joining them all."""


async def update_results(
    tx: Write, version: StoredVersion, run: int | None, findings: PeriodFindings
) -> RunCounts:
    """Let the results of a version follow what it found; gives the alerts and how many results changed."""
    parts = _parts(version, run, findings)
    closed = await tx.execute(_CLOSE.format(**parts))
    alerts = await tx.value(_COUNT.format(**parts))
    inserted = await tx.execute(_PUT.format(**parts)) if alerts else 0
    superseded = await tx.execute(_SUPERSEDE.format(**parts)) if version.version > 1 else 0
    return RunCounts(0, alerts, closed + inserted + superseded)


def _join_findings(findings: PeriodFindings) -> Composable:
    """The finding that belongs to each open result `o`."""
    if findings.of_result is None:
        return SQL("LEFT JOIN ({}) f ON {}").format(findings.records, SQL(findings.table.same))
    # With OFFSET the record of each result is looked up by its key, independent of planner estimates.
    return SQL("LEFT JOIN LATERAL ({} OFFSET 0) f ON true").format(findings.of_result)


def _parts(version: StoredVersion, run: int | None, findings: PeriodFindings) -> dict[str, Composable]:
    table = findings.table
    return {
        "table": SQL(table.name),
        "keys": SQL(table.keys),
        "value": SQL(table.value),
        "extra": SQL(table.extra),
        "open": SQL(table.open),
        "joined": _join_findings(findings),
        "project": Literal(version.project),
        "rule": Literal(version.rule),
        "version": Literal(version.version),
        "run": Literal(run),
        "severity": Literal(version.severity),
        "findings": findings.records,
        "covered": findings.covered,
        **_MOVES,
    }


def _after() -> Composable:
    """The status of a closed result `r`, for every cause of closing."""
    moves = {status: RESULT_MOVES[status, trigger] for status, trigger in CLOSES}
    arms = [
        SQL("WHEN r.status = {} THEN {}").format(Literal(status.value), Literal(moves[status].value))
        for status in sorted(moves)
    ]
    return SQL("(CASE {} END)").format(SQL(" ").join(arms))


def _texts(texts: list[str]) -> Composable:
    return SQL("{}::text[]").format(Literal(texts))


_MOVES: Final[dict[str, Composable]] = {
    "by_passing": _texts(list_statuses_closed_by(ResultTrigger.PASSES)),
    "by_no_change": _texts(list_statuses_closed_by(ResultTrigger.FAILS, ResultTrigger.ERRS)),
    "by_failing_anew": _texts(list_statuses_closed_by(ResultTrigger.FAILS_ANEW)),
    "by_erring_anew": _texts(list_statuses_closed_by(ResultTrigger.ERRS_ANEW)),
    "following": _texts(list_statuses_open_to(ResultTrigger.FAILS)),
    "after": _after(),
    "fails": Literal(ResultStatus.FAIL.value),
    "errs": Literal(ResultStatus.ERROR.value),
}
"""The moves of `core.rule.states`, as the statements need them."""


_CLOSE: Final = SQL(
    """
    WITH open AS MATERIALIZED (
             SELECT * FROM {table} o
              WHERE o.project_id = {project} AND o.rule_id = {rule} AND o.rule_version = {version}
                AND o.closed_at IS NULL AND {covered}),
         over AS (
             SELECT o.id FROM open o {joined}
              WHERE o.status = ANY (CASE
                    WHEN f.is_found IS NULL THEN {by_passing}
                    WHEN (f.value, f.error) IS NOT DISTINCT FROM (o.{value}, o.error_message)
                    THEN {by_no_change}
                    WHEN f.error IS NULL THEN {by_failing_anew} ELSE {by_erring_anew} END))
    UPDATE {table} r
       SET status = {after},
           error_message = CASE WHEN {after} = r.status THEN r.error_message END,
           evaluated_at = CASE WHEN {after} = r.status THEN r.evaluated_at ELSE (SELECT now()) END,
           closed_at = now()
      FROM over WHERE r.project_id = {project} AND r.id = over.id
    """
)
_SUPERSEDE: Final = SQL(
    """
    WITH over AS (
             SELECT o.id FROM {table} o
              WHERE o.project_id = {project} AND o.rule_id = {rule} AND o.rule_version < {version}
                AND o.closed_at IS NULL AND {covered})
    UPDATE {table} r
       SET status = {after},
           error_message = CASE WHEN {after} = r.status THEN r.error_message END,
           evaluated_at = CASE WHEN {after} = r.status THEN r.evaluated_at ELSE (SELECT now()) END,
           closed_at = now(), superseded_by_version = {version}
      FROM over WHERE r.project_id = {project} AND r.id = over.id
    """
)
_COUNT: Final = SQL("SELECT count(*) FROM ({findings}) AS findings")
# The count apart: an INSERT in a WITH has a node of a cluster call every other one.
_PUT: Final = SQL(
    """
    WITH findings AS MATERIALIZED ({findings})
    INSERT INTO {table} (project_id, rule_id, rule_version, rule_run_id, {keys}, status, {value},
                         error_message, evaluated_at, severity{extra})
    SELECT {project}, {rule}, {version}, {run}, {keys},
           CASE WHEN error IS NULL THEN {fails} ELSE {errs} END, value, error, now(), {severity}{extra}
      FROM findings ORDER BY {keys}
    ON CONFLICT (project_id, {keys}, rule_id, rule_version) WHERE {open}
    DO UPDATE SET status = excluded.status, {value} = excluded.{value},
                  error_message = excluded.error_message, evaluated_at = excluded.evaluated_at
     WHERE {table}.status = ANY ({following})
       AND ({table}.status, {table}.{value}, {table}.error_message)
           IS DISTINCT FROM (excluded.status, excluded.{value}, excluded.error_message)
    """
)
