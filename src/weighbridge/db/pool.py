"""A pool of connections that nobody waits for while its server cannot be reached.

The pool that this is made from lets callers wait for half a minute, and asks for a lost server ever more
rarely. Here callers hear at once that the server is lost, which costs nobody else a place, and the server is
asked for every second.

Invariant: while a connection is in use or idle, the server is not taken for lost because it gives no more.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final

from psycopg import AsyncConnection, OperationalError
from psycopg.rows import TupleRow
from psycopg_pool import AsyncConnectionPool

PATIENCE_SECONDS: Final = 10.0
"""How long callers wait for a server that is alone, and may be starting again."""

ASK_SECONDS: Final = 1.0
"""How often a lost server is asked for."""

OPEN_SECONDS: Final = 5.0
"""How long who wants a pool to be ready waits for its first connections."""

_log: Final = logging.getLogger(__name__)

Check = Callable[[AsyncConnection[TupleRow]], Awaitable[None]]


class ReachablePool(AsyncConnectionPool[AsyncConnection[TupleRow]]):
    """A pool of connections to one server, or to several of which one takes writes."""

    def __init__(
        self, conninfo: str, *, check: Check, patience_seconds: float = 0.0, **settings: Any
    ) -> None:
        """Callers wait so long for a lost server; `check` is asked about idle connections."""
        self._check_idle = check
        self._in_use = 0
        self._failure: Exception | None = None
        self._loss: str | None = None
        self._asking: asyncio.Task[None] | None = None
        super().__init__(conninfo, check=self._look, **settings)
        self.wait_for_server(patience_seconds)

    def wait_for_server(self, seconds: float) -> None:
        """Have callers wait so long from now on, for a server that cannot be reached."""
        self._patience = seconds
        self.reconnect_timeout = max(seconds, ASK_SECONDS)

    async def open(self, wait: bool = False, timeout: float = OPEN_SECONDS) -> None:  # noqa: ASYNC109, FBT001, FBT002 - the pool's
        """Open the pool, as the pool does."""
        await super().open(wait, min(timeout, OPEN_SECONDS))

    async def close(self, timeout: float = 5.0) -> None:  # noqa: ASYNC109 - the pool's
        """Close the pool, and ask for the server no more."""
        if self._asking is not None:
            self._asking.cancel()
        await super().close(timeout)

    async def getconn(self, timeout: float | None = None) -> AsyncConnection[TupleRow]:  # noqa: ASYNC109 - the pool's
        """Give a connection, as the pool does; OperationalError at once while the server is lost."""
        connection = await super().getconn(timeout)
        self._in_use += 1
        return connection

    async def _getconn_unchecked(self, timeout: float) -> AsyncConnection[TupleRow]:  # noqa: ASYNC109 - the pool's
        if self._loss is not None and not self._pool:
            raise OperationalError(self._loss)
        return await super()._getconn_unchecked(timeout)

    async def putconn(self, conn: AsyncConnection[TupleRow]) -> None:
        """Take a connection back, as the pool does."""
        self._in_use -= 1
        await super().putconn(conn)

    async def reconnect_failed(self) -> None:
        """Give up on the server for now."""
        await self._give_up()

    async def _connect(self, timeout: float | None = None) -> AsyncConnection[TupleRow]:  # noqa: ASYNC109 - the pool's
        try:
            connection = await super()._connect(timeout)
        except Exception as error:
            self._failure = error
            if not self._patience or self._loss is not None:
                await self._give_up()
            raise
        if self._loss is not None:
            _log.warning("The database can be reached again: %s", self.name)
            self._loss = None
        return connection

    async def _look(self, connection: AsyncConnection[TupleRow]) -> None:
        """Refuse an idle connection that does not stand, and have those beside it made anew."""
        try:
            await self._check_idle(connection)
        except Exception:
            await self.drain()  # one by one, each would make its caller wait for longer
            raise

    async def _give_up(self) -> None:
        """Take the server for lost, unless connections to it are there."""
        if self._in_use or self._pool or self._closed:
            return
        if self._loss is None:
            self._loss = f"the database cannot be reached: {self._failure}"
            _log.warning("The server of %s is lost: %s", self.name, self._failure)
            self._asking = asyncio.create_task(self._ask())
        async with self._lock:
            waiting = [*self._waiting]
            self._waiting.clear()
        for client in waiting:
            await client.fail(OperationalError(self._loss))

    async def _ask(self) -> None:
        """Ask for the server until it is there; what then connects first ends the loss."""
        while self._loss is not None:
            await asyncio.sleep(ASK_SECONDS)
            try:
                connection = await self._connect()
            except Exception:  # noqa: BLE001, S112 - the reason is the same as before
                continue
            await self._close_connection(connection)
