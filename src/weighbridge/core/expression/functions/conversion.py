"""`to value quantity duration_hours period_days period_hours`: between numbers and what they measure.

Invariants: only `value` takes a unit off a number and only `quantity` puts one on.
"""

from typing import Final

from weighbridge.core.expression.error import ExpressionError
from weighbridge.core.expression.functions.function import Function, between
from weighbridge.core.expression.kind import (
    PLAIN,
    Kind,
    Type,
    number,
    require,
    require_plain,
    require_same_measure,
)
from weighbridge.core.expression.operation import Computing, TypedOperation, Typing
from weighbridge.core.expression.tree import Expression, FunctionCall, Name, Word
from weighbridge.core.expression.value import Content, Fault, Value, numbers_in
from weighbridge.core.quantity.unit import ONE, Unit, UnitError, parse_unit


def _to_rule(at: Typing) -> Type:
    (operand,) = at.types
    target = number(unit_named(at.node), operand.origin)
    require(Kind.NUMBER, operand, "What is converted", at.position)
    require_same_measure(operand, target, "Converting", at.position)
    return target


def _value_rule(at: Typing) -> Type:
    return PLAIN.of(_to_rule(at).origin)


def _quantity_rule(at: Typing) -> Type:
    require_plain(at.types[0], "What quantity gives a unit to", at.position)
    return number(unit_named(at.node), at.origin)


def _to(at: Computing) -> Content:
    return numbers_in(at.values[0], unit_named(at.node), at.position)


def _quantity(at: Computing) -> Content:
    return numbers_in(at.values[0], ONE, at.position)


def unit_named(node: Expression) -> Unit:
    match node:
        case FunctionCall(arguments=(_, Word(text=text))):
            try:
                return parse_unit(text)
            except UnitError as error:
                raise ExpressionError(str(error), node.position) from error
    raise ValueError(f"{node} names no unit")


def _duration_rule(at: Typing) -> Type:
    _input_name(at.node)
    if not at.types[0].is_array:
        raise ExpressionError(
            "duration_hours needs an input that is an array, with aggregate: values.", at.position
        )
    return number(parse_unit("h"), at.origin)


def _duration(at: Computing) -> Content:
    name = _input_name(at.node)
    durations = at.environment.durations.get(name)
    if durations is None:
        raise ExpressionError(f"The durations of the events of {name} are not given.", at.position)
    return durations.content


def _input_name(node: Expression) -> str:
    match node:
        case FunctionCall(arguments=(Name() as name,)):
            return name.text
    raise ExpressionError("duration_hours is taken of an input by its name alone.", node.position)


def _days_rule(_at: Typing) -> Type:
    return number(parse_unit("d"))


def _days(at: Computing) -> Content:
    return _period(at, at.environment.period_days, "d")


def _hours_rule(_at: Typing) -> Type:
    return number(parse_unit("h"))


def _hours(at: Computing) -> Content:
    return _period(at, at.environment.period_hours, "h")


def _period(at: Computing, period: Value | None, unit: str) -> Content:
    if period is None:
        error = ExpressionError("The length of the period is not given.", at.position)
        return Fault(error, is_missing=True)
    return numbers_in(period, parse_unit(unit), at.position)


CONVERSION: Final = (
    Function(
        "to", "x, unit", between(2, 2), TypedOperation(_to_rule, _to),
        "x converted to a unit.", 'to(energy, "kWh")', frozenset({1}),
    ),
    Function(
        "value", "x, unit", between(2, 2), TypedOperation(_value_rule, _to),
        "The plain number of x in a unit, for empirical equations.", 'value(soil_temperature, "degC")',
        frozenset({1}),
    ),
    Function(
        "quantity", "x, unit", between(2, 2), TypedOperation(_quantity_rule, _quantity),
        "A plain number given a unit: what an empirical equation yields.",
        'quantity(0.35 * ln(ratio), "kg{CO2e}")', frozenset({1}),
    ),
    Function(
        "duration_hours", "input", between(1, 1), TypedOperation(_duration_rule, _duration),
        "How long each event of an input lasted, in hours.", "power * duration_hours(power)",
    ),
    Function(
        "period_days", "", between(0, 0), TypedOperation(_days_rule, _days),
        "The days of the slot by the project's calendar; part of a day counts as its part of that day.",
        "period_days()",
    ),
    Function(
        "period_hours", "", between(0, 0), TypedOperation(_hours_rule, _hours),
        "How long the slot lasts by the clock, in hours.", "period_hours()",
    ),
)  # fmt: skip
"""The functions of this file."""
