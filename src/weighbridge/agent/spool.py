"""The spool as sources and sender hold it: its steps run one after the other on a thread of their own.

A sync takes milliseconds, in which the loop goes on reading. A full spool is waited for: who wants to keep
something goes on when there is room, and lets its source hold everything that is not confirmed as stored.
"""

import asyncio
import fcntl
import os
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import msgspec

from weighbridge.agent.readings import AgentReading, RefusedReading, microseconds, moment_of, now
from weighbridge.errors import Refusal

# The spool's database: SQLite with a log that is written ahead, synced at the end of each transaction.
#
# Invariants: what `keep` returned from survives the loss of power; a name occurs once among readings and
# those sent; nothing leaves but into `sent` or `refused`, or because a person discards it.


SENT_KEPT_MAX: Final = 100_000
"""Names of readings that the service has, which a spool remembers."""

PACKETS_KEPT_MAX: Final = 1_000
"""Packets without a time of their own that a spool remembers."""

VARIABLES_MAX: Final = 1_000
"""Variables whose last event is remembered while the agent runs."""

SPOOL_VERSION: Final = 1
"""The form of a spool, which rises when an agent of before cannot read what a newer one stores; 0 is that of
agents that did not state it, and is the same."""

BUSY_SECONDS: Final = 30
RESERVE_BYTES_MAX: Final = 8_388_608
"""Room on the disk that is kept free of everything else, for what lets readings go."""

RESERVE_PART: Final = 4
"""Of the room of a small disk, one part in so many is reserved."""

WAL_PAGES: Final = 256
"""Pages after which the log that is written ahead is carried over: less than the reserve."""

PAGE_BYTES: Final = 4_096
"""A page of SQLite, as it makes them."""

RESERVE_BYTES_MIN: Final = 262_144
"""With less than that the disk is full."""

_SCHEMA: Final = Path(__file__).with_name("schema.sql")
_CONFLICT: Final = "another reading of the same source has this time; the first one is kept."


DISK_FULL: Final = "the disk of the spool is full"


class SpoolFullError(Exception):
    """The spool has its size, or the disk is full; nothing was kept, and the message says which."""


@dataclass(frozen=True, slots=True)
class Handover:
    """What a source hands over at once: all of it becomes durable, or nothing."""

    readings: Sequence[AgentReading] = ()
    refused: Sequence[RefusedReading] = ()
    positions: Mapping[tuple[str, str], datetime] = field(default_factory=dict)
    packets: Sequence[tuple[str, int, bytes]] = ()
    arrived_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class StoredMapping:
    """The mapping of the web app that is in force, with the variables that it says something new of."""

    content: bytes
    remapped: Sequence[str] = ()
    """Each as `source/node`."""


@dataclass(frozen=True, slots=True)
class SpooledReading:
    """A reading that waits for the service."""

    id: int
    reference: str
    event: bytes


@dataclass(frozen=True, slots=True)
class SpoolState:
    """What a spool holds at a moment, for those who look after the agent."""

    waiting: int
    oldest_arrived_at: datetime | None
    refused: int
    used_bytes: int
    bytes_max: int
    facts: dict[str, dict[str, Any]]
    last_events: dict[str, tuple[datetime, bytes]]
    """The last event of each variable since the agent began, with its time."""


class SpoolDatabase:
    """One spool, opened for reading and writing by one process at a time."""

    def __init__(self, path: Path, bytes_max: int) -> None:
        self._lock = _locked(path)
        self._bytes_max = bytes_max
        self._reserve = Reserve(path.with_name(f"{path.name}.reserve"))
        try:
            # What an earlier run reserved makes the room that opening takes on a full disk.
            self._reserve.release()
            self._connection = _connected(path)
            version = check_spool_version(self._connection, path)
            self._connection.executescript(_SCHEMA.read_text())
            if version < SPOOL_VERSION:
                self._connection.execute(f"PRAGMA user_version = {SPOOL_VERSION}")
        except sqlite3.Error as error:
            os.close(self._lock)
            raise Refusal(f"The spool {path} cannot be opened: {error}.") from None
        except Refusal:
            self.close()
            raise
        self._reserve.hold()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, and let others open it."""
        self._connection.close()
        os.close(self._lock)

    def keep(self, handed: Handover, at: datetime) -> int:
        """Keep what is new of it; gives how many readings that were. Raises SpoolFullError."""
        if handed.readings or handed.refused:
            if not self._reserve.hold():
                raise SpoolFullError(DISK_FULL)
            if self.used_bytes() >= self._bytes_max:
                raise SpoolFullError("the spool has its size")
        arrived_at = microseconds(handed.arrived_at or at)
        with self._transaction() as do:
            new = sum(self._keep_reading(reading, arrived_at) for reading in handed.readings)
            for refused_reading in handed.refused:
                self._refuse(
                    refused_reading.reference,
                    b"",
                    refused_reading.content,
                    refused_reading.reason,
                    at,
                    is_event=False,
                )
            do.executemany(
                """
                INSERT INTO positions (source, node, time) VALUES (?, ?, ?)
                    ON CONFLICT (source, node) DO UPDATE SET time = max(time, excluded.time)
                """,
                [(*key, microseconds(time)) for key, time in handed.positions.items()],
            )
            do.executemany(
                "INSERT OR REPLACE INTO packets (source, number, digest) VALUES (?, ?, ?)", handed.packets
            )
            _prune(do, "packets", PACKETS_KEPT_MAX)
        return new

    def _keep_reading(self, reading: AgentReading, arrived_at: int) -> int:
        known_row = self._connection.execute(
            """
            SELECT digest FROM readings WHERE reference = ?1
             UNION ALL SELECT digest FROM sent WHERE reference = ?1
            """,
            (reading.reference,),
        ).fetchone()
        if known_row is None:
            self._connection.execute(
                "INSERT INTO readings (reference, digest, event, arrived_at) VALUES (?, ?, ?, ?)",
                (reading.reference, reading.digest, reading.event, arrived_at),
            )
            return 1
        if known_row[0] != reading.digest and not self._is_of_former_mapping(reading):
            self._refuse(
                reading.reference,
                reading.digest,
                reading.event,
                _CONFLICT,
                moment_of(arrived_at),
                is_event=True,
            )
        return 0

    def _is_of_former_mapping(self, reading: AgentReading) -> bool:
        """Whether a reading was kept under the mapping before: read again, it differs by that alone."""
        row = self._connection.execute(
            "SELECT until FROM remapped WHERE variable = ?", (reading.variable,)
        ).fetchone()
        return row is not None and microseconds(reading.time) <= row[0]

    def _refuse(
        self, reference: str, digest: bytes, content: bytes, reason: str, at: datetime, *, is_event: bool
    ) -> None:
        self._connection.execute(
            """
            INSERT OR IGNORE INTO refused (reference, digest, content, is_event, reason, refused_at)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            (reference, digest, content, is_event, reason, microseconds(at)),
        )

    def oldest(self, most: int) -> list[SpooledReading]:
        """The readings that have waited longest, in their order."""
        rows = self._connection.execute(
            "SELECT id, reference, event FROM readings ORDER BY id LIMIT ?", (most,)
        )
        return [SpooledReading(*row) for row in rows]

    def settle(self, sent_ids: Sequence[int], refused_reasons: Mapping[int, str], at: datetime) -> None:
        """Readings that the service has leave, and so do those that it refused, with its reasons.

        Raises SpoolFullError when the disk has no room even for that.
        """
        with self._transaction() as do:
            do.executemany(
                """
                INSERT OR REPLACE INTO sent (reference, digest)
                SELECT reference, digest FROM readings WHERE id = ?
                """,
                [(id_,) for id_ in sent_ids],
            )
            for number, reason in refused_reasons.items():
                do.execute(
                    """
                    INSERT OR REPLACE INTO refused (reference, digest, content, is_event, reason, refused_at)
                    SELECT reference, digest, event, 1, ?, ? FROM readings WHERE id = ?
                    """,
                    (reason, microseconds(at), number),
                )
            do.executemany(
                "DELETE FROM readings WHERE id = ?", [(id_,) for id_ in (*sent_ids, *refused_reasons)]
            )
            _prune(do, "sent", SENT_KEPT_MAX)

    def retry(self, at: datetime) -> int:
        """Readings that were refused and are events wait again; gives how many."""
        with self._transaction() as do:
            moved_rows = do.execute(
                """
                INSERT OR IGNORE INTO readings (reference, digest, event, arrived_at)
                SELECT reference, digest, content, ? FROM refused WHERE is_event AND reason <> ? ORDER BY id
                """,
                (microseconds(at), _CONFLICT),
            ).rowcount
            do.execute("DELETE FROM refused WHERE is_event AND reason <> ?", (_CONFLICT,))
        return moved_rows

    def discard(self) -> int:
        """What was refused is forgotten, because a person said so; gives how much that was."""
        with self._transaction() as do:
            return do.execute("DELETE FROM refused").rowcount

    def positions(self, source: str) -> dict[str, datetime]:
        """Up to when everything of the variables of a source is here."""
        rows = self._connection.execute("SELECT node, time FROM positions WHERE source = ?", (source,))
        return {node: moment_of(time) for node, time in rows}

    def packet(self, source: str, number: int) -> bytes | None:
        """The digest of the last packet with a number."""
        row = self._connection.execute(
            "SELECT digest FROM packets WHERE source = ? AND number = ?", (source, number)
        ).fetchone()
        return row[0] if row else None

    def mapping(self) -> StoredMapping | None:
        """The mapping of the web app that is in force."""
        row = self._connection.execute("SELECT content FROM mapping").fetchone()
        return StoredMapping(row[0]) if row else None

    def store_mapping(self, mapping: StoredMapping, at: datetime) -> None:
        """Put a mapping in force, in place of the one before. Raises SpoolFullError when the disk is full."""
        with self._transaction() as do:
            do.execute("INSERT OR REPLACE INTO mapping (id, content) VALUES (1, ?)", (mapping.content,))
            do.executemany(
                """
                INSERT INTO remapped (variable, until) VALUES (?1, ?2)
                    ON CONFLICT (variable) DO UPDATE SET until = max(until, excluded.until)
                """,
                [(variable, microseconds(at)) for variable in mapping.remapped],
            )

    def note(self, name: str, fact: Any, at: datetime) -> None:
        """Note how something fares. Raises SpoolFullError when the disk is full."""
        with self._transaction() as do:
            do.execute(
                "INSERT OR REPLACE INTO facts (name, fact, at) VALUES (?, ?, ?)",
                (name, msgspec.json.encode(fact).decode(), microseconds(at)),
            )

    def facts(self) -> dict[str, dict[str, Any]]:
        """Every fact by its name."""
        rows = self._connection.execute("SELECT name, fact FROM facts")
        return {name: msgspec.json.decode(fact) for name, fact in rows}

    @property
    def bytes_max(self) -> int:
        """How large the spool may become."""
        return self._bytes_max

    def is_noted(self, name: str) -> bool:
        """Whether there is a fact of this name."""
        return self._connection.execute("SELECT 1 FROM facts WHERE name = ?", (name,)).fetchone() is not None

    def used_bytes(self) -> int:
        """How much of the file is in use, in bytes."""
        (pages,), (free,), (size,) = (
            self._connection.execute(f"PRAGMA {name}").fetchone()
            for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * size)

    def waiting(self) -> tuple[int, datetime | None, int]:
        """How many readings wait, since when the oldest has, and how many were refused."""
        count, oldest, refused_count = self._connection.execute(
            "SELECT count(*), min(arrived_at), (SELECT count(*) FROM refused) FROM readings"
        ).fetchone()
        return count, None if oldest is None else moment_of(oldest), refused_count

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing; a full disk is a full spool."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield self._connection
            self._connection.execute("COMMIT")
        except sqlite3.OperationalError as error:
            self._undo()
            if error.sqlite_errorcode == sqlite3.SQLITE_FULL or self._reserve.is_disk_full():
                self._make_room()
                raise SpoolFullError(DISK_FULL) from None
            raise
        except BaseException:
            self._undo()
            raise

    def _make_room(self) -> None:
        """Give up the reserve for the log to be carried over, which keeps its own room."""
        self._reserve.release()
        with suppress(sqlite3.OperationalError):
            self._connection.execute("PRAGMA wal_checkpoint(RESTART)")

    def _undo(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")


class Reserve:
    """A file that holds room on the disk, which is given up when the disk is full.

    A reading leaves by a write, and so does what is in the log: without room for that a full spool would
    stay full for ever, with every reading of it long at the service. While the reserve is given up nothing
    is taken up, and it is held again as soon as there is room for it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held_bytes = 0

    def hold(self) -> bool:
        """Reserve what the disk has room for; gives whether there is a reserve."""
        if self._held_bytes:
            return True
        free = self._free_bytes()
        wanted = min(RESERVE_BYTES_MAX, free // RESERVE_PART)
        if wanted < RESERVE_BYTES_MIN:
            return False
        try:
            with self._path.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, wanted)
        except OSError:
            self.release()
            return False
        self._held_bytes = wanted
        return True

    def release(self) -> None:
        """Give the room up."""
        self._path.unlink(missing_ok=True)
        self._held_bytes = 0

    def is_disk_full(self) -> bool:
        """Whether the disk has no block left."""
        return self._free_bytes() == 0

    def _free_bytes(self) -> int:
        disk = os.statvfs(self._path.parent)
        return disk.f_bavail * disk.f_frsize


def _prune(do: sqlite3.Connection, table: str, most: int) -> None:
    do.execute(f"DELETE FROM {table} WHERE id <= (SELECT max(id) FROM {table}) - ?", (most,))


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA wal_autocheckpoint = {WAL_PAGES}")
    connection.execute(f"PRAGMA journal_size_limit = {WAL_PAGES * PAGE_BYTES}")
    return connection


def check_spool_version(connection: sqlite3.Connection, path: Path, newest: int = SPOOL_VERSION) -> int:
    """The version of a spool. Raises Refusal where only a newer agent reads it."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > newest:
        raise Refusal(
            f"The spool {path} has version {version}, and this agent reads up to {newest}: a newer agent"
            " wrote it. Run that one, which sends what waits there."
        )
    return version


def _locked(path: Path) -> int:
    """Hold the spool for this process. Raises Refusal while another one does."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(path.with_name(f"{path.name}.lock"), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise Refusal(f"The spool {path} cannot be opened: {error}.") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise Refusal(f"The spool {path} is in use by another agent.") from None
    return lock


Result = TypeVar("Result")

MEGABYTE = 1_000_000


class Spool:
    """One spool for all parts of a running agent."""

    def __init__(self, database: SpoolDatabase, thread: ThreadPoolExecutor) -> None:
        self._database = database
        self._thread = thread
        self._last_events: dict[str, tuple[datetime, bytes]] = {}
        self.arrived = asyncio.Event()
        """Set when something new waits."""
        self.has_room = asyncio.Event()
        """Set while the spool takes readings."""
        self.has_room.set()

    async def keep(self, handed: Handover) -> int:
        """Make durable what a source hands over; raises SpoolFullError while there is no room."""
        try:
            new = await self._do(lambda spool: spool.keep(handed, now()))
        except SpoolFullError:
            self.has_room.clear()
            raise
        if new:
            self.arrived.set()
            self._remember(handed.readings)
        return new

    def _remember(self, readings: Sequence[AgentReading]) -> None:
        for reading in readings:
            known = self._last_events.get(reading.variable)
            if (known is None and len(self._last_events) < VARIABLES_MAX) or (
                known and known[0] <= reading.time
            ):
                self._last_events[reading.variable] = reading.time, reading.event

    async def state(self) -> SpoolState:
        """What the spool holds now."""

        def read(spool: SpoolDatabase) -> SpoolState:
            waiting = spool.waiting()
            return SpoolState(
                *waiting, spool.used_bytes(), spool.bytes_max, spool.facts(), {**self._last_events}
            )

        return await self._do(read)

    async def oldest(self, most: int) -> list[SpooledReading]:
        """The readings that have waited longest."""
        return await self._do(lambda spool: spool.oldest(most))

    async def settle(self, sent_ids: Sequence[int], refused_reasons: Mapping[int, str]) -> None:
        """Readings leave that the service has, or has refused.

        Where the disk has no room for all of that at once, it is done in halves, down to one reading.
        """
        try:
            await self._do(lambda spool: spool.settle(sent_ids, refused_reasons, now()))
        except SpoolFullError:
            if len(sent_ids) < 2:
                raise
            half = len(sent_ids) // 2
            await self.settle(sent_ids[:half], {})
            await self.settle(sent_ids[half:], refused_reasons)
        self.has_room.set()

    async def positions(self, source: str) -> dict[str, datetime]:
        """Up to when everything of a source's variables is here."""
        return await self._do(lambda spool: spool.positions(source))

    async def packet(self, source: str, number: int) -> bytes | None:
        """The digest of the last packet with a number."""
        return await self._do(lambda spool: spool.packet(source, number))

    async def mapping(self) -> StoredMapping | None:
        """The mapping of the web app that is in force."""
        return await self._do(lambda spool: spool.mapping())

    async def store_mapping(self, mapping: StoredMapping) -> None:
        """Put a mapping in force, in place of the one before. Raises SpoolFullError when the disk is full."""
        await self._do(lambda spool: spool.store_mapping(mapping, now()))

    async def note(self, name: str, fact: Any) -> None:
        """Note how something fares; on a full disk that goes unnoted, for readings come first."""
        with suppress(SpoolFullError):
            await self._do(lambda spool: spool.note(name, fact, now()))

    async def is_noted(self, name: str) -> bool:
        """Whether there is a fact of this name."""
        return await self._do(lambda spool: spool.is_noted(name))

    async def waiting(self) -> tuple[int, datetime | None, int]:
        """How many readings wait, since when the oldest has, and how many were refused."""
        return await self._do(lambda spool: spool.waiting())

    async def _do(self, step: Callable[[SpoolDatabase], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, step, self._database)


@asynccontextmanager
async def opened_spool(path: Path, megabytes_max: int) -> AsyncIterator[Spool]:
    """The spool at a path. Raises Refusal where it cannot be had."""
    with ThreadPoolExecutor(1, "spool") as thread:
        loop = asyncio.get_running_loop()
        database = await loop.run_in_executor(thread, SpoolDatabase, path, megabytes_max * MEGABYTE)
        try:
            yield Spool(database, thread)
        finally:
            await loop.run_in_executor(thread, database.close)
