"""Values in composed statements: a literal stands in the text, the values of a part stand beside it.

Parts are what statements of many forms are made of where the server is to plan a form once: the text is the
same for all values. A literal makes a text of its own for each value.

Long arrays of moments stand beside a statement, ready made: psycopg takes so long over each moment that an
event loop would be held up by twenty thousand.

Invariant: whatever the value, the statement means the same with and without parameters. psycopg reads a
percent sign in any statement as the start of a placeholder, also inside a quoted text.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg import sql
from psycopg.abc import AdaptContext

from weighbridge.db.engine import Command


class Literal(sql.Literal):
    """A quoted value in which a percent sign is only a percent sign."""

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self.value = value

    def as_bytes(self, context: AdaptContext | None = None) -> bytes:
        return super().as_bytes(context).replace(b"%", b"%%")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a statement: its text with a place for each of its values.

    Composing such parts takes a fifth of the time that psycopg takes to compose and write the same text.
    """

    text: str
    values: tuple[Any, ...] = ()

    @classmethod
    def of(cls, composable: "sql.Composable | Part") -> "Part":
        if isinstance(composable, Part):
            return composable
        texts: list[str] = []
        values: list[Any] = []
        _write(composable, texts, values)
        return cls("".join(texts), tuple(values))

    @classmethod
    def joined(cls, separator: str, parts: Sequence["Part"]) -> "Part":
        return cls(
            separator.join(part.text for part in parts),
            tuple(value for part in parts for value in part.values),
        )

    @property
    def command(self) -> Command:
        return sql.SQL(self.text), self.values


def _write(composable: sql.Composable, texts: list[str], values: list[Any]) -> None:
    if isinstance(composable, Literal):
        texts.append("%s")
        values.append(composable.value)
    elif isinstance(composable, sql.Composed):
        for part in composable:
            _write(part, texts, values)
    elif isinstance(composable, sql.SQL):
        texts.append(composable.as_string())
    else:
        raise TypeError(f"{composable!r} has no place in a part of a statement; use Literal of this module")


def moments(times: Iterable[datetime]) -> str:
    """Moments with their offsets, as the text of an array; the statement says `::timestamptz[]` behind it."""
    return f"{{{','.join(map(datetime.isoformat, times))}}}"


def numbers(some: Iterable[int]) -> str:
    """Whole numbers as the text of an array; the statement says `::integer[]` or `::bigint[]` behind it.

    psycopg looks at each of a list to tell how wide they are, and has the server plan anew for each width.
    """
    return f"{{{','.join(map(str, some))}}}"


def nothings(count: int) -> str:
    """So many times NULL, as the text of an array; the statement says of which type behind it."""
    return f"{{{','.join(['NULL'] * count)}}}"
