"""Evaluate a rule over a period: all its records in one pass, and what is found stored in two statements.

What the database can tell by itself never leaves it. Anything else is read in order, a portion at a time,
and evaluated in a thread, so that memory stays flat and the process goes on answering.

A rule that corrects reads values that no rule has written: captured ones, or what a person put in their
place.

Invariants: evaluating is safe to repeat; two evaluations of one rule run one after the other, so that what
is stored last was read last. A preview finds what an evaluation would.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec
from psycopg.sql import SQL, Composable

from weighbridge.core.expression.value import Scalar
from weighbridge.core.platform.permission import Actor
from weighbridge.core.rule import Evaluation, Target
from weighbridge.core.time.instant import Instant
from weighbridge.db import locks
from weighbridge.db.engine import Read, Write
from weighbridge.db.literal import Literal
from weighbridge.quality.correction import correcting
from weighbridge.quality.evaluation import collecting
from weighbridge.quality.evaluation.collecting import Row, collect, findings
from weighbridge.quality.evaluation.event_records import (
    Period,
    alerting,
    checked_value,
    is_answered_by_database,
    stream_of,
    within,
)
from weighbridge.quality.evaluation.findings import DATA_POINTS, MODEL_RUNS, Found, Outcome, store
from weighbridge.quality.evaluation.prepared_rule import EventKind, Subject, effective, subject_of
from weighbridge.quality.evaluation.run_records import covered_runs, nodes_of, stream_of_runs
from weighbridge.quality.rules.queries import StoredVersion


class Alert(msgspec.Struct, frozen=True):
    """A record that a rule would alert on: an event's data point, or a model run; and its correction."""

    event: int | None
    position: int | None
    batch: int | None
    model_run: int | None
    start_time: Instant
    value: str | None
    error: str | None
    from_value: Scalar | None
    to_value: Scalar | None


@dataclass(frozen=True, slots=True)
class Preview:
    """What evaluating a rule would come to: records, alerts, values it would correct, the first alerts."""

    evaluated: int
    alerts: int
    corrections: int
    first: list[Alert]


async def hold_rule(tx: Write, project: int, rule: int, *, corrects: bool) -> None:
    """Wait until no other evaluation of the rule runs, and keep it so until the transaction ends.

    The rules of a project that correct are evaluated one at a time: they lock the events that they correct.
    """
    if corrects:
        await tx.execute(*locks.hold(locks.rule_corrections(project)))
    await tx.execute(*locks.hold(locks.rule(project, rule)))


def may_correct(version: StoredVersion) -> bool:
    """Whether evaluating a version may change corrections: its own, or those of a version before it."""
    return version.correction is not None or version.version > 1


async def evaluate(
    tx: Write, actor: Actor, subject: Subject, period: Period, run: int, *, is_counted: bool = True
) -> Outcome:
    """Evaluate a rule for the records that start in the period, as far as it is effective there.

    The actor answers for what it corrects. Unless it is counted, how many records were evaluated is only told
    when a result changed.
    """
    here = effective(subject.version, *period)
    if subject.rule.correction is not None:
        return await _evaluate_correcting(tx, actor, subject, (period, here), run)
    outcome = Outcome() if here is None else await _evaluate(tx, subject, here, run, is_counted=is_counted)
    if not may_correct(subject.version):
        return outcome
    withdrawn = await correcting.withdraw(tx, actor, subject.version, run, period)
    return outcome.plus(Outcome(changed=withdrawn, withdrawn=withdrawn))


async def _evaluate(tx: Write, subject: Subject, here: Period, run: int, *, is_counted: bool) -> Outcome:
    """Evaluate a rule that alerts and corrects nothing."""
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
    await collecting.begin(tx)
    evaluated = await collect(tx, subject, await stream_of(tx, subject, here))
    return Outcome(evaluated).plus(await _store_points(tx, subject, here, run))


async def _evaluate_correcting(
    tx: Write, actor: Actor, subject: Subject, periods: tuple[Period, Period | None], run: int
) -> Outcome:
    """Evaluate a rule that corrects where it is effective, and take back what it corrected elsewhere."""
    version, (asked, here) = subject.version, periods
    here = here if subject.watched else None
    outcome = Outcome()
    await collecting.begin(tx)
    if here is not None:
        outcome = Outcome(await collect(tx, subject, await stream_of(tx, subject, here)))
        await collecting.index(tx)
        await correcting.leave_to_people(tx, version)
    if version.requires_approval:
        # Before the results change that hold them.
        outcome = outcome.plus(Outcome(changed=await correcting.withdraw_proposals(tx, version, asked)))
    if here is not None:
        outcome = outcome.plus(await _store_points(tx, subject, here, run))
    return outcome.plus(await correcting.correct(tx, actor, version, run, asked))


async def _store_points(tx: Write, subject: Subject, here: Period, run: int) -> Outcome:
    """Store what was collected of data points."""
    found = Found(DATA_POINTS, _COLLECTED_POINTS, _covered(subject, subject.watched, here))
    return await store(tx, subject.version, run, found)


async def preview(
    tx: Read, version: StoredVersion, start: Instant | None, end: Instant | None, limit: int
) -> Preview:
    """What evaluating a version, stored or not, would find in a period; nothing is written."""
    subject = await subject_of(tx, version)
    here = effective(version, start, end)
    if here is None or (subject.rule.target is Target.DATA_POINT and not subject.watched):
        return Preview(0, 0, 0, [])
    stream = (
        stream_of_runs(subject, here)
        if subject.rule.target is Target.MODEL_RUN
        else await stream_of(tx, subject, here)
    )
    alerts = corrections = 0
    first: list[Alert] = []
    evaluation = Evaluation(subject.program, subject.zone)
    async for found in findings(tx, subject, evaluation, stream):
        alerts += len(found)
        corrections += sum(finding.to_value is not None for finding in found)
        first += [_alert(finding) for finding in found[: limit - len(first)]]
    return Preview(evaluation.evaluated, alerts, corrections, first)


async def _evaluate_in_database(
    tx: Write, subject: Subject, kind: EventKind, period: Period, run: int
) -> Outcome:
    position = subject.places[kind.number]
    column = next(one for one in kind.columns.values() if one.position == position)
    events = within(subject.version.project, [kind], period)
    found = SQL(
        "SELECT true AS is_found, e.id AS event_id, {} AS position, {} AS value, NULL::text AS error"
        " FROM events e WHERE {} AND e.voided_at IS NULL AND {}"
    ).format(
        SQL("{}::smallint").format(Literal(position)),
        checked_value(subject, column),
        events,
        alerting(subject, kind),
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


async def _evaluate_runs(tx: Write, subject: Subject, period: Period, run: int) -> Outcome:
    await collecting.begin(tx)
    evaluated = await collect(tx, subject, stream_of_runs(subject, period))
    found = SQL(
        "SELECT true AS is_found, batch_id, model_run_id, value, error, {}::text[] AS node_ids"
        " FROM rule_findings"
    ).format(Literal(nodes_of(subject)))
    outcome = await store(tx, subject.version, run, Found(MODEL_RUNS, found, covered_runs(period)))
    return Outcome(evaluated).plus(outcome)


def _covered(subject: Subject, kinds: Sequence[EventKind], period: Period) -> Composable:
    """The condition that a result `o` is about an event of the period."""
    # A value and no join, so that each event is looked up by its key.
    return SQL("(SELECT true FROM events e WHERE e.id = o.event_id AND {})").format(
        within(subject.version.project, kinds, period)
    )


def _alert(row: Row) -> Alert:
    return Alert(*row[:4], Instant.of(row.start), *row[4:8])


_COLLECTED_POINTS: Final = SQL("SELECT true AS is_found, event_id, position, value, error FROM rule_findings")
