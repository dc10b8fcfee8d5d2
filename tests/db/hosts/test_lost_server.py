"""Nobody waits for a server that cannot be reached, and it is found again soon after it is back.

`ReachablePool`, by a relay that stands between it and the server of the tests.
"""

import asyncio
from contextlib import asynccontextmanager, suppress
from time import monotonic

import pytest
from psycopg import OperationalError
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from weighbridge.db.engine import check
from weighbridge.db.pool import ASK_SECONDS, ReachablePool

AT_ONCE_SECONDS = 0.9 * ASK_SECONDS
SOON_SECONDS = 20.0
PIECE = 65_536


class Relay:
    """Passes on what comes to a port of its own; may be lost, and come back at the same port."""

    def __init__(self, url):
        given = conninfo_to_dict(url)
        self._behind = f"{given['host']}/.s.PGSQL.{given.get('port', 5432)}"
        self._url = url
        self._port = 0
        self._open = []

    @property
    def url(self):
        return make_conninfo(self._url, host="127.0.0.1", port=self._port)

    async def listen(self):
        self._server = await asyncio.start_server(self._pass_on, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    def refuse(self):
        """Take no more connections; those that stand go on."""
        self._server.close()

    def lose(self):
        """Take no more connections, and break those that stand."""
        self.refuse()
        while self._open:
            self._open.pop().transport.abort()

    async def _pass_on(self, reader, writer):
        there, back = await asyncio.open_unix_connection(self._behind)
        self._open += [writer, back]
        with suppress(asyncio.CancelledError):  # at the end of the test
            await asyncio.gather(carry(reader, back), carry(there, writer))


async def carry(reader, writer):
    with suppress(OSError):
        while piece := await reader.read(PIECE):
            writer.write(piece)
        writer.close()


@asynccontextmanager
async def pool_behind(url, *, size=3):
    relay = Relay(url)
    await relay.listen()
    pool = ReachablePool(
        relay.url, check=check, min_size=1, max_size=size, open=False, kwargs={"autocommit": True}
    )
    try:
        async with pool:
            await pool.wait()
            yield relay, pool
    finally:
        relay.lose()


async def ask(pool):
    async with pool.connection() as connection:
        await connection.execute("SELECT 1")


async def ask_until_answered(pool):
    begun = monotonic()
    while True:
        try:
            return await ask(pool)
        except OperationalError:
            assert monotonic() - begun < SOON_SECONDS
            await asyncio.sleep(0.05)


def test_a_lost_server_is_said_to_be_lost_at_once(migrated_database):
    async def run():
        async with pool_behind(migrated_database) as (relay, pool):
            await asyncio.gather(ask(pool), ask(pool), ask(pool))
            relay.lose()
            begun = monotonic()
            for _ in range(10):
                with pytest.raises(OperationalError):
                    await ask(pool)
            return monotonic() - begun

    assert asyncio.run(run()) < AT_ONCE_SECONDS


def test_all_who_wait_for_a_lost_server_hear_so_at_once(migrated_database):
    async def run():
        async with pool_behind(migrated_database) as (relay, pool):
            await ask(pool)
            relay.lose()
            begun = monotonic()
            heard = await asyncio.gather(*(ask(pool) for _ in range(50)), return_exceptions=True)
            return monotonic() - begun, heard

    seconds, heard = asyncio.run(run())
    assert all(isinstance(error, OperationalError) for error in heard)
    assert seconds < AT_ONCE_SECONDS


def test_a_server_that_is_back_is_found_again(migrated_database):
    async def run():
        async with pool_behind(migrated_database) as (relay, pool):
            await ask(pool)
            relay.lose()
            with pytest.raises(OperationalError):
                await ask(pool)
            await relay.listen()
            await ask_until_answered(pool)
            await asyncio.gather(*(ask(pool) for _ in range(10)))

    asyncio.run(run())


def test_who_can_have_a_connection_of_somebody_else_waits_for_it(migrated_database):
    async def run():
        async with pool_behind(migrated_database) as (relay, pool):
            async with pool.connection():
                relay.refuse()
                waiting = asyncio.create_task(ask(pool))
                await asyncio.wait([waiting], timeout=2 * ASK_SECONDS)
                is_waiting = not waiting.done()
            await waiting
            return is_waiting

    assert asyncio.run(run())


def test_a_server_that_is_alone_is_waited_for(migrated_database):
    async def run():
        async with pool_behind(migrated_database) as (relay, pool):
            pool.wait_for_server(SOON_SECONDS)
            await ask(pool)
            relay.lose()
            waiting = asyncio.create_task(ask(pool))
            await asyncio.wait([waiting], timeout=ASK_SECONDS)
            await relay.listen()
            await waiting

    asyncio.run(run())
