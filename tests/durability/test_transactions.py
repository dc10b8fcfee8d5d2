"""Long work inside a transaction: a living process keeps it, a frozen one loses it and its lock."""

import asyncio
import contextlib
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
        async with database.snapshot(locks=["frozen"]) as tx:
            await tx.value("SELECT 1")
            thread = threading.Thread(target=take)
            thread.start()
            thread.join(IDLE_SECONDS * 10)  # the event loop stands still, as in a frozen process
            assert taken == [True]

    with pytest.raises(psycopg.errors.IdleInTransactionSessionTimeout):
        on_database(postgres, freeze)

    assert taken == [True]


def test_statements_sent_together_run_in_their_order_and_each_gives_its_rows(postgres):
    async def ask(database):
        async with database.write() as tx:
            tx.later("CREATE TEMPORARY TABLE counted (n int) ON COMMIT DROP")
            tx.later("INSERT INTO counted VALUES (%s)", (1,))
            return await tx.several(
                ("INSERT INTO counted VALUES (%s) RETURNING n", (2,)),
                ("SELECT n FROM counted ORDER BY n", ()),
                ("SELECT n FROM counted WHERE n > %s", (2,)),
            )

    assert on_database(postgres, ask) == [[(2,)], [(1,), (2,)], []]


def test_what_the_server_has_against_a_statement_sent_later_is_raised_at_the_commit_and_nothing_stays(
    postgres,
):
    async def late(database):
        async with database.write() as tx:
            await tx.execute("INSERT INTO kept VALUES (1)")
            tx.later("INSERT INTO kept VALUES (1)")

    async def early(database):
        async with database.write() as tx:
            tx.later("INSERT INTO kept VALUES (2)")
            await tx.several(("SELECT 1 / %s", (0,)), ("INSERT INTO kept VALUES (3)", ()))

    with psycopg.connect(postgres, autocommit=True) as other:
        other.execute("CREATE TABLE kept (n int PRIMARY KEY)")
        with pytest.raises(psycopg.errors.UniqueViolation):
            on_database(postgres, late)
        with pytest.raises(psycopg.errors.DivisionByZero):
            on_database(postgres, early)

        assert other.execute("SELECT n FROM kept").fetchall() == []
        other.execute("DROP TABLE kept")


def test_a_transaction_that_sent_nothing_leaves_its_connection_free(postgres):
    async def refuse(tx):
        tx.later("SELECT 1")
        raise ValueError("refused")

    async def nothing(database):
        async with database.write():
            pass
        with contextlib.suppress(ValueError):
            async with database.write() as tx:
                await refuse(tx)
        return await database.single("SELECT now() = statement_timestamp()")

    assert on_database(postgres, nothing) == (True,)
