"""A compute process: it answers the requests that API processes hand over, by the application itself.

The frames of the protocol come first, then the server.

Invariants: the socket lies in a folder that nobody else can enter; nothing that a client sends is taken
for what an API process says.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final, cast

import msgspec

from weighbridge import tracing
from weighbridge.core.platform.permission import Actor
from weighbridge.errors import Malformed
from weighbridge.http.messages.asgi import Application, Message, Receive, RequestScope
from weighbridge.http.metrics import OTHER

if TYPE_CHECKING:
    from litestar import Litestar

# What API processes and computing processes say to each other, over a socket that only they can reach.
#
# A request is a head, the pieces of its body, and an empty frame; an answer is a head, one frame of
# content. A frame is the number of its bytes, then the bytes. One connection carries one request.
#
# Invariants: a reader of a frame gets all of it, or an error that is an `OSError` or an `EOFError`.


LENGTH_BYTES: Final = 4
"""How many bytes say how long a frame is."""

PIECE_BYTES_MAX: Final = 1_048_576
"""The most of a body that one frame holds, in bytes."""

Headers = list[tuple[bytes, bytes]]


class RequestHead(msgspec.Struct, frozen=True, array_like=True):
    """The head of a request whose token was looked at, and which was let through."""

    method: str
    path: str
    query: bytes
    headers: Headers
    actor: Actor


class ResponseHead(msgspec.Struct, frozen=True, array_like=True):
    """The head of an answer."""

    status: int
    headers: Headers


encode_head = msgspec.msgpack.Encoder().encode
decode_request = msgspec.msgpack.Decoder(RequestHead).decode
decode_response = msgspec.msgpack.Decoder(ResponseHead).decode


def write_frame(writer: asyncio.StreamWriter, content: bytes) -> None:
    """Send a frame; who sends many waits for `drain` between them."""
    writer.write(len(content).to_bytes(LENGTH_BYTES))
    if content:
        writer.write(content)


async def write_content(writer: asyncio.StreamWriter, content: bytes) -> None:
    """Send so much as is there, in frames of a bounded size."""
    for start in range(0, len(content), PIECE_BYTES_MAX):
        write_frame(writer, content[start : start + PIECE_BYTES_MAX])
        await writer.drain()


async def read_frame(reader: asyncio.StreamReader) -> bytes:
    """The next frame; an EOFError where the other side has gone."""
    length = int.from_bytes(await reader.readexactly(LENGTH_BYTES))
    return await reader.readexactly(length) if length else b""


# A computing process answers what API processes hand over, by the application itself.
#
# Each connection brings one request, whose token the API process has looked at. The application sees it as
# any other, and hears that its client has gone when the connection is closed.
#
# Invariants: the socket lies in a folder that nobody else can enter; nothing that a client sends is taken
# for what an API process says; an answer arrives, also where it was given before the request was whole.


CONNECTIONS_WAITING: Final = 1_024

HEARD_OUT_SECONDS: Final = 10.0
"""How long the rest of a request is waited for that was answered before it was whole."""


class Requests:
    """The requests that are under way."""

    def __init__(self) -> None:
        self._number = 0
        self._none_left = asyncio.Event()
        self._none_left.set()

    def __enter__(self) -> None:
        self._number += 1
        self._none_left.clear()

    def __exit__(self, *_: object) -> None:
        self._number -= 1
        if not self._number:
            self._none_left.set()

    async def finish(self) -> None:
        """Wait until none is under way."""
        await self._none_left.wait()


@asynccontextmanager
async def serve_on_socket(application: "Litestar", socket: str) -> AsyncIterator[Requests]:
    """Answer on the socket as long as the block lasts; gives the requests that are under way."""
    answering = cast("Application", application)
    requests = Requests()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with requests, suppress(OSError, EOFError):
            try:
                await _answer(answering, reader, writer)
            finally:
                writer.close()

    with suppress(FileNotFoundError):
        os.remove(socket)  # noqa: PTH107 - of a process that was killed; a path object may not block a loop
    async with application.lifespan():
        server = await asyncio.start_unix_server(
            answer, socket, limit=PIECE_BYTES_MAX, backlog=CONNECTIONS_WAITING
        )
        try:
            yield requests
        finally:
            server.close()


async def _answer(
    application: Application, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    head = decode_request(await read_frame(reader))
    answer = _Answer()
    scope = _scope(head)
    request_trace = tracing.begin_request(scope, head.actor.request_id)
    try:
        await application(scope, _receive_from(reader), answer.take)
    finally:
        tracing.end_request(request_trace, scope, scope["state"].get("operation", OTHER), answer.status)
    write_frame(writer, encode_head(ResponseHead(answer.status, answer.headers)))
    write_frame(writer, b"".join(answer.pieces))
    await writer.drain()
    await _hear_out(reader)


async def _hear_out(reader: asyncio.StreamReader) -> None:
    """Drop what is left of a request, until the one who asked has its answer and closes the connection.

    Who closes before that breaks off what the other still sends, which then never reads the answer.
    """
    await asyncio.sleep(0)  # the application may have been reading, and stops with the next turn of the loop
    with suppress(TimeoutError):
        async with asyncio.timeout(HEARD_OUT_SECONDS):
            while await reader.read(PIECE_BYTES_MAX):
                pass


class _Answer:
    """What the application sends, kept until it is whole."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: Headers = []
        self.pieces: list[bytes] = []

    async def take(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = [(bytes(name), bytes(value)) for name, value in message.get("headers", [])]
        else:
            self.pieces.append(message.get("body", b""))


def _scope(head: RequestHead) -> RequestScope:
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": head.method,
        "scheme": "http",
        "path": head.path,
        "raw_path": head.path.encode(),
        "root_path": "",
        "query_string": head.query,
        "headers": head.headers,
        "client": None,
        "server": None,
        "state": {"request_id": head.actor.request_id, "actor": head.actor},
    }


def _receive_from(reader: asyncio.StreamReader) -> Receive:
    is_complete = False

    async def received() -> Message:
        nonlocal is_complete
        if is_complete:
            with suppress(OSError):
                await reader.read()
            return {"type": "http.disconnect"}
        try:
            piece = await read_frame(reader)
        except (OSError, EOFError):
            raise Malformed("The body ends before its end.") from None
        is_complete = not piece
        return {"type": "http.request", "body": piece, "more_body": not is_complete}

    return received
