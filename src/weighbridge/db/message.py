"""A message: statements that go to the server together, so that all are waited for once."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from psycopg import AsyncConnection, AsyncPipeline
from psycopg.abc import PQGen
from psycopg.rows import TupleRow


class _Message(AsyncPipeline):
    """Statements that wait for each other and then go out at once.

    A pipeline of psycopg looks after each statement whether some of them can go out or answers have come,
    which is two calls of the system for each and no use where all wait for the last answer.
    """

    is_complete = False

    def _communicate_gen(self) -> PQGen[None]:
        if self.is_complete:
            yield from super()._communicate_gen()

    def _exit_gen(self) -> PQGen[None]:
        self.is_complete = True
        yield from super()._exit_gen()


@asynccontextmanager
async def one_message(connection: AsyncConnection[TupleRow]) -> AsyncIterator[None]:
    """What is executed inside goes out together at the end."""
    message = connection._pipeline = _Message(connection)  # noqa: SLF001 - as `connection.pipeline()` does
    try:
        async with message:
            yield
    finally:
        connection._pipeline = None  # noqa: SLF001
