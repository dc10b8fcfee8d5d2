"""Differences: rows of an archive and of the database, in step, and where they are not the same.

Both come in the order of start and number. Whole pieces are compared at once, and row by row only where they
differ; a row that one side lacks puts them out of step no further than its piece.
"""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any, Final

Row = dict[str, Any]

_START: Final = "start_time"
_NUMBER: Final = "number"


@dataclass(frozen=True, slots=True)
class RowDifference:
    """An event that is not the same on both sides, or stands in one of them only at its time."""

    archived: Row | None
    stored: Row | None


class _RowStream:
    """What is left of one side's rows, a table at a time."""

    def __init__(self, tables: AsyncIterator[Any]) -> None:
        self._tables = tables
        self.table: Any = None
        self.is_over = False

    async def refill(self) -> int:
        """Have rows at hand, if there are any; gives how many."""
        while not self.is_over and (self.table is None or not self.table.num_rows):
            self.table = await anext(self._tables, None)
            self.is_over = self.table is None
        return 0 if self.table is None else int(self.table.num_rows)

    def take(self, rows: int) -> Any:
        taken, self.table = self.table.slice(0, rows), self.table.slice(rows)
        return taken

    def last(self) -> tuple[Any, int]:
        [row] = self.table.select([_START, _NUMBER]).slice(self.table.num_rows - 1).to_pylist()
        return row[_START], row[_NUMBER]

    def take_until(self, limit: tuple[Any, int]) -> dict[tuple[Any, int], Row]:
        """The rows up to a key, by their keys."""
        if not self.table.num_rows:
            return {}
        keys = self.table.select([_START, _NUMBER]).to_pylist()
        count = sum((key[_START], key[_NUMBER]) <= limit for key in keys)
        return {(row[_START], row[_NUMBER]): row for row in self.take(count).to_pylist()}


async def differences(
    archived: AsyncIterator[Any], stored: AsyncIterator[Any]
) -> AsyncIterator[RowDifference]:
    """Every row that is not the same on both sides."""
    left, right = _RowStream(archived), _RowStream(stored)
    while True:
        counts = await left.refill(), await right.refill()
        if not any(counts):
            return
        if not all(counts):
            side = left if counts[0] else right
            for row in side.take(max(counts)).to_pylist():
                yield RowDifference(row, None) if side is left else RowDifference(None, row)
            continue
        common = min(counts)
        if left.table.slice(0, common).equals(right.table.slice(0, common)):
            left.take(common)
            right.take(common)
            continue
        limit = min(left.last(), right.last())
        for difference in _unlike(left.take_until(limit), right.take_until(limit)):
            yield difference


def _unlike(left: dict[tuple[Any, int], Row], right: dict[tuple[Any, int], Row]) -> Iterator[RowDifference]:
    for key in sorted({*left, *right}):
        if (was := left.get(key)) != (now := right.get(key)):
            yield RowDifference(was, now)


async def streamed(tables: Iterator[Any]) -> AsyncIterator[Any]:
    """Tables as they come of a file, as the same kind of stream as those of the database."""
    for table in tables:
        yield table
