"""Uncertainty runs: Monte Carlo trials of the run of a batch, or of what a report holds (JCGM 101).

A task repeats the run, and every run that it draws from, over values that are drawn anew in each trial.
States: those of the task. Permission: production accounting.

Invariants: the same seed has the same result, with any number of workers and after any number of attempts; no
trial changes a posted amount. A run keeps what it was asked of, so it can be seen whether that is current.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, Final, LiteralString, NamedTuple

from psycopg.sql import SQL

from weighbridge.accounting.inputs.posted_chain import ChainSubject
from weighbridge.accounting.records.uncertainty_runs import (
    ARITHMETIC,
    RUN_SEED_MAX,
    RUN_TRIALS_MAX,
    RUN_TRIALS_MIN,
    SIGNIFICANT_DIGITS,
    UNFINISHED_MAX,
    FirstOrderResult,
    NewUncertaintyRun,
    NewUncertaintyRunBody,
    StartedUncertaintyRun,
    TrialDifferences,
    TrialHistogram,
    TrialInterval,
    TrialResult,
    UncertaintyRun,
)
from weighbridge.core import identity
from weighbridge.core.number import EXACT, exact_total, plain
from weighbridge.core.platform.permission import Actor
from weighbridge.core.platform.tasks import TaskState
from weighbridge.core.problem import Problem
from weighbridge.core.uncertainty.effects import COVERAGE_PROBABILITY
from weighbridge.db import locks
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import (
    Filter,
    Index,
    Listing,
    Page,
    Source,
    among,
    list_request,
    read_page,
)
from weighbridge.db.row import Column, row_of, unless_null
from weighbridge.db.statements import Literal
from weighbridge.errors import Invalid, TooManyRequests
from weighbridge.http.endpoints.endpoint import Answer, ReadCall, WriteCall, get, post
from weighbridge.platform import changes
from weighbridge.platform.async_tasks import TASKS_RETRY_SECONDS, poll, queue_task
from weighbridge.platform.tenancy import find, key_named, need, of_key, plain_key_named

TASK: Final = "uncertainty_run"
"""The kind of the task."""

# Read uncertainty runs.


_STATE: Final = "(SELECT t.state FROM async_tasks t WHERE t.id = u.async_task_id)"
"""Of its task; a filter reads rows before they are joined."""

UNCERTAINTY_RUNS: Final = Listing(
    sorts={"id": "u.id", "created_at": "u.created_at"},
    default_sort="-id",
    key=("u.id",),
    filters={"state": Filter(_STATE, among(TaskState), ", ".join(TaskState))},
    indexes=(Index("id"),),
)

_JOINED: Final = "JOIN async_tasks t ON t.id = u.async_task_id"
_SOURCE: Final = f"uncertainty_runs u {_JOINED}"

_HELD: Final = """
    (SELECT string_agg(concat_ws(' ', i.batch_id, i.amount, g.factor), ',' ORDER BY i.batch_id)
       FROM report_batches i JOIN batches held ON (held.project_id, held.id) = (i.project_id, i.batch_id)
       LEFT JOIN report_ledgers g
              ON (g.project_id, g.report_id, g.ledger_id) = (i.project_id, i.report_id, held.ledger_id)
      WHERE (i.project_id, i.report_id) = ({project}, {report}))
"""
"""What a report holds, as a text that changes with it; of several ledgers with what each counts for."""

_IS_CURRENT: Final[LiteralString] = f"""
    (u.held IS NOT DISTINCT FROM CASE WHEN u.report_id IS NOT NULL
                                 THEN {_HELD.format(project="u.project_id", report="u.report_id")} END
     AND NOT EXISTS (
        SELECT FROM batches b
         WHERE b.project_id = u.project_id AND b.id = ANY (u.batches)
           AND (b.deleted_at IS NOT NULL OR EXISTS (
                SELECT FROM batches later
                 WHERE (later.project_id, later.run_id, later.ledger_id)
                     = (b.project_id, b.run_id, b.ledger_id)
                   AND later.id > b.id AND later.deleted_at IS NULL))))
"""

_TRIALS_DONE: Final = """
    CASE WHEN u.result IS NOT NULL THEN u.trials ELSE coalesce((
        SELECT sum(octet_length(k.results) / 8) FROM uncertainty_run_blocks k
         WHERE (k.project_id, k.run_id) = (u.project_id, u.id)), 0)::integer END
"""


def _of_result(name: str, build: Any) -> Column:
    """A part of the result; null while there is none."""
    return Column(name, f"u.result -> '{name}'", unless_null(build))


def _build_interval(ends: Mapping[str, str]) -> TrialInterval:
    return TrialInterval(Decimal(ends["low"]), Decimal(ends["high"]))


def _build_numbers(record: Any, numbers: Mapping[str, str]) -> Any:
    return record(**{name: Decimal(number) for name, number in numbers.items()})


def _build_histogram(written: Mapping[str, Any]) -> TrialHistogram:
    return TrialHistogram([Decimal(edge) for edge in written["edges"]], list(written["counts"]))


UNCERTAINTY_RUN: Final = row_of(
    UncertaintyRun,
    Column("id", ("u.project_id", "u.id"), partial(identity.of, "uncertainty_run")),
    Column("project_id", "u.project_id", partial(identity.of, "project")),
    Column("batch_id", ("u.project_id", "u.batch_id"), unless_null(partial(identity.of, "batch"))),
    Column("report_id", ("u.project_id", "u.report_id"), unless_null(partial(identity.of, "report"))),
    Column("state", "t.state"),
    Column("error_message", "t.error_message"),
    Column("trials", "u.trials"),
    Column("trials_done", _TRIALS_DONE),
    Column("seed", "u.seed"),
    Column("coverage_probability", "u.coverage_probability"),
    Column("inputs_sha256", "encode(u.inputs_sha256, 'hex')"),
    Column("is_current", _IS_CURRENT),
    Column("unit", "u.unit"),
    Column("estimate", "u.estimate"),
    _of_result("mean", Decimal),
    _of_result("standard_uncertainty", Decimal),
    _of_result("symmetric_interval", _build_interval),
    _of_result("shortest_interval", _build_interval),
    _of_result("first_order", partial(_build_numbers, FirstOrderResult)),
    _of_result("differences", partial(_build_numbers, TrialDifferences)),
    _of_result("is_first_order_valid", unless_null(bool)),
    _of_result("trials_without_result", int),
    _of_result("histogram", _build_histogram),
    Column("significant_digits", (), lambda: SIGNIFICANT_DIGITS),
    Column("arithmetic", (), lambda: ARITHMETIC),
    Column("async_task_id", "u.async_task_id"),
    Column("created_at", "u.created_at"),
    Column("finished_at", "t.finished_at"),
)


async def read_uncertainty_run(tx: Read, actor: Actor, friendly: str) -> UncertaintyRun:
    """One run of the actor's account."""
    key = plain_key_named("uncertainty_run", friendly)
    mine = of_key(actor, "u.project_id", "u.id")
    return await find(tx, UNCERTAINTY_RUN, _SOURCE, mine, (key.project, key.key))


async def read_newest_result(tx: Read, report: identity.Key) -> UncertaintyRun | None:
    """The newest run of a report that came to its end; None where there is none."""
    newest = SQL("u.project_id = %s AND u.id = ({})").format(SQL(_NEWEST_WITH_RESULT))
    statement = SQL("SELECT {} FROM {} WHERE {}").format(SQL(UNCERTAINTY_RUN.columns), SQL(_SOURCE), newest)
    return await tx.row(UNCERTAINTY_RUN.make, statement, (report.project, report.project, report.key))


_NEWEST_WITH_RESULT: Final = """
    SELECT max(r.id) FROM uncertainty_runs r
     WHERE r.project_id = %s AND r.report_id = %s AND r.result IS NOT NULL
"""


async def _list_runs(call: ReadCall, column: LiteralString, key: identity.Key) -> Page[UncertaintyRun]:
    of_record = SQL("u.project_id = {} AND {} = {}").format(
        Literal(key.project), SQL(column), Literal(key.key)
    )
    request = list_request(call.query, UNCERTAINTY_RUNS)
    source = Source("uncertainty_runs u", "u.*", _JOINED)
    return await read_page(
        call.tx, UNCERTAINTY_RUN, UNCERTAINTY_RUNS, request, source=source, where=[of_record]
    )


# What is asked of: the runs that count, each with its newest batch.


class _Counted(NamedTuple):
    """A batch that counts, and the run behind it as it is now."""

    batch: int
    amount: Decimal | None
    """How much a report holds of it, with its sign and in the unit of the report; None where its run counts
    as a whole."""
    newest: int | None
    """The newest batch of its run; None for an instrument."""
    total: Decimal
    """What the run comes to."""
    unit: str
    probability: Decimal | None
    """The coverage probability that its model asks for; None where it does not ask for uncertainty."""


class _RunsAsked(NamedTuple):
    """What trials are asked of."""

    project: int
    batch: int | None
    report: int | None
    held: str | None
    counted: Sequence[_Counted]
    unit: str

    @property
    def target(self) -> str:
        """The friendly id of the batch or the report."""
        if self.batch is not None:
            return identity.of("batch", self.project, self.batch)
        return identity.of("report", self.project, self.report or 0)

    @property
    def repeated(self) -> list[ChainSubject]:
        """The runs that are repeated."""
        return [
            ChainSubject(one.newest, one.total if one.amount is None else one.amount, one.total)
            for one in self.counted
            if _is_repeated(one) and one.newest is not None
        ]

    @property
    def certain(self) -> Decimal:
        """What counts without being repeated."""
        return exact_total(one.amount or Decimal(0) for one in self.counted if not _is_repeated(one))


def _is_repeated(one: _Counted) -> bool:
    """Whether a run is repeated: its model asks for uncertainty, and a part of it can be taken."""
    return one.probability is not None and bool(one.total or one.amount is None)


async def _ask_of_batch(tx: Read, actor: Actor, friendly: str) -> _RunsAsked:
    """The run of a batch; Invalid with why it cannot be repeated."""
    key = key_named("batch", friendly)
    await need(
        tx, "batches b", SQL("{} AND b.deleted_at IS NULL").format(of_key(actor, "b.project_id", "b.id")),
        (key.project, key.key), ("batch", friendly),
    )  # fmt: skip
    [one] = await _read_counted(tx, key.project, [(key.key, None)])
    if one.newest is None:
        message = (
            f"The batch {friendly} was entered by hand as an instrument: no run of a model made it, so there"
            " is none to repeat."
        )
        raise Invalid([Problem(message, "batch_id", "no_run")])
    if one.probability is None:
        message = (
            f"The model of the batch {friendly} does not ask for uncertainty: its document has no key"
            " `uncertainty`, so there is nothing to draw from. Add the key, and generate the batch again."
        )
        raise Invalid([Problem(message, "batch_id", "not_uncertain")])
    return _RunsAsked(key.project, key.key, None, None, [one], one.unit)


async def _ask_of_report(tx: Read, actor: Actor, friendly: str) -> _RunsAsked:
    """The runs that a report holds something of; Invalid with why they cannot be repeated."""
    key = await _find_report(tx, actor, friendly)
    held: str | None = await tx.value(
        f"SELECT {_HELD.format(project='%s', report='%s')}",
        (key.project, key.key),
    )
    amounts = [
        (int(batch), EXACT.multiply(Decimal(amount), Decimal(factor[0])) if factor else Decimal(amount))
        for batch, amount, *factor in _read_held(held)
    ]
    counted = await _read_counted(tx, key.project, amounts)
    unit: str | None = await tx.value(_UNIT, (key.project, key.key))
    asked = _RunsAsked(key.project, None, key.key, held, counted, unit or "")
    if not asked.repeated:
        message = (
            f"The report {friendly} holds no batch whose model asks for uncertainty, so there is no run to"
            " repeat."
        )
        raise Invalid([Problem(message, "report_id", "not_uncertain")])
    return asked


def _read_held(held: str | None) -> list[list[str]]:
    return [] if held is None else [part.split(" ") for part in held.split(",")]


async def _find_report(tx: Read, actor: Actor, friendly: str) -> identity.Key:
    key = key_named("report", friendly)
    mine = of_key(actor, "project_id", "id")
    await need(tx, "reports", mine, (key.project, key.key), ("report", friendly))
    return key


async def _read_counted(
    tx: Read, project: int, amounts: Sequence[tuple[int, Decimal | None]]
) -> list[_Counted]:
    rows = await tx.tuples(
        _COUNTED, ([batch for batch, _ in amounts], [amount for _, amount in amounts], project)
    )
    return [_Counted(*row) for row in rows]


_UNIT: Final = """
    SELECT l.unit FROM reports r JOIN ledgers l ON (l.project_id, l.id) = (r.project_id, r.ledger_id)
     WHERE r.project_id = %s AND r.id = %s
"""

_COUNTED: Final = """
    SELECT b.id, asked.amount, newest.id, coalesce(newest.total, b.total), l.unit,
           (c.uncertainty ->> 'coverage_probability')::numeric
      FROM unnest(%s::bigint[], %s::numeric[]) AS asked (batch_id, amount)
      JOIN batches b ON (b.project_id, b.id) = (%s, asked.batch_id)
      JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
      LEFT JOIN LATERAL (
            SELECT n.id, n.total FROM batches n
             WHERE (n.project_id, n.run_id, n.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
               AND n.deleted_at IS NULL ORDER BY n.id DESC LIMIT 1) AS newest ON true
      LEFT JOIN batch_calculations c
        ON (c.project_id, c.batch_id) = (b.project_id, newest.id) AND c.is_primary
     ORDER BY b.id
"""


# Start trials.


def _check_request(request: NewUncertaintyRun) -> None:
    """Raise Invalid with all that is wrong with how the trials are to be drawn."""
    problems = []
    if not RUN_TRIALS_MIN <= request.trials <= RUN_TRIALS_MAX:
        message = (
            f"uncertainty_run.trials is {request.trials:,}; a run has {RUN_TRIALS_MIN:,} to"
            f" {RUN_TRIALS_MAX:,} trials."
        )
        problems.append(Problem(message, "uncertainty_run.trials", "invalid"))
    if not 0 <= request.seed <= RUN_SEED_MAX:
        message = (
            f"uncertainty_run.seed is {request.seed}; a seed is a whole number from 0 to {RUN_SEED_MAX}."
        )
        problems.append(Problem(message, "uncertainty_run.seed", "invalid"))
    probability = request.coverage_probability
    if probability is not None and not _can_show(probability, request.trials):
        message = (
            f"uncertainty_run.coverage_probability is {plain(probability)}; it is above 0 and below 1, and"
            " leaves some of the trials in the interval and some out."
        )
        problems.append(Problem(message, "uncertainty_run.coverage_probability", "invalid"))
    if problems:
        raise Invalid(problems)


def _can_show(probability: Decimal, trials: int) -> bool:
    """Whether trials have an interval of a coverage probability."""
    return 0 < probability < 1 and 1 <= probability * trials <= trials - 1


async def _refuse_over_limit(tx: Write, actor: Actor) -> None:
    """Raise TooManyRequests while the account has as many unfinished runs as it may have."""
    unfinished: int = await tx.value(
        """
        SELECT count(*) FROM async_tasks
         WHERE account_id = %s AND type = %s AND state IN ('pending', 'running')
        """,
        (actor.account_id, TASK),
    )
    if unfinished >= UNFINISHED_MAX:
        message = (
            f"The account has {unfinished} unfinished uncertainty runs; it may have {UNFINISHED_MAX} at a"
            " time."
        )
        raise TooManyRequests([Problem(message, None, "quota")], retry_after_seconds=TASKS_RETRY_SECONDS)


async def queue_trials(
    tx: Write, actor: Actor, asked: _RunsAsked, request: NewUncertaintyRun
) -> StartedUncertaintyRun:
    """Write down what trials are asked of, and queue them."""
    await _refuse_over_limit(tx, actor)
    number: int = await tx.value("SELECT nextval(pg_get_serial_sequence('uncertainty_runs', 'id'))")
    friendly = identity.of("uncertainty_run", asked.project, number)
    task = await queue_task(
        tx, actor, kind=TASK, project_id=asked.project,
        args={"uncertainty_run_id": friendly, "project_id": asked.project},
        lock=locks.job_of_uncertainty_run(asked.project, number),
    )  # fmt: skip
    repeated = asked.repeated
    probabilities = [one.probability for one in asked.counted if one.probability is not None]
    totals = [one.total if one.amount is None else one.amount for one in asked.counted]
    await tx.execute(
        _INSERT,
        {
            "project": asked.project, "id": number, "batch": asked.batch, "report": asked.report,
            "task": task.id, "trials": request.trials, "seed": request.seed,
            "probability": request.coverage_probability or max(probabilities, default=COVERAGE_PROBABILITY),
            "unit": asked.unit, "estimate": exact_total(totals), "certain": asked.certain,
            "batches": [one.batch for one in repeated], "amounts": [one.amount for one in repeated],
            "totals": [one.total for one in repeated], "held": asked.held,
        },
    )  # fmt: skip
    tx.later(_REMOVE_BLOCKS_OF_ENDED, (asked.project,))
    run = await read_uncertainty_run(tx, actor, friendly)
    changes.record(
        tx, actor, action="uncertainty_run.start", target=friendly, project_id=asked.project, after=run
    )
    return StartedUncertaintyRun(run, task)


_INSERT: Final = """
    INSERT INTO uncertainty_runs (project_id, id, batch_id, report_id, async_task_id, trials, seed,
                                  coverage_probability, unit, estimate, certain, batches, amounts, totals,
                                  held)
    OVERRIDING SYSTEM VALUE
    VALUES (%(project)s, %(id)s, %(batch)s, %(report)s, %(task)s, %(trials)s, %(seed)s, %(probability)s,
            %(unit)s, %(estimate)s, %(certain)s, %(batches)s, %(amounts)s, %(totals)s, %(held)s)
"""

# Those of a task that failed, or was cancelled, lead nowhere; a complete one has removed its own.
_REMOVE_BLOCKS_OF_ENDED: Final = """
    DELETE FROM uncertainty_run_blocks k
     USING uncertainty_runs u JOIN async_tasks t ON t.id = u.async_task_id AND t.state = 'failed'
     WHERE k.project_id = %s AND (k.project_id, k.run_id) = (u.project_id, u.id)
"""


# Paths of uncertainty runs: hung below what they are of, and by their own ids.


_OF_BATCH: Final = "/batches/{batch_id}/uncertainty_runs"
_OF_REPORT: Final = "/reports/{report_id}/uncertainty_runs"
_READ: Final = "production_accounting:read"
_WRITE: Final = "production_accounting:write"
_EXAMPLE: Final[dict[str, Any]] = {"uncertainty_run": {"trials": 100_000, "seed": 0}}


def _accept(started: StartedUncertaintyRun) -> Answer:
    return Answer(started, poll(started.async_task))


@get(_OF_BATCH, permission=_READ, returns=Page[UncertaintyRun], listing=UNCERTAINTY_RUNS)
async def list_batch_uncertainty_runs(call: ReadCall) -> Page[UncertaintyRun]:
    """List the uncertainty runs of a batch, newest first."""
    key = key_named("batch", call.path["batch_id"])
    mine = SQL("{} AND b.deleted_at IS NULL").format(of_key(call.actor, "b.project_id", "b.id"))
    await need(call.tx, "batches b", mine, (key.project, key.key), ("batch", call.path["batch_id"]))
    return await _list_runs(call, "u.batch_id", key)


@post(
    _OF_BATCH,
    permission=_WRITE,
    body=NewUncertaintyRunBody,
    returns=StartedUncertaintyRun,
    status=202,
    task_results={TASK: TrialResult},
    example=_EXAMPLE,
)
async def start_batch_uncertainty_run(call: WriteCall, body: NewUncertaintyRunBody) -> Answer:
    """Start Monte Carlo trials of the run of a batch; poll the task in the answer.

    The run as it is now is repeated, and every run that it draws from, with values that are drawn anew. What
    runs share is drawn once. 422 when the model does not ask for uncertainty; 429 while the account has four
    unfinished ones.
    """
    _check_request(body.uncertainty_run)
    asked = await _ask_of_batch(call.tx, call.actor, call.path["batch_id"])
    return _accept(await queue_trials(call.tx, call.actor, asked, body.uncertainty_run))


@get(_OF_REPORT, permission=_READ, returns=Page[UncertaintyRun], listing=UNCERTAINTY_RUNS)
async def list_report_uncertainty_runs(call: ReadCall) -> Page[UncertaintyRun]:
    """List the uncertainty runs of a report, newest first."""
    key = await _find_report(call.tx, call.actor, call.path["report_id"])
    return await _list_runs(call, "u.report_id", key)


@post(
    _OF_REPORT,
    permission=_WRITE,
    body=NewUncertaintyRunBody,
    returns=StartedUncertaintyRun,
    status=202,
    task_results={TASK: TrialResult},
    example=_EXAMPLE,
)
async def start_report_uncertainty_run(call: WriteCall, body: NewUncertaintyRunBody) -> Answer:
    """Start Monte Carlo trials of what a report holds in all; poll the task in the answer.

    Batches whose models do not ask for uncertainty, and instruments, count as certain. 422 when all do; 429
    while the account has four unfinished ones.
    """
    _check_request(body.uncertainty_run)
    asked = await _ask_of_report(call.tx, call.actor, call.path["report_id"])
    return _accept(await queue_trials(call.tx, call.actor, asked, body.uncertainty_run))


@get("/uncertainty_runs/{uncertainty_run_id}", permission=_READ, returns=UncertaintyRun)
async def get_uncertainty_run(call: ReadCall) -> UncertaintyRun:
    """Read one uncertainty run, with its results once the task is complete."""
    return await read_uncertainty_run(call.tx, call.actor, call.path["uncertainty_run_id"])


ROUTES = [
    list_batch_uncertainty_runs,
    start_batch_uncertainty_run,
    list_report_uncertainty_runs,
    start_report_uncertainty_run,
    get_uncertainty_run,
]
