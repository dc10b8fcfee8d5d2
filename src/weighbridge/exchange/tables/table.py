"""A table is a file that was opened to be read row by row; here also the CSV files among them.

What a row of a table may be: its cells by their line, or bad for reasons that are all named. Then the rows of
a CSV file, plain or gzipped, and its digest.

Invariants: the digest is that of the uncompressed content, so a file keeps it when it is zipped; a row
is yielded before the next is read; whatever makes the file unreadable is a refusal that names the line.
"""

import codecs
import csv
import gzip
import hashlib
import io
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, Protocol, cast

from weighbridge.core.collection.data_feed import HEADER_SEARCHED_MAX
from weighbridge.errors import Refusal
from weighbridge.exchange.tables.header import find_header, is_searched, name_columns

GZIP_MAGIC: Final = b"\x1f\x8b"
ZIP_MAGIC: Final = b"PK\x03\x04"
PARQUET_MAGIC: Final = b"PAR1"
_NOT_FOR_FILES: Final = frozenset(
    {
        "undefined",
        "idna",
        "punycode",
        "unicode_escape",
        "unicode-escape",
        "raw_unicode_escape",
        "raw-unicode-escape",
    }
)
"""Encodings of names and of source text; some take a time that grows with the square of a text."""

UNREADABLE: Final = (EOFError, zlib.error, OSError, zipfile.BadZipFile, NotImplementedError)
"""What is raised where packed bytes cannot be unpacked, or bytes not read."""

CHUNK_BYTES: Final = 1 << 20
BLANK_LINES_MAX: Final = 1_000
"""Blank lines between two rows that are passed on one by one."""

BLANK_LINES_OF_FILE_MAX: Final = 1_000_000
"""Blank lines of one file: a file of nothing else would be read for a long time."""


LINE_CHARACTERS_MAX: Final = 4_194_304
"""Characters of one line: a longer one is no table, and would be held in memory as a whole."""


@dataclass(frozen=True, slots=True)
class CsvFile:
    """Where the file lies and how it is written."""

    path: Path
    delimiter: str = ","
    encoding: str = "utf-8"
    header_line: int = 1
    """The line that names the columns, counted from 1; what stands before it is no part of the table."""
    name: str | None = None
    """The name of the file in messages; unset is its path."""
    bytes_max: int | None = None
    """How long the uncompressed content may be."""

    @property
    def title(self) -> str:
        return self.name or str(self.path)


class FileRow(NamedTuple):
    """One row: the line on which it begins, counted from 1, and its cells; a blank line has none."""

    line: int
    cells: list[str]


class RowProblem(NamedTuple):
    """An error in a row: the column and the value, where it is about one, and the reason."""

    reason: str
    column: str | None = None
    value: str | None = None
    field: str | None = None
    """The field of the event that it is about, where that is no data point."""
    stored: str | None = None
    """What the event of the row has there, where the project has it with other values."""
    event: str | None = None
    """The event that differs from the row; None of a row that is bad."""

    def __str__(self) -> str:
        return self.reason if self.column is None else f"column {self.column!r}: {self.reason}"


@dataclass(frozen=True, slots=True)
class BadRow:
    """A line that is no event, and why."""

    line: int
    problems: tuple[RowProblem, ...]

    @property
    def reasons(self) -> tuple[str, ...]:
        return tuple(map(str, self.problems))

    def __str__(self) -> str:
        return f"Line {self.line}: {'; '.join(self.reasons)}."


class RowTable(Protocol):
    """The header of a file, and its rows from first to last."""

    @property
    def header(self) -> Sequence[str]:
        """The names of the columns."""

    @property
    def rows(self) -> Iterator[FileRow]:
        """The rows below, each once."""

    @property
    def bytes_read(self) -> int:
        """How far the reading has come, of the bytes of the file."""

    @property
    def formulas(self) -> int:
        """Cells read so far whose value was saved with a formula."""

    def refusal(self, row: FileRow) -> BadRow | None:
        """Why the file itself makes a row bad, such as a merged cell; None for all others."""


class Pass:
    """One reading of the file from its beginning; `bytes_read` is how far it has come."""

    def __init__(self, raw: BinaryIO, rows: Iterator[FileRow], header: list[str]) -> None:
        self._raw = raw
        self.rows = rows
        self.header = header

    @property
    def bytes_read(self) -> int:
        return self._raw.tell()

    @property
    def formulas(self) -> int:
        """CSV has none."""
        return 0

    def refusal(self, _: FileRow) -> None:
        """A line of text is what it is."""


def content_sha256(file: CsvFile) -> str:
    """Digest the uncompressed content."""
    digest = hashlib.sha256()
    with open_content(file) as (_, content), refuse_unreadable(file):
        size = 0
        while chunk := content.read(CHUNK_BYTES):
            digest.update(chunk)
            size += len(chunk)
            if file.bytes_max is not None and size > file.bytes_max:
                raise Refusal(
                    f"The file {file.title} holds more than {file.bytes_max:,} bytes once it is unpacked."
                )
    return digest.hexdigest()


def fingerprint(file: CsvFile) -> tuple[int, int]:
    """Return what changes when a program writes to the file: its size and its time."""
    with refuse_unreadable(file):
        status = file.path.stat()
    return status.st_size, status.st_mtime_ns


@contextmanager
def open_csv(file: CsvFile, names: Sequence[str] = ()) -> Iterator[Pass]:
    """Read the file: the header at once, the rows as they are asked for."""
    with open_content(file) as (raw, content), ExitStack() as opened:
        yield read_csv(file, raw, content, opened, names)


def read_csv(
    file: CsvFile, raw: BinaryIO, content: BinaryIO, opened: ExitStack, names: Sequence[str] = ()
) -> Pass:
    """Read an open file; `names` are those of columns by which its header is looked for, if it is."""
    text = opened.enter_context(io.TextIOWrapper(content, find_codec(file), newline=""))
    lines = read_lines(file, text)
    before = file.header_line - 1
    if is_searched(file.header_line):
        head = list(_take_lines(file, lines, HEADER_SEARCHED_MAX))
        numbered = (FileRow(at, _split_line(file, line)) for at, line in enumerate(head, 1))
        found, _ = find_header(f"The file {file.title}", numbered, names)
        before, lines = found - 1, chain(head[found - 1 :], lines)
    else:
        for _ in _take_lines(file, lines, before):
            pass
    rows = _read_rows(file, lines, before)
    header = next(rows, None)
    if header is None:
        raise refuse_headless(f"The file {file.title}", file.header_line)
    return Pass(raw, rows, name_columns(header.cells))


def _split_line(file: CsvFile, line: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=file.delimiter), [])
    except csv.Error:
        return []


def reading_of(file: CsvFile, lines: Iterator[str]) -> Iterator[str]:
    """All lines; a refusal where their bytes are no text."""
    return _take_lines(file, lines, None)


def _take_lines(file: CsvFile, lines: Iterator[str], count: int | None) -> Iterator[str]:
    """Some lines; a refusal where their bytes are no text."""
    try:
        yield from islice(lines, count)
    except UnicodeDecodeError as error:
        raise _explain_encoding(file, error, 1) from None
    except UNREADABLE as error:
        raise _build_refusal(file, error) from None


def _read_rows(file: CsvFile, lines: Iterator[str], before: int) -> Iterator[FileRow]:
    """Yield the rows; blank lines only where another row follows them."""
    reader = csv.reader(lines, delimiter=file.delimiter, strict=True)
    blank: list[FileRow] = []
    skipped = 0
    while True:
        line = before + reader.line_num + 1
        cells = _read_cells(file, reader, line)
        if cells is None:
            return
        if cells:
            yield from blank
            blank.clear()
            yield FileRow(line, cells)
            continue
        skipped += 1
        if skipped > BLANK_LINES_OF_FILE_MAX:
            raise Refusal(
                f"The file {file.title} has more than {BLANK_LINES_OF_FILE_MAX:,} blank lines. Remove them."
            )
        if len(blank) < BLANK_LINES_MAX:
            blank.append(FileRow(line, cells))


def read_lines(file: CsvFile, text: io.TextIOWrapper) -> Iterator[str]:
    """The lines of the file, none of them longer than memory is for."""
    number = 0
    while line := text.readline(LINE_CHARACTERS_MAX):
        number += 1
        if len(line) == LINE_CHARACTERS_MAX:
            raise Refusal(
                f"Line {number} of {file.title} has more than {LINE_CHARACTERS_MAX:,} characters;"
                " the file is no table that can be read."
            )
        yield line


def _read_cells(file: CsvFile, reader: Iterator[list[str]], line: int) -> list[str] | None:
    try:
        return next(reader, None)
    except csv.Error as error:
        raise Refusal(f"Line {line} of {file.title} is not readable as CSV: {error}.") from None
    except UnicodeDecodeError as error:
        raise _explain_encoding(file, error, line) from None
    except UNREADABLE as error:
        raise _build_refusal(file, error) from None


def _explain_encoding(file: CsvFile, error: UnicodeDecodeError, line: int) -> Refusal:
    byte = error.object[error.start]
    is_utf_16 = line == 1 and error.object.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    such = "utf-16, by which its first bytes say it is written" if is_utf_16 else "such as windows-1252"
    return Refusal(
        f"The file {file.title} is not in {file.encoding} (byte 0x{byte:02x} soon after line {line}); "
        f"name its encoding (encoding of a data feed, --encoding of an import), {such}."
    )


def refuse_headless(title: str, header_line: int) -> Refusal:
    """The refusal of a table that ends before its header."""
    if header_line == 1:
        return Refusal(f"{title} is empty; its first line must name the columns.")
    return Refusal(f"{title} has nothing on line {header_line} or below it, where the columns must be named.")


@contextmanager
def open_content(file: CsvFile) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Open the file; gives what lies on the disk and the uncompressed content."""
    with refuse_unreadable(file):
        raw = file.path.open("rb")
    with raw:
        with refuse_unreadable(file):
            magic = raw.peek(len(ZIP_MAGIC))[: len(ZIP_MAGIC)]
        if magic == ZIP_MAGIC:
            raise Refusal(f"The file {file.title} is a ZIP archive or a workbook; save it as CSV first.")
        if magic.startswith(GZIP_MAGIC):
            with gzip.GzipFile(fileobj=raw) as content:
                yield raw, cast("BinaryIO", content)
        else:
            yield raw, raw


def is_encoding(name: str) -> bool:
    """Whether files may be written in an encoding of this name."""
    try:
        codec = codecs.lookup(name)
        return codec.name not in _NOT_FOR_FILES and bool("a,1\n".encode(codec.name).decode(codec.name))
    except (LookupError, ValueError):
        return False


def find_codec(file: CsvFile) -> str:
    """Name the codec; a byte order mark at the beginning of UTF-8 is no part of the first column's name."""
    if not is_encoding(file.encoding):
        raise Refusal(f"{file.encoding!r} is not an encoding; examples are utf-8 and windows-1252.")
    name = codecs.lookup(file.encoding).name
    return "utf-8-sig" if name == "utf-8" else name


@contextmanager
def refuse_unreadable(file: CsvFile) -> Iterator[None]:
    """Turn what cannot be read or unpacked into a refusal."""
    try:
        yield
    except UNREADABLE as error:
        raise _build_refusal(file, error) from None


def _build_refusal(file: CsvFile, error: Exception) -> Refusal:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    return Refusal(f"The file {file.title} cannot be read: {reason}.")
