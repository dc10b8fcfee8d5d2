"""Units: pint's units, tags as dimensions of their own, exact conversion."""

import contextlib
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.unit import (
    ONE,
    UnitError,
    are_compatible,
    convert,
    divide,
    find_factor,
    multiply,
    parse_unit,
    power,
    square_root,
)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("t", "kg", "1000"),
        ("tonne", "kg", "1000"),
        ("MWh", "kWh", "1000"),
        ("kWh", "MJ", "3.6"),
        ("m3", "L", "1000"),
        ("m^3", "L", "1000"),
        ("m**3", "L", "1000"),
        ("m³", "L", "1000"),
        ("mbar", "Pa", "100"),
        ("therm", "mmBtu", "0.1"),
        ("lb", "kg", "0.45359237"),
        ("short_ton", "kg", "907.18474"),
        ("km", "m", "1000"),
        ("mg", "g", "0.001"),
        ("%", "", "0.01"),
        ("kg{CO2e}/kWh", "t{CO2e}/MWh", "1"),
        ("degC", "K", "274.15"),
        ("degF", "degC", "-17.22222222222222222222222222222222"),
        ("d", "h", "24"),
        ("1/h", "1/d", "24"),
        ("kg/(m*s^2)", "Pa", "1"),
        ("J/(kg*K)", "kJ/(t*delta_degC)", "1"),
    ],
)
def test_one_of_a_unit_is_so_many_of_another(source, target, expected):
    assert convert(Decimal(1), parse_unit(source), parse_unit(target)) == Decimal(expected)


@pytest.mark.parametrize("text", ["", "1", "dimensionless", "  "])
def test_a_plain_number_has_a_unit_too(text):
    assert parse_unit(text) == ONE


def test_a_factor_is_an_exact_rational():
    assert find_factor(parse_unit("acre"), parse_unit("m^2")) == Fraction(62726400000, 15499969)


@pytest.mark.parametrize(
    ("first", "second"), [("t{wet}", "t{dry}"), ("t", "t{CO2e}"), ("kg", "kWh"), ("{EUR}", "")]
)
def test_a_tag_is_a_dimension_of_its_own(first, second):
    assert not are_compatible(parse_unit(first), parse_unit(second))
    with pytest.raises(UnitError, match="cannot be converted"):
        convert(Decimal(1), parse_unit(first), parse_unit(second))


def test_units_that_meet_in_a_product_cancel():
    product = multiply(parse_unit("kg{CH4}"), parse_unit("kg{CO2e}/kg{CH4}"))

    assert product.text == "kg{CO2e}"
    assert are_compatible(product, parse_unit("t{CO2e}"))


def test_quotients_powers_and_roots_of_units_are_written_as_they_are_read():
    per_hour = divide(ONE, parse_unit("h"))
    area = power(parse_unit("m{wall}"), 2)

    assert (per_hour.text, area.text, square_root(area).text) == ("1/h", "m{wall}^2", "m{wall}")
    assert parse_unit(area.text) == area


def test_a_temperature_takes_part_in_a_product_as_kelvin():
    assert multiply(parse_unit("degC"), parse_unit("J/K")).text == "J"


def test_between_two_temperature_scales_lies_more_than_a_factor():
    with pytest.raises(UnitError, match="more than a factor"):
        find_factor(parse_unit("degC"), parse_unit("K"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("furlongs-per", "parentheses, but found '-per'"),
        ("flibber", "'flibber' is not a known unit"),
        ("tCO2e", r"what is counted goes in braces: t\{CO2e\}"),
        ("kg_CO2", r"goes in braces: kg\{CO2\}"),
        ("kt", "which pint reads as knot"),
        ("ton", "write 't'"),
        ("bbl", "oil_bbl"),
        ("pH", "picohenry"),
        ("Nm3", "normal"),
        ("kwh", "'kwh' is not a known unit; write 'kWh' if"),
        ("Celsius", "write 'degC' if that is meant"),
        ("tonns", "write 'tonnes' if"),
        ("xy", "'xy' is not a known unit."),
        ("dB", "not a known unit"),
        ("kWh/degC", "is allowed only alone"),
        ("degC^2", "is allowed only alone"),
        ("t{}", "the tag {} is not a word"),
        ("t{a{b}", "but found"),
        ("t t", "but found 't'"),
        ("10 km", "but found '0 km'"),
        ("kg/", "the text ends"),
        ("(kg", "the text ends"),
        ("kg)", r"but found '\)'"),
        ("kg^1.5", "but found"),
        ("kg^65", "beyond 64"),
        ("kg^20*kg^50", "beyond 64"),
        ("Ym^64", "larger or smaller"),
        ("k" * 121, "longer than 120"),
        ("__class__", "not a known unit"),
        ("m; import os", "but found"),
    ],
)
def test_what_is_no_unit_is_refused_with_a_sentence(text, reason):
    with pytest.raises(UnitError, match=reason) as refused:
        parse_unit(text)
    assert str(refused.value).endswith(".")


units = st.sampled_from(["kg", "t", "lb", "g", "short_ton", "oz"])
amounts = st.decimals(min_value=-(10**12), max_value=10**12, places=6)


@given(amounts, st.sampled_from(["kg", "t", "g", "mg", "lb"]))
def test_a_conversion_there_and_back_is_exact_when_both_fit(amount, name):
    unit, base = parse_unit(name), parse_unit("ug")

    assert convert(convert(amount, unit, base), base, unit) == amount


@given(amounts, units, units)
def test_a_conversion_is_the_rational_result_rounded_once(amount, source, target):
    a, b = parse_unit(source), parse_unit(target)
    exact = Fraction(amount) * find_factor(a, b)

    converted = convert(amount, a, b)

    assert abs(Fraction(converted) - exact) <= abs(exact) * Fraction(1, 2 * 10**33)


@given(st.text(max_size=20) | st.text(alphabet="kgmt{}CO2e*/^()1% -", max_size=20))
def test_any_text_is_a_unit_or_refused(text):
    with contextlib.suppress(UnitError):
        assert parse_unit(str(parse_unit(text))).factor == parse_unit(text).factor
