"""Checking expressions: what does not fit together is refused before anything is computed."""

from decimal import Decimal

import pytest

from weighbridge.core.expression import (
    PLAIN,
    TEXT,
    TRUTH,
    ExpressionError,
    NameScope,
    Table,
    TableColumn,
    check,
    number,
    parse,
)
from weighbridge.core.unit import ONE, parse_unit

SCOPE = NameScope(
    {
        "wet": number(parse_unit("t{wet}"), "the deliveries"),
        "moisture": number(parse_unit("%"), "the deliveries"),
        "bills": number(parse_unit("kWh"), "the bills"),
        "mass": number(parse_unit("t")),
        "dry": number(parse_unit("t{dry}")),
        "warm": number(parse_unit("degC")),
        "temperatures": number(parse_unit("degC"), "the readings"),
        "intensity": number(None, "the deliveries"),
        "label": TEXT,
        "flag": TRUTH,
    },
    {
        "factors": Table(
            "factors",
            (TableColumn("feedstock", TEXT), TableColumn("kg", PLAIN)),
            (("Wood", Decimal(1)), ("Straw", Decimal(2))),
        ),
        "falling": Table(
            "falling",
            (TableColumn("key", PLAIN), TableColumn("name", TEXT)),
            ((Decimal(2), "b"), (Decimal(1), "a")),
        ),
        "rising": Table(
            "rising",
            (TableColumn("key", PLAIN), TableColumn("name", TEXT)),
            ((Decimal(1), "a"), (Decimal(2), "b")),
        ),
    },
)


@pytest.mark.parametrize(
    ("expression", "position", "reason"),
    [
        ("wet + dry", "column 5", r"Adding is refused between t\{wet\} and t\{dry\}"),
        ("1 + mass", "column 3", "Adding is refused between 1 and t"),
        ("mass - bills", "column 6", "Subtracting is refused between t and kWh"),
        ("mass < dry", "column 6", r"Comparing is refused between t and t\{dry\}"),
        ("mass between 0 and 1", "column 6", "Comparing is refused between t and 1"),
        ("mass in (1, 2)", "column 6", "Comparing is refused between t and 1"),
        ("max(mass, dry)", "column 1", "Taking max is refused"),
        ("clamp(mass, 0, 1)", "column 1", "Taking clamp is refused"),
        ("if(flag, mass, dry)", "column 1", "Choosing is refused"),
        ("coalesce(mass, 0)", "column 1", "Choosing is refused"),
        ("if(mass, 1, 2)", "column 1", "The condition of if must be true or false; it is a number of t"),
        ("to(mass, 'kWh')", "column 1", "Converting is refused between t and kWh"),
        ("to(mass, 'flibber')", "column 1", "'flibber' is not a known unit"),
        ("value(label, 'kg')", "column 1", "What is converted must be a number; it is a text"),
        ("quantity(mass, 'kg')", "column 1", "must be a plain number, but is in t"),
        ("exp(mass)", "column 1", "The argument of exp must be a plain number, but is in t"),
        ("ln(wet)", "column 1", "The argument of ln must be a plain number"),
        ("sqrt(mass)", "column 1", "The square root of t has no unit"),
        ("mass ^ 0.5", "column 6", "needs a whole number"),
        ("mass ^ moisture", "column 6", "needs a whole number"),
        ("2 ^ mass", "column 3", "An exponent must be a plain number"),
        ("mass ^ 65", "column 6", "The exponent 65 is beyond 64"),
        ("(mass ^ 64) * mass", "column 13", "beyond 64"),
        ("label + label", "column 7", r"An operand of \+ or - must be a number"),
        ("label * 2", "column 7", r"An operand of \* must be a number; it is a text"),
        ("-label", "column 1", "must be a number; it is a text"),
        ("label < 'b'", "column 7", "What is compared by size must be a number"),
        ("label = 1", "column 7", "Comparing needs two of one kind"),
        ("label between 'a' and 'b'", "column 7", "must be a number; it is a text"),
        ("mass contains 'x'", "column 6", "An operand of a text test must be a text"),
        ("label matches label", "column 7", "must be a text in quotes"),
        ("label matches '('", "column 15", "a parenthesis is not closed"),
        ("mass and flag", "column 6", "An operand of and, or and not must be true or false"),
        ("not mass", "column 1", "must be true or false"),
        ("sum(mass)", "column 1", "sum of one argument needs an array"),
        ("count(mass)", "column 1", "count needs an array"),
        ("sum(label, label)", "column 1", "What sum is taken of must be a number"),
        ("sum(temperatures)", "column 1", "A sum of temperatures in degC has no meaning"),
        ("abs(label)", "column 1", "must be a number; it is a text"),
        ("round(label)", "column 1", "What is rounded must be a number"),
        ("round(1, mass)", "column 1", "are written as a whole number"),
        ("round(1, 1.5)", "column 1", "are written as a whole number"),
        ("round(1, 35)", "column 1", "from -34 to 34"),
        ("round(1, 1, nearest)", "column 1", "'nearest' is no rounding mode; the modes are half_even"),
        ("wet * bills", "column 5", "Two arrays that do not run in parallel"),
        ("if(wet > (0 * wet), bills, bills)", "column 1", "Two arrays that do not run in parallel"),
        ("duration_hours(mass)", "column 1", "aggregate: values"),
        ("duration_hours(wet * 1)", "column 1", "an input by its name alone"),
        ("lookup(nothing, kg, label)", "column 1", "There is no table 'nothing'"),
        ("lookup(factor, kg, label)", "column 1", "did you mean 'factors'"),
        ("lookup(factors, kgs, label)", "column 1", "has no column 'kgs'; it has feedstock, kg"),
        ("lookup(factors, kg, 1)", "column 1", "Comparing with the key column needs two of one kind"),
        (
            "lookup(factors, kg, label, near)",
            "column 1",
            "'near' is no way to match; there are exact, below, above",
        ),
        ("lookup(factors, kg, label, below)", "column 1", "needs numbers that rise"),
        ("lookup(falling, name, 1, above)", "column 1", "needs numbers that rise"),
        ("interpolate(rising, name, 1)", "column 1", "The column 'name' holds texts"),
        ("interpolate(rising, key, mass)", "column 1", "Comparing with the key column is refused"),
        ("other", "column 1", "There is no 'other' here"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(expression, position, reason):
    with pytest.raises(ExpressionError, match=reason) as refused:
        check(parse(expression), SCOPE)

    assert str(refused.value.position) == position


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("wet * (1 - moisture)", "an array, each element a number of t{wet}"),
        ("sum(wet) / mass", "a number of t{wet}/t"),
        ("wet > sum(wet)", "an array, each element true or false"),
        ("lookup(factors, kg, label)", "a number of 1"),
        ("lookup(factors, feedstock, label)", "a text"),
        ("if(flag, wet, sum(wet))", "an array, each element a number of t{wet}"),
        ("warm * mass", "a number of K*t"),
        ("duration_hours(wet)", "an array, each element a number of h"),
    ],
)
def test_an_expression_has_a_type(expression, found):
    assert str(check(parse(expression), SCOPE)) == found


def test_a_unit_that_only_a_run_can_tell_is_not_refused():
    assert str(check(parse("sum(wet * intensity)"), SCOPE)) == "a number"
    assert check(parse("to(sum(wet * intensity), 'kg{CO2e}')"), SCOPE).unit == parse_unit("kg{CO2e}")
    assert check(parse("intensity + mass"), SCOPE).unit == parse_unit("t")
    assert check(parse("sqrt(intensity) ^ 2 / intensity"), SCOPE).unit is None


def test_a_plain_number_is_of_the_unit_one():
    assert check(parse("1 + moisture"), SCOPE).unit == ONE
