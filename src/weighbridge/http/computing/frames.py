"""What API processes and computing processes say to each other, over a socket that only they can reach.

A request is a head, the pieces of its body, and an empty frame; an answer is a head, one frame of content. A
frame is the number of its bytes, then the bytes. One connection carries one request.

Invariants: whoever reads a frame gets all of it, or an error that is an `OSError` or an `EOFError`.
"""

import asyncio
from typing import Final

import msgspec

from weighbridge.core.platform.permission import Actor

LENGTH_BYTES: Final = 4
"""How many bytes say how long a frame is."""

PIECE_BYTES_MAX: Final = 1_048_576
"""The most of a body that one frame holds, in bytes."""

Headers = list[tuple[bytes, bytes]]


class Asked(msgspec.Struct, frozen=True, array_like=True):
    """The head of a request whose token was looked at, and which was let through."""

    method: str
    path: str
    query: bytes
    headers: Headers
    actor: Actor


class Answered(msgspec.Struct, frozen=True, array_like=True):
    """The head of an answer."""

    status: int
    headers: Headers


encode = msgspec.msgpack.Encoder().encode
asked = msgspec.msgpack.Decoder(Asked).decode
answered = msgspec.msgpack.Decoder(Answered).decode


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
