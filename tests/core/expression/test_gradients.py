"""Derivatives of expressions: by hand, against differences, and by Euler's theorem."""

from decimal import Decimal

import pytest
from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st
from tests.examples import examples

from weighbridge.core.expression import (
    FUNCTIONS,
    PLAIN,
    Environment,
    ExpressionError,
    Table,
    TableColumn,
    evaluate,
    parse,
    quantities,
    quantity,
)
from weighbridge.core.expression.compiler import (
    PARTIALS,
    WITHOUT_DERIVATIVE,
    find_degree,
    gradients_of,
    trace,
)
from weighbridge.core.expression.tree import Operator
from weighbridge.core.number import CONTEXT, total
from weighbridge.core.unit import ONE, parse_unit

STEP = Decimal("1e-12")
NEAR = Decimal("1e-9")
ONCE = Decimal(1)
CURVE = Table(
    "curve",
    (TableColumn("key", PLAIN), TableColumn("level", PLAIN)),
    ((Decimal(0), Decimal(0)), (Decimal(10), Decimal(30)), (Decimal(20), Decimal(40))),
)
searched = settings(
    max_examples=examples(1000), deadline=None, suppress_health_check=list(HealthCheck)
)  # fmt: skip
numbers = st.decimals(min_value="0.5", max_value="9", places=2)


def plain(**values):
    """What an expression may name: plain numbers, and arrays of them."""
    return Environment(
        {
            name: quantities([Decimal(one) for one in value], ONE, "the deliveries")
            if isinstance(value, list | tuple)
            else quantity(Decimal(value), ONE)
            for name, value in values.items()
        },
        {"curve": CURVE},
    )


def gradients(text, **values):
    return gradients_of(trace(parse(text), plain(**values)), ONCE, ONE)


def test_a_difference_times_a_fraction():
    found = gradients("(gross - tare) * fraction", gross=120, tare=20, fraction="0.5")

    assert found == {"gross": Decimal("0.5"), "tare": Decimal("-0.5"), "fraction": 100}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a / b", {"a": Decimal("0.25"), "b": Decimal("-0.125")}),
        ("a ^ 3", {"a": 12}),
        ("a ^ -1", {"a": Decimal("-0.25")}),
        ("-a", {"a": -1}),
        ("a * a", {"a": 4}),
        ("min(a, b)", {"a": 1}),
        ("max(a, b)", {"b": 1}),
        ("min(a, a * 1)", {"a": 1}),
        ("average(a, b)", {"a": Decimal("0.5"), "b": Decimal("0.5")}),
        ("median(a, b, 100)", {"b": 1}),
        ("median(a, b)", {"a": Decimal("0.5"), "b": Decimal("0.5")}),
        ("abs(a - b)", {"a": -1, "b": 1}),
        ("round(a * 3, 0)", {"a": 3}),
        ("floor(a * 3)", {"a": 3}),
        ("ceil(a)", {"a": 1}),
        ("clamp(a, 0, b)", {"a": 1}),
        ("clamp(b, 0, a)", {"a": 1}),
        ("sqrt(b)", {"b": Decimal("0.25")}),
        ("sqrt(a - 2)", {}),
        ("if(a < b, a, b)", {"a": 1}),
        ("if(a > b, a / (b - 4), b)", {"b": 1}),
        ("coalesce(a, b)", {"a": 1}),
        ("interpolate(curve, level, a)", {"a": 3}),
        ("interpolate(curve, level, a * 5)", {"a": 5}),
        ("interpolate(curve, level, a * 10)", {"a": 10}),
        ("lookup(curve, level, a, below)", {}),
        ('value(quantity(a, "kg"), "g")', {"a": 1000}),
        ("period + a * 0", {"period": 1}),
    ],
)  # fmt: skip
def test_each_operation_by_hand(text, expected):
    found = gradients(text, a=2, b=4, period=7)

    assert {name: rate for name, rate in found.items() if rate} == expected


def test_arrays_have_a_derivative_for_each_element():
    found = gradients("sum(mass * (1 - moisture)) * 2", mass=[1, 2], moisture=["0.1", "0.2"])

    assert found == {
        "mass": (Decimal("1.8"), Decimal("1.6")),
        "moisture": (-2, -4),
    }


def test_one_number_beside_an_array_has_the_sum():
    assert gradients("sum(mass * factor)", mass=[1, 2, 4], factor=3) == {"mass": (3, 3, 3), "factor": 7}


def test_of_an_array_only_the_smallest_counts():
    assert gradients("min(mass)", mass=[3, 1, 1]) == {"mass": (0, 1, 0)}


def test_units_are_converted_on_the_way():
    values = {
        "mass": quantity(Decimal(2), parse_unit("t")),
        "more": quantity(Decimal(500), parse_unit("kg")),
        "warm": quantity(Decimal(20), parse_unit("degC")),
    }
    sums = gradients_of(trace(parse("mass + more"), Environment(values)), ONCE, parse_unit("kg"))
    heat = gradients_of(trace(parse("warm * mass"), Environment(values)), ONCE, parse_unit("K*t"))

    assert sums == {"mass": 1000, "more": 1}
    assert heat == {"warm": 2, "mass": Decimal("293.15")}


@pytest.mark.parametrize("text", ["round(mass, 1)", "round(mass * 2, 1, half_up) / 2"])
def test_a_quantity_that_is_rounded_changes_with_it(text):
    environment = Environment({"mass": quantity(Decimal("2.55"), parse_unit("t"))})

    assert gradients_of(trace(parse(text), environment), ONCE, parse_unit("t")) == {"mass": 1}


def test_a_branch_that_is_not_taken_may_have_no_value():
    assert gradients("if(days = 0, mass, mass / days)", days=0, mass=5) == {"mass": 1}


def test_every_operation_has_a_derivative_or_is_named_as_having_none():
    arithmetic = {operator.value for operator in Operator if operator.value in "+-*/^"}

    assert arithmetic | {*FUNCTIONS} == {*PARTIALS} | WITHOUT_DERIVATIVE
    assert not {*PARTIALS} & WITHOUT_DERIVATIVE
    assert {"lookup", "count", "duration_hours", "period_days", "period_hours"} == WITHOUT_DERIVATIVE


SMOOTH = (
    "{} + {}", "{} - {}", "{} * {}", "{} / {}", "sqrt({})", "ln({})", "exp(-{} / 9)", "log10({})",
    "{} ^ 2", "{} ^ 0.5", "abs({})", "min({}, {})", "max({}, {})", "average({}, {})", "median({}, {}, {})",
    "clamp({}, 1, 50)", "if(a > b, {}, {})", "interpolate(curve, level, clamp({}, 0, 19))",
)  # fmt: skip
OF_DEGREE_ONE = (
    "{} + {}", "{} - {}", "{} * 0.5", "3 * {}", "{} / 7", "min({}, {})", "max({}, {})", "abs({})",
    "average({}, {})", "median({}, {}, {})", "sum({}, {})", "sqrt({} * {})", "-({})", "{} * {} / c",
    "if(a > b, {}, {})", "coalesce({}, {})", "clamp({}, 0 * {}, 9 * {})",
)  # fmt: skip
NAMES = ("a", "b", "c")


def filled(shape, parts):
    for part in parts:
        shape = shape.replace("{}", f"({part})", 1)
    return shape


def formulas(depth, shapes, leaves):
    if not depth:
        return st.sampled_from(leaves)
    inner = formulas(depth - 1, shapes, leaves)
    deeper = st.builds(filled, st.sampled_from(shapes), st.lists(inner, min_size=3, max_size=3))
    return st.one_of(st.sampled_from(leaves), deeper)


def result(tree, values):
    content = evaluate(tree, plain(**values)).content
    assert isinstance(content, Decimal)
    return content


@searched
@given(formulas(3, SMOOTH, (*NAMES, "2", "0.75")), numbers, numbers, numbers)
def test_derivatives_are_what_small_differences_come_to(text, a, b, c):
    tree, values = parse(text), {"a": a, "b": b, "c": c}
    try:
        at = {name: (result(tree, values | {name: one - STEP}), result(tree, values | {name: one + STEP}))
              for name, one in values.items()}  # fmt: skip
        here = result(tree, values)
        found = gradients_of(trace(tree, plain(**values)), ONCE, ONE)
    except ExpressionError:
        reject()
    for name, (before, after) in at.items():
        low, high = (here - before) / STEP, (after - here) / STEP
        # Where it bends, the two sides differ, and a convention decides.
        assume(abs(high - low) <= NEAR * max(1, abs(high)) and abs(high) < 10**6)
        rate = found.get(name, Decimal(0))
        assert abs(rate - (low + high) / 2) <= NEAR * max(1, abs(rate))


@searched
@given(formulas(3, OF_DEGREE_ONE, NAMES), numbers, numbers, numbers)
def test_what_grows_with_all_its_values_is_the_sum_of_what_they_contribute(text, a, b, c):
    """Euler: of a function of degree one, x * df/dx over all values comes to the function itself."""
    tree, values = parse(text), {"a": a, "b": b, "c": c}
    try:
        expected = result(tree, values)
        found = gradients_of(trace(tree, plain(**values)), ONCE, ONE)
    except ExpressionError:
        reject()
    terms = [CONTEXT.multiply(values[name], rate) for name, rate in found.items()]
    size = max([ONCE, abs(expected), *map(abs, terms)])
    assert abs(total(terms) - expected) <= Decimal("1e-28") * size


@searched
@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=5))
def test_a_weighted_mean_moves_by_each_weight(pairs):
    values, weights = zip(*pairs, strict=True)
    found = gradients("sum(value * weight) / sum(weight)", value=values, weight=weights)
    whole = sum(weights)

    for rate, weight in zip(found["value"], weights, strict=True):
        assert abs(rate - weight / whole) < Decimal("1e-26")
    assert abs(total(map(CONTEXT.multiply, found["weight"], weights))) < Decimal("1e-26")


@pytest.mark.parametrize(
    ("text", "degree"),
    [
        ("a * 2 - b / 3", 1), ("a * b", 2), ("a / b", 0), ("a + 1", None), ("a ^ 3", 3), ("exp(a / b)", 0),
        ("exp(a)", None), ("max(a, b)", 1), ("max(a, 5)", None), ("if(a > b, a, 2 * b)", 1), ("2", 0),
        ("if(a > b, 1, 2) * a", 1), ("round(a, 1)", None), ("sum(a, b) / c", 0), ("value(a, 'degC')", None),
    ],
)  # fmt: skip
def test_the_degree_of_a_formula_says_how_its_result_grows_with_all_values(text, degree):
    assert find_degree(parse(text), lambda _: ONCE) == degree


@searched
@given(formulas(3, (*OF_DEGREE_ONE, *SMOOTH), (*NAMES, "2")), numbers, numbers, numbers)
def test_where_a_degree_is_told_contributions_add_up_to_that_many_times_the_result(text, a, b, c):
    tree, values = parse(text), {"a": a, "b": b, "c": c}
    degree = find_degree(tree, lambda _: ONCE)
    if degree is None:
        reject()
    try:
        expected = result(tree, values) * degree
        found = gradients_of(trace(tree, plain(**values)), ONCE, ONE)
    except ExpressionError:
        reject()
    terms = [CONTEXT.multiply(values[name], rate) for name, rate in found.items()]
    size = max([ONCE, abs(expected), *map(abs, terms)])
    assert abs(total(terms) - expected) <= Decimal("1e-24") * size
