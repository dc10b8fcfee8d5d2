"""A message: statements that go to the server together, so that all are waited for once."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, LiteralString, Self, TypeVar

from psycopg import AsyncConnection, AsyncCursor, AsyncPipeline
from psycopg.abc import PQGen
from psycopg.generators import send
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Composed

Record = TypeVar("Record")


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


async def sent_together(
    connection: AsyncConnection[TupleRow],
    cursors: Sequence[AsyncCursor[Any] | None],
    commands: Iterable[tuple[Any, Any]],
) -> None:
    """Have statements carried out in their order, each with its cursor; those of control have none."""
    message = connection._pipeline = _Message(connection)  # noqa: SLF001 - as `connection.pipeline()` does
    try:
        async with message:
            for cursor, (statement, values) in zip(cursors, commands, strict=True):
                if cursor is None:
                    message.control(statement)
                else:
                    message.put(cursor, statement, values)
    finally:
        connection._pipeline = None  # noqa: SLF001


def composed(statement: LiteralString | SQL | Composed) -> SQL | Composed:
    """A statement as psycopg takes it."""
    return SQL(statement) if isinstance(statement, str) else statement


def positional(
    make: Callable[..., Record],
) -> Callable[[AsyncCursor[Any]], Callable[[Sequence[Any]], Record]]:
    """Build records by position, which is three times quicker than by name."""
    return lambda _cursor: lambda row: make(*row)
