"""Several tables as one: the sheets of a workbook, or the files of an archive, one after the other.

Invariants: they have the same columns, in any order, or the file is refused; lines are counted on from table
to table, so that each row is known by a line of its own.
"""

from collections.abc import Callable, Iterator, Sequence

from weighbridge.core.number import shorten
from weighbridge.errors import Refusal
from weighbridge.exchange.tables.table import BadRow, FileRow, RowTable

OpenPart = Callable[[], RowTable]
"""Opens one of the tables, when its turn comes."""


class JoinedTable:
    """Tables one after the other; only one of them is read at a time."""

    def __init__(self, parts: Sequence[tuple[str, OpenPart]]) -> None:
        self._parts = parts
        self._title, open_first = parts[0]
        self._table = open_first()
        self.header = [*self._table.header]
        self._bad: dict[int, BadRow] = {}
        self._bytes_before = self._formulas_before = 0
        self.rows: Iterator[FileRow] = self._read()

    @property
    def bytes_read(self) -> int:
        """How far the reading has come, of the bytes of the file."""
        return max(self._bytes_before, self._table.bytes_read)

    @property
    def formulas(self) -> int:
        """Cells read so far whose value was saved with a formula."""
        return self._formulas_before + self._table.formulas

    def refusal(self, row: FileRow) -> BadRow | None:
        """Why a table makes its row bad."""
        return self._bad.pop(row.line, None)

    def _read(self) -> Iterator[FileRow]:
        offset = 0
        for at, (title, open_part) in enumerate(self._parts):
            if at:
                self._bytes_before, self._formulas_before = self.bytes_read, self.formulas
                self._table = open_part()
            places = self._find_places(title)
            last = 0
            for row in self._table.rows:
                last = row.line
                bad = self._table.refusal(row)
                if bad is not None:
                    self._bad[offset + last] = BadRow(offset + last, bad.problems)
                yield FileRow(offset + last, _order(row.cells, places))
            offset += last

    def _find_places(self, title: str) -> list[int] | None:
        """Where the columns of the first table are in this one; None where they are in the same order."""
        header = [*self._table.header]
        if header == self.header:
            return None
        if sorted(header) != sorted(self.header):
            differing = shorten(", ".join(map(repr, sorted({*header} ^ {*self.header}))), 300)
            raise Refusal(
                f"{title} has other columns than {self._title}: {differing}. Sheets or files that are read "
                "together have the same columns; name those that have with sheet or archive_files."
            )
        return [header.index(name) for name in self.header]


def _order(cells: list[str], places: Sequence[int] | None) -> list[str]:
    if places is None or len(cells) < len(places):
        return cells
    return [*(cells[at] for at in places), *cells[len(places) :]]
