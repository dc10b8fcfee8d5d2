"""`lookup` and `interpolate`: cells of a table of the model document, found by the key column.

A lookup goes in steps and has no derivative. That of an interpolation is the slope of the line to the right
of the key; at the last key, of the line to the left.

Invariants: a key that no row answers has no result; nothing is ever extrapolated; an interpolated
number is exact until its one rounding.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Final

from weighbridge.core.expression.meaning import (
    Function,
    OperandRow,
    OperationMeaning,
    TypedNode,
    between,
    read_numbers,
)
from weighbridge.core.expression.tree import ExpressionError, FunctionCall, UndefinedResultError, Word
from weighbridge.core.expression.value import (
    Content,
    Kind,
    Scalar,
    ScalarFunction,
    Table,
    Type,
    require_same_measure,
)
from weighbridge.core.identity.suggestion import find_nearest
from weighbridge.core.quantity.number import CONTEXT, EXACT, ZERO
from weighbridge.core.quantity.unit import Unit

MATCHES: Final = {
    "exact": "the row whose key equals the key",
    "below": "the last row whose key is not above the key",
    "above": "the first row whose key is not below the key",
}
"""How `lookup` finds its row."""

ROWS_OF_A_STEP: Final = 10
"""Rows of a table that are gone through at the cost of a simple operation."""

_Point = tuple[Decimal, Decimal]
"""A key and the number in its row."""


def _lookup_rule(at: TypedNode) -> Type:
    table, column = _find_table_and_column(at)
    match = _read_word(at, 3, "exact")
    if match not in MATCHES:
        raise ExpressionError(f"{match!r} is no way to match; there are {', '.join(MATCHES)}.", at.position)
    if match != "exact":
        _require_ascending(table, at)
    require_same_measure(table.key.type, at.types[0], "Comparing with the key column", at.position)
    return table.columns[column].type.of(at.origin)


def _lookup(at: TypedNode) -> ScalarFunction:
    table, column = _find_table_and_column(at)
    match = _read_word(at, 3, "exact")
    find = _build_row_finder([row[0] for row in table.rows], match)

    def cell(key: Scalar) -> Scalar:
        index = find(key)
        if index is None:
            raise UndefinedResultError(f"The table {table.name} has no row for {key} ({match}).")
        return table.rows[index][column]

    return cell


def _build_row_finder(keys: list[Decimal | str], match: str) -> Callable[[Scalar], int | None]:
    """Return what finds the row of a key, the first of several, without looking at all rows for each key."""
    first: dict[Scalar, int] = {key: index for index, key in reversed([*enumerate(keys)])}

    def find(key: Scalar) -> int | None:
        if match == "exact":
            return first.get(key)
        count_up_to = bisect_right(keys, key)
        index = count_up_to - 1
        if match == "above" and (index < 0 or keys[index] != key):
            index = count_up_to
        return index if 0 <= index < len(keys) else None

    return find


def _interpolate_rule(at: TypedNode) -> Type:
    table, column = _find_table_and_column(at)
    _require_ascending(table, at)
    require_same_measure(table.key.type, at.types[0], "Comparing with the key column", at.position)
    result = table.columns[column].type
    if result.kind is not Kind.NUMBER:
        raise ExpressionError(f"The column {table.columns[column].name!r} holds texts.", at.position)
    return result.of(at.origin)


def _interpolate(at: TypedNode) -> ScalarFunction:
    find_line = _build_line_finder(at)

    def number_at(key: Decimal) -> Decimal:
        (low, at_low), (high, at_high) = find_line(key)
        width = EXACT.subtract(high, low)
        if not width:
            return at_low
        risen = EXACT.multiply(EXACT.subtract(at_high, at_low), EXACT.subtract(key, low))
        return CONTEXT.divide(EXACT.add(EXACT.multiply(at_low, width), risen), width)

    return number_at


def _differentiate_interpolation(at: TypedNode, row: OperandRow) -> Sequence[Decimal]:
    (low, at_low), (high, at_high) = _build_line_finder(at)(*read_numbers(row))
    if high <= low:
        return (ZERO,)
    return (CONTEXT.divide(EXACT.subtract(at_high, at_low), EXACT.subtract(high, low)),)


def _build_line_finder(at: TypedNode) -> Callable[[Decimal], tuple[_Point, _Point]]:
    """Return what finds the two rows that a key lies between; of a table of one row, that row twice."""
    table, column = _find_table_and_column(at)
    rows: Sequence[_Point] = [(row[0], row[column]) for row in table.rows]  # type: ignore[misc]  # numbers
    keys = [key for key, _ in rows]

    def line_at(key: Decimal) -> tuple[_Point, _Point]:
        if not keys[0] <= key <= keys[-1]:
            raise UndefinedResultError(f"{key} is outside the table {table.name}, {keys[0]} to {keys[-1]}.")
        index = min(bisect_right(keys, key), len(keys) - 1)
        return rows[max(index - 1, 0)], rows[index]

    return line_at


def _count_rows(at: TypedNode, _contents: Sequence[Content]) -> int:
    """What going through the rows of the table costs."""
    return len(_find_table_and_column(at)[0].rows) // ROWS_OF_A_STEP


def _take_in_unit_of_key(at: TypedNode, _result: Type) -> list[Unit | None]:
    return [_find_table_and_column(at)[0].key.type.unit]


def _find_table_and_column(at: TypedNode) -> tuple[Table, int]:
    name, column_name = _read_word(at, 0), _read_word(at, 1)
    table = at.tables.get(name)
    if table is None:
        close = find_nearest(name, list(at.tables))
        hint = f"; did you mean {close!r}" if close else ""
        raise ExpressionError(f"There is no table {name!r}{hint}.", at.position)
    column = table.column(column_name)
    if column is None:
        columns = [column.name for column in table.columns]
        raise ExpressionError(
            f"The table {name!r} has no column {column_name!r}; it has {', '.join(columns)}.", at.position
        )
    return table, column


def _require_ascending(table: Table, at: TypedNode) -> None:
    if not table.is_ascending:
        raise ExpressionError(
            f"The table {table.name!r} needs numbers that rise from row to row in its first column,"
            f" {table.key.name!r}.",
            at.position,
        )


def _read_word(at: TypedNode, index: int, default: str = "") -> str:
    match at.node:
        case FunctionCall(arguments=arguments) if index < len(arguments):
            word = arguments[index]
            return word.text if isinstance(word, Word) else default
    return default


LOOKUP: Final = (
    Function(
        "lookup", "table, column, key, match", between(3, 4),
        OperationMeaning(
            rule=_lookup_rule, function=_lookup, units=_take_in_unit_of_key, sql=None, slopes=None, cost=10,
            reading=_count_rows,
        ),
        "The cell in a column of a table, in the row found by the first column. match is exact (when not"
        " given), below (the last row not above the key) or above (the first row not below it).",
        "lookup(factors, kg_per_t, partition.feedstock)", frozenset({0, 1, 3}),
    ),
    Function(
        "interpolate", "table, column, key", between(3, 3),
        OperationMeaning(
            rule=_interpolate_rule, function=_interpolate, units=_take_in_unit_of_key, sql=None,
            slopes=_differentiate_interpolation, cost=10, reading=_count_rows,
        ),
        "The number between two rows of a table, on the straight line; a key outside the table has none.",
        "interpolate(permanence_class, fraction, temperature)", frozenset({0, 1}),
    ),
)  # fmt: skip
"""Functions of tables."""
