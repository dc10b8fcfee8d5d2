"""Statements, what is set before them, and how readings that do not wait for each other share a message.

A `StatementPrelude` is one statement of all that is asked and set before others. A `Gathering` gives each
reading a task of its own, which goes on until it asks something. When all have asked or ended, their
questions are sent together, in the order in which they were asked, and each goes on with its answer. An
example: one reading asks for a ledger and then for its batches, another for a catalogue. The ledger and the
catalogue are asked for in one message, the batches in a second one.

Invariants: a reading gets the answers that it would have got alone; its prelude runs right before its own
statement; of several readings that fail, the error of the first one is raised.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Final, LiteralString

from psycopg import AsyncCursor
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Composed

Statement = LiteralString | SQL | Composed
Parameters = Sequence[Any] | Mapping[str, Any]
Command = tuple[Statement, Parameters]

BEGIN_READING: Final[Command] = ("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", ())
BEGIN_TRYING: Final[Command] = ("BEGIN ISOLATION LEVEL REPEATABLE READ", ())
BEGIN_WRITING: Final[Command] = ("BEGIN", ())
COMMIT: Final[Command] = ("COMMIT", ())
STATEMENTS_OF_CONTROL: Final = (BEGIN_READING, BEGIN_TRYING, BEGIN_WRITING, COMMIT)
"""What has no answer: psycopg need not make ready to read one, which is a third of what a statement costs."""


@dataclass(slots=True)
class StatementPrelude:
    """One statement of all that is asked and set before others: each costs as much as half a small list."""

    expressions: list[str] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    refusals: list[Exception | None] = field(default_factory=list)
    """For each expression, what is raised when it is false."""

    @property
    def command(self) -> Command:
        return SQL(f"SELECT {', '.join(self.expressions)}"), self.values

    def check(self, found: TupleRow | None) -> None:
        """Raise the refusal of the first question that has no row."""
        for holds, refusal in zip(found or (), self.refusals, strict=True):
            if refusal is not None and not holds:
                raise refusal


def command_of(waiting: Command | StatementPrelude) -> Command:
    """The statement that waits, or the one that a prelude is."""
    return waiting.command if isinstance(waiting, StatementPrelude) else waiting


Cursors = list[AsyncCursor[Any]]
Send = Callable[[Sequence[Command | StatementPrelude], Sequence[Command]], Awaitable[Cursors]]
"""Sends what waits and commands in one message, and gives the cursor of each command."""


@dataclass(slots=True)
class _Question:
    """What one reading asks, and has set before it."""

    waiting: Sequence[Command | StatementPrelude]
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
        tasks = [asyncio.ensure_future(self._read(reading, group)) for reading in readings]
        try:
            results = await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            await asyncio.wait(tasks)
        for result in results:
            if isinstance(result, BaseException):
                raise result
        return results

    async def ask(
        self, waiting: Sequence[Command | StatementPrelude], commands: Sequence[Command]
    ) -> Cursors:
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
            for question in asked:
                if not question.answer.done():
                    question.answer.set_exception(error)
        except BaseException:  # nobody waits for the readings any more
            for question in asked:
                question.answer.cancel()
            raise

    async def _send_all(self, asked: Sequence[_Question]) -> None:
        """Send questions in one message; what stands before the first command of all has no answer."""
        first = asked[0].waiting
        before = [*takewhile(lambda question: not isinstance(question, StatementPrelude), first)]
        of_first = first[len(before) :]
        waiting = [of_first, *(question.waiting for question in asked[1:])]
        sent = [
            command
            for settings, question in zip(waiting, asked, strict=True)
            for command in (*map(command_of, settings), *question.commands)
        ]
        cursors = iter(await self._send(before, sent))
        for settings, question in zip(waiting, asked, strict=True):
            set_before = [(setting, next(cursors)) for setting in settings]
            answers = [next(cursors) for _ in question.commands]
            try:
                for setting, cursor in set_before:
                    if isinstance(setting, StatementPrelude):
                        setting.check(await cursor.fetchone())
            except Exception as refusal:  # noqa: BLE001 - the reading that asked is told
                question.answer.set_exception(refusal)
            else:
                question.answer.set_result(answers)
