"""The table of meanings: every operator and function of the language, with the rows that belong nowhere else.

Those are `lookup` and `interpolate`, cells of a table of the model document, found by the key column; `sum
average min max median count`, over the elements of one array or over several arguments; `to value quantity`,
between numbers and what they measure; and `duration_hours period_days period_hours`, of what the run is
about. Sums and averages are exact until their one rounding, so they do not depend on the order of elements.

Conventions of derivatives: a lookup goes in steps and has none; that of an interpolation is the slope of the
line to the right of the key, at the last key of the line to the left; of `min` and `max` 1 for the first of
those that are least or greatest, else 0; of `median` 1 for the one in the middle, or a half for each of two;
what a run is about changes with no value.

Invariants: a key that no row answers has no result, and nothing is ever extrapolated; an interpolated number
is exact until its one rounding; an aggregate of one array is one number; of several arguments it is taken
element by element, and only when each is one number or they run in parallel; only `value` takes a unit off a
number and only `quantity` puts one on.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from decimal import Decimal
from types import ModuleType
from typing import Any, Final

from weighbridge.core.expression.arithmetic import ARITHMETIC, MATHEMATICS, NEGATIVE
from weighbridge.core.expression.comparison import (
    ARGUMENTS_MAX,
    BETWEEN,
    CHOICE,
    MEMBERSHIP,
    NOT,
    NULL_TEST,
    TESTS,
)
from weighbridge.core.expression.meaning import (
    ALL,
    Degree,
    Environment,
    Function,
    Language,
    MeaningOverTrials,
    OperandRow,
    OperationMeaning,
    TypedNode,
    between,
    define_slopes,
    follow_first,
    grow_alike,
    grow_unknown,
    ignore_node,
    place_slope,
    read_numbers,
    stay_constant,
    take_as_they_are,
    take_in_result_unit,
    take_plain,
)
from weighbridge.core.expression.tree import (
    Between,
    Binary,
    Expression,
    ExpressionError,
    FunctionCall,
    Membership,
    Name,
    NullTest,
    Operator,
    Unary,
    UndefinedResultError,
    Word,
)
from weighbridge.core.expression.value import (
    AGGREGATED,
    INDIFFERENT,
    PLAIN,
    Content,
    Fault,
    Kind,
    Scalar,
    ScalarFunction,
    Table,
    Type,
    Value,
    convert_numbers,
    number,
    require,
    require_plain,
    require_same_measure,
)
from weighbridge.core.identity import find_nearest
from weighbridge.core.number import CONTEXT, EXACT, ZERO, exact_total, total
from weighbridge.core.unit import Unit, UnitError, parse_unit

TABLE_FUNCTIONS: Final = frozenset({"lookup", "interpolate"})
"""The functions that read a column of a table."""

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


def _look_up_over_trials(of: ModuleType, at: TypedNode) -> Any:
    table, column = _find_table_and_column(at)
    keys, match = [row[0] for row in table.rows], _read_word(at, 3, "exact")
    return of.build_lookup(table.name, table.columns[column].name, keys, match)


def _interpolate_over_trials(of: ModuleType, at: TypedNode) -> Any:
    table, column = _find_table_and_column(at)
    return of.build_interpolation(table.name, table.columns[column].name, [row[0] for row in table.rows])


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
        slope_product = EXACT.multiply(EXACT.subtract(at_high, at_low), EXACT.subtract(key, low))
        return CONTEXT.divide(EXACT.add(EXACT.multiply(at_low, width), slope_product), width)

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


_LOOKUP: Final = (
    Function(
        "lookup", "table, column, key, match", between(3, 4),
        OperationMeaning(
            rule=_lookup_rule, function=_lookup, over_trials=_look_up_over_trials, units=_take_in_unit_of_key,
            sql=None, slopes=None, cost=10, reading=_count_rows,
        ),
        "The cell in a column of a table, in the row found by the first column. match is exact (when not"
        " given), below (the last row not above the key) or above (the first row not below it).",
        "lookup(factors, kg_per_t, partition.feedstock)", frozenset({0, 1, 3}),
    ),
    Function(
        "interpolate", "table, column, key", between(3, 3),
        OperationMeaning(
            rule=_interpolate_rule, function=_interpolate, over_trials=_interpolate_over_trials,
            units=_take_in_unit_of_key, sql=None, slopes=_differentiate_interpolation, cost=10,
            reading=_count_rows,
        ),
        "The number between two rows of a table, on the straight line; a key outside the table has none.",
        "interpolate(permanence_class, fraction, temperature)", frozenset({0, 1}),
    ),
)  # fmt: skip
"""Functions of tables."""


_TWO: Final = Decimal(2)


def compute_average(values: Sequence[Decimal]) -> Decimal:
    """Return the arithmetic mean, rounded once."""
    return CONTEXT.divide(exact_total(values), Decimal(len(values)))


def compute_median(values: Sequence[Decimal]) -> Decimal:
    """Return the middle value; of an even number of values, the mean of the two in the middle."""
    sorted_values = sorted(values)
    middle = len(sorted_values) // 2
    return (
        sorted_values[middle]
        if len(sorted_values) % 2
        else compute_average(sorted_values[middle - 1 : middle + 1])
    )


def differentiate_average(values: Sequence[Decimal]) -> list[Decimal]:
    """Say how fast the mean changes with each value."""
    return [CONTEXT.divide(ALL, Decimal(len(values)))] * len(values)


def differentiate_median(values: Sequence[Decimal]) -> list[Decimal]:
    """Say how fast the median changes with each value."""
    order = sorted(range(len(values)), key=lambda index: values[index])
    half = len(order) // 2
    if len(order) % 2:
        return place_slope(order[half], len(order))
    halves = CONTEXT.divide(ALL, _TWO)
    parts = place_slope(order[half], len(order), halves)
    parts[order[half - 1]] = halves
    return parts


def _type_aggregate(at: TypedNode) -> Type:
    first, *others = at.types
    require(Kind.NUMBER, first, f"What {at.name} is taken of", at.position)
    if not others and not first.is_array:
        raise ExpressionError(f"{at.name} of one argument needs an array; this is {first}.", at.position)
    for other in others:
        require_same_measure(first, other, f"Taking {at.name}", at.position)
    if at.name == "sum" and first.unit is not None and not first.unit.is_absolute:
        raise ExpressionError(
            f'A sum of temperatures in {first.unit} has no meaning; convert them first, to(…, "K").',
            at.position,
        )
    return number(first.unit, at.origin if others else None)


def _define_aggregate(
    name: str,
    function: Callable[[Sequence[Decimal]], Decimal],
    over_trials: MeaningOverTrials,
    slopes: Callable[[Sequence[Decimal]], Sequence[Decimal]],
    doc: str,
    example: str,
) -> Function:
    def of_some(values: Sequence[Decimal]) -> Decimal:
        if not values and function is not total:
            raise UndefinedResultError("There is no element to take this of.")
        return function(values)

    meaning = OperationMeaning(
        rule=_type_aggregate, function=ignore_node(of_some), over_trials=over_trials, nulls=AGGREGATED,
        units=take_in_result_unit, sql=None, slopes=define_slopes(lambda *values: slopes(values)),
        degree=grow_alike,
    )  # fmt: skip
    return Function(name, "array, or a, b, …", between(1, ARGUMENTS_MAX), meaning, doc, example)


def _count_rule(at: TypedNode) -> Type:
    if not at.types[0].is_array:
        raise ExpressionError(f"count needs an array; this is {at.types[0]}.", at.position)
    return PLAIN


_COUNT: Final = OperationMeaning(
    rule=_count_rule,
    function=ignore_node(lambda elements: Decimal(len(elements) if isinstance(elements, tuple) else 1)),
    over_trials=lambda of, _: of.count_elements, nulls=INDIFFERENT, units=take_as_they_are,
    sql=None, slopes=None, degree=stay_constant,
)  # fmt: skip

AGGREGATES: Final = (
    _define_aggregate(
        "sum", total, lambda of, _: of.total, lambda values: [ALL] * len(values),
        "All elements added exactly, then rounded once; 0 of no elements.", "sum(mass * ash)",
    ),
    _define_aggregate(
        "average", compute_average, lambda of, _: of.average, differentiate_average, "The arithmetic mean.",
        "average(ash)",
    ),
    _define_aggregate(
        "min", min, lambda of, _: of.least,
        lambda values: place_slope(values.index(min(values)), len(values)),
        "The smallest.", "min(0.95, fraction)",
    ),
    _define_aggregate(
        "max", max, lambda of, _: of.greatest,
        lambda values: place_slope(values.index(max(values)), len(values)),
        "The largest.", "max(temperature, coldest)",
    ),
    _define_aggregate(
        "median", compute_median, lambda of, _: of.median, differentiate_median,
        "The middle one by size, or the mean of the two in the middle.", "median(ash)",
    ),
    Function("count", "array", between(1, 1), _COUNT, "The number of elements.", "count(mass)"),
)  # fmt: skip
"""Functions of all elements of an array."""


def read_unit_argument(node: Expression) -> Unit:
    """Return the unit that a call names as its second argument."""
    match node:
        case FunctionCall(arguments=(_, Word(text=text))):
            try:
                return parse_unit(text)
            except UnitError as error:
                raise ExpressionError(str(error), node.position) from error
    raise ValueError(f"{node} names no unit")


def _type_conversion(at: TypedNode) -> Type:
    (operand,) = at.types
    target = number(read_unit_argument(at.node), operand.origin)
    require(Kind.NUMBER, operand, "What is converted", at.position)
    require_same_measure(operand, target, "Converting", at.position)
    return target


def _type_value(at: TypedNode) -> Type:
    return PLAIN.of(_type_conversion(at).origin)


def _type_quantity(at: TypedNode) -> Type:
    require_plain(at.types[0], "What quantity gives a unit to", at.position)
    return number(read_unit_argument(at.node), at.origin)


def _take_in_named_unit(at: TypedNode, _result: Type) -> list[Unit | None]:
    return [read_unit_argument(at.node)]


def _grow_in_named_unit(node: Expression, degrees: Sequence[Degree]) -> Degree:
    return grow_alike(node, degrees) if read_unit_argument(node).is_absolute else grow_unknown(node, degrees)


def _define_conversion(
    rule: Callable[[TypedNode], Type], units: Callable[[TypedNode, Type], Sequence[Unit | None]]
) -> OperationMeaning:
    return OperationMeaning(
        rule=rule, units=units, sql=None, slopes=define_slopes(follow_first), degree=_grow_in_named_unit
    )


def _type_duration(at: TypedNode) -> Type:
    _read_input_name(at.node)
    if not at.types[0].is_array:
        raise ExpressionError(
            "duration_hours needs an input that is an array, with aggregate: values.", at.position
        )
    return number(parse_unit("h"), at.origin)


def _read_durations(at: TypedNode, environment: Environment) -> Content:
    name = _read_input_name(at.node)
    durations = environment.durations.get(name)
    if durations is None:
        raise ExpressionError(f"The durations of the events of {name} are not given.", at.position)
    return durations.content


def _read_input_name(node: Expression) -> str:
    match node:
        case FunctionCall(arguments=(Name() as name,)):
            return name.text
    raise ExpressionError("duration_hours is taken of an input by its name alone.", node.position)


def _read_period_length(period: Value | None, unit: str, at: TypedNode) -> Content:
    if period is None:
        error = ExpressionError("The length of the period is not given.", at.position)
        return Fault(error, is_missing=True)
    return convert_numbers(period, parse_unit(unit), at.position)


def _define_of_surroundings(
    rule: Callable[[TypedNode], Type], read: Callable[[TypedNode, Environment], Content]
) -> OperationMeaning:
    return OperationMeaning(rule=rule, of_surroundings=read, sql=None, slopes=None, degree=stay_constant)


CONVERSION: Final = (
    Function(
        "to", "x, unit", between(2, 2), _define_conversion(_type_conversion, take_in_result_unit),
        "x converted to a unit.", 'to(energy, "kWh")', frozenset({1}),
    ),
    Function(
        "value", "x, unit", between(2, 2), _define_conversion(_type_value, _take_in_named_unit),
        "The plain number of x in a unit, for empirical equations.", 'value(soil_temperature, "degC")',
        frozenset({1}),
    ),
    Function(
        "quantity", "x, unit", between(2, 2), _define_conversion(_type_quantity, take_plain),
        "A plain number given a unit: what an empirical equation yields.",
        'quantity(0.35 * ln(ratio), "kg{CO2e}")', frozenset({1}),
    ),
    Function(
        "duration_hours", "input", between(1, 1), _define_of_surroundings(_type_duration, _read_durations),
        "How long each event of an input lasted, in hours.", "power * duration_hours(power)",
    ),
    Function(
        "period_days", "", between(0, 0),
        _define_of_surroundings(
            lambda _at: number(parse_unit("d")),
            lambda at, environment: _read_period_length(environment.period_days, "d", at),
        ),
        "The days of the slot by the project's calendar; part of a day counts as its part of that day.",
        "period_days()",
    ),
    Function(
        "period_hours", "", between(0, 0),
        _define_of_surroundings(
            lambda _at: number(parse_unit("h")),
            lambda at, environment: _read_period_length(environment.period_hours, "h", at),
        ),
        "How long the slot lasts by the clock, in hours.", "period_hours()",
    ),
)  # fmt: skip
"""Functions of units, and of what the run is about."""

FUNCTIONS: Final = {
    function.name: function for function in (*AGGREGATES, *MATHEMATICS, *CHOICE, *_LOOKUP, *CONVERSION)
}
"""Every function by its name."""

OPERATORS: Final = {**ARITHMETIC, **TESTS}
"""The meaning of each operator between two operands."""

MODELS: Final = Language(FUNCTIONS)
"""The language of model formulas."""


def find_meaning(tree: Expression) -> OperationMeaning:
    """Find the meaning of a node that has operands."""
    match tree:
        case Binary(operator=operator):
            return OPERATORS[operator]
        case FunctionCall(function=function):
            return FUNCTIONS[function].meaning
        case Unary(operator=operator):
            return NOT if operator is Operator.NOT else NEGATIVE
        case Between():
            return BETWEEN
        case Membership():
            return MEMBERSHIP
        case NullTest():
            return NULL_TEST
    raise ValueError(f"{tree} has no operands")
