"""A compiled rule computes what the engine of formulas computes, only quicker."""

import contextlib
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from weighbridge.core.expression import (
    PLAIN,
    TEXT,
    TRUTH,
    Environment,
    ExpressionError,
    Value,
    evaluate,
    parse,
    print_tree,
)
from weighbridge.core.expression.compiler import compile_row
from weighbridge.core.expression.tree import (
    Between,
    Binary,
    FunctionCall,
    Membership,
    Name,
    Number,
    Operator,
    Text,
    Unary,
)
from weighbridge.core.expression.value import Fault
from weighbridge.core.rule import LANGUAGE

A, B, S, T, W = (Name((name,), is_verbatim=True) for name in ("a", "b", "s", "t", "w"))
TYPES = {A: PLAIN, B: PLAIN, S: TEXT, T: TEXT, W: TRUTH}
ARITHMETIC = [Operator.ADD, Operator.SUBTRACT, Operator.MULTIPLY, Operator.DIVIDE, Operator.POWER]
ORDER = [Operator.LESS, Operator.LESS_OR_EQUAL, Operator.GREATER, Operator.GREATER_OR_EQUAL]
EQUALITY = [Operator.EQUAL, Operator.NOT_EQUAL]
OF_TEXT = [Operator.CONTAINS, Operator.STARTS_WITH, Operator.ENDS_WITH, *EQUALITY]
OF_ONE = ["abs", "floor", "ceil", "sqrt", "ln", "round"]
OF_TWO = ["min", "max", "coalesce"]

numbers = st.decimals(min_value=-20, max_value=20, places=2)
texts = st.text(alphabet="ab", max_size=3)
quantities = st.deferred(
    lambda: st.one_of(
        st.sampled_from([A, B]),
        st.builds(Number, numbers.map(abs)),
        st.builds(Binary, st.sampled_from(ARITHMETIC), quantities, quantities),
        st.builds(Unary, st.just(Operator.SUBTRACT), quantities),
        st.builds(lambda name, x: FunctionCall(name, (x,)), st.sampled_from(OF_ONE), quantities),
        st.builds(
            lambda name, x, y: FunctionCall(name, (x, y)), st.sampled_from(OF_TWO), quantities, quantities
        ),
        st.builds(lambda test, x, y: FunctionCall("if", (test, x, y)), truths, quantities, quantities),
    )
)
words = st.one_of(st.sampled_from([S, T]), st.builds(Text, texts))
patterns = st.builds(Text, st.sampled_from(["^a+b?$", "b"]))
truths = st.deferred(
    lambda: st.one_of(
        st.just(W),
        st.builds(Binary, st.sampled_from([*ORDER, *EQUALITY]), quantities, quantities),
        st.builds(Binary, st.sampled_from(OF_TEXT), words, words),
        st.builds(Binary, st.just(Operator.MATCHES), words, patterns),
        st.builds(Binary, st.sampled_from([Operator.AND, Operator.OR]), truths, truths),
        st.builds(Unary, st.just(Operator.NOT), truths),
        st.builds(Between, quantities, quantities, quantities),
        st.builds(Membership, quantities, st.lists(quantities, min_size=1, max_size=3).map(tuple)),
    )
)


@settings(max_examples=examples(400), deadline=None)
@given(truths, st.tuples(numbers, numbers, texts, texts, st.booleans()))
def test_where_the_engine_has_a_value_a_compiled_rule_has_the_same(tree, row):
    environment = Environment(
        {name.text: Value(TYPES[name], value) for name, value in zip(TYPES, row, strict=True)}
    )

    found = compile_row(tree, {name: place for place, name in enumerate(TYPES)})(row)

    expected = None
    with contextlib.suppress(ExpressionError):
        expected = evaluate(tree, environment).content
    if expected is not None:
        assert found is expected, print_tree(tree)
    else:
        assert isinstance(found, Fault | bool)


@settings(max_examples=examples(100), deadline=None)
@given(truths, st.tuples(*(st.none() | one for one in (numbers, numbers, texts, texts, st.booleans()))))
def test_a_compiled_rule_never_raises_and_is_true_false_missing_or_at_fault(tree, row):
    found = compile_row(tree, {name: place for place, name in enumerate(TYPES)})(row)

    assert found is None or isinstance(found, bool | Fault)


def test_what_is_printed_of_a_rule_is_read_as_the_same_rule():
    text = "average({{wet-mass}}) > 3 and percentile({{a}}, 5, 'linear') < 2 and not {{s}} is null"

    assert parse(print_tree(parse(text, LANGUAGE)), LANGUAGE) == parse(text, LANGUAGE)


def test_a_number_keeps_its_digits():
    third = compile_row(parse("1 / 3", LANGUAGE), {})(())

    assert third == Decimal("0.3333333333333333333333333333333333")
