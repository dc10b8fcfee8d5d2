"""Whose task is next: accounts take turns, whatever the others have queued. `platform/queue.py`."""

import asyncio

import psycopg
import pytest
from procrastinate import App, PsycopgConnector
from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import JANUARY, range_of
from tests.server import DEADLINE_SECONDS, Server

from weighbridge import worker
from weighbridge.db import locks
from weighbridge.db.engine import Database
from weighbridge.platform import async_tasks
from weighbridge.platform.async_tasks import QUEUE
from weighbridge.platform.queue import FairJobManager
from weighbridge.platform.users import create_account
from weighbridge.settings import Settings


class Plant:
    """A database of its own with accounts and their queues, and what a worker is given of them."""

    def __init__(self, url):
        self.url = url
        self.accounts = {}
        self.names = {}

    def queue(self, account, *names, lock=None):
        """Queue tasks of an account by the names that the test has for them."""
        asyncio.run(self._queue(account, names, lock))

    async def _queue(self, account, names, lock):
        async with Database(self.url, connections_max=1) as database, database.write() as tx:
            if account not in self.accounts:
                self.accounts[account] = await _account_with_project(tx, account)
            actor, project = self.accounts[account]
            for name in names:
                task = await async_tasks.queue_task(
                    tx, actor, kind="rule_run", project_id=project, args={}, lock=lock or f"lock {name}"
                )
                self.names[task.id] = name

    def take(self, count=1):
        """The names of the next tasks that free workers are given."""
        return [self._named(job) for job in asyncio.run(self._take(count))]

    def end(self, *names):
        """End the work at tasks."""
        with psycopg.connect(self.url) as connection:
            for task, name in self.names.items():
                if name in names:
                    connection.execute(
                        "DELETE FROM procrastinate_jobs WHERE (args ->> 'task_id')::integer = %s", (task,)
                    )

    def served(self, count):
        """The names of the next tasks in the order in which one worker carries them out."""
        order = []
        for _ in range(count):
            order += self.take()
            self.end(*order)
        return "".join(order)

    async def _take(self, count):
        app = App(connector=PsycopgConnector(conninfo=self.url))
        async with app.open_async():
            jobs = FairJobManager(app.connector)
            worker = await jobs.register_worker()
            return await asyncio.gather(*(jobs.fetch_job([QUEUE], worker) for _ in range(count)))

    def _named(self, job):
        return None if job is None else self.names[job.task_kwargs["task_id"]]


async def _account_with_project(tx, name):
    actor = await create_account(tx, name=name, request_id="test")
    project = await tx.value(
        "INSERT INTO projects (account_id, name, time_zone) VALUES (%s, %s, 'UTC') RETURNING id",
        (actor.account_id, name),
    )
    return actor, project


@pytest.fixture
def plant(lone_cell):
    return Plant(lone_cell)


def test_an_account_with_one_task_waits_for_one_task_of_another_that_queued_many(plant):
    plant.queue("loud", *"abcdefgh")
    assert plant.served(1) == "a"
    plant.queue("quiet", "Q")

    assert plant.served(3) == "Qbc"


def test_accounts_take_turns_and_within_an_account_the_first_queued_comes_first(plant):
    plant.queue("one", *"123")
    plant.queue("two", "4")
    plant.queue("three", *"56")

    assert plant.served(6) == "145263"


def test_many_accounts_are_each_served_once_before_one_is_served_twice(plant):
    for account in "abcdefghij":
        plant.queue(account, account, account.upper())

    assert plant.served(20) == "abcdefghijABCDEFGHIJ"


def test_an_account_without_a_task_at_work_comes_before_one_that_has_some(plant):
    plant.queue("loud", *"abcd")
    assert sorted(plant.take(2)) == ["a", "b"]
    plant.queue("quiet", *"QRS")

    assert plant.take() == ["Q"]
    plant.end("a")
    assert sorted([*plant.take(), *plant.take()]) == ["R", "c"]


def test_workers_that_choose_at_once_choose_different_tasks_of_different_accounts(plant):
    plant.queue("loud", *"abcdefgh")
    plant.queue("quiet", "Q")

    taken = plant.take(4)

    assert len({*taken}) == 4
    assert "Q" in taken


def test_tasks_with_one_lock_run_one_after_the_other_in_the_order_of_the_queue(plant):
    plant.queue("one", *"abc", lock="ledger")
    plant.queue("one", "d")

    assert plant.take() == ["a"]
    assert plant.take() == ["d"]
    assert plant.take() == [None]
    plant.end("a", "d")
    assert plant.take() == ["b"]


def test_a_task_that_waits_for_its_time_is_passed_over_and_those_behind_its_lock_wait(plant):
    plant.queue("one", *"ab", lock="ledger")
    plant.queue("one", "c")
    with psycopg.connect(plant.url) as connection:
        connection.execute(
            "UPDATE procrastinate_jobs SET scheduled_at = now() + interval '1 hour'"
            " WHERE id = (SELECT min(id) FROM procrastinate_jobs)"
        )

    assert plant.take() == ["c"]
    assert plant.take() == [None]


def test_a_job_without_a_lock_of_others_has_one_of_its_own(plant):
    plant.queue("one", "a", lock=locks.job_of_task(1))

    assert plant.take() == ["a"]


def test_the_worker_takes_up_a_quiet_account_after_one_task_of_a_loud_one(migrated_database, tmp_path):
    with Server(migrated_database) as service:
        loud, quiet = service.account(), service.account()
        project = given.measuring(loud.caller(), given.number("mass"))
        body = {"name": "Watch", "expression": "{{mass}} > 1", "effective_from": "2025-01-01T00:00:00Z"}
        rule = {"rule": body | {"evaluation": "on_demand"}}
        rule = loud.caller().post(f"/projects/{project['id']}/rules", rule).expect(201).body
        for _ in range(12):
            loud.caller().post(f"/rules/{rule['id']}/rule_runs", range_of(JANUARY)).expect(202)
        plant = accounting.plant(quiet.caller(), quiet.drain)
        plant.deliver(1)
        plant.start().expect(202)

        asyncio.run(work_until(migrated_database, tmp_path, lambda: not unfinished(service)))

        kinds = service.sql("SELECT type FROM async_tasks ORDER BY started_at, id")
    assert [kind for (kind,) in kinds][:3] == ["rule_run", "batch_generation", "rule_run"]


def unfinished(service):
    return service.sql("SELECT id FROM async_tasks WHERE state IN ('pending', 'running')")


async def work_until(url, folder, is_done):
    settings = Settings(database_url=url, worker_concurrency=1, data_dir=folder)
    async with Database(url, connections_max=4) as database:
        working = asyncio.create_task(worker.work(database, settings, asyncio.Event()))
        async with asyncio.timeout(DEADLINE_SECONDS):
            while not is_done():  # noqa: ASYNC110 - the database rings no bell
                await asyncio.sleep(0.05)
        working.cancel()
        await asyncio.wait([working])
