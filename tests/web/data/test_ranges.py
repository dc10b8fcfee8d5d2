"""Ranges by name and beside one another: by the clock of the project, where a day may have 23 or 25 hours."""

from datetime import timedelta

import pytest

from weighbridge.core.time.calendar import Instant
from weighbridge.web.display.figures import TimeFormat
from weighbridge.web.pages.charting.ranges import (
    TimeRange,
    double_range,
    read_clock_span,
    shift_range,
    write_moment,
)

BERLIN = "Europe/Berlin"


def when(now, zone=BERLIN):
    return TimeFormat(zone, Instant.read(now))


def shown(first, last, zone=BERLIN):
    clock = when("2025-01-01T00:00:00Z", zone)
    return TimeRange(clock.typed(first), clock.typed(last))


def fields(time, zone=BERLIN):
    clock = when("2025-01-01T00:00:00Z", zone)
    return [clock.field(moment) for moment in time]


@pytest.mark.parametrize(
    ("name", "now", "first", "last", "hours"),
    [
        ("last_month", "2025-11-15T12:00:00Z", "2025-10-01T00:00", "2025-11-01T00:00", 745),
        ("last_month", "2025-04-01T00:00:00Z", "2025-03-01T00:00", "2025-04-01T00:00", 743),
        ("last_month", "2025-03-31T21:59:00Z", "2025-02-01T00:00", "2025-03-01T00:00", 672),
        ("this_month", "2025-12-31T23:00:00Z", "2026-01-01T00:00", "2026-02-01T00:00", 744),
        ("today", "2025-03-30T12:00:00Z", "2025-03-30T00:00", "2025-03-31T00:00", 23),
        ("yesterday", "2025-10-26T23:00:00Z", "2025-10-26T00:00", "2025-10-27T00:00", 25),
        ("this_year", "2025-06-01T00:00:00Z", "2025-01-01T00:00", "2026-01-01T00:00", 8760),
        ("last_24_h", "2025-03-30T12:00:20Z", "2025-03-29T13:01", "2025-03-30T14:01", 24),
    ],
)
def test_a_range_by_the_clock_is_that_of_the_project(name, now, first, last, hours):
    time = read_clock_span(name, when(now))

    assert fields(time) == [first, last]
    assert time.end - time.start == timedelta(hours=hours)


@pytest.mark.parametrize(
    ("first", "last", "earlier", "later"),
    [
        ("2025-03-01T00:00", "2025-04-01T00:00", "2025-02-01T00:00", "2025-05-01T00:00"),
        ("2025-03-30T00:00", "2025-03-31T00:00", "2025-03-29T00:00", "2025-04-01T00:00"),
        ("2025-10-20T06:00", "2025-10-27T06:00", "2025-10-13T06:00", "2025-11-03T06:00"),
        ("2025-01-01T00:00", "2026-01-01T00:00", "2024-01-01T00:00", "2027-01-01T00:00"),
        ("2025-03-30T01:00", "2025-03-30T05:00", "2025-03-29T22:00", "2025-03-30T08:00"),
    ],
)
def test_a_range_is_moved_by_its_own_width(first, last, earlier, later):
    time = shown(first, last)

    assert fields(shift_range(time, -1, BERLIN)) == [earlier, first]
    assert fields(shift_range(time, 1, BERLIN)) == [last, later]


def test_a_range_is_doubled_around_its_middle_and_ends_with_the_calendar():
    assert fields(double_range(shown("2025-01-02T00:00", "2025-01-04T00:00"))) == [
        "2025-01-01T00:00", "2025-01-05T00:00",
    ]  # fmt: skip
    end = double_range(
        TimeRange(Instant.read("9000-01-01T00:00:00Z"), Instant.read("9999-01-01T00:00:00Z"))
    ).end
    assert end.year == 9999
    assert shift_range(TimeRange(end - timedelta(days=9), end), 1, "UTC") is None


def test_a_moment_of_the_hour_that_comes_twice_is_itself_in_the_address():
    clock = when("2025-01-01T00:00:00Z")
    first, again = Instant.read("2025-10-26T00:30:00Z"), Instant.read("2025-10-26T01:30:00Z")

    assert write_moment(first, clock) == "2025-10-26T02:30"
    assert [clock.typed(write_moment(moment, clock)) for moment in (first, again)] == [first, again]
