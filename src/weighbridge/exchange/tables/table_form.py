"""The form of a table: which part of a file it is, how its header is found, which of its rows are data."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Self

from weighbridge.core.collection.data_feed import Formulas, OtherColumns, fits_pattern, is_value
from weighbridge.exchange.records.data_feeds import DataFeed
from weighbridge.exchange.tables.table import BadRow, FileRow, RowTable

LEFT_OUT: Final = "-"
"""The field of a column that gives nothing."""


@dataclass(frozen=True, slots=True)
class TableForm:
    """What is a table in a file, and which of its rows are data."""

    sheet: str | None = None
    takes_stored: bool = False
    """Whether a formula gives the value that was saved with it."""
    archive_files: str | None = None
    skip_rows: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """The columns by which a header is known, where its line is looked for."""
    tag_column: str | None = None
    value_column: str | None = None
    tags: tuple[str, ...] = ()
    """The tags of a long file that become columns, and the columns beside them."""
    ignored: tuple[str, ...] = ()
    """The columns and tags among them that give nothing."""
    leaves_out: bool = False
    """Whether tags that are not named are passed over."""
    is_in_order: bool = False

    @classmethod
    def of(cls, feed: DataFeed, *, takes_stored: bool | None = None) -> Self:
        """The form that a feed says."""
        named = [column for column in feed.columns if not is_value(column.column, column.field)]
        is_long = feed.tag_column is not None
        names = tuple(column.column.strip() for column in named if column.column.strip())
        return cls(
            sheet=feed.sheet,
            takes_stored=feed.formulas == Formulas.TAKE_STORED if takes_stored is None else takes_stored,
            archive_files=feed.archive_files,
            skip_rows=tuple(feed.skip_rows),
            names=(feed.tag_column or "", feed.value_column or "") if is_long else names,
            tag_column=feed.tag_column,
            value_column=feed.value_column,
            tags=names,
            ignored=tuple(column.column.strip() for column in named if column.field == LEFT_OUT),
            leaves_out=feed.other_columns == OtherColumns.LEAVE_OUT,
            is_in_order=feed.rows_in_order,
        )


class DerivedTable:
    """A table that is made of another one, row by row."""

    def __init__(self, table: RowTable) -> None:
        self._table = table

    @property
    def bytes_read(self) -> int:
        """How far the reading has come, of the bytes of the file."""
        return self._table.bytes_read

    @property
    def formulas(self) -> int:
        """Cells read so far whose value was saved with a formula."""
        return self._table.formulas


class FilteredTable(DerivedTable):
    """A table without the rows that are no data, such as totals."""

    def __init__(self, table: RowTable, patterns: Sequence[str]) -> None:
        super().__init__(table)
        self._patterns = patterns
        self.header = table.header
        self.rows: Iterator[FileRow] = self._filter()

    def refusal(self, row: FileRow) -> BadRow | None:
        """Why the file itself makes a row bad."""
        return self._table.refusal(row)

    def _filter(self) -> Iterator[FileRow]:
        for row in self._table.rows:
            first = next((text for cell in row.cells if (text := cell.strip())), "")
            if not first or not any(fits_pattern(first, pattern) for pattern in self._patterns):
                yield row
            else:
                self._table.refusal(row)
