"""The tree of a model document as it was written, with the line and column of each part, and the flaws
found in it.

A flaw is a full sentence with its place; reading collects them and never stops at the first.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from weighbridge.core.expression import ExpressionError
from weighbridge.core.problem import Problem

# A source is the tree of a model document as it was written, with the line and column of each part.
#
# Invariants: lines and columns count from 1; a mapping has no key twice; a scalar keeps the text that was
# written beside its value, and only an unquoted scalar is anything but text.


@dataclass(frozen=True, slots=True)
class SourceMark:
    """A place in the document."""

    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


@dataclass(frozen=True, slots=True)
class Scalar:
    """One value: text, a decimal, true or false, or nothing."""

    value: str | Decimal | bool | None
    text: str
    mark: SourceMark = field(default=SourceMark(), compare=False)
    is_plain: bool = field(default=True, compare=False)
    """Whether each character of the text stands in one line of the document, right from the mark on."""


@dataclass(frozen=True, slots=True)
class SourceListing:
    """Items in order."""

    items: tuple["Source", ...]
    mark: SourceMark = field(default=SourceMark(), compare=False)


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """A key and what stands under it."""

    key: str
    value: "Source"
    mark: SourceMark = field(default=SourceMark(), compare=False)


@dataclass(frozen=True, slots=True)
class SourceMapping:
    """Entries by key, in the order they are written."""

    entries: tuple[SourceEntry, ...]
    mark: SourceMark = field(default=SourceMark(), compare=False)

    def get(self, key: str) -> "Source | None":
        """What stands under a key."""
        return next((entry.value for entry in self.entries if entry.key == key), None)


Source = Scalar | SourceListing | SourceMapping


def describe(source: Source) -> str:
    """Say what a source is, for a refusal."""
    match source:
        case SourceMapping():
            return "a mapping"
        case SourceListing():
            return "a list"
        case Scalar(value=None):
            return "nothing"
        case Scalar(value=str()):
            return f"the text {source.text[:40]!r}"
        case Scalar():
            return source.text


# A flaw is one thing that is wrong with a model document: a full sentence, and where it is.
#
# Invariants: checks collect flaws and never stop at the first, but after FLAWS_MAX; flaws are listed from
# top to bottom.


FLAWS_MAX: Final = 100
"""How many flaws are looked for; a document with more is not worth the time."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """What is wrong, its place, the node it is about, and a word that a program may switch on."""

    message: str
    mark: SourceMark
    node: str | None = None
    code: str = "invalid"

    @property
    def line(self) -> int:
        return self.mark.line

    @property
    def column(self) -> int:
        return self.mark.column

    def __str__(self) -> str:
        return f"{self.mark}: {self.message}"

    def problem(self, field: str = "yaml") -> Problem:
        """The flaw as a problem of the request that carries the document in a field."""
        return Problem(f"At {self}", field, self.code)


class ModelError(ValueError):
    """A document is no model; carries every flaw."""

    def __init__(self, flaws: Iterable[Flaw]) -> None:
        self.flaws = in_order(flaws)
        super().__init__("\n".join(str(flaw) for flaw in self.flaws))


def in_order(flaws: Iterable[Flaw]) -> tuple[Flaw, ...]:
    """Flaws from top to bottom, each once, and no more than FLAWS_MAX."""
    ordered = sorted(dict.fromkeys(flaws), key=lambda flaw: (flaw.line, flaw.column, flaw.message))
    return tuple(ordered[:FLAWS_MAX])


def expression_flaw(error: ExpressionError, text: Scalar, key: str, node: str) -> Flaw:
    """The flaw of an expression that stands under a key of a node."""
    mark, position = text.mark, error.position
    if text.is_plain and position.line == 1:
        mark = SourceMark(mark.line, mark.column + position.column - 1)
    return Flaw(f"In the {key} of {node}, at {position}: {error.message}", mark, node, "expression")
