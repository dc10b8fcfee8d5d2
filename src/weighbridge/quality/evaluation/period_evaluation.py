"""Evaluate a rule over a period: with its results stored, queued as a run, as a preview, or to find
outdated rules.

Invariants: evaluating is safe to repeat. Evaluations of one rule run one after another. A run and its
task are written together. A preview finds what an evaluation of the same data would.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from psycopg.sql import SQL, Composable

from weighbridge.collection.measurements.corrections import settle_imputed
from weighbridge.core import identity
from weighbridge.core.platform.permission import Actor
from weighbridge.core.rule import RuleTarget
from weighbridge.core.rule.definition import Purpose
from weighbridge.core.rule.states import RunCounts, RunKind, RunState
from weighbridge.core.time.calendar import Instant
from weighbridge.db import locks
from weighbridge.db.engine import Database, Read, Write
from weighbridge.db.statements import Literal
from weighbridge.errors import Invalid
from weighbridge.platform.async_tasks import queue_task
from weighbridge.platform.records import AsyncTask
from weighbridge.quality import imputation, rule_corrections
from weighbridge.quality.evaluation import findings as table
from weighbridge.quality.evaluation.findings import (
    DATA_POINTS,
    MISSING_SLOTS,
    MODEL_RUNS,
    FindingTableRow,
    PeriodFindings,
    update_results,
)
from weighbridge.quality.evaluation.passes import begin_evaluation, collect, read_findings
from weighbridge.quality.evaluation.record_streams import (
    asked,
    build_alert_condition,
    checked_value,
    covered_runs,
    is_answered_by_database,
    list_nodes,
    within,
)
from weighbridge.quality.records.rule_results import RulePreview, RulePreviewAlert, RulePreviewBody
from weighbridge.quality.records.rules import RULE_BODIES
from weighbridge.quality.rule_validation import validate_rule
from weighbridge.quality.rule_versions import (
    EARLIEST,
    EventKind,
    Period,
    PreparedRule,
    StoredVersion,
    author_of,
    effective_period,
    newest_version,
    prepared_rule,
    requested_period,
)

# Waiting for the writers whose marks a rule may have missed; `platform/changes.py` leaves the marks.
#
# A writer shares a lock from before it looks for rules until it commits, so whoever had that lock alone
# knows that every change committed by then either is marked or can be read.


async def await_writers(database: Database, project: int) -> None:
    """Wait for the writers that may not have seen a rule that is committed by now."""
    async with database.write() as tx:
        await tx.execute(*locks.hold_rule_marks(project))


# Evaluate a rule over a period: all its records in one pass, and what is found stored in two statements.
#
# What the database can evaluate by itself never leaves it. All else is read in order, a portion at a time,
# and evaluated in a thread, so that memory stays flat and the process keeps answering.
#
# A rule that corrects reads values that no rule has written: captured ones, or what a person put in their
# place.
#
# Invariants: evaluating is safe to repeat; two evaluations of one rule run one after the other, so that
# what is stored last was read last.


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
    withdrawn = await rule_corrections.withdraw(tx, actor, prepared.version, run, period)
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
    """Evaluate a correcting rule where it is effective, and withdraw its corrections elsewhere."""
    version, (whole_period, effective) = prepared.version, periods
    effective = effective if prepared.watched else None
    counts = RunCounts()
    event_types: set[int] = set()
    await table.make_empty_table(tx)
    if effective is not None:
        counts = RunCounts(await collect(tx, prepared, effective))
        await table.index_findings(tx)
        if version.purpose == Purpose.IMPUTE:
            event_types = await imputation.find_events(tx, version)
        await rule_corrections.leave_to_people(tx, version)
        if rule_corrections.proposes_events(version):
            await imputation.describe_slots(tx, version)
    if version.requires_approval:
        # Before the results change that hold them.
        counts = counts.plus(
            RunCounts(changed=await rule_corrections.withdraw_proposals(tx, version, whole_period))
        )
    if effective is not None:
        counts = counts.plus(await _update_point_results(tx, prepared, effective, run))
    counts = counts.plus(await rule_corrections.correct(tx, actor, version, run, whole_period))
    if rule_corrections.proposes_events(version):
        await rule_corrections.withdraw_captured(tx, version)
    if version.purpose == Purpose.IMPUTE or counts.withdrawn:
        await settle_imputed(tx, version.project, event_types)
    await _take_back_approvals(tx, version, whole_period)
    return counts


async def _take_back_approvals(tx: Write, version: StoredVersion, period: Period) -> None:
    """Withdraw the approvals of a period that no longer have a correction in force or waiting."""
    times = rule_corrections.starts_in(period)
    await rule_corrections.take_back_approvals(tx, version.project, version.rule, times)


async def _update_point_results(tx: Write, prepared: PreparedRule, period: Period, run: int) -> RunCounts:
    """Update the results on data points from the collected findings."""
    covered = _covers_result(prepared, prepared.watched, period)
    if not rule_corrections.proposes_events(prepared.version):
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
        build_alert_condition(prepared, kind),
    )
    of_result = SQL("{} AND e.id = o.event_id").format(records)
    findings = PeriodFindings(DATA_POINTS, records, _covers_result(prepared, [kind], period), of_result)
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
    ).format(Literal(list_nodes(prepared)))
    findings = PeriodFindings(MODEL_RUNS, records, covered_runs(period))
    return RunCounts(evaluated).plus(await update_results(tx, prepared.version, run, findings))


def _covers_result(prepared: PreparedRule, kinds: Sequence[EventKind], period: Period) -> Composable:
    """The condition that a result `o` is about an event of the period, or about a slot of it."""
    # A value and no join, so that each event is looked up by its key.
    return SQL(
        "CASE WHEN o.slot_start IS NULL THEN (SELECT true FROM events e WHERE e.id = o.event_id AND {})"
        " ELSE o.event_type_id = ANY ({}) AND {} END"
    ).format(
        within(prepared.version.project, kinds, period),
        Literal([kind.number for kind in kinds]),
        rule_corrections.slot_starts_in(period),
    )


_COLLECTED_POINTS: Final = SQL("SELECT true AS is_found, event_id, position, value, error FROM rule_findings")
_COLLECTED_WITHOUT_IMPUTED: Final = SQL(
    "SELECT true AS is_found, f.event_id, f.position, f.value, f.error FROM (SELECT * FROM rule_findings) f"
    " JOIN events e ON e.project_id = {} AND e.id = f.event_id AND NOT e.is_imputed"
)
_COLLECTED_SLOTS: Final = SQL(
    "SELECT true AS is_found, event_type_id, asset_id, location_id, slot_start, slot_end, position,"
    " NULL::text AS value, NULL::text AS error FROM rule_missing_slots"
)


# Queue a rule run: the run and the task that carries it out are written together.
#
# Invariants: there is never one without the other; the runs of a rule are carried out one after the other,
# so that a later run sees what an earlier one found.


TASK: Final = "rule_run"


async def queue_run(
    tx: Write,
    actor: Actor,
    version: StoredVersion,
    kind: RunKind,
    period: tuple[Instant | None, Instant | None],
) -> tuple[AsyncTask, int]:
    """Write down a run with the task that carries it out; gives the task, and the run's number."""
    number: int = await tx.value(
        """
        INSERT INTO rule_runs (project_id, rule_id, rule_version, kind, start_time, end_time)
        VALUES (%s, %s, %s, %s, %s, %s) RETURNING id
        """,
        (version.project, version.rule, version.version, kind, *period),
    )
    start, end = period
    args = {
        "project_id": version.project,
        "rule_id": identity.of("rule", version.project, version.rule),
        "rule_version": version.version,
        "rule_run_id": number,
        "start_time": start,
        "end_time": end,
    }
    lock = locks.jobs_of_rule(version.project, version.rule)
    task = await queue_task(tx, actor, kind=TASK, project_id=version.project, args=args, lock=lock)
    await tx.execute(
        "UPDATE rule_runs SET async_task_id = %s WHERE project_id = %s AND id = %s",
        (task.id, version.project, number),
    )
    return task, number


# Try a rule over a period: what it would find, with nothing stored. The rule need not be there yet.
#
# Invariant: a preview finds what an evaluation of the same rule over the same data would.


PREVIEW_ALERTS_MAX: Final = 100
"""Alerts that the preview of a rule shows; it counts all of them."""


@dataclass(frozen=True, slots=True)
class RuleTrial:
    """The outcome of a trial evaluation: records, alerts, values it would correct, the first alerts."""

    evaluated: int = 0
    alerts: int = 0
    corrections: int = 0
    first: list[FindingTableRow] = field(default_factory=list)


async def preview_rule(tx: Read, actor: Actor, project: int, request: RulePreviewBody) -> RulePreview:
    """The findings a rule would have in a period; raises Invalid with all errors of the rule."""
    start, end = requested_period(request.start_time, request.end_time)
    draft = await validate_rule(tx, actor, project, RULE_BODIES.created(request))
    trial = await try_version(tx, draft, start, end, PREVIEW_ALERTS_MAX)
    is_proposed = draft.requires_approval
    return RulePreview(
        trial.evaluated,
        trial.alerts,
        0 if is_proposed else trial.corrections,
        trial.corrections if is_proposed else 0,
        [_preview_alert(project, row) for row in trial.first],
    )


async def try_version(
    tx: Read, version: StoredVersion, start: Instant | None, end: Instant | None, limit: int
) -> RuleTrial:
    """The findings of a version, stored or not, in a period, with a limited number of alerts."""
    prepared = await prepared_rule(tx, version)
    period = effective_period(version, start, end)
    of_runs = prepared.rule.target is RuleTarget.MODEL_RUN
    if period is None or not (of_runs or prepared.watched):
        return RuleTrial()
    alerts = corrections = 0
    first: list[FindingTableRow] = []
    evaluation = await begin_evaluation(tx, prepared, period)
    async for portion in read_findings(tx, prepared, evaluation, period):
        alerts += len(portion)
        corrections += sum(row.to_value is not None for row in portion)
        first += portion[: limit - len(first)]
    return RuleTrial(evaluation.evaluated, alerts, corrections, first)


def _preview_alert(project: int, row: FindingTableRow) -> RulePreviewAlert:
    event = None if row.event is None else identity.Key(project, row.event)
    point = None if event is None else identity.Key(project, event.key, row.position or 0)
    batch = None if row.batch is None else identity.Key(project, row.batch)
    run = None
    if row.model_run is not None:
        run = identity.Key(project, row.model_run, owner=identity.Owner.MODEL_RUN)
    elif batch is not None:
        run = identity.Key(project, batch.key, owner=identity.Owner.BATCH)
    return RulePreviewAlert(
        _make_id("event", event),
        _make_id("data_point", point),
        _make_id("model_run", run),
        _make_id("batch", batch),
        Instant.of(row.start),
        row.value,
        row.error,
        row.from_value,
        row.to_value,
    )


def _make_id(kind: str, key: identity.Key | None) -> str | None:
    return None if key is None else identity.make(kind, key)


# Outdated rules: those whose stored results are not what an evaluation would find now, of the same data.
#
# A version of the service may find something else by the same rule. What it would store is found out by
# storing it, in a transaction that is undone.
#
# Invariants: nothing of it is stored; a rule is checked only where it has been evaluated before.


@dataclass(frozen=True, slots=True)
class OutdatedRule:
    """A rule of which an evaluation would change something."""

    rule_id: str
    project_id: str
    name: str
    version: int
    evaluation: str
    evaluated_from: Instant | None
    """The start of the time that it has been evaluated for; None without a bound."""
    evaluated_until: Instant | None
    alerts: int
    """How many alerts it would have in that time."""
    changes: int
    """How many results, corrections and proposals would not be what they are."""


@dataclass(frozen=True, slots=True)
class _Evaluated:
    """A rule, and the time that its newest version was evaluated for; None without a bound."""

    project: int
    rule: int
    start: datetime | None
    end: datetime | None

    @property
    def period(self) -> Period:
        """That time as an evaluation takes it."""
        start, end = self.start, self.end
        return EARLIEST if start is None else Instant.of(start), None if end is None else Instant.of(end)


async def outdated_rules(database: Database) -> AsyncIterator[OutdatedRule]:
    """The rules that look at more than single records, and of which an evaluation would change something."""
    async with database.read() as tx:
        evaluations = [_Evaluated(*row) for row in await tx.tuples(_EVALUATED)]
    for evaluation in evaluations:
        if (outdated_rule := await _find_outdated_rule(database, evaluation)) is not None:
            yield outdated_rule


async def _find_outdated_rule(database: Database, evaluation: _Evaluated) -> OutdatedRule | None:
    """The changes that evaluating a rule would make; None when there are none."""
    async with database.trial() as tx:
        await hold_rule(tx, evaluation.project, evaluation.rule)
        version = await newest_version(tx, evaluation.project, evaluation.rule)
        try:
            prepared = await prepared_rule(tx, version)
        except Invalid:  # it no longer fits its data, so it has no findings
            return None
        if prepared.gaps is None and prepared.rule.is_about_itself:
            return None
        run: int = await tx.value(
            _BEGIN_RUN,
            (evaluation.project, evaluation.rule, version.version, RunKind.RE_EVALUATION, RunState.RUNNING),
        )
        actor = await author_of(tx, version, run)
        counts: RunCounts = await evaluate(tx, actor, prepared, evaluation.period, run)
        if not counts.changed:
            return None
        return OutdatedRule(
            identity.of("rule", evaluation.project, evaluation.rule),
            identity.of("project", evaluation.project),
            version.name,
            version.version,
            version.evaluation,
            None if evaluation.start is None else Instant.of(evaluation.start),
            None if evaluation.end is None else Instant.of(evaluation.end),
            counts.alerts,
            counts.changed,
        )


# An automatic rule follows its data, for whichever periods its runs were requested.
_EVALUATED: Final = """
    SELECT u.project_id, u.id,
           CASE WHEN u.evaluation = 'on_demand' AND count(r.start_time) = count(*) THEN min(r.start_time) END,
           CASE WHEN u.evaluation = 'on_demand' AND count(r.end_time) = count(*) THEN max(r.end_time) END
      FROM rules u
      JOIN rule_runs r ON (r.project_id, r.rule_id, r.rule_version)
                        = (u.project_id, u.id, u.latest_version) AND r.state = 'complete'
     WHERE u.deleted_at IS NULL
     GROUP BY u.project_id, u.id, u.evaluation ORDER BY u.project_id, u.id
"""
_BEGIN_RUN: Final = """
    INSERT INTO rule_runs (project_id, rule_id, rule_version, kind, state, started_at)
    VALUES (%s, %s, %s, %s, %s, clock_timestamp()) RETURNING id
"""
