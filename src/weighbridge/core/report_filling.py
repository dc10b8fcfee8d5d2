"""Filling a mapping: from what a report states to the values that are written.

Of `{"mass": {"$value": "report.amount", "$unit": "kg", "$as": "number"}}` and a report of 1.5 t comes
`{"mass": Decimal("1500")}`.

Invariants: numbers keep every digit unless the mapping says how they are rounded, and what that changed is
said; the same report and the same mapping give the same values.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from weighbridge.core.number import CONTEXT, EXACT, exact_total, plain, shorten
from weighbridge.core.problem import Problem
from weighbridge.core.report_fields import (
    ATTRIBUTE,
    BASIS,
    EACH,
    GROUPS,
    LEDGERS,
    NODE,
    OF_LIST,
    OF_UNIT,
    REPORT,
    find_unit_field,
)
from weighbridge.core.report_notation import divide_number, round_number, write_pattern
from weighbridge.core.report_parts import (
    Cell,
    ConstantPart,
    ElementPart,
    FieldPart,
    ListPart,
    ObjectPart,
    Part,
    PlacedTable,
    RepeatedPart,
    TablePart,
    WorkbookPart,
    WrittenAs,
)
from weighbridge.core.time.calendar import MILLISECOND, Instant
from weighbridge.core.unit import UnitError, convert, divide, find_factor, parse_unit

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
    prefix: str | None = None


@dataclass(frozen=True, slots=True)
class FilledTable:
    """A table; a cell is a text, a decimal, a truth value or None."""

    headings: Sequence[str]
    rows: Sequence[Sequence[Any]]


@dataclass(frozen=True, slots=True)
class FilledSheet:
    """A sheet: what stands in its cells, by row and column from 0."""

    name: str
    cells: Mapping[Cell, Any]


@dataclass(frozen=True, slots=True)
class RoundedValue:
    """A number that was written with fewer digits than it has."""

    place: str
    """Where it stands in the document, such as `goods[0].mass`, `Report/Good[1]/Mass` or `Sheet!B3`."""
    field: str
    """The field that it is of."""
    exact: Decimal
    """What it is, in the unit that is written; of a quotient to 34 digits."""
    written: Decimal

    @property
    def difference(self) -> Decimal:
        """What rounding added."""
        return EXACT.subtract(self.written, self.exact)


@dataclass(frozen=True, slots=True)
class Filled:
    """What a mapping comes to, and what of it was rounded."""

    content: Any
    roundings: Sequence[RoundedValue]


class UnfitError(Exception):
    """Values cannot be written as a mapping says: a unit does not fit, or a text has no code."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(problems[0].message)
        self.problems = problems


def fill(part: Part, stated: StatedReport) -> Filled:
    """What a part comes to; raises UnfitError with everything that cannot be written."""
    filler = _Filler(stated)
    content = filler.fill(part, stated.fields, "")
    if filler.problems:
        raise UnfitError([*filler.problems.values()])
    return Filled(content, filler.roundings)


MEMBERS: Final = "group\x00members"
"""The key of the batches of a group, which no mapping can name."""


def write_address(cell: Cell) -> str:
    """The address of a cell, such as B3."""
    row, column, letters = cell[0], cell[1] + 1, ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{row + 1}"


@dataclass
class _Filler:
    """Fills parts, and collects what cannot be written and what was rounded."""

    stated: StatedReport
    problems: dict[str, Problem] = field(default_factory=dict)
    roundings: list[RoundedValue] = field(default_factory=list)

    def fill(self, part: Part, fields: Fields, place: str) -> Any:
        """What a part comes to that stands at a place of the document."""
        filled: Any
        match part:
            case ConstantPart(value):
                filled = value
            case FieldPart():
                filled = self.value(part, fields, place)
            case RepeatedPart(repeated):
                filled = [
                    self.fill(repeated, scope, f"{place}[{index}]")
                    for index, scope in enumerate(self.list_scopes(part, fields))
                ]
            case ObjectPart():
                filled = self.object(part, fields, place)
            case ListPart(listed):
                filled = [self.fill(child, fields, f"{place}[{index}]") for index, child in enumerate(listed)]
            case ElementPart():
                filled = self.element(part, fields, part.name)
            case TablePart():
                filled = self.table(part, fields)
            case WorkbookPart():
                filled = self.workbook(part, fields)
        return filled

    def object(self, part: ObjectPart, fields: Fields, place: str) -> dict[str, Any]:
        """An object, without those of its names that have no value and need none."""
        filled = {}
        for name, child in part.parts.items():
            value = self.fill(child, fields, f"{place}.{name}" if place else name)
            if value is not None or not (isinstance(child, FieldPart) and child.is_optional):
                filled[name] = value
        return filled

    def table(self, part: TablePart, fields: Fields) -> FilledTable:
        """A table."""
        return FilledTable(
            part.headings,
            [
                [
                    self.fill(cell, scope, f"row {number}, {heading}")
                    for heading, cell in zip(part.headings, part.cells, strict=True)
                ]
                for number, scope in enumerate(self.list_rows(part, fields), 1)
            ],
        )

    def list_rows(self, part: TablePart, fields: Fields) -> list[Fields]:
        """The fields within each row of a table."""
        scopes = [fields]
        for each in part.rows:
            scopes = scopes if each.source in {EACH, GROUPS, LEDGERS} else _list_bases(scopes)
            scopes = [inner for outer in scopes for inner in self.list_scopes(each, outer)]
        return scopes

    def workbook(self, part: WorkbookPart, fields: Fields) -> list[FilledSheet]:
        """The sheets of a workbook."""
        sheets = []
        for sheet in part.sheets:
            cells = {
                at: self.fill(cell, fields, f"{sheet.name}!{write_address(at)}")
                for at, cell in sheet.cells.items()
            }
            for placed in sheet.tables:
                cells |= self.placed(placed, fields, sheet.name)
            sheets.append(FilledSheet(sheet.name, cells))
        return sheets

    def placed(self, placed: PlacedTable, fields: Fields, sheet: str) -> dict[Cell, Any]:
        """The cells of a table that begins at one of them."""
        (row, column), table, cells = placed.at, placed.table, dict[Cell, Any]()
        if placed.has_headings:
            cells = {(row, column + more): heading for more, heading in enumerate(table.headings)}
            row += 1
        for down, scope in enumerate(self.list_rows(table, fields)):
            for more, cell in enumerate(table.cells):
                at = (row + down, column + more)
                cells[at] = self.fill(cell, scope, f"{sheet}!{write_address(at)}")
        return cells

    def element(self, part: ElementPart, fields: Fields, place: str) -> FilledElement | None:
        """An element of XML; None for one that has nothing and needs to be there only with something."""
        attributes = {
            name: text
            for name, attribute in part.attributes.items()
            if (text := _write_text(self.fill(attribute, fields, f"{place}/@{name}"))) is not None
        }
        children = [made for child in part.children for made in self.elements(child, fields, place)]
        text = None if part.text is None else _write_text(self.fill(part.text, fields, place))
        if part.is_optional and not (attributes or children or text):
            return None
        return FilledElement(part.name, part.namespace, attributes, text, children, part.prefix)

    def elements(self, part: Part, fields: Fields, place: str, at: str = "") -> list[FilledElement]:
        """The elements that a child comes to: one, none, or one for each record of its lists."""
        if isinstance(part, RepeatedPart):
            return [
                made
                for number, scope in enumerate(self.list_scopes(part, fields), 1)
                for made in self.elements(part.part, scope, place, f"{at}[{number}]")
            ]
        assert isinstance(part, ElementPart), "elements are read with elements"  # noqa: S101
        made = self.element(part, fields, f"{place}/{part.name}{at}")
        return [made] if made else []

    def list_scopes(self, part: RepeatedPart, fields: Fields) -> list[Fields]:
        """The fields within a part, once for each record of its list."""
        if part.source == GROUPS:
            records = self.group(part, fields)
        elif part.source == LEDGERS:
            records = self.list_ledgers()
        elif part.source == EACH:
            records = fields.get(MEMBERS, self.stated.inclusions)
        else:
            records = fields[f"{part.source}{OF_LIST}"]
        if part.source == EACH and isinstance(part.part, RepeatedPart):
            records = _list_bases(records)
        return [{**fields, **record} for record in records]

    def list_ledgers(self) -> list[Fields]:
        """The ledgers of a report, each with its batches."""
        return [
            {
                **ledger,
                MEMBERS: [
                    one
                    for one in self.stated.inclusions
                    if one["inclusion.ledger_id"] == ledger["role.ledger_id"]
                ],
            }
            for ledger in self.stated.ledgers
        ]

    def group(self, part: RepeatedPart, fields: Fields) -> list[Fields]:
        """The batches of a report, or of a group, in groups, in the order of their keys; those without a key
        are one, the last.
        """
        assert part.by is not None, "groups are read with a field"  # noqa: S101
        groups: dict[str | None, list[Fields]] = {}
        for inclusion in fields.get(MEMBERS, self.stated.inclusions):
            key = self.value(part.by, {**self.stated.fields, **inclusion}, "")
            groups.setdefault(None if key is None else str(_write_text(key)), []).append(inclusion)
        ordered = sorted(groups.items(), key=lambda item: (item[0] is None, item[0] or ""))
        return [
            {
                "group.key": key,
                "group.number": Decimal(number),
                "group.amount": exact_total(one["inclusion.counted"] for one in members),
                "group.unit": self.stated.fields["report.unit"],
                "group.count": Decimal(len(members)),
                "group.start_time": min(one["inclusion.start_time"] for one in members),
                "group.end_time": max(one["inclusion.end_time"] for one in members),
                MEMBERS: members,
            }
            for number, (key, members) in enumerate(ordered, 1)
        ]

    def tell(self, message: str, path: str) -> None:
        """Name what cannot be written, once."""
        self.problems.setdefault(message, Problem(message, path, "schema"))

    def find(self, path: str, fields: Fields) -> tuple[Any, str | None]:
        """The value of a field and its unit, where it has one."""
        unit_field = find_unit_field(path)
        for scope in (REPORT, GROUPS, LEDGERS):
            if path.startswith(NODE[scope]):
                members = self.stated.inclusions if scope == REPORT else fields.get(MEMBERS, [])
                return self.sum_node(path, NODE[EACH] + path.removeprefix(NODE[scope]), members)
        if path.startswith((NODE[EACH], ATTRIBUTE)):
            return fields.get(path), fields.get(unit_field) if unit_field else None
        return fields[path], fields[unit_field] if unit_field else None

    def sum_node(self, path: str, of_batch: str, members: Sequence[Fields]) -> tuple[Any, str | None]:
        """What a node came to in all of some batches; none where one of them has no number there.

        Batches of one run have the nodes of its newest, which are added once.
        """
        members = _list_bases(members)
        if len({one["inclusion.ledger_id"] for one in members}) > 1:
            message = (
                f"{path} sums batches of several ledgers. Sum those of each, as role.node within ledgers."
            )
            self.tell(message, path)
            return None, None
        units = {one.get(of_batch + OF_UNIT) for one in members}
        if len(units) > 1 and None not in units:
            named = " and ".join(sorted(map(str, units)))
            self.tell(f"{path} is in {named} in batches of several models.", path)
            return None, None
        values = [one.get(of_batch) for one in members]
        known = [value for value in values if isinstance(value, Decimal)]
        if len(known) < len(values) or not values:
            return None, None
        return exact_total(known), units.pop()

    def value(self, part: FieldPart, fields: Fields, place: str) -> Any:
        """The value of a field, as the form wants it."""
        value, unit = self.find(part.path, fields)
        if value is not None and part.per is not None:
            value, unit = self.divide(part, value, unit, fields), None
        elif isinstance(value, Decimal):
            value = self.convert(part, value, unit)
        if value is None:
            return part.otherwise
        if isinstance(value, Instant):
            return _write_moment(part, value, self.stated.zone)
        if isinstance(value, list):
            numbers = [self.write_number(part, self.convert(part, one, unit), place) for one in value]
            return numbers if part.written_as is WrittenAs.NUMBER else " ".join(map(str, numbers))
        if isinstance(value, Decimal):
            return self.write_number(part, value, place)
        return self.write_code(part, value, place)

    def write_number(self, part: FieldPart, value: Decimal, place: str) -> Any:
        """A number to the decimals of the form; what that changed is written down."""
        written = round_number(value, part.notation)
        if written != value and place:
            exact = CONTEXT.plus(value) if part.per else value
            self.roundings.append(RoundedValue(place, part.path, exact, written))
        if part.written_as is WrittenAs.NUMBER:
            return written
        return plain(written) if part.notation.decimals is None else format(written, "f")

    def write_code(self, part: FieldPart, value: Any, place: str) -> Any:
        """A text, or the code that the form has for it."""
        codes = part.notation.codes
        if codes is None:
            return value if part.written_as is WrittenAs.NUMBER else _write_text(value)
        text = str(_write_text(value))
        if text not in codes:
            known = ", ".join(shorten(one) for one in [*codes][:_CODES_NAMED])
            more = f" and {len(codes) - _CODES_NAMED} more" if len(codes) > _CODES_NAMED else ""
            self.tell(
                f"{place or part.path}: {part.path} is {shorten(text)!r}, for which the list of codes has no"
                f" code; it has codes for {known}{more}.",
                place or part.path,
            )
        return codes.get(text)

    def convert(self, part: FieldPart, value: Decimal, unit: str | None) -> Decimal:
        """A number in the unit that is written."""
        if part.unit is None:
            return Decimal(plain(value))
        try:
            return Decimal(plain(convert(value, parse_unit(unit or "1"), part.unit)))
        except UnitError as error:
            self.tell(f"{part.path} is in {unit}, which is not written in {part.unit}: {error}", part.path)
            return value

    def divide(self, part: FieldPart, value: Any, unit: str | None, fields: Fields) -> Decimal | None:
        """A number divided by another one; none where that has no value."""
        assert part.per is not None, "only a quotient is divided"  # noqa: S101
        by, of = self.find(part.per, fields)
        if not isinstance(by, Decimal) or not isinstance(value, Decimal):
            return None
        if not by:
            self.tell(f"{part.path} is divided by {part.per}, which is zero.", part.path)
            return None
        factor = Fraction(1)
        if part.unit is not None:
            quotient = divide(parse_unit(unit or "1"), parse_unit(of or "1"))
            try:
                factor = find_factor(quotient, part.unit)
            except UnitError as error:
                of_both = f"{part.path} by {part.per}"
                message = f"{of_both} is in {quotient}, which is not written in {part.unit}: {error}"
                self.tell(message, part.path)
        return divide_number(value, by, factor)


def _list_bases(records: Sequence[Fields]) -> list[Fields]:
    """The batches that others of the same run do not repeat: the first of each run."""
    known: dict[Any, Fields] = {}
    for record in records:
        known.setdefault(record.get(BASIS, id(record)), record)
    return [*known.values()]


_CODES_NAMED: Final = 10
"""Texts of a list of codes that a refusal names."""


def _write_moment(part: FieldPart, moment: Instant, zone: tzinfo) -> Any:
    local = moment - MILLISECOND if part.written_as is WrittenAs.LAST_DATE else moment
    if part.notation.pattern is not None:
        is_utc = part.written_as is WrittenAs.TEXT
        return write_pattern(part.notation.pattern, moment if is_utc else local.astimezone(zone))
    match part.written_as:
        case WrittenAs.DATE | WrittenAs.LAST_DATE:
            return _find_day(local, zone)
        case WrittenAs.MONTH:
            return _find_day(moment, zone)[: len("2025-01")]
        case WrittenAs.YEAR:
            return Decimal(moment.astimezone(zone).year)
        case _:
            return moment.text


def _find_day(moment: datetime, zone: tzinfo) -> str:
    return moment.astimezone(zone).date().isoformat()


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
