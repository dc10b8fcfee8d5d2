"""The type of a column of numbers: decimals as wide as what stands in the column.

Invariant: no digit is lost. Numbers that need more digits than any decimal of Arrow has stay texts.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from weighbridge.core.platform.export_format import ColumnKind, ExportColumn

NARROW: Final = 38
WIDE: Final = 76
"""Digits of the decimals of 128 and of 256 bits."""


def decimal_types(batches: Iterable[Any], columns: Sequence[ExportColumn]) -> dict[str, pa.DataType]:
    """The type of each column of numbers, of its rows as texts."""
    named = [column.name for column in columns if column.kind is ColumnKind.NUMBER]
    widths = dict.fromkeys(named, (1, 0))
    for batch in batches:
        for name in named:
            whole, places = widths[name]
            of_batch = _width(batch.column(name))
            widths[name] = max(whole, of_batch[0]), max(places, of_batch[1])
    return {name: _type(*width) for name, width in widths.items()}


def _width(texts: Any) -> tuple[int, int]:
    """The most digits before the point, and the most behind it."""
    if texts.null_count == len(texts):
        return 1, 0
    lengths = pc.binary_length(texts)
    point = pc.find_substring(texts, ".")
    has_point = pc.greater_equal(point, 0)
    before = pc.if_else(has_point, point, lengths)
    behind = pc.if_else(has_point, pc.subtract(pc.subtract(lengths, point), 1), 0)
    return pc.max(before).as_py(), pc.max(behind).as_py()


def _type(whole: int, places: int) -> pa.DataType:
    digits = whole + places
    if digits > WIDE:
        return pa.string()
    return pa.decimal128(NARROW, places) if digits <= NARROW else pa.decimal256(WIDE, places)
