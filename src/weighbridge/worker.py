"""The worker: carries out queued tasks of every type, any number of workers beside one another.

An attempt at a task is fenced and watched. A refusal of ours ends a task as failed, because trying again
would end the same way; anything else is tried again, up to the limit. `TASKS` says what each type of task
does; an import (`commands/importing/direct.py`) is a worker for the uploads of one data feed. What a worker
does besides tasks is in `rounds.py`.

Invariant: each attempt raises its fence first, so one that was overtaken or cancelled publishes nothing.
"""

import asyncio
import math
import time
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

import structlog
from procrastinate import App, PsycopgConnector, RetryStrategy
from procrastinate.exceptions import ConnectorException
from psycopg import Error
from psycopg_pool import PoolTimeout

from weighbridge import rounds, tracing
from weighbridge import settings as settings_module
from weighbridge.accounting.batch_generations import generate_batches
from weighbridge.accounting.batches import run_batch_deletion
from weighbridge.accounting.uncertainty_runs_tasks import run_trials
from weighbridge.collection.evidence_files import open_store
from weighbridge.contents import EXPORTED
from weighbridge.core.platform.cell import FIRST, Cell
from weighbridge.core.platform.tasks import ATTEMPTS_MAX, TaskState
from weighbridge.core.problem import Problem
from weighbridge.core.unit import parse_unit
from weighbridge.db.cell_creation import url_in_schema
from weighbridge.db.cells import LOOK_SECONDS as CELLS_SECONDS
from weighbridge.db.cells import Cells
from weighbridge.db.engine import Database, primary_conninfo
from weighbridge.db.pool import PATIENCE_SECONDS, ReachablePool
from weighbridge.errors import Invalid, Refusal, mistake, new_reference
from weighbridge.exchange.data_feed_uploads_tasks import Feeder
from weighbridge.exchange.exports import Exporter
from weighbridge.garbage import look_rarely, look_when_started
from weighbridge.http import wire
from weighbridge.http.outgoing import CallReach
from weighbridge.platform import async_tasks
from weighbridge.platform.async_tasks import JOB, QUEUE, Attempt, AttemptSupersededError
from weighbridge.platform.queue import FairJobManager, JobPlaces, keep_working, recover, stop_on_signal
from weighbridge.platform.secret_keys import SecretKeys
from weighbridge.quality.evaluation.incremental import catch_up
from weighbridge.quality.rule_runs import run_rule
from weighbridge.reporting.bundle.storage import Bundler
from weighbridge.reporting.isometric.catalogue import CatalogueReader
from weighbridge.reporting.reports_queries import report_numbered
from weighbridge.reporting.reports_tasks import Submitter
from weighbridge.sandbox.sandbox import prepare_sandboxes
from weighbridge.settings import Settings
from weighbridge.shifts import ASK_SECONDS, Shifts
from weighbridge.supervisor import logs
from weighbridge.supervisor.process import OF_WORKER, beating, die_with_supervisor, known_as, stand_back
from weighbridge.tracing import trace_process

log = structlog.get_logger()

Task = Callable[[Database, Attempt], Coroutine[Any, Any, None]]

CANCELLED_SECONDS: Final = 0.5
"""How often a worker asks whether a task at work was cancelled."""

LOOK_SECONDS: Final = 1.0
"""How often a worker looks for jobs that nobody announces: those that waited for a lock or for their time."""


async def work_on_lock(
    database: Database,
    settings: Settings,
    lock: str,
    *,
    tasks: Mapping[str, Task],
    until: Callable[[], Coroutine[Any, Any, bool]],
    abandon: Callable[[], Coroutine[Any, Any, None]],
    look_seconds: float,
) -> None:
    """Work on the tasks that share a lock, as a worker beside any others, until it is asked no more for that.

    `until` is asked every so often. Tasks of workers that have died are queued again meanwhile. On an
    interruption `abandon` cancels what nobody waits for any more, before the work at hand is waited for.
    """
    app = build_app(database, settings, stopping := asyncio.Event(), tasks, lock=lock)
    async with app.open_async():
        working = asyncio.create_task(keep_working(partial(_work_on_queue, app, settings), stopping))
        try:
            recovered = -math.inf
            while not await until():
                if (now := time.monotonic()) - recovered > settings.lease_seconds / 3:
                    recovered = now
                    async with database.write() as tx:
                        await recover(tx, settings.lease_seconds)
                await asyncio.wait([working], timeout=look_seconds)
        except BaseException:
            await abandon()
            raise
        finally:
            stopping.set()
            await asyncio.wait([working])


def build_app(
    database: Database,
    settings: Settings,
    stopping: asyncio.Event,
    tasks: Mapping[str, Task],
    *,
    lock: str | None = None,
    places: JobPlaces | None = None,
) -> App:
    """Build the queue's application, which works on all jobs of a cell or on those with a lock."""
    url = primary_conninfo(database.session_url or database.url)
    kept: dict[str, Any] = {"patience_seconds": PATIENCE_SECONDS if database.node is None else 0}
    if database.schema is not None:  # the URL leads to the node that the cell lies on
        url, kept = url_in_schema(url, database.schema), {**kept, "min_size": 1}
    connector = PsycopgConnector(pool_factory=ReachablePool, conninfo=url, **kept)
    app = App(connector=connector)

    @app.task(
        name=JOB,
        queue=QUEUE,
        retry=RetryStrategy(max_attempts=ATTEMPTS_MAX, exponential_wait=2, retry_exceptions=[Exception]),
    )
    async def attempt(*, task_id: int, traceparent: str | None = None) -> None:
        seconds = settings.task_seconds
        await attempt_task(database, task_id, tasks=tasks, seconds=seconds, queued_by=traceparent)

    app.job_manager = FairJobManager(connector, stopping, lock, places)
    return app


async def _work_on_queue(app: App, settings: Settings) -> None:
    await app.run_worker_async(
        queues=[QUEUE],
        concurrency=settings.worker_concurrency,
        fetch_job_polling_interval=LOOK_SECONDS,
        update_heartbeat_interval=settings.lease_seconds / 3,
        stalled_worker_timeout=settings.lease_seconds,
        shutdown_graceful_timeout=settings.shutdown_seconds,
        delete_jobs="successful",
        install_signal_handlers=False,
    )


async def attempt_task(
    database: Database,
    task_id: int,
    *,
    tasks: Mapping[str, Task] | None = None,
    seconds: float = math.inf,
    queued_by: str | None = None,
) -> None:
    """Make one attempt at a task, of any type unless `tasks` are given; it may take so many seconds.

    `queued_by` is the span of the request.
    """
    async with database.write() as tx:
        attempt = await async_tasks.begin_attempt(tx, task_id)
    if attempt is None:
        return
    try:
        try:
            work = (tasks or TASKS)[attempt.type](database, attempt)
            with tracing.task_span(attempt, queued_by):
                await watch_work(database, attempt, work, seconds=seconds)
        except Refusal as refusal:
            message = " ".join(problem.message for problem in refusal.problems)
            async with database.write() as tx:
                await async_tasks.lock_current_attempt(tx, attempt)
                await async_tasks.fail_task(tx, task_id, message)
    except AttemptSupersededError:
        log.warning("attempt_overtaken", task_id=task_id, attempt=attempt.number)
    except Exception:
        reference = new_reference()
        log.exception("attempt_failed", task_id=task_id, attempt=attempt.number, reference=reference)
        if attempt.number >= ATTEMPTS_MAX:
            async with database.write() as tx:
                await async_tasks.fail_task(
                    tx, task_id, f"The task failed {ATTEMPTS_MAX} times: {mistake(reference)}"
                )
            return
        raise


async def watch_work(
    database: Database, attempt: Attempt, work: Coroutine[Any, Any, None], *, seconds: float
) -> None:
    """Do the work; AttemptSupersededError when it is cancelled meanwhile, Invalid after so many seconds.

    When this ends, the work has ended and its transaction with it. A thread that computes cannot be stopped;
    it ends by itself, and nobody hears of it.
    """
    working = asyncio.create_task(work)
    clock = asyncio.get_running_loop().time
    deadline = clock() + seconds
    try:
        while (left := deadline - clock()) > 0:
            done, _ = await asyncio.wait([working], timeout=min(CANCELLED_SECONDS, left))
            if done:
                return working.result()
            if await _is_given_up(database, attempt):
                raise AttemptSupersededError
        raise Invalid([Problem(f"The task was at work for {seconds:,} seconds, which is all it may.")])
    finally:
        if not working.done():
            working.cancel()
            await asyncio.wait([working])


async def _is_given_up(database: Database, attempt: Attempt) -> bool:
    """Whether the task has failed while it was worked on; not while the database cannot tell."""
    with suppress(Error, PoolTimeout):
        statement = "SELECT FROM async_tasks WHERE id = %s AND state = %s"
        return await database.single(statement, (attempt.task_id, TaskState.FAILED)) is not None
    return False


async def generate(database: Database, attempt: Attempt) -> None:
    """Let rules that correct look at what changed, then make the batches that a task asks for."""
    for failure in await catch_up(database, attempt.actor.account_id, attempt.project_id):
        rounds.log_failure(failure)
    await generate_batches(database, attempt)


def exporter(settings: Settings) -> Exporter:
    """What makes files of lists, with the lists and the store of the service."""
    store = open_store(settings.evidence_url, settings.data_dir)
    return Exporter(EXPORTED, store, wire.encoder(settings.address), settings)


def feeder(settings: Settings) -> Feeder:
    """What stores the files of data feeds, with the store of the service."""
    return Feeder(open_store(settings.evidence_url, settings.data_dir))


async def feed(database: Database, attempt: Attempt) -> None:
    """Store the file that a task asks for."""
    await feeder(settings_module.read()).take_in(database, attempt)


async def export(database: Database, attempt: Attempt) -> None:
    """Make the file that a task asks for."""
    await exporter(settings_module.read()).make(database, attempt)


def bundler(settings: Settings) -> Bundler:
    """What makes the proof bundles of reports, with the store of the service."""
    store = open_store(settings.evidence_url, settings.data_dir)
    return Bundler(store, settings, report_numbered)


async def bundle(database: Database, attempt: Attempt) -> None:
    """Make the proof bundle that a task asks for."""
    await bundler(settings_module.read()).make(database, attempt)


def submitter(settings: Settings) -> Submitter:
    """What sends reports off, with the store of the service and the networks that it may call."""
    store = open_store(settings.evidence_url, settings.data_dir)
    reach = CallReach.of(settings.outgoing_networks)
    return Submitter(store, reach, bundler(settings), address=settings.address)


async def submit(database: Database, attempt: Attempt) -> None:
    """Make the bundle of the report that a task names, and send the report off."""
    await submitter(settings_module.read()).submit(database, attempt)


async def tell(database: Database, attempt: Attempt) -> None:
    """Tell a registry what became of a claim that it has."""
    await submitter(settings_module.read()).tell(database, attempt)


def catalogue_reader(settings: Settings) -> CatalogueReader:
    """What reads what registries have, with the networks that it may call."""
    return CatalogueReader(CallReach.of(settings.outgoing_networks), asyncio.sleep)


async def read_catalogue(database: Database, attempt: Attempt) -> None:
    """Read what the registry of a task has."""
    await catalogue_reader(settings_module.read()).read(database, attempt)


TASKS: Final[Mapping[str, Task]] = {
    "batch_generation": generate,
    "batch_deletion": run_batch_deletion,
    "uncertainty_run": run_trials,
    "rule_run": run_rule,
    "export": export,
    "report_submission": submit,
    "report_bundle": bundle,
    "report_notice": tell,
    "registry_catalogue": read_catalogue,
    "data_feed_upload": feed,
}
"""What each type of task does. A task publishes its effect and its success in one fenced transaction."""


def main() -> None:
    """Work for the supervisor that has started this process, until a signal comes."""
    die_with_supervisor()
    look_when_started()
    logs.configure(settings_module.read())
    look_rarely()
    stand_back(OF_WORKER)
    asyncio.run(run())


async def run() -> None:
    """Work until SIGTERM or SIGINT, then finish what is in hand."""
    settings = settings_module.read()
    assert settings.database_url is not None, "the caller gives the worker a database"  # noqa: S101
    parse_unit("kg")  # the first unit makes the table of all, which no task should wait for
    traces = trace_process(known_as("worker"), settings.traces_url, settings.traces_percent)
    keys = SecretKeys.of(settings)
    keys.load_if_there()
    opened = Database(
        settings.database_url,
        connections_max=settings.worker_concurrency * 3 + 1,
        idle_timeout_seconds=max(1, settings.lease_seconds // 2),
        session_url=settings.session_database_url,
        encryption=keys,
    )
    async with traces, opened as database, stop_on_signal() as stopping:
        await work(database, settings, stopping)


async def work(database: Database, settings: Settings, stopping: asyncio.Event) -> None:
    """Work on an open database until the event is set: in every cell, and in those that are added meanwhile.

    The cells share the places of this worker; who comes first is chosen within each of them. `Shifts` says
    in which cells it is at work.
    """
    cells, places = Cells(database), JobPlaces(settings.worker_concurrency)
    start = partial(rounds.start_rounds, cells=cells, tidied={})

    async def work_in_cell(cell: Cell, ending: asyncio.Event) -> None:
        await _work_in_cell(database.in_cell(cell), settings, ending, places, start)

    witness_seconds = settings.audit_witness_seconds if settings.audit_witnesses else None
    shifts = Shifts(database, work_in_cell, witness_seconds=witness_seconds)
    known: Sequence[Cell] = (FIRST,)
    async with beating():
        with prepare_sandboxes():
            try:
                while not stopping.is_set():
                    await shifts.update(known)
                    seconds = ASK_SECONDS if len(known) > 1 else CELLS_SECONDS
                    await _wait_for_any(stopping, shifts.tasks, seconds)
                    with suppress(Error, PoolTimeout):
                        known = await cells.list()
            finally:
                await shifts.end()


async def _wait_for_any(
    stopping: asyncio.Event, working: Collection[asyncio.Task[None]], seconds: float
) -> None:
    """Wait until the worker is to stop, or the work in a cell ends; so many seconds at most."""
    stop = asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait([stop, *working], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stop.cancel()


StartRounds = Callable[[Database, Settings, Submitter], list[asyncio.Task[None]]]
"""Begins what a worker does in a cell besides tasks."""


async def _work_in_cell(
    database: Database, settings: Settings, stopping: asyncio.Event, places: JobPlaces, start: StartRounds
) -> None:
    """Work in a cell until the event is set, whether or not its server is there when this begins."""
    while not stopping.is_set():
        try:
            await _work_while_reached(database, settings, stopping, places, start)
        except (Error, ConnectorException) as error:
            log.warning("cell_not_reached", schema=database.schema, reason=str(error).strip())
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await stopping.wait()


async def _work_while_reached(
    database: Database, settings: Settings, stopping: asyncio.Event, places: JobPlaces, start: StartRounds
) -> None:
    app = build_app(database, settings, stopping, TASKS, places=places)
    async with app.open_async():
        beside = start(database, settings, submitter(settings))
        try:
            await keep_working(partial(_work_on_queue, app, settings), stopping)
        finally:
            for task in beside:
                task.cancel()
            await asyncio.wait(beside)


if __name__ == "__main__":
    main()
