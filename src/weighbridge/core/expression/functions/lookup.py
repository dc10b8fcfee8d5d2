"""`lookup` and `interpolate`: cells of a table of the model document, found by the key column.

Invariants: a key that no row answers has no result; nothing is ever extrapolated; an interpolated
number is exact until its one rounding.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Final

from weighbridge.core.expression.error import ExpressionError, UndefinedResultError
from weighbridge.core.expression.functions.function import Function, between
from weighbridge.core.expression.kind import Kind, Type, require_same_measure
from weighbridge.core.expression.operation import Computing, Tables, TypedOperation, Typing
from weighbridge.core.expression.table import Table
from weighbridge.core.expression.tree import Expression, FunctionCall, Word
from weighbridge.core.expression.value import Content, Scalar, lift, numbers_in
from weighbridge.core.identity.suggestion import nearest
from weighbridge.core.quantity.number import CONTEXT, EXACT, ZERO

MATCHES: Final = {
    "exact": "the row whose key equals the key",
    "below": "the last row whose key is not above the key",
    "above": "the first row whose key is not below the key",
}
"""How `lookup` finds its row."""


_Point = tuple[Decimal, Decimal]
"""A key and the number in its row."""

ROWS_OF_A_STEP: Final = 10
"""Rows of a table that are gone through at the cost of a simple operation."""


def _lookup_rule(at: Typing) -> Type:
    table, column = _table_and_column(at.node, at.tables)
    match = _word(at.node, 3, "exact")
    if match not in MATCHES:
        raise ExpressionError(f"{match!r} is no way to match; there are {', '.join(MATCHES)}.", at.position)
    if match != "exact":
        _require_ascending(table, at)
    require_same_measure(table.key.type, at.types[0], "Comparing with the key column", at.position)
    return table.columns[column].type.of(at.origin)


def _interpolate_rule(at: Typing) -> Type:
    table, column = _table_and_column(at.node, at.tables)
    _require_ascending(table, at)
    require_same_measure(table.key.type, at.types[0], "Comparing with the key column", at.position)
    result = table.columns[column].type
    if result.kind is not Kind.NUMBER:
        raise ExpressionError(f"The column {table.columns[column].name!r} holds texts.", at.position)
    return result.of(at.origin)


def _lookup(at: Computing) -> Content:
    table, column = _table_and_column(at.node, at.environment.tables)
    match = _word(at.node, 3, "exact")
    find = _finder([row[0] for row in table.rows], match)

    def cell(key: Scalar) -> Scalar:
        index = find(key)
        if index is None:
            raise UndefinedResultError(f"The table {table.name} has no row for {key} ({match}).")
        return table.rows[index][column]

    return lift(cell, [_key_content(table, at)], at.position)


def _finder(keys: list[Decimal | str], match: str) -> Callable[[Scalar], int | None]:
    """What finds the row of a key, the first of several, without looking at all rows for each key."""
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


def _rows(at: Computing) -> int:
    """What going through the rows of the table costs."""
    table, _ = _table_and_column(at.node, at.environment.tables)
    return len(table.rows) // ROWS_OF_A_STEP


def _interpolate(at: Computing) -> Content:
    name, rows = _numbers_of_table(at)
    return lift(_interpolator(name, rows), [_key_content(table_named(at), at)], at.position)


def slope_at(at: Computing, key: Decimal) -> Decimal:
    """How fast an interpolated number rises with its key, to the right of the key but at the last one."""
    name, rows = _numbers_of_table(at)
    (low, at_low), (high, at_high) = _stretcher(name, rows)(key)
    return CONTEXT.divide(EXACT.subtract(at_high, at_low), EXACT.subtract(high, low)) if high > low else ZERO


def table_named(at: Computing) -> Table:
    """The table that a lookup or an interpolation names."""
    return _table_and_column(at.node, at.environment.tables)[0]


def _numbers_of_table(at: Computing) -> tuple[str, Sequence[_Point]]:
    table, column = _table_and_column(at.node, at.environment.tables)
    return table.name, [(row[0], row[column]) for row in table.rows]  # type: ignore[misc]  # numbers


def _stretcher(name: str, rows: Sequence[_Point]) -> Callable[[Decimal], tuple[_Point, _Point]]:
    """What finds the two rows that a key lies between; of a table of one row, that row twice."""
    keys = [key for key, _ in rows]

    def stretch_at(key: Decimal) -> tuple[_Point, _Point]:
        if not keys[0] <= key <= keys[-1]:
            raise UndefinedResultError(f"{key} is outside the table {name}, {keys[0]} to {keys[-1]}.")
        index = min(bisect_right(keys, key), len(keys) - 1)
        return rows[max(index - 1, 0)], rows[index]

    return stretch_at


def _interpolator(name: str, rows: Sequence[_Point]) -> Callable[[Decimal], Decimal]:
    stretch_at = _stretcher(name, rows)

    def number_at(key: Decimal) -> Decimal:
        (low, at_low), (high, at_high) = stretch_at(key)
        width = EXACT.subtract(high, low)
        if not width:
            return at_low
        risen = EXACT.multiply(EXACT.subtract(at_high, at_low), EXACT.subtract(key, low))
        return CONTEXT.divide(EXACT.add(EXACT.multiply(at_low, width), risen), width)

    return number_at


def _key_content(table: Table, at: Computing) -> Content:
    key = table.key.type
    return numbers_in(at.values[0], key.unit, at.position) if key.kind is Kind.NUMBER else at.contents[0]


def _table_and_column(node: Expression, tables: Tables) -> tuple[Table, int]:
    name, column_name = _word(node, 0), _word(node, 1)
    table = tables.get(name)
    if table is None:
        raise ExpressionError(f"There is no table {name!r}{_nearest(name, list(tables))}.", node.position)
    column = table.column(column_name)
    if column is None:
        columns = [column.name for column in table.columns]
        raise ExpressionError(
            f"The table {name!r} has no column {column_name!r}; it has {', '.join(columns)}.", node.position
        )
    return table, column


def _require_ascending(table: Table, at: Typing) -> None:
    if not table.is_ascending:
        raise ExpressionError(
            f"The table {table.name!r} needs numbers that rise from row to row in its first column,"
            f" {table.key.name!r}.",
            at.position,
        )


def _word(node: Expression, index: int, default: str = "") -> str:
    match node:
        case FunctionCall(arguments=arguments) if index < len(arguments):
            word = arguments[index]
            return word.text if isinstance(word, Word) else default
    return default


def _nearest(name: str, known: list[str]) -> str:
    close = nearest(name, known)
    return f"; did you mean {close!r}" if close else ""


LOOKUP: Final = (
    Function(
        "lookup", "table, column, key, match", between(3, 4),
        TypedOperation(_lookup_rule, _lookup, 10, _rows),
        "The cell in a column of a table, in the row found by the first column. match is exact (when not"
        " given), below (the last row not above the key) or above (the first row not below it).",
        "lookup(factors, kg_per_t, partition.feedstock)", frozenset({0, 1, 3}),
    ),
    Function(
        "interpolate", "table, column, key", between(3, 3),
        TypedOperation(_interpolate_rule, _interpolate, 10, _rows),
        "The number between two rows of a table, on the straight line; a key outside the table has none.",
        "interpolate(permanence_class, fraction, temperature)", frozenset({0, 1}),
    ),
)  # fmt: skip
"""The functions of this file."""
