"""The page of counters and gauges for Prometheus, on a port of its own that only operators reach.

API processes add up what they count in a folder; gauges are read when the page is made (`gauges.py`).
`http/metrics.py` is the table of them all.

Invariants: the folder of a living service is never removed by another; the page is made at most once in
`FRESH_SECONDS`; without the database it has what the processes counted.
"""

import asyncio
import fcntl
import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from time import monotonic
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from weighbridge.errors import Refusal
from weighbridge.supervisor.gauges import Gauges

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
