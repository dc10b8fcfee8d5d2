"""Connections and transactions: the only place that begins and commits.

`Database.read()` and `Database.write()` each give one transaction; the type a function takes says
whether it may write. A transaction that ends with an exception leaves nothing behind.
"""

import asyncio
import select
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import Any, Final, LiteralString, Self, TypeVar

import msgspec
from psycopg import AsyncConnection, AsyncCursor
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Composed, Literal
from psycopg.types.json import set_json_loads
from psycopg_pool import AsyncConnectionPool

from weighbridge.core.instant import Instant
from weighbridge.db.keys import KeyBlocks

Record = TypeVar("Record")
Result = TypeVar("Result")

_LOCK_AND_BEGIN = SQL("SELECT pg_advisory_lock({}); COMMIT; BEGIN ISOLATION LEVEL REPEATABLE READ")
_COMMIT_AND_UNLOCK = SQL("COMMIT; SELECT pg_advisory_unlock({})")
_ROLLBACK_AND_UNLOCK = SQL("ROLLBACK; SELECT pg_advisory_unlock({})")
Statement = LiteralString | SQL | Composed
Parameters = Sequence[Any] | Mapping[str, Any]

ALIVE_SECONDS: Final = 0.25
"""How often a transaction that waits for a computation is used, well below every idle timeout."""

# Numbers inside jsonb keep every digit, as they do in numeric columns.
set_json_loads(msgspec.json.Decoder(float_hook=Decimal).decode)


class Read:
    """A transaction that sees one snapshot and changes nothing."""

    def __init__(self, connection: AsyncConnection[TupleRow]) -> None:
        self.connection = connection

    async def rows(
        self, make: Callable[..., Record], statement: Statement, values: Parameters = ()
    ) -> list[Record]:
        """Run a statement and make a record of each row, the columns in the order of the parameters."""
        cursor = AsyncCursor(self.connection, row_factory=_positional(make))
        await cursor.execute(_composed(statement), values)
        return await cursor.fetchall()

    async def row(
        self, make: Callable[..., Record], statement: Statement, values: Parameters = ()
    ) -> Record | None:
        """Run a statement that gives at most one row."""
        found = await self.rows(make, statement, values)
        assert len(found) <= 1, "the statement promises at most one row"  # noqa: S101
        return found[0] if found else None

    async def tuples(self, statement: Statement, values: Parameters = ()) -> list[TupleRow]:
        """Run a statement and give its rows as tuples."""
        cursor = await self.connection.execute(_composed(statement), values)
        return await cursor.fetchall()

    async def value(self, statement: Statement, values: Parameters = ()) -> Any:
        """Run a statement and give the first column of its first row, or None."""
        cursor = await self.connection.execute(_composed(statement), values)
        row = await cursor.fetchone()
        return row[0] if row else None

    async def in_thread(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """Compute in a thread while the transaction stays open, however long it takes.

        The server ends a transaction that idles. A living process keeps this one in use; a frozen one
        cannot, and loses it in time.
        """
        computing = asyncio.create_task(asyncio.to_thread(work, *arguments))
        try:
            while not (await asyncio.wait([computing], timeout=ALIVE_SECONDS))[0]:
                await self.connection.execute("SELECT 1")
            return computing.result()
        finally:
            computing.cancel()


class Write(Read):
    """A transaction that may change data; it commits when its block ends."""

    def __init__(self, connection: AsyncConnection[TupleRow], event_keys: KeyBlocks) -> None:
        super().__init__(connection)
        self._event_keys = event_keys

    async def take_event_keys(self, count: int) -> list[int]:
        """Give out keys for new events."""
        return await self._event_keys.take(self, count)

    async def execute(self, statement: Statement, values: Parameters = ()) -> int:
        """Run a statement and give the number of rows it touched."""
        cursor = await self.connection.execute(_composed(statement), values)
        return cursor.rowcount

    async def copy(self, statement: Statement, text: str | bytes) -> None:
        """Send ready rows to a COPY ... FROM STDIN statement."""
        async with self.connection.cursor() as cursor, cursor.copy(_composed(statement)) as stream:
            await stream.write(text)


class Database:
    """A pool of connections to one PostgreSQL database."""

    def __init__(
        self,
        url: str,
        *,
        connections_max: int,
        statement_timeout_seconds: int = 0,
        idle_timeout_seconds: int = 20,
    ) -> None:
        self.url = url
        self._event_keys = KeyBlocks()
        options = (
            f"-c statement_timeout={statement_timeout_seconds}s "
            f"-c idle_in_transaction_session_timeout={idle_timeout_seconds}s -c TimeZone=UTC"
        )
        self._pool = AsyncConnectionPool(
            url,
            configure=_configure,
            min_size=1,
            max_size=connections_max,
            kwargs={"autocommit": True, "options": options, "application_name": "weighbridge"},
            check=_check,
            open=False,
        )

    async def open(self) -> None:
        await self._pool.open()

    async def close(self) -> None:
        await self._pool.close()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def single(self, statement: Statement, values: Parameters = ()) -> TupleRow | None:
        """Run one statement by itself and give its first row."""
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_composed(statement), values)
            return await cursor.fetchone()

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Read]:
        """Begin a transaction in which every statement sees the same snapshot."""
        async with self._pool.connection() as connection:
            await connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            try:
                yield Read(connection)
            finally:
                if not connection.closed:
                    await connection.rollback()

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Write]:
        """Begin a transaction and commit it when the block ends without an exception."""
        async with self._pool.connection() as connection, connection.transaction():
            yield Write(connection, self._event_keys)

    @asynccontextmanager
    async def snapshot(self, *, lock: str) -> AsyncIterator[Write]:
        """Begin a transaction in which every statement sees the same snapshot, alone under a named lock.

        The lock is taken before the snapshot, so that the snapshot shows what its last holder committed.
        """
        key = SQL("hashtextextended({}, 0)").format(Literal(lock))
        async with self._pool.connection() as connection:
            # Each in one message: a process that freezes never holds the lock outside a transaction,
            # where no timeout would take it away.
            await connection.execute(_LOCK_AND_BEGIN.format(key))
            try:
                yield Write(connection, self._event_keys)
                await connection.execute(_COMMIT_AND_UNLOCK.format(key))
            except BaseException:
                if not connection.closed:
                    await connection.execute(_ROLLBACK_AND_UNLOCK.format(key))
                raise


class _InstantLoader(Loader):
    """Times come out of the database as instants; the session's zone is UTC and columns keep milliseconds."""

    def load(self, data: Buffer) -> Instant:
        return Instant.fromisoformat(bytes(data).decode())


async def _check(connection: AsyncConnection[TupleRow]) -> None:
    """Refuse a connection whose server has gone, without asking the server.

    A server that ends a connection says so, which makes an idle socket readable; only then it is asked.
    """
    if connection.closed or select.select([connection.fileno()], [], [], 0)[0]:
        await AsyncConnectionPool.check_connection(connection)


async def _configure(connection: AsyncConnection[TupleRow]) -> None:
    connection.adapters.register_loader("timestamptz", _InstantLoader)


def _composed(statement: Statement) -> SQL | Composed:
    return SQL(statement) if isinstance(statement, str) else statement


def _positional(
    make: Callable[..., Record],
) -> Callable[[AsyncCursor[Any]], Callable[[Sequence[Any]], Record]]:
    """Build records by position, which is three times quicker than by name."""
    return lambda _cursor: lambda row: make(*row)
