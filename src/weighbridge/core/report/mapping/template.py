"""The parts of which a mapping is made.

A part is a constant, a field (`{"$value": "report.amount"}`), a part that is repeated for each batch
(`{"$each": "inclusions", "$do": …}`), or holds others: an object, a list, an element of XML, a table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from weighbridge.core.quantity.unit import Unit


class WrittenAs(StrEnum):
    """How the value of a field is written."""

    TEXT = "text"
    """As a text: numbers with every digit, moments as `2025-01-01T00:00:00.000Z`."""
    NUMBER = "number"
    """As a number, where the format has such."""
    DATE = "date"
    """The day of a moment, in the project's time zone."""
    LAST_DATE = "last_date"
    """The day of the last moment before one: the last day of a period that ends there."""


@dataclass(frozen=True, slots=True)
class ConstantPart:
    """A text, number, truth value or null that stands for itself."""

    value: Any


@dataclass(frozen=True, slots=True)
class FieldPart:
    """The value of a field."""

    path: str
    written_as: WrittenAs = WrittenAs.TEXT
    unit: Unit | None = None
    """The unit that it is converted to; None leaves it as it is."""
    otherwise: Any = None
    """What stands there when the field has no value."""


@dataclass(frozen=True, slots=True)
class RepeatedPart:
    """A part for each batch of the report."""

    part: "Part"


@dataclass(frozen=True, slots=True)
class ObjectPart:
    """Parts by names."""

    parts: Mapping[str, "Part"]


@dataclass(frozen=True, slots=True)
class ListPart:
    """Parts in a row."""

    parts: Sequence["Part"]


@dataclass(frozen=True, slots=True)
class ElementPart:
    """An element of XML: attributes, and a text or further elements."""

    name: str
    namespace: str | None
    attributes: Mapping[str, "Part"]
    text: "Part | None"
    children: Sequence["Part"]


@dataclass(frozen=True, slots=True)
class TablePart:
    """A table: one row for the report, or one for each batch."""

    is_repeated: bool
    headings: Sequence[str]
    cells: Sequence["Part"]


Part = ConstantPart | FieldPart | RepeatedPart | ObjectPart | ListPart | ElementPart | TablePart


@dataclass(frozen=True, slots=True)
class ReportMapping:
    """How a report is written."""

    format: str
    template: Part
    schema: str | None = None
    """What it is checked against: a JSON Schema or, for XML, an XSD."""
    sheet: str = "report"
    """What the sheet of a spreadsheet is called."""
