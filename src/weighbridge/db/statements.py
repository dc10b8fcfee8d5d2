"""Statements: the values written into them, what is set before them, and how readings share a message.

A `Literal` makes a text of its own for each value. Parts are what statements of many forms are made of where
the server is to plan a form once: the text is the same for all values, which stand beside it. So do long
arrays of moments, ready made: psycopg takes so long over each moment that an event loop would be held up by
twenty thousand. JSON is written as canonical text, every digit kept.

A `StatementPrelude` is one statement of all that is asked and set before others. A `Gathering` gives each
reading a task of its own, which goes on until it asks something. When all have asked or ended, their
questions are sent together, in the order in which they were asked, and each goes on with its answer. An
example: one reading asks for a ledger and then for its batches, another for a catalogue. The ledger and the
catalogue are asked for in one message, the batches in a second one.

What is written may also be sent on by a cluster, which computes functions that are not immutable before it
does so, though not inside of CASE and coalesce, beside columns, or in DO UPDATE, where `excluded` has what a
default made. In a sub-select they pass, `SET at = (SELECT clock_timestamp())`; one with now() and a parameter
stands in FROM. `CASE x WHEN 1` is garbled, and `CASE WHEN x = 1` says the same. Parts of a statement that
write are carried out one after the other there, each with its own checks. An INSERT that reads tables reads
them in a part of its own (`WITH made AS MATERIALIZED (…)`): Citus 14 fails or crashes else. A temporary table
stands in FROM as `(SELECT * FROM name)`.

Invariants: whatever the value, a statement means the same with and without parameters, although psycopg reads
a percent sign in any statement as the start of a placeholder, also inside a quoted text. A reading gets the
answers that it would have got alone; its prelude runs right before its own statement; of several readings
that fail, the error of the first one is raised.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import takewhile
from typing import Any, Final, LiteralString, TypeVar

import msgspec
from psycopg import AsyncCursor, sql
from psycopg.abc import AdaptContext
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Composed
from psycopg.types.json import Jsonb

from weighbridge.core.identity import Link
from weighbridge.core.number import read_special
from weighbridge.core.time.calendar import Instant

Statement = LiteralString | SQL | Composed
Parameters = Sequence[Any] | Mapping[str, Any]
Command = tuple[Statement, Parameters]

BEGIN_READING: Final[Command] = ("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", ())
BEGIN_TRYING: Final[Command] = ("BEGIN ISOLATION LEVEL REPEATABLE READ", ())
BEGIN_WRITING: Final[Command] = ("BEGIN", ())
COMMIT: Final[Command] = ("COMMIT", ())
STATEMENTS_OF_CONTROL: Final = (BEGIN_READING, BEGIN_TRYING, BEGIN_WRITING, COMMIT)
"""What has no answer: psycopg need not make ready to read one, which is a third of what a statement costs."""


class Literal(sql.Literal):
    """A quoted value in which a percent sign is only a percent sign."""

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self.value = value

    def as_bytes(self, context: AdaptContext | None = None) -> bytes:
        return super().as_bytes(context).replace(b"%", b"%%")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a statement: its text with a place for each of its values.

    Composing such parts takes a fifth of the time that psycopg takes to compose and write the same text.
    """

    text: str
    values: tuple[Any, ...] = ()

    @classmethod
    def of(cls, composable: "sql.Composable | Part") -> "Part":
        if isinstance(composable, Part):
            return composable
        texts: list[str] = []
        values: list[Any] = []
        _write(composable, texts, values)
        return cls("".join(texts), tuple(values))

    @classmethod
    def joined(cls, separator: str, parts: Sequence["Part"]) -> "Part":
        return cls(
            separator.join(part.text for part in parts),
            tuple(value for part in parts for value in part.values),
        )

    @property
    def command(self) -> Command:
        return sql.SQL(self.text), self.values


def _write(composable: sql.Composable, texts: list[str], values: list[Any]) -> None:
    if isinstance(composable, Literal):
        texts.append("%s")
        values.append(composable.value)
    elif isinstance(composable, sql.Composed):
        for part in composable:
            _write(part, texts, values)
    elif isinstance(composable, sql.SQL):
        texts.append(composable.as_string())
    else:
        raise TypeError(f"{composable!r} has no place in a part of a statement; use Literal of this module")


def moments(times: Iterable[datetime]) -> str:
    """Moments with their offsets, as the text of an array; the statement says `::timestamptz[]` behind it."""
    return f"{{{','.join(map(datetime.isoformat, times))}}}"


def numbers(some: Iterable[int]) -> str:
    """Whole numbers as the text of an array; the statement says `::integer[]` or `::bigint[]` behind it.

    psycopg looks at each of a list to tell how wide they are, and has the server plan anew for each width.
    """
    return f"{{{','.join(map(str, some))}}}"


def nothings(count: int) -> str:
    """So many times NULL, as the text of an array; the statement says of which type behind it."""
    return f"{{{','.join(['NULL'] * count)}}}"


T = TypeVar("T")


def to_json_form(value: object) -> object:
    """Give the JSON form of a value that JSON itself has none for."""
    if isinstance(value, Instant):
        return value.text
    if isinstance(value, Link):
        return value.path
    raise TypeError(f"{type(value).__name__} has no form in JSON")


_canonical = msgspec.json.Encoder(enc_hook=to_json_form, decimal_format="number", order="sorted")


def canonical(value: Any) -> bytes:
    """Write JSON that is the same bytes for the same value."""
    return _canonical.encode(value)


def canonical_sha256(value: Any) -> str:
    """Digest a value by its canonical JSON."""
    return hashlib.sha256(canonical(value)).hexdigest()


def as_record(value: Any, kind: type[T]) -> T:
    """Make a record of what a jsonb column held."""
    return msgspec.convert(value, kind, dec_hook=read_special)


def jsonb(value: Any) -> Jsonb | None:
    """Wrap a value for a jsonb column; None is SQL's NULL."""
    return None if value is None else Jsonb(value, dumps=canonical)


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
            for reading in readings:
                reading.close()  # one that was given up before it began
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
