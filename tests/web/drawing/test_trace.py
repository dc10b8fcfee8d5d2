"""A trace: every value lies where its number says, however long or large the number is."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from types import SimpleNamespace

import pytest

from weighbridge.web.display.traces import TracedLine, axis_label, round_values, trace


def drawn(*values, breaks=None):
    start = datetime(2026, 1, 1, tzinfo=UTC)
    points = [
        SimpleNamespace(
            start=start + timedelta(hours=hour), low=value, high=value, captured=None, is_imputed=False
        )
        for hour, value in enumerate(map(Decimal, values))
    ]
    series = SimpleNamespace(
        start=start, end=start + timedelta(hours=len(points)), points=points, pins=[], outages=[]
    )
    return str(trace([TracedLine(series, breaks=breaks)], alt_text="values", ticks=[]))


def heights_of(picture):
    [path] = re.findall(r'd="([^"]*)" class="line"', picture)
    return [Decimal(height) for height in re.findall(r"[ML]\S+ (\S+)", path)]


def test_the_largest_value_lies_highest():
    lowest, middle, highest = heights_of(drawn("1", "2.5", "4"))

    assert lowest > middle > highest
    assert lowest - middle == middle - highest


def test_values_that_differ_in_the_last_of_34_digits_lie_apart():
    one = "1234567890123456789012345678901234"
    another = "1234567890123456789012345678901235"

    assert heights_of(drawn("1", "2")) == heights_of(drawn(one, another))


def test_values_of_many_digits_before_the_point_are_labelled():
    picture = drawn("1e40", "2e40")

    assert heights_of(picture) == heights_of(drawn("1", "2"))
    assert ">1.6\u202f·\u202f10⁴⁰<title>16000" in picture


def test_a_pause_breaks_the_line():
    assert drawn("1", "2", "3", breaks=timedelta(minutes=30)).count('class="line"') == 3


@pytest.mark.parametrize(
    ("least", "most", "values"),
    [
        ("0", "10", "0, 2, 4, 6, 8, 10"),
        ("-3", "41", "0, 10, 20, 30, 40"),
        ("0.11", "0.34", "0.15, 0.2, 0.25, 0.3"),
        ("7.2", "7.9", "7.2, 7.4, 7.6, 7.8"),
        (
            "1234567.1",
            "1234567.4",
            "1234567.1, 1234567.15, 1234567.2, 1234567.25, 1234567.3, 1234567.35, 1234567.4",
        ),
    ],
)
def test_numbers_beside_a_picture_are_round(least, most, values):
    found = round_values(Decimal(least), Decimal(most))

    assert found == [Decimal(one) for one in values.split(", ")]


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ("20", "20"),
        ("-0.25", "−0.25"),  # noqa: RUF001 - a real minus
        ("2500000000", "2.5\u202f·\u202f10⁹"),
        ("0.00000002", "2\u202f·\u202f10⁻⁸"),
        ("0", "0"),
    ],
)
def test_a_long_number_has_a_power_of_ten(value, label):
    assert axis_label(Decimal(value)) == label


def line_of(unit, *values):
    start = datetime(2026, 1, 1, tzinfo=UTC)
    points = [
        SimpleNamespace(
            start=start + timedelta(hours=hour), low=value, high=value, captured=None, is_imputed=False
        )
        for hour, value in enumerate(map(Decimal, values))
    ]
    end = start + timedelta(hours=len(points))
    return TracedLine(SimpleNamespace(start=start, end=end, points=points, pins=[], outages=[]), unit)


def test_series_of_one_unit_share_an_axis_and_another_unit_has_its_own_to_the_right():
    lines = [line_of("kWh", "1", "2"), line_of("kWh", "2", "4"), line_of("t", "100", "200")]

    picture = str(trace(lines, alt_text="values", ticks=[]))

    assert re.findall(r'class="axis unit"[^>]*>([^<]+)<', picture) == ["kWh", "t"]
    first, second, other = (
        [Decimal(height) for height in re.findall(r"[ML]\S+ (\S+)", path)]
        for path in re.findall(r'd="([^"]*)" class="line[^"]*"', picture)
    )
    assert first[1] == second[0]
    assert other[0] > first[1] > second[1]
    assert re.findall(r'<path[^>]* class="(line[^"]*)"', picture) == ["line", "line also-1", "line also-2"]
