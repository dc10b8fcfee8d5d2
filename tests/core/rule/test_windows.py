"""Which members a record's window holds. Core, rule/window."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from tests.core.rule.records import alerts, at, daily, record

from weighbridge.core.rule import find_affected, reach, read_window, write_window
from weighbridge.core.time.calendar import Interval

BERLIN = ZoneInfo("Europe/Berlin")


def window_of(given):
    window, problems = read_window(given)
    assert problems == []
    return window


@pytest.mark.parametrize(
    ("window", "counts"),
    [
        ({"kind": "rolling", "duration": {"value": 48, "unit": "hour"}}, [0, 1, 2, 2]),
        (
            {"kind": "trailing", "duration": {"value": 2, "unit": "day"}, "include_current": True},
            [1, 2, 3, 3],
        ),
        ({"kind": "rolling", "members": 1}, [0, 1, 1, 1]),
        ({"kind": "rolling", "members": 2, "include_current": True}, [1, 2, 2, 2]),
        ({"kind": "calendar", "unit": "month"}, [1, 2, 3, 4]),
        ({"kind": "calendar", "unit": "month", "extent": "whole_period"}, [4, 4, 4, 4]),
        ({"kind": "calendar", "unit": "day", "value": 2}, [1, 2, 2, 2]),
        ({"kind": "calendar", "unit": "week"}, [1, 2, 3, 4]),
    ],
)
def test_a_window_counts_its_members(window, counts):
    expected = dict(enumerate(counts, start=1))

    found = {
        key: count for count in range(6) for key in alerts(f"count() = {count}", daily([1, 1, 1, 1]), window)
    }

    assert found == expected


def test_a_condition_leaves_members_out_and_counts_the_others():
    window = {"kind": "rolling", "members": 2, "where": "{{mass}} > 10"}

    assert alerts("min({{mass}}) = 20", daily([20, 5, 5, 30, 1, 40, 1]), window) == [2, 3, 4, 5, 6]


def test_members_of_another_group_are_not_seen():
    records = [
        record(1, "2025-01-01T00:00:00", [1], group="north"),
        record(2, "2025-01-02T00:00:00", [1], group="south"),
        record(3, "2025-01-03T00:00:00", [1], group="north"),
    ]

    assert alerts("count() = 1", records, {"kind": "rolling", "members": 9}) == [3]


def test_a_record_that_is_no_target_is_a_member_only():
    records = [
        record(1, "2025-01-01T00:00:00", [1], is_target=False),
        record(2, "2025-01-02T00:00:00", [1]),
    ]

    assert alerts("count() >= 0", records, {"kind": "rolling", "members": 9}) == [2]


def test_with_scope_event_the_record_is_its_only_member():
    window = {"kind": "rolling", "members": 9, "include_current": True}

    assert alerts("count() = 1 and sum({{mass}}) = {{mass}}", daily([1, 2]), window, scope="event") == [1, 2]


def test_periods_are_cut_on_the_clock_of_the_project():
    records = [record(1, "2025-01-31T22:30:00", [1]), record(2, "2025-01-31T23:30:00", [1])]
    window = {"kind": "calendar", "unit": "month"}

    assert alerts("count() = 2", records, window) == [2]
    assert alerts("count() = 2", records, window, zone="Europe/Berlin") == []


def test_a_whole_period_reaches_back_over_consecutive_ones():
    records = [
        record(1, "2025-01-10T00:00:00", [1]),
        record(2, "2025-02-10T00:00:00", [10]),
        record(3, "2025-02-20T00:00:00", [100]),
        record(4, "2025-03-10T00:00:00", [1000]),
    ]
    window = {"kind": "calendar", "unit": "month", "value": 2, "extent": "whole_period"}

    assert alerts("sum({{mass}}) = 1", records, window) == [1]
    assert alerts("sum({{mass}}) = 111", records, window) == [2, 3]
    assert alerts("sum({{mass}}) = 1110", records, window) == [4]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("percentile({{mass}}, 50, nearest_rank) = 20", True),
        ("percentile({{mass}}, 50) = 25", True),
        ("percentile({{mass}}, 95, linear) = 38.5", True),
        ("percentile({{mass}}, 0) = 10 and percentile({{mass}}, 100) = 40", True),
        ("percentile({{mass}}, 0, nearest_rank) = 10", True),
        ("median({{mass}}) = 25", True),
        ("round(stddev({{mass}}), 6) = 12.909944", True),
        ("sum({{mass}} * 2) = 200", True),
        ("avg(duration_hours()) = 0 and {{mass}} = 5", True),
        ("max(10, {{mass}}) = 10", True),
    ],
)
def test_aggregates_have_their_usual_meaning(expression, expected):
    records = daily([40, 10, 30, 20, 5])

    assert (5 in alerts(expression, records, {"kind": "rolling", "members": 9})) is expected


def test_a_change_reaches_forward_as_far_as_a_window_reaches_back():
    changed = Interval(at("2025-03-10T00:00:00Z"), at("2025-03-11T00:00:00Z"))
    rolling = window_of({"kind": "rolling", "duration": {"value": 2, "unit": "day"}})
    to_date = window_of({"kind": "calendar", "unit": "month", "value": 2})
    whole = window_of({"kind": "calendar", "unit": "month", "extent": "whole_period"})
    counted = window_of({"kind": "rolling", "members": 3})

    assert find_affected(None, changed, BERLIN) == changed
    assert find_affected(rolling, changed, BERLIN) == Interval(changed.start, changed.end + timedelta(days=2))
    assert find_affected(to_date, changed, BERLIN) == Interval(changed.start, at("2025-04-30T22:00:00Z"))
    assert find_affected(whole, changed, BERLIN) == Interval(
        at("2025-02-28T23:00:00Z"), at("2025-03-31T22:00:00Z")
    )
    assert find_affected(counted, changed, BERLIN) is None


def test_a_window_reaches_back_to_its_first_member():
    first = at("2025-03-10T00:00:00Z")

    assert reach(None, first, BERLIN) == first
    assert reach(window_of({"kind": "rolling", "value": 2, "unit": "week"}), first, BERLIN) == at(
        "2025-02-24T00:00:00Z"
    )
    assert reach(window_of({"kind": "calendar", "unit": "quarter", "value": 2}), first, BERLIN) == at(
        "2024-09-30T22:00:00Z"
    )
    assert reach(window_of({"kind": "rolling", "members": 2}), first, BERLIN) is None


@pytest.mark.parametrize(
    "given",
    [
        {"kind": "rolling", "duration": {"value": 36, "unit": "hour"}, "include_current": False},
        {"kind": "rolling", "members": 10, "include_current": True, "where": "{{mass}} > 1"},
        {"kind": "calendar", "unit": "month", "value": 3, "extent": "whole_period"},
    ],
)
def test_a_window_is_written_as_it_was_read(given):
    assert write_window(window_of(given)) == given


def test_other_spellings_of_a_window_are_written_in_one_form():
    trailing = {"kind": "trailing", "value": 48, "unit": "hour"}

    assert write_window(window_of(trailing)) == {
        "kind": "rolling", "duration": {"value": 2, "unit": "day"}, "include_current": False,
    }  # fmt: skip
    assert write_window(window_of({"kind": "calendar", "unit": "day"})) == {
        "kind": "calendar", "unit": "day", "value": 1, "extent": "to_date",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("given", "fields"),
    [
        ({}, ["window.kind"]),
        ({"kind": "sliding"}, ["window.kind"]),
        ({"kind": "rolling"}, ["window.duration"]),
        ({"kind": "rolling", "members": 2, "duration": {"value": 1, "unit": "day"}}, ["window.duration"]),
        ({"kind": "rolling", "members": 0}, ["window.members"]),
        ({"kind": "rolling", "members": True}, ["window.members"]),
        ({"kind": "rolling", "members": 10_001}, ["window.members"]),
        ({"kind": "rolling", "duration": {"value": 1, "unit": "month"}}, ["window.duration.unit"]),
        ({"kind": "rolling", "duration": {"value": 1}}, ["window.duration"]),
        ({"kind": "rolling", "duration": {"value": 3661, "unit": "day"}}, ["window.duration.value"]),
        ({"kind": "rolling", "members": 2, "include_current": 1}, ["window.include_current"]),
        ({"kind": "rolling", "members": 2, "extent": "to_date"}, ["window.extent"]),
        ({"kind": "calendar", "unit": "hour"}, ["window.unit"]),
        ({"kind": "calendar", "unit": ["day"]}, ["window.unit"]),
        ({"kind": "calendar", "unit": "day", "value": 121}, ["window.value"]),
        ({"kind": "calendar", "unit": "day", "extent": "to_now"}, ["window.extent"]),
        ({"kind": "calendar", "unit": "day", "members": 3, "where": 3}, ["window.where", "window.members"]),
    ],
)
def test_a_window_that_makes_no_sense_is_refused_field_by_field(given, fields):
    window, problems = read_window(given)

    assert window is None
    assert [problem.field for problem in problems] == fields
