"""Open a file as a table, whatever it is written as: its first bytes say so."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from weighbridge.errors import Refusal
from weighbridge.exchange.tabular.file import ZIP_MAGIC, CsvFile, content_sha256, reading
from weighbridge.exchange.tabular.sheet import SheetFile, reading_sheet
from weighbridge.exchange.tabular.table import RowTable

_OLD_WORKBOOK: Final = b"\xd0\xcf\x11\xe0"


def content_digest(file: CsvFile) -> str:
    """The SHA-256 of the content, which a file of CSV keeps when it is gzipped, in hexadecimal digits."""
    if not _begins_with(file, ZIP_MAGIC):
        return content_sha256(file)
    with file.path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


@contextmanager
def reading_table(
    file: CsvFile, *, sheet: str | None = None, takes_stored: bool = False
) -> Iterator[RowTable]:
    """Read a file: the header at once, the rows as they are asked for. Of a workbook, one sheet."""
    if _begins_with(file, _OLD_WORKBOOK):
        said = f"The file {file.said} is a workbook of an old form (XLS) or is locked; save it as XLSX."
        raise Refusal(said)
    if _begins_with(file, ZIP_MAGIC):
        workbook = SheetFile(file.path, file.said, sheet, file.header_line, takes_stored)
        with reading_sheet(workbook) as table:
            yield table
        return
    with reading(file) as pass_:
        yield pass_


def _begins_with(file: CsvFile, magic: bytes) -> bool:
    try:
        with file.path.open("rb") as content:
            return content.read(len(magic)) == magic
    except OSError:
        return False  # whoever reads it next says why it cannot be read
