"""The table of meanings: every operator and function of the language, with the rows that belong nowhere else.

Those are `sum average min max median count`, over the elements of one array or over several arguments; `to
value quantity`, between numbers and what they measure; and `duration_hours period_days period_hours`, of
what the run is about. Sums and averages are exact until their one rounding, so they do not depend on the
order of elements.

Conventions of derivatives: of `min` and `max` 1 for the first of those that are least or greatest, else 0; of
`median` 1 for the one in the middle, or a half for each of two; what a run is about changes with no value.

Invariants: an aggregate of one array is one number; of several arguments it is taken element by element, and
only when each is one number or they run in parallel; only `value` takes a unit off a number and only
`quantity` puts one on.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Final

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
from weighbridge.core.expression.lookup import LOOKUP
from weighbridge.core.expression.meaning import (
    ALL,
    Degree,
    Environment,
    Function,
    Language,
    OperationMeaning,
    TypedNode,
    between,
    define_slopes,
    follow_first,
    grow_alike,
    grow_unknown,
    ignore_node,
    place_slope,
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
    Type,
    Value,
    convert_numbers,
    number,
    require,
    require_plain,
    require_same_measure,
)
from weighbridge.core.quantity.number import CONTEXT, exact_total, total
from weighbridge.core.quantity.unit import Unit, UnitError, parse_unit

_TWO: Final = Decimal(2)


def compute_average(values: Sequence[Decimal]) -> Decimal:
    """Return the arithmetic mean, rounded once."""
    return CONTEXT.divide(exact_total(values), Decimal(len(values)))


def compute_median(values: Sequence[Decimal]) -> Decimal:
    """Return the middle value; of an even number of values, the mean of the two in the middle."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else compute_average(ordered[middle - 1 : middle + 1])


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
    slopes: Callable[[Sequence[Decimal]], Sequence[Decimal]],
    doc: str,
    example: str,
) -> Function:
    def of_some(values: Sequence[Decimal]) -> Decimal:
        if not values and function is not total:
            raise UndefinedResultError("There is no element to take this of.")
        return function(values)

    meaning = OperationMeaning(
        rule=_type_aggregate, function=ignore_node(of_some), nulls=AGGREGATED, units=take_in_result_unit,
        sql=None, slopes=define_slopes(lambda *values: slopes(values)), degree=grow_alike,
    )  # fmt: skip
    return Function(name, "array, or a, b, …", between(1, ARGUMENTS_MAX), meaning, doc, example)


def _count_rule(at: TypedNode) -> Type:
    if not at.types[0].is_array:
        raise ExpressionError(f"count needs an array; this is {at.types[0]}.", at.position)
    return PLAIN


_COUNT: Final = OperationMeaning(
    rule=_count_rule,
    function=ignore_node(lambda elements: Decimal(len(elements) if isinstance(elements, tuple) else 1)),
    nulls=INDIFFERENT, units=take_as_they_are, sql=None, slopes=None, degree=stay_constant,
)  # fmt: skip

AGGREGATES: Final = (
    _define_aggregate(
        "sum", total, lambda values: [ALL] * len(values),
        "All elements added exactly, then rounded once; 0 of no elements.", "sum(mass * ash)",
    ),
    _define_aggregate(
        "average", compute_average, differentiate_average, "The arithmetic mean.", "average(ash)"
    ),
    _define_aggregate(
        "min", min, lambda values: place_slope(values.index(min(values)), len(values)),
        "The smallest.", "min(0.95, fraction)",
    ),
    _define_aggregate(
        "max", max, lambda values: place_slope(values.index(max(values)), len(values)),
        "The largest.", "max(temperature, coldest)",
    ),
    _define_aggregate(
        "median", compute_median, differentiate_median,
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
    function.name: function for function in (*AGGREGATES, *MATHEMATICS, *CHOICE, *LOOKUP, *CONVERSION)
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
