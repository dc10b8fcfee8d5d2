"""The rows of a table of CSV, read again many at a time, every cell as the text that it is, or null."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from pyarrow import csv

from weighbridge.core.platform.export_format import ExportColumn

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
