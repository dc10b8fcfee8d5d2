"""The page of counters and gauges for Prometheus, on a port of its own that only operators reach.

API processes add up what they count in a folder; gauges are read when the page is made.
`http/metrics.py` is the table of them all.

Invariants: the folder of a living service is never removed by another; the page is made at most once in
`FRESH_SECONDS`; without the database it has what the processes counted.
"""

import asyncio
import fcntl
import os
import shutil
import socket
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from time import monotonic
from typing import Any, Final

import psycopg
import structlog
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from weighbridge import __version__
from weighbridge.backup.target import last_backup
from weighbridge.core.platform.tasks import TaskState
from weighbridge.errors import Refusal
from weighbridge.http.metrics import METRICS

# The folder in which the API processes of one service add up what they count.
#
# Each service has one of its own, below the folder for temporary files, and holds a lock in it as long as
# it lives. A service that was killed leaves its folder, and the next one that starts here removes it.
#
# Invariants: a folder whose service lives is never removed by another.


COUNTERS_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
"""Tells the folder to prometheus-client, which has this name for it."""

_PREFIX: Final = "weighbridge-metrics-"
_LOCK: Final = "lock"


@contextmanager
def counters() -> Iterator[str]:
    """Make the folder, for as long as the block lasts."""
    _remove_what_is_left()
    with TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True) as folder:
        lock_file = Path(folder, "made")
        lock = os.open(lock_file, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lock_file.rename(lock_file.with_name(_LOCK))  # only now: nobody meets it without its lock
            yield folder
        finally:
            os.close(lock)


def _remove_what_is_left() -> None:
    for folder in Path(gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


# The gauges: the state of the database, of the work that waits, of disks and processes.
#
# They are read when the page is made, by one connection that gives up soon, so that a slow database makes
# the page poorer and never late.


DATABASE_SECONDS: Final = 2
"""How long the database may take to answer."""

WAITING_MAX: Final = 10_000
"""Work that is due is counted up to this number, of each kind."""

_STATES: Final = "SELECT state, count(*) FROM async_tasks GROUP BY state"
_SIZE: Final = "SELECT pg_database_size(current_database())"
_WAITING: Final = {
    "tasks": "SELECT created_at AS since FROM async_tasks WHERE state = 'pending' ORDER BY id",
    "deliveries": """
        SELECT d.next_attempt_at AS since FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
         WHERE d.state = 'pending' AND d.next_attempt_at < now() AND (w.is_enabled OR d.is_by_hand)
    """,
    "seals": """
        SELECT a.at AS since FROM audit_unsealed u JOIN audit_log a ON a.id = u.audit_id ORDER BY u.audit_id
    """,
    "numbers": "SELECT NULL::timestamptz AS since FROM unnumbered_changes",
    "roll_ups": "SELECT marked_at AS since FROM roll_up_marks",
}
"""What waits for a worker, each since when it is due; changes that wait for their number tell no time."""

log = structlog.get_logger("weighbridge.supervisor")


@dataclass(frozen=True, slots=True)
class Gauges:
    """What is read for each page; the supervisor raises `starts` for each start of a process."""

    database_url: str
    data_dir: Path
    starts: Counter[str] = field(default_factory=Counter)

    def written(self) -> str:
        """The gauges in Prometheus' text form."""
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        yield from _lines_of("weighbridge_build_info", "version", {__version__: 1})
        yield from _lines_of("weighbridge_process_starts_total", "process", self.starts)
        yield from self._of_disk()
        yield from self._of_backups()
        try:
            of_database = list(self._of_database())
        except psycopg.Error as error:
            log.warning("gauges_not_read", error=str(error))
            yield from _lines_of("weighbridge_database_up", None, {"": 0})
        else:
            yield from _lines_of("weighbridge_database_up", None, {"": 1})
            yield from of_database

    def _of_disk(self) -> Iterator[str]:
        try:
            disk = shutil.disk_usage(self.data_dir)
        except OSError:  # with an external database there may be no such folder
            return
        yield from _lines_of("weighbridge_disk_free_bytes", "place", {"data": disk.free})
        yield from _lines_of("weighbridge_disk_bytes", "place", {"data": disk.total})

    def _of_backups(self) -> Iterator[str]:
        last = last_backup(self.data_dir)
        if last is not None:
            finished_at, reaches = (
                f"{moment.timestamp():.3f}" for moment in (last.finished_at, last.reaches)
            )
            yield from _lines_of("weighbridge_last_backup_timestamp_seconds", None, {"": finished_at})
            yield from _lines_of("weighbridge_backup_reaches_timestamp_seconds", None, {"": reaches})

    def _of_database(self) -> Iterator[str]:
        options = f"-c statement_timeout={DATABASE_SECONDS}s -c default_transaction_read_only=on"
        with closing(
            psycopg.connect(self.database_url, connect_timeout=DATABASE_SECONDS, options=options)
        ) as connection:
            states: dict[str, int] = dict(connection.execute(_STATES).fetchall())
            [size] = _only(connection.execute(_SIZE).fetchall())
            waiting = {kind: _only(connection.execute(_counted(kind)).fetchall()) for kind in _WAITING}
        yield from _lines_of(
            "weighbridge_tasks", "state", {state: states.get(state, 0) for state in TaskState}
        )
        yield from _lines_of("weighbridge_database_bytes", None, {"": size})
        yield from _lines_of("weighbridge_waiting", "work", {kind: row[0] for kind, row in waiting.items()})
        timed = {kind: row[1] for kind, row in waiting.items() if kind != "numbers"}
        yield from _lines_of("weighbridge_waiting_seconds", "work", timed)


def _counted(kind: str) -> bytes:
    """How many of a kind wait, and for how many seconds the oldest does."""
    due_query = f"SELECT since FROM ({_WAITING[kind]}) due LIMIT {WAITING_MAX}"
    oldest = "greatest(coalesce(extract(epoch FROM clock_timestamp() - min(since)), 0), 0)"
    return f"SELECT count(*), round({oldest}, 1) FROM ({due_query}) counted".encode()


def _only(rows: list[Any]) -> Any:
    [row] = rows
    return row


def _lines_of(name: str, label: str | None, values: Mapping[str, object]) -> Iterator[str]:
    """One gauge, or counter, with what the table says of it."""
    metric = METRICS[name]
    yield f"# HELP {name} {metric.doc}"
    yield f"# TYPE {name} {metric.kind}"
    for value, number in values.items():
        yield f'{name}{{{label}="{value}"}} {number}' if label else f"{name} {number}"


# The counters of the service for Prometheus, on a port of their own that only operators reach.
#
# They tell how much all accounts together ask for and what waits for workers, so they are not served where
# accounts call, and making them takes longer than answering a request, so no API process does it.
#
# Invariants: the page is made at most once in `FRESH_SECONDS`, in a thread, however many ask for it;
# without the database it has what the processes counted, and says that the database is gone.


FRESH_SECONDS: Final = 1.0
"""How old the page may be that is given out."""

READERS_MAX: Final = 16
"""Connections that are answered at the same time; others are closed."""

ANSWER_SECONDS: Final = 5.0
"""How long a connection may take to ask and to be answered."""


@dataclass(slots=True)
class MetricsPage:
    """The page, made anew when it is asked for and no longer fresh; `folder` is where processes count."""

    folder: str
    gauges: Gauges
    _content: bytes = b""
    _made: float = float("-inf")
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def content(self) -> bytes:
        """The counters in Prometheus' text form."""
        async with self._turn:
            if monotonic() - self._made > FRESH_SECONDS:
                self._content = await asyncio.to_thread(self._make)
                self._made = monotonic()
            return self._content

    def _make(self) -> bytes:
        registry = CollectorRegistry()
        MultiProcessCollector(registry, path=self.folder)  # type: ignore[no-untyped-call]
        return generate_latest(registry) + self.gauges.written().encode()


def listening(host: str, port: int) -> socket.socket:
    """Take the port, before anything is started."""
    try:
        return socket.create_server((host, port), family=_family(host))
    except OSError as error:
        message = f"The counters cannot be served on {host} port {port}: {error.strerror}."
        raise Refusal(message) from error


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


async def serve_metrics(listener: socket.socket, page: MetricsPage, stopping: asyncio.Event) -> None:
    """Answer GET /metrics on a port until the service stops."""
    readers = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal readers
        readers += 1
        try:
            if readers <= READERS_MAX:
                async with asyncio.timeout(ANSWER_SECONDS):
                    await _answer(reader, writer, page)
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            writer.transport.abort()
        finally:
            readers -= 1
            writer.close()

    async with await asyncio.start_server(answer, sock=listener) as server:
        await stopping.wait()
        server.close()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, page: MetricsPage) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    words = head.split(b"\r\n", 1)[0].split(b" ")
    is_known = words[:2] == [b"GET", b"/metrics"] and len(words) == 3
    status = b"200 OK" if is_known else b"404 Not Found"
    content = await page.content() if is_known else b"The counters are at /metrics.\n"
    kind = CONTENT_TYPE_LATEST if is_known else "text/plain; charset=utf-8"
    writer.write(
        b"HTTP/1.1 " + status + b"\r\nContent-Type: " + kind.encode()
        + f"\r\nContent-Length: {len(content)}\r\nConnection: close\r\n\r\n".encode() + content
    )  # fmt: skip
    with suppress(ConnectionResetError):
        await writer.drain()
