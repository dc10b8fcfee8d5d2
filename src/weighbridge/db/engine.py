"""Connections and transactions: the only place that begins and commits.

`Database.read()` and `Database.write()` each give one transaction; the type a function takes says
whether it may write. A transaction that ends with an exception leaves nothing behind.

Most of a small request's time is waiting for the next answer of the server. So BEGIN goes out together
with the first statement, what `later` was given goes with the one that follows, and the last of that goes
with COMMIT; statements that do not wait for each other's answers go out together with `several`, and whole
readings with `together`.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Self

from psycopg import AsyncClientCursor, AsyncConnection, OperationalError
from psycopg.errors import ReadOnlySqlTransaction
from psycopg.pq import TransactionStatus
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Literal
from psycopg_pool import AsyncConnectionPool

from weighbridge import tracing
from weighbridge.core.platform.settings import Quotas
from weighbridge.db.connections import IDLE_SECONDS, SessionSettings, connection_pools
from weighbridge.db.locks import (
    COMMIT_AND_UNLOCK,
    LOCK,
    LOCK_AND_BEGIN,
    ROLLBACK_AND_UNLOCK,
    UNLOCK,
    UNLOCKING,
)
from weighbridge.db.message import (
    BEGIN_READING,
    BEGIN_TRYING,
    BEGIN_WRITING,
    COMMIT,
    Command,
    Parameters,
    Statement,
    composed,
    sent,
)
from weighbridge.db.transaction import NO_QUOTAS, KeyBlocks, Memory, Question, Read, Snapshot, Write

__all__ = ["NO_QUOTAS", "Command", "Database", "Parameters", "Question", "Read", "Statement", "Write"]


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
            # Behind a pooler it is a transaction, which begins with what the session is to know.
            begin, end = ([BEGIN_WRITING, *self._begin], [COMMIT]) if self._begin else ([], [])
            [cursor] = await sent(connection, begin, [(statement, values), *end], None)
            return await cursor.fetchone()
        finally:
            await self._pool.putconn(connection)

    @tracing.transaction
    def read(self) -> "_ReadTransaction":
        """Begin a transaction in which every statement sees the same snapshot."""
        return _ReadTransaction(self._pool, self.memory, self._begin)

    @tracing.opened_transaction
    async def question(self) -> AsyncIterator[Question]:
        """Begin to read what an answer is computed from."""
        question = Question(self._pool, await self._pool.getconn(), self.memory, self._begin)
        try:
            yield question
        finally:
            await question.end()

    @tracing.opened_transaction
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

    @tracing.opened_transaction
    async def trial(self) -> AsyncIterator[Write]:
        """Begin a transaction that may change data and is always undone; it sees one snapshot throughout."""
        async with self._pool.connection() as connection:
            try:
                begin = [BEGIN_TRYING, *self._begin]
                yield Write(connection, self.event_keys, self.memory, begin, self.quotas)
            finally:
                if not connection.closed:
                    await connection.rollback()

    @tracing.opened_transaction
    async def snapshot(
        self, *, locks: Sequence[str], first: Command | None = None
    ) -> AsyncIterator[Snapshot]:
        """Begin a transaction in which every statement sees the same snapshot, alone under named locks.

        The locks are taken in their order and before the snapshot, so that it shows what their last holders
        committed. What is to be done first is done, and committed, between the two.
        """
        lock = SQL("; ").join(LOCK.format(Literal(name)) for name in locks)
        unlock = SQL("; ").join(UNLOCK.format(Literal(name)) for name in locks)
        async with self._sessions.connection() as connection:
            # Each in one message: a process that freezes never holds the lock outside a transaction,
            # where no timeout would take it away.
            done = SQL("") if first is None else _apart(connection, first)
            begun = await connection.execute(LOCK_AND_BEGIN.format(lock, done))
            try:
                for _ in locks if first is not None else ():
                    begun.nextset()
                row = None if first is None else await begun.fetchone()
                tx = Snapshot(connection, self.event_keys, self.memory, first=row)
                yield tx
                if tx.is_ready:
                    await connection.execute(COMMIT_AND_UNLOCK.format(unlock))
                else:
                    await tx.finish(*((UNLOCKING, (name,)) for name in locks))
            except BaseException:
                if not connection.closed:
                    await connection.execute(ROLLBACK_AND_UNLOCK.format(unlock))
                raise


def _apart(connection: AsyncConnection[TupleRow], command: Command) -> SQL:
    """A statement as one of several that go without parameters: its values stand in its text."""
    statement, values = command
    text = AsyncClientCursor(connection).mogrify(composed(statement), values)
    return SQL(f"; {text}")  # psycopg has quoted the values in it


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
