"""The worker: carries out queued tasks, any number of them beside one another.

Each attempt at a task raises its fence first. A refusal of ours ends the task as failed, because trying
again would end the same way; anything else is tried again, up to the limit. What a worker does beside tasks
stands in `rounds.py`.
"""

import asyncio
import math
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from typing import Any, Final

import structlog
from procrastinate import App, PsycopgConnector, RetryStrategy
from psycopg import Error
from psycopg_pool import PoolTimeout

from weighbridge import rounds
from weighbridge import settings as settings_module
from weighbridge import tracing as spans
from weighbridge.accounting.batch_generations import generate_batches
from weighbridge.accounting.batches import run_batch_deletion
from weighbridge.collection.evidence_files import open_store
from weighbridge.contents import EXPORTED
from weighbridge.core.platform.tasks import ATTEMPTS_MAX, TaskState
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.unit import parse_unit
from weighbridge.db.connections import of_primary
from weighbridge.db.engine import Database
from weighbridge.errors import Invalid, Refusal, mistake, new_reference
from weighbridge.exchange.data_feed_uploads.tasks import Feeder
from weighbridge.exchange.exports import Exporter
from weighbridge.http import wire
from weighbridge.http.outgoing import CallReach
from weighbridge.platform import async_tasks as actions
from weighbridge.platform.async_tasks import Attempt, AttemptSupersededError
from weighbridge.platform.queue import JOB, QUEUE, FairJobManager, keep_working, told_to_stop
from weighbridge.quality.evaluation.incremental import catch_up
from weighbridge.quality.rule_runs import run_rule
from weighbridge.reporting.bundle.storage import Bundler
from weighbridge.reporting.reports_queries import report_numbered
from weighbridge.reporting.reports_tasks import Submitter
from weighbridge.sandbox.sandbox import prepared_sandboxes
from weighbridge.settings import Settings
from weighbridge.supervisor.process import beating, known_as
from weighbridge.tracing import traced

log = structlog.get_logger()


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
    return Submitter(store, CallReach.of(settings.outgoing_networks), bundler(settings))


async def submit(database: Database, attempt: Attempt) -> None:
    """Make the bundle of the report that a task names, and send the report off."""
    await submitter(settings_module.read()).submit(database, attempt)


Task = Callable[[Database, Attempt], Coroutine[Any, Any, None]]

TASKS: Final[Mapping[str, Task]] = {
    "batch_generation": generate,
    "batch_deletion": run_batch_deletion,
    "rule_run": run_rule,
    "export": export,
    "report_submission": submit,
    "report_bundle": bundle,
    "data_feed_upload": feed,
}
"""What each type of task does. A task publishes its effect and its success in one fenced transaction."""

CANCELLED_SECONDS: Final = 0.5
"""How often a worker asks whether a task at work was cancelled."""

LOOK_SECONDS: Final = 1.0
"""How often a worker looks for jobs that nobody announces: those that waited for a lock or for their time."""


async def run() -> None:
    """Work until SIGTERM or SIGINT, then finish what is in hand."""
    settings = settings_module.read()
    assert settings.database_url is not None, "the caller gives the worker a database"  # noqa: S101
    parse_unit("kg")  # the first unit makes the table of all, which no task should wait for
    tracing = traced(known_as("worker"), settings.traces_url, settings.traces_percent)
    opened = Database(
        settings.database_url,
        connections_max=settings.worker_concurrency * 3 + 1,
        idle_timeout_seconds=max(1, settings.lease_seconds // 2),
        session_url=settings.session_database_url,
    )
    async with tracing, opened as database, told_to_stop() as stopping:
        await work(database, settings, stopping)


async def work(database: Database, settings: Settings, stopping: asyncio.Event) -> None:
    """Work on an open database until the event is set."""
    app = App(connector=PsycopgConnector(conninfo=of_primary(database.session_url or database.url)))

    @app.task(
        name=JOB,
        queue=QUEUE,
        retry=RetryStrategy(max_attempts=ATTEMPTS_MAX, exponential_wait=2, retry_exceptions=[Exception]),
    )
    async def attempt(*, task_id: int, traceparent: str | None = None) -> None:
        await attempt_task(database, task_id, seconds=settings.task_seconds, queued_by=traceparent)

    async def work_on_queue() -> None:
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

    app.job_manager = FairJobManager(app.connector, stopping)
    async with app.open_async(), beating():
        tasks = rounds.beside(database, settings, submitter(settings))
        try:
            with prepared_sandboxes():
                await keep_working(work_on_queue, stopping)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)


async def attempt_task(
    database: Database,
    task_id: int,
    *,
    seconds: float = math.inf,
    tasks: Mapping[str, Task] | None = None,
    queued_by: str | None = None,
) -> None:
    """Make one attempt at a task, which may take so many seconds; `queued_by` is the span of the request."""
    async with database.write() as tx:
        attempt = await actions.begin_attempt(tx, task_id)
    if attempt is None:
        return
    try:
        try:
            work = (tasks or TASKS)[attempt.type](database, attempt)
            with spans.task_span(attempt, queued_by):
                await watched(database, attempt, work, seconds=seconds)
        except Refusal as refusal:
            message = " ".join(problem.message for problem in refusal.problems)
            async with database.write() as tx:
                await actions.lock_current_attempt(tx, attempt)
                await actions.fail(tx, task_id, message)
    except AttemptSupersededError:
        log.warning("attempt_overtaken", task_id=task_id, attempt=attempt.number)
    except Exception:
        reference = new_reference()
        log.exception("attempt_failed", task_id=task_id, attempt=attempt.number, reference=reference)
        if attempt.number >= ATTEMPTS_MAX:
            async with database.write() as tx:
                await actions.fail(tx, task_id, f"The task failed {ATTEMPTS_MAX} times: {mistake(reference)}")
            return
        raise


async def watched(
    database: Database, attempt: Attempt, work: Coroutine[Any, Any, None], *, seconds: float
) -> None:
    """Do the work; raise Overtaken when the task is cancelled meanwhile, Invalid after so many seconds.

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
