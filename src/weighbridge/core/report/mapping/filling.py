"""Filling a mapping: from what a report states to the values that are written.

Of `{"mass": {"$value": "report.amount", "$unit": "kg", "$as": "number"}}` and a report of 1.5 t comes
`{"mass": Decimal("1500")}`.

Invariants: numbers keep every digit; the same report and the same mapping give the same values.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from decimal import Decimal
from typing import Any

from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import plain
from weighbridge.core.quantity.unit import UnitError, convert, parse_unit
from weighbridge.core.report.mapping.fields import UNITS
from weighbridge.core.report.mapping.template import (
    ConstantPart,
    ElementPart,
    FieldPart,
    ListPart,
    ObjectPart,
    Part,
    RepeatedPart,
    TablePart,
    WrittenAs,
)
from weighbridge.core.time.instant import MILLISECOND, Instant

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
