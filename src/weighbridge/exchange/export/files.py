"""Write the file of an export: rows that arrive as CSV, in the format that was requested.

Everything here is plain and blocking, and is called in a thread. Slow to import: callers import it
there.

Invariants: the same rows in every format; no digit is lost; memory does not grow with the rows.
"""

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import Any, Final

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv
from xlsxwriter import Workbook

from weighbridge.core.platform.tasks import ColumnKind, ExportColumn, ExportFormat

# The type of a column of numbers: decimals as wide as the values in the column.
#
# Invariant: no digit is lost. Numbers that need more digits than any decimal of Arrow has stay texts.


NARROW: Final = 38
WIDE: Final = 76
"""Digits of the decimals of 128 and of 256 bits."""


def decimal_types(batches: Iterable[Any], columns: Sequence[ExportColumn]) -> dict[str, pa.DataType]:
    """The type of each column of numbers, of its rows as texts."""
    number_columns = [column.name for column in columns if column.kind is ColumnKind.NUMBER]
    widths = dict.fromkeys(number_columns, (1, 0))
    for batch in batches:
        for name in number_columns:
            digits, places = widths[name]
            of_batch = _measure_width(batch.column(name))
            widths[name] = max(digits, of_batch[0]), max(places, of_batch[1])
    return {name: _choose_type(*width) for name, width in widths.items()}


def _measure_width(texts: Any) -> tuple[int, int]:
    """The most digits before the point, and the most after it."""
    if texts.null_count == len(texts):
        return 1, 0
    lengths = pc.binary_length(texts)
    point = pc.find_substring(texts, ".")
    has_point = pc.greater_equal(point, 0)
    before = pc.if_else(has_point, point, lengths)
    behind = pc.if_else(has_point, pc.subtract(pc.subtract(lengths, point), 1), 0)
    return pc.max(before).as_py(), pc.max(behind).as_py()


def _choose_type(whole_digits: int, places: int) -> pa.DataType:
    all_digits = whole_digits + places
    if all_digits > WIDE:
        return pa.string()
    return pa.decimal128(NARROW, places) if all_digits <= NARROW else pa.decimal256(WIDE, places)


# The rows of a table of CSV, read again many at a time, every cell as the text that it is, or null.


BLOCK_BYTES: Final = 4_194_304
"""How much CSV is read at a time; a row longer than that cannot be written as another format."""


def batches(source: Path, columns: Sequence[ExportColumn], kinds: dict[str, pa.DataType]) -> Iterator[Any]:
    """The rows as batches of Arrow, texts but for the columns whose types are given."""
    types = {column.name: kinds.get(column.name, pa.string()) for column in columns}
    reader = csv.open_csv(
        source,
        read_options=csv.ReadOptions(use_threads=False, block_size=BLOCK_BYTES),
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types=types, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False
        ),
    )
    with reader:
        yield from reader


# A file of an export in the format that was asked for.
#
# Invariants: the same rows in every format; the memory that it takes does not grow with them.


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


def _write_csv(rows: Path, target: Path, _: Columns) -> None:
    shutil.move(rows, target)


def _write_json(rows: Path, target: Path, columns: Columns) -> None:
    _write_objects(rows, target, columns, begin=b"[\n", between=b",\n", end=b"\n]\n")


def _write_json_lines(rows: Path, target: Path, columns: Columns) -> None:
    _write_objects(rows, target, columns, begin=b"", between=b"\n", end=b"\n")


def _write_objects(
    rows: Path, target: Path, columns: Columns, *, begin: bytes, between: bytes, end: bytes
) -> None:
    encode = msgspec.json.Encoder(decimal_format="number").encode
    read: dict[str, Callable[[str], Any]] = {ColumnKind.NUMBER: Decimal, ColumnKind.TRUTH: "true".__eq__}
    readers = [(column.name, read.get(column.kind, str)) for column in columns]
    is_first = True
    with target.open("wb") as output:
        output.write(begin)
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
                output.write((b"" if is_first else between) + between.join(objects))
                is_first = False
        output.write(b"" if is_first and not begin else end)


def _write_parquet(rows: Path, target: Path, columns: Columns) -> None:
    kinds: dict[str, pa.DataType] = decimal_types(batches(rows, columns, {}), columns)
    kinds |= {column.name: pa.bool_() for column in columns if column.kind is ColumnKind.TRUTH}
    kinds |= {
        column.name: pa.timestamp("ms", tz="UTC") for column in columns if column.kind is ColumnKind.MOMENT
    }
    schema = pa.schema([(column.name, kinds.get(column.name, pa.string())) for column in columns])
    wide = {name for name, kind in kinds.items() if pa.types.is_decimal256(kind)}
    of_csv = {name: kind for name, kind in kinds.items() if name not in wide}
    with pq.ParquetWriter(target, schema, compression="zstd") as writer:
        for batch in batches(rows, columns, of_csv):
            writer.write_batch(batch.cast(schema) if wide else batch)


def _write_xlsx(rows: Path, target: Path, columns: Columns) -> None:
    book = Workbook(target, {"constant_memory": True, "strings_to_urls": False, "tmpdir": str(target.parent)})
    sheet = book.add_worksheet("export")
    moments = book.add_format({"num_format": MOMENT_FORM})
    for place, column in enumerate(columns):
        if column.kind is ColumnKind.MOMENT:
            sheet.set_column(place, place, MOMENT_WIDTH)
    for place, column in enumerate(columns):
        sheet.write_string(0, place, column.name)
    cells = chain.from_iterable(
        zip(*(batch.column(column.name).to_pylist() for column in columns), strict=True)
        for batch in batches(rows, columns, {})
    )
    for number, row in enumerate(cells, 1):
        for place, (column, cell) in enumerate(zip(columns, row, strict=True)):
            if cell is not None:
                if column.kind is ColumnKind.MOMENT and (days := count_days(cell)) is not None:
                    sheet.write_number(number, place, days, moments)
                else:
                    _write_cell(sheet, number, place, column.kind, cell)
    book.close()


MOMENT_FORM: Final = 'yyyy-mm-dd hh:mm:ss.000"Z"'
"""How a spreadsheet shows a time: in UTC, as its last letter says."""

MOMENT_WIDTH: Final = 24
"""Characters that such a time takes."""

_FIRST_DAY: Final = datetime(1899, 12, 30, tzinfo=UTC)
_FIRST_SURE: Final = datetime(1900, 3, 1, tzinfo=UTC)
"""Before March 1900 programs for spreadsheets count days differently."""

_MILLISECOND: Final = timedelta(milliseconds=1)
_MILLISECONDS_OF_DAY: Final = 86_400_000


def count_days(text: str) -> Decimal | None:
    """A time as days, as spreadsheets store it; None where it would lose something, and stays a text."""
    moment = datetime.fromisoformat(text)
    if moment < _FIRST_SURE or (moment - _FIRST_DAY) % _MILLISECOND:
        return None
    return Decimal((moment - _FIRST_DAY) // _MILLISECOND) / _MILLISECONDS_OF_DAY


def _write_cell(sheet: Any, row: int, place: int, kind: ColumnKind, cell: str) -> None:
    """A cell by its kind; texts are written as texts, which no spreadsheet computes."""
    if kind is ColumnKind.NUMBER and len(Decimal(cell).as_tuple().digits) <= EXACT_DIGITS:
        sheet.write_number(row, place, Decimal(cell))
    elif kind is ColumnKind.TRUTH:
        sheet.write_boolean(row, place, cell == "true")
    else:
        sheet.write_string(row, place, cell[:CELL_CHARACTERS_MAX])


_WRITERS: Final[Mapping[ExportFormat, Writer]] = {
    ExportFormat.CSV: _write_csv,
    ExportFormat.JSON: _write_json,
    ExportFormat.JSON_LINES: _write_json_lines,
    ExportFormat.PARQUET: _write_parquet,
    ExportFormat.XLSX: _write_xlsx,
}
