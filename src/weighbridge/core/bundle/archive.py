"""The archive: a ZIP file of which every byte follows from the names and the contents of its parts.

Parts are stored as they are, without compression, because compressed bytes differ from one library to the
next. Names are sorted, times are fixed, and there is nothing else: no comment, no extra field but the sizes
of ZIP64 where a size or a place needs one. So equal contents give equal files on every machine, and a reader
tells whether one byte of the frame is another.

    local header, part, local header, part, ..., directory, end

Invariants: `write_headers` and `write_directory` are the only places that know the format, for writing and
for reading; reading looks at each byte once and believes no length that does not lie inside the file.
"""

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from struct import pack, unpack_from
from typing import Final

PARTS_MAX: Final = 200_000
"""Parts of one bundle; more are refused before they are looked at."""

NAME_BYTES_MAX: Final = 200
"""The longest name of a part."""

NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)?", re.ASCII)
"""What a part may be called: at most one folder, and nothing that leads out of it."""

_LOCAL: Final = b"PK\x03\x04"
_ENTRY: Final = b"PK\x01\x02"
_FIXED_DATE: Final = 0x21
"""The first day that ZIP can write, 1 January 1980, at midnight."""
_PLAIN, _ZIP64, _UNIX = 20, 45, 3
_MODE: Final = 0o100644 << 16
_LONG: Final = 0xFFFFFFFF
_MANY: Final = 0xFFFF
_LOCAL_BYTES: Final = 30
_BLOCK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class ArchivePart:
    """A part of the archive, without its content."""

    name: str
    size: int
    crc: int


def write_headers(parts: Sequence[ArchivePart]) -> Iterator[bytes]:
    """The local header of each part, in the order of the parts."""
    for part in parts:
        is_long = part.size >= _LONG
        name, extra = part.name.encode("ascii"), b""
        size = part.size
        if is_long:
            size, extra = _LONG, pack("<HHQQ", 1, 16, part.size, part.size)
        yield pack(
            "<4sHHHHHIIIHH", _LOCAL, _ZIP64 if is_long else _PLAIN, 0, 0, 0, _FIXED_DATE, part.crc, size,
            size, len(name), len(extra),
        ) + name + extra  # fmt: skip


def write_directory(parts: Sequence[ArchivePart]) -> bytes:
    """Return everything after the last part."""
    directory, place = bytearray(), 0
    for part, header in zip(parts, write_headers(parts), strict=True):
        directory += _write_entry(part, place)
        place += len(header) + part.size
    return bytes(directory) + _end(len(parts), len(directory), place)


def _write_entry(part: ArchivePart, place: int) -> bytes:
    wide = [number for number in (part.size, part.size, place) if number >= _LONG]
    name = part.name.encode("ascii")
    extra = pack(f"<HH{len(wide)}Q", 1, 8 * len(wide), *wide) if wide else b""
    size, version = min(part.size, _LONG), _ZIP64 if wide else _PLAIN
    return pack(
        "<4sBBHHHHHIIIHHHHHII", _ENTRY, version, _UNIX, version, 0, 0, 0, _FIXED_DATE, part.crc, size, size,
        len(name), len(extra), 0, 0, 0, _MODE, min(place, _LONG),
    ) + name + extra  # fmt: skip


def _end(count: int, size: int, place: int) -> bytes:
    """The records behind the directory; those of ZIP64 only where a number is too large for the short one."""
    wide = b""
    if count >= _MANY or size >= _LONG or place >= _LONG:
        record = pack(
            "<4sQBBHIIQQQQ", b"PK\x06\x06", 44, _ZIP64, _UNIX, _ZIP64, 0, 0, count, count, size, place
        )
        wide = record + pack("<4sIQI", b"PK\x06\x07", 0, place + size, 1)
    count_field, size_field, place_field = min(count, _MANY), min(size, _LONG), min(place, _LONG)
    return wide + pack(
        "<4sHHHHIIH", b"PK\x05\x06", 0, 0, count_field, count_field, size_field, place_field, 0
    )


def read_parts(content: memoryview) -> dict[str, memoryview]:
    """The parts of an archive by their names, none of them copied.

    Raises UnreadableError unless the file is byte for byte what its parts make.
    """
    parts: list[ArchivePart] = []
    contents: dict[str, memoryview] = {}
    place = 0
    while bytes(content[place : place + 4]) == _LOCAL:
        part, header = _read_local_header(content, place)
        if parts and part.name <= parts[-1].name:
            raise UnreadableError(
                f"{part.name!r} is after {parts[-1].name!r}; parts are sorted, and each is there once."
            )
        if len(parts) == PARTS_MAX:
            raise UnreadableError(f"The file has more than {PARTS_MAX:,} parts.")
        start = place + len(header)
        place = start + part.size
        contents[part.name] = content[start:place]
        parts.append(part)
    if not parts:
        raise UnreadableError("The file is no bundle: it does not begin with a part.")
    for part in parts:
        if compute_crc(contents[part.name]) != part.crc:
            raise UnreadableError(f"The content of {part.name!r} has another checksum than it should.")
    if bytes(content[place:]) != write_directory(parts):
        raise UnreadableError(
            f"The directory after the last part, {parts[-1].name!r}, does not match the parts."
        )
    return contents


def compute_crc(content: memoryview, start: int = 0) -> int:
    """The checksum of a content that goes on from another one; ZIP's own, which protects from accidents."""
    for place in range(0, len(content), _BLOCK):
        start = zlib.crc32(content[place : place + _BLOCK], start)
    return start


def _read_local_header(content: memoryview, place: int) -> tuple[ArchivePart, bytes]:
    """The part whose header begins here, and that header."""
    if len(content) < place + _LOCAL_BYTES:
        raise UnreadableError("The file ends within the header of a part.")
    method, crc, size, length, extra = unpack_from("<8xH4xI4xIHH", content, place)
    if method:
        raise UnreadableError(f"The part at byte {place:,} is compressed; the parts of a bundle are not.")
    content_start = place + _LOCAL_BYTES + length
    name = bytes(
        content[place + _LOCAL_BYTES : min(content_start, place + _LOCAL_BYTES + NAME_BYTES_MAX + 1)]
    )
    printable_name = name.decode("ascii", "replace")
    if length > NAME_BYTES_MAX or not NAME.fullmatch(printable_name):
        raise UnreadableError(
            f"The part name {printable_name[:40]!r} is invalid: a name has letters, digits, dots, dashes and"
            " underscores, and one folder at most."
        )
    if size == _LONG and extra == 20 and len(content) >= content_start + 20:
        [size] = unpack_from("<4x8xQ", content, content_start)
    part = ArchivePart(printable_name, size, crc)
    [header] = write_headers([part])
    if bytes(content[place : place + len(header)]) != header:
        raise UnreadableError(
            f"The header of {printable_name!r} is not the one that its name and its content make."
        )
    if place + len(header) + size > len(content):
        raise UnreadableError(f"{printable_name!r} should have {size:,} bytes, and the file ends before.")
    return part, header


# Faults: what does not hold of a bundle, each a full sentence with the part that it is about.


FAULTS_MAX: Final = 100
"""Faults that are listed; of more, only the number is given."""


class UnreadableError(Exception):
    """A part, a row or the whole file cannot be read as what it should be; a sentence says why."""


@dataclass(frozen=True, slots=True)
class BundleFault:
    """One thing that does not hold."""

    part: str
    """The name of the part, such as `batches.csv`; empty where it is the file as a whole."""
    sentence: str

    @property
    def text(self) -> str:
        """The fault in one line."""
        return f"{self.part}: {self.sentence}" if self.part else self.sentence


@dataclass(slots=True)
class Faults:
    """All that was found, in the order in which it was looked for."""

    listed: list[BundleFault] = field(default_factory=list)
    count: int = 0

    def add(self, part: str, sentence: str) -> None:
        """Take down a fault; beyond the limit it is only counted."""
        self.count += 1
        if len(self.listed) < FAULTS_MAX:
            self.listed.append(BundleFault(part, sentence))

    def __bool__(self) -> bool:
        return bool(self.count)
