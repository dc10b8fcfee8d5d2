"""A question holds no connection while it computes, and reads again afterwards."""

import asyncio

import pytest
from psycopg.errors import DivisionByZero

from weighbridge.db.engine import Database


def ask(url, work):
    """Do some work with a database of one connection."""

    async def alone():
        async with Database(url, connections_max=1) as database:
            return await work(database)

    return asyncio.run(alone())


def test_others_use_the_connection_while_a_question_computes(migrated_database):
    async def work(database):
        loop = asyncio.get_running_loop()

        def compute(seen):
            other = asyncio.run_coroutine_threadsafe(database.single("SELECT 7"), loop)
            return seen, other.result(10)[0]

        async with database.question() as tx:
            computed = await tx.in_thread(compute, await tx.value("SELECT 3"))
            return *computed, await tx.value("SELECT 9")

    assert ask(migrated_database, work) == (3, 7, 9)


def test_a_question_changes_nothing(migrated_database):
    async def work(database):
        async with database.question() as tx:
            await tx.in_thread(int)
            return await tx.value("SELECT current_setting('transaction_read_only')")

    assert ask(migrated_database, work) == "on"


@pytest.mark.parametrize("fails_at", ["statement", "computation"])
def test_a_question_that_fails_gives_its_connection_back_once(migrated_database, fails_at):
    async def work(database):
        async with asyncio.timeout(10):
            try:
                async with database.question() as tx:
                    if fails_at == "statement":
                        await tx.value("SELECT 1 / 0")
                    await tx.in_thread(int, "no number")
            except (DivisionByZero, ValueError) as error:
                after = [await database.single("SELECT 5") for _ in range(3)]
                return type(error).__name__, after

    name = {"statement": "DivisionByZero", "computation": "ValueError"}[fails_at]
    assert ask(migrated_database, work) == (name, [(5,)] * 3)
