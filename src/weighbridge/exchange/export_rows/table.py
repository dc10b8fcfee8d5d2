"""A table of an export: its columns, and its rows as CSV (RFC 4180) with a header.

Invariants: null is an empty cell, an empty text stands in quotes; a number has every digit; a moment is
written as on the wire. With `guards`, a text that a spreadsheet would compute begins with an apostrophe.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, LiteralString, Protocol

from psycopg.sql import SQL, Composable, Composed

from weighbridge.core.platform.export_format import FORMULA_LEADS, ColumnKind, ExportColumn
from weighbridge.db.cursor import SortKey
from weighbridge.db.engine import Read


class ExportTable(Protocol):
    """Rows that can be written as CSV."""

    @property
    def columns(self) -> Sequence[ExportColumn]:
        """The columns in their order."""

    def csv(self, tx: Read, *, guards: bool) -> AsyncIterator[bytes]:
        """The header and the rows, some at a time."""


@dataclass(frozen=True, slots=True)
class SelectedTable:
    """A table whose rows PostgreSQL writes: an expression for each column, and what it is selected from."""

    expressions: Mapping[ExportColumn, LiteralString]
    source: Composable
    """What stands behind FROM, up to the order."""

    @property
    def columns(self) -> Sequence[ExportColumn]:
        return [*self.expressions]

    async def csv(self, tx: Read, *, guards: bool) -> AsyncIterator[bytes]:
        async for rows in tx.copied(self._statement(guards=guards)):
            yield rows

    def _statement(self, *, guards: bool) -> Composed:
        selected = [
            SQL("{} AS {}").format(SQL(_written(sql, column.kind, guards=guards)), _quoted(column.name))
            for column, sql in self.expressions.items()
        ]
        return SQL("COPY (SELECT {} FROM {}) TO STDOUT (FORMAT csv, HEADER)").format(
            SQL(", ").join(selected), self.source
        )


_LEADS: Final = "{" + ",".join(str(ord(one)) for one in FORMULA_LEADS) + "}"


def moment(expression: LiteralString) -> LiteralString:
    """A moment in the wire form; the session's clock is UTC."""
    return f'to_char({expression}, \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\')'


def every(conditions: Sequence[Composable]) -> Composable:
    """All conditions together; none is always true."""
    return SQL(" AND ").join([SQL("true"), *conditions])


def ordered(keys: Sequence[SortKey]) -> Composable:
    """The order of a list, behind the words that begin it."""
    return SQL("ORDER BY ") + SQL(", ").join(
        SQL(f"{key.expression}{' DESC' if key.descends else ''}") for key in keys
    )


def _written(expression: LiteralString, kind: ColumnKind, *, guards: bool) -> LiteralString:
    if kind is ColumnKind.TRUTH:
        return f"CASE WHEN {expression} THEN 'true' WHEN NOT {expression} THEN 'false' END"
    if kind is ColumnKind.TEXT and guards:
        leads = f"ascii({expression}) = ANY ('{_LEADS}')"
        return f"CASE WHEN {leads} THEN '''' || ({expression}) ELSE {expression} END"
    return expression


def _quoted(name: str) -> Composable:
    """A column's name, which may come from a slug, as a quoted identifier."""
    return SQL('"' + name.replace('"', '""').replace("%", "%%") + '"')
