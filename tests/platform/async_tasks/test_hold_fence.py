"""`hold_fence`: only the newest attempt may publish, and none begins while it does."""

import asyncio

import pytest

from weighbridge.platform import async_tasks
from weighbridge.platform.async_tasks import AttemptSupersededError


def test_the_newest_attempt_holds_the_fence(hands):
    hands.do(async_tasks.lock_current_attempt, hands.begun())


def test_an_attempt_that_was_overtaken_does_not(hands):
    first = hands.begun()
    second = hands.begin(first.task_id)

    with pytest.raises(AttemptSupersededError):
        hands.do(async_tasks.lock_current_attempt, first)
    hands.do(async_tasks.lock_current_attempt, second)


def test_an_attempt_that_was_overtaken_since_its_snapshot_does_not(hands, server):
    first = hands.begun()

    async def publish():
        async with server.database.snapshot(locks=[f"fence {first.task_id}"]) as tx:
            await tx.value("SELECT 1")
            async with server.database.write() as other:
                await async_tasks.begin_attempt(other, first.task_id)
            await async_tasks.lock_current_attempt(tx, first)

    with pytest.raises(AttemptSupersededError):
        server.run(publish())


def test_a_newer_attempt_waits_until_the_one_that_holds_the_fence_has_published(hands, server):
    first = hands.begun()
    order = []

    async def begin_again():
        async with server.database.write() as tx:
            newer = await async_tasks.begin_attempt(tx, first.task_id)
        order.append(f"newer {newer}")

    async def waits():
        rows = await server.database.single("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return rows[0] > 0

    async def publish():
        async with server.database.write() as tx:
            await async_tasks.lock_current_attempt(tx, first)
            newer = asyncio.create_task(begin_again())
            while not await waits():  # noqa: ASYNC110 - the database rings no bell
                await asyncio.sleep(0.01)
            await async_tasks.complete_task(tx, first, {"created": 1})
            order.append("published")
        await newer

    server.run(publish())

    assert order == ["published", "newer None"]
    assert hands.task(first.task_id)["result"] == {"created": 1}
