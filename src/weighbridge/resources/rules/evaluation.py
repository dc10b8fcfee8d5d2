"""Evaluate a rule over a period: all its records in one pass, and what is found stored in two statements.

What the database can tell by itself never leaves it. Anything else is read in order, a portion at a time,
and evaluated in a thread, so that memory stays flat and the process goes on answering.

Invariants: evaluating is safe to repeat; two evaluations of one rule run one after the other, so that what
is stored last was read last. A preview finds what an evaluation would.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from psycopg.sql import SQL, Composable

from weighbridge.core.instant import Instant
from weighbridge.core.rule import Evaluation, Finding, Target
from weighbridge.db.engine import Read, Write
from weighbridge.db.literal import Literal
from weighbridge.resources.rules.evaluation_events import (
    Period,
    Stream,
    alerting,
    checked_value,
    is_answered_by_database,
    stream_of,
    within,
)
from weighbridge.resources.rules.evaluation_runs import covered_runs, nodes_of, stream_of_runs
from weighbridge.resources.rules.findings import DATA_POINTS, MODEL_RUNS, Found, Outcome, store
from weighbridge.resources.rules.queries import StoredVersion
from weighbridge.resources.rules.subject import EventKind, Subject, effective, subject_of

PORTION: Final = 2_000
"""Records that are read and evaluated at a time."""


class Alert(msgspec.Struct, frozen=True):
    """A record that a rule would alert on: an event's data point, or a model run."""

    event: int | None
    position: int | None
    batch: int | None
    model_run: int | None
    start_time: Instant
    value: str | None
    error: str | None


@dataclass(frozen=True, slots=True)
class Preview:
    """What evaluating a rule would come to: how many records, how many alerts, and the first of them."""

    evaluated: int
    alerts: int
    first: list[Alert]


async def hold_rule(tx: Write, version: StoredVersion) -> None:
    """Wait until no other evaluation of the rule runs, and keep it so until the transaction ends."""
    await tx.execute(
        "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))",
        (f"rule evaluation:{version.project}:{version.rule}",),
    )


async def evaluate(
    tx: Write, subject: Subject, period: Period, run: int | None, *, is_counted: bool = True
) -> Outcome:
    """Evaluate a rule for the records that start in the period, as far as it is effective there.

    Unless it is counted, how many records were evaluated is only told when a result changed.
    """
    here = effective(subject.version, *period)
    if here is None:
        return Outcome()
    if subject.rule.target is Target.MODEL_RUN:
        return await _evaluate_runs(tx, subject, here, run)
    if not subject.watched:
        return Outcome()
    if is_answered_by_database(subject):
        outcome = Outcome()
        for kind in subject.watched:
            outcome = outcome.plus(await _evaluate_in_database(tx, subject, kind, here, run))
        if is_counted or outcome.changed:
            outcome = Outcome(await _count(tx, subject, here), outcome.alerts, outcome.changed)
        return outcome
    stream = await stream_of(tx, subject, here)
    evaluated = await _collect(tx, subject, stream)
    covered = _covered(subject, subject.watched, here)
    outcome = await store(tx, subject.version, run, Found(DATA_POINTS, _COLLECTED_POINTS, covered))
    return Outcome(evaluated, outcome.alerts, outcome.changed)


async def preview(
    tx: Read, version: StoredVersion, start: Instant | None, end: Instant | None, limit: int
) -> Preview:
    """What evaluating a version, stored or not, would find in a period; nothing is written."""
    subject = await subject_of(tx, version)
    here = effective(version, start, end)
    if here is None or (subject.rule.target is Target.DATA_POINT and not subject.watched):
        return Preview(0, 0, [])
    stream = (
        stream_of_runs(subject, here)
        if subject.rule.target is Target.MODEL_RUN
        else await stream_of(tx, subject, here)
    )
    alerts = 0
    first: list[Alert] = []
    evaluation = Evaluation(subject.program, subject.zone)
    async for found in _findings(tx, evaluation, stream):
        alerts += len(found)
        first += [_alert(subject, finding) for finding in found[: limit - len(first)]]
    return Preview(evaluation.evaluated, alerts, first)


async def _evaluate_in_database(
    tx: Write, subject: Subject, kind: EventKind, period: Period, run: int | None
) -> Outcome:
    position = subject.places[kind.number]
    column = next(one for one in kind.columns.values() if one.position == position)
    events = within(subject.version.project, [kind], period)
    found = SQL(
        "SELECT true AS is_found, e.id AS event_id, {} AS position, {} AS value, NULL::text AS error"
        " FROM events e WHERE {} AND e.voided_at IS NULL AND {}"
    ).format(
        SQL("{}::smallint").format(Literal(position)), checked_value(column), events, alerting(subject, kind)
    )
    of_result = SQL("{} AND e.id = o.event_id").format(found)
    return await store(
        tx,
        subject.version,
        run,
        Found(DATA_POINTS, found, _covered(subject, [kind], period), standing=of_result),
    )


async def _count(tx: Read, subject: Subject, period: Period) -> int:
    """How many events a rule evaluates in a period."""
    events = within(subject.version.project, subject.watched, period)
    count: int = await tx.value(
        SQL("SELECT count(*) FROM events e WHERE {} AND e.voided_at IS NULL").format(events)
    )
    return count


async def _evaluate_runs(tx: Write, subject: Subject, period: Period, run: int | None) -> Outcome:
    evaluated = await _collect(tx, subject, stream_of_runs(subject, period))
    found = SQL(
        "SELECT true AS is_found, batch_id, model_run_id, value, error, {}::text[] AS node_ids"
        " FROM rule_findings"
    ).format(Literal(nodes_of(subject)))
    outcome = await store(tx, subject.version, run, Found(MODEL_RUNS, found, covered_runs(period)))
    return Outcome(evaluated, outcome.alerts, outcome.changed)


def _covered(subject: Subject, kinds: Sequence[EventKind], period: Period) -> Composable:
    """The condition that a result `o` is about an event of the period."""
    # A value and no join, so that each event is looked up by its key.
    return SQL("(SELECT true FROM events e WHERE e.id = o.event_id AND {})").format(
        within(subject.version.project, kinds, period)
    )


_COLLECTED_POINTS: Final = SQL("SELECT true AS is_found, event_id, position, value, error FROM rule_findings")
_TABLE: Final = """
    CREATE TEMPORARY TABLE IF NOT EXISTS rule_findings (
        event_id bigint, position smallint, batch_id bigint, model_run_id bigint, value text, error text
    ) ON COMMIT DROP
"""
_COLLECT: Final = """
    INSERT INTO rule_findings
    SELECT * FROM unnest(%s::bigint[], %s::smallint[], %s::bigint[], %s::bigint[], %s::text[], %s::text[])
"""


async def _collect(tx: Write, subject: Subject, stream: Stream) -> int:
    """Put what is found into a table of the transaction; gives how many records were evaluated."""
    await tx.execute(_TABLE)
    await tx.execute("DELETE FROM rule_findings")
    evaluation = Evaluation(subject.program, subject.zone)
    async for found in _findings(tx, evaluation, stream):
        rows = [_row(subject, finding) for finding in found]
        if rows:
            await tx.execute(_COLLECT, [list(column) for column in zip(*rows, strict=True)])
    await tx.execute("ANALYZE rule_findings")
    return evaluation.evaluated


async def _findings(tx: Read, evaluation: Evaluation, stream: Stream) -> AsyncIterator[list[Finding]]:
    def take(rows: Sequence[Sequence[Any]]) -> list[Finding]:
        return evaluation.take(map(stream.record, rows))

    async for rows in tx.portions(stream.statement, PORTION):
        yield await tx.in_thread(take, rows)
    yield evaluation.finish()


def _row(subject: Subject, finding: Finding) -> tuple[Any, ...]:
    """A finding as a row of the table: event and position, or batch and model run, value, error."""
    record = finding.record
    if subject.rule.target is Target.MODEL_RUN:
        batch, run, value = record.about
        return None, None, batch, run, value, finding.error
    position, value = record.about
    return record.key, position, None, None, value, finding.error


def _alert(subject: Subject, finding: Finding) -> Alert:
    event, position, batch, run, value, error = _row(subject, finding)
    return Alert(event, position, batch, run, Instant.of(finding.record.start), value, error)
