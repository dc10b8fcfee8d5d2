"""A sheet of a workbook as a table, read as it is unpacked.

A cell gives the text that stands in the file: a number keeps every digit, a date becomes a time in ISO 8601
by the form of its cell. Formulas are never computed: their cells are bad, or give what was saved with them.

Invariants: rows come in the order of their numbers, and only those of one chunk are in memory; a row takes
time and memory by the cells that it has, wherever they stand; a number is never a binary float; a row with a
merged cell is bad, for only one of the cells has the value; a row has as many cells as the header, or is bad.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from weighbridge.core.collection.data_feed import COLUMNS_MAX
from weighbridge.core.number import shorten
from weighbridge.errors import Refusal
from weighbridge.exchange.tables.header import find_header, is_searched, name_columns
from weighbridge.exchange.tables.table import BadRow, FileRow, RowProblem, refuse_headless
from weighbridge.exchange.tables.workbook import Attributes, Parts, Workbook, WrongDateError

ROWS_MAX: Final = 1_048_576
"""Rows of one sheet."""

ROW_CHARACTERS_MAX: Final = 4_194_304
"""Characters of one row, as of a line of CSV."""

_REFERENCE: Final = re.compile(r"([A-Z]{1,3})[1-9][0-9]{0,6}")


class SheetCell(NamedTuple):
    """A cell as it is stored in the part."""

    column: int
    kind: str
    style: int
    has_formula: bool
    raw: str


SheetRow = tuple[int, list[SheetCell]]
"""The number of a row, and its cells in their order; empty cells are absent."""


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
            self._column = self._column + 1 if reference is None else self._read_column(reference)
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
                raise self._build_refusal("has two cells in one place")
            raw = "".join(self._texts)
            self._cells.append(SheetCell(self._column, self._kind, self._style, self._has_formula, raw))
        elif name == "row":
            self.rows.append((self._line, self._cells))

    def text(self, text: str) -> None:
        """Take some characters."""
        if self._takes_text:
            self._texts.append(text)
            self._characters += len(text)
            if self._characters > ROW_CHARACTERS_MAX:
                raise self._build_refusal(
                    f"has a row {self._line} of more than {ROW_CHARACTERS_MAX:,} characters"
                )

    def _begin_row(self, number: str | None) -> None:
        line = self._line + 1
        if number is not None:
            line = int(number) if number.isdecimal() else 0
        if not self._line < line <= ROWS_MAX:
            raise self._build_refusal(f"has the row {number!r} behind {self._line}")
        self._line, self._cells, self._column, self._characters = line, [], -1, 0

    def _read_column(self, reference: str) -> int:
        match = _REFERENCE.fullmatch(reference)
        if match is None:
            raise self._build_refusal(f"has a cell {reference[:20]!r}")
        letters = match[1]
        column = self._columns.get(letters)
        if column is None:
            number = 0
            for letter in letters:
                number = number * 26 + ord(letter) - ord("A") + 1
            column = self._columns[letters] = number - 1
        if column >= COLUMNS_MAX:
            raise self._build_refusal(f"has a cell {reference!r}, beyond the last column")
        return column

    def _build_refusal(self, fault: str) -> Refusal:
        return Refusal(f"The workbook {self._name} is damaged: its sheet {fault}.")


def read_sheet_rows(workbook: Workbook, part: str, advance: Callable[[int], None]) -> Iterator[SheetRow]:
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


CELL_CHARACTERS_MAX: Final = 32_767
"""Characters of one cell, as many as a program for spreadsheets takes."""

MERGES_MAX: Final = 100_000
"""Merged cells of one sheet."""

PROBLEMS_OF_ROW_MAX: Final = 20
"""How many problems of one row are reported."""

_MERGED: Final = re.compile(
    rb"""<(?:\w+:)?mergeCell\s[^<>]*?\bref\s*=\s*["'][A-Z]{1,3}(\d{1,7}):[A-Z]{1,3}(\d{1,7})["']"""
)
_OVERLAP_BYTES: Final = 512


@dataclass(frozen=True, slots=True)
class SheetFile:
    """Where the workbook lies, and what of it is read."""

    path: Path
    name: str
    sheet: str | None = None
    header_line: int = 1
    takes_stored: bool = False
    """Whether a formula gives the value that was saved with it."""
    names: tuple[str, ...] = ()
    """The columns by which the header is looked for, where its line is not known."""


class SheetParts(Protocol):
    """What says where a sheet is in an archive, and what its cells mean."""

    @property
    def name(self) -> str:
        """What the sheet is called."""

    @property
    def part(self) -> str:
        """The part of the archive that has its rows."""

    def read_rows(self, workbook: Workbook, advance: Callable[[int], None]) -> Iterator[SheetRow]:
        """Yield the rows; `advance` hears of the bytes that were unpacked for them."""

    def find_merged_rows(self, workbook: Workbook) -> list[tuple[int, int]]:
        """The rows that merged cells lie in, as stretches in order."""

    def meaning(self, kind: str, style: int, raw: str) -> str:
        """What a cell says."""


@dataclass(frozen=True, slots=True)
class WorkbookSheet:
    """A sheet of a workbook of the form XLSX."""

    parts: Parts

    @property
    def name(self) -> str:
        """What the sheet is called."""
        return self.parts.name

    @property
    def part(self) -> str:
        """The part that has its rows."""
        return self.parts.sheet

    def read_rows(self, workbook: Workbook, advance: Callable[[int], None]) -> Iterator[SheetRow]:
        """Yield the rows."""
        return read_sheet_rows(workbook, self.parts.sheet, advance)

    def find_merged_rows(self, workbook: Workbook) -> list[tuple[int, int]]:
        """The rows that merged cells lie in; they stand behind the rows in the part."""
        return _find_merged_rows(workbook, self.parts.sheet)

    def meaning(self, kind: str, style: int, raw: str) -> str:
        """What a cell says."""
        return self.parts.meaning(kind, style, raw)


class Sheet:
    """One sheet, from its header on."""

    def __init__(self, workbook: Workbook, parts: SheetParts, file: SheetFile) -> None:
        self._parts, self._file = parts, file
        self._problems: dict[int, list[RowProblem]] = {}
        self._merged = parts.find_merged_rows(workbook)
        self._size = max(1, workbook.size(parts.part))
        self._packed = file.path.stat().st_size
        self._read = 0
        self._all = parts.read_rows(workbook, self._advance)
        self.formulas = 0
        self.header = self._read_header()
        self.rows: Iterator[FileRow] = self._read_rows()

    @property
    def bytes_read(self) -> int:
        return self._packed * self._read // self._size

    def refusal(self, row: FileRow) -> BadRow | None:
        """Why the sheet makes a row bad, if it does."""
        problems = self._problems.pop(row.line, None)
        return BadRow(row.line, tuple(problems)) if problems else None

    def _advance(self, unpacked_bytes: int) -> None:
        self._read += unpacked_bytes

    def _read_header(self) -> list[str]:
        if is_searched(self._file.header_line):
            title = f"The sheet {self._parts.name!r} of {self._file.name}"
            _, names = find_header(title, self._list_texts(), self._file.names)
            self._problems.clear()
            return names
        for line, cells in self._list_texts():
            if line >= self._file.header_line:
                names = name_columns(cells)
                if self._problems:
                    [[first, *_]] = self._problems.values()
                    raise Refusal(f"The header of {self._file.name} cannot be read: {first.reason}.")
                if names:
                    return names
        which = "first sheet" if self._file.sheet is None else f"sheet {self._file.sheet!r}"
        raise refuse_headless(f"The {which} of {self._file.name}", self._file.header_line)

    def _list_texts(self) -> Iterator[tuple[int, list[str]]]:
        """The rows from the first on, without a problem of those that are only passed over."""
        for line, cells in self._all:
            self._problems.clear()
            if line < self._file.header_line:
                continue
            texts = {cell.column: self._text(line, cell) for cell in cells}
            last = max((column for column, text in texts.items() if text.strip()), default=-1)
            yield line, [texts.get(column, "") for column in range(last + 1)]

    def _read_rows(self) -> Iterator[FileRow]:
        width = len(self.header)
        for line, cells in self._all:
            texts = [(cell.column, text) for cell in cells if (text := self._text(line, cell))]
            if not texts and line not in self._problems:
                continue
            if self._is_merged(line):
                self._add(line, "it has a merged cell; give each row values of its own")
            row = [""] * width
            for column, text in texts:
                if column < width:
                    row[column] = text
                else:
                    self._add(line, "it has a value where the header names no column", column, text)
                    break
            yield FileRow(line, row)

    def _is_merged(self, line: int) -> bool:
        """Whether a merged cell lies in a row; the stretches are in order and apart from each other."""
        place = bisect_right(self._merged, (line, ROWS_MAX))
        return place > 0 and line <= self._merged[place - 1][1]

    def _text(self, line: int, cell: SheetCell) -> str:
        """The text of a cell; an error in it makes its row bad."""
        raw = cell.raw
        if len(raw) > CELL_CHARACTERS_MAX:
            text = f"it has {len(raw):,} characters; a cell has at most {CELL_CHARACTERS_MAX:,}"
            self._add(line, text, cell.column, raw)
            return ""
        if cell.has_formula:
            self.formulas += 1
            if not self._file.takes_stored:
                text = "it holds a formula, which is not computed; save its value in its place"
                self._add(line, text, cell.column, raw)
        try:
            return self._parts.meaning(cell.kind, cell.style, raw)
        except WrongDateError as error:
            self._add(line, str(error), cell.column, raw)
        except (ValueError, IndexError):
            self._add(line, f"the workbook is damaged here: {shorten(raw)!r} is no value", cell.column, raw)
        return ""

    def _add(self, line: int, reason: str, index: int | None = None, value: str | None = None) -> None:
        names = getattr(self, "header", [])
        column = None
        if index is not None:
            column = (names[index] if index < len(names) else "") or letter_column(index)
        problems = self._problems.setdefault(line, [])
        if len(problems) < PROBLEMS_OF_ROW_MAX:
            problems.append(RowProblem(reason, column, value))


def letter_column(index: int) -> str:
    """The letters of a column, A for the first."""
    letters, remainder = "", index + 1
    while remainder:
        remainder, digit = divmod(remainder - 1, 26)
        letters = chr(ord("A") + digit) + letters
    return letters


def _find_merged_rows(workbook: Workbook, part: str) -> list[tuple[int, int]]:
    """The rows that merged cells lie in, as stretches; they stand behind the rows in the part."""
    stretches: set[tuple[int, int]] = set()
    tail = b""
    for chunk in workbook.chunks(part):
        block = tail + chunk
        stretches.update((int(first), int(last)) for first, last in _MERGED.findall(block))
        if len(stretches) > MERGES_MAX:
            raise Refusal(f"A sheet of {workbook.name} has more than {MERGES_MAX:,} merged cells.")
        tail = block[-_OVERLAP_BYTES:]
    return join_stretches(stretches)


def join_stretches(stretches: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Stretches of rows in order, those that touch as one."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(stretches):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined
