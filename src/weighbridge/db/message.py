"""A message: statements that go to the server together, so that all are waited for once."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, LiteralString, Self, TypeVar

from psycopg import AsyncConnection, AsyncCursor, AsyncPipeline
from psycopg.abc import PQGen
from psycopg.generators import send
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Composed

from weighbridge import tracing

Record = TypeVar("Record")

Statement = LiteralString | SQL | Composed
Parameters = Sequence[Any] | Mapping[str, Any]
Command = tuple[Statement, Parameters]

BEGIN_READING: Final[Command] = ("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", ())
BEGIN_TRYING: Final[Command] = ("BEGIN ISOLATION LEVEL REPEATABLE READ", ())
BEGIN_WRITING: Final[Command] = ("BEGIN", ())
COMMIT: Final[Command] = ("COMMIT", ())
_OF_CONTROL: Final = (BEGIN_READING, BEGIN_TRYING, BEGIN_WRITING, COMMIT)
"""What has no answer: psycopg need not make ready to read one, which is a third of what a statement costs."""


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


class _Message(AsyncPipeline):
    """Statements that wait for each other and then go out at once.

    A pipeline of psycopg looks after each statement whether some of them can go out or answers have come,
    and sends each by itself: several calls of the system for each, which are no use where all wait for the
    last answer, and which wake the server up as often.
    """

    async def __aenter__(self) -> Self:
        self.pgconn.enter_pipeline_mode()
        self.level += 1
        return self

    def control(self, statement: str) -> None:
        """Add a statement that begins or ends the transaction, and has no answer but that it is done."""
        self.command_queue.append(partial(self.pgconn.send_query_params, statement.encode(), None))
        self.result_queue.append(None)

    def put(self, cursor: AsyncCursor[Any], statement: Any, values: Any) -> None:
        """Add a statement; its cursor has the answer when the message has ended."""
        for _ in cursor._execute_gen(statement, values):  # noqa: SLF001 - as `execute`, which has to be awaited
            raise AssertionError("a statement of a message waits for nothing")

    def _communicate_gen(self) -> PQGen[None]:
        yield from ()

    def _exit_gen(self) -> PQGen[None]:
        self._enqueue_sync()
        try:
            while self.command_queue:
                self.command_queue.popleft()()
            yield from send(self.pgconn)
        finally:
            yield from self._fetch_gen(flush=False)


async def sent(
    connection: AsyncConnection[TupleRow],
    waiting: Sequence[Command | Beforehand],
    commands: Sequence[Command],
    into: AsyncCursor[Any] | None,
) -> list[AsyncCursor[Any]]:
    """Have what waits carried out, and these commands; give the cursor of each of these, the last `into`."""
    if tracing.is_on() and (waiting or commands):
        with tracing.message_span(map(text_of, [*waiting, *commands])):
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
    cursors = [None if one in _OF_CONTROL else AsyncCursor(connection) for one in sending]
    if into is not None:
        cursors[-1] = into
    if len(sending) > 1:
        await _sent_together(connection, cursors, sending)
    elif sending:
        [(statement, values)] = sending
        await (cursors[0] or AsyncCursor(connection)).execute(composed(statement), values)
    for one, asked in zip(waiting, cursors, strict=False):
        if isinstance(one, Beforehand) and asked is not None:
            one.check(await asked.fetchone())
    return [one for one in cursors[len(before) :] if one is not None]


async def _sent_together(
    connection: AsyncConnection[TupleRow],
    cursors: Sequence[AsyncCursor[Any] | None],
    commands: Iterable[Command],
) -> None:
    """Have statements carried out in their order, each with its cursor; those of control have none."""
    message = connection._pipeline = _Message(connection)  # noqa: SLF001 - as `connection.pipeline()` does
    try:
        async with message:
            for cursor, (statement, values) in zip(cursors, commands, strict=True):
                if cursor is None:
                    message.control(str(statement))
                else:
                    message.put(cursor, composed(statement), values)
    finally:
        connection._pipeline = None  # noqa: SLF001


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
