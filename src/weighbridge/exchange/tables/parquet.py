"""Parquet as a table, some rows at a time.

Decimals and whole numbers keep every digit. A binary float has no digits of its own: it becomes the shortest
decimal that is this float, as programs show it, so that what was 0.1 before it was a float is 0.1 again.

Invariant: nothing is computed with a float.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from weighbridge.core.collection.data_feed import COLUMNS_MAX
from weighbridge.errors import Refusal
from weighbridge.exchange.tables.cell import ReadyCell
from weighbridge.exchange.tables.header import name_columns
from weighbridge.exchange.tables.table import BadRow, FileRow

ROWS_AT_ONCE: Final = 1_024
"""Rows that are unpacked at once."""

UNPACKED_BYTES_MAX: Final = 4_294_967_296
"""What a file may unpack to, in bytes: 4 GB."""

GROUP_BYTES_MAX: Final = 536_870_912
"""What one group of rows may unpack to, in bytes: 512 MB; it is in memory as a whole."""

Writer = Callable[[Any], str]


class ParquetTable:
    """The rows of a file."""

    formulas = 0

    def __init__(self, path: Path, title: str) -> None:
        try:
            self._file = pq.ParquetFile(path, memory_map=False, page_checksum_verification=False)
            self._check_size(title)
            schema = self._file.schema_arrow
        except (pa.ArrowException, OSError, ValueError) as error:
            raise _refuse(title, error) from None
        self._size = path.stat().st_size
        self._title = title
        self._rows_read = 0
        self.header = name_columns(schema.names)
        if not self.header or len(self.header) > COLUMNS_MAX or len(self.header) != len(schema.names):
            raise Refusal(f"The file {title} has no columns, too many of them, or some without names.")
        self._writers = [_find_writer(one.type, one.name, title) for one in schema]
        self.rows: Iterator[FileRow] = self._read()

    @property
    def bytes_read(self) -> int:
        """How far the reading has come, of the bytes of the file."""
        return int(self._size * self._rows_read // max(1, self._file.metadata.num_rows))

    def refusal(self, _: FileRow) -> BadRow | None:
        """A value of a table is what it is."""
        return None

    def _check_size(self, title: str) -> None:
        metadata = self._file.metadata
        sizes = [metadata.row_group(at).total_byte_size for at in range(metadata.num_row_groups)]
        if sum(sizes) > UNPACKED_BYTES_MAX or max(sizes, default=0) > GROUP_BYTES_MAX:
            raise Refusal(
                f"The file {title} would unpack to {sum(sizes):,} bytes, with groups of up to "
                f"{max(sizes):,}; at most {UNPACKED_BYTES_MAX:,} and {GROUP_BYTES_MAX:,} are taken."
            )

    def _read(self) -> Iterator[FileRow]:
        try:
            for batch in self._file.iter_batches(ROWS_AT_ONCE, use_threads=False):
                columns = [
                    [("" if value is None else write(value)) for value in _list_values(column)]
                    for column, write in zip(batch.columns, self._writers, strict=True)
                ]
                for cells in zip(*columns, strict=True):
                    self._rows_read += 1
                    yield FileRow(self._rows_read, [*cells])
        except (pa.ArrowException, OSError, ValueError) as error:
            raise _refuse(self._title, error) from None


def _refuse(title: str, error: Exception) -> Refusal:
    return Refusal(f"The file {title} cannot be read as Parquet: {str(error).rstrip('.')[:200]}.")


def _list_values(column: Any) -> list[Any]:
    if pa.types.is_timestamp(column.type):
        # Beyond microseconds there is no time of an event.
        column = column.cast(pa.timestamp("us", column.type.tz), safe=False)
    elif pa.types.is_floating(column.type):
        # Arrow writes the shortest decimal of each width; of half a width there is none.
        if pa.types.is_float16(column.type):
            column = column.cast(pa.float32())
        column = column.cast(pa.string())
    elif pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    listed: list[Any] = column.to_pylist()
    return listed


def _find_writer(kind: Any, name: str, title: str) -> Writer:
    if pa.types.is_dictionary(kind):
        return _find_writer(kind.value_type, name, title)
    writer = next((write for is_kind, write in _WRITERS if is_kind(kind)), None)
    if writer is None:
        raise Refusal(
            f"The file {title} has the column {name!r} of the type {kind}; columns have numbers, decimals, "
            "texts, booleans, times or dates."
        )
    return writer


def _write_exact(value: int | Decimal) -> str:
    return ReadyCell(format(value, "f") if isinstance(value, Decimal) else str(value))


def _write_boolean(value: bool) -> str:  # noqa: FBT001 - the value of a cell
    return ReadyCell(str(value).lower())


def _write_real(text: str) -> str:
    """The shortest decimal of a value, as Arrow writes it; a word where it is no number."""
    return text if text in {"nan", "inf", "-inf"} else ReadyCell(text)


def _write_timestamp(value: datetime) -> str:
    if value.tzinfo is None:
        return ReadyCell(value.isoformat())
    return ReadyCell(value.astimezone(UTC).isoformat())


def _write_iso(value: date | time) -> str:
    return ReadyCell(value.isoformat())


_WRITERS: Final[tuple[tuple[Callable[[Any], bool], Writer], ...]] = (
    (pa.types.is_boolean, _write_boolean),
    (pa.types.is_integer, _write_exact),
    (pa.types.is_decimal, _write_exact),
    (pa.types.is_floating, _write_real),
    (pa.types.is_timestamp, _write_timestamp),
    (pa.types.is_date, _write_iso),
    (pa.types.is_time, _write_iso),
    (pa.types.is_string, str),
    (pa.types.is_large_string, str),
    (pa.types.is_null, str),
)
"""How the values of each type are written."""
