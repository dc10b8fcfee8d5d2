"""Gaps as 40 CFR Part 98 and the EU's monitoring regulation fill them, and a published series of OPC UA."""

from datetime import timedelta
from decimal import Decimal

import pytest
from tests.core.rule.records import at
from tests.core.rule.substitution.hours import filled, hour, outcomes

from weighbridge.core.rule.substitution import SeriesSlot

FUEL = {"method": "mean_before_after", "without_after": "before", "without_before": "first_after"}


@pytest.mark.parametrize(
    ("series", "number", "expected"), [("10 - 14", 2, "12"), ("14 10 -", 3, "10"), ("- 14 10", 1, "14")]
)
def test_a_fuel_property_is_the_mean_of_before_and_after_or_the_nearest(series, number, expected):
    """40 CFR 98.35(b)(1)."""
    assert filled(FUEL, series) == {number: Decimal(expected)}


def test_a_missing_quarter_takes_the_nearest_previous_one():
    """40 CFR 98.475."""
    assert filled({"method": "previous"}, "5 6 - - 9") == {3: Decimal(6), 4: Decimal(6)}


MRR = {
    "method": "mean_plus_sd",
    "factor": 2,
    "deviation": "sample",
    "window": {"kind": "calendar", "unit": "year", "extent": "whole_period"},
    "round": {"places": 4, "mode": "half_even"},
}


def test_a_lost_hour_takes_the_mean_plus_two_deviations_of_the_whole_year():
    """Article 45(3) of (EU) 2018/2066: hours before and after the gap count, those of other years do not."""
    series = [
        *(hour(number, "1000", start="2024-12-31T20:00:00Z") for number in range(1, 5)),
        *(
            hour(4 + index, word, start="2024-12-31T20:00:00Z")
            for index, word in enumerate(["2", "4", "-", "6", "8"], 1)
        ),
    ]

    found = outcomes(MRR, series)[7]

    # Of 2, 4, 6 and 8 the mean is 5 and the sample variance 20 / 3; the deviation is 2.58199.
    assert found.value == Decimal("10.1640")
    assert found.result.members == 4


SECONDS = {2: "10", 25: "20", 28: "25", 39: "30", 42: "!0", 48: "40", 52: "50", 72: "60"}
"""Seconds from 12:00:00 and what was read then, of a published series (OPC 10000-13, annex A); at 42 bad."""

ON_LINE = {
    5: "11.304", 10: "13.478", 15: "15.652", 20: "17.826", 30: "25.909",
    35: "28.182", 40: "31.111", 45: "36.667", 50: "45", 55: "51.5",
}  # fmt: skip
STEPPED = {5: "10", 24: "10", 26: "20", 30: "25", 40: "30", 45: "30", 50: "40", 55: "50", 71: "50"}


def series_of_seconds():
    noon = at("2025-01-01T12:00:00Z")
    for second in range(2, 73):
        word = SECONDS.get(second)
        value = None if word is None else Decimal(word.lstrip("!"))
        is_valid = word is not None and word[0] != "!"
        yield SeriesSlot(noon + timedelta(seconds=second), value, is_valid=is_valid, about=second)


def test_values_on_the_line_between_two_readings_are_the_published_ones():
    method = {"method": "linear", "round": {"places": 3, "mode": "half_even"}}

    found = filled(method, list(series_of_seconds()))

    assert {second: found[second] for second in ON_LINE} == {
        second: Decimal(value) for second, value in ON_LINE.items()
    }


def test_values_may_stay_as_they_were_until_the_next_reading():
    found = filled({"method": "previous"}, list(series_of_seconds()))

    assert {second: found[second] for second in STEPPED} == {
        second: Decimal(value) for second, value in STEPPED.items()
    }


@pytest.mark.parametrize(("points", "expected"), [(48, {}), (47, {9: "9"})])
def test_an_hour_of_which_less_than_80_percent_was_measured_is_a_lost_one(points, expected):
    """Article 44(2): of 60 points 48 are 80 %, and 47 are not. The mean of the hours before is 5."""
    share = Decimal(points) / 60
    lost_or_not = hour(9, "5.5" if share >= Decimal("0.8") else "!5.5")
    series = [
        *(hour(number, word) for number, word in enumerate(["2", "4", "4", "4", "5", "5", "7", "9"], 1)),
        lost_or_not,
    ]
    substitute = {
        "method": "mean_plus_sd",
        "factor": 2,
        "deviation": "population",
        "window": {"kind": "calendar", "unit": "year"},
    }

    assert filled(substitute, series) == {number: Decimal(value) for number, value in expected.items()}
