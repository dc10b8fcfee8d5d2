"""Filling a mapping: from what a report states to the values that are written.

Of `{"mass": {"$value": "report.amount", "$unit": "kg", "$as": "number"}}` and a report of 1.5 t comes
`{"mass": Decimal("1500")}`.

Invariants: numbers keep every digit; the same report and the same mapping give the same values.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from decimal import Decimal
from typing import Any, Final

from weighbridge.core.number import exact_total, plain
from weighbridge.core.problem import Problem
from weighbridge.core.report_fields import (
    ATTRIBUTE,
    EACH,
    GROUPS,
    LEDGERS,
    NODE,
    OF_LIST,
    OF_UNIT,
    REPORT,
    find_unit_field,
)
from weighbridge.core.report_mapping import (
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
from weighbridge.core.time.calendar import MILLISECOND, Instant
from weighbridge.core.unit import UnitError, convert, parse_unit

Fields = Mapping[str, Any]
"""Values by paths: texts, decimals, moments, or None."""


@dataclass(frozen=True, slots=True)
class StatedReport:
    """What a report states, by the paths of its fields."""

    fields: Fields
    inclusions: Sequence[Fields]
    ledgers: Sequence[Fields]
    zone: tzinfo
    """The time zone of its project, which determines days."""


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
            filled = _fill_value(part, stated, fields)
        case RepeatedPart(repeated):
            filled = [_fill(repeated, stated, scope) for scope in _list_scopes(part, stated, fields)]
        case ObjectPart(parts):
            filled = {name: _fill(child, stated, fields) for name, child in parts.items()}
        case ListPart(listed):
            filled = [_fill(child, stated, fields) for child in listed]
        case ElementPart():
            filled = _fill_element(part, stated, fields)
        case TablePart():
            filled = _fill_table(part, stated, fields)
    return filled


def _fill_table(part: TablePart, stated: StatedReport, fields: Fields) -> FilledTable:
    scopes = [fields]
    for each in part.rows:
        scopes = [inner for outer in scopes for inner in _list_scopes(each, stated, outer)]
    rows = [[_fill(cell, stated, scope) for cell in part.cells] for scope in scopes]
    return FilledTable(part.headings, rows)


def _list_scopes(part: RepeatedPart, stated: StatedReport, fields: Fields) -> list[Fields]:
    """The fields within a part, once for each record of its list."""
    if part.source == GROUPS:
        records = _group(part, stated)
    elif part.source == LEDGERS:
        records = _list_ledgers(stated)
    elif part.source == EACH:
        records = fields.get(MEMBERS, stated.inclusions)
    else:
        records = fields[f"{part.source}{OF_LIST}"]
    return [{**fields, **record} for record in records]


MEMBERS: Final = "group\x00members"
"""The key of the batches of a group, which no mapping can name."""


def _list_ledgers(stated: StatedReport) -> list[Fields]:
    """The ledgers of a report, each with its batches."""
    return [
        {
            **ledger,
            MEMBERS: [
                one for one in stated.inclusions if one["inclusion.ledger_id"] == ledger["role.ledger_id"]
            ],
        }
        for ledger in stated.ledgers
    ]


def _group(part: RepeatedPart, stated: StatedReport) -> list[Fields]:
    """The batches of a report in groups, in the order of their keys; those without a key are one, the"
    " last.
    """
    assert part.by is not None, "groups are read with a field"  # noqa: S101
    groups: dict[str | None, list[Fields]] = {}
    for inclusion in stated.inclusions:
        key = _fill_value(part.by, stated, {**stated.fields, **inclusion})
        groups.setdefault(None if key is None else str(_write_text(key)), []).append(inclusion)
    ordered = sorted(groups.items(), key=lambda item: (item[0] is None, item[0] or ""))
    return [
        {
            "group.key": key,
            "group.number": Decimal(number),
            "group.amount": exact_total(one["inclusion.counted"] for one in members),
            "group.unit": stated.fields["report.unit"],
            "group.count": Decimal(len(members)),
            "group.start_time": min(one["inclusion.start_time"] for one in members),
            "group.end_time": max(one["inclusion.end_time"] for one in members),
            MEMBERS: members,
        }
        for number, (key, members) in enumerate(ordered, 1)
    ]


def _find_field(path: str, stated: StatedReport, fields: Fields) -> tuple[Any, str | None]:
    """The value of a field and its unit, where it has one; raises UnfitUnitError for a sum of several"
    " units.
    """
    unit_field = find_unit_field(path)
    for scope in (REPORT, GROUPS, LEDGERS):
        if path.startswith(NODE[scope]):
            members = stated.inclusions if scope == REPORT else fields.get(MEMBERS, [])
            return _sum_node(path, NODE[EACH] + path.removeprefix(NODE[scope]), members)
    if path.startswith((NODE[EACH], ATTRIBUTE)):
        return fields.get(path), fields.get(unit_field) if unit_field else None
    return fields[path], fields[unit_field] if unit_field else None


def _sum_node(path: str, of_batch: str, members: Sequence[Fields]) -> tuple[Any, str | None]:
    """What a node came to in all of some batches; none where one of them has no number there."""
    units = {one.get(of_batch + OF_UNIT) for one in members}
    if len({one["inclusion.ledger_id"] for one in members}) > 1:
        message = f"{path} sums batches of several ledgers. Sum those of each, as role.node within ledgers."
        raise UnfitUnitError(Problem(message, path, "schema"))
    if len(units) > 1 and None not in units:
        message = f"{path} is in {' and '.join(sorted(map(str, units)))} in batches of several models."
        raise UnfitUnitError(Problem(message, path, "schema"))
    values = [one.get(of_batch) for one in members]
    known = [value for value in values if isinstance(value, Decimal)]
    if len(known) < len(values) or not values:
        return None, None
    return exact_total(known), units.pop()


def _fill_value(part: FieldPart, stated: StatedReport, fields: Fields) -> Any:
    value, unit = _find_field(part.path, stated, fields)
    if value is None:
        return part.otherwise
    if isinstance(value, Instant):
        return _write_moment(part, value, stated.zone)
    if isinstance(value, list):
        numbers = [_convert_value(part, one, unit) for one in value]
        return numbers if part.written_as is WrittenAs.NUMBER else " ".join(map(plain, numbers))
    if isinstance(value, Decimal):
        value = _convert_value(part, value, unit)
    return value if part.written_as is WrittenAs.NUMBER else _write_text(value)


def _write_moment(part: FieldPart, moment: Instant, zone: tzinfo) -> Any:
    match part.written_as:
        case WrittenAs.DATE:
            return _find_day(moment, zone)
        case WrittenAs.LAST_DATE:
            return _find_day(moment - MILLISECOND, zone)
        case WrittenAs.MONTH:
            return _find_day(moment, zone)[: len("2025-01")]
        case WrittenAs.YEAR:
            return Decimal(moment.astimezone(zone).year)
        case _:
            return moment.text


def _find_day(moment: datetime, zone: tzinfo) -> str:
    return moment.astimezone(zone).date().isoformat()


def _convert_value(part: FieldPart, value: Decimal, unit: str | None) -> Decimal:
    if part.unit is None:
        return Decimal(plain(value))
    try:
        return Decimal(plain(convert(value, parse_unit(unit or "1"), part.unit)))
    except UnitError as error:
        message = f"{part.path} is in {unit}, which is not written in {part.unit}: {error}"
        raise UnfitUnitError(Problem(message, part.path, "schema")) from None


def _fill_element(part: ElementPart, stated: StatedReport, fields: Fields) -> FilledElement:
    attributes = {
        name: _write_text(_fill(attribute_part, stated, fields))
        for name, attribute_part in part.attributes.items()
    }
    children: list[FilledElement] = []
    for child in part.children:
        filled = _fill(child, stated, fields)
        children += filled if isinstance(filled, list) else [filled]
    return FilledElement(
        part.name,
        part.namespace,
        {name: text for name, text in attributes.items() if text is not None},
        None if part.text is None else _write_text(_fill(part.text, stated, fields)),
        children,
    )


def _write_text(value: Any) -> str | None:
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
