"""Numbers: what is read, how it is written, how it is rounded, what a sum is."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.number import NumberError, limit_number, parse_decimal, plain, round_to, total

numbers = st.builds(
    lambda digits, exponent: Decimal(digits).scaleb(exponent),
    st.integers(-(10**34) + 1, 10**34 - 1),
    st.integers(-60, 60),
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", Decimal("0.1")),
        ("-12", Decimal(-12)),
        ("+3.50", Decimal("3.50")),
        ("1e3", Decimal(1000)),
        (".5", Decimal("0.5")),
        ("9999999999999999999999999999999999", Decimal(10**34 - 1)),
        ("1e100", Decimal("1e100")),
        ("1e-100", Decimal("1e-100")),
    ],
)
def test_a_number_is_read_to_the_last_digit(text, value):
    assert parse_decimal(text) == value


@pytest.mark.parametrize("text", ["", "NaN", "Infinity", "1_000", "1,5", "0x10", "1e", "--1", "٣", "1" * 300])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(NumberError, match="is not a decimal number"):
        parse_decimal(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("12345678901234567890123456789012345", "more than 34 significant digits"),
        ("1e101", "outside 1e-100 to 1e100"),
        ("1.1E+100", "outside 1e-100 to 1e100"),
        ("-1.000000000000000000000000000000001e100", "outside 1e-100 to 1e100"),
        ("0.9e-100", "outside 1e-100 to 1e100"),
        ("1e-101", "outside 1e-100 to 1e100"),
        ("1e999999", "outside 1e-100 to 1e100"),
        ("0e-999999", "places after the point"),
    ],
)
def test_a_number_beyond_the_limits_is_refused(text, reason):
    with pytest.raises(NumberError, match=reason):
        parse_decimal(text)


def test_zeros_that_say_nothing_do_not_count_as_digits():
    assert parse_decimal("1" + "0" * 60) == Decimal("1e60")


def test_a_number_that_is_not_finite_is_refused():
    with pytest.raises(NumberError, match="finite"):
        limit_number(Decimal("NaN"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("1.500", "1.5"),
        ("1E+3", "1000"),
        ("-0.00", "0"),
        ("1E-7", "0.0000001"),
        ("100", "100"),
        ("0E+3", "0"),
    ],
)
def test_a_number_is_written_without_exponent_in_the_fewest_digits(value, text):
    assert plain(Decimal(value)) == text


@given(numbers)
def test_a_number_that_is_written_and_read_is_the_same_number(value):
    assert parse_decimal(plain(value)) == value


@pytest.mark.parametrize(
    ("mode", "up", "down"),
    [
        ("half_even", "0.12", "-0.12"),
        ("half_up", "0.13", "-0.13"),
        ("half_down", "0.12", "-0.12"),
        ("up", "0.13", "-0.13"),
        ("down", "0.12", "-0.12"),
        ("floor", "0.12", "-0.13"),
        ("ceiling", "0.13", "-0.12"),
    ],
)
def test_each_rounding_mode_does_what_its_name_says(mode, up, down):
    assert round_to(Decimal("0.125"), 2, mode) == Decimal(up)
    assert round_to(Decimal("-0.125"), 2, mode) == Decimal(down)


def test_places_before_the_point_round_to_tens_and_hundreds():
    assert round_to(Decimal(1250), -2) == Decimal(1200)


def test_a_number_with_fewer_places_is_left_alone():
    assert str(round_to(Decimal("1.5"), 3)) == "1.5"


def test_a_sum_is_rounded_once_and_does_not_depend_on_the_order():
    values = [Decimal("1e33"), Decimal("0.4"), Decimal("0.4"), Decimal("0.4"), Decimal("-1e33")]

    assert total(values) == total(reversed(values)) == Decimal("1.2")
