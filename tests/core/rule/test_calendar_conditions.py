"""Conditions on the calendar of the plant, and shares of the members of a window."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.rule.records import DELIVERY, alerts, daily, record

from weighbridge.core.rule import check_rule, read_rule

NEW_YEAR = "2024-12-31T23:30:00"
"""Half an hour into 1 January 2025 in Berlin, a Wednesday; a Tuesday in UTC."""


@pytest.mark.parametrize(
    ("condition", "zone"),
    [
        ("month() = 12", "UTC"),
        ("month() = 1", "Europe/Berlin"),
        ("day_of_month() = 31", "UTC"),
        ("day_of_month() = 1", "Europe/Berlin"),
        ("weekday() = 2", "UTC"),
        ("weekday() = 3", "Europe/Berlin"),
        ("hour() = 23", "UTC"),
        ("hour() = 0", "Europe/Berlin"),
        ("hour() = 5", "Asia/Kolkata"),
    ],
)
def test_the_calendar_is_that_of_the_project(condition, zone):
    assert alerts(condition, [record(1, NEW_YEAR)], zone=zone) == [1]


def test_a_kiln_that_runs_on_a_sunday_night_is_found():
    """26 October 2025 is the Sunday on which Berlin's clocks go back: 02:30 is there twice."""
    hours = [record(number, f"2025-10-{day}:30:00", [1]) for number, day in enumerate(
        ("25T21", "25T23", "26T00", "26T01", "26T21", "26T23"), 1)]  # fmt: skip

    found = alerts(
        "{{mass}} > 0 and weekday() = 7 and hour() not between 6 and 21", hours, zone="Europe/Berlin"
    )

    assert found == [2, 3, 4, 5]


def test_a_condition_of_the_calendar_may_choose_members():
    month = {"kind": "calendar", "unit": "month", "extent": "whole_period", "where": "weekday() <= 5"}

    # January 2025 begins on a Wednesday: of its first five days three are working days.
    assert alerts("count() = 3", daily([()] * 5), month) == [1, 2, 3, 4, 5]


def test_a_rule_holds_if_most_of_the_rows_do():
    """At least 95 % of a month's masses lie between 1 and 40: 19 of 20 do, and 18 of 20 do not."""
    month = {"kind": "calendar", "unit": "month", "extent": "whole_period"}
    expression = "share({{mass}} between 1 and 40) < 0.95"

    assert alerts(expression, daily([*[30] * 19, 50]), month) == []
    assert alerts(expression, daily([*[30] * 18, 50, 60]), month) == list(range(1, 21))


def test_what_is_not_known_is_in_no_share():
    month = {"kind": "calendar", "unit": "month", "extent": "whole_period"}

    assert alerts("share({{mass}} > 3) = 0.5", daily([1, None, 5]), month) == [1, 2, 3]
    assert alerts("share({{mass}} > 3) is null", daily([None]), month) == [1]


@given(st.lists(st.sampled_from([1, 5, None]), min_size=1, max_size=28), st.integers(1, 5))
@settings(max_examples=100, deadline=None)
def test_a_share_slides_along_as_a_plain_look_says(values, count):
    window = {"kind": "rolling", "members": count, "include_current": True}

    found = alerts("share({{mass}} > 3) > 0.5", daily(values), window)

    expected = []
    for place in range(len(values)):
        known = [one for one in values[max(place + 1 - count, 0) : place + 1] if one is not None]
        if known and Fraction(known.count(5), len(known)) > Fraction(1, 2):
            expected.append(place + 1)
    assert found == expected


def test_a_share_is_taken_of_a_condition():
    rule, problems = read_rule("share({{mass}}) < 0.95", {"kind": "rolling", "members": 3})

    assert problems == []
    [problem] = check_rule(rule, DELIVERY)
    assert problem.message.endswith("share is taken of a condition, true or false; this is a number of 1.")
