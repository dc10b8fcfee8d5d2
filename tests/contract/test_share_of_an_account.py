"""The share of an account among those at work, one request after the other. `http/limits.py`."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from weighbridge.errors import TooManyRequests
from weighbridge.http.limits import Places, Shares


class Queue:
    """Requests of accounts, and which of them have their turn."""

    def __init__(self, connections, requests_max=1_000, wait_seconds=60.0):
        self.shares = Shares(connections, requests_max, wait_seconds=wait_seconds)
        self.at_work = []
        self.ends = {}

    async def come(self, *names):
        """Let requests come in their order; the letter is the account."""
        for name in names:
            self.ends[name] = asyncio.get_running_loop().create_future()
            self.tasks.create_task(self._work(name))
            await settled()

    async def _work(self, name):
        async with self.shares.turn(ord(name[0])):
            self.at_work.append(name)
            await self.ends[name]
            self.at_work.remove(name)

    async def end(self, *names):
        """Let requests that are at work come to their end."""
        for name in names:
            self.ends[name].set_result(None)
            await settled()

    async def __aenter__(self):
        self.tasks = asyncio.TaskGroup()
        await self.tasks.__aenter__()
        return self

    async def __aexit__(self, *failure):
        for end in self.ends.values():
            if not end.done():
                end.set_result(None)
        await self.tasks.__aexit__(*failure)


async def settled():
    for _ in range(5):
        await asyncio.sleep(0)


def names(account, count):
    return [f"{account}{number}" for number in range(1, count + 1)]


def test_one_account_alone_has_half_of_the_connections():
    async def story():
        async with Queue(10) as queue:
            await queue.come(*names("a", 12))
            return [*queue.at_work]

    assert asyncio.run(story()) == ["a1", "a2", "a3", "a4", "a5"]


def test_of_several_accounts_each_has_its_part_and_one_part_stays_free():
    async def story():
        async with Queue(10) as queue:
            await queue.come(*names("a", 1), *names("b", 1), *names("c", 1))
            await queue.come("a2", "a3", "b2", "b3", "c2", "c3")
            return sorted(queue.at_work)

    assert asyncio.run(story()) == ["a1", "a2", "b1", "b2", "c1", "c2"]


def test_whoever_has_more_than_a_share_takes_no_more_when_others_come():
    async def story():
        async with Queue(10) as queue:
            await queue.come(*names("a", 8))
            await queue.come(*names("b", 8))
            before = sorted(queue.at_work)
            await queue.end("a1", "a2")
            between = sorted(queue.at_work)
            await queue.end("a3")
            return before, between, sorted(queue.at_work)

    before, between, after = asyncio.run(story())
    assert before == ["a1", "a2", "a3", "a4", "a5", "b1", "b2", "b3"]
    assert between == ["a3", "a4", "a5", "b1", "b2", "b3"]
    assert after == ["a4", "a5", "a6", "b1", "b2", "b3"]


def test_requests_of_an_account_have_their_turns_as_they_came():
    async def story():
        async with Queue(4) as queue:
            await queue.come(*names("a", 5))
            await queue.end("a1", "a2")
            return [*queue.at_work]

    assert asyncio.run(story()) == ["a3", "a4"]


def test_many_accounts_wait_for_one_connection_each_and_the_least_served_is_next():
    async def story():
        async with Queue(4) as queue:
            await queue.come("a1", "a2", "b1", "c1", "d1")
            full = sorted(queue.at_work)
            await queue.end("a1")
            return full, sorted(queue.at_work)

    assert asyncio.run(story()) == (["a1", "a2", "b1"], ["a2", "b1", "c1"])


def test_whoever_waits_too_long_is_refused_and_leaves_the_queue():
    async def story():
        shares = Shares(2, 10, wait_seconds=0.01)
        async with shares.turn(1):
            with pytest.raises(TooManyRequests, match=r"has waited 0\.01 seconds"):
                async with shares.turn(1):
                    pass
        async with asyncio.timeout(5), shares.turn(1):
            return True

    assert asyncio.run(story())


def test_a_request_that_is_given_up_while_it_waits_leaves_the_queue():
    async def story():
        shares = Shares(2, 10)
        async with shares.turn(1):
            waiting = asyncio.create_task(enter(shares))
            await settled()
            waiting.cancel()
            await asyncio.wait([waiting])
        async with asyncio.timeout(5), shares.turn(1):
            return True

    async def enter(shares):
        async with shares.turn(1):
            pass

    assert asyncio.run(story())


def test_a_turn_that_comes_while_its_request_is_given_up_goes_to_the_next():
    async def story():
        shares = Shares(2, 10)
        first = asyncio.Event()
        holding = asyncio.create_task(hold(shares, first))
        await settled()
        waiting = asyncio.create_task(hold(shares, asyncio.Event()))
        await settled()
        first.set()
        while shares._accounts[1].waiting:  # noqa: ASYNC110 - the moment at which it is given
            await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([holding, waiting])
        async with asyncio.timeout(5), shares.turn(1):
            return True

    async def hold(shares, end):
        async with shares.turn(1):
            await end.wait()

    assert asyncio.run(story())


def test_an_account_has_half_of_the_places_to_compute_and_another_account_the_other_half():
    async def story():
        places = Places(2, wait_seconds=0.01)
        async with places.of(1):
            with pytest.raises(
                TooManyRequests, match=r"computed just now, and this request has waited 0\.01"
            ):
                async with places.of(1):
                    pass
            async with places.of(2):
                pass
        async with places.of(1):
            return True

    assert asyncio.run(story())


def test_requests_beyond_those_that_an_account_may_have_are_refused_at_once():
    async def story():
        shares = Shares(10, 2)
        async with AsyncExitStack() as held:
            for _ in range(2):
                await held.enter_async_context(shares.request(1))
            with pytest.raises(TooManyRequests, match="The account has 2 requests under way"):
                await held.enter_async_context(shares.request(1))
            await held.enter_async_context(shares.request(2))
        async with shares.request(1):
            return True

    assert asyncio.run(story())


def test_an_account_sends_two_long_bodies_at_a_time_and_another_account_too():
    async def story():
        shares = Shares(10, 10)
        async with AsyncExitStack() as held:
            for account in (1, 1, 1, 2):
                await held.enter_async_context(shares.request(account))
            first = await held.enter_async_context(shares.long_body(1))
            await held.enter_async_context(shares.long_body(1))
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01), shares.long_body(1):
                    pass
            async with shares.long_body(2):
                return first

    assert asyncio.run(story()) is None


def test_a_request_that_goes_away_while_it_waits_costs_no_turn_and_no_other_its_own():
    async def story():
        shares = Shares(2, 10)
        ends = [asyncio.get_running_loop().create_future() for _ in range(3)]
        tasks = [asyncio.create_task(_hold(shares, end)) for end in ends]
        await settled()
        tasks[1].cancel()  # it hears of that only after the first has ended, in the same round of the loop
        ends[0].set_result(None)
        await settled()
        ends[2].set_result(None)
        async with asyncio.timeout(5):
            done = await asyncio.gather(*tasks, return_exceptions=True)
            async with shares.turn(1):
                return [type(one).__name__ for one in done], shares._held

    assert asyncio.run(story()) == (["NoneType", "CancelledError", "NoneType"], 1)


async def _hold(shares, end):
    async with shares.turn(1):
        await end
