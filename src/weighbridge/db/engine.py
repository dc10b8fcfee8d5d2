"""The database: its hosts, its connections, and the only place that begins and commits transactions.

A URL may name several hosts, of which one takes writes. When another is promoted, `HostPool` finds it by
itself. `Database.read()` and `Database.write()` each give one transaction; the type a function takes says
whether it may write. A transaction that ends with an exception leaves nothing behind.

Most of a small request's time is waiting for the next answer of the server. So BEGIN goes out together
with the first statement, what `later` was given goes with the one that follows, and the last of that goes
with COMMIT; statements that do not wait for each other's answers go out together with `several`, and whole
readings with `together`.

Invariants: with several hosts a new connection is one to a host that takes writes; after a connection
was lost in use, no older one is used again; a pool that has seen a host of one timeline uses none of an
earlier one.
"""

import logging
import select
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from decimal import Decimal
from time import monotonic
from typing import Any, Final, Self
from weakref import WeakKeyDictionary

import msgspec
from psycopg import AsyncClientCursor, AsyncConnection, DatabaseError, OperationalError
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.errors import ConfigurationLimitExceeded, DiskFull, OutOfMemory, ReadOnlySqlTransaction
from psycopg.pq import TransactionStatus
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Literal
from psycopg.types.json import set_json_loads
from psycopg_pool import AsyncConnectionPool

from weighbridge import tracing
from weighbridge.core.platform.cell import FIRST, Cell, local_schema, read_node
from weighbridge.core.platform.encryption import Encryption
from weighbridge.core.platform.settings import Quotas
from weighbridge.core.time.calendar import Instant
from weighbridge.db.locks import (
    COMMIT_AND_UNLOCK,
    LOCK,
    LOCK_AND_BEGIN,
    ROLLBACK_AND_UNLOCK,
    UNLOCK,
    UNLOCKING,
)
from weighbridge.db.pool import PATIENCE_SECONDS, ReachablePool
from weighbridge.db.statements import (
    BEGIN_READING,
    BEGIN_TRYING,
    BEGIN_WRITING,
    COMMIT,
    Command,
    Parameters,
    Statement,
)
from weighbridge.db.transaction import (
    NO_QUOTAS,
    KeyBlocks,
    Memory,
    Question,
    Read,
    Snapshot,
    Write,
    compose,
    send_message,
)

# One connection: how its answers are read, whether it still stands, and what it says of a full disk.


MOVED: Final = "57W01"
"""The code of the error of a transaction for an account that does not live in the cell (any more)."""

NO_ROOM: Final = (DiskFull, OutOfMemory, ConfigurationLimitExceeded)
"""What the database says that has run out of something."""

_LOST: Final = ("08", "57P")
"""What codes of a server begin with that has gone, or is about to; without a code it gave no answer."""

ENTER_ON_NODE: Final = "enter_on_node"
"""The function by which a transaction enters a cell on a node."""

IDLE_SECONDS: Final = 20
"""How long a transaction may wait for its own process, before the server ends it."""

_log: Final = logging.getLogger(__name__)


def is_lost(error: OperationalError) -> bool:
    """Whether an error says that the server cannot be reached, and nothing of what it was asked."""
    return error.sqlstate is None or error.sqlstate.startswith(_LOST)


# Numbers inside jsonb keep every digit, as they do in numeric columns.
set_json_loads(msgspec.json.Decoder(float_hook=Decimal).decode)


@contextmanager
def suppress_failed_write(what: str) -> Iterator[None]:
    """Go on without a write that may fail: the database has no room for it, or takes none at all."""
    try:
        yield
    except (*NO_ROOM, ReadOnlySqlTransaction) as error:
        _log.warning("The %s was not written: %s", what, str(error).strip())


class _InstantLoader(Loader):
    """Times come out of the database as instants; the session's zone is UTC and columns keep milliseconds."""

    def load(self, data: Buffer) -> Instant:
        # Instant.read, in one call: a page of events has a hundred of them.
        text = str(data, "ascii")
        moment = _instant_of(text)
        moment.read_as = text
        return moment


_instant_of: Final = Instant.fromisoformat


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """What the server is to know of everyone who connects: in seconds, 0 without a bound.

    A pooler in transaction mode hands each transaction to another session: there it is said with each BEGIN,
    in the same message, and no statement is prepared.
    """

    statement_timeout: int
    idle_timeout: int

    @property
    def of_connection(self) -> dict[str, Any]:
        return {"options": " ".join(f"-c {name}={value}" for name, value in self._values)}

    @property
    def of_pooler(self) -> dict[str, Any]:
        return {"prepare_threshold": None}

    def of_transaction(self, entry: "CellEntry", *, is_pooled: bool, is_writing: bool) -> list[Command]:
        """What each transaction begins with: in which cell it is, and behind a pooler the other settings."""
        return _begin_with(self._values if is_pooled else (), entry, is_writing=is_writing)

    @property
    def _values(self) -> tuple[tuple[str, str], ...]:
        return (
            ("statement_timeout", f"{self.statement_timeout}s"),
            ("idle_in_transaction_session_timeout", f"{self.idle_timeout}s"),
            ("TimeZone", "UTC"),
        )


@dataclass(frozen=True, slots=True)
class CellEntry:
    """Where transactions take place: the schema of a cell, and the account that has to live there."""

    schema: str | None = None
    """None in the first cell."""
    account: int | None = None
    """None of work for no account in particular, and where no account can live elsewhere."""
    is_on_node: bool = False
    """Whether the cell can leave the node on which the transactions are."""


def enter_cell(entry: CellEntry, *, is_writing: bool) -> list[Command]:
    """What a transaction in a cell begins with; nothing in the first cell, unless it is for an account.

    Where the account does not live there, the transaction ends with `MOVED`. On a node it is refused once the
    cell has left, and as long as it lasts the cell does not leave.
    """
    return _begin_with((), entry, is_writing=is_writing)


def _begin_with(settings: Iterable[tuple[str, str]], entry: CellEntry, *, is_writing: bool) -> list[Command]:
    calls: list[tuple[str, tuple[str | int, ...]]] = [("set_config(%s, %s, true)", pair) for pair in settings]
    if entry.schema is not None:
        path = f'"{entry.schema}"'
        if entry.is_on_node:
            path = f'"{local_schema(entry.schema)}", {path}'
        calls.append(("set_config(%s, %s, true)", ("search_path", path)))
    if entry.schema is not None and entry.is_on_node:
        calls.append((f'"{entry.schema}".{ENTER_ON_NODE}(%s)', (entry.schema,)))
    if entry.account is not None:
        place = "" if entry.schema is None else f'"{entry.schema}".'
        calls.append((f"{place}enter_account(%s, %s)", (entry.account, is_writing)))
    if not calls:
        return []
    # The name of a cell's schema has no other characters than `problem_of_cell_name` lets it have.
    text = SQL("SELECT " + ", ".join(call for call, _ in calls))
    return [(text, tuple(value for _, values in calls for value in values))]


async def check(connection: AsyncConnection[TupleRow]) -> None:
    """Refuse a connection whose server has gone, without asking the server.

    A server that ends a connection says so, which makes an idle socket readable; only then it is asked.
    """
    if connection.closed or _is_readable(connection.fileno()):
        await AsyncConnectionPool.check_connection(connection)


def _is_readable(number: int) -> bool:
    """Whether something came over a socket; `poll` takes the numbers above 1,023 that `select` refuses."""
    looking = select.poll()
    looking.register(number, select.POLLIN)
    return bool(looking.poll(0))


async def configure(connection: AsyncConnection[TupleRow]) -> None:
    """Have a new connection read times as instants."""
    connection.adapters.register_loader("timestamptz", _InstantLoader)


# The hosts of a database: which of them is written to, and how one that has gone is found out.
#
# A URL may name several hosts (`postgresql://db1,db2/weighbridge`), of which one takes writes and the
# others follow it. When that one is lost and another is promoted, connections have to find it by
# themselves, and those to the old one must not be used again, whether they end with an error, hang, or
# still answer.
#
# Each promotion begins what PostgreSQL calls the next timeline.


CONNECT_SECONDS: Final = 10
"""How long a host may take to be connected to."""

CONNECT_SECONDS_OF_SEVERAL: Final = 3
"""How long one of several hosts may take to be connected to, before the next one is tried; and a node."""

_VANISHED: Final[Mapping[str, int]] = {
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
"""How a host that was cut off without a word is given up: after about ten seconds of silence."""

_VANISHED_REPLICA: Final[Mapping[str, int]] = {
    "keepalives_idle": 2,
    "keepalives_interval": 1,
    "keepalives_count": 2,
    "tcp_user_timeout": 3_000,
}
"""The same for a replica: its readers can turn to the primary."""

_TIMELINE: Final = """
    SELECT CASE WHEN NOT pg_is_in_recovery()
                THEN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint END
"""
"""Which history a host that takes writes is at; NULL for one that follows another."""


def primary_conninfo(url: str) -> str:
    """How the host that takes writes is connected to; what the URL says for itself stays."""
    usual: dict[str, Any] = {**_VANISHED, "connect_timeout": CONNECT_SECONDS}
    if names_several_hosts(url):
        usual |= {"target_session_attrs": "read-write", "connect_timeout": CONNECT_SECONDS_OF_SEVERAL}
    return _with(url, usual)


_ON_A_NODE: Final = ("enable_manual_changes_to_shards", "allow_nested_distributed_execution")
"""Settings of the cluster that connections to a node need."""


def url_on_node(url: str, node: str) -> str:
    """How a node is connected to by a role that the URL of the coordinator names.

    What is there of a cell's tables is written to as such (`local_tables.py`). Functions read and write
    tables of their cell in statements on others; all of them lie on this node.
    """
    host, port = read_node(node)
    given = str(conninfo_to_dict(url).get("options") or "")
    options = " ".join([given, *(f"-ccitus.{name}=on" for name in _ON_A_NODE)]).strip()
    on_node = make_conninfo(url, host=host, port=port, options=options)
    return _with(on_node, {"connect_timeout": CONNECT_SECONDS_OF_SEVERAL})


def replica_conninfo(url: str) -> str:
    """How a host that follows is connected to."""
    usual = {"target_session_attrs": "standby", "connect_timeout": CONNECT_SECONDS_OF_SEVERAL}
    return _with(url, {**_VANISHED_REPLICA, **usual})


def names_several_hosts(url: str) -> bool:
    """Whether a URL names more than one host."""
    return "," in str(conninfo_to_dict(url).get("host") or "")


def _with(url: str, usual: Mapping[str, Any]) -> str:
    given = conninfo_to_dict(url)
    return make_conninfo(url, **{name: value for name, value in usual.items() if name not in given})


def connection_pools(
    url: str, session_url: str | None, size: int, session: SessionSettings
) -> tuple["HostPool", "HostPool"]:
    """Connections for transactions, and for what holds a lock before one; the same without a pooler."""
    if session_url is None:
        pool = HostPool(primary_conninfo(url), connections_max=size, options=session.of_connection)
        return pool, pool
    return (
        HostPool(primary_conninfo(url), connections_max=size, options=session.of_pooler),
        HostPool(primary_conninfo(session_url), connections_max=size, options=session.of_connection, held=0),
    )


def _join_options(url: str, settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """Settings of a connection, where the URL says options of its own as well: ours come after them."""
    given = conninfo_to_dict(url).get("options")
    if not given or "options" not in settings:
        return settings
    return {**settings, "options": f"{given} {settings['options']}"}


class HostPool(ReachablePool):
    """A pool of connections to the host that takes writes, or to a replica."""

    def __init__(
        self,
        url: str,
        *,
        connections_max: int,
        options: Mapping[str, Any],
        held: int = 1,
        takes_writes: bool = True,
        is_opened_in_use: bool = False,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        """So many connections at most, so many of them kept while nobody uses them.

        It has to be opened, unless the first who needs a connection opens it. Callers wait so long for a
        host that cannot be reached.
        """
        self._is_opened_in_use = is_opened_in_use
        self._asks_for_timeline = takes_writes and names_several_hosts(url)
        self._timeline = 0
        self._made: WeakKeyDictionary[AsyncConnection[Any], float] = WeakKeyDictionary()
        self._lost = float("-inf")
        super().__init__(
            url,
            configure=self._begin,
            min_size=held,
            max_size=connections_max,
            kwargs={"autocommit": True, "application_name": "weighbridge", **_join_options(url, options)},
            check=self._look_at,
            patience_seconds=patience_seconds,
            open=False,
        )

    async def getconn(self, timeout: float | None = None) -> AsyncConnection[TupleRow]:  # noqa: ASYNC109 - the pool's
        """Give a connection, as the pool does; the first one opens a pool that is opened in use."""
        if self._is_opened_in_use and self.closed:
            await self.open()
        return await super().getconn(timeout)

    async def putconn(self, conn: AsyncConnection[TupleRow]) -> None:
        """Take a connection back; one that was lost while it was used makes those before it suspect."""
        if conn.closed:
            self._lost = monotonic()
        await super().putconn(conn)

    async def _begin(self, connection: AsyncConnection[TupleRow]) -> None:
        await configure(connection)
        if self._asks_for_timeline:
            await self._compare_history(connection)
        self._made[connection] = monotonic()

    async def _compare_history(self, connection: AsyncConnection[TupleRow]) -> None:
        """Refuse a host that no longer takes writes or that was the primary before the one seen last."""
        row = await (await connection.execute(_TIMELINE)).fetchone()
        timeline = row[0] if row else None
        if timeline is None or timeline < self._timeline:
            raise OperationalError(f"the host {connection.info.host} is not the primary any more")
        if timeline > self._timeline:
            self._timeline, self._lost = timeline, monotonic()

    async def _look_at(self, connection: AsyncConnection[TupleRow]) -> None:
        if self._made.get(connection, 0.0) < self._lost:
            await connection.close()
            raise OperationalError("the connection is older than one that was lost")
        await check(connection)


__all__ = ["NO_QUOTAS", "Command", "Database", "Parameters", "Question", "Read", "Statement", "Write"]


class Database:
    """A pool of connections to one PostgreSQL database, and the cell of it that transactions are in.

    A transaction says by itself in which cell it is, with BEGIN, so cells share connections, and a pooler may
    stand between.
    """

    def __init__(
        self,
        url: str,
        *,
        connections_max: int,
        statement_timeout_seconds: int = 0,
        idle_timeout_seconds: int = IDLE_SECONDS,
        quotas: Quotas = NO_QUOTAS,
        session_url: str | None = None,
        schema: str | None = None,
        encryption: Encryption | None = None,
    ) -> None:
        """Connect to a URL; `session_url` says that it is a pooler's, and where the database itself is.

        `schema` is that of a cell; without one, transactions are in the first cell. By `encryption` they
        write and read secrets of others, which nobody does without.
        """
        self.encryption = encryption
        self.url = url
        self.session_url = session_url
        self.quotas = quotas
        self._session = SessionSettings(statement_timeout_seconds, idle_timeout_seconds)
        self._connections_max = connections_max
        self._pool, self._sessions = connection_pools(url, session_url, connections_max, self._session)
        self._of_first_cell = self._pool, self._sessions
        self._nodes: dict[str, HostPool] = {}
        self._cells: dict[int, Database] = {} if schema else {FIRST.number: self}
        self.node: str | None = None
        self.begin_in(schema)

    @property
    def schema(self) -> str | None:
        """The schema of the cell; None of the first."""
        return self.entry.schema

    @property
    def _copies_to(self) -> str | None:
        """The schema that COPY has to name: on a node, where others are looked for, there are views."""
        return self.schema if self.entry.is_on_node else None

    def begin_in(self, schema: str | None) -> None:
        """Begin transactions in a cell from now on, with keys and a memory of its own."""
        self.event_keys = KeyBlocks()
        self.memory = Memory(encryption=self.encryption)
        self.begin_with(CellEntry(schema, is_on_node=self.node is not None))

    def of_account(self, account: int | None) -> "Database":
        """Transactions for an account, which end with the error `MOVED` if it does not live in this cell."""
        found = copy(self)
        found.begin_with(replace(self.entry, account=account))
        return found

    def begin_with(self, entry: CellEntry) -> None:
        """Begin transactions there from now on."""
        self.entry = entry
        is_pooled = self.session_url is not None
        self._begin = self._session.of_transaction(entry, is_pooled=is_pooled, is_writing=False)
        self._begin_writing = self._session.of_transaction(entry, is_pooled=is_pooled, is_writing=True)

    def in_cell(self, cell: Cell) -> "Database":
        """Transactions in a cell, with keys and a memory of its own; those on a node by connections to it."""
        found = self._cells.get(cell.number)
        if found is None:
            found = self._cells[cell.number] = copy(self)
            found.begin_in(cell.schema)
            self.follow(cell)
        return found

    def follow(self, cell: Cell) -> None:
        """Have everybody who holds what `in_cell` gave go to the node that the cell is on now."""
        found = self._cells.get(cell.number)
        if found is not None and cell.node is not None and cell.node != found.node:
            found.connect_to(cell.node)

    def connect_to(self, node: str) -> None:
        """Connect to a node of the cluster from now on, by no pooler; its cells share the connections."""
        self.url = url_on_node(self.session_url or self.url, node)
        self.session_url = None
        if node not in self._nodes:
            self._nodes[node] = HostPool(
                primary_conninfo(self.url),
                connections_max=self._connections_max,
                options=self._session.of_connection,
                is_opened_in_use=True,
            )
        self._pool = self._sessions = self._nodes[node]
        # Who waits holds a place that accounts on other hosts need.
        for pool in {*self._of_first_cell, *self._nodes.values()}:
            pool.wait_for_server(0)
        self.node = node
        self.begin_with(replace(self.entry, is_on_node=True))

    def with_connections(self, connections_max: int) -> "Database":
        """The same place, by connections of its own, which have to be opened."""
        made = Database(
            self.url,
            connections_max=connections_max,
            session_url=self.session_url,
            schema=self.schema,
            encryption=self.encryption,
        )
        made.node = self.node
        if self.node is not None:
            made.give_up_at_once()
        made.begin_in(self.schema)
        return made

    def give_up_at_once(self) -> None:
        """Have nobody wait for a host that cannot be reached."""
        for pool in {self._pool, self._sessions}:
            pool.wait_for_server(0)

    async def open(self) -> None:
        for pool in {self._pool, self._sessions}:
            await pool.open()

    async def close(self) -> None:
        for pool in {self._pool, self._sessions, *self._nodes.values()}:
            await pool.close()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def single(self, statement: Statement, values: Parameters = ()) -> TupleRow | None:
        """Run one statement by itself and give its first row."""
        pool = self._pool  # which is another one when the cell has moved meanwhile
        connection = await pool.getconn()
        try:
            # In a cell, and behind a pooler, it is a transaction, which begins with what is to be known.
            # Where it writes, keys of what it refers to keep the account where it is.
            begin, end = ([BEGIN_WRITING, *self._begin], [COMMIT]) if self._begin else ([], [])
            [cursor] = await send_message(connection, begin, [(statement, values), *end])
            return await cursor.fetchone()
        except DatabaseError:
            if begin and not connection.closed:
                await connection.rollback()
            raise
        finally:
            await pool.putconn(connection)

    @tracing.transaction
    def read(self) -> "_ReadTransaction":
        """Begin a transaction in which every statement sees the same snapshot."""
        return _ReadTransaction(self._pool, self.memory, self._begin)

    @tracing.trace_opened_transaction
    async def question(self) -> AsyncIterator[Question]:
        """Begin to read what an answer is computed from."""
        question = Question(self._pool, await self._pool.getconn(), self.memory, self._begin)
        try:
            yield question
        finally:
            await question.end()

    @tracing.trace_opened_transaction
    async def write(self) -> AsyncIterator[Write]:
        """Begin a transaction and commit it when the block ends without an exception."""
        async with self._pool.connection() as connection:
            begin = [BEGIN_WRITING, *self._begin_writing]
            tx = Write(
                connection, self.event_keys, self.memory, begin, self.quotas, copies_to=self._copies_to
            )
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

    @tracing.trace_opened_transaction
    async def trial(self) -> AsyncIterator[Write]:
        """Begin a transaction that may change data and is always undone; it sees one snapshot throughout."""
        async with self._pool.connection() as connection:
            try:
                begin = [BEGIN_TRYING, *self._begin]
                yield Write(
                    connection, self.event_keys, self.memory, begin, self.quotas, copies_to=self._copies_to
                )
            finally:
                if not connection.closed:
                    await connection.rollback()

    @tracing.trace_opened_transaction
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
            entering = enter_cell(self.entry, is_writing=True)
            enter = SQL("").join(_apart(connection, command) for command in entering)
            try:
                begun = await connection.execute(LOCK_AND_BEGIN.format(lock, enter, done, enter))
                for _ in (*locks, *entering) if first is not None else ():
                    begun.nextset()
                row = None if first is None else await begun.fetchone()
                tx = Snapshot(connection, self.event_keys, self.memory, first=row, copies_to=self._copies_to)
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
    text = AsyncClientCursor(connection).mogrify(compose(statement), values)
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
