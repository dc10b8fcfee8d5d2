"""Mappings: how a report is written for its receiver, kept as data.

A template names fields of the report by paths such as `report.amount`; filling it gives the values that
are written.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import plain
from weighbridge.core.quantity.unit import Unit, UnitError, convert, parse_unit
from weighbridge.core.time.instant import MILLISECOND, Instant

# The parts of which a mapping is made.
#
# A part is a constant, a field (`{"$value": "report.amount"}`), a part that is repeated for each batch
# (`{"$each": "inclusions", "$do": …}`), or holds others: an object, a list, an element of XML, a table.


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


# Fields that a mapping may name: what a report states, by paths such as `report.amount`.
#
# Invariant: every field has a value of its kind, or none, in every report that is submitted.


class FieldKind(StrEnum):
    """What the value of a field is."""

    TEXT = "text"
    NUMBER = "number"
    """An exact number; where it has a unit, another field says which."""
    MOMENT = "moment"
    """A time in UTC, to the millisecond."""


EACH: Final = "inclusions"
"""What a mapping may repeat a part for: the batches that a report takes from, oldest first."""

OF_REPORT: Final[Mapping[str, FieldKind]] = {
    "report.id": FieldKind.TEXT,
    "report.name": FieldKind.TEXT,
    "report.report_type": FieldKind.TEXT,
    "report.amount": FieldKind.NUMBER,
    "report.unit": FieldKind.TEXT,
    "report.start_time": FieldKind.MOMENT,
    "report.end_time": FieldKind.MOMENT,
    "report.effective_at": FieldKind.MOMENT,
    "report.supersedes": FieldKind.TEXT,
    "report.measured_share": FieldKind.NUMBER,
    "project.id": FieldKind.TEXT,
    "project.name": FieldKind.TEXT,
    "ledger.id": FieldKind.TEXT,
    "ledger.name": FieldKind.TEXT,
    "methodology.name": FieldKind.TEXT,
    "methodology.version": FieldKind.TEXT,
}
"""Fields that stand once."""

OF_INCLUSION: Final[Mapping[str, FieldKind]] = {
    "inclusion.number": FieldKind.NUMBER,
    "inclusion.batch_id": FieldKind.TEXT,
    "inclusion.tracking_id": FieldKind.TEXT,
    "inclusion.start_time": FieldKind.MOMENT,
    "inclusion.end_time": FieldKind.MOMENT,
    "inclusion.amount": FieldKind.NUMBER,
    "inclusion.unit": FieldKind.TEXT,
}
"""Fields of each batch, within a part that is repeated."""

UNITS: Final[Mapping[str, str]] = {
    "report.amount": "report.unit",
    "inclusion.amount": "inclusion.unit",
}
"""Fields that say in what unit others are."""


# Filling a mapping: from what a report states to the values that are written.
#
# Of `{"mass": {"$value": "report.amount", "$unit": "kg", "$as": "number"}}` and a report of 1.5 t comes
# `{"mass": Decimal("1500")}`.
#
# Invariants: numbers keep every digit; the same report and the same mapping give the same values.


Fields = Mapping[str, Any]
"""Values by paths: texts, decimals, moments, or None."""


@dataclass(frozen=True, slots=True)
class StatedReport:
    """What a report states, by the paths of its fields."""

    fields: Fields
    inclusions: Sequence[Fields]
    zone: tzinfo
    """The time zone of its project, by which days are told."""


@dataclass(frozen=True, slots=True)
class FilledElement:
    """An element of XML."""

    name: str
    namespace: str | None
    attributes: Mapping[str, str]
    text: str | None
    children: Sequence["FilledElement"]


@dataclass(frozen=True, slots=True)
class FilledTable:
    """A table; a cell is a text, a decimal, a truth value or None."""

    headings: Sequence[str]
    rows: Sequence[Sequence[Any]]


class UnfitUnitError(Exception):
    """A value cannot be converted to the unit that a mapping says."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def fill(part: Part, stated: StatedReport) -> Any:
    """What a part comes to; raises UnfitUnitError."""
    return _fill(part, stated, stated.fields)


def _fill(part: Part, stated: StatedReport, fields: Fields) -> Any:
    filled: Any
    match part:
        case ConstantPart(value):
            filled = value
        case FieldPart():
            filled = _value(part, stated, fields)
        case RepeatedPart(repeated):
            filled = _each(stated, lambda one: _fill(repeated, stated, one))
        case ObjectPart(parts):
            filled = {name: _fill(one, stated, fields) for name, one in parts.items()}
        case ListPart(listed):
            filled = [_fill(one, stated, fields) for one in listed]
        case ElementPart():
            filled = _element(part, stated, fields)
        case TablePart():
            filled = _table(part, stated, fields)
    return filled


def _table(part: TablePart, stated: StatedReport, fields: Fields) -> FilledTable:
    def row(scope: Fields) -> list[Any]:
        return [_fill(cell, stated, scope) for cell in part.cells]

    return FilledTable(part.headings, _each(stated, row) if part.is_repeated else [row(fields)])


def _each(stated: StatedReport, filled: Callable[[Fields], Any]) -> list[Any]:
    return [filled({**stated.fields, **inclusion}) for inclusion in stated.inclusions]


def _value(part: FieldPart, stated: StatedReport, fields: Fields) -> Any:
    value = fields[part.path]
    if value is None:
        return part.otherwise
    match part.written_as:
        case WrittenAs.DATE:
            return _day(value, stated.zone)
        case WrittenAs.LAST_DATE:
            return _day(value - MILLISECOND, stated.zone)
    if isinstance(value, Decimal):
        number = _converted(part, value, fields)
        return number if part.written_as is WrittenAs.NUMBER else plain(number)
    return value.text if isinstance(value, Instant) else str(value)


def _day(moment: datetime, zone: tzinfo) -> str:
    return moment.astimezone(zone).date().isoformat()


def _converted(part: FieldPart, value: Decimal, fields: Fields) -> Decimal:
    if part.unit is None:
        return Decimal(plain(value))
    own = fields[UNITS[part.path]]
    try:
        return Decimal(plain(convert(value, parse_unit(own), part.unit)))
    except UnitError as error:
        message = f"{part.path} is in {own}, which is not written in {part.unit}: {error}"
        raise UnfitUnitError(Problem(message, part.path, "schema")) from None


def _element(part: ElementPart, stated: StatedReport, fields: Fields) -> FilledElement:
    said = {name: _text(_fill(one, stated, fields)) for name, one in part.attributes.items()}
    children: list[FilledElement] = []
    for child in part.children:
        filled = _fill(child, stated, fields)
        children += filled if isinstance(filled, list) else [filled]
    return FilledElement(
        part.name,
        part.namespace,
        {name: text for name, text in said.items() if text is not None},
        None if part.text is None else _text(_fill(part.text, stated, fields)),
        children,
    )


def _text(value: Any) -> str | None:
    """A value as XML writes it; None for what has no value."""
    match value:
        case None:
            return None
        case bool():
            return "true" if value else "false"
        case Decimal():
            return plain(value)
        case _:
            return str(value)
