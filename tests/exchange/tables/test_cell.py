"""What the text of a cell says."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.number import NumberError, parse_decimal
from weighbridge.exchange.tables.cell import CellError, NumberForm, read_boolean, read_number

COMMAS = NumberForm(decimal_comma=True)


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("12.50", "12.50"),
        ("-0.001", "-0.001"),
        ("0", "0"),
        ("1e3", "1E+3"),
        ("+5", "5"),
        (".5", "0.5"),
        ("0.1234567890123456789012345678901234", "0.1234567890123456789012345678901234"),
    ],
)
def test_a_number_keeps_its_digits(text, digits):
    assert str(read_number(text)) == digits


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("n/a", "'n/a' is not a decimal number"),
        ("NaN", "'NaN' is not a decimal number"),
        ("1,5", "'1,5' is not a decimal number; for decimal commas there is decimal_mark"),
        ("1,234.5", "'1,234.5' is not a decimal number"),
        ("1 000", "'1 000' is not a decimal number"),
        ("٣", "'٣' is not a decimal number"),
        ("1e200", "1E+200 is outside 1e-100 to 1e100"),
        ("1" * 35, f"{'1' * 35} has more than 34 significant digits"),
    ],
)
def test_what_is_not_a_number_is_refused(text, complaint):
    with pytest.raises(CellError) as refused:
        read_number(text)

    assert str(refused.value) == complaint


@given(st.text(alphabet="0123456789.-+eE,", max_size=50))
def test_the_quick_test_of_a_number_agrees_with_the_rule(text):
    try:
        expected = parse_decimal(text)
    except NumberError:
        with pytest.raises(CellError):
            read_number(text)
    else:
        assert str(read_number(text)) == str(expected)


def test_a_decimal_comma_is_read_where_it_is_announced():
    assert read_number("1234,50", COMMAS) == Decimal("1234.50")
    assert read_number("7", COMMAS) == Decimal(7)


@pytest.mark.parametrize("text", ["1.234,5", "1.5", "1,2,3"])
def test_a_point_or_a_second_comma_is_refused_beside_decimal_commas(text):
    with pytest.raises(CellError):
        read_number(text, COMMAS)


@pytest.mark.parametrize(("text", "value"), [("TRUE", True), ("yes", True), ("1", True), ("No", False)])
def test_yes_and_no_are_read_in_a_few_words(text, value):
    assert read_boolean(text) is value


def test_another_word_is_neither_yes_nor_no():
    with pytest.raises(CellError, match="'maybe' is neither true, yes, 1 nor false, no, 0"):
        read_boolean("maybe")
