"""Connections and transactions: the only place that begins and commits.

`Database.read()` and `Database.write()` each give one transaction; the type a function takes says
whether it may write. A transaction that ends with an exception leaves nothing behind.

Most of a small request's time is waiting for the next answer of the server. So BEGIN goes out together
with the first statement, what `later` was given goes with the one that follows, and the last of that goes
with COMMIT; statements that do not wait for each other's answers go out together with `several`.
"""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, LiteralString, Self, TypeVar

from psycopg import AsyncConnection, AsyncCursor, OperationalError
from psycopg.errors import ReadOnlySqlTransaction
from psycopg.pq import TransactionStatus
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Literal
from psycopg_pool import AsyncConnectionPool

from weighbridge.core.platform.quota import Quotas
from weighbridge.db.connection import SessionSettings
from weighbridge.db.hosts.pool import connection_pools
from weighbridge.db.keys import KeyBlocks
from weighbridge.db.locks import COMMIT_AND_UNLOCK, LOCK, LOCK_AND_BEGIN, ROLLBACK_AND_UNLOCK, UNLOCK
from weighbridge.db.memory import Memory
from weighbridge.db.message import (
    BEGIN_READING,
    BEGIN_TRYING,
    BEGIN_WRITING,
    COMMIT,
    Beforehand,
    Command,
    Parameters,
    Statement,
    composed,
    positional,
    sent,
)
from weighbridge.db.threads import computed
from weighbridge.tracing import spans

Record = TypeVar("Record")
Result = TypeVar("Result")

__all__ = ["NO_QUOTAS", "Command", "Database", "Parameters", "Question", "Read", "Statement", "Write"]

COPIED_BYTES: Final = 262_144
"""How much of what a COPY writes is handed on at a time."""
NO_QUOTAS: Final = Quotas()
"""For whoever works for the service itself."""


class Read:
    """A transaction that sees one snapshot and changes nothing."""

    def __init__(
        self, connection: AsyncConnection[TupleRow], memory: Memory, begin: Sequence[Command] = ()
    ) -> None:
        self._connection = connection
        self.memory = memory
        self._begin = [*begin]
        self._waiting: list[Command | Beforehand] = [*begin]

    async def ready(self) -> AsyncConnection[TupleRow]:
        """The connection, once all that was to go out before has gone out."""
        await self._run()
        return self._connection

    async def rows(
        self, make: Callable[..., Record], statement: Statement, values: Parameters = ()
    ) -> list[Record]:
        """Run a statement and make a record of each row, the columns in the order of the parameters."""
        cursor = AsyncCursor(self._connection, row_factory=positional(make))
        await self._run((statement, values), into=cursor)
        return await cursor.fetchall()

    async def row(
        self, make: Callable[..., Record], statement: Statement, values: Parameters = ()
    ) -> Record | None:
        """Run a statement that gives at most one row."""
        records = await self.rows(make, statement, values)
        assert len(records) <= 1, "the statement promises at most one row"  # noqa: S101
        return records[0] if records else None

    async def tuples(self, statement: Statement, values: Parameters = ()) -> list[TupleRow]:
        """Run a statement and give its rows as tuples."""
        [cursor] = await self._run((statement, values))
        return await cursor.fetchall()

    async def several(self, *commands: Command) -> list[list[TupleRow]]:
        """Run statements in their order, all sent at once, and give the rows of each."""
        return [await cursor.fetchall() for cursor in await self._run(*commands)]

    async def lastly(self, *commands: Command) -> list[list[TupleRow]]:
        """Run the last statements of the transaction, as `several` does; what comes after is in another.

        It ends with them, which saves a message.
        """
        cursors = await self._run(*commands, COMMIT)
        self._waiting = [*self._begin]
        return [await cursor.fetchall() for cursor in cursors]

    def require(self, statement: str, values: Sequence[Any], refusal: Exception) -> None:
        """Ask a question with the next statement, and raise the refusal there when it gives no row.

        So a statement may go out before it is known whether it may be asked; nobody sees what it gave.
        """
        self._put_before(f"EXISTS ({statement})", values, refusal)

    def beforehand(self, *expressions: LiteralString) -> None:
        """Have expressions evaluated before the next statement, for what they do: settings of the server."""
        for one in expressions:
            self._put_before(one, (), None)

    def _put_before(self, expression: str, values: Sequence[Any], refusal: Exception | None) -> None:
        last = self._waiting[-1] if self._waiting else None
        if not isinstance(last, Beforehand):
            last = Beforehand()
            self._waiting.append(last)
        last.expressions.append(expression)
        last.values.extend(values)
        last.refusals.append(refusal)

    async def settle(self) -> None:
        """Ask what is still to be asked."""
        if any(isinstance(one, Beforehand) for one in self._waiting):
            await self._run()

    async def value(self, statement: Statement, values: Parameters = ()) -> Any:
        """Run a statement and give the first column of its first row, or None."""
        [cursor] = await self._run((statement, values))
        row = await cursor.fetchone()
        return row[0] if row else None

    async def portions(self, statement: Statement, rows: int) -> AsyncIterator[list[TupleRow]]:
        """Run a statement and give its rows so many at a time, in flat memory; others may run meanwhile."""
        connection = await self.ready()
        async with connection.cursor(name="portions") as cursor:
            await cursor.execute(composed(statement))
            while portion := await cursor.fetchmany(rows):
                yield portion

    async def copied(self, statement: Statement) -> AsyncIterator[bytes]:
        """Give what a COPY ... TO STDOUT statement writes, many rows at a time, in flat memory."""
        connection = await self.ready()
        block = bytearray()
        async with connection.cursor() as cursor, cursor.copy(composed(statement)) as stream:
            async for row in stream:
                block += row
                if len(block) >= COPIED_BYTES:
                    yield bytes(block)
                    block.clear()
        yield bytes(block)

    async def in_thread(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """Compute in a thread while the transaction stays open, however long it takes.

        The server ends a transaction that idles. A living process keeps this one in use; a frozen one
        cannot, and loses it in time. The computation is halted when nobody waits for it any more.
        """

        async def keep_in_use() -> None:
            await self._run(("SELECT 1", ()))

        return await computed(keep_in_use, work, *arguments)

    async def _run(self, *commands: Command, into: AsyncCursor[Any] | None = None) -> list[AsyncCursor[Any]]:
        """Send what waits and these commands together; give the cursor of each of these, the last `into`."""
        waiting = self._waiting
        self._waiting = []
        return await sent(self._connection, waiting, commands, into)


class Question(Read):
    """Readings with computations between them: while it computes, it holds no connection.

    What is read after a computation comes of a snapshot of its own.
    """

    def __init__(
        self,
        pool: AsyncConnectionPool,
        connection: AsyncConnection[TupleRow],
        memory: Memory,
        begin: Sequence[Command],
    ) -> None:
        super().__init__(connection, memory, [BEGIN_READING, *begin])
        self._pool = pool
        self._holds_connection = True

    async def in_thread(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """Compute in a thread, however long it takes."""
        await self.settle()
        await self.end()
        result = await computed(None, work, *arguments)
        self._connection = await self._pool.getconn()
        self._holds_connection = True
        self._waiting = [*self._begin]
        return result

    async def end(self) -> None:
        """Give the connection back; the pool rolls back what a failed statement left open."""
        if not self._holds_connection:
            return
        self._holds_connection = False
        try:
            if self._connection.pgconn.transaction_status == TransactionStatus.INTRANS:
                await self._connection.commit()
        finally:
            await self._pool.putconn(self._connection)


class Write(Read):
    """A transaction that may change data; it commits when its block ends."""

    def __init__(
        self,
        connection: AsyncConnection[TupleRow],
        event_keys: KeyBlocks,
        memory: Memory,
        begin: Sequence[Command] = (),
        quotas: Quotas = NO_QUOTAS,
    ) -> None:
        super().__init__(connection, memory, begin)
        self._event_keys = event_keys
        self.quotas = quotas

    async def lastly(self, *commands: Command) -> list[list[TupleRow]]:
        """As `several`: what writes ends with its block, whoever reads in it."""
        return await self.several(*commands)

    async def take_event_keys(self, count: int) -> list[int]:
        """Give out keys for new events."""
        return await self._event_keys.take(self, count)

    async def execute(self, statement: Statement, values: Parameters = ()) -> int:
        """Run a statement and give the number of rows it touched."""
        [cursor] = await self._run((statement, values))
        return cursor.rowcount

    def later(self, statement: Statement, values: Parameters = ()) -> None:
        """Run a statement, whose answer nobody needs, together with the next one or with the commit.

        What the server has against it is raised there, and ends the transaction all the same.
        """
        self._waiting.append((statement, values))

    @asynccontextmanager
    async def undone(self) -> AsyncIterator[None]:
        """Within, changes are seen; at the end of the block they and the locks that they took are gone.

        An exception leaves that to the end of the transaction.
        """
        await self.execute("SAVEPOINT undone")
        yield
        await self._run(("ROLLBACK TO SAVEPOINT undone", ()), ("RELEASE SAVEPOINT undone", ()))

    async def copy(self, statement: Statement, texts: Iterable[str | bytes]) -> None:
        """Send ready rows, some in each text, to a COPY ... FROM STDIN statement."""
        connection = await self.ready()
        async with connection.cursor() as cursor, cursor.copy(composed(statement)) as stream:
            for text in texts:
                await stream.write(text)


IDLE_SECONDS: Final = 20
"""How long a transaction may wait for its own process, before the server ends it."""


class Database:
    """A pool of connections to one PostgreSQL database."""

    def __init__(
        self,
        url: str,
        *,
        connections_max: int,
        statement_timeout_seconds: int = 0,
        idle_timeout_seconds: int = IDLE_SECONDS,
        quotas: Quotas = NO_QUOTAS,
        session_url: str | None = None,
    ) -> None:
        """Connect to a URL; `session_url` says that it is a pooler's, and where the database itself is."""
        self.url = url
        self.session_url = session_url
        self.quotas = quotas
        self.event_keys = KeyBlocks()
        self.memory = Memory()
        session = SessionSettings(statement_timeout_seconds, idle_timeout_seconds)
        self._pool, self._sessions = connection_pools(url, session_url, connections_max, session)
        self._begin: list[Command] = [] if session_url is None else [session.of_transaction]

    async def open(self) -> None:
        for pool in {self._pool, self._sessions}:
            await pool.open()

    async def close(self) -> None:
        for pool in {self._pool, self._sessions}:
            await pool.close()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def single(self, statement: Statement, values: Parameters = ()) -> TupleRow | None:
        """Run one statement by itself and give its first row."""
        connection = await self._pool.getconn()
        try:
            within = ([BEGIN_WRITING, *self._begin], [COMMIT]) if self._begin else ([], [])
            [cursor] = await sent(connection, within[0], [(statement, values), *within[1]], None)
            return await cursor.fetchone()
        finally:
            await self._pool.putconn(connection)

    @spans.transaction
    def read(self) -> "_ReadTransaction":
        """Begin a transaction in which every statement sees the same snapshot."""
        return _ReadTransaction(self._pool, self.memory, self._begin)

    @spans.opened_transaction
    async def question(self) -> AsyncIterator[Question]:
        """Begin to read what an answer is computed from."""
        question = Question(self._pool, await self._pool.getconn(), self.memory, self._begin)
        try:
            yield question
        finally:
            await question.end()

    @spans.opened_transaction
    async def write(self) -> AsyncIterator[Write]:
        """Begin a transaction and commit it when the block ends without an exception."""
        async with self._pool.connection() as connection:
            begin = [BEGIN_WRITING, *self._begin]
            tx = Write(connection, self.event_keys, self.memory, begin, self.quotas)
            try:
                yield tx
                tx.later(*COMMIT)
                await tx.ready()
            except ReadOnlySqlTransaction as error:  # a proxy led to a host that follows another by now
                await connection.close()
                raise OperationalError("the host takes no writes any more") from error
            except BaseException:
                if not connection.closed:
                    await connection.rollback()
                raise

    @spans.opened_transaction
    async def trial(self) -> AsyncIterator[Write]:
        """Begin a transaction that may change data and is always undone; it sees one snapshot throughout."""
        async with self._pool.connection() as connection:
            try:
                begin = [BEGIN_TRYING, *self._begin]
                yield Write(connection, self.event_keys, self.memory, begin, self.quotas)
            finally:
                if not connection.closed:
                    await connection.rollback()

    @spans.opened_transaction
    async def snapshot(self, *, locks: Sequence[str]) -> AsyncIterator[Write]:
        """Begin a transaction in which every statement sees the same snapshot, alone under named locks.

        The locks are taken in their order and before the snapshot, so that it shows what their last holders
        committed.
        """
        lock = SQL("; ").join(LOCK.format(Literal(name)) for name in locks)
        unlock = SQL("; ").join(UNLOCK.format(Literal(name)) for name in locks)
        async with self._sessions.connection() as connection:
            # Each in one message: a process that freezes never holds the lock outside a transaction,
            # where no timeout would take it away.
            await connection.execute(LOCK_AND_BEGIN.format(lock))
            try:
                tx = Write(connection, self.event_keys, self.memory)
                yield tx
                await tx.ready()
                await connection.execute(COMMIT_AND_UNLOCK.format(unlock))
            except BaseException:
                if not connection.closed:
                    await connection.execute(ROLLBACK_AND_UNLOCK.format(unlock))
                raise


class _ReadTransaction:
    """A transaction that reads, as long as the block lasts; every small request passes here."""

    __slots__ = ("_begin", "_connection", "_memory", "_pool")

    def __init__(self, pool: AsyncConnectionPool, memory: Memory, begin: Sequence[Command]) -> None:
        self._pool = pool
        self._memory = memory
        self._begin = begin

    async def __aenter__(self) -> Read:
        self._connection = await self._pool.getconn()
        return Read(self._connection, self._memory, [BEGIN_READING, *self._begin])

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        connection = self._connection
        try:
            if kind is not None:
                if not connection.closed:
                    await connection.rollback()
            # A rollback would make psycopg forget every statement that it has prepared.
            elif connection.pgconn.transaction_status != TransactionStatus.IDLE:
                await connection.commit()
        finally:
            await self._pool.putconn(connection)
