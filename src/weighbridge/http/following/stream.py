"""A stream: what is followed, sent as it comes, as Server-Sent Events (HTML Standard, section 9.2).

A client asks for `text/event-stream` and, when its connection was lost, says by `Last-Event-ID` what it was
sent last. The token is read of its header alone, which `EventSource` of a browser cannot send: a page uses
`fetch`.

Invariants: what is sent carries the cursor behind it as its id, so whoever comes back is sent what follows,
once; between two looks a stream holds nothing but its place; before each look, and with each sign of life, it
is asked anew whether the token stands; a stream ends by itself, after an hour at the latest.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from weighbridge.errors import Refusal
from weighbridge.http.computing.loop import hung_up
from weighbridge.http.edge import Receive, RequestScope, Send
from weighbridge.http.following.watch import Watch
from weighbridge.http.wire import Encode

EVENT_STREAM: Final = "text/event-stream"
"""What a client asks for who wants a stream."""

LAST_ID: Final = "last-event-id"
"""The header by which a client says what it was sent last."""

BEAT_SECONDS: Final = 15
"""How often a stream gives a sign of life when there is nothing to send, in seconds."""

STREAM_SECONDS_MAX: Final = 3_600
"""How long a stream lasts at most, in seconds; the client then comes back by itself."""

COME_BACK_MILLISECONDS: Final = 2_000
"""How long a client waits before it comes back, unless it knows better."""

HEADERS: Final = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
)
"""Sent with a stream; the last one asks proxies not to hold back what comes."""


@dataclass(frozen=True, slots=True)
class StreamLook:
    """What a look has found to send: records with the ids behind them, and where it has come to."""

    items: Sequence[tuple[str, Any]]
    cursor: str
    number: int
    has_more: bool


StreamLooking = Callable[[str], Awaitable[StreamLook]]
"""Looks for what comes behind a cursor; raises a Refusal when the token does not stand any more."""


@dataclass(frozen=True, slots=True)
class StreamReply:
    """A stream on its way out; the framework calls it to have it sent."""

    account: int
    first: StreamLook
    look: StreamLooking
    watch: Watch
    encode: Encode
    stalled_seconds: int

    async def __call__(self, _scope: RequestScope, receive: Receive, send: Send) -> None:
        """Send it, as an application of its own (ASGI), until the client goes away."""
        with self.watch.listening(self.account):
            await send({"type": "http.response.start", "status": 200, "headers": [*HEADERS]})
            gone = asyncio.create_task(hung_up(receive))
            sending = asyncio.create_task(self._send(send))
            try:
                await asyncio.wait([gone, sending], return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (gone, sending):
                    task.cancel()
                    with suppress(asyncio.CancelledError):
                        await task

    async def _send(self, send: Send) -> None:
        with suppress(TimeoutError):  # who takes nothing for so long is left
            async for text in self._texts():
                async with asyncio.timeout(self.stalled_seconds):
                    await send({"type": "http.response.body", "body": text, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _texts(self) -> AsyncIterator[bytes]:
        clock = asyncio.get_running_loop().time
        deadline = clock() + STREAM_SECONDS_MAX
        seen = self.first
        yield f"retry: {COME_BACK_MILLISECONDS}\n\n".encode()
        while True:
            for identity, record in seen.items:
                yield event_text(identity, self.encode(record))
            yield beat_text(seen.cursor)
            if not seen.has_more:
                left = min(BEAT_SECONDS, deadline - clock())
                await self.watch.await_later(self.account, seen.number, left, is_listening=True)
            if self.watch.is_ending or clock() >= deadline:
                return
            try:
                seen = await self.look(seen.cursor)
            except Refusal as refusal:
                yield end_text(refusal)
                return


def event_text(identity: str, record: bytes) -> bytes:
    """One record as an event; JSON has no line breaks."""
    return b"id: " + identity.encode() + b"\ndata: " + record + b"\n\n"


def beat_text(cursor: str) -> bytes:
    """A sign of life that also says how far the stream has come; clients remember it as the last id."""
    return f": \nid: {cursor}\n\n".encode()


def end_text(refusal: Refusal) -> bytes:
    """The event that says why a stream ends before its time."""
    [problem, *_] = refusal.problems
    said = {"message": problem.message, "code": problem.code or refusal.code}
    return b"event: end\ndata: " + msgspec.json.encode(said) + b"\n\n"
