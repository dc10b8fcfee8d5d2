"""The names of files that people get: what is in them, of which project, and of when.

`plant-north_events_slug-delivery_20260301T101500Z_5ddcb7c4.csv`: project, what, filters or period, the time
at which the content was so, and digits of the id where two files of a second could be called alike.

Invariants: a name is allowed on Windows, macOS and Linux, begins with no dot or hyphen, and has at most
`BYTES_MAX` bytes with its extension.
"""

import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

BYTES_MAX: Final = 200
"""Bytes of a name in UTF-8; file systems take 255, and people put them into folders."""

PART_BYTES_MAX: Final = 60
"""Bytes of one part, such as the name of a project."""

ID_DIGITS: Final = 8
"""Digits of a friendly id that tell files of the same second apart."""

BETWEEN: Final = "_"

_NOT_SAID: Final = frozenset({"page", "page_size", "cursor", "sort", "response_mode", "export_format", "key"})
"""Parameters of a list that do not say which records it has."""

_WORDS: Final = {"geq": "from", "gt": "after", "leq": "to", "lt": "before"}
_MIDNIGHT: Final = "T00:00:00Z"
_FILTER: Final = re.compile(r"^filter\[(\w+)\](?:\[(\w+)\])?$")


def name_file(extension: str, *parts: str | None, moment: datetime, friendly: str = "") -> str:
    """The name of a file of these parts, which may be any texts; empty ones are left out."""
    digits = _write_part(friendly.rpartition("_")[2][-ID_DIGITS:])
    end = BETWEEN.join(filter(None, [f"{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}", digits])) + f".{extension}"
    told = [shown for part in parts if (shown := _write_part(part or ""))]
    begin = _shorten(BETWEEN.join(told), BYTES_MAX - len(end.encode()) - len(BETWEEN))
    return f"{begin}{BETWEEN}{end}" if begin else end


def describe_query(query: Iterable[tuple[str, str]]) -> list[str]:
    """The filters of a list, as parts of a name: `slug-delivery`, `start-time-from-2026-01-01`."""
    told = []
    for name, value in query:
        if name in _NOT_SAID or not value:
            continue
        found = _FILTER.match(name)
        field, comparator = (found[1], found[2]) if found else (name, "eq")
        words = [field, _WORDS.get(comparator, ""), value.removesuffix(_MIDNIGHT)]
        told.append("-".join(filter(None, words)).replace(BETWEEN, "-"))
    return told


def _write_part(text: str) -> str:
    """A text in letters, digits, dots and hyphens of any script, words apart by one hyphen."""
    plain = unicodedata.normalize("NFC", text).lower()
    kept = "".join(each if each.isalnum() or each == BETWEEN else "-" for each in plain)
    return _shorten(re.sub("-{2,}", "-", kept), PART_BYTES_MAX)


def _shorten(text: str, bytes_max: int) -> str:
    return text.encode()[:bytes_max].decode(errors="ignore").strip("-_")
