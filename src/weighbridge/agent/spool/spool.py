"""The spool as sources and sender hold it: its steps run one after the other on a thread of their own.

A sync takes milliseconds, in which the loop goes on reading. A full spool is waited for: who wants to keep
something goes on when there is room, and lets its source hold meanwhile what it has not been told is kept.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from weighbridge.agent.clock import now
from weighbridge.agent.spool.database import Handover, SpoolDatabase, SpooledReading, SpoolFullError

Result = TypeVar("Result")

MEGABYTE = 1_000_000


class Spool:
    """One spool for all parts of a running agent."""

    def __init__(self, database: SpoolDatabase, thread: ThreadPoolExecutor) -> None:
        self._database = database
        self._thread = thread
        self.arrived = asyncio.Event()
        """Set when something new waits."""
        self.has_room = asyncio.Event()
        """Set while the spool takes readings."""
        self.has_room.set()

    async def keep(self, handed: Handover) -> int:
        """Make durable what a source hands over; raises SpoolFullError while there is no room."""
        try:
            new = await self._do(lambda one: one.keep(handed, now()))
        except SpoolFullError:
            self.has_room.clear()
            raise
        if new:
            self.arrived.set()
        return new

    async def oldest(self, most: int) -> list[SpooledReading]:
        """The readings that have waited longest."""
        return await self._do(lambda one: one.oldest(most))

    async def settle(self, sent: Sequence[int], refused: Mapping[int, str]) -> None:
        """Readings leave that the service has, or has refused."""
        await self._do(lambda one: one.settle(sent, refused, now()))
        self.has_room.set()

    async def positions(self, source: str) -> dict[str, datetime]:
        """Up to when everything of a source's variables is here."""
        return await self._do(lambda one: one.positions(source))

    async def packet(self, source: str, number: int) -> bytes | None:
        """The digest of the last packet with a number."""
        return await self._do(lambda one: one.packet(source, number))

    async def note(self, name: str, fact: Any) -> None:
        """Note how something fares; on a full disk that goes unnoted, for readings come first."""
        with suppress(SpoolFullError):
            await self._do(lambda one: one.note(name, fact, now()))

    async def is_noted(self, name: str) -> bool:
        """Whether there is a fact of this name."""
        return await self._do(lambda one: one.is_noted(name))

    async def waiting(self) -> tuple[int, datetime | None, int]:
        """How many readings wait, since when the oldest has, and how many were refused."""
        return await self._do(lambda one: one.waiting())

    async def _do(self, step: Callable[[SpoolDatabase], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, step, self._database)


@asynccontextmanager
async def opened_spool(path: Path, megabytes_max: int) -> AsyncIterator[Spool]:
    """The spool at a path. Raises Refusal where it cannot be had."""
    with ThreadPoolExecutor(1, "spool") as thread:
        loop = asyncio.get_running_loop()
        database = await loop.run_in_executor(thread, SpoolDatabase, path, megabytes_max * MEGABYTE)
        try:
            yield Spool(database, thread)
        finally:
            await loop.run_in_executor(thread, database.close)
