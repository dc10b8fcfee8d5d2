"""Figures are shown short and are exact behind: groups of three, six significant digits, a real minus."""

import re
from decimal import Decimal

import pytest

from weighbridge.web.display.figures import brief, exact, figure, is_figure, places_of, unit_text


def seen(markup: str) -> str:
    """What the eye sees, gaps as spaces."""
    return re.sub(r"<[^>]+>", "", markup.replace("<i>", " "))


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        ("0", "0"),
        ("12", "12"),
        ("1200", "1 200"),
        ("12000.500", "12 000.5"),
        ("43.585627", "43.585 6"),
        ("-35.500", "−35.500"),  # noqa: RUF001 - a real minus
        ("0.000012345678", "0.000 012 345 7"),
        ("123456789.25", "123 456 789"),
        ("1234567890123456789012345678901234", "1.23457\u202f·\u202f1033"),
    ],
)
def test_a_figure_of_a_list_is_short(number: str, shown: str):
    assert seen(figure(Decimal(number))) == shown


def test_the_exact_number_stands_behind_a_short_one():
    text = figure(Decimal("123456789.25"), "t")

    assert 'value="123456789.25"' in text
    assert 'title="123456789.25 t"' in text
    assert "rounded" in text


def test_a_record_shows_every_digit():
    assert seen(exact(Decimal(1234567890123456789012345678901234))).replace(" ", "") == (
        "1234567890123456789012345678901234"
    )


def test_a_column_has_places_for_its_longest_fraction():
    assert places_of([Decimal("1.5"), Decimal(2), None, Decimal("0.125")]) == 3


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (Decimal("-0.048"), "1", "\N{MINUS SIGN}0.048"),
        (Decimal("24.5"), "degC", "24.5 °C"),
        (Decimal("1234567890123456789012345678.9"), "t", "1.23457\u202f·\u202f10²⁷ t"),
        (None, "t", ""),
    ],
)
def test_a_picture_has_room_for_a_number(value, unit, shown):
    assert brief(value, unit) == shown


@pytest.mark.parametrize(("value", "is_one"), [("12.50", True), ("-3", True), ("12,5", False), (True, False)])
def test_a_text_that_a_record_writes_a_number_as_is_aligned_like_one(value, is_one):
    assert is_figure(value) == is_one
    assert ("<data" in figure(value)) == is_one


@pytest.mark.parametrize(
    ("unit", "said"),
    [
        ("t{CO2e}", "t CO₂e"), ("kg{CO2e}/kWh", "kg CO₂e/kWh"), ("t{biochar}", "t biochar"), ("t", "t"),
        ("kg{N2O}", "kg N₂O"), ("m3", "m3"),
        ("kg/m^3", "kg/m³"), ("s^-1", "s⁻¹"), ("degF", "°F"), ("kW*h", "kW·h"),
        ("t{lot 2}", "t lot 2"), ("1", ""), (None, ""),
        ("{bales}", "bales"),
        ("t{A1}", "t A1"),
    ],
)  # fmt: skip
def test_a_unit_is_written_as_people_do(unit, said):
    assert unit_text(unit) == said
