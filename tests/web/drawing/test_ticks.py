"""Ticks of a range of time stand where something whole begins: an hour, a day, a month, a year."""

from datetime import UTC, datetime

import pytest

from weighbridge.web.display.traces import TICKS_MAX, whole_moments


def at(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("start", "end", "words"),
    [
        ("2025-03-12T05:20", "2025-03-12T09:10", "06:00, 07:00, 08:00, 09:00"),
        ("2025-03-12T15:20", "2025-03-13T09:10", "18:00, 21:00, 13 Mar 2025, 03:00, 06:00, 09:00"),
        ("2025-03-12T15:20", "2025-03-15T01:00", "13 Mar 2025, 12:00, 14 Mar 2025, 12:00, 15 Mar 2025"),
        ("2025-03-01T00:00", "2025-03-29T00:00", "3 Mar 2025, 10 Mar 2025, 17 Mar 2025, 24 Mar 2025"),
        ("2025-01-15T00:00", "2025-06-01T00:00", "1 Feb 2025, 1 Mar 2025, 1 Apr 2025, 1 May 2025"),
        ("2025-03-12T05:20", "2025-03-12T05:25", "05:20, 05:21, 05:22, 05:23, 05:24"),
        ("2025-03-12T05:21", "2025-03-12T05:50", "05:25, 05:30, 05:35, 05:40, 05:45"),
        ("2025-03-12T05:21", "2025-03-12T07:10", "05:30, 06:00, 06:30, 07:00"),
        ("2025-03-12T05:20", "2025-03-12T05:20:20", "05:20, 05:20:05, 05:20:10, 05:20:15"),
        ("0500-01-01T00:00", "2025-01-01T00:00", "1 Jan 500, 1 Jan 1000, 1 Jan 1500, 1 Jan 2000"),
        ("1990-06-15T00:00", "2012-06-01T00:00", "1 Jan 1995, 1 Jan 2000, 1 Jan 2005, 1 Jan 2010"),
        ("2020-06-15T00:00", "2024-06-01T00:00", "1 Jan 2021, 1 Jan 2022, 1 Jan 2023, 1 Jan 2024"),
    ],
)
def test_ticks_are_whole(start, end, words):
    assert ", ".join(said for _, said in whole_moments(at(start), at(end), "UTC")) == words


def test_days_begin_at_midnight_of_the_zone_when_its_clock_changes_too():
    moments = whole_moments(at("2025-03-28T00:00"), at("2025-04-01T00:00"), "Europe/Berlin")

    days = [moment for moment, said in moments if said.endswith("2025")]
    assert [f"{day:%d %H:%M}" for day in days] == ["28 23:00", "29 23:00", "30 22:00", "31 22:00"]


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("0001-01-01T00:00", "0001-03-01T00:00"),
        ("9999-10-01T00:00", "9999-12-31T00:00"),
    ],
)
def test_a_range_that_reaches_an_end_of_the_calendar_has_even_ticks(start, end):
    moments = whole_moments(at(start), at(end), "UTC")

    assert len(moments) == TICKS_MAX
    assert moments[0][0] == at(start)
