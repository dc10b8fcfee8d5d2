"""What the first lines of a file tell of its form: its header, its delimiter, how numbers are written.

Guesses only, by the shape of cells; whoever makes a feed of them looks them through.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final, NamedTuple

from weighbridge.core.collection.data_feed import HEADER_SEARCHED_MAX, DecimalMark, ThousandsSeparator
from weighbridge.exchange.tables.columns import simplify_name

DELIMITERS: Final = (",", ";", "\t", "|")

_DATA: Final = re.compile(r"[+\-<>]?[0-9][0-9.,:/\-+TZ' ]*")
"""A number, a date or a time, which no name of a column is."""

_TAGS: Final = frozenset(
    {
        "tag", "tagname", "tag-name", "varname", "variable", "point", "point-name", "parameter", "analyte",
        "measurement", "metric", "signal", "sensor", "series",
    }
)  # fmt: skip
_VALUES: Final = frozenset({"value", "varvalue", "result", "reading", "val", "wert"})
"""Words that name the columns of a long file."""

_TOTALS: Final = (
    "Total",
    "Subtotal",
    "Grand total",
    "Sum",
    "Summe",
    "Average",
    "Mittelwert",
    "End of",
    "Toplam",
)
"""How rows begin that programs write below a table."""


_NO_VALUE: Final = re.compile(r"(-9{3,})(?:[.,](?:0+|(25|9+)))?")
"""Numbers by which loggers say that there is no value: -9999, -999.25, -9999.0."""


class NumberMarks(NamedTuple):
    """What numbers are written with."""

    decimal_mark: str
    thousands_separator: str


def split_lines(text: str, delimiter: str) -> list[list[str]]:
    """The cells of the first lines; none where they are no table with this delimiter."""
    try:
        return [*islice(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), HEADER_SEARCHED_MAX)]
    except csv.Error:
        return []


def guess_delimiter(text: str) -> str:
    """The delimiter by which most lines have the same number of cells."""
    return max(DELIMITERS, key=lambda delimiter: _score(split_lines(text, delimiter)))


def _score(rows: Sequence[Sequence[str]]) -> int:
    width, times = _find_width(rows)
    return width * times if width > 1 else 0


def _find_width(rows: Iterable[Sequence[str]]) -> tuple[int, int]:
    widths = Counter(len(row) for row in rows if row)
    return max(widths.items(), key=lambda item: (item[1], item[0]), default=(1, 0))


def guess_header_line(rows: Sequence[Sequence[str]]) -> int:
    """The first line of names that is as wide as most lines; the first of all where none looks like names."""
    width, _ = _find_width(rows)
    for line, row in enumerate(rows, 1):
        texts = [text for cell in row if (text := cell.strip())]
        if len(row) == width and 2 * len(texts) > width and not any(map(_DATA.fullmatch, texts)):
            return line
    return 1


_GROUPED: Final = re.compile(r"[+-]?[0-9]{1,3}(?:([.,' \u00a0\u202f\u2019])[0-9]{3})+([.,])[0-9]+")
_COMMA: Final = re.compile(r"[+-]?\d+,\d+")
_POINT: Final = re.compile(r"[+-]?\d+\.\d+")
_WORDS: Final = {
    ".": ThousandsSeparator.POINT, ",": ThousandsSeparator.COMMA, "'": ThousandsSeparator.APOSTROPHE,
    "\u2019": ThousandsSeparator.APOSTROPHE,
}  # fmt: skip


def guess_marks(cells: Sequence[str]) -> NumberMarks:
    """The decimal mark and the separator: both by a number that has both, or the mark by how most look."""
    for cell in cells:
        match = _GROUPED.fullmatch(cell)
        if match is not None and match[1] != match[2]:
            return NumberMarks(match[2], _WORDS.get(match[1], ThousandsSeparator.SPACE).value)
    commas = sum(1 for cell in cells if _COMMA.fullmatch(cell))
    points = sum(1 for cell in cells if _POINT.fullmatch(cell))
    mark = DecimalMark.COMMA if commas > points else DecimalMark.POINT
    return NumberMarks(mark.value, ThousandsSeparator.NONE.value)


def find_long_columns(header: Sequence[str]) -> tuple[str, str] | None:
    """The columns of tag and value, where a header names both in usual words."""
    tag = next((name for name in header if simplify_name(name) in _TAGS), None)
    value = next((name for name in header if simplify_name(name) in _VALUES), None)
    return None if tag is None or value is None else (tag, value)


def guess_skipped_rows(rows: Iterable[Sequence[str]]) -> list[str]:
    """Patterns of the rows of a sample that begin as totals do."""
    firsts = (next((text for cell in row if (text := cell.strip())), "") for row in rows)
    return [*dict.fromkeys(f"{word}*" for first in firsts for word in _TOTALS if first.startswith(word))]


def guess_missing(cells: Iterable[str]) -> list[str]:
    """The numbers among cells that usually mean that there is no value, each once and with a point."""
    matches = filter(None, map(_NO_VALUE.fullmatch, cells))
    return [*dict.fromkeys(f"{match[1]}.{match[2]}" if match[2] else match[1] for match in matches)]
