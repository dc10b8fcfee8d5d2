"""What holds for every expression: exact arithmetic, a check that a run never contradicts, no crash.

A longer search: `WEIGHBRIDGE_FUZZ_EXAMPLES=100000 pytest tests/core/expression/test_properties.py`.
"""

import contextlib
import os
import time
from decimal import Decimal
from fractions import Fraction

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.core.expression.trees import arithmetic, near_texts, trees
from tests.examples import examples

from weighbridge.core.expression import (
    PLAIN,
    TEXT,
    TRUTH,
    Budget,
    Environment,
    ExpressionError,
    NameScope,
    Table,
    TableColumn,
    Value,
    check,
    compile_columns,
    evaluate,
    parse,
    print_tree,
    quantities,
    quantity,
    text,
)
from weighbridge.core.expression.tree import Binary, Number, Operator, Unary
from weighbridge.core.unit import parse_unit

EXAMPLES = int(os.environ.get("WEIGHBRIDGE_FUZZ_EXAMPLES", examples(2000)))
SECONDS_MAX = 0.05
searched = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
briefly = settings(max_examples=examples(300), deadline=None, suppress_health_check=list(HealthCheck))

VALUES = {
    "mass": quantity(Decimal("2.5"), parse_unit("t")),
    "moisture": quantity(Decimal(12), parse_unit("%")),
    "label": text("wood"),
    "flag": Value(TRUTH, content=True),
    "array": quantities([Decimal(1), Decimal(0)], parse_unit("kg"), "the deliveries"),
    "other": quantities([Decimal(1)], parse_unit("kg"), "the bills"),
    "missing": quantity(None, parse_unit("kg")),
    "wet-mass": quantity(Decimal(3), parse_unit("kg")),
    "partition.asset": text("kiln"),
    "kg": quantity(Decimal(1), parse_unit("")),
    "exact": quantity(Decimal(-1), parse_unit("")),
}
TABLES = {
    "factors": Table(
        "factors",
        (TableColumn("kg", PLAIN), TableColumn("exact", TEXT)),
        ((Decimal(1), "a"), (Decimal(2), "b")),
    )
}
SCOPE = NameScope({name: value.type for name, value in VALUES.items()}, TABLES)
ENVIRONMENT = Environment(VALUES, TABLES)

LEAVES = [*(name for name in VALUES if "-" not in name), "0", "1", "2", "'wood'", "true"]
SHAPES = [
    "({} + {})", "({} - {})", "({} * {})", "({} / {})", "({} ^ 2)", "(-{})", "({} < {})", "({} = {})",
    "({} and {})",
    "(not {})", "({} or {})", "({} is null)", "({} in ({}, {}))", "({} between {} and {})", "if({}, {}, {})",
    "coalesce({}, {})", "sum({})", "max({}, {})", "count({})", "round({}, 1)", "sqrt({})", "abs({})",
    "to({}, kg)",
    "value({}, '%')", "quantity({}, kg)", "lookup(factors, exact, {})", "interpolate(factors, kg, {})",
    "({} contains {})", "clamp({}, {}, {})", "median({})", "exp({})", "ln({})", "({} ^ {})",
]  # fmt: skip


@st.composite
def fitting(draw, depth=3):
    """Expressions over the values above, of which a good part fits together."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from(LEAVES))
    shape = draw(st.sampled_from(SHAPES))
    return shape.format(*(draw(fitting(depth=depth - 1)) for _ in range(shape.count("{}"))))


def exact(tree):
    match tree:
        case Number(value=value):
            return Fraction(value)
        case Unary(operand=operand):
            return -exact(operand)
        case Binary(operator=Operator.ADD, left=left, right=right):
            return exact(left) + exact(right)
        case Binary(operator=Operator.SUBTRACT, left=left, right=right):
            return exact(left) - exact(right)
        case Binary(operator=Operator.MULTIPLY, left=left, right=right):
            return exact(left) * exact(right)
        case Binary(left=left, right=right):
            return exact(left) / exact(right)


@given(arithmetic)
@briefly
def test_arithmetic_agrees_with_rational_numbers(tree):
    try:
        expected = exact(tree)
    except ZeroDivisionError:
        assume(False)  # noqa: FBT003 - hypothesis takes it so

    result = Fraction(evaluate(tree, Environment()).content)

    assert abs(result - expected) <= max(abs(expected), 1) * Fraction(1, 10**25)


@given(fitting())
@searched
def test_a_check_is_never_contradicted_by_a_run(written):
    tree = parse(written)
    found, value = outcome(check, tree, SCOPE), outcome(evaluate, tree, ENVIRONMENT)

    if found is None:
        assert value is None, "what a check refuses has no value"
    if value is not None:
        assert value.type == found


def told(compute):
    """A value, or the words of its refusal."""
    try:
        return compute()
    except ExpressionError as error:
        return error.message, error.position


@given(fitting())
@searched
def test_a_compiled_expression_does_what_its_evaluation_does(written):
    tree = parse(written)
    program = told(lambda: compile_columns(tree, SCOPE))
    if isinstance(program, tuple):
        assert told(lambda: check(tree, SCOPE)) == program
        return
    costs = Budget(), Budget()
    computed = told(lambda: program.compute(ENVIRONMENT, costs[0]))
    assert computed == told(lambda: evaluate(tree, ENVIRONMENT, costs[1]))
    assert costs[0].spent == costs[1].spent


def outcome(look, tree, names):
    """What a look at an expression finds; None when it refuses."""
    with contextlib.suppress(ExpressionError):
        return look(tree, names)
    return None


@given(near_texts | trees.map(print_tree) | st.text(max_size=40))
@searched
def test_any_text_is_computed_or_refused_and_nothing_else(written):
    with contextlib.suppress(ExpressionError):
        tree = parse(written)
        assert parse(print_tree(tree)) == tree
        check(tree, SCOPE)
        evaluate(tree, ENVIRONMENT)


def seconds(written):
    """The processor time that a text takes from reading to its value."""
    started = time.thread_time()
    with contextlib.suppress(ExpressionError):
        tree = parse(written)
        check(tree, SCOPE)
        evaluate(tree, ENVIRONMENT)
    return time.thread_time() - started


@given(near_texts | trees.map(print_tree) | st.text(max_size=40))
@searched
def test_no_text_takes_long(written):
    # Taken again when it seems long: the interpreter may have collected its garbage in between.
    assert any(seconds(written) <= SECONDS_MAX for _ in range(3))


@given(near_texts)
@briefly
def test_the_same_expression_gives_the_same_digits(written):
    with contextlib.suppress(ExpressionError):
        assert evaluate(parse(written), ENVIRONMENT) == evaluate(parse(written), ENVIRONMENT)
