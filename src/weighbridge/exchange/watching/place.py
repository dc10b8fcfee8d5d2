"""A place holds files that wait; every step of taking one up can be done again after a kill.

Invariants: a file that is still being written is not given out; a file is moved once its upload has ended,
and only if it is still the one that was taken; nothing outside of the place is read or written.
"""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, Protocol

from weighbridge.core.collection.data_feed import FILE_BYTES_MAX, NAME_OF_FILE_MAX
from weighbridge.errors import Refusal

UNFINISHED: Final = (".part", ".partial", ".filepart", ".tmp", ".crdownload")
"""Endings of the names under which programs write what is not finished."""

FILES_OF_LOOK_MAX: Final = 100
"""Files that one look takes up in one place, the first by their names."""

COPIED_BYTES: Final = 1_048_576


class PlaceError(Refusal):
    """A place cannot be looked at, or a file in it cannot be taken; the message is for whoever watches it."""


class CopiedFile(NamedTuple):
    """A file as it was copied."""

    size: int
    sha256: bytes


class Place(Protocol):
    """Where files wait."""

    async def waiting(self, now: datetime) -> list[str]:
        """The names of the files that are finished, in their order."""

    async def copy(self, name: str, target: Path) -> CopiedFile | None:
        """Copy a file; None when it is gone or was still being written."""

    async def settle(self, name: str, sha256: bytes, target: str, reports: Mapping[str, BinaryIO]) -> None:
        """Write reports, then move a file; what is done already stays done."""


def is_ready_name(name: str) -> bool:
    """Whether a name is one of a finished file."""
    is_plain = name.isprintable() and 0 < len(name) <= NAME_OF_FILE_MAX - 40 and "/" not in name
    return is_plain and not name.startswith(".") and not name.lower().endswith(UNFINISHED)


def check_size(name: str, size: int) -> None:
    """Raise PlaceError for a file that no feed takes."""
    if not size:
        raise PlaceError(f"The file {name!r} is empty; it is left where it is.")
    if size > FILE_BYTES_MAX:
        raise PlaceError(
            f"The file {name!r} has {size:,} bytes; at most {FILE_BYTES_MAX:,} are taken. It is left there."
        )


def copied(source: BinaryIO, target: Path) -> CopiedFile:
    """Copy all of an open file, and digest it on the way."""
    digest, size = hashlib.sha256(), 0
    with target.open("wb") as file:
        while block := source.read(COPIED_BYTES):
            digest.update(block)
            size += len(block)
            file.write(block)
    return CopiedFile(size, digest.digest())
