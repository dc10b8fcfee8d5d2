"""What became of a job is written though the database is lost in that moment. `platform/queue.py`.

A worker that stays alive keeps its lease, so a job that it never marks as ended would hold up every task with
the same lock for as long as that worker lives.
"""

import asyncio

import psycopg
import pytest
from procrastinate import App, PsycopgConnector
from procrastinate.jobs import Status
from tests.platform.async_tasks.test_turns import Plant
from tests.server import DEADLINE_SECONDS

from weighbridge.platform.async_tasks import QUEUE
from weighbridge.platform.queue import FairJobManager

ENDINGS = {
    "finished": lambda jobs, job: jobs.finish_job(job, Status.SUCCEEDED, delete_job=True),
    "to be tried again": lambda jobs, job: jobs.retry_job(job),
}


@pytest.fixture
def plant(lone_cell):
    return Plant(lone_cell)


async def end_while_connections_are_lost(plant, ending, meanwhile="SELECT"):
    """Take a job and end it; the session that writes so is ended by the server while it waits for the row."""
    app = App(connector=PsycopgConnector(conninfo=plant.url))
    async with app.open_async(), await psycopg.AsyncConnection.connect(plant.url) as other:
        jobs = FairJobManager(app.connector)
        job = await jobs.fetch_job([QUEUE], await jobs.register_worker())
        await other.execute("SELECT FROM procrastinate_jobs WHERE id = %s FOR UPDATE", (job.id,))
        writing = asyncio.create_task(ENDINGS[ending](jobs, job))
        async with asyncio.timeout(DEADLINE_SECONDS):
            while not await end_sessions_that_wait(plant.url):  # noqa: ASYNC110 - only the server knows
                await asyncio.sleep(0.01)
            await other.execute(meanwhile, (job.id,) if "%s" in meanwhile else ())
            await other.commit()
            await writing


async def end_sessions_that_wait(url):
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        ended = await connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return await ended.fetchall()


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_job_ends_though_the_session_that_writes_its_end_is_lost(plant, ending):
    plant.queue("one", *"ab", lock="ledger")

    asyncio.run(end_while_connections_are_lost(plant, ending))

    assert plant.take() == ["b" if ending == "finished" else "a"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_job_that_was_taken_from_the_worker_meanwhile_is_left_alone(plant, ending):
    plant.queue("one", *"ab", lock="ledger")

    asyncio.run(
        end_while_connections_are_lost(
            plant, ending, meanwhile="UPDATE procrastinate_jobs SET worker_id = NULL WHERE id = %s"
        )
    )

    assert plant.take() == [None]
