"""A read replica: lists and files of lists are read from it, and never show less than was acknowledged.

For whoever asks for a list, the primary is asked first how far it has committed; the replica answers once
it has replayed as much. So a list shows every write that anybody was told of before the list was asked for,
whichever process was written to and whoever asks, and no client has to carry anything.

Positions in the log are compared within one history of the database only: each promotion begins another, and
has a mark of its own in `database_histories`, which the replica must have. Example: the primary is at 0/5000
of history 2, and a server that was the primary before stands at 0/6000 of history 1; it has no mark of
history 2, so it is not asked, though 0/6000 is more.

Invariants: a replica that lacks anything, has been promoted, or does not answer in time is passed over, and
the caller reads from the primary; a snapshot on the replica begins after it was seen to have all.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from time import monotonic
from typing import Final, Self, TypeVar
from weakref import WeakKeyDictionary

from psycopg import AsyncConnection, Error
from psycopg.errors import QueryCanceled
from psycopg.rows import TupleRow
from psycopg_pool import PoolTimeout

from weighbridge.core.platform.cell import FIRST
from weighbridge.db.engine import (
    IDLE_SECONDS,
    CellEntry,
    Database,
    HostPool,
    Read,
    SessionSettings,
    enter_cell,
    replica_conninfo,
)
from weighbridge.db.statements import BEGIN_READING
from weighbridge.db.transaction import Memory

Result = TypeVar("Result")

CONNECTION_SECONDS: Final = 0.5
"""How long a read waits for a connection to the replica."""

LOOK_SECONDS: Final = 1.0
"""How often it is looked how far the replica is behind."""

LOOK_SECONDS_MAX: Final = 2.0
"""How long such a look may take beyond the wait, before the replica counts as away."""

FIRST_PAUSE_SECONDS: Final = 0.001
PAUSE_SECONDS_MAX: Final = 0.02
"""How soon the replica is asked again whether it has replayed enough; each pause is twice the last."""

_log: Final = logging.getLogger(__name__)

_POSITION: Final = """
    WITH here AS (SELECT pg_current_wal_flush_lsn() AS lsn)
    SELECT (lsn - '0/0')::bigint, h.mark::text
      FROM here LEFT JOIN database_histories h
        ON h.timeline = ('x' || left(pg_walfile_name(lsn), 8))::bit(32)::bigint
"""
"""How far the primary has committed, in bytes of its log, and the mark of its history.

What is acknowledged has been flushed, so the position is that of the flushed log: the one that is only
inserted may contain what no replica gets before somebody commits.
"""

_MARK: Final = """
    INSERT INTO database_histories (timeline)
    VALUES (('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint)
    ON CONFLICT DO NOTHING
"""

_REPLAYED: Final = """
    SELECT (pg_last_wal_replay_lsn() - '0/0')::bigint, pg_is_in_recovery(),
           EXISTS (SELECT FROM database_histories WHERE mark = %s)
"""


class ReplicaState(StrEnum):
    """How a process sees its replica."""

    FOLLOWING = "following"
    BEHIND = "behind"
    AWAY = "away"


class ReplicaOutcome(StrEnum):
    """Who answered a read, and why it was not the replica."""

    REPLICA = "replica"
    BEHIND = "behind"
    AWAY = "away"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class LogPosition:
    """How far a primary had committed: bytes of its log, in the history with this mark."""

    offset: int
    mark: str


class _Behind(Exception):  # noqa: N818 - an outcome
    """The replica did not replay in time what a read needs."""


class _Promoted(Exception):  # noqa: N818 - an outcome
    """The server follows nobody any more."""


async def read_log_position(primary: Database) -> LogPosition:
    """How far the primary has committed."""
    while True:
        row = await primary.single(_POSITION)
        assert row is not None, "there is always a position"  # noqa: S101
        offset, mark = row
        if mark is not None:
            return LogPosition(offset, mark)
        async with primary.write() as tx:
            await tx.execute(_MARK)


@dataclass(slots=True)
class Replica:
    """What one process knows of a replica, and its connections to it."""

    url: str
    connections_max: int
    wait_seconds: float
    statement_timeout_seconds: int = 0
    tell: Callable[[ReplicaOutcome], None] = lambda _: None
    tell_lag: Callable[[float], None] = lambda _: None
    state: ReplicaState = ReplicaState.AWAY
    _pool: HostPool = field(init=False)
    _known: WeakKeyDictionary[AsyncConnection[TupleRow], LogPosition] = field(
        default_factory=WeakKeyDictionary
    )
    _had_all: float = field(default_factory=monotonic)
    """The last moment of which the replica was seen to have everything."""

    def __post_init__(self) -> None:
        session = SessionSettings(self.statement_timeout_seconds, IDLE_SECONDS)
        self._pool = HostPool(
            replica_conninfo(self.url),
            connections_max=self.connections_max,
            options=session.of_connection,
            takes_writes=False,
        )

    async def __aenter__(self) -> Self:
        await self._pool.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._pool.close()

    @property
    def lag_seconds(self) -> float:
        """How old what the replica shows may be."""
        return monotonic() - self._had_all

    @asynccontextmanager
    async def watched(self, primary: Database) -> AsyncIterator[None]:
        """Open the replica, and look again and again how far it is behind, until the block ends."""
        async with self:
            looking = asyncio.create_task(self._watch(primary))
            try:
                yield
            finally:
                looking.cancel()
                await asyncio.wait([looking])

    async def serve(self, primary: Database, read: Callable[[Read], Awaitable[Result]]) -> Result | None:
        """What the function reads of the replica; None where it has to be read from the primary."""
        if self.state is not ReplicaState.FOLLOWING:
            self.tell(ReplicaOutcome(self.state.value))
            return None
        position = await read_log_position(primary.in_cell(FIRST))
        try:
            async with self._reading(position, primary.entry) as tx:
                result = await read(tx)
                await tx.settle()
        except _Behind:
            self._passed_over(ReplicaState.BEHIND, ReplicaOutcome.BEHIND)
            return None
        except (PoolTimeout, _Promoted):
            self._passed_over(ReplicaState.AWAY, ReplicaOutcome.AWAY)
            return None
        except QueryCanceled:
            raise
        except Error as error:  # a conflict with what it replays, or a connection that was lost
            _log.warning("The replica did not answer: %s", str(error).strip())
            self.tell(ReplicaOutcome.FAILED)
            return None
        self.tell(ReplicaOutcome.REPLICA)
        return result

    def _passed_over(self, state: ReplicaState, outcome: ReplicaOutcome) -> None:
        self.state = state
        self.tell(outcome)

    @asynccontextmanager
    async def _reading(self, position: LogPosition, entry: CellEntry) -> AsyncIterator[Read]:
        """A transaction on the replica whose snapshot has all up to the position."""
        connection = await self._pool.getconn(CONNECTION_SECONDS)
        try:
            await self._await_replay(connection, position)
            yield Read(connection, Memory(), [BEGIN_READING, *enter_cell(entry, is_writing=False)])
            if not connection.closed:
                await connection.commit()
        except BaseException:
            if not connection.closed:
                await connection.rollback()
            raise
        finally:
            await self._pool.putconn(connection)

    async def _await_replay(self, connection: AsyncConnection[TupleRow], position: LogPosition) -> None:
        """Wait until the server of a connection has replayed the log as far as that; for a bounded time."""
        known = self._known.get(connection)
        if known is not None and known.mark == position.mark and known.offset >= position.offset:
            return
        deadline, pause = monotonic() + self.wait_seconds, FIRST_PAUSE_SECONDS
        while True:
            row = await (await connection.execute(_REPLAYED, (position.mark,))).fetchone()
            assert row is not None, "the statement gives one row"  # noqa: S101
            offset, follows, has_mark = row
            if not follows:
                await connection.close()
                raise _Promoted
            if has_mark and offset >= position.offset:
                self._known[connection] = LogPosition(offset, position.mark)
                return
            if monotonic() + pause > deadline:
                raise _Behind
            await asyncio.sleep(pause)
            pause = min(2 * pause, PAUSE_SECONDS_MAX)

    async def _watch(self, primary: Database) -> None:
        while True:
            # A server that vanished answers late or never; the look ends when the connection is given up.
            look = asyncio.create_task(self._look(primary))
            try:
                done, _ = await asyncio.wait([look], timeout=self.wait_seconds + LOOK_SECONDS_MAX)
                if not done:
                    self.state = ReplicaState.AWAY
                with suppress(Error, PoolTimeout):  # the primary cannot tell
                    self.state = await look
            finally:
                look.cancel()
            self.tell_lag(self.lag_seconds)
            await asyncio.sleep(LOOK_SECONDS)

    async def _look(self, primary: Database) -> ReplicaState:
        """How the replica stands now; what keeps the primary from telling leaves that as it was."""
        asked = monotonic()
        position = await read_log_position(primary)
        try:
            connection = await self._pool.getconn(CONNECTION_SECONDS)
            try:
                self._known.pop(connection, None)
                await self._await_replay(connection, position)
            finally:
                await self._pool.putconn(connection)
        except _Behind:
            return ReplicaState.BEHIND
        except (Error, PoolTimeout, _Promoted):
            return ReplicaState.AWAY
        self._had_all = asked
        return ReplicaState.FOLLOWING
