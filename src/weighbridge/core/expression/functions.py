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
    always,
    as_the_first,
    between,
    grow_alike,
    grow_unknown,
    only,
    sloping,
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
    number,
    numbers_in,
    require,
    require_plain,
    require_same_measure,
)
from weighbridge.core.quantity.number import CONTEXT, exact_total, total
from weighbridge.core.quantity.unit import Unit, UnitError, parse_unit

_TWO: Final = Decimal(2)


def average(values: Sequence[Decimal]) -> Decimal:
    """Return the arithmetic mean, rounded once."""
    return CONTEXT.divide(exact_total(values), Decimal(len(values)))


def median(values: Sequence[Decimal]) -> Decimal:
    """Return the middle value; of an even number of values, the mean of the two in the middle."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else average(ordered[middle - 1 : middle + 1])


def slopes_of_average(values: Sequence[Decimal]) -> list[Decimal]:
    """Say how fast the mean changes with each value."""
    return [CONTEXT.divide(ALL, Decimal(len(values)))] * len(values)


def slopes_of_median(values: Sequence[Decimal]) -> list[Decimal]:
    """Say how fast the median changes with each value."""
    order = sorted(range(len(values)), key=lambda index: values[index])
    half = len(order) // 2
    if len(order) % 2:
        return only(order[half], len(order))
    halves = CONTEXT.divide(ALL, _TWO)
    parts = only(order[half], len(order), halves)
    parts[order[half - 1]] = halves
    return parts


def _aggregate_rule(at: TypedNode) -> Type:
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


def _aggregate(
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
        rule=_aggregate_rule, function=always(of_some), nulls=AGGREGATED, units=take_in_result_unit,
        sql=None, slopes=sloping(lambda *values: slopes(values)), degree=grow_alike,
    )  # fmt: skip
    return Function(name, "array, or a, b, …", between(1, ARGUMENTS_MAX), meaning, doc, example)


def _count_rule(at: TypedNode) -> Type:
    if not at.types[0].is_array:
        raise ExpressionError(f"count needs an array; this is {at.types[0]}.", at.position)
    return PLAIN


_COUNT: Final = OperationMeaning(
    rule=_count_rule,
    function=always(lambda elements: Decimal(len(elements)) if isinstance(elements, tuple) else Decimal(1)),
    nulls=INDIFFERENT, units=take_as_they_are, sql=None, slopes=None, degree=stay_constant,
)  # fmt: skip

AGGREGATES: Final = (
    _aggregate(
        "sum", total, lambda values: [ALL] * len(values),
        "All elements added exactly, then rounded once; 0 of no elements.", "sum(mass * ash)",
    ),
    _aggregate("average", average, slopes_of_average, "The arithmetic mean.", "average(ash)"),
    _aggregate(
        "min", min, lambda values: only(values.index(min(values)), len(values)),
        "The smallest.", "min(0.95, fraction)",
    ),
    _aggregate(
        "max", max, lambda values: only(values.index(max(values)), len(values)),
        "The largest.", "max(temperature, coldest)",
    ),
    _aggregate(
        "median", median, slopes_of_median,
        "The middle one by size, or the mean of the two in the middle.", "median(ash)",
    ),
    Function("count", "array", between(1, 1), _COUNT, "The number of elements.", "count(mass)"),
)  # fmt: skip
"""Functions of all elements of an array."""


def unit_named(node: Expression) -> Unit:
    """Return the unit that a call names as its second argument."""
    match node:
        case FunctionCall(arguments=(_, Word(text=text))):
            try:
                return parse_unit(text)
            except UnitError as error:
                raise ExpressionError(str(error), node.position) from error
    raise ValueError(f"{node} names no unit")


def _to_rule(at: TypedNode) -> Type:
    (operand,) = at.types
    target = number(unit_named(at.node), operand.origin)
    require(Kind.NUMBER, operand, "What is converted", at.position)
    require_same_measure(operand, target, "Converting", at.position)
    return target


def _value_rule(at: TypedNode) -> Type:
    return PLAIN.of(_to_rule(at).origin)


def _quantity_rule(at: TypedNode) -> Type:
    require_plain(at.types[0], "What quantity gives a unit to", at.position)
    return number(unit_named(at.node), at.origin)


def _take_in_named_unit(at: TypedNode, _result: Type) -> list[Unit | None]:
    return [unit_named(at.node)]


def _grow_in_named_unit(node: Expression, degrees: Sequence[Degree]) -> Degree:
    return grow_alike(node, degrees) if unit_named(node).is_absolute else grow_unknown(node, degrees)


def _conversion(
    rule: Callable[[TypedNode], Type], units: Callable[[TypedNode, Type], Sequence[Unit | None]]
) -> OperationMeaning:
    return OperationMeaning(
        rule=rule, units=units, sql=None, slopes=sloping(as_the_first), degree=_grow_in_named_unit
    )


def _duration_rule(at: TypedNode) -> Type:
    _input_name(at.node)
    if not at.types[0].is_array:
        raise ExpressionError(
            "duration_hours needs an input that is an array, with aggregate: values.", at.position
        )
    return number(parse_unit("h"), at.origin)


def _durations(at: TypedNode, environment: Environment) -> Content:
    name = _input_name(at.node)
    durations = environment.durations.get(name)
    if durations is None:
        raise ExpressionError(f"The durations of the events of {name} are not given.", at.position)
    return durations.content


def _input_name(node: Expression) -> str:
    match node:
        case FunctionCall(arguments=(Name() as name,)):
            return name.text
    raise ExpressionError("duration_hours is taken of an input by its name alone.", node.position)


def _length_of_period(period: Value | None, unit: str, at: TypedNode) -> Content:
    if period is None:
        error = ExpressionError("The length of the period is not given.", at.position)
        return Fault(error, is_missing=True)
    return numbers_in(period, parse_unit(unit), at.position)


def _surroundings(
    rule: Callable[[TypedNode], Type], read: Callable[[TypedNode, Environment], Content]
) -> OperationMeaning:
    return OperationMeaning(rule=rule, of_surroundings=read, sql=None, slopes=None, degree=stay_constant)


CONVERSION: Final = (
    Function(
        "to", "x, unit", between(2, 2), _conversion(_to_rule, take_in_result_unit),
        "x converted to a unit.", 'to(energy, "kWh")', frozenset({1}),
    ),
    Function(
        "value", "x, unit", between(2, 2), _conversion(_value_rule, _take_in_named_unit),
        "The plain number of x in a unit, for empirical equations.", 'value(soil_temperature, "degC")',
        frozenset({1}),
    ),
    Function(
        "quantity", "x, unit", between(2, 2), _conversion(_quantity_rule, take_plain),
        "A plain number given a unit: what an empirical equation yields.",
        'quantity(0.35 * ln(ratio), "kg{CO2e}")', frozenset({1}),
    ),
    Function(
        "duration_hours", "input", between(1, 1), _surroundings(_duration_rule, _durations),
        "How long each event of an input lasted, in hours.", "power * duration_hours(power)",
    ),
    Function(
        "period_days", "", between(0, 0),
        _surroundings(
            lambda _at: number(parse_unit("d")),
            lambda at, environment: _length_of_period(environment.period_days, "d", at),
        ),
        "The days of the slot by the project's calendar; part of a day counts as its part of that day.",
        "period_days()",
    ),
    Function(
        "period_hours", "", between(0, 0),
        _surroundings(
            lambda _at: number(parse_unit("h")),
            lambda at, environment: _length_of_period(environment.period_hours, "h", at),
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


def meaning_of(tree: Expression) -> OperationMeaning:
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
