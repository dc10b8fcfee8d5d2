"""A table is a small list of rows in the model document, read by `lookup` and `interpolate`.

Invariants: every row has one cell for each column; a column holds numbers of one unit, or texts; no
two rows have the same key, which stands in the first column.
"""

from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from weighbridge.core.expression.kind import Type


@dataclass(frozen=True, slots=True)
class TableColumn:
    """The name of a column and what each of its cells is."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under named columns; the first column is the key."""

    name: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[Decimal | str, ...], ...]

    @property
    def key(self) -> TableColumn:
        return self.columns[0]

    @property
    def is_ascending(self) -> bool:
        """Whether the keys are numbers that rise from row to row."""
        keys = [row[0] for row in self.rows if isinstance(row[0], Decimal)]
        return len(keys) == len(self.rows) and all(low < high for low, high in pairwise(keys))

    def column(self, name: str) -> int | None:
        """The index of a column, None when there is none of that name."""
        return next((index for index, column in enumerate(self.columns) if column.name == name), None)
