"""Short files of one account are stored one after the other; nobody else's wait for them."""

import asyncio
from collections import Counter
from contextlib import asynccontextmanager
from io import BytesIO

import pytest

from weighbridge.errors import TooManyRequests
from weighbridge.http.limits import Places
from weighbridge.http.messages.body import SPOOL_BYTES, Form, Upload, places_of_files, received


class Store:
    """Stores whatever comes until it is let go, and keeps how many files of an account it had at once."""

    def __init__(self):
        self.going_on = asyncio.Event()
        self.now = Counter()
        self.most = Counter()

    @asynccontextmanager
    async def keep(self, _files, upload):
        self.now[upload.account] += 1
        self.most[upload.account] = max(self.most[upload.account], self.now[upload.account])
        await self.going_on.wait()
        yield upload.name
        self.now[upload.account] -= 1


def form(store):
    return Form(1_000, "A file", {}, "file", store.keep)


def file(account, size=10):
    return Upload(BytesIO(), f"{account}.csv", size, b"", {}, account)


async def store_file(taking, upload, places):
    async with received(taking, None, upload, places) as name:
        return name


async def store_all(store, *uploads):
    """Let all come at once, and then go on; gives their names."""
    taking, places = form(store), places_of_files()
    stored = [asyncio.create_task(store_file(taking, upload, places)) for upload in uploads]
    await asyncio.sleep(0)
    store.going_on.set()
    return await asyncio.gather(*stored)


def test_short_files_of_one_account_are_stored_one_after_the_other():
    async def story():
        store = Store()
        names = await store_all(store, *[file(1)] * 20, *[file(2)] * 3, file(3))
        return names, store.most

    names, most = asyncio.run(story())

    assert (len(names), most) == (24, {1: 1, 2: 1, 3: 1})


def test_a_long_file_waits_for_nobody():
    async def story():
        store = Store()
        await store_all(store, file(1), *[file(1, SPOOL_BYTES + 1)] * 2)
        return store.most

    assert asyncio.run(story()) == {1: 3}


def test_a_file_whose_turn_does_not_come_is_refused():
    async def story():
        store = Store()
        places = Places(2, share=1, wait_seconds=0.01, occupied="The account has other files stored just now")
        first = asyncio.create_task(store_file(form(store), file(1), places))
        await asyncio.sleep(0)
        with pytest.raises(TooManyRequests) as refused:
            await store_file(form(store), file(1), places)
        store.going_on.set()
        await first
        return refused.value.problems[0].message

    assert asyncio.run(story()).startswith(
        "The account has other files stored just now, and this request has waited"
    )
