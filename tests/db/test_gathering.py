"""Readings that do not wait for each other: what they ask at one time goes out in one message."""

import asyncio
import inspect

import pytest
from psycopg.errors import DivisionByZero
from tests.given import wire

from weighbridge.db.engine import Database

LOCK = "weighed"

_LOCKS_HERE = """
    FROM pg_locks WHERE locktype = 'advisory'
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


class RefusedError(Exception):
    """What a reading fails with."""


@pytest.fixture
def counting(migrated_database):
    """A wire to a database, and the messages that went over it."""
    with wire.counted(migrated_database) as counting:
        yield counting


def messages(counting, work):
    """What comes of some work in a snapshot, and how many messages it took between begin and commit."""

    async def within():
        async with (
            Database(counting.url, connections_max=1) as database,
            database.snapshot(locks=[LOCK]) as tx,
        ):
            before = counting.messages
            found = await work(tx)
            return found, counting.messages - before

    return asyncio.run(within())


async def doubled(tx, number):
    """A reading that asks twice, the second time with what the first gave."""
    return await tx.value("SELECT %s::int + %s", (await tx.value("SELECT %s::int", (number,)), number))


def test_readings_ask_step_by_step_together(counting):
    async def work(tx):
        return await tx.together(doubled(tx, 1), tx.value("SELECT 'once'"), doubled(tx, 3))

    assert messages(counting, work) == ([2, "once", 6], 2)


def test_one_after_the_other_they_ask_once_for_each(counting):
    async def work(tx):
        return [await doubled(tx, 1), await doubled(tx, 3)]

    assert messages(counting, work) == ([2, 6], 4)


def test_what_gathers_readings_is_a_reading_itself(counting):
    async def sums(tx):
        return sum(await tx.together(doubled(tx, 1), doubled(tx, 2))) + await tx.value("SELECT 100")

    async def work(tx):
        return await tx.together(sums(tx), doubled(tx, 5), sums(tx))

    assert messages(counting, work) == ([106, 10, 106], 3)


def test_none_at_all_is_none(counting):
    async def work(tx):
        return await tx.together()

    assert messages(counting, work) == ([], 0)


def test_a_reading_that_computes_keeps_no_answer_from_the_others(counting):
    async def computes(tx):
        return await tx.in_thread(int, await tx.value("SELECT '7'")) + await tx.value("SELECT 1")

    async def work(tx):
        return await tx.together(computes(tx), doubled(tx, 4))

    found, _ = messages(counting, work)

    assert found == [8, 8]


def test_what_is_set_beforehand_holds_for_the_statement_of_its_reading_alone(counting):
    async def apart(tx):
        tx.beforehand("set_config('enable_sort', 'off', true)")
        [seen], _ = await tx.several(
            ("SELECT current_setting('enable_sort')", ()),
            ("SELECT set_config('enable_sort', 'on', true)", ()),
        )
        return seen

    async def work(tx):
        return await tx.together(
            tx.value("SELECT current_setting('enable_sort')"),
            apart(tx),
            tx.value("SELECT current_setting('enable_sort')"),
        )

    assert messages(counting, work) == (["on", ("off",), "on"], 1)


def test_a_question_of_one_reading_refuses_it_and_no_other(counting):
    heard = []

    async def refused(tx):
        tx.require("SELECT WHERE false", (), RefusedError())
        await tx.value("SELECT 1")

    async def other(tx):
        heard.append(await doubled(tx, 2))

    async def work(tx):
        with pytest.raises(RefusedError):
            await tx.together(other(tx), refused(tx))
        return await tx.value("SELECT 5")

    assert messages(counting, work)[0] == 5
    assert heard == [4]


@pytest.mark.parametrize("first", [0, 1])
def test_of_several_that_fail_the_first_is_heard(counting, first):
    async def fails(error, after):
        for _ in range(after):
            await asyncio.sleep(0)
        raise error

    async def work(tx):
        errors = [fails(ValueError(), 5), fails(KeyError(), 0)]
        with pytest.raises([ValueError, KeyError][first]):
            await tx.together(*(errors if first == 0 else errors[::-1]))

    messages(counting, work)


def test_a_statement_that_fails_ends_all_and_the_transaction(counting):
    async def work(tx):
        await tx.together(doubled(tx, 1), tx.value("SELECT 1 / 0"))

    with pytest.raises(DivisionByZero):
        messages(counting, work)


def test_a_reading_that_has_not_begun_is_closed_when_all_are_given_up(counting):
    async def work(tx):
        readings = [doubled(tx, 1), doubled(tx, 2)]
        asked = asyncio.ensure_future(tx.together(*readings))
        await asyncio.sleep(0)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        return [inspect.getcoroutinestate(reading) for reading in readings]

    assert messages(counting, work)[0] == [inspect.CORO_CLOSED] * 2


def test_whoever_gives_up_leaves_no_reading_behind(counting):
    ended = []

    async def endless(tx):
        try:
            while True:
                await tx.value("SELECT pg_sleep(0.01)")
        finally:
            ended.append(True)

    async def work(tx):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await tx.together(endless(tx), endless(tx))

    async def within():
        async with Database(counting.url, connections_max=1) as database:
            async with database.read() as tx:
                await work(tx)
            return await database.single("SELECT 9")

    assert asyncio.run(within()) == (9,)
    assert ended == [True, True]


def test_what_is_foreseen_is_asked_in_one_message_and_once(counting):
    foreseen = [("SELECT %s::int", (number,)) for number in (1, 2, 3)]

    async def work(tx):
        async with tx.foreseen(foreseen):
            within = [await tx.value(*one) for one in foreseen], await tx.value("SELECT %s::int", (4,))
        return within, await tx.value(*foreseen[0])

    assert messages(counting, work) == ((([1, 2, 3], 4), 1), 3)


def test_what_was_noted_in_one_transaction_is_what_another_will_ask(counting):
    async def within():
        async with Database(counting.url, connections_max=1) as database:
            async with database.read() as tx:
                with tx.noted() as asked:
                    await doubled(tx, 7)
                    await tx.lastly(("SELECT 5", ()))
                await tx.value("SELECT 'not noted'")
            async with database.snapshot(locks=[LOCK]) as tx, tx.foreseen(asked):
                before = counting.messages
                found = await doubled(tx, 7), await tx.several(("SELECT 5", ()))
                return found, counting.messages - before

    assert asyncio.run(within()) == ((14, [[(5,)]]), 0)


def test_what_is_done_first_is_done_under_the_locks_and_seen_by_the_snapshot(counting):
    said = "5% of it's {\\}"
    first = f"SELECT count(*), %s {_LOCKS_HERE} AND granted", (said,)

    async def within():
        async with Database(counting.url, connections_max=1) as database:
            before = counting.messages
            async with database.snapshot(locks=[LOCK, "measured"], first=first) as tx:
                tx.later("SELECT 1")
                held = tx.first
            free = await database.single(f"SELECT count(*) {_LOCKS_HERE}")
            return held, free, counting.messages - before

    assert asyncio.run(within()) == ((2, said), (0,), 3)
