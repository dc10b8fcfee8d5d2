"""Reading a table of the document: its columns, with a unit where they have one, and its rows.

A column is written as its name, or as `name: unit` when its numbers have a unit:
`columns: [temperature: degC, fraction]`.

Invariants: a table that was read keeps the invariants of Table.
"""

from collections import Counter
from decimal import Decimal
from typing import Final

from weighbridge.core.expression import PLAIN, TEXT, Table, TableColumn, number
from weighbridge.core.model.document.reading import Reader, is_node_slug
from weighbridge.core.model.document.source import Mapping, Scalar, Source, SourceListing
from weighbridge.core.quantity.number import plain
from weighbridge.core.quantity.unit import Unit

COLUMNS_MAX: Final = 50
ROWS_MAX: Final = 2_000

Cell = Decimal | str
Row = tuple[Cell, ...]


def read_table(name: str, reader: Reader) -> Table | None:
    """Read one table; None when it has a flaw."""
    count = len(reader.flaws)
    reader.allow(("columns", "rows"))
    if not is_node_slug(name):
        reader.note("The name of a table must be small letters, digits and single underscores.")
    headings = [_heading(reader, item) for item in reader.items("columns", is_required=True)]
    rows = [_row(reader, item, len(headings)) for item in reader.items("rows", is_required=True)]
    if len(headings) > COLUMNS_MAX or len(rows) > ROWS_MAX:
        reader.note(f"A table has at most {COLUMNS_MAX} columns and {ROWS_MAX} rows.", code="limit")
    if len(reader.flaws) > count:
        return None
    return _table(name, reader, headings, rows)


def _table(
    name: str, reader: Reader, headings: list[tuple[str, Unit | None]], rows: list[Row]
) -> Table | None:
    if not headings or not rows:
        reader.note("A table needs at least one column and one row.")
        return None
    if len({heading for heading, _ in headings}) < len(headings):
        reader.note("Two columns of the table have the same name.")
    keys = Counter(row[0] for row in rows)
    for key in [key for key, count in keys.items() if count > 1]:
        reader.note(f"The table has two rows for {key if isinstance(key, str) else plain(key)}.")
    columns = []
    for index, (heading, unit) in enumerate(headings):
        kinds = {isinstance(row[index], str) for row in rows}
        if len(kinds) > 1:
            reader.note(f"The column {heading} holds numbers and texts; it may hold one of both.")
        if True in kinds and unit is not None:
            reader.note(f"The column {heading} holds texts and has a unit.")
        columns.append(TableColumn(heading, TEXT if True in kinds else number(unit) if unit else PLAIN))
    return Table(name, tuple(columns), tuple(rows))


def _heading(reader: Reader, source: Source) -> tuple[str, Unit | None]:
    unit = None
    if isinstance(source, Mapping) and len(source.entries) == 1:
        entry = source.entries[0]
        name, unit = entry.key, reader.unit_of(entry.value)
    elif isinstance(source, Scalar):
        name = source.text
    else:
        name = ""
    if not is_node_slug(name):
        reader.note("A column is written as its name in snake case, or as name: unit.", source.mark)
    return name, unit


def _row(reader: Reader, source: Source, width: int) -> Row:
    items = source.items if isinstance(source, SourceListing) else ()
    if len(items) != width:
        reader.note(f"A row is a list with one cell for each of the {width} columns.", source.mark)
    return tuple(_cell(reader, item) for item in items)


def _cell(reader: Reader, source: Source) -> Cell:
    match source:
        case Scalar(value=Decimal()):
            return reader.number_of("cell", source) or Decimal(0)
        case Scalar(value=str(text)):
            return text
    reader.note("A cell is a number or a text.", source.mark)
    return ""
