"""The worker: carries out queued tasks of every type, any number of workers beside one another.

How an attempt is made stands in `attempts.py`, what a worker does beside tasks in
`rounds.py`.
"""

import asyncio
import math
from collections.abc import Mapping
from functools import partial
from typing import Final

import structlog

from weighbridge import attempts, rounds
from weighbridge import settings as settings_module
from weighbridge.accounting.batch_generations import generate_batches
from weighbridge.accounting.batches import run_batch_deletion
from weighbridge.attempts import Task, build_app, work_on_queue
from weighbridge.collection.evidence_files import open_store
from weighbridge.contents import EXPORTED
from weighbridge.core.quantity.unit import parse_unit
from weighbridge.db.engine import Database
from weighbridge.exchange.data_feed_uploads_tasks import Feeder
from weighbridge.exchange.exports import Exporter
from weighbridge.http import wire
from weighbridge.http.outgoing import CallReach
from weighbridge.platform.async_tasks import Attempt
from weighbridge.platform.queue import keep_working, stop_on_signal
from weighbridge.quality.evaluation.incremental import catch_up
from weighbridge.quality.rule_runs import run_rule
from weighbridge.reporting.bundle.storage import Bundler
from weighbridge.reporting.reports_queries import report_numbered
from weighbridge.reporting.reports_tasks import Submitter
from weighbridge.sandbox.sandbox import prepare_sandboxes
from weighbridge.settings import Settings
from weighbridge.supervisor import logs
from weighbridge.supervisor.process import (
    OF_WORKER,
    beating,
    die_with_supervisor,
    known_as,
    look_rarely,
    look_when_started,
    stand_back,
)
from weighbridge.tracing import trace_process

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
    tracing = trace_process(known_as("worker"), settings.traces_url, settings.traces_percent)
    opened = Database(
        settings.database_url,
        connections_max=settings.worker_concurrency * 3 + 1,
        idle_timeout_seconds=max(1, settings.lease_seconds // 2),
        session_url=settings.session_database_url,
    )
    async with tracing, opened as database, stop_on_signal() as stopping:
        await work(database, settings, stopping)


async def work(database: Database, settings: Settings, stopping: asyncio.Event) -> None:
    """Work on an open database until the event is set."""
    app = build_app(database, settings, stopping, TASKS)
    async with app.open_async(), beating():
        beside = rounds.start_rounds(database, settings, submitter(settings))
        try:
            with prepare_sandboxes():
                await keep_working(partial(work_on_queue, app, settings), stopping)
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
    """Make one attempt at a task of any type."""
    await attempts.attempt_task(database, task_id, tasks or TASKS, seconds=seconds, queued_by=queued_by)


if __name__ == "__main__":
    main()
