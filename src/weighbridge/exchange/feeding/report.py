"""The report of bad rows: a CSV file with a line for each thing that is wrong, in the order of the file.

Rows that differ from the events that the project has of them stand there too, each value with the stored one.

Invariant: no text of it is computed by a spreadsheet: what would begin as a formula gets an apostrophe.
"""

import csv
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from weighbridge.core.platform.tasks import guarded
from weighbridge.core.quantity.number import shorten
from weighbridge.exchange.tabular.row import BadRow

HEADER: Final = ("row", "column", "value", "reason", "stored")
VALUE_LENGTH_MAX: Final = 200
"""Characters of a value that the report shows."""


class BadRowReport:
    """The file on its way; a context manager."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows = 0

    def __enter__(self) -> Self:
        self._file = self.path.open("w", encoding="utf-8", newline="")
        self._writer = csv.writer(self._file)
        self._writer.writerow(HEADER)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def flush(self) -> None:
        """Hand on all that was written, so that the file can be read."""
        self._file.flush()

    def add(self, bad: Iterable[BadRow]) -> None:
        """Write the lines of some rows."""
        for row in bad:
            self.rows += 1
            for problem in row.problems:
                value, stored = (
                    "" if text is None else shorten(text, VALUE_LENGTH_MAX)
                    for text in (problem.value, problem.stored)
                )
                texts = (problem.column or "", value, problem.reason, stored)
                self._writer.writerow((row.line, *map(guarded, texts)))
