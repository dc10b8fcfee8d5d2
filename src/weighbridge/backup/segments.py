"""Segments of the log: their names, what comes after one, and which of them a target has."""

import re
from collections.abc import Iterator
from typing import Final

from weighbridge.backup.target import BackupTarget
from weighbridge.errors import Refusal

LOG: Final = "wal"
SEGMENT_BYTES: Final = 16_777_216
"""What initdb gives every cluster of ours."""

_SEGMENTS_OF_A_FILE: Final = 0x1_0000_0000 // SEGMENT_BYTES
_SHIPPED: Final = re.compile(rf"{LOG}/([0-9A-F]{{24}})\.([0-9a-f]{{64}})\.gz")


def segment_name(timeline: int, number: int) -> str:
    """The name of the so many-th segment."""
    return f"{timeline:08X}{number // _SEGMENTS_OF_A_FILE:08X}{number % _SEGMENTS_OF_A_FILE:08X}"


def timeline_of(name: str) -> int:
    return int(name[:8], 16)


def number_of(name: str) -> int:
    """How many segments come before it."""
    return int(name[8:16], 16) * _SEGMENTS_OF_A_FILE + int(name[16:], 16)


def path_of(name: str, sha256: str) -> str:
    """Where a target has a segment."""
    return f"{LOG}/{name}.{sha256}.gz"


def shipped(target: BackupTarget) -> dict[str, str]:
    """The SHA-256 of each segment that the target has, by name.

    Raises Refusal where two that differ have one name: then two copies of a database ship there.
    """
    found: dict[str, str] = {}
    for path, _, _ in target.names(LOG):
        if (one := _SHIPPED.fullmatch(path)) and found.setdefault(one[1], one[2]) != one[2]:
            raise _forked(target, one[1])
    return found


def refuse_fork(target: BackupTarget, known: dict[str, str], name: str, sha256: str) -> None:
    """Raise Refusal when the target has another segment of this name."""
    if known.get(name, sha256) != sha256:
        raise _forked(target, name)


def following(first: str) -> Iterator[str]:
    """The names of a segment and all that come after it, without end."""
    number = number_of(first)
    while True:
        yield segment_name(timeline_of(first), number)
        number += 1


def _forked(target: BackupTarget, name: str) -> Refusal:
    return Refusal(
        f"{target.name} has the segment {name} of another copy of this database, so two copies ship their"
        " log to one place; give each a place of its own."
    )
