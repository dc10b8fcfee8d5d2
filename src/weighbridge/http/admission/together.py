"""Together: what many requests have to store is stored by one statement, and each goes on when that is done.

While one statement is under way, what comes meanwhile waits and goes with the next one. So many requests for
the same row do not queue for it one by one, each with a connection of its own.

Invariant: nobody goes on before what they brought is committed; where that fails, all who brought it hear so.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Together(Generic[Value]):
    """Stores values by a function that takes all that wait; for one event loop."""

    def __init__(self, store_all: Callable[[Sequence[Value]], Awaitable[None]]) -> None:
        self._store_all = store_all
        self._waiting: list[tuple[Value, asyncio.Future[None]]] = []
        self._storing: asyncio.Task[None] | None = None

    async def store(self, value: Value) -> None:
        """Store a value with others that wait; raises what the database says when it cannot."""
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((value, stored))
        if self._storing is None or self._storing.done():
            self._storing = asyncio.create_task(self._store())
        await stored

    async def _store(self) -> None:
        while self._waiting:
            taken, self._waiting = self._waiting, []
            failure: Exception | None = None
            try:
                await self._store_all([value for value, _ in taken])
            except Exception as error:  # noqa: BLE001 - those who wait are told
                failure = error
            for _, stored in taken:
                if stored.done():  # its request has gone
                    continue
                if failure is None:
                    stored.set_result(None)
                else:
                    stored.set_exception(failure)
