"""Evaluate the automatic rules of projects where data changed, in fair order, and before a generation.

Rules that correct are evaluated in transactions of their own; the last transaction evaluates the others
and removes the marks. Interrupted work leaves its marks, and repeating it changes nothing. A failing
rule leaves a failed run.

Invariants: one worker at a time works for a project, and an account is evaluated once at a time. A mark
is removed only together with its effect. Evaluations that change nothing write nothing.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import pairwise
from typing import Final

import msgspec
from psycopg import OperationalError

from weighbridge.concurrency import computing_for
from weighbridge.core import identity
from weighbridge.core.rule import MemberScope, RuleTarget
from weighbridge.core.rule.definition import FILLS_GAPS
from weighbridge.core.rule.states import RunCounts, RunKind, RunState
from weighbridge.core.time.calendar import Interval
from weighbridge.db import locks
from weighbridge.db.engine import Database, Read, Write
from weighbridge.errors import mistake, new_reference
from weighbridge.platform import changes
from weighbridge.quality.evaluation.period_evaluation import evaluate, hold_rule, may_correct
from weighbridge.quality.evaluation.record_streams import widen_period, widened_runs
from weighbridge.quality.evaluation.series import widened_series
from weighbridge.quality.records.rule_results import RunResult
from weighbridge.quality.rule_versions import (
    Period,
    PreparedRule,
    StoredVersion,
    author_of,
    automatic_versions,
    prepared_rule,
)
from weighbridge.quality.slots.roll_up_refresh import roll_up_marked, roll_up_marks

# Incremental evaluation: where data changed, automatic rules are evaluated again, soon after the write.
#
# The marks that writes have left in a project are read together and merged. Each rule that may correct is
# evaluated in transactions of its own; the last transaction evaluates all others and removes the marks that
# were read. Killed in the middle, it leaves the marks, and what is evaluated again changes nothing. Periods
# are widened by what the windows of a rule reach over. A rule that fails by itself leaves a failed run, and
# the others go on.
#
# Invariants: one worker at a time works for a project, any number for different ones; a mark goes only when
# its effect is stored, or together with it; evaluations that change nothing store nothing.


NEAR: Final = timedelta(hours=1)
"""Periods that lie no farther apart are evaluated as one."""

PERIODS: Final = 32
"""At most this many periods are evaluated separately; more would cost more than the time between them."""


@dataclass(frozen=True, slots=True)
class Marked:
    """Where data of a project changed: periods by event type, and by model."""

    events: dict[int, list[Interval]] = field(default_factory=dict)
    runs: dict[int, list[Interval]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Seen:
    """The marks that an evaluation processes: their numbers, and the times in which data changed."""

    numbers: list[int]
    marked: Marked


class _OtherWorkerError(Exception):
    """Another worker evaluates the rules of the project just now, by marks of its own."""


@dataclass(frozen=True, slots=True)
class FailedEvaluation:
    """A rule whose evaluation failed for an unexpected reason."""

    version: StoredVersion | None
    """None where not a rule failed, but rolling up the data that rules look at."""
    error: Exception
    reference: str
    """Under which the log has the error."""


async def evaluate_changes(database: Database) -> list[FailedEvaluation]:
    """Evaluate the marked periods of every project; return the rules that failed on their own."""
    marked = await marked_projects(database)
    return [
        failure
        for account, projects in marked.items()
        for failure in await evaluate_projects(database, account, projects)
    ]


async def marked_projects(database: Database) -> dict[int, list[int]]:
    """The projects in which something is marked, by account."""
    async with database.read() as tx:
        rows = await tx.tuples(
            """
            SELECT p.account_id, p.id FROM projects p
             WHERE p.id IN (SELECT project_id FROM rule_dirty_ranges
                            UNION SELECT project_id FROM roll_up_marks)
             ORDER BY p.id
            """
        )
    projects: dict[int, list[int]] = {}
    for account, project in rows:
        projects.setdefault(account, []).append(project)
    return projects


async def evaluate_projects(
    database: Database, account: int, projects: Iterable[int]
) -> list[FailedEvaluation]:
    """Evaluate the marked periods in projects of an account; return the rules that failed on their own."""
    with computing_for(account):
        return [failure for project in projects for failure in await _evaluate_project(database, project)]


async def _evaluate_project(database: Database, project: int) -> list[FailedEvaluation]:
    failures = await _roll_up_first(database, project)
    async with database.read() as tx:
        marks = await read_marks(tx, project)
        versions = await automatic_versions(tx, project)
    if not marks.numbers:
        return failures
    try:
        # Rules that correct come first: the others read the corrected values.
        for version in sorted(filter(may_correct, versions), key=_turn):
            if may_concern(version, marks.marked):
                failures += await _evaluate_alone(database, version, marks.marked)
        failures += await _evaluate_others(database, project, marks)
    except _OtherWorkerError:
        pass
    return failures


async def _roll_up_first(database: Database, project: int) -> list[FailedEvaluation]:
    """Roll up the marked readings, which marks periods for rules; rules are evaluated even if this fails."""
    try:
        await roll_up_marked(database, project)
    except OperationalError:  # of the server or the connection
        raise
    except Exception as error:  # noqa: BLE001 - it is reported, and the marks stay
        return [FailedEvaluation(None, error, new_reference())]
    return []


def _turn(version: StoredVersion) -> tuple[bool, bool, int]:
    """The order of rules that may correct: those that correct come before those that only withdraw.

    Calibrations come first: rules that fill gaps read the calibrated values.
    """
    return version.correction is None, version.purpose in FILLS_GAPS, version.rule


async def read_marks(tx: Read, project: int, known: Sequence[int] = ()) -> Seen:
    """The marks of a project other than those known already, merged into periods that do not touch."""
    values = {"project": project, "known": [*known]}
    numbers = await tx.tuples(_NUMBERS, values)
    marked = Marked()
    for event_type, first, last in await tx.tuples(_MARKED_EVENTS, values):
        marked.events.setdefault(event_type, []).append(Interval(first, last))
    for family, first in await tx.tuples(_MARKED_RUNS, values):
        marked.runs.setdefault(family, []).append(Interval(first, first))
    return Seen([number for (number,) in numbers], marked)


async def _be_only_worker(tx: Write, project: int) -> None:
    """Work for a project alone until the transaction ends; raise when another worker does just now."""
    if not await tx.value(*locks.try_hold(locks.rule_worker(project))):
        raise _OtherWorkerError


async def _evaluate_alone(
    database: Database, version: StoredVersion, marked: Marked
) -> list[FailedEvaluation]:
    """Evaluate a rule that may correct, each period in a transaction of its own.

    So each correcting rule locks its events once, in their order, and cannot deadlock.
    """
    try:
        async with database.read() as tx:
            periods = await marked_periods(tx, await prepared_rule(tx, version), marked)
        for period in periods:
            async with database.write() as tx:
                await _be_only_worker(tx, version.project)
                await hold_rule(tx, version.project, version.rule)
                # Others were waited for. A rule that changed since sees the marked data by itself.
                newest = await automatic_versions(tx, version.project, version.rule)
                if [stored_version.version for stored_version in newest] != [version.version]:
                    return []
                await _run(tx, await prepared_rule(tx, newest[0]), [period])
    except (OperationalError, _OtherWorkerError):  # not of the rule: the marks stay
        raise
    except Exception as error:  # noqa: BLE001 - it is stored as a failed run, and reported
        reference = new_reference()
        async with database.write() as tx:
            await _note_failure(tx, version, reference)
        return [FailedEvaluation(version, error, reference)]
    return []


async def _evaluate_others(database: Database, project: int, marks: Seen) -> list[FailedEvaluation]:
    """Evaluate the rules that correct nothing, and remove the marks: all have seen them by then."""
    failures: list[FailedEvaluation] = []
    async with database.write() as tx:
        await _be_only_worker(tx, project)
        for version in await automatic_versions(tx, project):
            if may_correct(version) or not may_concern(version, marks.marked):
                continue
            await tx.execute("SAVEPOINT rule")
            try:
                await hold_rule(tx, project, version.rule)
                prepared = await prepared_rule(tx, version)
                await _run(tx, prepared, await marked_periods(tx, prepared, marks.marked))
            except OperationalError:  # of the server or the connection, not of the rule: the marks stay
                raise
            except Exception as error:  # noqa: BLE001 - it is stored as a failed run, and reported
                await tx.execute("ROLLBACK TO SAVEPOINT rule")
                reference = new_reference()
                await _note_failure(tx, version, reference)
                failures.append(FailedEvaluation(version, error, reference))
            await tx.execute("RELEASE SAVEPOINT rule")
        await tx.execute(
            "DELETE FROM rule_dirty_ranges WHERE project_id = %s AND id = ANY (%s)", (project, marks.numbers)
        )
    return failures


async def marked_periods(tx: Read, prepared: PreparedRule, marked: Marked) -> list[Period]:
    """Where the marked records may have changed what a rule finds."""
    return _merge_periods(
        [await _widen_period(tx, prepared, changed) for changed in _list_changed_periods(prepared, marked)]
    )


async def _run(tx: Write, prepared: PreparedRule, periods: Sequence[Period]) -> None:
    """Evaluate a rule over periods; a run that changes nothing is not stored."""
    version = prepared.version
    if not periods:
        return
    run: int = await tx.value(
        _BEGIN_RUN, (version.project, version.rule, version.version, RunKind.AUTOMATIC, RunState.RUNNING)
    )
    actor = await author_of(tx, version, run)
    counts = RunCounts()
    for period in periods:
        counts = counts.plus(await evaluate(tx, actor, prepared, period, run, is_counted=False))
    if not counts.changed:
        await tx.execute("DELETE FROM rule_runs WHERE project_id = %s AND id = %s", (version.project, run))
        return
    result = RunResult(
        run, counts.evaluated, counts.alerts, counts.corrections, counts.withdrawn, counts.proposals
    )
    start, end = periods[0][0], periods[-1][1]
    counted = msgspec.structs.astuple(result)[1:]
    await tx.execute(_END_RUN, (RunState.COMPLETE, start, end, *counted, version.project, run))
    if counts.corrects:
        changes.record(
            tx, actor, action="rule.correct", target=identity.of("rule", version.project, version.rule),
            project_id=version.project, after=result,
        )  # fmt: skip


def may_concern(version: StoredVersion, marked: Marked) -> bool:
    """A look that needs no reading of the rule: whether anything of its kind is marked."""
    if version.target == RuleTarget.MODEL_RUN:
        return version.family in marked.runs
    sees_others = version.window_member_scope == MemberScope.PROJECT or (
        version.purpose in FILLS_GAPS and "operating_from" in (version.correction or {})
    )
    return bool(marked.events) and (
        version.event_type is None or version.event_type in marked.events or sees_others
    )


def _list_changed_periods(prepared: PreparedRule, marked: Marked) -> Iterable[Interval]:
    """The marked periods that the rule looks at, merged."""
    if prepared.rule.target is RuleTarget.MODEL_RUN:
        return marked.runs.get(prepared.version.family or 0, [])
    kinds = [*(prepared.around or prepared.watched)]
    if prepared.operating is not None:
        kinds.append(prepared.operating)
    return _group_intervals([interval for kind in kinds for interval in marked.events.get(kind.number, ())])


def _group_intervals(intervals: Iterable[Interval]) -> list[Interval]:
    """Few periods that hold them all, cut where the longest stretches between them lie."""
    merged: list[Interval] = []
    for interval in sorted(intervals):
        if merged and interval.start <= merged[-1].end + NEAR:
            merged[-1] = Interval(merged[-1].start, max(merged[-1].end, interval.end))
        else:
            merged.append(interval)
    gaps = sorted(range(1, len(merged)), key=lambda index: merged[index - 1].end - merged[index].start)
    cuts = [0, *sorted(gaps[: PERIODS - 1]), len(merged)]
    return [
        Interval(merged[first].start, merged[last - 1].end) for first, last in pairwise(cuts) if first < last
    ]


async def _widen_period(tx: Read, prepared: PreparedRule, changed: Interval) -> Period:
    if prepared.rule.target is RuleTarget.MODEL_RUN:
        return widened_runs(prepared, changed)
    if prepared.gaps is not None:
        return await widened_series(tx, prepared, changed)
    return await widen_period(tx, prepared, changed)


def _merge_periods(periods: Sequence[Period]) -> list[Period]:
    """Periods that do not overlap, in order."""
    merged: list[Period] = []
    for start, end in sorted(periods, key=lambda period: period[0]):
        if merged and (merged[-1][1] is None or start <= merged[-1][1]):
            first, last = merged[-1]
            merged[-1] = (first, None if last is None or end is None else max(last, end))
        else:
            merged.append((start, end))
    return merged


async def _note_failure(tx: Write, version: StoredVersion, reference: str) -> None:
    message = f"The rule could not be evaluated: {mistake(reference)}"
    await tx.execute(
        _FAILED_RUN,
        (version.project, version.rule, version.version, RunKind.AUTOMATIC, RunState.FAILED, message),
    )


_OTHER_MARKS: Final = "project_id = %(project)s AND id <> ALL (%(known)s::bigint[])"
_NUMBERS: Final = f"SELECT id FROM rule_dirty_ranges WHERE {_OTHER_MARKS}"
_MARKED_EVENTS: Final = f"""
    SELECT event_type_id, lower(span), upper(span)
      FROM (SELECT event_type_id, unnest(range_agg(tstzrange(start_time, end_time, '[]'))) AS span
              FROM rule_dirty_ranges WHERE {_OTHER_MARKS} AND event_type_id IS NOT NULL
             GROUP BY event_type_id) merged
     ORDER BY event_type_id, span
"""
_MARKED_RUNS: Final = f"""
    WITH marked AS (
        SELECT project_id, batch_id, model_run_id FROM rule_dirty_ranges
         WHERE {_OTHER_MARKS} AND event_type_id IS NULL)
    SELECT DISTINCT u.family_id, b.start_time
      FROM marked JOIN batches b USING (project_id)
      JOIN runs u ON (u.project_id, u.id) = (b.project_id, b.run_id)
     WHERE b.id = marked.batch_id
    UNION
    SELECT DISTINCT v.family_id, m.start_time
      FROM marked JOIN model_runs m USING (project_id) JOIN models v ON v.id = m.model_id
     WHERE m.id = marked.model_run_id
     ORDER BY 1, 2
"""
_BEGIN_RUN: Final = """
    INSERT INTO rule_runs (project_id, rule_id, rule_version, kind, state, started_at)
    VALUES (%s, %s, %s, %s, %s, clock_timestamp()) RETURNING id
"""
_END_RUN: Final = """
    UPDATE rule_runs SET state = %s, start_time = %s, end_time = %s, evaluated = %s, alerts = %s,
                         corrections = %s, withdrawn = %s, proposals = %s,
                         finished_at = (SELECT clock_timestamp())
     WHERE project_id = %s AND id = %s
"""
_FAILED_RUN: Final = """
    INSERT INTO rule_runs (project_id, rule_id, rule_version, kind, state, error_message, started_at,
                           finished_at)
    VALUES (%s, %s, %s, %s, %s, %s, now(), clock_timestamp())
"""


# Rounds of evaluations: those of an account one after the other, those of different accounts side by side.
#
# So a slow rule delays the findings of its own account only.
#
# Invariants: no account is evaluated twice at a time; of accounts that wait, the one goes first whose last
# turn is longest ago.


ACCOUNTS_AT_ONCE: Final = 4
"""Accounts whose automatic rules one worker evaluates at the same time."""


class Rounds:
    """The evaluations that a worker has in hand."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._at_work: dict[int, asyncio.Task[list[FailedEvaluation]]] = {}
        self._turns: dict[int, int] = {}
        self._turn = 0

    async def look(self) -> list[FailedEvaluation]:
        """Start the evaluations of accounts that are marked and have none; give what has failed since."""
        marked = await marked_projects(self._database)
        failures = self._collect_failures()
        self._turns = {account: turn for account, turn in self._turns.items() if account in marked}
        waiting = sorted(
            marked.keys() - self._at_work.keys(), key=lambda project: self._turns.get(project, 0)
        )
        for account in waiting[: ACCOUNTS_AT_ONCE - len(self._at_work)]:
            self._turn += 1
            self._turns[account] = self._turn
            work = evaluate_projects(self._database, account, marked[account])
            self._at_work[account] = asyncio.create_task(work)
        return failures

    async def finish(self) -> list[FailedEvaluation]:
        """Wait for the evaluations in hand; give what has failed."""
        if self._at_work:
            await asyncio.wait(self._at_work.values())
        return self._collect_failures()

    async def stop(self) -> None:
        """End all evaluations; their marks stay."""
        for task in self._at_work.values():
            task.cancel()
        await asyncio.gather(*self._at_work.values(), return_exceptions=True)

    def _collect_failures(self) -> list[FailedEvaluation]:
        """The failures of the finished evaluations; raises an error that no evaluation caused."""
        over = [account for account, task in self._at_work.items() if task.done()]
        tasks = [self._at_work.pop(account) for account in over]
        return [failure for task in tasks for failure in task.result()]


# Catching up: rules evaluate all marked periods before the data are used.
#
# A generation does so first, so that values which a rule is about to correct are not booked as they were
# captured and adjusted a moment later.
#
# Invariants: earlier marks are evaluated when this ends, by this worker or by another one, unless
# others keep marking and evaluating all the while; a project without a rule that corrects costs one look.


PASSES_MAX: Final = 10
"""How often rolling up and evaluating take turns: one more than roll-ups follow on one another, or rules."""

ROUNDS_MAX: Final = 50
"""How often it checks for marks that other workers process; after that it leaves them to those workers."""


async def catch_up(database: Database, account: int, project: int) -> list[FailedEvaluation]:
    """Evaluate the current marks of a project, if rules correct there; return the rules that failed."""
    failures: list[FailedEvaluation] = []
    # Rolled-up and corrected values are marked again, until a round changes nothing.
    for _ in range(PASSES_MAX):
        newest = await _rolled_up(database, project)
        if newest is None:
            break
        failures += await _evaluate_until(database, account, project, newest)
    return failures


async def _rolled_up(database: Database, project: int) -> int | None:
    """Roll up the marked readings; return the newest mark that rules have not evaluated yet."""
    newest = (_NEWEST_MARK, (project, project))
    async with database.read() as tx:
        marks, [version_row] = await tx.lastly(roll_up_marks(project), newest)
    if marks:
        await roll_up_marked(database, project, waits=True)
        async with database.read() as tx:
            [[version_row]] = await tx.lastly(newest)
    number: int | None = version_row[0]
    return number


async def _evaluate_until(
    database: Database, account: int, project: int, newest: int
) -> list[FailedEvaluation]:
    """Evaluate until no mark is left up to the newest of a moment ago."""
    failures: list[FailedEvaluation] = []
    for _ in range(ROUNDS_MAX):
        failures += await evaluate_projects(database, account, [project])
        async with database.write() as tx:
            # Another worker may have the marks in hand; what it found is stored when it lets go.
            await tx.execute(*locks.hold(locks.rule_worker(project)))
            if not await tx.value(_IS_LEFT, (project, newest)):
                break
    return failures


_NEWEST_MARK: Final = """
    SELECT max(id) FROM rule_dirty_ranges
     WHERE project_id = %s AND event_type_id IS NOT NULL
       AND EXISTS (SELECT FROM rules u
                     JOIN rule_versions v
                       ON (v.project_id, v.rule_id, v.version) = (u.project_id, u.id, u.latest_version)
                    WHERE u.project_id = %s AND u.evaluation = 'automatic' AND u.deleted_at IS NULL
                      AND (v.purpose <> 'alert' OR v.version > 1))
"""
_IS_LEFT: Final = """
    SELECT EXISTS (SELECT FROM rule_dirty_ranges
                    WHERE project_id = %s AND id <= %s AND event_type_id IS NOT NULL)
"""
