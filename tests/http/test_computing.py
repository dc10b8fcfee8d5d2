"""Requests that compute have a loop of their own, are some for each account, and end when nobody waits."""

import asyncio
import threading

import pytest

from weighbridge.concurrency import compute_in_thread, processor_time
from weighbridge.core.halt import proceed
from weighbridge.db.engine import Database
from weighbridge.errors import Invalid, Refusal, Unavailable
from weighbridge.http.endpoints.computing import ComputingLoop, refuse_slow_computation

DEADLINE_SECONDS = 60.0


async def stays():
    """The messages of a client that waits for its answer."""
    await asyncio.Event().wait()


def leaves_once(begun):
    """The messages of a client that hangs up once the computation has begun."""

    async def receive():
        while not begun.is_set():  # noqa: ASYNC110 - two loops share no event of theirs
            await asyncio.sleep(0.001)
        messages.append("http.request" if not messages else "http.disconnect")
        return {"type": messages[-1]}

    messages = []
    return receive


def carrying_out(url, work, **settings):
    """What the work comes to, given a loop for computations."""

    async def run():
        async with ComputingLoop(Database(url, connections_max=4), 4, **settings) as computing:
            return await asyncio.wait_for(work(computing), DEADLINE_SECONDS)

    return asyncio.run(run())


def test_a_computation_runs_on_a_loop_and_with_connections_of_its_own(migrated_database):
    async def work(database):
        async with database.read() as tx:
            return threading.current_thread().name, await tx.value("SELECT 1 + 1")

    found = carrying_out(migrated_database, lambda computing: computing.carry_out(1, work, stays))

    assert found == ("computing loop", 2)


def test_a_refusal_comes_back_as_it_was_raised(migrated_database):
    async def work(_):
        raise Unavailable("Not now.")

    with pytest.raises(Unavailable, match="Not now"):
        carrying_out(migrated_database, lambda computing: computing.carry_out(1, work, stays))


def test_a_client_that_hangs_up_has_its_computation_halted(migrated_database):
    begun, ended = threading.Event(), threading.Event()

    def compute():
        begun.set()
        try:
            while True:
                proceed()
        finally:
            ended.set()

    async def work(database):
        async with database.read() as tx:
            await tx.in_thread(compute)

    with pytest.raises(Unavailable, match="hung up"):
        carrying_out(migrated_database, lambda computing: computing.carry_out(1, work, leaves_once(begun)))
    assert ended.wait(DEADLINE_SECONDS)


def test_a_computation_has_a_deadline(migrated_database):
    ended = threading.Event()

    def compute():
        try:
            while True:
                proceed()
        finally:
            ended.set()

    async def work(database):
        async with database.read() as tx:
            await tx.in_thread(compute)

    with pytest.raises(Refusal, match=r"longer than 0\.1 seconds"):
        carrying_out(
            migrated_database, lambda computing: computing.carry_out(1, work, stays), seconds_max=0.1
        )
    assert ended.wait(DEADLINE_SECONDS)


@pytest.mark.parametrize(
    ("computed_seconds", "refusal", "retry_after"),
    [(0.5, Unavailable, 2), (15.9, Unavailable, 2), (16, Invalid, None), (20, Invalid, None)],
)
def test_what_computed_nearly_all_its_time_is_not_to_be_asked_again(computed_seconds, refusal, retry_after):
    """Of 20 seconds: what waited for others may be quicker another time, what computed may not."""
    said = refuse_slow_computation(20, computed_seconds)

    assert (type(said), said.retry_after_seconds) == (refusal, retry_after)
    assert "longer than 20 seconds" in str(said)


def test_the_time_that_a_computation_has_a_processor_is_counted_while_it_computes():
    begun, seen = threading.Event(), threading.Event()

    def compute():
        begun.set()
        while not seen.is_set():
            proceed()

    async def watch():
        with processor_time() as processor:
            computing = asyncio.ensure_future(compute_in_thread(None, compute))
            while not begun.is_set() or processor.seconds <= 0:  # noqa: ASYNC110 - a thread's
                await asyncio.sleep(0)
            before = processor.seconds
            seen.set()
            await computing
            return before, processor.seconds

    before, after = asyncio.run(watch())

    assert 0 < before <= after


def test_many_computations_of_one_account_leave_the_places_of_another(migrated_database):
    async def all_of_them(computing):
        done, begun = threading.Event(), []

        async def holds(_):
            begun.append(1)
            while not done.is_set():  # noqa: ASYNC110 - two loops share no event of theirs
                await asyncio.sleep(0.001)

        async def answers(database):
            async with database.read() as tx:
                return await tx.value("SELECT 7")

        many = [asyncio.create_task(computing.carry_out(1, holds, stays)) for _ in range(50)]
        found = await computing.carry_out(2, answers, stays)
        at_once = len(begun)
        done.set()
        await asyncio.gather(*many)
        return found, at_once, len(begun)

    assert carrying_out(migrated_database, all_of_them) == (7, 2, 50)
