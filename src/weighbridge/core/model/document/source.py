"""A source is the tree of a model document as it was written, with the line and column of each part.

Invariants: lines and columns count from 1; a mapping has no key twice; a scalar keeps the text that
was written beside its value, and only an unquoted scalar is anything but text.
"""

from dataclasses import dataclass, field
from decimal import Decimal


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
class Mapping:
    """Entries by key, in the order they are written."""

    entries: tuple[SourceEntry, ...]
    mark: SourceMark = field(default=SourceMark(), compare=False)

    def get(self, key: str) -> "Source | None":
        """What stands under a key."""
        return next((entry.value for entry in self.entries if entry.key == key), None)


Source = Scalar | SourceListing | Mapping


def describe(source: Source) -> str:
    """Say what a source is, for a refusal."""
    match source:
        case Mapping():
            return "a mapping"
        case SourceListing():
            return "a list"
        case Scalar(value=None):
            return "nothing"
        case Scalar(value=str()):
            return f"the text {source.text[:40]!r}"
        case Scalar():
            return source.text
