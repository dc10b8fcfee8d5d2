"""Tables of a rule: limits by lorry, analyser or whatever else an event names, that its expressions look up.

A table has named columns and rows, as those of models; its first column is the key, and
`lookup(table, column, key)` is the cell in the row of a key. Numbers have no unit: rules compare them as they
stand. A column called `effective_from` says from when on its row holds, as static inputs do: of the rows of a
key that one is taken which began last by the start of the event.

    {"lorries": {"columns": ["plate", "effective_from", "tare"],
                 "rows": [["KN 12", "2024-01-01T00:00:00Z", 14.2], ["KN 12", "2025-03-01T00:00:00Z", 14.6]]}}

Invariants: a table that was read has a cell for each column in each row, one kind of cell in each column, and
at most one row of a key from the same moment on; a key that no row holds for has no result, with the reason.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

from weighbridge.core.expression import PLAIN, TEXT, ExpressionError, Type
from weighbridge.core.expression.tree import Position
from weighbridge.core.expression.value import Element, Fault
from weighbridge.core.identity import find_nearest, list_briefly
from weighbridge.core.model.reading import is_node_slug
from weighbridge.core.number import NumberError, limit_number
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant

FIELD: Final = "tables"
EFFECTIVE_FROM: Final = "effective_from"
"""The column that says from when on a row holds."""

TABLES_MAX: Final = 10
"""Tables that a rule may have."""

COLUMNS_MAX: Final = 20
"""Columns that a table of a rule may have."""

ROWS_MAX: Final = 2_000
"""Rows that a table of a rule may have."""

CELL_LENGTH_MAX: Final = 200
"""Characters of a text in a cell."""

Cell = Decimal | str

_ALWAYS: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class LookupTable:
    """A table, ready to be looked up."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    of_key: Mapping[Cell, Sequence[tuple[datetime, Sequence[Cell]]]] = field(repr=False, compare=False)
    """The rows of each key with the moments from which on they hold, in this order."""

    def find_type(self, column: str) -> Type:
        """The type of the cells of a column that there is."""
        return TEXT if isinstance(self.rows[0][self.columns.index(column)], str) else PLAIN

    def look_up(self, column: int, key: Element, moment: datetime, position: Position) -> Element:
        """The cell of a column in the row that holds for a key at a moment; a missing key has none."""
        if key is None or isinstance(key, Fault):
            return key
        assert not isinstance(key, bool)  # noqa: S101 - the rule was checked
        rows = self.of_key.get(key)
        if rows is None:
            return Fault(ExpressionError(f"The table {self.name} has no row for {_show(key)}.", position))
        place = bisect_right(rows, moment, key=_get_moment)
        if not place:
            sentence = (
                f"The table {self.name} has no row for {_show(key)} that holds by {Instant.of(moment).text}."
            )
            return Fault(ExpressionError(sentence, position))
        return rows[place - 1][1][column]


def _get_moment(row: tuple[datetime, Sequence[Cell]]) -> datetime:
    return row[0]


def _show(key: Cell) -> str:
    return repr(key) if isinstance(key, str) else format(key, "f")


def read_tables(mapping: Mapping[str, Any] | None) -> tuple[Mapping[str, LookupTable], list[Problem]]:
    """Read the tables of a rule as they are written in JSON, with everything that is wrong with them."""
    if mapping is None:
        return {}, []
    problems: list[Problem] = []
    if len(mapping) > TABLES_MAX:
        problems.append(_build_problem("", f"holds {len(mapping)} tables; a rule has at most {TABLES_MAX}"))
        return {}, problems
    tables = {str(name): _read_table(str(name), value, problems) for name, value in mapping.items()}
    return {name: table for name, table in tables.items() if table is not None}, problems


def write_tables(tables: Mapping[str, LookupTable]) -> dict[str, Any] | None:
    """Write tables in the one form that they are answered and stored in; None for none."""
    written = {
        name: {"columns": list(table.columns), "rows": [list(row) for row in table.rows]}
        for name, table in tables.items()
    }
    return written or None


def check_table_column(tables: Mapping[str, LookupTable], table: str, column: str) -> str | None:
    """Why a lookup cannot read a column of a table, in a sentence; None when it can."""
    if table not in tables:
        return _explain_unknown("The rule has no table", table, tables)
    if column not in tables[table].columns:
        return _explain_unknown(f"The table {table} has no column", column, tables[table].columns)
    return None


def _explain_unknown(beginning: str, name: str, known: Iterable[str]) -> str:
    names = list(known)
    close = find_nearest(name, names)
    hint = f"; did you mean {close}?" if close else f"; there is {list_briefly(names)}." if names else "."
    return f"{beginning} {name!r}{hint}"


def _read_table(name: str, value: Any, problems: list[Problem]) -> LookupTable | None:
    before = len(problems)
    if not is_node_slug(name):
        problems.append(_build_problem(name, "is called in small letters, digits and single underscores"))
    columns, rows = (
        (value.get(part) for part in ("columns", "rows")) if isinstance(value, Mapping) else (0, 0)
    )
    if not isinstance(columns, list) or not isinstance(rows, list) or len(value) > 2:
        problems.append(_build_problem(name, "has columns and rows, each a list, and nothing else"))
        return None
    problems += _list_wrong_columns(name, columns)
    if not 1 <= len(rows) <= ROWS_MAX:
        problems.append(_build_problem(f"{name}.rows", f"are 1 to {ROWS_MAX:,}"))
    if len(problems) > before:
        return None
    read = [_read_row(name, number, row, len(columns), problems) for number, row in enumerate(rows)]
    if len(problems) > before:
        return None
    problems += _list_mixed_columns(name, columns, read)
    if len(problems) > before:
        return None
    of_key = _sort_by_key(name, columns, read, problems)
    return None if len(problems) > before else LookupTable(name, tuple(columns), tuple(read), of_key)


def _list_wrong_columns(name: str, columns: Sequence[Any]) -> Iterable[Problem]:
    if not 2 <= len(columns) <= COLUMNS_MAX:
        yield _build_problem(f"{name}.columns", f"are 2 to {COLUMNS_MAX}, the key first")
    elif not all(isinstance(one, str) and is_node_slug(one) for one in columns):
        yield _build_problem(
            f"{name}.columns", "are called in small letters, digits and single underscores, without a unit"
        )
    elif len({*columns}) < len(columns) or columns[0] == EFFECTIVE_FROM:
        yield _build_problem(f"{name}.columns", f"have different names, and {EFFECTIVE_FROM} is not the key")


def _read_row(name: str, number: int, row: Any, width: int, problems: list[Problem]) -> tuple[Cell, ...]:
    path = f"{name}.rows[{number}]"
    if not isinstance(row, list) or len(row) != width:
        problems.append(_build_problem(path, f"is a list with one cell for each of the {width} columns"))
        return ()
    cells: list[Cell] = []
    for cell in row:
        read = _read_cell(cell)
        if read is not None:
            cells.append(read)
        else:
            requirement = f"has a cell that is no number and no text of 1 to {CELL_LENGTH_MAX} characters"
            problems.append(_build_problem(path, requirement))
    return tuple(cells)


def _read_cell(cell: Any) -> Cell | None:
    if isinstance(cell, str):
        return cell if 0 < len(cell) <= CELL_LENGTH_MAX else None
    if isinstance(cell, bool) or not isinstance(cell, Decimal | int):
        return None
    try:
        return limit_number(Decimal(cell))
    except NumberError:
        return None


def _list_mixed_columns(
    name: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]]
) -> Iterable[Problem]:
    for index, column in enumerate(columns):
        if len({isinstance(row[index], str) for row in rows}) > 1:
            yield _build_problem(f"{name}.{column}", "holds numbers and texts; it may hold one of both")


def _sort_by_key(
    name: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]], problems: list[Problem]
) -> Mapping[Cell, Sequence[tuple[datetime, Sequence[Cell]]]]:
    at = columns.index(EFFECTIVE_FROM) if EFFECTIVE_FROM in columns else None
    of_key: dict[Cell, list[tuple[datetime, Sequence[Cell]]]] = {}
    for number, row in enumerate(rows):
        moment = _ALWAYS if at is None else _read_moment(row[at])
        if moment is None:
            requirement = "is a time with an offset, such as 2025-01-01T00:00:00Z"
            problems.append(_build_problem(f"{name}.rows[{number}].{EFFECTIVE_FROM}", requirement))
            continue
        others = of_key.setdefault(row[0], [])
        if any(other == moment for other, _ in others):
            since = "" if at is None else f" from {row[at]} on"
            problems.append(
                _build_problem(f"{name}.rows[{number}]", f"is another row for {_show(row[0])}{since}")
            )
        others.append((moment, row))
    return {key: sorted(found, key=_get_moment) for key, found in of_key.items()}


def _read_moment(cell: Cell) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(cell))
        return None if moment.tzinfo is None else Instant.of(moment)
    except (ValueError, OverflowError):
        return None


def _build_problem(path: str, requirement: str) -> Problem:
    where = f"{FIELD}.{path}" if path else FIELD
    return Problem(f"{where} {requirement}.", where, "invalid")
