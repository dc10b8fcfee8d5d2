"""Rows of a month as the database has them: streamed as lines of JSON, and made into Arrow some at a time.

Invariants: memory does not grow with the month; the digest is that of the lines themselves, so it is the same
for the same rows whatever library writes the file.
"""

import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, Final

import pyarrow as pa
from pyarrow import json

from weighbridge.archive.month import CalendarMonth
from weighbridge.archive.row_form import SCHEMA, rows_statement
from weighbridge.archive.vocabulary import ArchivedVocabulary
from weighbridge.db.engine import Read

GROUP_ROWS: Final = 50_000
GROUP_BYTES: Final = 33_554_432
"""How much is in memory, and stands in one row group of a file: whichever is reached first."""

_ESCAPED: Final = (rb"\\", b"\\")
"""What COPY writes for a backslash; JSON has no other character that COPY would escape."""


@dataclass
class RowDigest:
    """The SHA-256 over all lines of JSON that were read, and how many they were."""

    rows: int = 0
    lines: Any = field(default_factory=hashlib.sha256)

    @property
    def text(self) -> str:
        return str(self.lines.hexdigest())


async def stored_rows(
    tx: Read, project: int, month: CalendarMonth, vocabulary: ArchivedVocabulary, digest: RowDigest
) -> AsyncIterator[Any]:
    """The rows of a month as tables of Arrow in the order of the file, each of a row group."""
    held: list[Any] = []
    rows = size = 0
    async for block in tx.copied(rows_statement(project, month, vocabulary)):
        if not block:
            continue
        lines = block.replace(*_ESCAPED)
        digest.lines.update(lines)
        table = _table(lines)
        digest.rows += table.num_rows
        held.append(table)
        rows, size = rows + table.num_rows, size + table.nbytes
        if rows >= GROUP_ROWS or size >= GROUP_BYTES:
            yield pa.concat_tables(held)
            held, rows, size = [], 0, 0
    if held:
        yield pa.concat_tables(held)


def _table(lines: bytes) -> Any:
    return json.read_json(
        BytesIO(lines),
        read_options=json.ReadOptions(use_threads=False, block_size=len(lines)),
        parse_options=json.ParseOptions(explicit_schema=SCHEMA, unexpected_field_behavior="error"),
    )
