"""Mappings: how a report is written for its receiver, kept as data.

A template names fields of the report by paths such as `report.amount`; filling it gives the values that
are written.

Reading a mapping document: every flaw is named by its place, `template.batches.$do.mass`.

Invariant: a mapping without flaws can be filled for every report that has batches, unless a unit does not
fit, a text has no code in a list of the form, or something is divided by zero.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from weighbridge.core.identity import did_you_mean
from weighbridge.core.number import shorten
from weighbridge.core.problem import Problem
from weighbridge.core.report import ReportFormat
from weighbridge.core.report_fields import (
    EACH,
    GROUPS,
    LISTS,
    REPORT,
    FieldKind,
    find_kind,
    find_unit_field,
    list_fields,
)
from weighbridge.core.report_notation import NOTATION_KEYS, read_codes, read_notation
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
    ReportMapping,
    SheetPart,
    TablePart,
    WorkbookPart,
    WrittenAs,
)
from weighbridge.core.unit import Unit, UnitError, parse_unit

PARTS_MAX: Final = 2_000
"""Parts of one mapping."""

DEPTH_MAX: Final = 32
"""The deepest nesting of parts."""

SCHEMA_CHARACTERS_MAX: Final = 524_288
"""Characters of a schema, with the documents that it refers to."""

SCHEMA_PARTS_MAX: Final = 50
"""Documents that a schema refers to."""

CODE_LISTS_MAX: Final = 50
"""Lists of codes that a mapping names."""

SHEETS_MAX: Final = 50
"""Sheets of a workbook."""

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
_CELL: Final = re.compile(r"([A-Z]{1,3})([1-9][0-9]{0,6})")
_ROWS_MAX: Final = 1_048_576
_LETTERS: Final = 26
_TOP_KEYS: Final = {"format", "template", "schema", "schema_parts", "sheet", "codes"}
_NOTHING: Final = ConstantPart(None)
_FIELD_KEYS: Final = {"$value", "$as", "$unit", "$otherwise", "$per", "$optional", *NOTATION_KEYS}
_ELEMENT_KEYS: Final = {"element", "namespace", "prefix", "attributes", "text", "children", "optional"}


def read_mapping(document: Mapping[str, Any]) -> tuple[ReportMapping | None, list[Problem]]:
    """The mapping that a document says, or what is wrong with it."""
    reader = _MappingReader()
    reader.know(document, _TOP_KEYS, "")
    version = document.get("format")
    if version not in tuple(ReportFormat):
        reader.tell("format", f"is {_describe_value(version)}; it is one of {', '.join(ReportFormat)}.")
        return None, reader.problems
    if "template" not in document:
        reader.tell("template", "is missing: it says what is written.")
    schema, schema_parts = reader.schema(document)
    reader.read_code_lists(document.get("codes", {}))
    template = document.get("template")
    has_sheets = version == ReportFormat.XLSX and isinstance(template, dict) and "sheets" in template
    sheet = document.get("sheet", "report")
    if not _is_sheet(sheet):
        reader.tell("sheet", _describe_sheet(sheet))
    elif "sheet" in document and (version != ReportFormat.XLSX or has_sheets):
        reader.tell("sheet", f"is for {ReportFormat.XLSX} alone, with one table.")
    read = _MappingReader.workbook if has_sheets else _OF_FORMAT[ReportFormat(version)]
    part = read(reader, template, "template")
    if reader.problems:
        return None, reader.problems
    return ReportMapping(version, part, schema, sheet, schema_parts), []


class _MappingReader:
    """Reads parts, and collects what is wrong with them."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self._parts = 0
        self._scopes: tuple[str, ...] = ()
        self._code_lists: dict[str, Mapping[str, str]] = {}
        self._is_in_object = False
        self._default_namespace: str | None = None

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

    def schema(self, document: Mapping[str, Any]) -> tuple[str | None, Mapping[str, str]]:
        """The schema of a mapping, and the documents that it refers to."""
        schema, parts = document.get("schema"), document.get("schema_parts", {})
        if not isinstance(parts, dict) or not all(
            isinstance(text, str) and name for name, text in parts.items()
        ):
            self.tell("schema_parts", "is an object of names, as the schema refers to them, and texts.")
            parts = {}
        elif parts and schema is None:
            self.tell("schema_parts", "is for what a schema refers to; schema is missing.")
        elif len(parts) > SCHEMA_PARTS_MAX:
            self.tell("schema_parts", f"has {len(parts)} documents; at most {SCHEMA_PARTS_MAX} are allowed.")
        size = sum(len(text) for text in (schema, *parts.values()) if isinstance(text, str))
        if schema is not None and (not isinstance(schema, str) or size > SCHEMA_CHARACTERS_MAX):
            self.tell(
                "schema",
                f"is a text of at most {SCHEMA_CHARACTERS_MAX:,} characters, with what it refers to.",
            )
        return schema if isinstance(schema, str) else None, parts

    def read_code_lists(self, node: Any) -> None:
        """Read the lists of codes that fields name."""
        if not isinstance(node, dict) or len(node) > CODE_LISTS_MAX:
            self.tell("codes", f"is an object of at most {CODE_LISTS_MAX} lists by their names.")
            return
        for name, listed in node.items():
            self._code_lists[name] = read_codes(listed, f"codes.{shorten(name)}", self.tell) or {}

    def json(self, node: Any, place: str) -> Part:
        """A part of JSON."""
        is_in_object, self._is_in_object = self._is_in_object, False
        if not self.enters(place):
            return _NOTHING
        if isinstance(node, list):
            return ListPart([self.json(child, f"{place}[{index}]") for index, child in enumerate(node)])
        if not isinstance(node, dict):
            return ConstantPart(node)
        if "$value" in node:
            self._is_in_object = is_in_object
            return self.field(node, place)
        if "$each" in node:
            return self.repeated(node, place, self.json)
        for name in node:
            if name.startswith("$"):
                self.tell(place, f"has {shorten(name)}; parts that are no objects have $value or $each.")
        parts = {}
        for name, child in node.items():
            self._is_in_object = True
            parts[name] = self.json(child, f"{place}.{name}")
        return ObjectPart(parts)

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
            self._is_in_object = False
            named = {"$value": node.get("$by"), **({"$as": node["$as"]} if "$as" in node else {})}
            found = self.field(named, f"{place}.$by")
            by = found if isinstance(found, FieldPart) else None
            self._scopes = self._scopes[:-1]
        return RepeatedPart(_NOTHING, source, by)

    def field(self, node: Mapping[str, Any], place: str) -> Part:
        """The value of a field."""
        is_in_object, self._is_in_object = self._is_in_object, False
        self.know(node, _FIELD_KEYS, place)
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
        per = self.per(node, kind, place)
        unit = self.unit(node["$unit"], path, per, f"{place}.$unit") if "$unit" in node else None
        otherwise = node.get("$otherwise")
        if isinstance(otherwise, dict | list):
            self.tell(f"{place}.$otherwise", "is a text, a number, true, false or null.")
        is_optional = node.get("$optional", False)
        if "$optional" in node and (not isinstance(is_optional, bool) or not is_in_object):
            self.tell(f"{place}.$optional", "is true or false, for a name of an object in JSON.")
        notation = read_notation(node, kind, self._code_lists, place, self.tell)
        return FieldPart(path, WrittenAs(written_as), unit, otherwise, notation, per, is_optional is True)

    def per(self, node: Mapping[str, Any], kind: FieldKind, place: str) -> str | None:
        """The field that another one is divided by."""
        if "$per" not in node:
            return None
        path = node["$per"]
        found = find_kind(path, self._scopes) if isinstance(path, str) else None
        if found is not FieldKind.NUMBER or kind is not FieldKind.NUMBER:
            self.tell(
                f"{place}.$per", f"is {_describe_value(path)}; a number is divided by a field of a number."
            )
        if "$decimals" not in node:
            self.tell(f"{place}.$decimals", "is missing: a quotient is written to so many decimals.")
        return path if isinstance(path, str) else None

    def _explain(self, path: Any) -> str:
        """Why a path is none of a field here."""
        if not isinstance(path, str):
            return "is no field."
        for source, kind in LISTS.items():
            if path.startswith(f"{kind.record}.") and source not in self._scopes:
                return f"is allowed only within a part that is repeated for {source}."
        return f"is no field{did_you_mean(path, list_fields(self._scopes), len(self.problems))}."

    def unit(self, text: Any, path: str, per: str | None, place: str) -> Unit | None:
        """The unit that a field, or the quotient of two, is converted to."""
        if find_unit_field(path) is None and (per is None or find_unit_field(per) is None):
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
            self._is_in_object = False
            return self.field(node, place)
        if isinstance(node, dict | list):
            self.tell(place, 'is a constant, or a field as {"$value": "report.name"}.')
            return _NOTHING
        return ConstantPart(node)

    def element(self, node: Any, place: str) -> Part:
        """An element of XML, or one that is repeated, in lists within lists too."""
        if isinstance(node, dict) and "$each" in node:
            return self.repeated(node, place, self.element)
        if not self.enters(place):
            return _NOTHING
        if not isinstance(node, dict):
            self.tell(place, 'is an element, as {"element": "Report"}.')
            return _NOTHING
        self.know(node, _ELEMENT_KEYS, place)
        name, is_optional = node.get("element"), node.get("optional", False)
        if not isinstance(name, str) or not _XML_NAME.fullmatch(name):
            self.tell(f"{place}.element", f"is {_describe_value(name)}, which is no name of an element.")
        if not isinstance(is_optional, bool) or (is_optional and place == "template"):
            self.tell(f"{place}.optional", "is true or false, and the outermost element is always there.")
        attributes = node.get("attributes", {})
        if not isinstance(attributes, dict) or not all(map(_XML_NAME.fullmatch, attributes)):
            self.tell(f"{place}.attributes", "must map the names of attributes to their values.")
            attributes = {}
        if "text" in node and "children" in node:
            self.tell(place, "has a text or children, not both.")
        default_namespace = self._default_namespace
        namespace, prefix = self.namespace(node, place)
        made = ElementPart(
            str(name),
            namespace,
            {
                name: self.scalar(attribute, f"{place}.attributes.{name}")
                for name, attribute in attributes.items()
            },
            self.scalar(node["text"], f"{place}.text") if "text" in node else None,
            self.children(node.get("children", []), f"{place}.children"),
            prefix,
            is_optional is True,
        )
        self._default_namespace = default_namespace
        return made

    def namespace(self, node: Mapping[str, Any], place: str) -> tuple[str | None, str | None]:
        """The namespace of an element and the prefix that it has in the document."""
        namespace, prefix = node.get("namespace"), node.get("prefix")
        if namespace is not None and (not isinstance(namespace, str) or not _is_namespace(namespace)):
            self.tell(f"{place}.namespace", f"is {_describe_value(namespace)}, which is no namespace.")
            return None, None
        if prefix is not None and (
            not namespace
            or not isinstance(prefix, str)
            or not _XML_NAME.fullmatch(prefix)
            or prefix.lower().startswith("xml")
        ):
            self.tell(
                f"{place}.prefix", "is what the namespace of the same element is called in the document."
            )
            return namespace, None
        if namespace == "" and self._default_namespace:
            message = "is empty within elements whose namespace has no prefix; give theirs a prefix."
            self.tell(f"{place}.namespace", message)
        if namespace and prefix is None:
            self._default_namespace = namespace
        return namespace, prefix

    def children(self, nodes: Any, place: str) -> list[Part]:
        """The elements within an element, some of them repeated."""
        if not isinstance(nodes, list):
            self.tell(place, "is a list of elements.")
            return []
        return [self.element(child, f"{place}[{index}]") for index, child in enumerate(nodes)]

    def workbook(self, node: Any, place: str) -> Part:
        """The sheets of a workbook."""
        self.know(node, {"sheets"}, place)
        sheets = node["sheets"]
        if not isinstance(sheets, list) or not 1 <= len(sheets) <= SHEETS_MAX:
            self.tell(f"{place}.sheets", f"is a list of 1 to {SHEETS_MAX} sheets.")
            return _NOTHING
        read = [self.sheet(one, f"{place}.sheets[{index}]") for index, one in enumerate(sheets)]
        names = [one.name.lower() for one in read if one]
        if len({*names}) < len(names):
            self.tell(f"{place}.sheets", "has a name twice.")
        return WorkbookPart([one for one in read if one])

    def sheet(self, node: Any, place: str) -> SheetPart | None:
        """A sheet: single cells by their addresses, and tables."""
        if not isinstance(node, dict) or not _is_sheet(node.get("name")):
            name = node.get("name") if isinstance(node, dict) else None
            self.tell(f"{place}.name", _describe_sheet(name))
            return None
        self.know(node, {"name", "cells", "tables"}, place)
        cells, tables = node.get("cells", {}), node.get("tables", [])
        if not isinstance(cells, dict) or not isinstance(tables, list):
            self.tell(place, "has cells, an object by their addresses, and tables, a list.")
            return None
        read: dict[Cell, Part] = {}
        for address, part in cells.items():
            if at := self.cell(address, f"{place}.cells.{shorten(address)}"):
                read[at] = self.scalar(part, f"{place}.cells.{address}")
        placed = [self.placed(one, f"{place}.tables[{index}]") for index, one in enumerate(tables)]
        self.keep_apart(read, placed, place)
        return SheetPart(node["name"], read, [one for one in placed if one])

    def cell(self, address: Any, place: str) -> Cell | None:
        """A place in a sheet, from an address such as B3."""
        found = _CELL.fullmatch(address) if isinstance(address, str) else None
        column = 0
        for letter in found[1] if found else "":
            column = column * _LETTERS + ord(letter) - ord("A") + 1
        if found is None or column > COLUMNS_EVER or int(found[2]) > _ROWS_MAX:
            self.tell(place, f"is {_describe_value(address)}, which is no address of a cell such as B3.")
            return None
        return int(found[2]) - 1, column - 1

    def placed(self, node: Any, place: str) -> PlacedTable | None:
        """A table that begins at a cell."""
        if not isinstance(node, dict):
            self.tell(place, 'is a table, as {"at": "A10", "rows": "inclusions", "columns": […]}.')
            return None
        at = self.cell(node.get("at"), f"{place}.at")
        has_headings = node.get("headings", True)
        if not isinstance(has_headings, bool):
            self.tell(f"{place}.headings", "is true or false.")
        rest = {name: value for name, value in node.items() if name not in {"at", "headings"}}
        table = self.table(rest, place)
        return PlacedTable(at, table, has_headings is True) if at and isinstance(table, TablePart) else None

    def keep_apart(
        self, cells: Mapping[Cell, Part], tables: Sequence[PlacedTable | None], place: str
    ) -> None:
        """Report what stands where a table writes: a table goes on downwards as far as it has rows."""
        taken: set[int] = set()
        for index, placed in enumerate(tables):
            if placed is None:
                continue
            row, column = placed.at
            columns = {*range(column, column + len(placed.table.headings))}
            if columns & taken or any(at[0] >= row and at[1] in columns for at in cells):
                message = "has a cell below where it begins, or another table, in its columns."
                self.tell(f"{place}.tables[{index}]", message)
            taken |= columns

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


COLUMNS_EVER: Final = 16_384
"""Columns of a sheet."""


def _is_sheet(name: Any) -> bool:
    return isinstance(name, str) and bool(_SHEET.fullmatch(name))


def _describe_sheet(name: Any) -> str:
    return f"is {_describe_value(name)}; a sheet has 1 to 31 characters, none of []:*?/\\'."


def _reject_unit(value: Any) -> Unit:
    raise UnitError(f"{_describe_value(value)} is no text.")


def _is_namespace(text: str) -> bool:
    return text.isascii() and text.isprintable() and not set(' <>"{}|\\^`') & set(text)


def _describe_value(value: Any) -> str:
    return "missing" if value is None else shorten(repr(value))
