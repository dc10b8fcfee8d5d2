"""What may be done within a transaction: reading, computing between reads, writing.

`engine.py` begins and ends transactions, and passes each as one of these types; the type that a
function takes tells whether it may write. `send_message` sends statements together, so that all are
waited for once. `KeyBlocks` and `Memory` save a transaction round trips to the server.

Invariants: no event key is given out twice; a remembered row is never returned as current.
"""

import asyncio
from collections import OrderedDict
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Hashable,
    Iterable,
    Iterator,
    Sequence,
)
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any, Final, LiteralString, Protocol, Self, TypeVar

from psycopg import AsyncConnection, AsyncCursor, AsyncPipeline
from psycopg.abc import PQGen
from psycopg.generators import send
from psycopg.pq import TransactionStatus
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Composed, Identifier
from psycopg_pool import AsyncConnectionPool

from weighbridge import tracing
from weighbridge.concurrency import ALIVE_SECONDS, compute_in_thread
from weighbridge.core.platform.encryption import Encryption
from weighbridge.core.platform.settings import Quotas
from weighbridge.db.known_then import KnownThen
from weighbridge.db.statements import (
    BEGIN_READING,
    COMMIT,
    STATEMENTS_OF_CONTROL,
    Command,
    Gathering,
    Parameters,
    Statement,
    StatementPrelude,
    command_of,
)

# What one process holds of a database between requests: a memory of rows, and keys for new events.
#
# A memory has rows as the process last read them, so that a statement can name them without asking first.
# It saves the question and never the answer: a statement that uses a remembered row says in its own text
# what has to hold of that row still, and does nothing when that is not so. Nobody need tell a memory of a
# change.
#
# Keys of events are taken from the database in blocks and counted on in the process, so no row needs a
# round trip.
#
# Invariants: what is remembered is never handed out as current; a memory belongs to one database and takes
# a bounded room, in which what was used last stays longest. No key is given out twice, in any process,
# ever; a key that is taken and not used is lost, which harms nothing.


BLOCK_SIZE: Final = 4096

ROOM_MAX: Final = 20_000
"""What a process remembers at most: a plain row counts as one, one with parts as one more for each part."""


class Memory:
    """What one process remembers of one database, and the keys by which it opens secrets there."""

    def __init__(self, room: int = ROOM_MAX, encryption: Encryption | None = None) -> None:
        self.encryption = encryption
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._room = room

    def keep(self, name: Hashable, row: Any, parts: int = 0) -> None:
        """Remember a row, and forget what was not used for longest if there is no room left."""
        self.forget(name)
        self._kept[name] = row, 1 + parts
        self._room -= 1 + parts
        while self._room < 0:
            _, (_, taken) = self._kept.popitem(last=False)
            self._room += taken

    def recall(self, name: Hashable) -> Any:
        """The row as it was when it was kept; None when it is not remembered."""
        entry = self._kept.get(name)
        if entry is None:
            return None
        self._kept.move_to_end(name)
        return entry[0]

    def forget(self, name: Hashable) -> None:
        """Remember a row no longer."""
        entry = self._kept.pop(name, None)
        if entry is not None:
            self._room += entry[1]


class Asks(Protocol):
    """A transaction that answers a statement with rows."""

    async def tuples(self, statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]: ...


class KeyBlocks:
    """The keys that this process may still give out."""

    def __init__(self) -> None:
        self._left = range(0)

    def take_held(self) -> int | None:
        """Give out one key if that needs no question to the database."""
        if not self._left:
            return None
        key, self._left = self._left[0], self._left[1:]
        return key

    async def take(self, tx: Asks, count: int) -> list[int]:
        """Give out keys, fetching as many blocks as are needed in one statement."""
        keys = list(self._left[:count])
        self._left = self._left[count:]
        missing = count - len(keys)
        if missing:
            blocks = await tx.tuples(
                "SELECT nextval('event_key_blocks') FROM generate_series(1, %s)", (-(-missing // BLOCK_SIZE),)
            )
            for (block,) in blocks:
                fresh = range(block * BLOCK_SIZE, (block + 1) * BLOCK_SIZE)
                keys.extend(fresh[:missing])
                self._left = max(self._left, fresh[missing:], key=len)
                missing = max(0, missing - BLOCK_SIZE)
        return keys


# A message: statements that go to the server together, so that all are waited for once.


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


async def send_message(
    connection: AsyncConnection[TupleRow],
    waiting: Sequence[Command | StatementPrelude],
    commands: Sequence[Command],
) -> list[AsyncCursor[Any]]:
    """Send what waits and these commands in one message; give the cursor of each of these."""
    if tracing.is_on() and (waiting or commands):
        with tracing.message_span(map(read_text, [*waiting, *commands])):
            return await _send_message(connection, waiting, commands)
    return await _send_message(connection, waiting, commands)


async def _send_message(
    connection: AsyncConnection[TupleRow],
    waiting: Sequence[Command | StatementPrelude],
    commands: Sequence[Command],
) -> list[AsyncCursor[Any]]:
    sending = [*map(command_of, waiting), *commands]
    cursors = [None if command in STATEMENTS_OF_CONTROL else AsyncCursor(connection) for command in sending]
    if len(sending) > 1:
        await _send_together(connection, cursors, sending)
    elif sending:
        [(statement, values)] = sending
        await (cursors[0] or AsyncCursor(connection)).execute(compose(statement), values)
    for before, cursor in zip(waiting, cursors, strict=False):
        if isinstance(before, StatementPrelude) and cursor is not None:
            before.check(await cursor.fetchone())
    return [cursor for cursor in cursors[len(waiting) :] if cursor is not None]


async def _send_together(
    connection: AsyncConnection[TupleRow],
    cursors: Sequence[AsyncCursor[Any] | None],
    commands: Iterable[Command],
) -> None:
    """Execute statements in their order, each with its cursor; those of control have none."""
    message = connection._pipeline = _Message(connection)  # noqa: SLF001 - as `connection.pipeline()` does
    try:
        async with message:
            for cursor, (statement, values) in zip(cursors, commands, strict=True):
                if cursor is None:
                    message.control(str(statement))
                else:
                    message.put(cursor, compose(statement), values)
    finally:
        connection._pipeline = None  # noqa: SLF001


def read_text(command: Command | StatementPrelude) -> str:
    """The text of a statement, to be named by: values are apart from it."""
    statement, _ = command_of(command)
    return statement if isinstance(statement, str) else statement.as_string()


def compose(statement: LiteralString | SQL | Composed) -> SQL | Composed:
    """A statement as psycopg takes it."""
    return SQL(statement) if isinstance(statement, str) else statement


def encode_without_parameters(
    statement: LiteralString | SQL | Composed, connection: AsyncConnection[Any]
) -> bytes:
    """A statement as the server takes it where no parameters go with it.

    psycopg then leaves the percent signs as they stand, which are doubled in a statement as everywhere.
    """
    return compose(statement).as_bytes(connection).replace(b"%%", b"%")


# What may be done within a transaction: reading, computing between readings, writing.
#
# `engine.py` begins and ends transactions, and gives each as one of these types: the type that a function
# takes says whether it may write.


Record = TypeVar("Record")
Result = TypeVar("Result")

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
        self._waiting: list[Command | StatementPrelude] = [*begin]
        self._gathering: Gathering | None = None
        self._noted: list[Command] | None = None
        self._known: list[tuple[Command, list[TupleRow]]] = []
        self.then: KnownThen | None = None
        """The row of the audit log at which records are read as they were known; None reads them as now."""

    def look_back(self, then: KnownThen) -> None:
        """Read records from now on as they were known at a row of the audit log."""
        self.then = then
        self._begin.append(then.settings)
        self._waiting.append(then.settings)

    async def ready(self) -> AsyncConnection[TupleRow]:
        """The connection, once all that was to go out before has gone out."""
        if not self.is_ready:
            await self._run()
        return self._connection

    @property
    def is_ready(self) -> bool:
        """Whether nothing waits to go out."""
        return not self._waiting

    async def rows(
        self, make: Callable[..., Record], statement: Statement, values: Parameters = ()
    ) -> list[Record]:
        """Run a statement and make a record of each row, the columns in the order of the parameters."""
        [rows] = await self._answers((statement, values))
        return [make(*row) for row in rows]

    async def row(
        self, make: Callable[..., Record], statement: Statement, values: Parameters = ()
    ) -> Record | None:
        """Run a statement that gives at most one row."""
        records = await self.rows(make, statement, values)
        assert len(records) <= 1, "the statement promises at most one row"  # noqa: S101
        return records[0] if records else None

    async def tuples(self, statement: Statement, values: Parameters = ()) -> list[TupleRow]:
        """Run a statement and give its rows as tuples."""
        [rows] = await self._answers((statement, values))
        return rows

    async def several(self, *commands: Command) -> list[list[TupleRow]]:
        """Run statements in their order, all sent at once, and give the rows of each."""
        return await self._answers(*commands)

    async def together(self, *readings: Coroutine[Any, Any, Any]) -> list[Any]:
        """Read what does not wait for each other's answers; what is asked at one time goes out together.

        Gives what comes of each; raises what the first raised that failed.
        """
        if self._gathering is not None:
            return await self._gathering.read(readings)
        self._gathering = Gathering(self._send)
        try:
            return await self._gathering.read(readings)
        finally:
            self._gathering = None

    @contextmanager
    def noted(self) -> Iterator[list[Command]]:
        """Within, what is asked is noted, for a later transaction that will ask the same."""
        self._noted = []
        try:
            yield self._noted
        finally:
            self._noted = None

    @asynccontextmanager
    async def foreseen(self, commands: Sequence[Command]) -> AsyncIterator[None]:
        """Ask all of these in one message; within, whoever asks one of them has its answer.

        So this takes a transaction in which every statement sees the same snapshot, and that writes nothing
        within.
        """
        self._known = [*zip(commands, await self.several(*commands), strict=True)]
        try:
            yield
        finally:
            self._known = []

    async def lastly(self, *commands: Command) -> list[list[TupleRow]]:
        """Run the last statements of the transaction, as `several` does; what comes after is in another.

        It ends with them, which saves a message.
        """
        if self._noted is not None:
            self._noted += commands
        cursors = await self._run(*commands, COMMIT)
        self._waiting = [*self._begin]
        return [await cursor.fetchall() for cursor in cursors]

    def require(self, statement: str, values: Sequence[Any], refusal: Exception) -> None:
        """Ask a question with the next statement, and raise the refusal there when it gives no row.

        So a statement may go out before it is known whether it may be asked; nobody sees what it gave.
        """
        asked = statement
        if self.then is not None:
            known = self.then.tables.read_statement_as_known(statement)
            asked = read_text((known, values))
        self._put_before(f"EXISTS ({asked})", values, refusal)

    def beforehand(self, *expressions: LiteralString) -> None:
        """Have expressions evaluated before the next statement, for what they do: settings of the server."""
        for expression in expressions:
            self._put_before(expression, (), None)

    def _put_before(self, expression: str, values: Sequence[Any], refusal: Exception | None) -> None:
        last = self._waiting[-1] if self._waiting else None
        if not isinstance(last, StatementPrelude):
            last = StatementPrelude()
            self._waiting.append(last)
        last.expressions.append(expression)
        last.values.extend(values)
        last.refusals.append(refusal)

    async def settle(self) -> None:
        """Ask what is still to be asked."""
        if any(isinstance(statement, StatementPrelude) for statement in self._waiting):
            await self._run()

    async def value(self, statement: Statement, values: Parameters = ()) -> Any:
        """Run a statement and give the first column of its first row, or None."""
        [rows] = await self._answers((statement, values))
        return rows[0][0] if rows else None

    async def portions(self, statement: Statement, rows: int) -> AsyncIterator[list[TupleRow]]:
        """Run a statement and give its rows so many at a time, in flat memory; others may run meanwhile."""
        connection = await self.ready()
        async with connection.cursor(name="portions") as cursor:
            await cursor.execute(encode_without_parameters(statement, connection))
            while portion := await cursor.fetchmany(rows):
                yield portion

    async def copied(self, statement: Statement) -> AsyncIterator[bytes]:
        """Give what a COPY ... TO STDOUT statement writes, many rows at a time, in flat memory."""
        connection = await self.ready()
        block = bytearray()
        text = encode_without_parameters(statement, connection)
        async with connection.cursor() as cursor, cursor.copy(text) as stream:
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

        return await compute_in_thread(keep_in_use, work, *arguments)

    async def meanwhile(self, work: Awaitable[Result]) -> Result:
        """Wait for something that is done elsewhere, while the transaction is used so that it stays open.

        The work is given up when nobody waits for it any more.
        """
        working = asyncio.ensure_future(work)
        try:
            while not (await asyncio.wait([working], timeout=ALIVE_SECONDS))[0]:
                await self._run(("SELECT 1", ()))
            return working.result()
        finally:
            working.cancel()

    async def _answers(self, *commands: Command) -> list[list[TupleRow]]:
        """The rows of each of these statements, which are asked together unless they are known."""
        if self._noted is not None:
            self._noted += commands
        if not self._known:
            return [await cursor.fetchall() for cursor in await self._run(*commands)]
        known = [self._recalled(command) for command in commands]
        asked = [one for one, rows in zip(commands, known, strict=True) if rows is None]
        others = iter([await cursor.fetchall() for cursor in await self._run(*asked)] if asked else [])
        return [next(others) if rows is None else rows for rows in known]

    def _recalled(self, command: Command) -> list[TupleRow] | None:
        return next((rows for known, rows in self._known if known == command), None)

    async def _run(self, *commands: Command) -> list[AsyncCursor[Any]]:
        """Send what waits and these commands together; give the cursor of each of these."""
        waiting = self._waiting
        self._waiting = []
        if self.then is not None:
            commands = tuple(map(self.then.tables.read_as_known, commands))
        if self._gathering is not None:
            return await self._gathering.ask(waiting, commands)
        return await self._send(waiting, commands)

    async def _send(
        self, waiting: Sequence[Command | StatementPrelude], commands: Sequence[Command]
    ) -> list[AsyncCursor[Any]]:
        return await send_message(self._connection, waiting, commands)


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
        result = await compute_in_thread(None, work, *arguments)
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
        *,
        copies_to: str | None = None,
    ) -> None:
        """`copies_to` is the schema of tables that COPY has to name, where it differs from that of others."""
        super().__init__(connection, memory, begin)
        self._event_keys = event_keys
        self._copies_to = copies_to
        self.quotas = quotas

    async def lastly(self, *commands: Command) -> list[list[TupleRow]]:
        """As `several`: what writes ends with its block, whoever reads in it."""
        return await self.several(*commands)

    async def finish(self, *commands: Command) -> None:
        """Commit, and run what comes after it, all in one message with what still waits."""
        await self._run(COMMIT, *commands)

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

    async def copy(self, table: str, columns: Sequence[str], texts: Iterable[str | bytes]) -> None:
        """Send ready rows to a table, some in each text, in the format of COPY."""
        place = [table] if self._copies_to is None else [self._copies_to, table]
        statement = SQL("COPY {} ({}) FROM STDIN").format(
            Identifier(*place), SQL(", ").join(map(Identifier, columns))
        )
        connection = await self.ready()
        async with connection.cursor() as cursor, cursor.copy(statement) as stream:
            for text in texts:
                await stream.write(text)


class Snapshot(Write):
    """A transaction that may change data, and whose statements all see one snapshot."""

    def __init__(
        self,
        connection: AsyncConnection[TupleRow],
        event_keys: KeyBlocks,
        memory: Memory,
        *,
        first: TupleRow | None,
        copies_to: str | None = None,
    ) -> None:
        super().__init__(connection, event_keys, memory, copies_to=copies_to)
        self.first = first
        """The row of what was done first, before the snapshot; None where that gave none."""
