"""A sheet of a workbook as rows of cells, read as it is unpacked.

A cell gives the text that stands in the file: a number keeps every digit, a date becomes a time in ISO 8601
by the form of its cell. Formulas are never computed: their cells are bad, or give what was saved with them.

Invariants: memory does not grow with the rows; a number is never a binary float; a row with a merged cell is
bad, for only one of the cells has the value; a row has as many cells as the header, or is bad.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from weighbridge.core.quantity.number import shorten
from weighbridge.errors import Refusal
from weighbridge.exchange.tabular.file import FileRow, no_header
from weighbridge.exchange.tabular.parts import Parts, WrongDateError, parts_of
from weighbridge.exchange.tabular.row import BadRow, RowProblem
from weighbridge.exchange.tabular.sheet_rows import ROWS_MAX, SheetCell, sheet_rows
from weighbridge.exchange.tabular.workbook import Workbook, unpacked

CELL_CHARACTERS_MAX: Final = 32_767
"""Characters of one cell, as many as a program for spreadsheets takes."""

MERGES_MAX: Final = 100_000
"""Merged cells of one sheet."""

PROBLEMS_OF_ROW_MAX: Final = 20
"""What is told of one row, at most."""

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


class Sheet:
    """One sheet, from its header on."""

    def __init__(self, workbook: Workbook, parts: Parts, file: SheetFile) -> None:
        self._parts, self._file = parts, file
        self._problems: dict[int, list[RowProblem]] = {}
        self._merged = _merged_rows(workbook, parts.sheet)
        self._size = max(1, workbook.size(parts.sheet))
        self._packed = file.path.stat().st_size
        self._read = 0
        self._all = sheet_rows(workbook, parts.sheet, self._advance)
        self.formulas = 0
        self.header = self._header()
        self.rows: Iterator[FileRow] = self._below()

    @property
    def bytes_read(self) -> int:
        return self._packed * self._read // self._size

    def refusal(self, row: FileRow) -> BadRow | None:
        """Why the sheet makes a row bad, if it does."""
        problems = self._problems.pop(row.line, None)
        return BadRow(row.line, tuple(problems)) if problems else None

    def _advance(self, unpacked_bytes: int) -> None:
        self._read += unpacked_bytes

    def _header(self) -> list[str]:
        for line, cells in self._all:
            if line >= self._file.header_line:
                texts = {cell.column: self._text(line, cell).strip() for cell in cells}
                last = max((column for column, text in texts.items() if text), default=-1)
                names = [texts.get(column, "") for column in range(last + 1)]
                if self._problems:
                    [[first, *_]] = self._problems.values()
                    raise Refusal(f"The header of {self._file.name} cannot be read: {first.reason}.")
                if names:
                    return names
        which = "first sheet" if self._file.sheet is None else f"sheet {self._file.sheet!r}"
        raise no_header(f"The {which} of {self._file.name}", self._file.header_line)

    def _below(self) -> Iterator[FileRow]:
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
        """What a cell says; what is wrong with it makes its row bad."""
        raw = cell.raw
        if len(raw) > CELL_CHARACTERS_MAX:
            said = f"it has {len(raw):,} characters; a cell has at most {CELL_CHARACTERS_MAX:,}"
            self._add(line, said, cell.column, raw)
            return ""
        if cell.has_formula:
            self.formulas += 1
            if not self._file.takes_stored:
                said = "it holds a formula, which is not computed; save its value in its place"
                self._add(line, said, cell.column, raw)
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
            column = (names[index] if index < len(names) else "") or column_letters(index)
        problems = self._problems.setdefault(line, [])
        if len(problems) < PROBLEMS_OF_ROW_MAX:
            problems.append(RowProblem(reason, column, value))


def column_letters(index: int) -> str:
    """The letters of a column, A for the first."""
    letters, left = "", index + 1
    while left:
        left, digit = divmod(left - 1, 26)
        letters = chr(ord("A") + digit) + letters
    return letters


@contextmanager
def reading_sheet(file: SheetFile) -> Iterator[Sheet]:
    """Open a sheet of a workbook."""
    with unpacked(file.path, file.name) as workbook:
        yield Sheet(workbook, parts_of(workbook, file.sheet), file)


def _merged_rows(workbook: Workbook, part: str) -> list[tuple[int, int]]:
    """The rows that merged cells lie in, as stretches; they stand behind the rows in the part."""
    stretches: set[tuple[int, int]] = set()
    tail = b""
    for chunk in workbook.chunks(part):
        block = tail + chunk
        stretches.update((int(first), int(last)) for first, last in _MERGED.findall(block))
        if len(stretches) > MERGES_MAX:
            raise Refusal(f"A sheet of {workbook.name} has more than {MERGES_MAX:,} merged cells.")
        tail = block[-_OVERLAP_BYTES:]
    joined: list[tuple[int, int]] = []
    for first, last in sorted(stretches):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined
