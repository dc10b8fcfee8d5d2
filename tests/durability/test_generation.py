"""A generation survives its worker: killed, frozen or told to stop, its effect happens, and happens once.

All tests of the file ask one service, each with a ledger of its own over the same deliveries; whoever stops
it, or needs another setting, starts the next one on the same data.
"""

import asyncio
import json
import os
import signal
from contextlib import closing, suppress
from datetime import UTC, datetime
from decimal import Decimal

import psycopg
import pytest
from tests.durability.processes import is_alive, until
from tests.durability.real_service import Service, second_worker
from tests.verification.conftest import BY_THE_LOG

from weighbridge.core import identity
from weighbridge.core.platform.tasks import ATTEMPTS_MAX
from weighbridge.core.time.calendar import Instant
from weighbridge.db.embedded.instance import server
from weighbridge.db.engine import Database
from weighbridge.platform.api_tokens import create_token
from weighbridge.platform.users import create_account
from weighbridge.verification import VerificationRequest, verify

EVENTS = int(os.environ.get("EVENTS", "24000"))
LEASE = {"WEIGHBRIDGE_LEASE_SECONDS": "2"}
YEAR = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2026-01-01T00:00:00Z"}
BATCHES = 36
TOTAL = Decimal(EVENTS) / 8 * 3
MODEL = """
name: Deliveries
cadence: monthly
partition_type: feedstock
primary_output: mass
nodes:
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
    output: true
"""
MAKE = """
    INSERT INTO projects (account_id, name) SELECT id, 'Plant' FROM accounts ORDER BY id LIMIT 1;
    INSERT INTO event_types (project_id, slug, name, reusable_in_batches)
         VALUES (1, 'delivery', 'Delivery', true);
    INSERT INTO data_point_types (project_id, event_type_id, position, slug, name, value_type, unit)
         VALUES (1, 1, 1, 'mass', 'Mass', 'number', 't');
    INSERT INTO feedstocks (project_id, name) VALUES (1, 'Husk'), (1, 'Straw'), (1, 'Wood');
"""
LOAD = """
    INSERT INTO events
           (project_id, id, event_type_id, start_time, end_time, feedstock_id, numbers, is_complete)
    SELECT 1, n, 1, moment, moment, 1 + n %% 3, ARRAY[0.375], true
      FROM (SELECT n, '2025-01-01Z'::timestamptz + n * (interval '365 days' / %s) AS moment
              FROM generate_series(0, %s - 1) AS n) AS made
"""
DRAWN = """
    SELECT sum(cardinality(event_ids))
      FROM batch_inputs AS i JOIN batches AS b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
     WHERE b.ledger_id = %s
"""


@pytest.fixture(scope="module")
def loaded(shared_dir):
    """A data directory with a year of deliveries, and a token for it."""
    with server(shared_dir) as url:
        token = asyncio.run(_token(url))
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(MAKE)
            connection.execute(LOAD, (EVENTS, EVENTS))
            connection.execute("ANALYZE events")
    return shared_dir, token


async def _token(url):
    async with Database(url, connections_max=1) as database, database.write() as tx:
        actor = await create_account(tx, name="Plant", request_id="given")
        return await create_token(
            tx,
            actor,
            user_id=actor.user_id,
            name="test",
            permissions=["production_accounting:write"],
            lifetime_days=None,
        )


class Plant:
    """A service over the deliveries of a year, and what a test does with it."""

    def __init__(self, folder, loaded):
        self.data_dir, self.token = loaded
        self.log = folder / "stderr"
        self.service, self.variables = None, {}
        self.workers = []

    def begin(self):
        """Note what is there before a test."""
        self.begun = Instant.of(datetime.now(UTC))
        self.log_begun = len(self.said_ever())

    def serve(self, **variables):
        """The running service, or a new one where none runs with these settings."""
        if (
            self.service is None
            or self.service.program.process.poll() is not None
            or variables != self.variables
        ):
            self.close()
            self.service = Service(self.data_dir, self.token, log=self.log, **LEASE, **variables)
            self.variables = variables
        return self.service

    def said_ever(self):
        return self.log.read_text() if self.log.exists() else ""

    def said(self):
        """What was written to the log in this test."""
        return self.said_ever()[self.log_begun :]

    def second_worker(self):
        self.workers.append(second_worker(self.data_dir, log=self.log, **LEASE))

    def ledger(self, service):
        model = service.call("POST", "/models", {"model": {"project_id": 1, "yaml": MODEL}})
        ledger = {"name": model["id"], "unit": "t", "model_id": model["id"]}
        return service.call("POST", "/projects/1/ledgers", {"ledger": ledger})["id"]

    def start(self, service, ledger):
        return service.call("POST", f"/ledgers/{ledger}/batch_generations", YEAR)["id"]

    def connect(self):
        """A connection to the database of the running service."""
        with server(self.data_dir) as url:
            return psycopg.connect(url, autocommit=True)

    def hold_batches(self):
        """Keep any generation from writing its batches until the connection is closed."""
        connection = self.connect()
        connection.execute("BEGIN")
        connection.execute("LOCK TABLE batches IN SHARE MODE")
        return connection

    def waits_to_write(self, watcher):
        """Whether a generation stands in the middle: it has read and computed, and waits to write."""
        return until(
            lambda: watcher.execute(
                "SELECT pid FROM pg_locks WHERE relation = 'batches'::regclass AND NOT granted"
            ).fetchall(),
            what="a generation has come to write its batches",
        )

    @staticmethod
    def attempts(watcher, number):
        return watcher.execute("SELECT attempt FROM async_tasks WHERE id = %s", (number,)).fetchone()[0]

    def value(self, statement, *values):
        with server(self.data_dir) as url, psycopg.connect(url, autocommit=True) as connection:
            return connection.execute(statement, values).fetchone()[0]

    def check_once(self, service, ledger, number):
        """The task is complete, its batches are there exactly once, and the books hold."""
        task = service.finished(number)
        assert (task["state"], task["progress"], task["error_message"]) == ("complete", 100, None), task
        batches = service.call("GET", f"/ledgers/{ledger}/batches?page_size=200")
        assert batches["info"]["total_items"] == BATCHES
        assert {batch["id"] for batch in batches["data"]} == set(task["result"]["batches"])
        assert {batch["adjusts"] for batch in batches["data"]} == {None}
        key = identity.parse("ledger", ledger).key
        assert self.value("SELECT sum(amount) FROM ledger_entries WHERE ledger_id = %s", key) == TOTAL
        assert self.value(DRAWN, key) == EVENTS
        with server(self.data_dir) as url:
            report = asyncio.run(_verified(url, self.begun))
        assert report.batches >= BATCHES
        # The events were loaded past the service, and the log does not tell of them.
        checks = [check for check in report.checks if check.rule not in BY_THE_LOG]
        assert [check.violations for check in checks if check.violations] == []

    def end_workers(self):
        """End the workers that a test started beside the service."""
        while self.workers:
            self.workers.pop().close()

    def close(self):
        self.end_workers()
        if self.service is not None:
            self.service.close()


async def _verified(url, since):
    async with Database(url, connections_max=2, idle_timeout_seconds=60) as database:
        return await verify(database, request=VerificationRequest(since=since))


@pytest.fixture(scope="module")
def standing(shared_folder, loaded):
    plant = Plant(shared_folder, loaded)
    yield plant
    plant.close()


@pytest.fixture
def plant(standing):
    """The plant, with nothing of this test in its log or its books yet."""
    standing.begin()
    yield standing
    standing.end_workers()


def test_a_worker_that_is_killed_as_soon_as_it_runs_is_replaced_and_the_effect_happens_once(plant):
    service = plant.serve()
    ledger = plant.ledger(service)

    number = plant.start(service, ledger)
    until(lambda: service.task(number)["state"] == "running", what="the task runs")
    killed = service.worker()
    os.kill(killed, signal.SIGKILL)

    plant.check_once(service, ledger, number)
    assert service.worker() != killed


def test_a_worker_that_is_killed_while_it_writes_is_replaced_and_the_effect_happens_once(plant):
    service = plant.serve()
    ledger = plant.ledger(service)
    with closing(plant.connect()) as watcher, closing(plant.hold_batches()):
        number = plant.start(service, ledger)
        plant.waits_to_write(watcher)
        os.kill(service.worker(), signal.SIGKILL)
        until(
            lambda: plant.attempts(watcher, number) > 1,
            what="another worker has taken the task up",
        )

    plant.check_once(service, ledger, number)


def test_a_service_that_is_stopped_in_the_middle_finishes_the_task_when_it_is_started_again(plant):
    service = plant.serve(WEIGHBRIDGE_SHUTDOWN_SECONDS="1")
    ledger = plant.ledger(service)
    with closing(plant.connect()) as watcher, closing(plant.hold_batches()):
        number = plant.start(service, ledger)
        plant.waits_to_write(watcher)
        service.program.signal(signal.SIGTERM)
        until(lambda: not service.workers(), what="the worker has ended")
    assert service.program.exit_code() == 0

    again = plant.serve()

    plant.check_once(again, ledger, number)


def test_a_task_that_ends_within_the_bound_is_finished_before_the_service_stops(plant):
    service = plant.serve()
    ledger = plant.ledger(service)
    with closing(plant.connect()) as watcher, closing(plant.hold_batches()):
        number = plant.start(service, ledger)
        plant.waits_to_write(watcher)
        service.program.signal(signal.SIGTERM)
        until(lambda: "service_stopping" in plant.said(), what="the stop has begun")
    assert service.program.exit_code() == 0

    assert plant.value("SELECT state FROM async_tasks WHERE id = %s", number) == "complete"
    plant.check_once(plant.serve(), ledger, number)


def test_a_worker_that_is_frozen_beyond_its_lease_publishes_nothing_when_it_wakes(plant):
    service = plant.serve()
    ledger = plant.ledger(service)
    with closing(plant.connect()) as watcher, closing(plant.hold_batches()):
        number = plant.start(service, ledger)
        plant.waits_to_write(watcher)
        frozen = service.worker()
        os.kill(frozen, signal.SIGSTOP)
        plant.second_worker()
        until(
            lambda: plant.attempts(watcher, number) > 1,
            what="the second worker has taken the task up",
        )
    assert service.finished(number)["state"] == "complete"

    # A pipeline that was sent in part keeps its locks until the service ends the process that is silent.
    with suppress(ProcessLookupError):
        os.kill(frozen, signal.SIGCONT)
    until(
        lambda: not is_alive(frozen) or "attempt_failed" in plant.said(),
        what="the frozen worker has noticed that it was overtaken",
    )

    plant.check_once(service, ledger, number)
    second = plant.ledger(service)
    assert service.finished(plant.start(service, second))["result"]["created"] == BATCHES


def test_a_task_whose_attempts_are_used_up_is_failed_with_a_reason_and_the_others_go_on(plant):
    service = plant.serve()
    ledger, other = plant.ledger(service), plant.ledger(service)
    with closing(plant.connect()) as watcher, closing(plant.hold_batches()):
        number = plant.start(service, ledger)
        plant.waits_to_write(watcher)
        os.kill(service.worker(), signal.SIGKILL)
        watcher.execute("UPDATE async_tasks SET attempt = %s WHERE id = %s", (ATTEMPTS_MAX, number))
        later = plant.start(service, other)

    task = service.finished(number)

    assert (task["state"], task["result"]) == ("failed", None)
    assert task["error_message"] == (
        f"The task was given up after {ATTEMPTS_MAX} attempts, none of which came to an end."
    )
    assert service.finished(later)["result"]["created"] == BATCHES
    assert service.call("GET", f"/ledgers/{ledger}/batches")["data"] == []


def test_a_job_that_a_worker_left_behind_after_its_task_was_done_holds_nothing_up(plant):
    service = plant.serve()
    ledger = plant.ledger(service)
    first = plant.start(service, ledger)
    service.finished(first)
    until(lambda: plant.value("SELECT count(*) FROM procrastinate_jobs") == 0, what="the worker ends the job")
    family = plant.value("SELECT max(id) FROM model_families")
    with closing(plant.connect()) as connection:
        connection.execute(
            """INSERT INTO procrastinate_jobs (queue_name, task_name, lock, args, status)
               SELECT 'weighbridge', 'weighbridge.attempt', %s, %s, 'doing'""",
            (f"generation:1:{family}", json.dumps({"task_id": first})),
        )

    task = service.finished(plant.start(service, ledger))

    assert (task["state"], task["result"]["unchanged"]) == ("complete", BATCHES)
