"""A table is a file that was opened to be read row by row, whatever it is written as."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from weighbridge.exchange.tabular.file import FileRow
from weighbridge.exchange.tabular.row import BadRow


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
