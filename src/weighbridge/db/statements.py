"""A gathering: readings that do not wait for each other, so that what they ask goes out in one message.

Each reading has a task of its own and goes on until it asks something. When all have asked or come to their
end, their questions are sent together, in the order in which they were asked, and each goes on with its
answer. A worked example: one reading asks for a ledger and then for its batches, another for a catalogue. The
ledger and the catalogue are asked for in one message, the batches in a second one.

Invariants: a reading gets the answers that it would have got alone; what it has set beforehand for its own
statement stands right before that statement; of several readings that fail, the first one is heard.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from psycopg import AsyncCursor

from weighbridge.db.message import Beforehand, Command

Cursors = list[AsyncCursor[Any]]
Send = Callable[[Sequence[Command | Beforehand], Sequence[Command]], Awaitable[Cursors]]
"""Sends what waits and commands in one message, and gives the cursor of each command."""


@dataclass(slots=True)
class _Question:
    """What one reading asks, and has set before it."""

    waiting: Sequence[Command | Beforehand]
    commands: Sequence[Command]
    answer: "asyncio.Future[Cursors]"


@dataclass(slots=True)
class _Gathered:
    """Readings that were gathered together, and how many of them have not ended."""

    is_inner: bool
    reading: int


class Gathering:
    """The readings of one transaction that are under way, and what they have asked."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._reading = 0
        self._asked: list[_Question] = []

    async def read(self, readings: Sequence[Coroutine[Any, Any, Any]]) -> list[Any]:
        """Give what comes of each reading; one that gathers readings itself goes on when they have ended."""
        if not readings:
            return []
        group = _Gathered(self._reading > 0, len(readings))
        self._reading += group.reading - group.is_inner
        tasks = [asyncio.ensure_future(self._read(one, group)) for one in readings]
        try:
            results = await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            await asyncio.wait(tasks)
        for one in results:
            if isinstance(one, BaseException):
                raise one
        return results

    async def ask(self, waiting: Sequence[Command | Beforehand], commands: Sequence[Command]) -> Cursors:
        """Ask with the next message, and wait for its answer."""
        question = _Question(waiting, commands, asyncio.get_running_loop().create_future())
        self._asked.append(question)
        await self._send_when_all_have_asked()
        return await question.answer

    async def _read(self, reading: Coroutine[Any, Any, Any], group: _Gathered) -> Any:
        try:
            return await reading
        finally:
            group.reading -= 1
            # The reading that gathered them takes the place of the last.
            if group.reading or not group.is_inner:
                self._reading -= 1
                await self._send_when_all_have_asked()

    async def _send_when_all_have_asked(self) -> None:
        if not self._asked or len(self._asked) < self._reading:
            return
        asked, self._asked = self._asked, []
        try:
            await self._send_all(asked)
        except Exception as error:  # noqa: BLE001 - all who asked are told
            for one in asked:
                if not one.answer.done():
                    one.answer.set_exception(error)
        except BaseException:  # nobody waits for the readings any more
            for one in asked:
                one.answer.cancel()
            raise

    async def _send_all(self, asked: Sequence[_Question]) -> None:
        """Send questions in one message; what stands before the first command of all has no answer."""
        first = asked[0].waiting
        before = [*takewhile(lambda one: not isinstance(one, Beforehand), first)]
        of_first = first[len(before) :]
        waiting = [of_first, *(one.waiting for one in asked[1:])]
        sent = [
            command
            for settings, one in zip(waiting, asked, strict=True)
            for command in (*map(_command, settings), *one.commands)
        ]
        cursors = iter(await self._send(before, sent))
        for settings, one in zip(waiting, asked, strict=True):
            set_before = [(setting, next(cursors)) for setting in settings]
            answers = [next(cursors) for _ in one.commands]
            try:
                for setting, cursor in set_before:
                    if isinstance(setting, Beforehand):
                        setting.check(await cursor.fetchone())
            except Exception as refusal:  # noqa: BLE001 - the reading that asked is told
                one.answer.set_exception(refusal)
            else:
                one.answer.set_result(answers)


def _command(waiting: Command | Beforehand) -> Command:
    return waiting.command if isinstance(waiting, Beforehand) else waiting
