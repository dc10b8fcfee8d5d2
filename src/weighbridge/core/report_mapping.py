"""Mappings: how a report is written for its receiver, kept as data.

A template names fields of the report by paths such as `report.amount`; filling it gives the values that
are written.

Reading a mapping document: every flaw is named by its place, `template.batches.$do.mass`.

Invariant: a mapping without flaws can be filled for every report that has batches, unless a unit does not
fit.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from weighbridge.core.identity import did_you_mean
from weighbridge.core.number import shorten
from weighbridge.core.problem import Problem
from weighbridge.core.report import ReportFormat
from weighbridge.core.report_fields import (
    EACH,
    GROUPS,
    LISTS,
    OF_UNCERTAINTY,
    REPORT,
    FieldKind,
    find_kind,
    find_unit_field,
    list_fields,
)
from weighbridge.core.unit import Unit, UnitError, parse_unit

# The parts of which a mapping is made.
#
# A part is a constant, a field (`{"$value": "report.amount"}`), a part that is repeated for each record of a
# list (`{"$each": "inclusions", "$do": …}`), or holds others: an object, a list, an element of XML, a table.


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
    MONTH = "month"
    """The month of a moment, as `2025-01`."""
    YEAR = "year"
    """The year of a moment, as `2025`; a number where the format has such."""


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
    """A part for each record of a list, such as each batch of the report."""

    part: "Part"
    source: str
    by: FieldPart | None = None
    """Of groups, the value by which batches are of one group."""


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
    """A table: one row for the report, or one for each record of a list."""

    rows: Sequence[RepeatedPart]
    """The lists, the outermost first; none for one row."""
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


def list_paths(part: Part) -> Iterator[str]:
    """Yield the paths of the fields that a part names."""
    if isinstance(part, FieldPart):
        yield part.path
    elif isinstance(part, RepeatedPart) and part.by:
        yield part.by.path
    for child in _list_children(part):
        yield from list_paths(child)


def list_sources(part: Part) -> set[str]:
    """The lists that a part is repeated for, anywhere within it."""
    own = {part.source} if isinstance(part, RepeatedPart) else set[str]()
    return own.union(*map(list_sources, _list_children(part)))


def _list_children(part: Part) -> Sequence[Part]:
    """The parts that a part holds."""
    match part:
        case RepeatedPart(repeated):
            return [repeated]
        case ObjectPart(parts):
            return [*parts.values()]
        case ListPart(listed):
            return listed
        case TablePart():
            return [*part.rows, *part.cells]
        case ElementPart():
            return [*part.attributes.values(), *part.children, *([part.text] if part.text else ())]
        case _:
            return []


def names_uncertainty(part: Part, record: str) -> bool:
    """Whether a part names how well the amounts of a record are known: of `report` or of `inclusion`."""
    names = {f"{record}.{name}" for name in OF_UNCERTAINTY}
    return any(path in names for path in list_paths(part))


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
    FieldKind.MOMENT: (
        WrittenAs.TEXT,
        WrittenAs.DATE,
        WrittenAs.LAST_DATE,
        WrittenAs.MONTH,
        WrittenAs.YEAR,
    ),
    FieldKind.VALUE: (WrittenAs.TEXT, WrittenAs.NUMBER),
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
        self._scopes: tuple[str, ...] = ()

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
        """A part that is repeated for each record of a list."""
        source = node.get("$each")
        self.know(node, {"$each", "$do", "$by", "$as"} if source == GROUPS else {"$each", "$do"}, place)
        each = self.each(source, node, place, f"{place}.$each")
        if "$do" not in node:
            self.tell(f"{place}.$do", "is missing: it says what is repeated.")
        self._scopes += (str(source),)
        part = read_part(node.get("$do"), f"{place}.$do")
        self._scopes = self._scopes[:-1]
        return RepeatedPart(part, each.source, each.by)

    def each(self, source: Any, node: Mapping[str, Any], place: str, named_at: str) -> RepeatedPart:
        """The list of a part that is repeated, which stands within those that are open."""
        here = self._scopes[-1] if self._scopes else REPORT
        allowed = [name for name, kind in LISTS.items() if here in kind.within]
        if source not in LISTS:
            self.tell(named_at, f"is {_describe_value(source)}; what is repeated is {', '.join(LISTS)}.")
            return RepeatedPart(_NOTHING, EACH)
        if source not in allowed:
            may = f"; what is repeated there is {', '.join(allowed)}" if allowed else ""
            self.tell(named_at, f"is {source}, which is repeated in no part for {here}{may}.")
        by = None
        if source == GROUPS:
            self._scopes += (EACH,)
            named = {"$value": node.get("$by"), **({"$as": node["$as"]} if "$as" in node else {})}
            found = self.field(named, f"{place}.$by")
            by = found if isinstance(found, FieldPart) else None
            self._scopes = self._scopes[:-1]
        return RepeatedPart(_NOTHING, source, by)

    def field(self, node: Mapping[str, Any], place: str) -> Part:
        """The value of a field."""
        self.know(node, {"$value", "$as", "$unit", "$otherwise"}, place)
        path = node.get("$value")
        kind = find_kind(path, self._scopes) if isinstance(path, str) else None
        if not isinstance(path, str) or kind is None:
            self.tell(f"{place}.$value", f"is {_describe_value(path)}, which {self._explain(path)}")
            return _NOTHING
        written_as = node.get("$as", WrittenAs.TEXT)
        allowed_parts = _FITTING[kind]
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

    def _explain(self, path: Any) -> str:
        """Why a path is none of a field here."""
        if not isinstance(path, str):
            return "is no field."
        for source, kind in LISTS.items():
            if path.startswith(f"{kind.record}.") and source not in self._scopes:
                return f"is allowed only within a part that is repeated for {source}."
        return f"is no field{did_you_mean(path, list_fields(self._scopes), len(self.problems))}."

    def unit(self, text: Any, path: str, place: str) -> Unit | None:
        """The unit that a field is converted to."""
        if find_unit_field(path) is None:
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
        rows, columns = node.get("rows", EACH), node.get("columns")
        self.know(node, {"rows", "columns", "$by", "$as"} if rows == GROUPS else {"rows", "columns"}, place)
        each = [] if rows == REPORT else self.rows(rows, node, place)
        if not isinstance(columns, list) or not 1 <= len(columns) <= COLUMNS_MAX:
            self.tell(f"{place}.columns", f"is a list of 1 to {COLUMNS_MAX} columns.")
            return _NOTHING
        headings, cells = [], []
        self._scopes = tuple(one.source for one in each)
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
        self._scopes = ()
        return TablePart(each, headings, cells)

    def rows(self, source: Any, node: Mapping[str, Any], place: str) -> list[RepeatedPart]:
        """The lists of a table: what a batch was made of is listed batch by batch."""
        outer = [EACH] if source in LISTS and EACH in LISTS[source].within else []
        each = []
        for name in (*outer, source):
            each.append(self.each(name, node, place, f"{place}.rows"))
            self._scopes += (str(name),)
        return each


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
