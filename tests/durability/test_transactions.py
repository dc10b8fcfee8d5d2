"""Long work inside a transaction: a living process keeps it, a frozen one loses it and its lock."""

import asyncio
import threading

import psycopg
import pytest

from weighbridge.db.engine import Database

IDLE_SECONDS = 1


def on_database(url, work):
    async def run():
        async with Database(url, connections_max=2, idle_timeout_seconds=IDLE_SECONDS) as database:
            return await work(database)

    return asyncio.run(run())


def longer_than_the_idle_timeout():
    threading.Event().wait(IDLE_SECONDS * 1.5)
    return 7


def test_a_transaction_outlives_a_computation_that_is_longer_than_its_idle_timeout(postgres):
    async def compute(database):
        async with database.write() as tx:
            found = await tx.in_thread(longer_than_the_idle_timeout)
            return found, await tx.value("SELECT 1")

    assert on_database(postgres, compute) == (7, 1)


def test_what_a_computation_raises_is_raised(postgres):
    async def compute(database):
        async with database.read() as tx:
            await tx.in_thread(int, "seven")

    with pytest.raises(ValueError, match="seven"):
        on_database(postgres, compute)


def test_a_process_that_freezes_in_a_transaction_loses_it_and_its_named_lock(postgres):
    taken = []

    def take():
        with psycopg.connect(postgres, autocommit=True) as other:
            other.execute("SELECT pg_advisory_lock(hashtextextended('frozen', 0))")
            taken.append(True)

    async def freeze(database):
        async with database.snapshot(lock="frozen") as tx:
            await tx.value("SELECT 1")
            thread = threading.Thread(target=take)
            thread.start()
            thread.join(IDLE_SECONDS * 10)  # the event loop stands still, as in a frozen process
            assert taken == [True]

    with pytest.raises(psycopg.errors.IdleInTransactionSessionTimeout):
        on_database(postgres, freeze)

    assert taken == [True]
