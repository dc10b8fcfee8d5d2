"""The counters of the service for Prometheus, on a port of their own that only operators reach.

They tell how much all accounts together ask for and what waits for workers, so they are not served where
accounts call, and making them takes longer than answering a request, so no API process does it.

Invariants: the page is made at most once in `FRESH_SECONDS`, in a thread, however many ask for it; without
the database it has what the processes counted, and says that the database is gone.
"""

import asyncio
import socket
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from weighbridge.errors import Refusal
from weighbridge.supervisor.observing.gauges import Gauges

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
        said = f"The counters cannot be served on {host} port {port}: {error.strerror}."
        raise Refusal(said) from error


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


async def serve_metrics(taken: socket.socket, page: MetricsPage, stopping: asyncio.Event) -> None:
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

    async with await asyncio.start_server(answer, sock=taken) as server:
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
