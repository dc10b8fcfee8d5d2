"""The worker: carries out queued tasks, any number of them beside one another.

Each attempt at a task raises its fence first. A refusal of ours ends the task as failed, because trying
again would end the same way; anything else is tried again, up to the limit. Every worker looks for tasks
that no living worker carries out and queues them again, so recovery needs no setting up.
"""

import asyncio
import math
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, Final, cast

import structlog
from procrastinate import App, PsycopgConnector, RetryStrategy
from psycopg import Error
from psycopg_pool import PoolTimeout

from weighbridge import settings as settings_module
from weighbridge.accounting.batch_generations.tasks import generate_batches
from weighbridge.accounting.batches.tasks import delete_batches
from weighbridge.collection.evidence_files.keeping import sweep
from weighbridge.collection.evidence_files.store import open_store
from weighbridge.contents import EXPORTED
from weighbridge.core.platform.task_state import ATTEMPTS_MAX, TaskState
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.unit import parse_unit
from weighbridge.db.engine import Database
from weighbridge.db.hosts.pool import of_primary
from weighbridge.errors import Invalid, Refusal, mistake, new_reference
from weighbridge.exchange.changes.tasks import forget_changes, number_all
from weighbridge.exchange.data_feed_uploads.actions import remove_old_files
from weighbridge.exchange.data_feed_uploads.tasks import Feeder
from weighbridge.exchange.data_feeds.tasks import look_at_places
from weighbridge.exchange.delivering.deliverer import DELIVERING_CONNECTIONS, LANES_MAX, Deliverer
from weighbridge.exchange.delivering.resolving import NameResolver
from weighbridge.exchange.exports.actions import remove_expired
from weighbridge.exchange.exports.tasks import Exporter
from weighbridge.exchange.webhooks.tasks import forget_deliveries
from weighbridge.http import idempotency, wire
from weighbridge.http.outgoing.client import OutgoingClient
from weighbridge.http.outgoing.reach import CallReach
from weighbridge.platform.async_tasks import actions
from weighbridge.platform.async_tasks.actions import Attempt, Overtaken
from weighbridge.platform.audit_log.tasks import seal
from weighbridge.platform.changes.link_uses import tell_uses
from weighbridge.platform.changes.refused_writes import tell_refusals
from weighbridge.platform.queue.jobs import JOB, QUEUE, FairJobManager
from weighbridge.platform.queue.recovery import recover
from weighbridge.platform.queue.working import keep_working, told_to_stop
from weighbridge.quality.evaluation.catching_up import catch_up
from weighbridge.quality.evaluation.incremental import FailedEvaluation
from weighbridge.quality.evaluation.rounds import ACCOUNTS_AT_ONCE, Rounds
from weighbridge.quality.rule_runs.tasks import run_rule
from weighbridge.reporting.bundle.keeping import Bundler
from weighbridge.reporting.reports.queries import report_numbered
from weighbridge.reporting.reports.tasks import Submitter
from weighbridge.settings import Settings
from weighbridge.supervisor.heartbeat import beating, known_as
from weighbridge.tracing import spans
from weighbridge.tracing.sending import traced

log = structlog.get_logger()


async def generate(database: Database, attempt: Attempt) -> None:
    """Let rules that correct look at what changed, then make the batches that a task asks for."""
    for failure in await catch_up(database, attempt.actor.account_id, attempt.project_id):
        _log_failure(failure)
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
    "batch_deletion": delete_batches,
    "rule_run": run_rule,
    "export": export,
    "report_submission": submit,
    "report_bundle": bundle,
    "data_feed_upload": feed,
}
"""What each type of task does. A task publishes its effect and its success in one fenced transaction."""

TIDY_SECONDS: Final = 3600.0
"""How often a worker removes what has outlived its use."""

SEAL_SECONDS: Final = 1.0
"""How often a worker seals the rows of the audit log that were committed since."""

NUMBER_SECONDS: Final = 1.0
"""How often a worker gives changes their numbers that were committed since."""

RULES_SECONDS: Final = 1.0
"""How often a worker looks for data that automatic rules have not evaluated yet."""

REVIEW_SECONDS: Final = 1.0
"""How often a worker looks for reports whose registry is to be asked for its decision."""

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
    async with tracing, opened as database:
        await work(database, settings)


async def work(database: Database, settings: Settings) -> None:
    """Work on an open database."""
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

    app.job_manager = FairJobManager(app.connector)
    async with app.open_async(), beating(), told_to_stop() as stopping:
        beside = [
            asyncio.create_task(_recover(database, settings.lease_seconds)),
            asyncio.create_task(_seal(database)),
            asyncio.create_task(_number_changes(database)),
            asyncio.create_task(_evaluate_rules(database)),
            asyncio.create_task(_deliver(database, settings)),
            asyncio.create_task(_review(database, settings)),
            asyncio.create_task(_tidy(database, settings)),
            asyncio.create_task(_watch(database, settings)),
        ]
        try:
            await keep_working(work_on_queue, stopping)
        finally:
            for task in beside:
                task.cancel()
            await asyncio.wait(beside)


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
                await actions.hold_fence(tx, attempt)
                await actions.fail(tx, task_id, message)
    except Overtaken:
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
                raise Overtaken
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


async def _recover(database: Database, lease_seconds: int) -> None:
    """Queue again what dead workers left, at once and then some times in each lease."""
    while True:
        try:
            async with database.write() as tx:
                for task_id in await recover(tx, lease_seconds):
                    log.warning("task_recovered", task_id=task_id)
        except Exception:
            log.exception("recovery_failed")
        await asyncio.sleep(lease_seconds / 3)


async def _seal(database: Database) -> None:
    """Seal what was written to the audit log, some seconds after its commit at the latest.

    Writes that were refused and links that were used in a minute that is over come to the log here.
    """
    while True:
        try:
            async with database.write() as tx:
                await tell_refusals(tx)
                await tell_uses(tx)
            await seal(database)
        except Exception:
            log.exception("sealing_failed")
        await asyncio.sleep(SEAL_SECONDS)


async def _number_changes(database: Database) -> None:
    """Give changes their numbers, so that few wait for them who read the feed."""
    while True:
        try:
            await number_all(database)
        except Exception:
            log.exception("numbering_failed")
        await asyncio.sleep(NUMBER_SECONDS)


async def _evaluate_rules(database: Database) -> None:
    """Let automatic rules evaluate what was written since, again and again, on connections of their own."""
    async with Database(
        database.url, connections_max=ACCOUNTS_AT_ONCE + 1, session_url=database.session_url
    ) as own:
        rounds = Rounds(own)
        try:
            while True:
                try:
                    for failure in await rounds.look():
                        _log_failure(failure)
                except Exception:
                    log.exception("rules_failed")
                await asyncio.sleep(RULES_SECONDS)
        finally:
            await rounds.stop()


async def _deliver(database: Database, settings: Settings) -> None:
    """Tell webhooks of what changes, again and again, on connections of their own."""
    with NameResolver(LANES_MAX) as resolve:
        client = OutgoingClient(CallReach.of(settings.outgoing_networks), resolve=resolve)
        own = Database(database.url, connections_max=DELIVERING_CONNECTIONS, session_url=database.session_url)
        async with client, own:
            lease = settings.lease_seconds
            tell = _log_failed_delivering
            await Deliverer(own, client, settings.address, lease_seconds=lease, tell=tell).run()


def _log_failed_delivering(error: Exception) -> None:
    log.error("delivering_failed", exc_info=error)


async def _review(database: Database, settings: Settings) -> None:
    """Ask registries what they have decided, and write it down."""
    reviewer = submitter(settings)
    while True:
        try:
            await reviewer.review(database)
        except Exception:
            log.exception("review_failed")
        await asyncio.sleep(REVIEW_SECONDS)


def _log_failure(failure: FailedEvaluation) -> None:
    if failure.version is None:
        log.error("roll_up_failed", reference=failure.reference, exc_info=failure.error)
        return
    log.error("rule_failed", rule=failure.version.rule, reference=failure.reference, exc_info=failure.error)


async def _watch(database: Database, settings: Settings) -> None:
    """Look for files where data feeds watch, if the operator allows any place."""
    if not settings.watched_roots:
        return
    store = open_store(settings.evidence_url, settings.data_dir)
    while True:
        try:
            now = await _now(database)
            looked = await look_at_places(database, store, settings, now)
            if looked.files:
                log.info("files_taken_up", files=looked.files)
            for failure in looked.failures:
                log.error("watching_failed", exc_info=failure)
        except Exception:
            log.exception("watching_failed")
        await asyncio.sleep(settings.watch_seconds)


async def _now(database: Database) -> datetime:
    row = await database.single("SELECT now()")
    assert row is not None, "there is always a time"  # noqa: S101
    return cast("datetime", row[0])


async def _tidy(database: Database, settings: Settings) -> None:
    """Remove answers that are too old to be repeated, old changes, and files that no evidence names."""
    store = open_store(settings.evidence_url, settings.data_dir)
    while True:
        try:
            async with database.write() as tx:
                forgotten = await idempotency.forget(tx)
                changes = await forget_changes(tx, settings.change_days)
                deliveries = await forget_deliveries(tx)
                now = await tx.value("SELECT now()")
            over = await remove_expired(database, store)
            over += await remove_old_files(database, store)
            swept = await sweep(database, store, now)
            log.info(
                "tidied", answers=forgotten, changes=changes, deliveries=deliveries, files=len(swept),
                exports=over,
            )  # fmt: skip
        except Exception:
            log.exception("tidying_failed")
        await asyncio.sleep(TIDY_SECONDS)
