"""Any file opened as the table that it is: CSV, JSON Lines, Parquet, a workbook, or an archive of them.

What a file is is seen by its first bytes. Then rows that are no data are left out, and a long table becomes a
wide one.

Invariant: a file that is no table is refused by the name of what it is.
"""

import hashlib
import io
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from weighbridge.core.collection.data_feed import HEADER_SEARCHED_MAX, fits_pattern
from weighbridge.core.number import shorten
from weighbridge.errors import Refusal
from weighbridge.exchange.tables.document import is_document, list_sheets
from weighbridge.exchange.tables.foreign import HEAD_BYTES, describe_foreign
from weighbridge.exchange.tables.joined import JoinedTable, OpenPart
from weighbridge.exchange.tables.json_lines import JsonLines
from weighbridge.exchange.tables.long_rows import LongTable
from weighbridge.exchange.tables.sheet import Sheet, SheetCell, SheetFile, SheetParts, WorkbookSheet
from weighbridge.exchange.tables.table import (
    PARQUET_MAGIC,
    ZIP_MAGIC,
    CsvFile,
    RowTable,
    content_sha256,
    open_content,
    read_csv,
    refuse_unreadable,
)
from weighbridge.exchange.tables.table_form import FilteredTable, TableForm
from weighbridge.exchange.tables.workbook import Workbook, is_workbook, open_workbook, read_parts

_PARTS_OF_BOOKS: Final = (b"[Content_Types].xml", b"_rels/", b"xl/", b"mimetype", b"docProps")
_ENTRY_BYTES: Final = 30
"""What stands before the name of the first part of an archive, in bytes."""

_OBJECT: Final = re.compile(rb'\s*\{\s*["}]')
"""How JSON Lines begin."""

_HIDDEN: Final = ("__MACOSX/", ".")
"""How the names of files begin that programs add to archives."""

USUAL: Final = TableForm()
"""The first sheet or all files, with every row."""


def digest_content(file: CsvFile) -> str:
    """The SHA-256 of the content, which a file of CSV keeps when it is gzipped, in hexadecimal digits."""
    if not _read_head(file).startswith(ZIP_MAGIC):
        return content_sha256(file)
    with file.path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class FileHead:
    """How a file begins: the first bytes of its text, or the first rows of its first sheet."""

    content: bytes
    rows: list[list[str]] = field(default_factory=list)
    is_workbook: bool = False
    has_header_line: bool = True
    """Whether a line of it names the columns, which one may have to be found."""


def read_archive_head(path: Path, title: str, size: int) -> FileHead:
    """How the first sheet of a workbook or the first file of an archive begins."""
    with open_workbook(path, title) as archive:
        sheets = _list_sheets(archive, None)
        if sheets:
            first = sheets[0].read_rows(archive, lambda _: None)
            rows: list[list[str]] = []
            for line, cells in islice(first, HEADER_SEARCHED_MAX):
                texts = {cell.column: _read_text(sheets[0], cell) for cell in cells}
                rows += [[]] * (min(line, HEADER_SEARCHED_MAX) - len(rows) - 1)
                rows.append([texts.get(at, "") for at in range(max(texts, default=-1) + 1)])
            return FileHead(b"", rows, is_workbook=True)
        with archive.open(_choose_files(archive, title, None)[0]) as content:
            return FileHead(content.read(size))


def _read_text(sheet: SheetParts, cell: SheetCell) -> str:
    try:
        return sheet.meaning(cell.kind, cell.style, cell.raw)
    except (ValueError, IndexError):
        return cell.raw


@contextmanager
def open_table(file: CsvFile, form: TableForm = USUAL) -> Iterator[RowTable]:
    """Read a file: the header at once, the rows as they are asked for."""
    with _open_raw(file, form) as raw_table:
        table: RowTable = FilteredTable(raw_table, form.skip_rows) if form.skip_rows else raw_table
        yield LongTable(table, form, f"The file {file.title}") if form.tag_column is not None else table


@contextmanager
def _open_raw(file: CsvFile, form: TableForm) -> Iterator[RowTable]:
    head = _read_head(file)
    if head.startswith(ZIP_MAGIC):
        with open_workbook(file.path, file.title, _name_archive(head)) as archive, ExitStack() as opened:
            yield _open_archive(archive, file, form, opened)
    elif head.startswith(PARQUET_MAGIC):
        # Slow to import, and it starts threads: the template of processes must not have loaded it.
        from weighbridge.exchange.tables.parquet import ParquetTable  # noqa: PLC0415

        yield ParquetTable(file.path, file.title)
    else:
        with open_content(file) as (raw, content), ExitStack() as opened:
            yield _open_text(file, raw, content, form, opened)


def _name_archive(head: bytes) -> str:
    """What an archive is called in messages, as far as its beginning tells: its first part."""
    is_book = len(head) <= _ENTRY_BYTES or any(mark in head for mark in _PARTS_OF_BOOKS)
    return "workbook" if is_book else "archive"


def _open_text(
    file: CsvFile, raw: BinaryIO, content: BinaryIO, form: TableForm, opened: ExitStack
) -> RowTable:
    peeked = (
        content
        if isinstance(content, io.BufferedReader)
        else io.BufferedReader(cast("io.RawIOBase", content))
    )
    head = _peek(file, peeked)
    if foreign := describe_foreign(head):
        raise Refusal(f"The file {file.title} {foreign}.")
    if _OBJECT.match(head.removeprefix(b"\xef\xbb\xbf")):
        return JsonLines(file, raw, peeked, opened)
    return read_csv(file, raw, peeked, opened, form.names)


def _peek(file: CsvFile, content: "io.BufferedReader[Any]") -> bytes:
    with refuse_unreadable(file):
        return content.peek(HEAD_BYTES)[:HEAD_BYTES]


def _open_archive(archive: Workbook, file: CsvFile, form: TableForm, opened: ExitStack) -> RowTable:
    if sheets := _list_sheets(archive, form.sheet):
        sheet_file = SheetFile(
            file.path, file.title, form.sheet, file.header_line, form.takes_stored, form.names
        )
        parts: list[tuple[str, OpenPart]] = [
            (f"The sheet {sheet.name!r} of {file.title}", partial(Sheet, archive, sheet, sheet_file))
            for sheet in sheets
        ]
    else:
        parts = [
            (f"The file {name} in {file.title}", partial(_open_member, archive, file, name, form, opened))
            for name in _choose_files(archive, file.title, form.archive_files)
        ]
    return JoinedTable(parts) if len(parts) > 1 else parts[0][1]()


def _list_sheets(archive: Workbook, sheet: str | None) -> list[SheetParts]:
    """The sheets of a workbook that are read; none of an archive that is no workbook."""
    if is_workbook(archive):
        return [WorkbookSheet(parts) for parts in read_parts(archive, sheet)]
    return [*list_sheets(archive, sheet)] if is_document(archive) else []


def _choose_files(archive: Workbook, title: str, pattern: str | None) -> list[str]:
    """The files of an archive that are read, in the order of their names."""
    names = sorted(
        name
        for name in archive.parts
        if not name.endswith("/") and not name.startswith(_HIDDEN) and "/." not in name
    )
    fitting = [name for name in names if pattern is None or fits_pattern(name, pattern)]
    if not fitting:
        has = shorten(", ".join(map(repr, names)), 300) or "none"
        which = "no files" if pattern is None else f"no file {pattern!r}"
        raise Refusal(
            f"The archive {title} is no workbook of the form XLSX or ODS, and has {which} to read; "
            f"it has {has}."
        )
    return fitting


def _open_member(archive: Workbook, file: CsvFile, name: str, form: TableForm, opened: ExitStack) -> RowTable:
    title = f"{name} in {file.title}"
    member = CsvFile(file.path, file.delimiter, file.encoding, file.header_line, title, file.bytes_max)
    with refuse_unreadable(member):
        content = cast("BinaryIO", archive.open(name))
    peeked = io.BufferedReader(cast("io.RawIOBase", content))
    head = _peek(member, peeked)
    if head.startswith((ZIP_MAGIC, PARQUET_MAGIC)):
        raise Refusal(
            f"The file {title} is a workbook, an archive or Parquet, which is not read within an archive; "
            "send it by itself, or name the files that are read with archive_files."
        )
    return _open_text(member, content, cast("BinaryIO", peeked), form, opened)


def _read_head(file: CsvFile) -> bytes:
    try:
        with file.path.open("rb") as content:
            return content.read(HEAD_BYTES)
    except OSError:
        return b""  # the next reader reports why it cannot be read
