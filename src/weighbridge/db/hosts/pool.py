"""The hosts of a database: which of them is written to, and how one that has gone is found out.

A URL may name several hosts (`postgresql://db1,db2/weighbridge`), of which one takes writes and the others
follow it. When that one is lost and another is promoted, connections have to find it by themselves, and
those to the old one must not be used again, whether they end with an error, hang, or still answer.

Invariants: with several hosts a new connection is one to a host that takes writes; after a connection was
lost while it was used, no older one is used again; a pool that has seen a host of one history uses no host
of an earlier one. A history is what PostgreSQL calls a timeline: each promotion begins the next one.
"""

from collections.abc import Mapping
from time import monotonic
from typing import Any, Final
from weakref import WeakKeyDictionary

from psycopg import AsyncConnection, OperationalError
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import TupleRow
from psycopg_pool import AsyncConnectionPool

from weighbridge.db.hosts.connection import SessionSettings, check, configure

CONNECT_SECONDS: Final = 10
"""How long a host may take to be connected to."""

CONNECT_SECONDS_OF_SEVERAL: Final = 3
"""How long one of several hosts may take to be connected to, before the next one is tried."""

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


def of_primary(url: str) -> str:
    """How the host that takes writes is connected to; what the URL says for itself stays."""
    usual: dict[str, Any] = {**_VANISHED, "connect_timeout": CONNECT_SECONDS}
    if has_several(url):
        usual |= {"target_session_attrs": "read-write", "connect_timeout": CONNECT_SECONDS_OF_SEVERAL}
    return _with(url, usual)


def of_replica(url: str) -> str:
    """How a host that follows is connected to."""
    usual = {"target_session_attrs": "standby", "connect_timeout": CONNECT_SECONDS_OF_SEVERAL}
    return _with(url, {**_VANISHED_REPLICA, **usual})


def has_several(url: str) -> bool:
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
        pool = HostPool(of_primary(url), connections_max=size, options=session.of_connection)
        return pool, pool
    return (
        HostPool(of_primary(url), connections_max=size, options=session.of_pooler),
        HostPool(of_primary(session_url), connections_max=size, options=session.of_connection, held=0),
    )


class HostPool(AsyncConnectionPool[AsyncConnection[TupleRow]]):
    """A pool of connections to the host that takes writes, or to a replica."""

    def __init__(
        self,
        url: str,
        *,
        connections_max: int,
        options: Mapping[str, Any],
        held: int = 1,
        takes_writes: bool = True,
    ) -> None:
        """So many connections at most, so many of them kept while nobody uses them; it has to be opened."""
        self._asks_for_timeline = takes_writes and has_several(url)
        self._timeline = 0
        self._made: WeakKeyDictionary[AsyncConnection[Any], float] = WeakKeyDictionary()
        self._lost = float("-inf")
        super().__init__(
            url,
            configure=self._begin,
            min_size=held,
            max_size=connections_max,
            kwargs={"autocommit": True, "application_name": "weighbridge", **options},
            check=self._look_at,
            open=False,
        )

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
