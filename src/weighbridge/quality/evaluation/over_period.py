"""Evaluate a rule over a period: all its records in one pass, and what is found stored in two statements.

What the database can tell by itself never leaves it. Anything else is read in order, a portion at a time,
and evaluated in a thread, so that memory stays flat and the process goes on answering.

A rule that corrects reads values that no rule has written: captured ones, or what a person put in their
place.

Invariants: evaluating is safe to repeat; two evaluations of one rule run one after the other, so that what
is stored last was read last.
"""

from collections.abc import Sequence
from typing import Final

from psycopg.sql import SQL, Composable

from weighbridge.collection.measurements.imputed import settle_imputed
from weighbridge.core.platform.permission import Actor
from weighbridge.core.rule import RuleTarget
from weighbridge.core.rule.correction import Purpose
from weighbridge.core.rule.run import RunCounts
from weighbridge.db import locks
from weighbridge.db.engine import Read, Write
from weighbridge.db.literal import Literal
from weighbridge.quality.correction import (
    adjustment,
    imputation,
    placeholders,
    proposals,
    slot_proposals,
    withdrawal,
)
from weighbridge.quality.evaluation.event_records import (
    alerting,
    asked,
    checked_value,
    is_answered_by_database,
    within,
)
from weighbridge.quality.evaluation.model_run_records import covered_runs, nodes_of
from weighbridge.quality.evaluation.prepared_rule import EventKind, PreparedRule
from weighbridge.quality.evaluation.single_pass import collect
from weighbridge.quality.findings import table
from weighbridge.quality.findings.result_updates import (
    DATA_POINTS,
    MISSING_SLOTS,
    MODEL_RUNS,
    PeriodFindings,
    update_results,
)
from weighbridge.quality.versions.period import Period, effective_period
from weighbridge.quality.versions.stored_version import StoredVersion


async def hold_rule(tx: Write, project: int, rule: int) -> None:
    """Wait until no other evaluation of the rule runs, and keep it so until the transaction ends."""
    await tx.execute(*locks.hold(locks.rule(project, rule)))


def may_correct(version: StoredVersion) -> bool:
    """Whether evaluating a version may change corrections: its own, or those of a version before it."""
    return version.correction is not None or version.version > 1


async def evaluate(
    tx: Write, actor: Actor, prepared: PreparedRule, period: Period, run: int, *, is_counted: bool = True
) -> RunCounts:
    """Evaluate a rule for the records that start in the period, as far as it is effective there.

    The actor answers for what it corrects. Unless it is counted, how many records were evaluated is only told
    when a result changed.
    """
    effective = effective_period(prepared.version, *period)
    if prepared.version.correction is not None:
        return await _evaluate_correcting(tx, actor, prepared, (period, effective), run)
    counts = RunCounts()
    if effective is not None:
        counts = await _evaluate_alerting(tx, prepared, effective, run, is_counted=is_counted)
    if not may_correct(prepared.version):
        return counts
    withdrawn = await withdrawal.withdraw(tx, actor, prepared.version, run, period)
    if withdrawn:
        await settle_imputed(tx, prepared.version.project)
    await _take_back_approvals(tx, prepared.version, period)
    return counts.plus(RunCounts(changed=withdrawn, withdrawn=withdrawn))


async def _evaluate_alerting(
    tx: Write, prepared: PreparedRule, period: Period, run: int, *, is_counted: bool
) -> RunCounts:
    """Evaluate a rule that alerts and corrects nothing."""
    if prepared.rule.target is RuleTarget.MODEL_RUN:
        return await _evaluate_runs(tx, prepared, period, run)
    if not prepared.watched:
        return RunCounts()
    if is_answered_by_database(prepared):
        counts = RunCounts()
        for kind in prepared.watched:
            counts = counts.plus(await _evaluate_in_database(tx, prepared, kind, period, run))
        if is_counted or counts.changed:
            counts = RunCounts(await _count(tx, prepared, period), counts.alerts, counts.changed)
        return counts
    await table.make_empty_table(tx)
    evaluated = await collect(tx, prepared, period)
    return RunCounts(evaluated).plus(await _update_point_results(tx, prepared, period, run))


async def _evaluate_correcting(
    tx: Write, actor: Actor, prepared: PreparedRule, periods: tuple[Period, Period | None], run: int
) -> RunCounts:
    """Evaluate a rule that corrects where it is effective, and take back what it corrected elsewhere."""
    version, (whole, effective) = prepared.version, periods
    effective = effective if prepared.watched else None
    counts = RunCounts()
    made: set[int] = set()
    await table.make_empty_table(tx)
    if effective is not None:
        counts = RunCounts(await collect(tx, prepared, effective))
        await table.index_findings(tx)
        if version.purpose == Purpose.IMPUTE:
            made = await imputation.find_events(tx, version)
        await adjustment.leave_to_people(tx, version)
        if slot_proposals.proposes_events(version):
            await imputation.describe_slots(tx, version)
    if version.requires_approval:
        # Before the results change that hold them.
        counts = counts.plus(RunCounts(changed=await proposals.withdraw_proposals(tx, version, whole)))
    if effective is not None:
        counts = counts.plus(await _update_point_results(tx, prepared, effective, run))
    counts = counts.plus(await adjustment.correct(tx, actor, version, run, whole))
    if slot_proposals.proposes_events(version):
        await slot_proposals.withdraw_captured(tx, version)
    if version.purpose == Purpose.IMPUTE or counts.withdrawn:
        await settle_imputed(tx, version.project, made)
    await _take_back_approvals(tx, version, whole)
    return counts


async def _take_back_approvals(tx: Write, version: StoredVersion, period: Period) -> None:
    """Withdraw what was approved in a period and has no correction in force or waiting any more."""
    times = placeholders.starts_in(period)
    await proposals.take_back_approvals(tx, version.project, version.rule, times)


async def _update_point_results(tx: Write, prepared: PreparedRule, period: Period, run: int) -> RunCounts:
    """Let the results on data points follow what was collected."""
    covered = _covered(prepared, prepared.watched, period)
    if not slot_proposals.proposes_events(prepared.version):
        findings = PeriodFindings(DATA_POINTS, _COLLECTED_POINTS, covered)
        return await update_results(tx, prepared.version, run, findings)
    # What is filled in of events that are there has results of the events, and anything else of slots.
    of_events = SQL("(o.slot_start IS NULL AND {})").format(covered)
    of_slots = SQL("(o.slot_start IS NOT NULL AND {})").format(covered)
    collected = _COLLECTED_WITHOUT_IMPUTED.format(Literal(prepared.version.project))
    both = [
        PeriodFindings(DATA_POINTS, collected, of_events),
        PeriodFindings(MISSING_SLOTS, _COLLECTED_SLOTS, of_slots),
    ]
    counts = [await update_results(tx, prepared.version, run, findings) for findings in both]
    return counts[0].plus(counts[1])


async def _evaluate_in_database(
    tx: Write, prepared: PreparedRule, kind: EventKind, period: Period, run: int
) -> RunCounts:
    column = prepared.checked_columns[kind.number]
    events = within(prepared.version.project, [kind], period)
    records = SQL(
        "SELECT true AS is_found, e.id AS event_id, {} AS position, {} AS value, NULL::text AS error"
        " FROM events e WHERE {} AND e.voided_at IS NULL AND {} AND {}"
    ).format(
        SQL("{}::smallint").format(Literal(column.position)),
        checked_value(prepared, column),
        events,
        asked(prepared),
        alerting(prepared, kind),
    )
    of_result = SQL("{} AND e.id = o.event_id").format(records)
    findings = PeriodFindings(DATA_POINTS, records, _covered(prepared, [kind], period), of_result)
    return await update_results(tx, prepared.version, run, findings)


async def _count(tx: Read, prepared: PreparedRule, period: Period) -> int:
    """How many events a rule evaluates in a period."""
    events = within(prepared.version.project, prepared.watched, period)
    count: int = await tx.value(
        SQL("SELECT count(*) FROM events e WHERE {} AND e.voided_at IS NULL AND {}").format(
            events, asked(prepared)
        )
    )
    return count


async def _evaluate_runs(tx: Write, prepared: PreparedRule, period: Period, run: int) -> RunCounts:
    await table.make_empty_table(tx)
    evaluated = await collect(tx, prepared, period)
    records = SQL(
        "SELECT true AS is_found, batch_id, model_run_id, value, error, {}::text[] AS node_ids"
        " FROM rule_findings"
    ).format(Literal(nodes_of(prepared)))
    findings = PeriodFindings(MODEL_RUNS, records, covered_runs(period))
    return RunCounts(evaluated).plus(await update_results(tx, prepared.version, run, findings))


def _covered(prepared: PreparedRule, kinds: Sequence[EventKind], period: Period) -> Composable:
    """The condition that a result `o` is about an event of the period, or about a slot of it."""
    # A value and no join, so that each event is looked up by its key.
    return SQL(
        "CASE WHEN o.slot_start IS NULL THEN (SELECT true FROM events e WHERE e.id = o.event_id AND {})"
        " ELSE o.event_type_id = ANY ({}) AND {} END"
    ).format(
        within(prepared.version.project, kinds, period),
        Literal([kind.number for kind in kinds]),
        slot_proposals.slot_starts_in(period),
    )


_COLLECTED_POINTS: Final = SQL("SELECT true AS is_found, event_id, position, value, error FROM rule_findings")
_COLLECTED_WITHOUT_IMPUTED: Final = SQL(
    "SELECT true AS is_found, f.event_id, f.position, f.value, f.error FROM rule_findings f"
    " JOIN events e ON e.project_id = {} AND e.id = f.event_id AND NOT e.is_imputed"
)
_COLLECTED_SLOTS: Final = SQL(
    "SELECT true AS is_found, event_type_id, asset_id, location_id, slot_start, slot_end, position,"
    " NULL::text AS value, NULL::text AS error FROM rule_missing_slots"
)
