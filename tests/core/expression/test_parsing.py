"""Reading expressions: what binds how, what is refused, and that printing and reading are inverse."""

import pytest
from hypothesis import given
from tests.core.expression.trees import trees

from weighbridge.core.expression import FUNCTIONS, ExpressionError, names, parse, print_tree
from weighbridge.core.expression.parsing import DEPTH_MAX
from weighbridge.core.expression.tree import walk


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("1+2*3", "1 + 2 * 3"),
        ("(1+2)*3", "(1 + 2) * 3"),
        ("1-2-3", "1 - 2 - 3"),
        ("1-(2-3)", "1 - (2 - 3)"),
        ("2^3^2", "2 ^ 3 ^ 2"),
        ("(2^3)^2", "(2 ^ 3) ^ 2"),
        ("-2^2", "-2 ^ 2"),
        ("(-2)^2", "(-2) ^ 2"),
        ("2^-1", "2 ^ -1"),
        ("a AND b Or NOT c", "a and b or not c"),
        ("(a or b) and c", "(a or b) and c"),
        ("not a = b", "not a = b"),
        ("a < -1", "a < -1"),
        ("(a + b) > c", "(a + b) > c"),
        ("(a < b) = true", "(a < b) = true"),
        ("x Between 1 AND 2 and y", "x between 1 and 2 and y"),
        ("x not between 1 and 2", "not x between 1 and 2"),
        ("x NOT IN ('a', 'b')", "not x in ('a', 'b')"),
        ("x is not null", "not x is null"),
        ("x starts   with 'a'", "x starts with 'a'"),
        ("x NOT MATCHES '^a'", "not x matches '^a'"),
        ('x ends with "it\'s"', 'x ends with "it\'s"'),
        ("x = 'it''s'", 'x = "it\'s"'),
        ("SUM( a*b )", "sum(a * b)"),
        ("round(a,2,half_up)", "round(a, 2, half_up)"),
        ("to(a, 'kWh')", "to(a, kWh)"),
        ('to(a, "kg{CO2e}")', "to(a, 'kg{CO2e}')"),
        ("{{ wet-mass }} > 2", "{{wet-mass}} > 2"),
        ('node."Dry mass".value', "node.'Dry mass'.value"),
        ("drawn.ghg_intensity", "drawn.ghg_intensity"),
        ("1e3 + 0.10", "1000 + 0.1"),
        ("period_days()", "period_days()"),
    ],
)
def test_an_expression_is_read_and_written(text, meaning):
    assert print_tree(parse(text)) == meaning
    assert parse(meaning) == parse(text)


@given(trees)
def test_a_tree_that_is_written_and_read_is_the_same_tree(tree):
    text = print_tree(tree)

    assert parse(text) == tree
    assert print_tree(parse(text)) == text


@pytest.mark.parametrize(
    ("text", "position", "reason"),
    [
        ("a < b < c", "column 7", "A comparison next to a comparison is ambiguous"),
        ("a = b = c", "column 7", "A comparison next to a comparison is ambiguous"),
        ("a is null = b", "column 11", "A comparison next to a comparison is ambiguous"),
        ("a in (1) in (2)", "column 10", "A comparison next to a comparison is ambiguous"),
        ("a between 1 and 2 > 3", "column 19", "A comparison next to a comparison is ambiguous"),
        ("a + b > c", "column 7", "Arithmetic next to a comparison is ambiguous"),
        ("a < b * c", "column 3", "Arithmetic next to a comparison is ambiguous"),
        ("-a ^ 2 > b", "column 8", "Arithmetic next to a comparison is ambiguous"),
        ("a between b + 1 and c", "column 3", "Arithmetic next to a comparison is ambiguous"),
        ("a + 1 in (2)", "column 7", "Arithmetic next to a comparison is ambiguous"),
        ("", "column 1", "The expression ends where a number"),
        ("1 +", "column 4", "The expression ends where a number"),
        ("1 +\n  2 +", "line 2, column 6", "The expression ends where"),
        ("sum(1", "column 6", "an operator or a closing parenthesis is needed"),
        ("1 2", "column 3", "Expected an operator, but found '2'"),
        ("()", "column 2", r"Expected a number, .*, but found '\)'"),
        ("a == b", "column 4", "compared with a single ="),
        ("1 + and", "column 5", "'and' is a word of the language"),
        ("§", "column 1", "'§' has no meaning"),
        ("a + 'open", "column 5", "not closed with the same quote"),
        ("{{}}", "column 1", "The braces name nothing"),
        ("foo(1)", "column 1", "There is no function 'foo'"),
        ("avrage(a)", "column 1", "did you mean 'average'"),
        ("a.sum(1)", "column 6", "Expected an operator"),
        ("abs(1, 2)", "column 1", r"abs\(x\) takes 1 arguments, but has 2"),
        ("if(a, 1)", "column 1", "takes 3 arguments, but has 2"),
        ("round(1, 2, 1 + 1)", "column 15", "Argument 3 of round"),
        ("1e200", "column 1", "outside 1e-100 to 1e100"),
        ("1" * 35, "column 1", "more than 34 significant digits"),
        ("__import__('os')", "column 1", "There is no function '__import__'"),
        ("a[0]", "column 2", "has no meaning"),
        ("lambda: 1", "column 7", "has no meaning"),
        ("+1", "column 1", "Expected a number"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(text, position, reason):
    with pytest.raises(ExpressionError, match=reason) as refused:
        parse(text)

    assert str(refused.value.position) == position
    assert str(refused.value).startswith(f"At {position}: ")
    assert refused.value.message[-1] in ".?"


def test_an_expression_is_bounded_in_length():
    assert parse("1" + " " * 9_999)
    with pytest.raises(ExpressionError, match="at most 10000 characters; this one has 10001"):
        parse("1" + " " * 10_000)


@pytest.mark.parametrize(
    ("before", "after"), [("(", ")"), ("-", ""), ("not ", ""), ("abs(", ")"), ("1 ^ ", ""), ("", " + 1")]
)
def test_an_expression_is_bounded_in_depth(before, after):
    def nested(depth):
        return before * depth + "1" + after * depth

    assert parse(nested(DEPTH_MAX - 1))
    with pytest.raises(ExpressionError, match="nested deeper than 64"):
        parse(nested(DEPTH_MAX))


def test_an_expression_is_bounded_in_size():
    def balanced(count):
        return "1" if count == 1 else f"({balanced(count // 2)} + {balanced(count - count // 2)})"

    assert len(list(walk(parse(balanced(500))))) == 999
    with pytest.raises(ExpressionError, match="more than 1000 numbers"):
        parse(balanced(501))


def test_parentheses_by_the_thousand_are_refused_and_do_not_crash():
    with pytest.raises(ExpressionError, match="nested deeper"):
        parse("(" * 4_999 + "1" + ")" * 4_999)


def test_the_names_of_an_expression_are_all_that_it_reads():
    tree = parse("lookup(factors, kg_per_t, partition.feedstock) * to(mass, 'kg') + round(x, 1, half_up)")

    assert [name.text for name in names(tree)] == ["partition.feedstock", "mass", "x"]


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=lambda function: function.name)
def test_the_example_of_every_function_can_be_read(function):
    assert function.name in function.example
    assert parse(function.example)
    assert function.doc.endswith(".")
