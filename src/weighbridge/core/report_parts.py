"""The parts of which a mapping is made: how a report is written for its receiver, kept as data.

A part is a constant, a field (`{"$value": "report.amount"}`), a part that is repeated for each record of a
list (`{"$each": "inclusions", "$do": …}`), or holds others: an object, a list, an element of XML, a table, or
the sheets of a workbook.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from weighbridge.core.report_fields import OF_UNCERTAINTY
from weighbridge.core.unit import Unit


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
class Notation:
    """How a form wants a value written."""

    decimals: int | None = None
    """Digits after the point, all of them written; None for as many as there are."""
    rounding: str = "half_even"
    """How what has more is rounded, by a name of `ROUNDING_MODES`."""
    codes: Mapping[str, str] | None = None
    """The codes of the form, by our texts; None where the text itself is written."""
    pattern: str | None = None
    """How a moment is written, such as `{MM}/{DD}/{YYYY}`."""


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
    notation: Notation = Notation()
    """How the form wants it: its decimals, its codes, its pattern of dates."""
    per: str | None = None
    """The field that the value is divided by."""
    is_optional: bool = False
    """Whether its name is left out of its object where the field has no value."""


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
    """Its namespace and that of the elements within it; empty for none, None for that around it."""
    attributes: Mapping[str, "Part"]
    text: "Part | None"
    children: Sequence["Part"]
    prefix: str | None = None
    """What its namespace is called in the document; None for the namespace of names without a prefix."""
    is_optional: bool = False
    """Whether it is left out where it has no text, no attribute and no element."""


@dataclass(frozen=True, slots=True)
class TablePart:
    """A table: one row for the report, or one for each record of a list."""

    rows: Sequence[RepeatedPart]
    """The lists, the outermost first; none for one row."""
    headings: Sequence[str]
    cells: Sequence["Part"]


Cell = tuple[int, int]
"""A place in a sheet: row and column, both from 0."""


@dataclass(frozen=True, slots=True)
class PlacedTable:
    """A table within a sheet, from a cell on to the right and downwards."""

    at: Cell
    table: TablePart
    has_headings: bool


@dataclass(frozen=True, slots=True)
class SheetPart:
    """A sheet as a published form has it: single cells at their places, and tables below them."""

    name: str
    cells: Mapping[Cell, "Part"]
    tables: Sequence[PlacedTable]


@dataclass(frozen=True, slots=True)
class WorkbookPart:
    """The sheets of a spreadsheet, in their order."""

    sheets: Sequence[SheetPart]


Part = (
    ConstantPart | FieldPart | RepeatedPart | ObjectPart | ListPart | ElementPart | TablePart | WorkbookPart
)


@dataclass(frozen=True, slots=True)
class ReportMapping:
    """How a report is written."""

    format: str
    template: Part
    schema: str | None = None
    """What it is checked against: a JSON Schema or, for XML, an XSD."""
    sheet: str = "report"
    """What the sheet of a spreadsheet is called, where it has one alone."""
    schema_parts: Mapping[str, str] = field(default_factory=dict)
    """The documents that the schema refers to, by the names that it uses."""


def list_paths(part: Part) -> Iterator[str]:
    """Yield the paths of the fields that a part names."""
    if isinstance(part, FieldPart):
        yield from (part.path, *([part.per] if part.per else ()))
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
    held: Sequence[Part] = ()
    match part:
        case RepeatedPart(repeated):
            held = [repeated]
        case ObjectPart(parts):
            held = [*parts.values()]
        case ListPart(listed):
            held = listed
        case TablePart():
            held = [*part.rows, *part.cells]
        case WorkbookPart(sheets):
            tables = [placed.table for sheet in sheets for placed in sheet.tables]
            held = [*tables, *(cell for sheet in sheets for cell in sheet.cells.values())]
        case ElementPart():
            held = [*part.attributes.values(), *part.children, *([part.text] if part.text else ())]
    return held


def names_uncertainty(part: Part, record: str) -> bool:
    """Whether a part names how well the amounts of a record are known: of `report` or of `inclusion`."""
    names = {f"{record}.{name}" for name in OF_UNCERTAINTY}
    return any(path in names for path in list_paths(part))
