"""Corrected rows: cells that a person has typed in place of those of a file, by the lines of their rows.

A file of corrected rows is read together with the file that they correct: its rows stand in place of the rows
that begin on their lines, and all others are read as they are.

Invariants: a corrected row keeps its line, and with it what it is known by, so that it becomes the same event
however often it is sent; a cell that nobody changed is the cell of the file, with what a workbook knows of
it; a corrected row of a line that the file does not have is bad, and never left out in silence.
"""

import csv
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Final

import msgspec

from weighbridge.core.collection.data_feed import (
    CELL_CHARACTERS_EDITED_MAX,
    CELLS_EDITED_MAX,
    ROWS_CORRECTED_MAX,
    ROWS_EDITED_MAX,
)
from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid
from weighbridge.exchange.records.data_feeds import CorrectedRow, UploadProblem
from weighbridge.exchange.tables.opening import open_table
from weighbridge.exchange.tables.table import BadRow, CsvFile, FileRow, RowProblem, RowTable
from weighbridge.exchange.tables.table_form import TableForm

_NUL: Final = "\0"
_NUL_SIGN: Final = "\N{SYMBOL FOR NULL}"
"""What is shown of a NUL, which no form can send."""

_NO_SUCH_ROW: Final = "it was corrected, but no row of the file begins on this line"


def encode_rows(before: Mapping[int, list[str]], rows: Sequence[CorrectedRow]) -> bytes:
    """The file of the rows corrected before and of those corrected now; Invalid with every problem."""
    problems: list[Problem] = []
    lines = [row.row for row in rows]
    for at, line in enumerate(lines):
        if line in lines[:at]:
            text = f"upload.rows[{at}].row is {line:,}, which is corrected twice. Send each row once."
            problems.append(Problem(text, f"upload.rows[{at}].row", "taken"))
    merged = {**before, **{row.row: row.cells for row in rows}}
    if len(merged) > ROWS_CORRECTED_MAX:
        text = (
            f"upload.rows: at most {ROWS_CORRECTED_MAX:,} rows of a file can be corrected, but with these "
            f"there are {len(merged):,}. Correct the file and upload it."
        )
        problems.append(Problem(text, "upload.rows", "too_many"))
    if problems:
        raise Invalid(problems)
    return msgspec.json.encode(sorted(merged.items()))


def decode_rows(content: bytes) -> dict[int, list[str]]:
    """The rows of a file of corrected rows, by their lines."""
    return dict(msgspec.json.decode(content, type=list[tuple[int, list[str]]]))


class CorrectedTable:
    """A table with corrected rows in place of its own."""

    def __init__(self, table: RowTable, corrected: Mapping[int, list[str]]) -> None:
        self._table = table
        self._corrected = corrected
        self._met: set[int] = set()
        self._changed: set[int] = set()
        self.rows = self._replace_rows()

    @property
    def header(self) -> Sequence[str]:
        """The names of the columns."""
        return self._table.header

    @property
    def bytes_read(self) -> int:
        """How far the reading has come, of the bytes of the file."""
        return self._table.bytes_read

    @property
    def formulas(self) -> int:
        """Cells read so far whose value was saved with a formula."""
        return self._table.formulas

    def refusal(self, row: FileRow) -> BadRow | None:
        """Why the file itself makes a row bad; what was typed has neither formulas nor merged cells."""
        if row.line in self._corrected and row.line not in self._met:
            return BadRow(row.line, (RowProblem(_NO_SUCH_ROW),))
        return None if row.line in self._changed else self._table.refusal(row)

    def _replace_rows(self) -> Iterator[FileRow]:
        for row in self._table.rows:
            cells = self._corrected.get(row.line)
            if cells is None:
                yield row
                continue
            self._met.add(row.line)
            merged = merge_cells(row.cells, cells)
            if merged != row.cells:
                self._changed.add(row.line)
            yield FileRow(row.line, merged)
        for line in sorted(self._corrected.keys() - self._met):
            yield FileRow(line, self._corrected[line])


def merge_cells(cells: Sequence[str], typed: Sequence[str]) -> list[str]:
    """The typed cells, where one was changed, and those of the file elsewhere.

    A form shows a NUL by its sign and sends every line break as a line feed; neither is a change.
    """
    return [
        cells[at] if at < len(cells) and show_cell(cells[at]) == text else text
        for at, text in enumerate(typed)
    ]


def show_cell(cell: str) -> str:
    """A cell as a form shows it and sends it back."""
    return str(cell).replace("\r\n", "\n").replace("\r", "\n").replace(_NUL, _NUL_SIGN)


def read_problems(report: Path) -> dict[int, list[UploadProblem]]:
    """The problems of the first bad rows in a report, by their lines; rows that differ are passed over."""
    problems: dict[int, list[UploadProblem]] = {}
    with report.open(encoding="utf-8", newline="") as file:
        for told in csv.DictReader(file):
            if told.get("event_id"):
                continue
            line = int(told["row"])
            if line not in problems and len(problems) == ROWS_EDITED_MAX:
                break
            column, value = told["column"] or None, told["value"]
            problems.setdefault(line, []).append(
                UploadProblem(line, column, value if column or value else None, told["reason"])
            )
    return problems


def read_cells(
    file: CsvFile, form: TableForm, lines: Sequence[int], corrected: Mapping[int, list[str]]
) -> tuple[list[str], dict[int, list[str]]]:
    """The header, and the cells of some rows by their lines, as far as they are few and short enough."""
    wanted, last = {*lines}, max(lines, default=0)
    found: dict[int, list[str]] = {}
    with open_table(file, form) as table:
        header = [str(name) for name in table.header]
        for row in table.rows:
            if row.line > last:
                break
            if row.line in wanted:
                found[row.line] = row.cells
    cells_left, characters_left = CELLS_EDITED_MAX, CELL_CHARACTERS_EDITED_MAX
    shown: dict[int, list[str]] = {}
    for line in sorted(wanted & (found.keys() | corrected.keys())):
        cells = found.get(line, [])
        cells = merge_cells(cells, corrected[line]) if line in corrected else cells
        cells = [*map(show_cell, cells), *[""] * (len(header) - len(cells))]
        characters = sum(map(len, cells))
        if len(cells) <= cells_left and characters <= characters_left:
            cells_left, characters_left = cells_left - len(cells), characters_left - characters
            shown[line] = cells
    return header, shown


def write_spool(spool: SpooledTemporaryFile[bytes], target: Path) -> None:
    """Write what the store has given to a file."""
    with spool, target.open("wb") as file:
        shutil.copyfileobj(spool, file, 1_048_576)
