"""A computing process answers what API processes hand over, by the application itself.

Each connection brings one request, whose token the API process has looked at. The application sees it as any
other, and hears that its client has gone when the connection is closed.

Invariants: the socket lies in a folder that nobody else can enter; nothing that a client sends is taken for
what an API process says; an answer arrives, also where it was given before the request was whole.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final, cast

from litestar import Litestar

from weighbridge.errors import Malformed
from weighbridge.http.computing import frames
from weighbridge.http.computing.frames import Answered, Asked
from weighbridge.http.edge import Application, Message, Receive, RequestScope
from weighbridge.http.metrics import OTHER
from weighbridge.tracing import spans

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
async def serving(application: Litestar, socket: str) -> AsyncIterator[Requests]:
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
            answer, socket, limit=frames.PIECE_BYTES_MAX, backlog=CONNECTIONS_WAITING
        )
        try:
            yield requests
        finally:
            server.close()


async def _answer(
    application: Application, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    asked = frames.asked(await frames.read_frame(reader))
    answer = _Answer()
    scope = _scope(asked)
    begun = spans.begin_request(scope, asked.actor.request_id)
    try:
        await application(scope, _receiving(reader), answer.take)
    finally:
        spans.end_request(begun, scope, scope["state"].get("operation", OTHER), answer.status)
    frames.write_frame(writer, frames.encode(Answered(answer.status, answer.headers)))
    frames.write_frame(writer, b"".join(answer.pieces))
    await writer.drain()
    await _hear_out(reader)


async def _hear_out(reader: asyncio.StreamReader) -> None:
    """Drop what is left of a request, until the one who asked has its answer and closes the connection.

    Who closes before that breaks off what the other still sends, which then never reads the answer.
    """
    await asyncio.sleep(0)  # the application may have been reading, and stops with the next turn of the loop
    with suppress(TimeoutError):
        async with asyncio.timeout(HEARD_OUT_SECONDS):
            while await reader.read(frames.PIECE_BYTES_MAX):
                pass


class _Answer:
    """What the application sends, kept until it is whole."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: frames.Headers = []
        self.pieces: list[bytes] = []

    async def take(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = [(bytes(name), bytes(value)) for name, value in message.get("headers", [])]
        else:
            self.pieces.append(message.get("body", b""))


def _scope(asked: Asked) -> RequestScope:
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": asked.method,
        "scheme": "http",
        "path": asked.path,
        "raw_path": asked.path.encode(),
        "root_path": "",
        "query_string": asked.query,
        "headers": asked.headers,
        "client": None,
        "server": None,
        "state": {"request_id": asked.actor.request_id, "actor": asked.actor},
    }


def _receiving(reader: asyncio.StreamReader) -> Receive:
    is_complete = False

    async def received() -> Message:
        nonlocal is_complete
        if is_complete:
            with suppress(OSError):
                await reader.read()
            return {"type": "http.disconnect"}
        try:
            piece = await frames.read_frame(reader)
        except (OSError, EOFError):
            raise Malformed("The body ends before its end.") from None
        is_complete = not piece
        return {"type": "http.request", "body": piece, "more_body": not is_complete}

    return received
