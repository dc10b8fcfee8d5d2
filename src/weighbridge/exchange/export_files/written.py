"""A file of an export in the format that was asked for.

Invariants: the same rows in every format; the memory that it takes does not grow with them.
"""

import shutil
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import Any, Final

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from xlsxwriter import Workbook

from weighbridge.core.platform.export_format import ColumnKind, ExportColumn, ExportFormat
from weighbridge.exchange.export_files.decimals import decimal_types
from weighbridge.exchange.export_files.rows import batches

# The default pool keeps what one file took for as long as the process lives; the system's gives it back.
pa.set_memory_pool(pa.system_memory_pool())

Columns = Sequence[ExportColumn]
Writer = Callable[[Path, Path, Columns], None]

EXACT_DIGITS: Final = 15
"""The digits that a number of a spreadsheet keeps; a longer one is written as a text."""

CELL_CHARACTERS_MAX: Final = 32_767
"""The characters that a cell of a spreadsheet holds."""


def write_file(export_format: ExportFormat, rows: Path, columns: Columns, target: Path) -> None:
    """Write the rows of a file of CSV in a format."""
    _WRITERS[export_format](rows, target, columns)


def _csv(rows: Path, target: Path, _: Columns) -> None:
    shutil.move(rows, target)


def _json(rows: Path, target: Path, columns: Columns) -> None:
    _objects(rows, target, columns, begin=b"[\n", between=b",\n", end=b"\n]\n")


def _json_lines(rows: Path, target: Path, columns: Columns) -> None:
    _objects(rows, target, columns, begin=b"", between=b"\n", end=b"\n")


def _objects(rows: Path, target: Path, columns: Columns, *, begin: bytes, between: bytes, end: bytes) -> None:
    encode = msgspec.json.Encoder(decimal_format="number").encode
    read: dict[str, Callable[[str], Any]] = {ColumnKind.NUMBER: Decimal, ColumnKind.TRUTH: "true".__eq__}
    readers = [(column.name, read.get(column.kind, str)) for column in columns]
    is_first = True
    with target.open("wb") as written:
        written.write(begin)
        for batch in batches(rows, columns, {}):
            cells = [batch.column(name).to_pylist() for name, _ in readers]
            objects = [
                encode(
                    {
                        name: None if cell is None else reader(cell)
                        for (name, reader), cell in zip(readers, row, strict=True)
                    }
                )
                for row in zip(*cells, strict=True)
            ]
            if objects:
                written.write((b"" if is_first else between) + between.join(objects))
                is_first = False
        written.write(b"" if is_first and not begin else end)


def _parquet(rows: Path, target: Path, columns: Columns) -> None:
    kinds: dict[str, pa.DataType] = decimal_types(batches(rows, columns, {}), columns)
    kinds |= {column.name: pa.bool_() for column in columns if column.kind is ColumnKind.TRUTH}
    kinds |= {
        column.name: pa.timestamp("ms", tz="UTC") for column in columns if column.kind is ColumnKind.MOMENT
    }
    schema = pa.schema([(column.name, kinds.get(column.name, pa.string())) for column in columns])
    wide = {name for name, kind in kinds.items() if pa.types.is_decimal256(kind)}
    of_csv = {name: kind for name, kind in kinds.items() if name not in wide}
    with pq.ParquetWriter(target, schema, compression="zstd") as written:
        for batch in batches(rows, columns, of_csv):
            written.write_batch(batch.cast(schema) if wide else batch)


def _xlsx(rows: Path, target: Path, columns: Columns) -> None:
    book = Workbook(target, {"constant_memory": True, "strings_to_urls": False, "tmpdir": str(target.parent)})
    sheet = book.add_worksheet("export")
    for place, column in enumerate(columns):
        sheet.write_string(0, place, column.name)
    cells = chain.from_iterable(
        zip(*(batch.column(column.name).to_pylist() for column in columns), strict=True)
        for batch in batches(rows, columns, {})
    )
    for number, row in enumerate(cells, 1):
        for place, (column, cell) in enumerate(zip(columns, row, strict=True)):
            if cell is not None:
                _write_cell(sheet, number, place, column.kind, cell)
    book.close()


def _write_cell(sheet: Any, row: int, place: int, kind: ColumnKind, cell: str) -> None:
    """A cell by its kind; texts are written as texts, which no spreadsheet computes."""
    if kind is ColumnKind.NUMBER and len(Decimal(cell).as_tuple().digits) <= EXACT_DIGITS:
        sheet.write_number(row, place, Decimal(cell))
    elif kind is ColumnKind.TRUTH:
        sheet.write_boolean(row, place, cell == "true")
    else:
        sheet.write_string(row, place, cell[:CELL_CHARACTERS_MAX])


_WRITERS: Final[Mapping[ExportFormat, Writer]] = {
    ExportFormat.CSV: _csv,
    ExportFormat.JSON: _json,
    ExportFormat.JSON_LINES: _json_lines,
    ExportFormat.PARQUET: _parquet,
    ExportFormat.XLSX: _xlsx,
}
