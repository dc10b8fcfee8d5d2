"""A pool of connections that nobody waits for while its server cannot be reached.

The pool that this is made from lets callers wait for half a minute, and asks for a lost server ever more
rarely. Here callers hear at once that the server is lost, which costs nobody else a place, and the server is
asked for every second.

Invariant: while a connection is in use or idle, the server is not taken for lost because it gives no more.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final, Self

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

Use = Callable[[AsyncConnection[TupleRow]], Awaitable[None]]


class ReportingConnection(AsyncConnection[TupleRow]):
    """A connection whose pool hears of it when it cannot be made."""

    @classmethod
    async def connect(  # type: ignore[override] # a pool gives what it was made with
        cls, conninfo: str = "", *, reports_to: "ReachablePool", **settings: Any
    ) -> Self:
        """Connect, as psycopg does."""
        try:
            return await super().connect(conninfo, **settings)
        except Exception as error:
            reports_to.hear_failure(error)
            raise


class ReachablePool(AsyncConnectionPool[AsyncConnection[TupleRow]]):
    """A pool of connections to one server, or to several of which one takes writes."""

    def __init__(
        self,
        conninfo: str,
        *,
        check: Use,
        configure: Use | None = None,
        kwargs: dict[str, Any] | None = None,
        patience_seconds: float = 0.0,
        **settings: Any,
    ) -> None:
        """Callers wait so long for a lost server; `check` is asked about idle connections."""
        self._check_idle = check
        self._prepare = configure
        self._in_use = 0
        self._failure: Exception | None = None
        self._loss: str | None = None
        self._asking: asyncio.Task[None] | None = None
        self._callers: set[asyncio.Timeout] = set()
        self._target = conninfo
        self._connect_settings = {**(kwargs or {}), "reports_to": self}
        super().__init__(
            conninfo,
            connection_class=ReportingConnection,
            kwargs=self._connect_settings,
            configure=self._make_ready,
            check=self._look,
            **settings,
        )
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
        if self._loss is not None and not self._has_idle():
            raise OperationalError(self._loss)
        waiting = asyncio.timeout(None)  # ended by `_give_up`
        try:
            async with waiting:
                self._callers.add(waiting)
                connection = await super().getconn(timeout)
        except TimeoutError:
            raise OperationalError(self._loss or str(self._failure)) from None
        finally:
            self._callers.discard(waiting)
        self._in_use += 1
        return connection

    async def putconn(self, conn: AsyncConnection[TupleRow]) -> None:
        """Take a connection back, as the pool does."""
        self._in_use -= 1
        await super().putconn(conn)

    async def reconnect_failed(self) -> None:
        """Give up on the server for now."""
        self._give_up()

    def hear_failure(self, failure: Exception) -> None:
        """Take note of why a connection could not be made; who is not to be patient gives up."""
        self._failure = failure
        if not self._patience or self._loss is not None:
            self._give_up()

    async def _make_ready(self, connection: AsyncConnection[TupleRow]) -> None:
        """Prepare a new connection; by it the server is there."""
        try:
            if self._prepare is not None:
                await self._prepare(connection)
        except Exception as error:
            self.hear_failure(error)
            raise
        if self._loss is not None:
            _log.warning("The database can be reached again: %s", self.name)
            self._loss = None

    async def _look(self, connection: AsyncConnection[TupleRow]) -> None:
        """Refuse an idle connection that does not stand, and have those beside it made anew."""
        try:
            await self._check_idle(connection)
        except Exception:
            await self.drain()  # one by one, each would make its caller wait for longer
            raise

    def _has_idle(self) -> bool:
        return self.get_stats()["pool_available"] > 0

    def _give_up(self) -> None:
        """Take the server for lost, unless connections to it are there; who waits for one hears so."""
        if self._in_use or self.closed or self._has_idle():
            return
        if self._loss is None:
            self._loss = f"the database cannot be reached: {self._failure}"
            _log.warning("The server of %s is lost: %s", self.name, self._failure)
            self._asking = asyncio.create_task(self._ask())
        now = asyncio.get_running_loop().time()
        for waiting in self._callers:
            if not waiting.expired():
                waiting.reschedule(now)

    async def _ask(self) -> None:
        """Ask for the server until it is there; a connection that can be made ready ends the loss."""
        while self._loss is not None:
            await asyncio.sleep(ASK_SECONDS)
            with suppress(Exception):  # the reason is the same as before
                async with await ReportingConnection.connect(self._target, **self._connect_settings) as one:
                    await self._make_ready(one)
