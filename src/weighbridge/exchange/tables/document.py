"""A sheet of an OpenDocument spreadsheet (ODS), read as its one part of XML is unpacked.

The reader is that of workbooks: no part beyond its limits, no document type, no formula computed. What a
repeated cell or row says is one small text for a million cells, so repetitions are laid out row by row.

Invariants: a number is the text that the file has, never a binary float; a row takes time by the cells that
it has, and at most `COLUMNS_MAX` of them; empty rows and cells that are repeated take none.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from weighbridge.core.collection.data_feed import COLUMNS_MAX
from weighbridge.errors import Refusal
from weighbridge.exchange.tables.cell import ReadyCell
from weighbridge.exchange.tables.sheet import (
    MERGES_MAX,
    ROW_CHARACTERS_MAX,
    ROWS_MAX,
    SheetCell,
    SheetRow,
    join_stretches,
)
from weighbridge.exchange.tables.workbook import (
    SMALL_PART_BYTES_MAX,
    Attributes,
    Workbook,
    WrongDateError,
    choose_sheets,
)

CONTENT: Final = "content.xml"
_MIMETYPE: Final = "mimetype"
_SPREADSHEET: Final = b"application/vnd.oasis.opendocument.spreadsheet"

SHEETS_MAX: Final = 1_000
"""Sheets of one document."""

_VALUES: Final = {
    "float": "value", "percentage": "value", "currency": "value", "date": "date-value", "time": "time-value",
    "boolean": "boolean-value",
}  # fmt: skip
"""The attribute that has the value of a cell, by its type; a text has it as its content."""

_TIME_OF_DAY: Final = re.compile(
    r"PT(?:([0-9]{1,4})H)?(?:([0-9]{1,2})M)?(?:([0-9]{1,2})(?:[.,]([0-9]{1,9}))?S)?"
)


def is_document(workbook: Workbook) -> bool:
    """Whether an archive is a spreadsheet of the form ODS."""
    if not workbook.has(_MIMETYPE) or not workbook.has(CONTENT):
        return False
    return workbook.size(_MIMETYPE) < SMALL_PART_BYTES_MAX and next(
        workbook.chunks(_MIMETYPE), b""
    ).strip().startswith(_SPREADSHEET)


class _RepeatedRow(NamedTuple):
    line: int
    times: int
    cells: list[tuple[SheetCell, int]]


@dataclass(slots=True)
class _Table:
    """A sheet while it is listed."""

    name: str
    line: int = 0
    merged: set[tuple[int, int]] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class DocumentSheet:
    """Where a sheet is in a document, and what its cells mean."""

    name: str
    place: int
    merged: list[tuple[int, int]]
    part: str = CONTENT

    def read_rows(self, workbook: Workbook, advance: Callable[[int], None]) -> Iterator[SheetRow]:
        """Yield the rows; `advance` hears of the bytes that were unpacked for them."""
        reader = _DocumentReader(workbook.name, self.place)
        parser = workbook.parser(CONTENT, reader.start, reader.end, reader.text)
        for chunk in workbook.chunks(CONTENT):
            parser.feed(chunk)
            advance(len(chunk))
            rows, reader.rows = reader.rows, []
            yield from _lay_out(rows)
            if reader.is_over:
                return
        parser.close()
        yield from _lay_out(reader.rows)

    def find_merged_rows(self, _: Workbook) -> list[tuple[int, int]]:
        """The rows that merged cells lie in, as stretches in order."""
        return self.merged

    def meaning(self, kind: str, _: int, raw: str) -> str:
        """What a cell says; WrongDateError where it is no time of day."""
        if kind not in _VALUES:
            return raw
        return ReadyCell(_read_time(raw) if kind == "time" else raw.strip())


def _read_time(raw: str) -> str:
    match = _TIME_OF_DAY.fullmatch(raw.strip())
    if match is None or not any(match.groups()):
        raise WrongDateError(f"{raw[:40]!r} is no time of day")
    hours, minutes, seconds = (int(match[at] or 0) for at in (1, 2, 3))
    text = f"{hours:02d}:{minutes:02d}:{seconds:02d}"
    decimals = (match[4] or "").rstrip("0")
    return f"{text}.{decimals}" if decimals else text


def _lay_out(rows: list[_RepeatedRow]) -> Iterator[SheetRow]:
    for line, times, cells in rows:
        for more in range(times):
            laid_out = [
                cell._replace(column=cell.column + at) if at else cell
                for cell, count in cells
                for at in range(count)
            ]
            yield line + more, laid_out


class _SheetLister:
    """Gathers the names of sheets and the rows of their merged cells."""

    def __init__(self, title: str) -> None:
        self.tables: list[_Table] = []
        self._title = title
        self._depth, self._times = 0, 1

    def start(self, name: str, attributes: Attributes) -> None:
        """Begin an element."""
        if name == "table":
            self._depth += 1
            if self._depth == 1:
                self._begin_table(_attribute(attributes, "name"))
        elif self._depth != 1:
            return
        elif name == "table-row":
            self._times = _read_count(self._title, _attribute(attributes, "number-rows-repeated"))
        elif name == "table-cell":
            self._see_cell(attributes)

    def end(self, name: str) -> None:
        """End an element."""
        if name == "table":
            self._depth -= 1
        elif name == "table-row" and self._depth == 1:
            self.tables[-1].line += self._times

    def _begin_table(self, name: str) -> None:
        if len(self.tables) >= SHEETS_MAX:
            raise Refusal(f"The workbook {self._title} has more than {SHEETS_MAX:,} sheets.")
        self.tables.append(_Table(name))

    def _see_cell(self, attributes: Attributes) -> None:
        down = _read_count(self._title, _attribute(attributes, "number-rows-spanned"))
        across = _read_count(self._title, _attribute(attributes, "number-columns-spanned"))
        if down == across == 1:
            return
        table = self.tables[-1]
        table.merged.add((table.line + 1, table.line + self._times - 1 + down))
        if len(table.merged) > MERGES_MAX:
            raise Refusal(f"A sheet of {self._title} has more than {MERGES_MAX:,} merged cells.")


def list_sheets(workbook: Workbook, sheet: str | None) -> list[DocumentSheet]:
    """The sheets of a document that are read, with their merged cells."""
    lister = _SheetLister(workbook.name)
    parser = workbook.parser(CONTENT, lister.start, lister.end)
    for chunk in workbook.chunks(CONTENT):
        parser.feed(chunk)
    parser.close()
    chosen = choose_sheets(workbook.name, [table.name for table in lister.tables], sheet)
    return [
        DocumentSheet(lister.tables[at].name, at, join_stretches(lister.tables[at].merged)) for at in chosen
    ]


def _attribute(attributes: Attributes, name: str) -> str:
    """An attribute by its name without the namespace; `calcext` says some of them once more."""
    behind = f" {name}"
    return next(
        (text for key, text in attributes.items() if key.endswith(behind) and "calcext" not in key), ""
    )


def _read_count(title: str, text: str) -> int:
    if not text:
        return 1
    if not text.isascii() or not text.isdigit() or not 0 < int(text[:9]) <= ROWS_MAX:
        raise Refusal(f"The workbook {title} is damaged: a cell or row is repeated {text[:20]!r} times.")
    return int(text)


class _DocumentReader:
    """Gathers the cells of the rows of one sheet."""

    def __init__(self, title: str, place: int) -> None:
        self.rows: list[_RepeatedRow] = []
        self.is_over = False
        self._title, self._place = title, place
        self._table, self._depth = -1, 0
        self._line, self._times, self._column = 0, 1, 0
        self._cells: list[tuple[SheetCell, int]] = []
        self._cell: tuple[SheetCell, int] | None = None
        self._texts: list[str] = []
        self._paragraphs = self._characters = self._notes = 0
        self._takes_text = False

    def start(self, name: str, attributes: Attributes) -> None:
        """Begin an element."""
        if name == "table":
            self._depth += 1
            self._table += self._depth == 1
        elif self._depth != 1 or self._table != self._place:
            return
        elif name == "annotation":
            self._notes += 1
        elif name == "table-row":
            self._times = _read_count(self._title, _attribute(attributes, "number-rows-repeated"))
            self._cells, self._column, self._characters = [], 0, 0
        elif name in {"table-cell", "covered-table-cell"}:
            self._begin_cell(attributes)
        elif self._notes == 0 and self._cell is not None:
            self._begin_text(name, attributes)

    def end(self, name: str) -> None:
        """End an element."""
        if name == "table":
            self.is_over = self.is_over or (self._depth == 1 and self._table == self._place)
            self._depth -= 1
        elif self._depth != 1 or self._table != self._place:
            return
        elif name == "annotation":
            self._notes -= 1
        elif name == "p":
            self._takes_text = False
        elif name in {"table-cell", "covered-table-cell"}:
            self._end_cell()
        elif name == "table-row":
            if self._line + self._times > ROWS_MAX and self._cells:
                raise Refusal(f"The workbook {self._title} has more than {ROWS_MAX:,} rows in a sheet.")
            if self._cells:
                self.rows.append(_RepeatedRow(self._line + 1, self._times, self._cells))
            self._line += self._times

    def text(self, text: str) -> None:
        """Take some characters."""
        if self._takes_text:
            self._take(text)

    def _take(self, text: str) -> None:
        self._texts.append(text)
        self._characters += len(text)
        if self._characters > ROW_CHARACTERS_MAX:
            raise Refusal(
                f"The workbook {self._title} has a row {self._line + 1} of more than "
                f"{ROW_CHARACTERS_MAX:,} characters."
            )

    def _begin_cell(self, attributes: Attributes) -> None:
        kind = _attribute(attributes, "value-type")
        times = _read_count(self._title, _attribute(attributes, "number-columns-repeated"))
        raw = _attribute(attributes, _VALUES[kind]) if kind in _VALUES else ""
        has_formula = bool(_attribute(attributes, "formula"))
        self._cell = SheetCell(self._column, kind, 0, has_formula, raw), times
        self._texts, self._paragraphs = [], 0

    def _begin_text(self, name: str, attributes: Attributes) -> None:
        if name == "p":
            if self._paragraphs:
                self._take("\n")
            self._paragraphs += 1
            self._takes_text = True
        elif name == "s" and self._takes_text:
            self._take(" " * min(_read_count(self._title, _attribute(attributes, "c")), ROW_CHARACTERS_MAX))
        elif name in {"tab", "line-break"} and self._takes_text:
            self._take("\t" if name == "tab" else "\n")

    def _end_cell(self) -> None:
        assert self._cell is not None, "an element ends that began"  # noqa: S101
        cell, times = self._cell
        if cell.kind not in _VALUES:
            cell = cell._replace(raw="".join(self._texts))
        if cell.raw or cell.has_formula:
            if self._column + times > COLUMNS_MAX:
                raise Refusal(f"The workbook {self._title} has a row of more than {COLUMNS_MAX:,} columns.")
            self._cells.append((cell, times))
        self._column += times
        self._cell = None
