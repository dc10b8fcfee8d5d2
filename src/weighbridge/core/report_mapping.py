"""Mappings: how a report is written for its receiver, kept as data.

A template names fields of the report by paths such as `report.amount`; filling it gives the values that
are written.

Reading a mapping document: every flaw is named by its place, `template.batches.$do.mass`.

Invariant: a mapping without flaws can be filled for every report that has batches, unless a unit does not
fit.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from weighbridge.core.identity import did_you_mean
from weighbridge.core.number import plain, shorten
from weighbridge.core.problem import Problem
from weighbridge.core.report import ReportFormat
from weighbridge.core.time.calendar import MILLISECOND, Instant
from weighbridge.core.unit import Unit, UnitError, convert, parse_unit

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
    """A constant text, number, truth value or null."""

    value: Any


@dataclass(frozen=True, slots=True)
class FieldPart:
    """The value of a field."""

    path: str
    written_as: WrittenAs = WrittenAs.TEXT
    unit: Unit | None = None
    """The unit that it is converted to; None leaves it as it is."""
    otherwise: Any = None
    """The value if the field has none."""


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

OF_UNCERTAINTY: Final[Mapping[str, bool]] = {
    "standard_uncertainty": True,
    "relative_standard_uncertainty": False,
    "degrees_of_freedom": False,
    "coverage_probability": False,
    "coverage_factor": False,
    "expanded_uncertainty": True,
    "low": True,
    "high": True,
}
"""How well an amount is known, of a report and of each batch; whether it is in the unit of the amount."""

OF_REPORT: Final[Mapping[str, FieldKind]] = {
    "report.id": FieldKind.TEXT,
    "report.name": FieldKind.TEXT,
    "report.report_type": FieldKind.TEXT,
    "report.amount": FieldKind.NUMBER,
    "report.liability": FieldKind.NUMBER,
    "report.unit": FieldKind.TEXT,
    "report.start_time": FieldKind.MOMENT,
    "report.end_time": FieldKind.MOMENT,
    "report.effective_at": FieldKind.MOMENT,
    "report.supersedes": FieldKind.TEXT,
    "report.measured_share": FieldKind.NUMBER,
    **{f"report.{name}": FieldKind.NUMBER for name in OF_UNCERTAINTY},
    "project.id": FieldKind.TEXT,
    "project.name": FieldKind.TEXT,
    "ledger.id": FieldKind.TEXT,
    "ledger.name": FieldKind.TEXT,
    "methodology.name": FieldKind.TEXT,
    "methodology.version": FieldKind.TEXT,
}
"""Fields that occur once."""

OF_INCLUSION: Final[Mapping[str, FieldKind]] = {
    "inclusion.number": FieldKind.NUMBER,
    "inclusion.batch_id": FieldKind.TEXT,
    "inclusion.tracking_id": FieldKind.TEXT,
    "inclusion.start_time": FieldKind.MOMENT,
    "inclusion.end_time": FieldKind.MOMENT,
    "inclusion.amount": FieldKind.NUMBER,
    "inclusion.unit": FieldKind.TEXT,
    **{f"inclusion.{name}": FieldKind.NUMBER for name in OF_UNCERTAINTY},
}
"""Fields of each batch, within a part that is repeated."""

UNITS: Final[Mapping[str, str]] = {
    "report.amount": "report.unit",
    "report.liability": "report.unit",
    "inclusion.amount": "inclusion.unit",
    **{
        f"{record}.{name}": f"{record}.unit"
        for record in ("report", "inclusion")
        for name, has_unit in OF_UNCERTAINTY.items()
        if has_unit
    },
}
"""Fields that say in what unit others are."""


def list_paths(part: Part) -> Iterator[str]:
    """Yield the paths of the fields that a part names."""
    match part:
        case FieldPart(path):
            yield path
        case RepeatedPart(repeated):
            yield from list_paths(repeated)
        case ObjectPart(parts):
            for child in parts.values():
                yield from list_paths(child)
        case ListPart(listed) | TablePart(cells=listed):
            for child in listed:
                yield from list_paths(child)
        case ElementPart():
            for child in (*part.attributes.values(), *part.children, *([part.text] if part.text else ())):
                yield from list_paths(child)


def names_uncertainty(part: Part, record: str) -> bool:
    """Whether a part names how well the amounts of a record are known: of `report` or of `inclusion`."""
    names = {f"{record}.{name}" for name in OF_UNCERTAINTY}
    return any(path in names for path in list_paths(part))


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
            filled = _fill_each(stated, lambda element_fields: _fill(repeated, stated, element_fields))
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
    def row(scope: Fields) -> list[Any]:
        return [_fill(cell, stated, scope) for cell in part.cells]

    return FilledTable(part.headings, _fill_each(stated, row) if part.is_repeated else [row(fields)])


def _fill_each(stated: StatedReport, filled: Callable[[Fields], Any]) -> list[Any]:
    return [filled({**stated.fields, **inclusion}) for inclusion in stated.inclusions]


def _fill_value(part: FieldPart, stated: StatedReport, fields: Fields) -> Any:
    value = fields[part.path]
    if value is None:
        return part.otherwise
    match part.written_as:
        case WrittenAs.DATE:
            return _find_day(value, stated.zone)
        case WrittenAs.LAST_DATE:
            return _find_day(value - MILLISECOND, stated.zone)
    if isinstance(value, Decimal):
        number = _convert_value(part, value, fields)
        return number if part.written_as is WrittenAs.NUMBER else plain(number)
    return value.text if isinstance(value, Instant) else str(value)


def _find_day(moment: datetime, zone: tzinfo) -> str:
    return moment.astimezone(zone).date().isoformat()


def _convert_value(part: FieldPart, value: Decimal, fields: Fields) -> Decimal:
    if part.unit is None:
        return Decimal(plain(value))
    unit = fields[UNITS[part.path]]
    try:
        return Decimal(plain(convert(value, parse_unit(unit), part.unit)))
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


PARTS_MAX: Final = 2_000
"""Parts of one mapping."""

DEPTH_MAX: Final = 32
"""The deepest nesting of parts."""

SCHEMA_CHARACTERS_MAX: Final = 262_144
"""Characters of a schema."""

COLUMNS_MAX: Final = 200
"""Columns of a table."""

_FITTING: Final = {
    FieldKind.TEXT: (WrittenAs.TEXT,),
    FieldKind.NUMBER: (WrittenAs.TEXT, WrittenAs.NUMBER),
    FieldKind.MOMENT: (WrittenAs.TEXT, WrittenAs.DATE, WrittenAs.LAST_DATE),
}
_XML_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,99}")
_SHEET: Final = re.compile(r"[^\[\]:*?/\\']{1,31}")
_NOTHING: Final = ConstantPart(None)


def read_mapping(document: Mapping[str, Any]) -> tuple[ReportMapping | None, list[Problem]]:
    """The mapping that a document says, or what is wrong with it."""
    reader = _MappingReader()
    reader.know(document, {"format", "template", "schema", "sheet"}, "")
    version = document.get("format")
    if version not in tuple(ReportFormat):
        reader.tell("format", f"is {_describe_value(version)}; it is one of {', '.join(ReportFormat)}.")
        return None, reader.problems
    if "template" not in document:
        reader.tell("template", "is missing: it says what is written.")
    schema = document.get("schema")
    if schema is not None and (not isinstance(schema, str) or len(schema) > SCHEMA_CHARACTERS_MAX):
        reader.tell("schema", f"is a text of at most {SCHEMA_CHARACTERS_MAX:,} characters.")
    sheet = document.get("sheet", "report")
    if not isinstance(sheet, str) or not _SHEET.fullmatch(sheet):
        reader.tell(
            "sheet", f"is {_describe_value(sheet)}; a sheet has 1 to 31 characters, none of []:*?/\\'."
        )
    elif "sheet" in document and version != ReportFormat.XLSX:
        reader.tell("sheet", f"is for {ReportFormat.XLSX} alone.")
    part = _OF_FORMAT[ReportFormat(version)](reader, document.get("template"), "template")
    if reader.problems:
        return None, reader.problems
    return ReportMapping(version, part, schema, sheet), []


class _MappingReader:
    """Reads parts, and collects what is wrong with them."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self._parts = 0
        self._is_repeated = False

    def tell(self, place: str, message: str) -> None:
        """Name a flaw by its place."""
        self.problems.append(Problem(f"mapping.{place} {message}", f"methodology.mapping.{place}", "mapping"))

    def know(self, node: Mapping[str, Any], known_names: set[str], place: str) -> None:
        """Report the unknown names of an object."""
        for name in node:
            if name not in known_names:
                path = f"{place}.{shorten(name)}" if place else shorten(name)
                self.tell(path, f"is unknown; allowed here are {', '.join(sorted(known_names))}.")

    def enters(self, place: str) -> bool:
        """Whether one more part may be read."""
        self._parts += 1
        if self._parts == PARTS_MAX + 1:
            self.tell(place, f"is one part too many: a mapping has at most {PARTS_MAX:,}.")
        if place.count(".") + place.count("[") > DEPTH_MAX:
            self.tell(place, f"is nested too deeply: at most {DEPTH_MAX} parts may be nested.")
            return False
        return self._parts <= PARTS_MAX

    def json(self, node: Any, place: str) -> Part:
        """A part of JSON."""
        if not self.enters(place):
            return _NOTHING
        if isinstance(node, list):
            return ListPart([self.json(child, f"{place}[{index}]") for index, child in enumerate(node)])
        if not isinstance(node, dict):
            return ConstantPart(node)
        if "$value" in node:
            return self.field(node, place)
        if "$each" in node:
            return self.repeated(node, place, self.json)
        for name in node:
            if name.startswith("$"):
                self.tell(place, f"has {shorten(name)}; parts that are no objects have $value or $each.")
        return ObjectPart({name: self.json(child, f"{place}.{name}") for name, child in node.items()})

    def repeated(self, node: Mapping[str, Any], place: str, read_part: Any) -> Part:
        """A part that is repeated for each batch."""
        self.know(node, {"$each", "$do"}, place)
        if node.get("$each") != EACH:
            self.tell(
                f"{place}.$each", f"is {_describe_value(node.get('$each'))}; what is repeated is {EACH}."
            )
        if self._is_repeated:
            self.tell(place, "is repeated within a part that is repeated.")
        if "$do" not in node:
            self.tell(f"{place}.$do", "is missing: it says what is repeated.")
        was_repeated, self._is_repeated = self._is_repeated, True
        part = read_part(node.get("$do"), f"{place}.$do")
        self._is_repeated = was_repeated
        return RepeatedPart(part)

    def field(self, node: Mapping[str, Any], place: str) -> Part:
        """The value of a field."""
        self.know(node, {"$value", "$as", "$unit", "$otherwise"}, place)
        path = node.get("$value")
        known_fields = {**OF_REPORT, **(OF_INCLUSION if self._is_repeated else {})}
        if not isinstance(path, str) or path not in known_fields:
            scope = f" within a part that is repeated for {EACH}" if path in OF_INCLUSION else ""
            suggestion = (
                did_you_mean(path, known_fields, len(self.problems))
                if isinstance(path, str) and not scope
                else ""
            )
            message = f"is allowed only{scope}." if scope else f"is no field{suggestion}."
            self.tell(f"{place}.$value", f"is {_describe_value(path)}, which {message}")
            return _NOTHING
        written_as = node.get("$as", WrittenAs.TEXT)
        allowed_parts = _FITTING[known_fields[path]]
        if written_as not in allowed_parts:
            self.tell(
                f"{place}.$as",
                f"is {_describe_value(written_as)}; {path} is written as {', '.join(allowed_parts)}.",
            )
            written_as = WrittenAs.TEXT
        unit = self.unit(node["$unit"], path, f"{place}.$unit") if "$unit" in node else None
        otherwise = node.get("$otherwise")
        if isinstance(otherwise, dict | list):
            self.tell(f"{place}.$otherwise", "is a text, a number, true, false or null.")
        return FieldPart(path, WrittenAs(written_as), unit, otherwise)

    def unit(self, text: Any, path: str, place: str) -> Unit | None:
        """The unit that a field is converted to."""
        if path not in UNITS:
            self.tell(place, f"has a unit, but {path} has none.")
            return None
        try:
            return parse_unit(text) if isinstance(text, str) else _reject_unit(text)
        except UnitError as error:
            self.tell(place, f"is no unit: {error}")
            return None

    def scalar(self, node: Any, place: str) -> Part:
        """A part that holds no others: a constant or the value of a field."""
        if not self.enters(place):
            return _NOTHING
        if isinstance(node, dict) and "$value" in node:
            return self.field(node, place)
        if isinstance(node, dict | list):
            self.tell(place, 'is a constant, or a field as {"$value": "report.name"}.')
            return _NOTHING
        return ConstantPart(node)

    def element(self, node: Any, place: str) -> Part:
        """An element of XML."""
        if not self.enters(place):
            return _NOTHING
        if not isinstance(node, dict):
            self.tell(place, 'is an element, as {"element": "Report"}.')
            return _NOTHING
        self.know(node, {"element", "namespace", "attributes", "text", "children"}, place)
        name, namespace = node.get("element"), node.get("namespace")
        if not isinstance(name, str) or not _XML_NAME.fullmatch(name):
            self.tell(f"{place}.element", f"is {_describe_value(name)}, which is no name of an element.")
        if namespace is not None and (not isinstance(namespace, str) or not _is_namespace(namespace)):
            self.tell(f"{place}.namespace", f"is {_describe_value(namespace)}, which is no namespace.")
        attributes = node.get("attributes", {})
        if not isinstance(attributes, dict) or not all(map(_XML_NAME.fullmatch, attributes)):
            self.tell(f"{place}.attributes", "must map the names of attributes to their values.")
            attributes = {}
        if "text" in node and "children" in node:
            self.tell(place, "has a text or children, not both.")
        return ElementPart(
            str(name),
            namespace,
            {
                name: self.scalar(attribute, f"{place}.attributes.{name}")
                for name, attribute in attributes.items()
            },
            self.scalar(node["text"], f"{place}.text") if "text" in node else None,
            self.children(node.get("children", []), f"{place}.children"),
        )

    def children(self, nodes: Any, place: str) -> list[Part]:
        """The elements within an element, some of them repeated."""
        if not isinstance(nodes, list):
            self.tell(place, "is a list of elements.")
            return []
        return [
            self.repeated(child, f"{place}[{index}]", self.element)
            if isinstance(child, dict) and "$each" in child
            else self.element(child, f"{place}[{index}]")
            for index, child in enumerate(nodes)
        ]

    def table(self, node: Any, place: str) -> Part:
        """A table."""
        if not isinstance(node, dict):
            self.tell(place, 'is a table, as {"rows": "inclusions", "columns": […]}.')
            return _NOTHING
        self.know(node, {"rows", "columns"}, place)
        rows, columns = node.get("rows", EACH), node.get("columns")
        if rows not in {EACH, "report"}:
            self.tell(
                f"{place}.rows",
                f"is {_describe_value(rows)}; a table has a row for each of {EACH}, or one for report.",
            )
        if not isinstance(columns, list) or not 1 <= len(columns) <= COLUMNS_MAX:
            self.tell(f"{place}.columns", f"is a list of 1 to {COLUMNS_MAX} columns.")
            return _NOTHING
        headings, cells = [], []
        self._is_repeated = rows == EACH
        for index, column in enumerate(columns):
            column_place = f"{place}.columns[{index}]"
            if not isinstance(column, dict) or not isinstance(column.get("heading"), str):
                self.tell(column_place, "is a column with a heading and a value.")
                continue
            self.know(column, {"heading", "value"}, column_place)
            headings.append(column["heading"])
            cells.append(self.scalar(column.get("value"), f"{column_place}.value"))
        if len(set(headings)) < len(headings):
            self.tell(f"{place}.columns", "has a heading twice.")
        return TablePart(rows == EACH, headings, cells)


_OF_FORMAT: Final = {
    ReportFormat.JSON: _MappingReader.json,
    ReportFormat.CSV: _MappingReader.table,
    ReportFormat.XLSX: _MappingReader.table,
    ReportFormat.XML: _MappingReader.element,
}


def _reject_unit(value: Any) -> Unit:
    raise UnitError(f"{_describe_value(value)} is no text.")


def _is_namespace(text: str) -> bool:
    return bool(text) and text.isascii() and text.isprintable() and not set(' <>"{}|\\^`') & set(text)


def _describe_value(value: Any) -> str:
    return "missing" if value is None else shorten(repr(value))
