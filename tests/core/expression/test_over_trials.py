"""Over trials an expression means what it means in decimals: the same values, types and lack of a result."""

from decimal import Decimal
from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.core.expression.test_properties import ENVIRONMENT, SCOPE, fitting
from tests.core.expression.trees import arithmetic
from tests.examples import examples

from weighbridge.core.expression import (
    FUNCTIONS,
    PLAIN,
    Budget,
    Environment,
    ExpressionError,
    NameScope,
    compile_columns,
    number,
    parse,
    quantities,
    quantity,
)
from weighbridge.core.expression.compiler import trace
from weighbridge.core.expression.functions import BETWEEN, MEMBERSHIP, NEGATIVE, NOT, NULL_TEST, OPERATORS
from weighbridge.core.expression.meaning import take_identity
from weighbridge.core.expression.trial_compiler import TrialEnvironment, compile_trials
from weighbridge.core.expression.trial_values import TrialValues, hold_content
from weighbridge.core.expression.value import Fault
from weighbridge.core.number import round_to
from weighbridge.core.unit import parse_unit

TRIALS = 3
RELATIVE = 1e-12
searched = settings(max_examples=examples(1000), deadline=None, suppress_health_check=list(HealthCheck))


def over_trials(environment):
    """The environment with every number repeated in each trial, as if it were uncertain by nothing."""
    values = {}
    for name, value in environment.values.items():
        held = hold_content(value.content)
        if held.values.dtype == object:
            values[name] = held
        else:
            shape = (*held.values.shape[:-1], TRIALS)
            missing = None if held.missing is None else np.broadcast_to(held.missing, shape)
            values[name] = TrialValues(np.array(np.broadcast_to(held.values, shape)), missing)
    return TrialEnvironment(environment, values)


def compute(written, environment=ENVIRONMENT):
    """What a text comes to over trials."""
    tree = parse(written) if isinstance(written, str) else written
    scope = NameScope({name: value.type for name, value in environment.values.items()}, environment.tables)
    return compile_trials(tree, scope).compute(over_trials(environment))


def elements_of(content):
    return content if isinstance(content, tuple) else (content,)


def agree(found, content, scale=Decimal(0)):
    """Whether each trial has the elements of a content; `scale` is what a difference is measured by."""
    elements = elements_of(content)
    shape = (len(elements), TRIALS) if isinstance(content, tuple) else (TRIALS,)
    columns = np.broadcast_to(found.values, shape).reshape(len(elements), TRIALS)
    missing = np.broadcast_to(False if found.missing is None else found.missing, shape)
    missing = missing.reshape(len(elements), TRIALS)
    return all(
        is_same(cell, element, is_missing, scale)
        for row, row_missing, element in zip(columns, missing, elements, strict=True)
        for cell, is_missing in zip(row, row_missing, strict=True)
    )


def is_same(cell, element, is_missing, scale):
    if isinstance(element, Fault):
        return (cell is None or np.isnan(cell)) and is_missing == element.is_missing
    if isinstance(element, str):
        return cell == element
    if isinstance(element, bool):
        return cell == float(element)
    return abs(Decimal(float(cell)) - element) <= Decimal(RELATIVE) * max(abs(element), scale)


def is_in_range(content):
    """Whether the decimals are far from their limits, which floats do not share."""
    return all(
        not isinstance(element, Fault) or "beyond 1e" not in element.error.message
        for element in elements_of(content)
    )


def largest(tree, environment):
    """The greatest magnitude that a number of an expression takes on the way, by which rounding goes."""
    sizes = []

    def walk(traced):
        sizes.extend(map(abs, numbers_of(traced)))
        for operand in traced.operands:
            walk(operand)

    walk(trace(tree, environment))
    return max(sizes, default=Decimal(0))


def numbers_of(traced):
    return [one for one in elements_of(traced.value.content) if isinstance(one, Decimal)]


def is_delicate(traced):
    """Whether a step goes by a difference that only decimals have, such as `exp(ln(3)) < 3`.

    Floats take numbers for equal that differ by less than they can tell.
    """
    near = Decimal(RELATIVE)
    operands = [number for operand in traced.operands for number in numbers_of(operand)]
    halves = [round(2 * number) / Decimal(2) for number in operands]
    pairs = [*combinations(operands, 2), *zip(operands, halves, strict=True)]
    is_near = any(a != b and abs(a - b) <= near * max(abs(a), abs(b)) for a, b in pairs)
    size = max(map(abs, operands), default=Decimal(0))
    is_lost = any(0 < abs(number) <= near * size for number in numbers_of(traced))
    return is_near or is_lost or any(map(is_delicate, traced.operands))


@given(fitting())
@searched
def test_each_trial_of_certain_values_is_the_evaluation_in_decimals(written):
    try:
        program = compile_columns(parse(written), SCOPE)
    except ExpressionError:
        assume(False)  # noqa: FBT003 - hypothesis takes it so
    try:
        content = program.step(ENVIRONMENT, Budget())
    except ExpressionError:
        assume(False)  # noqa: FBT003
    assume(is_in_range(content))

    assume(not is_delicate(trace(parse(written), ENVIRONMENT)))

    assert agree(compute(written), content, largest(parse(written), ENVIRONMENT)), written


@given(arithmetic)
@searched
def test_arithmetic_differs_by_what_floats_round(tree):
    program = compile_columns(tree, NameScope())
    content = program.step(Environment(), Budget())
    assume(not isinstance(content, Fault))

    assert agree(compute(tree, Environment()), content, largest(tree, Environment()))


def test_every_operation_has_a_meaning_over_trials():
    meanings = {
        **{str(operator): meaning for operator, meaning in OPERATORS.items()},
        **{name: function.meaning for name, function in FUNCTIONS.items()},
        "minus": NEGATIVE, "not": NOT, "between": BETWEEN, "in": MEMBERSHIP, "is null": NULL_TEST,
    }  # fmt: skip

    without = [
        name
        for name, meaning in meanings.items()
        if meaning.over_trials is None
        and meaning.of_surroundings is None
        and meaning.function is not take_identity
    ]

    assert without == []


@given(
    st.decimals(-(10**6), 10**6, places=4),
    st.integers(-3, 5),
    st.sampled_from(["half_even", "half_up", "half_down", "up", "down", "floor", "ceiling"]),
)
@searched
def test_roundings_are_those_of_the_decimals(value, places, mode):
    environment = Environment({"x": quantity(value, parse_unit(""))})

    found = compute(f"round(x, {places}, {mode})", environment)

    assert [float(round_to(value, places, mode))] * TRIALS == list(found.values)


def test_a_condition_is_decided_in_each_trial():
    tree = parse("if(x > 2, 10 / (x - 2), -x)")
    environment = TrialEnvironment(Environment(), {"x": TrialValues(np.array([1.0, 2.0, 4.0]))})

    found = compile_trials(tree, NameScope({"x": PLAIN})).compute(environment)

    assert list(found.values) == [-1.0, -2.0, 5.0]


def test_a_trial_without_a_result_is_no_number_and_leaves_the_others_alone():
    tree = parse("ln(x) + 0 * sqrt(x)")
    environment = TrialEnvironment(Environment(), {"x": TrialValues(np.array([1.0, -1.0, 0.0]))})

    found = compile_trials(tree, NameScope({"x": PLAIN})).compute(environment)

    assert found.values[0] == 0.0
    assert np.isnan(found.values[1:]).all()


def test_cells_of_a_table_may_differ_from_trial_to_trial():
    scope = NameScope({"kg": PLAIN}, SCOPE.tables)
    cells = {("factors", "kg"): np.array([[1.0, 1.0], [2.0, 3.0]])}
    environment = TrialEnvironment(
        Environment(tables=SCOPE.tables), {"kg": TrialValues(np.array([1.5, 1.5]))}, cells
    )

    found = compile_trials(parse("interpolate(factors, kg, kg)"), scope).compute(environment)

    assert list(found.values) == [1.5, 2.0]


def test_an_array_meets_a_scalar_element_by_element():
    unit = parse_unit("t")
    scope = NameScope({"mass": number(unit, "the loads"), "fraction": PLAIN})
    values = {
        "mass": TrialValues(np.array([[1.0, 2.0], [3.0, 4.0]])),
        "fraction": TrialValues(np.array([0.5, 0.25])),
    }

    found = compile_trials(parse("sum(mass * fraction)"), scope).compute(
        TrialEnvironment(Environment(), values)
    )

    assert list(found.values) == [2.0, 1.5]


@pytest.mark.parametrize(
    "written", ["sum(mass)", "average(mass)", "count(mass)", "median(mass)", "max(mass)"]
)
@pytest.mark.parametrize("amounts", [(), ("1",), ("3", "1", "2", "2.5"), ("-1", "0", "7")])
def test_aggregates_are_those_of_the_decimals(written, amounts):
    mass = quantities([Decimal(amount) for amount in amounts], parse_unit("kg"), "the loads")
    environment = Environment({"mass": mass})
    program = compile_columns(parse(written), NameScope({"mass": mass.type}))

    content = program.step(environment, Budget())

    assert agree(compute(written, environment), content)
