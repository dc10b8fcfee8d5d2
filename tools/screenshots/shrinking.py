"""Shrinking a picture: the 256 colours that it has most of, each pixel in one byte (PNG, colour type 3).

A page has few colours; the others are those of edges of letters, which take the nearest one.
"""

import struct
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import Final

COLOURS: Final = 256
SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"


def shrunk(png: bytes) -> bytes:
    """The same picture in a palette of its own; it has 8 bits for each channel, and no interlacing."""
    chunks = [*_chunks(png)]
    width, height, _, kind, *_ = struct.unpack(">IIBBBBB", dict(chunks)[b"IHDR"])
    channels = {2: 3, 6: 4}[kind]
    packed = zlib.decompress(b"".join(content for name, content in chunks if name == b"IDAT"))
    rows = _rows(packed, width * channels, channels)
    pixels = [[row[at : at + 3] for at in range(0, len(row), channels)] for row in rows]
    counts = Counter(pixel for row in pixels for pixel in row)
    palette = [colour for colour, _ in counts.most_common(COLOURS)]
    place = {colour: number for number, colour in enumerate(palette)}
    place |= {colour: _nearest(colour, palette) for colour in counts if colour not in place}
    lines = b"".join(b"\0" + bytes(place[pixel] for pixel in row) for row in pixels)
    return SIGNATURE + b"".join(
        _chunk(name, content)
        for name, content in (
            (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            (b"PLTE", b"".join(palette)),
            (b"IDAT", zlib.compress(lines, 9)),
            (b"IEND", b""),
        )
    )


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(SIGNATURE)
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        at += 12 + length


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def _rows(packed: bytes, length: int, step: int) -> Iterator[bytes]:
    """The lines of a picture without their filters (PNG, 9.2)."""
    above = bytes(length)
    for start in range(0, len(packed), length + 1):
        line = bytearray(packed[start + 1 : start + 1 + length])
        kind = packed[start]
        for at in range(length) if kind else ():
            left = line[at - step] if at >= step else 0
            corner = above[at - step] if at >= step else 0
            guess = (left, above[at], (left + above[at]) // 2, _paeth(left, above[at], corner))[kind - 1]
            line[at] = (line[at] + guess) & 255
        above = bytes(line)
        yield above


def _paeth(left: int, above: int, corner: int) -> int:
    guess = left + above - corner
    return min((left, above, corner), key=lambda one: abs(guess - one))


def _nearest(colour: bytes, palette: list[bytes]) -> int:
    distances = (sum((a - b) ** 2 for a, b in zip(colour, other, strict=True)) for other in palette)
    return min(enumerate(distances), key=lambda one: one[1])[0]
