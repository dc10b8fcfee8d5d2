"""Random expressions: trees as the grammar can make them, texts near the language, texts from anywhere."""

from decimal import Decimal

from hypothesis import strategies as st

from weighbridge.core.expression import FUNCTIONS
from weighbridge.core.expression.tree import (
    Between,
    Binary,
    Boolean,
    FunctionCall,
    Membership,
    Name,
    NullTest,
    Number,
    Operator,
    Text,
    Unary,
    Word,
)

ARITHMETIC = [Operator.ADD, Operator.SUBTRACT, Operator.MULTIPLY, Operator.DIVIDE, Operator.POWER]
COMPARISONS = [
    operator
    for operator in Operator
    if operator not in {*ARITHMETIC, Operator.AND, Operator.OR, Operator.NOT}
]
WORDS = st.sampled_from(["kg", "t{CO2e}/t{C}", "half_up", "exact", "table", "in", "mass flow"])

texts = st.text(alphabet="ab '\"%_é\n", max_size=6)
leaves = st.one_of(
    st.builds(Number, st.decimals(min_value=0, max_value=1000, places=3)),
    st.builds(Text, texts),
    st.builds(Boolean, st.booleans()),
    st.builds(
        Name, st.sampled_from([("mass",), ("partition", "asset"), ("node", "My Node", "x"), ("draws", "in")])
    ),
    st.builds(lambda name: Name((name,), is_verbatim=True), st.sampled_from(["wet-mass", "in", "a b"])),
)


def _calls(operands):
    def call(function, arguments):
        least, most = function.arity[0], min(function.arity[-1], 4)
        count = least + len(arguments) % (most - least + 1)
        chosen = [
            Word("kg") if index in function.words else arguments[index % len(arguments)]
            for index in range(count)
        ]
        return FunctionCall(function.name, tuple(chosen))

    return st.builds(
        call, st.sampled_from(list(FUNCTIONS.values())), st.lists(operands, min_size=1, max_size=4)
    )


trees = st.recursive(
    leaves,
    lambda operands: st.one_of(
        st.builds(Unary, st.sampled_from([Operator.SUBTRACT, Operator.NOT]), operands),
        st.builds(
            Binary,
            st.sampled_from([*ARITHMETIC, *COMPARISONS, Operator.AND, Operator.OR]),
            operands,
            operands,
        ),
        st.builds(Between, operands, operands, operands),
        st.builds(Membership, operands, st.lists(operands, min_size=1, max_size=3).map(tuple)),
        st.builds(NullTest, operands),
        _calls(operands),
    ),
    max_leaves=12,
)

SIGNS = ["+", "-", "*", "/", "^", "=", "!=", "<", "<=", ">", ">=", "(", ")", ",", ".", "§", "\\"]
VALUES = ["0", "1", "2.5", "1e99", "64", "'text'", '"x"', "true", "null", "{{wet-mass}}", "mass", "moisture"]
NAMES = ["label", "flag", "array", "other", "missing", "factors", "kg", "exact"]
KEYWORDS = ["and", "or", "not", "between", "in", "is", "contains", "matches", "starts with", "ends with"]
OPENINGS = [f"{name}(" for name in FUNCTIONS]

near_texts = st.lists(st.sampled_from([*SIGNS, *VALUES, *NAMES, *KEYWORDS, *OPENINGS]), max_size=14).map(
    " ".join
)

arithmetic = st.recursive(
    st.builds(Number, st.integers(0, 50).map(Decimal)),
    lambda operands: st.one_of(
        st.builds(Binary, st.sampled_from(ARITHMETIC[:4]), operands, operands),
        st.builds(Unary, st.just(Operator.SUBTRACT), operands),
    ),
    max_leaves=8,
)
