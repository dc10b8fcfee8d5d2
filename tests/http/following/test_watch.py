"""The watch over requests that wait; the database is left out, and a look says what the test says."""

import asyncio
from contextlib import ExitStack

import pytest

from weighbridge.errors import TooManyRequests
from weighbridge.http.endpoints.long_polling import LISTENERS_MAX, WAITING_MAX, Watch


class Feed:
    """What the looks find: by account, the newest number."""

    def __init__(self):
        self.newest, self.looks, self.fails = {}, 0, 0

    async def look(self, _, accounts):
        self.looks += 1
        if self.fails:
            self.fails -= 1
            raise ConnectionError
        return {account: self.newest.get(account, 0) for account in accounts}


def run(story):
    async def told():
        feed = Feed()
        watch = Watch(None, feed.look)
        try:
            return await story(watch, feed)
        finally:
            await watch.stop()

    return asyncio.run(told())


def test_whoever_waits_is_woken_by_a_later_number_of_its_account():
    async def story(watch, feed):
        waiting = asyncio.create_task(watch.await_later(1, 5, 30))
        other = asyncio.create_task(watch.await_later(2, 5, 0.3))
        feed.newest = {1: 6, 2: 5}
        return await waiting, await other

    assert run(story) == (True, False)


def test_a_number_that_came_before_the_wait_began_wakes_too():
    async def story(watch, feed):
        feed.newest = {1: 6}
        return await watch.await_later(1, 5, 30)

    assert run(story)


def test_while_nobody_waits_nothing_looks():
    async def story(watch, feed):
        feed.newest = {1: 6}
        await watch.await_later(1, 5, 30)
        await asyncio.wait(asyncio.all_tasks() - {asyncio.current_task()})
        looks = feed.looks
        await watch.await_later(1, 5, 30)
        return looks, feed.looks

    assert run(story) == (1, 2)


def test_a_look_that_fails_is_followed_by_others():
    async def story(watch, feed):
        feed.newest, feed.fails = {1: 6}, 2
        return await watch.await_later(1, 5, 30)

    assert run(story)


def test_an_account_has_so_many_that_wait_and_others_have_theirs():
    async def story(watch, feed):
        waiting = [asyncio.create_task(watch.await_later(1, 5, 30)) for _ in range(WAITING_MAX)]
        await asyncio.sleep(0)
        with pytest.raises(TooManyRequests, match="100 requests"):
            await watch.await_later(1, 5, 30)
        feed.newest = {1: 6, 2: 6}
        await watch.await_later(2, 5, 30)
        return await asyncio.gather(*waiting)

    assert all(run(story))


def test_whoever_waits_waits_no_more_when_the_process_is_about_to_stop():
    async def story(watch, _):
        waiting = asyncio.create_task(watch.await_later(1, 5, 30))
        await asyncio.sleep(0)
        watch.end()
        return await waiting, await watch.await_later(1, 5, 30)

    assert run(story) == (False, False)


def test_streams_are_counted_by_themselves():
    async def story(watch, feed):
        waiting = [asyncio.create_task(watch.await_later(1, 5, 30)) for _ in range(WAITING_MAX)]
        with ExitStack() as streams:
            for _ in range(LISTENERS_MAX):
                streams.enter_context(watch.listening(1))
            with pytest.raises(TooManyRequests, match="50 streams"):
                streams.enter_context(watch.listening(1))
            streams.enter_context(watch.listening(2))
            listener = asyncio.create_task(watch.await_later(1, 5, 30, is_listening=True))
            await asyncio.sleep(0)
            feed.newest = {1: 6}
            assert await listener
        with watch.listening(1):
            return await asyncio.gather(*waiting)

    assert all(run(story))
