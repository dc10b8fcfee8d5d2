"""Rule runs: evaluations of a version of a rule over a period, with what each came to.

States: pending, running, complete, failed, reversed. Permission: data rules.
"""

from functools import partial
from typing import Final

from psycopg.sql import SQL

from weighbridge.collection.measurements.corrections import undo_rule
from weighbridge.concurrency import computing_for
from weighbridge.core import identity
from weighbridge.core.platform.permission import Actor
from weighbridge.core.platform.settings import Feature
from weighbridge.core.rule.states import RunCounts, RunKind, RunState, RunTrigger, list_run_states_before
from weighbridge.core.time.calendar import Instant
from weighbridge.db import locks
from weighbridge.db.engine import Database, Read, Write
from weighbridge.db.lists.listing import (
    Filter,
    Index,
    Listing,
    ListRequest,
    Page,
    Source,
    among,
    list_request,
    read_int4,
    read_page,
)
from weighbridge.db.row import Column, row_of
from weighbridge.db.statements import Literal
from weighbridge.errors import Conflict, NotFound
from weighbridge.http.endpoints.endpoint import Answer, ReadCall, WriteCall, get, post
from weighbridge.platform import async_tasks as tasks
from weighbridge.platform import changes
from weighbridge.platform.async_tasks import Attempt, accept_task
from weighbridge.platform.feature_flags import need_feature
from weighbridge.platform.records import AsyncTask
from weighbridge.platform.tenancy import find, of_projects
from weighbridge.quality.evaluation.period_evaluation import await_writers, evaluate, hold_rule, queue_run
from weighbridge.quality.records.rule_results import NewRuleRun, RuleRun, RuleRunsNoOptions, RunResult
from weighbridge.quality.rule_corrections import take_back_approvals
from weighbridge.quality.rule_versions import (
    EARLIEST,
    Period,
    newest_version,
    prepared_rule,
    requested_period,
)
from weighbridge.quality.rules import rule_named

# Read rule runs, and find the run that a path names; those of a rule that was removed are found nowhere.


RULE_RUNS: Final = Listing(
    sorts={"id": "r.id", "created_at": "r.created_at"},
    default_sort="-id",
    key=("r.id",),
    filters={
        "state": Filter("r.state", among(RunState), ", ".join(RunState)),
        "kind": Filter("r.kind", among(RunKind), ", ".join(RunKind)),
    },
    indexes=(Index("id", "state"), Index("id", "kind"), Index("id")),
)

_JOINED: Final = """
    JOIN rules u ON (u.project_id, u.id) = (r.project_id, r.rule_id) AND u.deleted_at IS NULL
"""
_SOURCE: Final = f"rule_runs r {_JOINED}"

RULE_RUN: Final = row_of(
    RuleRun,
    Column("id", "r.id"),
    Column("rule_id", ("r.project_id", "r.rule_id"), partial(identity.of, "rule")),
    Column("rule_version", "r.rule_version"),
    Column("rule_name", "u.name"),
    Column("kind", "r.kind"),
    Column("state", "r.state"),
    Column("start_time", "r.start_time"),
    Column("end_time", "r.end_time"),
    Column("evaluated", "r.evaluated"),
    Column("alerts", "r.alerts"),
    Column("corrections", "r.corrections"),
    Column("withdrawn", "r.withdrawn"),
    Column("proposals", "r.proposals"),
    Column("created_at", "r.created_at"),
    Column("started_at", "r.started_at"),
    Column("finished_at", "r.finished_at"),
    Column("duration_seconds", "extract(epoch FROM r.finished_at - r.started_at)"),
    Column("reversed_at", "r.reversed_at"),
    Column("error_message", "r.error_message"),
    Column("async_task_id", "r.async_task_id"),
)


async def select_rule_runs(tx: Read, project: int, rule: int, request: ListRequest) -> Page[RuleRun]:
    """The runs of a rule, of every version, newest first."""
    of_rule = SQL("r.project_id = {} AND r.rule_id = {}").format(Literal(project), Literal(rule))
    source = Source("rule_runs r", "r.*", _JOINED)
    return await read_page(tx, RULE_RUN, RULE_RUNS, request, source=source, where=[of_rule])


async def read_rule_run(tx: Read, project: int, number: int) -> RuleRun:
    """One run by its number."""
    return await find(tx, RULE_RUN, _SOURCE, SQL("r.project_id = %s AND r.id = %s"), (project, number))


async def rule_run_named(tx: Read, actor: Actor, text: str) -> tuple[int, int]:
    """The project and number of the run that a path names, of an account that has the rules engine."""
    await need_feature(tx, actor.account_id, Feature.RULES_ENGINE)
    try:
        number = read_int4(text)
    except ValueError:
        raise NotFound from None
    statement = SQL("SELECT r.project_id FROM {} WHERE {} AND r.id = %s").format(
        SQL(_SOURCE), of_projects(actor, "r.project_id")
    )
    project = await tx.value(statement, (number,))
    if project is None:
        raise NotFound
    return project, number


# Start rule runs and reverse them.


async def queue_rule_run(tx: Write, actor: Actor, project: int, rule: int, request: NewRuleRun) -> AsyncTask:
    """Queue an evaluation of a rule's newest version over a period, whether the rule is automatic or not."""
    period = requested_period(request.start_time, request.end_time)
    version = await newest_version(tx, project, rule)
    task, _ = await queue_run(tx, actor, version, RunKind.RE_EVALUATION, period)
    changes.record(
        tx,
        actor,
        action="rule_run.start",
        target=identity.of("rule", project, rule),
        project_id=project,
        after=task,
    )
    return task


# Carry out a rule run: evaluate a version over the period of the run, in one fenced transaction.
#
# Invariants: a run ends as its task does; a version that another has replaced since is left alone, and its
# run is complete with nothing evaluated.


async def run_rule(database: Database, attempt: Attempt) -> None:
    """Evaluate a rule as its run asks; safe to repeat, because a repetition finds and stores the same."""
    number: int = attempt.args["rule_run_id"]
    await _begin(database, attempt, number)
    await tasks.report_progress(database, attempt, 10, "Reading and evaluating the records")
    # What was being written when the rule was saved may not have been marked for it.
    await await_writers(database, attempt.project_id)
    with computing_for(attempt.actor.account_id):
        await _evaluate(database, attempt, number)


async def _begin(database: Database, attempt: Attempt, number: int) -> None:
    """Let the run stand where its task stands; the database sees to it when the task fails."""
    async with database.write() as tx:
        await tasks.lock_current_attempt(tx, attempt)
        await tx.execute(
            """
            UPDATE rule_runs SET state = %s, started_at = coalesce(started_at, (SELECT clock_timestamp()))
             WHERE project_id = %s AND id = %s AND state = ANY (%s)
            """,
            (RunState.RUNNING, attempt.project_id, number, list_run_states_before(RunTrigger.ATTEMPT)),
        )


async def _evaluate(database: Database, attempt: Attempt, number: int) -> None:
    rule = identity.number("rule", attempt.args["rule_id"])
    async with database.write() as tx:
        version = await newest_version(tx, attempt.project_id, rule)
        await hold_rule(tx, version.project, rule)
        # It may have changed while others were waited for.
        version = await newest_version(tx, attempt.project_id, rule)
        counts = RunCounts()
        if version.version == attempt.args["rule_version"]:
            period = await _period(tx, attempt, number)
            counts = await evaluate(tx, attempt.actor, await prepared_rule(tx, version), period, number)
        await tasks.lock_current_attempt(tx, attempt)
        await tx.execute(
            """
            UPDATE rule_runs SET state = %s, evaluated = %s, alerts = %s, corrections = %s, withdrawn = %s,
                                 proposals = %s, finished_at = (SELECT clock_timestamp())
             WHERE project_id = %s AND id = %s AND state = ANY (%s)
            """,
            (
                RunState.COMPLETE, counts.evaluated, counts.alerts, counts.corrections, counts.withdrawn,
                counts.proposals, version.project, number, list_run_states_before(RunTrigger.SUCCEED),
            ),
        )  # fmt: skip
        result = RunResult(
            number,
            counts.evaluated,
            counts.alerts,
            counts.corrections,
            counts.withdrawn,
            counts.proposals,
        )
        changes.record(
            tx, attempt.actor, action="rule_run.finish", target=attempt.args["rule_id"],
            project_id=attempt.project_id, after=result,
        )  # fmt: skip
        await tasks.complete_task(tx, attempt, result)


async def _period(tx: Read, attempt: Attempt, number: int) -> Period:
    """The period of a run. A backfill looks at all time: at what the rule is effective for no more, too."""
    statement = "SELECT kind FROM rule_runs WHERE project_id = %s AND id = %s"
    if await tx.value(statement, (attempt.project_id, number)) == RunKind.BACKFILL:
        return EARLIEST, None
    asked = (attempt.args[name] for name in ("start_time", "end_time"))
    start, end = (Instant.of(Instant.fromisoformat(one)) for one in asked)
    return start, end


# Paths of rule runs: hung below the rule that they evaluate, and by their own numbers.


_OF_RULE = "/rules/{rule_id}/rule_runs"
_ONE = "/rule_runs/{rule_run_id}"


@get(_OF_RULE, permission="data_rules:read", returns=Page[RuleRun], listing=RULE_RUNS)
async def list_rule_runs(call: ReadCall) -> Page[RuleRun]:
    """List the runs of a rule, newest first."""
    project, rule = await rule_named(call.tx, call.actor, call.path["rule_id"])
    return await select_rule_runs(call.tx, project, rule, list_request(call.query, RULE_RUNS))


@post(
    _OF_RULE,
    permission="data_rules:write",
    body=NewRuleRun,
    returns=AsyncTask,
    status=202,
    task_results={"rule_run": RunResult},
    example={"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-02-01T00:00:00Z"},
)
async def start_rule_run(call: WriteCall, body: NewRuleRun) -> Answer:
    """Start evaluating a rule again over a period; poll the task, whose `args` have the `rule_run_id`.

    Records outside the time for which the rule is effective are not evaluated; corrections of the rule that
    stand there are withdrawn.
    """
    project, rule = await rule_named(call.tx, call.actor, call.path["rule_id"])
    task = await queue_rule_run(call.tx, call.actor, project, rule, body)
    return accept_task(task)


@get(_ONE, permission="data_rules:read", returns=RuleRun, spans_projects=True)
async def get_rule_run(call: ReadCall) -> RuleRun:
    """Read one rule run: where it stands, and what it came to."""
    project, number = await rule_run_named(call.tx, call.actor, call.path["rule_run_id"])
    return await read_rule_run(call.tx, project, number)


@post(
    _ONE + "/reverse",
    permission="data_rules:write",
    body=RuleRunsNoOptions,
    returns=RuleRun,
    status=200,
    spans_projects=True,
)
async def reverse_rule_run(call: WriteCall, _: RuleRunsNoOptions) -> RuleRun:
    """Remove the corrections that a run wrote; its alerts stay. The body may be left out.

    The same version of the rule does not write them again. 409 unless the run is complete; reversing it again
    changes nothing.
    """
    project, number = await rule_run_named(call.tx, call.actor, call.path["rule_run_id"])
    tx, actor = call.tx, call.actor
    key = project, number
    rule = await tx.value("SELECT rule_id FROM rule_runs WHERE project_id = %s AND id = %s", key)
    await tx.execute(*locks.hold(locks.rule(project, rule)))
    await tx.execute("SELECT FROM rule_runs WHERE project_id = %s AND id = %s FOR UPDATE", key)
    before = await read_rule_run(tx, project, number)
    if before.state == RunState.REVERSED:
        return before
    if before.state not in list_run_states_before(RunTrigger.REVERSE):
        raise Conflict(f"The rule run is {before.state}; only a complete one is reversed.")
    await tx.execute(
        "UPDATE rule_runs SET state = %s, reversed_at = now() WHERE project_id = %s AND id = %s",
        (RunState.REVERSED, *key),
    )
    await undo_rule(tx, actor, project, rule, number)
    await take_back_approvals(tx, project, rule)
    after = await read_rule_run(tx, project, number)
    changes.record(
        tx, actor, action="rule_run.reverse", target=str(number), project_id=project,
        before=before, after=after,
    )  # fmt: skip
    return after


ROUTES = [list_rule_runs, start_rule_run, get_rule_run, reverse_rule_run]
