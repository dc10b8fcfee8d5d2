"""Long files: each row is one value, with its tag, and the rows of one time become one row of a table.

Where rows are in order, the rows of one time stand together, and a file may be of any length. Elsewhere a
file may also have all rows of one tag before those of the next; it is then brought together in memory.

Invariants: a value of a tag that is there twice for one time makes its row bad, and is never overwritten; a
row is known by the first of its lines; a tag that the data feed does not name is told of, or passed over
where the feed leaves out other columns.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from weighbridge.core.collection.data_feed import LONG_VALUES_MAX
from weighbridge.core.number import shorten
from weighbridge.errors import Refusal
from weighbridge.exchange.tables.table import BadRow, FileRow, RowProblem, RowTable
from weighbridge.exchange.tables.table_form import DerivedTable, TableForm

TIME_COLUMNS: Final = ("start_time", "end_time", "utc_offset")
"""Columns that say when a value is, where the data feed names none."""

_PROBLEMS_MAX: Final = 20
"""Problems of one row that are told."""


@dataclass(slots=True)
class _TimeRows:
    """The rows of one time."""

    line: int
    cells: list[str]
    values: dict[int, str] = field(default_factory=dict)
    problems: list[RowProblem] = field(default_factory=list)

    def tell(self, reason: str, column: str | None = None, value: str | None = None) -> None:
        if len(self.problems) < _PROBLEMS_MAX:
            self.problems.append(RowProblem(reason, column, value))


class LongTable(DerivedTable):
    """A long table as a wide one: the columns beside tag and value, then one for each tag."""

    def __init__(self, table: RowTable, form: TableForm, title: str) -> None:
        super().__init__(table)
        self._form, self._title = form, title
        names = [*table.header]
        self._tag, self._value = (
            _find(names, column, title) for column in (form.tag_column or "", form.value_column or "")
        )
        self._beside = [at for at in range(len(names)) if at not in {self._tag, self._value}]
        named = [tag for tag in form.tags if tag not in names]
        self._tags = {tag: at for at, tag in enumerate(named)}
        known = {*form.tags, *TIME_COLUMNS} - {*form.ignored}
        self._keys = [at for at in self._beside if names[at] in known] or self._beside
        self._bad: dict[int, BadRow] = {}
        self.header = [*(names[at] for at in self._beside), *named]
        self.rows: Iterator[FileRow] = self._pivot()

    def refusal(self, row: FileRow) -> BadRow | None:
        """Why the rows of one time make no row: a tag that nobody knows, or that stands there twice."""
        return self._bad.pop(row.line, None)

    def _pivot(self) -> Iterator[FileRow]:
        gathered: dict[tuple[str, ...], _TimeRows] = {}
        width = len(self._table.header)
        for count, row in enumerate(self._table.rows, 1):
            if not any(map(str.strip, row.cells)):
                self._table.refusal(row)
                continue
            bad = self._table.refusal(row)
            if bad is None and len(row.cells) < width:
                reason = f"it has {len(row.cells)} cells, but the header has {width}"
                bad = BadRow(row.line, (RowProblem(reason),))
            if bad is not None:
                self._bad[row.line] = bad
                yield FileRow(row.line, [""] * len(self.header))
                continue
            key = tuple(row.cells[at] for at in self._keys)
            held = gathered.get(key)
            if self._form.is_in_order and (held is None or self._is_second_pass(held, row)):
                yield from self._end(gathered)
            if count > LONG_VALUES_MAX and not self._form.is_in_order:
                raise Refusal(
                    f"{self._title} has more than {LONG_VALUES_MAX:,} values; let rows_in_order be true "
                    "where rows of one time stand together, or split the file."
                )
            self._add(gathered, key, row)
        yield from self._end(gathered)

    def _is_second_pass(self, held: _TimeRows, row: FileRow) -> bool:
        """Whether the same local time begins again, as it does in the night when the clocks go back."""
        at = self._tags.get(row.cells[self._tag].strip())
        return at is not None and at in held.values and len(held.values) > 1 and at == next(iter(held.values))

    def _add(self, gathered: dict[tuple[str, ...], _TimeRows], key: tuple[str, ...], row: FileRow) -> None:
        held = gathered.get(key)
        if held is None:
            held = gathered[key] = _TimeRows(row.line, [row.cells[at] for at in self._beside])
        tag = row.cells[self._tag].strip()
        at = self._tags.get(tag)
        if at is None:
            if not self._form.leaves_out:
                reason = (
                    f"line {row.line} has the tag {shorten(tag)!r}, which columns of the data feed do not "
                    "name; name it there, or let other_columns be leave_out"
                )
                held.tell(reason, self._form.tag_column, tag)
        elif at in held.values:
            reason = f"line {row.line} has another value of the tag {shorten(tag)!r} for the same time"
            held.tell(reason, self._form.value_column, row.cells[self._value])
        else:
            held.values[at] = row.cells[self._value]

    def _end(self, gathered: dict[tuple[str, ...], _TimeRows]) -> Iterator[FileRow]:
        for held in gathered.values():
            if held.problems:
                self._bad[held.line] = BadRow(held.line, tuple(held.problems))
            elif not held.values:
                continue
            yield FileRow(held.line, [*held.cells, *(held.values.get(at, "") for at in self._tags.values())])
        gathered.clear()


def _find(names: list[str], column: str, title: str) -> int:
    if column in names:
        return names.index(column)
    shown = shorten(", ".join(map(repr, names)), 300)
    raise Refusal(f"{title} lacks the column {column!r} of a long file; it has {shown}.")
