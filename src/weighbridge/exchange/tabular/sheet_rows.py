"""The rows of a sheet's part, cell by cell, as its XML arrives.

Invariants: rows come in the order of their numbers; only the rows of one chunk are in memory; a row takes
time and memory by the cells that it has, wherever they stand.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from weighbridge.core.collection.data_feed import COLUMNS_MAX
from weighbridge.errors import Refusal
from weighbridge.exchange.tabular.workbook import Attributes, Workbook

ROWS_MAX: Final = 1_048_576
"""Rows of one sheet."""

ROW_CHARACTERS_MAX: Final = 4_194_304
"""Characters of one row, as of a line of CSV."""

_REFERENCE: Final = re.compile(r"([A-Z]{1,3})[1-9][0-9]{0,6}")


class SheetCell(NamedTuple):
    """A cell as it stands in the part."""

    column: int
    kind: str
    style: int
    has_formula: bool
    raw: str


SheetRow = tuple[int, list[SheetCell]]
"""The number of a row, and its cells in their order; there is none where nothing stands."""


class _RowReader:
    """Gathers the cells of rows from the elements of a sheet."""

    def __init__(self, name: str) -> None:
        self.rows: list[SheetRow] = []
        self._name = name
        self._line = 0
        self._cells: list[SheetCell] = []
        self._kind, self._style, self._column = "n", 0, -1
        self._has_formula = self._takes_text = False
        self._texts: list[str] = []
        self._characters = 0
        self._columns: dict[str, int] = {}

    def start(self, name: str, attributes: Attributes) -> None:
        """Begin an element."""
        if name == "c":
            reference = attributes.get("r")
            self._column = self._column + 1 if reference is None else self._column_of(reference)
            self._kind = attributes.get("t", "n")
            style = attributes.get("s", "0")
            self._style = int(style) if style.isdecimal() else 0
            self._has_formula = False
            self._texts = []
        elif name in {"v", "t"}:
            self._takes_text = True
        elif name == "f":
            self._has_formula = True
        elif name == "row":
            self._begin_row(attributes.get("r"))
        elif name == "rPh":
            self._takes_text = False

    def end(self, name: str) -> None:
        """End an element."""
        if name in {"v", "t"}:
            self._takes_text = False
        elif name == "c":
            if self._cells and self._column <= self._cells[-1].column:
                raise self._damaged("has two cells in one place")
            raw = "".join(self._texts)
            self._cells.append(SheetCell(self._column, self._kind, self._style, self._has_formula, raw))
        elif name == "row":
            self.rows.append((self._line, self._cells))

    def text(self, said: str) -> None:
        """Take some characters."""
        if self._takes_text:
            self._texts.append(said)
            self._characters += len(said)
            if self._characters > ROW_CHARACTERS_MAX:
                raise self._damaged(f"has a row {self._line} of more than {ROW_CHARACTERS_MAX:,} characters")

    def _begin_row(self, number: str | None) -> None:
        line = self._line + 1
        if number is not None:
            line = int(number) if number.isdecimal() else 0
        if not self._line < line <= ROWS_MAX:
            raise self._damaged(f"has the row {number!r} behind {self._line}")
        self._line, self._cells, self._column, self._characters = line, [], -1, 0

    def _column_of(self, reference: str) -> int:
        match = _REFERENCE.fullmatch(reference)
        if match is None:
            raise self._damaged(f"has a cell {reference[:20]!r}")
        letters = match[1]
        column = self._columns.get(letters)
        if column is None:
            number = 0
            for letter in letters:
                number = number * 26 + ord(letter) - ord("A") + 1
            column = self._columns[letters] = number - 1
        if column >= COLUMNS_MAX:
            raise self._damaged(f"has a cell {reference!r}, beyond the last column")
        return column

    def _damaged(self, said: str) -> Refusal:
        return Refusal(f"The workbook {self._name} is damaged: its sheet {said}.")


def sheet_rows(workbook: Workbook, part: str, advance: Callable[[int], None]) -> Iterator[SheetRow]:
    """Yield the rows; `advance` hears of the bytes that were unpacked for them."""
    reader = _RowReader(workbook.name)
    parser = workbook.parser(part, reader.start, reader.end, reader.text)
    for chunk in workbook.chunks(part):
        parser.feed(chunk)
        advance(len(chunk))
        rows, reader.rows = reader.rows, []
        yield from rows
    parser.close()
    yield from reader.rows
