"""The one way in which a value is written in a table, and a row in a line.

    text       as it is; in quotation marks, these doubled, when a comma, a quotation mark or a line end is in
               it, and when it is empty
    nothing    the empty field
    number     all digits, no exponent, no zeros that say nothing: `1.5`, `-0.25`, `0`
    whole      the same without a point
    time       UTC to the millisecond: `2025-01-01T00:00:00.000Z`
    flag       `true` or `false`
    digest     64 hexadecimal digits
    list       JSON by RFC 8785, numbers as texts: `["1.5","2"]`

Invariants: equal rows make equal lines; `read` refuses whatever `write` does not make.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from weighbridge.core.bundle.form.fault import UnreadableError
from weighbridge.core.proof.canonical import canonical_json
from weighbridge.core.quantity.number import plain
from weighbridge.core.time.instant import Instant

LINE_BYTES_MAX: Final = 64_000_000
"""The longest line; that of a batch of a million single events has room."""


class TextKind(StrEnum):
    """What a column holds."""

    TEXT = "text"
    NUMBER = "number"
    WHOLE = "whole"
    TIME = "time"
    FLAG = "flag"
    DIGEST = "digest"
    LIST = "list"


PATTERNS: Final[dict[TextKind, str]] = {
    TextKind.TEXT: r'[^",\r\n]+',
    TextKind.NUMBER: r"-?(?:[1-9][0-9]*(?:\.[0-9]*[1-9])?|0\.[0-9]*[1-9])|0",
    TextKind.WHOLE: r"-?[1-9][0-9]{0,17}|0",
    TextKind.TIME: r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z",
    TextKind.FLAG: r"true|false",
    TextKind.DIGEST: r"[0-9a-f]{64}",
}
"""What a field looks like that is in no quotation marks, by kind."""

_COMPILED: Final = {kind: re.compile(pattern, re.ASCII) for kind, pattern in PATTERNS.items()}
_NEEDS_MARKS: Final = re.compile(r'[",\n\r]')
_FIELD: Final = re.compile(r'"((?:[^"]|"")*)"|([^",\r\n]*)')


def _number(text: str) -> Decimal:
    if not _COMPILED[TextKind.NUMBER].fullmatch(text):
        raise ValueError("is no number as it is written here")
    return Decimal(text)


def _whole(text: str) -> int:
    if not _COMPILED[TextKind.WHOLE].fullmatch(text):
        raise ValueError("is no whole number")
    return int(text)


def time_read(text: str) -> Instant:
    """A time from its one form; ValueError for any other text."""
    if not _COMPILED[TextKind.TIME].fullmatch(text):
        raise ValueError("is no time as it is written here")
    return Instant.fromisoformat(text[:-1]).replace(tzinfo=UTC)


def _flag(text: str) -> bool:
    if text not in {"true", "false"}:
        raise ValueError("is neither true nor false")
    return text == "true"


def _digest(text: str) -> str:
    if not _COMPILED[TextKind.DIGEST].fullmatch(text):
        raise ValueError("is no digest")
    return text


def json_read(text: str) -> Any:
    """JSON as it is written here; ValueError for anything else."""
    try:
        value = json.loads(text, parse_float=_refuse_float)
        if canonical_json(value).decode() == text:
            return value
    except (ValueError, RecursionError):
        pass
    raise ValueError("is no JSON as it is written here")


def _refuse_float(_text: str) -> Any:
    raise ValueError("numbers that are no whole ones are texts")


READERS: Final[dict[TextKind, Callable[[str], Any]]] = {
    TextKind.TEXT: str,
    TextKind.NUMBER: _number,
    TextKind.WHOLE: _whole,
    TextKind.TIME: time_read,
    TextKind.FLAG: _flag,
    TextKind.DIGEST: _digest,
    TextKind.LIST: json_read,
}
"""By kind, what reads a text that stands there; ValueError for one that nobody writes."""


def write(kind: TextKind, value: Any) -> str | None:
    """A value as its text; None stays None."""
    if value is None:
        return None
    match kind:
        case TextKind.NUMBER:
            return plain(value)
        case TextKind.TIME:
            text: str = value.text
            return text
        case TextKind.FLAG:
            return "true" if value else "false"
        case TextKind.LIST:
            return canonical_json(value).decode()
    return str(value)


def line_of(fields: Iterable[str | None]) -> str:
    """A row as a line, with its line end."""
    return ",".join(map(_field, fields)) + "\n"


def _field(text: str | None) -> str:
    if text is None:
        return ""
    if not text or _NEEDS_MARKS.search(text):
        doubled = text.replace('"', '""')
        return f'"{doubled}"'
    return text


def fields_of(line: str) -> Sequence[str | None]:
    """The fields of a line without its line end; ValueError when it is no line as it is written here."""
    if '"' not in line and "\r" not in line:
        return [field or None for field in line.split(",")]
    fields: list[str | None] = []
    place = 0
    while True:
        found = _FIELD.match(line, place)
        assert found is not None, "the pattern takes the empty field"  # noqa: S101
        quoted, bare = found.groups()
        text = bare or None if quoted is None else quoted.replace('""', '"')
        if quoted is not None and text and not _NEEDS_MARKS.search(text):
            raise ValueError("a field is in quotation marks that needs none")
        fields.append(text)
        place = found.end()
        if place == len(line):
            return fields
        if line[place] != ",":
            raise ValueError("a quotation mark stands where none may")
        place += 1


def read(kind: TextKind, text: str | None, *, is_optional: bool, column: str) -> Any:
    """A value from its field; UnreadableError, a sentence, for one that nobody writes."""
    if text is None:
        if is_optional:
            return None
        raise UnreadableError(f"{column} is empty.")
    try:
        return READERS[kind](text)
    except ValueError as error:
        raise UnreadableError(f"{column} is {text[:60]!r}, which {error}.") from None
