"""A message: statements that go to the server together, so that all are waited for once."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, Final, LiteralString, TypeVar

from psycopg import AsyncConnection, AsyncCursor
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Composed

from weighbridge import tracing as spans

Record = TypeVar("Record")

Statement = LiteralString | SQL | Composed
Parameters = Sequence[Any] | Mapping[str, Any]
Command = tuple[Statement, Parameters]

BEGIN_READING: Final[Command] = ("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", ())
BEGIN_TRYING: Final[Command] = ("BEGIN ISOLATION LEVEL REPEATABLE READ", ())
BEGIN_WRITING: Final[Command] = ("BEGIN", ())
COMMIT: Final[Command] = ("COMMIT", ())
_OF_CONTROL: Final = (BEGIN_READING, BEGIN_TRYING, BEGIN_WRITING, COMMIT)
"""What has no answer but that it is done."""


@dataclass(slots=True)
class Beforehand:
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


async def sent(
    connection: AsyncConnection[TupleRow],
    waiting: Sequence[Command | Beforehand],
    commands: Sequence[Command],
    into: AsyncCursor[Any] | None,
) -> list[AsyncCursor[Any]]:
    """Have what waits carried out, and these commands; give the cursor of each of these, the last `into`."""
    if spans.is_on() and (waiting or commands):
        with spans.message_span(map(text_of, [*waiting, *commands])):
            return await _sent(connection, waiting, commands, into)
    return await _sent(connection, waiting, commands, into)


async def _sent(
    connection: AsyncConnection[TupleRow],
    waiting: Sequence[Command | Beforehand],
    commands: Sequence[Command],
    into: AsyncCursor[Any] | None,
) -> list[AsyncCursor[Any]]:
    before = [one.command if isinstance(one, Beforehand) else one for one in waiting]
    sending = [*before, *commands]
    cursors: list[AsyncCursor[Any]] = [AsyncCursor(connection) for _ in sending]
    if into is not None:
        cursors[-1] = into
    # A pipeline costs two more answers of the server, which one statement by itself need not wait for.
    async with connection.pipeline() if len(sending) > 1 else nullcontext():
        for cursor, (statement, values) in zip(cursors, sending, strict=True):
            await cursor.execute(composed(statement), values)
    for one, asked in zip(waiting, cursors, strict=False):
        if isinstance(one, Beforehand):
            one.check(await asked.fetchone())
    answered = zip(cursors[len(before) :], commands, strict=True)
    return [cursor for cursor, command in answered if command not in _OF_CONTROL]


def text_of(command: Command | Beforehand) -> str:
    """The text of a statement, to be named by: values are apart from it."""
    statement, _ = command.command if isinstance(command, Beforehand) else command
    return statement if isinstance(statement, str) else statement.as_string()


def composed(statement: LiteralString | SQL | Composed) -> SQL | Composed:
    """A statement as psycopg takes it."""
    return SQL(statement) if isinstance(statement, str) else statement


def unparameterized(statement: LiteralString | SQL | Composed, connection: AsyncConnection[Any]) -> bytes:
    """A statement as the server takes it where no parameters go with it.

    psycopg then leaves the percent signs as they stand, which are doubled in a statement as everywhere.
    """
    return composed(statement).as_bytes(connection).replace(b"%%", b"%")


def positional(
    make: Callable[..., Record],
) -> Callable[[AsyncCursor[Any]], Callable[[Sequence[Any]], Record]]:
    """Build records by position, which is three times quicker than by name."""
    return lambda _cursor: lambda row: make(*row)
