"""One connection: how its answers are read, whether it still stands, and what it says of a full disk."""

import logging
import select
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, LiteralString

import msgspec
from psycopg import AsyncConnection
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.errors import ConfigurationLimitExceeded, DiskFull, OutOfMemory, ReadOnlySqlTransaction
from psycopg.rows import TupleRow
from psycopg.types.json import set_json_loads
from psycopg_pool import AsyncConnectionPool

from weighbridge.core.time.instant import Instant

NO_ROOM: Final = (DiskFull, OutOfMemory, ConfigurationLimitExceeded)
"""What the database says that has run out of something."""

IDLE_SECONDS: Final = 20
"""How long a transaction may wait for its own process, before the server ends it."""

_log: Final = logging.getLogger(__name__)

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

    @property
    def of_transaction(self) -> tuple[LiteralString, tuple[str, ...]]:
        calls = ", ".join("set_config(%s, %s, true)" for _ in self._values)
        return f"SELECT {calls}", tuple(word for pair in self._values for word in pair)

    @property
    def _values(self) -> tuple[tuple[str, str], ...]:
        return (
            ("statement_timeout", f"{self.statement_timeout}s"),
            ("idle_in_transaction_session_timeout", f"{self.idle_timeout}s"),
            ("TimeZone", "UTC"),
        )


async def check(connection: AsyncConnection[TupleRow]) -> None:
    """Refuse a connection whose server has gone, without asking the server.

    A server that ends a connection says so, which makes an idle socket readable; only then it is asked.
    """
    if connection.closed or select.select([connection.fileno()], [], [], 0)[0]:
        await AsyncConnectionPool.check_connection(connection)


async def configure(connection: AsyncConnection[TupleRow]) -> None:
    """Have a new connection read times as instants."""
    connection.adapters.register_loader("timestamptz", _InstantLoader)
