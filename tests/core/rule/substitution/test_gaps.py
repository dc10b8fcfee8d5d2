"""What a gap is, what stands at its borders, what feeds windows, and which tier fills it."""

from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from tests.core.rule.substitution.hours import filled, hour, hours, numbers, outcomes, program_of

from weighbridge.core.expression import Budget, ExpressionError
from weighbridge.core.rule.substitution import Filling, compile_filling, fill, read_filling

UTC = ZoneInfo("UTC")
MEAN = {"method": "mean_before_after"}


def rolling(members=None, **fields):
    size = {} if members is None else {"members": members}
    return {"kind": "rolling", **size, **fields}


def maximum(**fields):
    return {"method": "maximum", "window": rolling(**fields)}


ASKING = {"tiers": [{"when": "availability() >= 0", **MEAN}]}
TIERED = {"tiers": [{"when": "gap_slots() <= 2", **MEAN}, maximum(members=100)]}


def test_the_example_of_the_package():
    assert filled(TIERED, "10 - 14 - - - 12 - 20") == numbers(h2="12", h4="14", h5="14", h6="14", h8="16")
    assert filled(TIERED, "10 - 14 - 13 - 12 - 20") == numbers(h2="12", h4="13.5", h6="12.5", h8="16")


def test_a_captured_value_that_is_not_valid_needs_one_too():
    found = outcomes(MEAN, "10 !99 - 20")

    assert {number: (one.value, one.gap_slots, one.is_missing) for number, one in found.items()} == {
        2: (Decimal(15), 2, False),
        3: (Decimal(15), 2, True),
    }


def test_a_persons_value_ends_a_gap_and_feeds_windows_but_is_no_captured_one():
    assert filled(MEAN, "10 - m30 - 20") == numbers(h2="20", h4="25")
    assert filled(maximum(members=2), "10 m30 -") == {3: Decimal(30)}
    assert outcomes(ASKING, "10 m30 m30 - 9")[4].availability == Decimal("0.25")


def test_what_was_substituted_never_feeds_a_window():
    """The greatest of the last two captured hours is 20 for every hour of the gap, and 7 behind it."""
    assert filled(maximum(members=2), "90 20 10 - - - 5 7 -") == numbers(h4="20", h5="20", h6="20", h9="7")


def test_hours_without_operation_neither_break_a_gap_nor_count():
    found = outcomes(TIERED, "10 - off - off 20")

    assert {number: (one.value, one.gap_slots) for number, one in found.items()} == {
        2: (Decimal(15), 2),
        4: (Decimal(15), 2),
    }


def test_a_condition_says_which_hours_count_and_undecided_ones_do():
    given = MEAN | {"operating_where": "{{load}} > 0"}
    rows = [("10", 5), ("!0", 0), ("!0", None), ("-", "empty"), ("99", 0), ("20", 5)]
    series = [
        hour(number, word, None if load == "empty" else (None if load is None else Decimal(load),))
        for number, (word, load) in enumerate(rows, start=1)
    ]

    found = outcomes(given, series)

    assert {number: (one.value, one.gap_slots) for number, one in found.items()} == {
        3: (Decimal(15), 2),
        4: (Decimal(15), 2),
    }


def test_a_declared_outage_counts_whatever_the_condition_says():
    assert filled(MEAN, "10 off - off 20") == {3: Decimal(15)}
    assert outcomes(ASKING, "10 off - off 20")[3].availability == Decimal("0.5")


def test_a_window_takes_what_its_condition_is_true_for():
    given = maximum(members=2, where="{{load}} > 0")
    loads = [1, 1, 0, None]
    series = [
        *(hour(number, str(50 + number), (None if load is None else Decimal(load),))
          for number, load in enumerate(loads, start=1)),
        hour(5, "-"),
    ]  # fmt: skip

    assert filled(given, series) == {5: Decimal(52)}


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        (rolling(members=1), {"h6": "3", "h7": "3"}),
        (rolling(members=2), {"h6": "4", "h7": "4"}),
        (rolling(duration={"value": 3, "unit": "hour"}), {"h6": "5", "h7": "4"}),
        (rolling(duration={"value": 2, "unit": "hour"}), {"h6": "4", "h7": "3"}),
        (rolling(duration={"value": 1, "unit": "hour"}), {"h6": "3", "h7": "no_members"}),
        (rolling(members=2, duration={"value": 3, "unit": "hour"}), {"h6": "4", "h7": "4"}),
        (rolling(members=9, duration={"value": 2, "unit": "hour"}), {"h6": "4", "h7": "3"}),
        ({"kind": "calendar", "unit": "day"}, {"h6": "5", "h7": "5"}),
        ({"kind": "calendar", "unit": "day", "value": 2}, {"h6": "9", "h7": "9"}),
        ({"kind": "calendar", "unit": "day", "extent": "whole_period"}, {"h6": "8", "h7": "8"}),
    ],
)
def test_windows_by_count_by_the_clock_and_by_the_calendar(window, expected):
    """From 22:00: two hours of the day before, three of the day, a gap of two, and one hour more."""
    series = hours("9 6 5 4 3 - - 8", start="2024-12-31T22:00:00Z")

    assert filled({"method": "maximum", "window": window}, series) == numbers(**expected)


def test_a_window_of_whole_periods_waits_for_the_end_of_its_period():
    given = {"method": "mean", "window": {"kind": "calendar", "unit": "day", "extent": "whole_period"}}
    filling = Filling(program_of(given), UTC)

    before = filling.take(hours("10 - " + "20 " * 22))
    after = filling.take([hour(25, "5")])

    assert before == []
    assert [(one.slot.about, one.result.members) for one in after] == [(2, 23)]


def test_a_calendar_is_that_of_the_projects_zone():
    window = {"kind": "calendar", "unit": "day"}

    assert filled(
        {"method": "maximum", "window": window}, hours("9 5 -", start="2025-01-01T22:00:00Z"), "UTC"
    ) == {3: "no_members"}
    assert filled(
        {"method": "maximum", "window": window}, hours("9 5 -", start="2025-01-01T22:00:00Z"), "Europe/Berlin"
    ) == {3: Decimal(5)}


def test_a_gap_may_lie_in_two_tiers_where_availability_falls():
    given = {"tiers": [{"when": "availability() >= 0.6", **maximum(members=9)}, {"method": "previous"}]}

    assert filled(given, "9 5 4 - - - 8") == numbers(h4="9", h5="9", h6="4")


def test_a_gap_for_which_no_tier_holds_says_so():
    given = {"tiers": [{"when": "gap_slots() > 9", **MEAN}]}

    found = outcomes(given, "1 - 1")[2]

    assert (found.result.reason, found.tier, found.method) == ("no_tier", None, None)


def test_a_tier_whose_condition_has_no_result_is_not_passed_over():
    given = {"tiers": [{"when": "(1 / valid_slots()) > 0.5", **MEAN}, {"method": "constant", "value": 1}]}

    found = outcomes(given, "- 1")[1]

    assert (found.result.reason, found.tier) == ("no_result", 1)


def test_a_gap_that_has_not_ended_is_decided_as_it_stands():
    found = outcomes(TIERED, "10 20 - - -")

    assert {number: (one.value, one.is_settled) for number, one in found.items()} == {
        3: (Decimal(20), False),
        4: (Decimal(20), False),
        5: (Decimal(20), False),
    }


def test_long_series_are_followed_in_the_memory_of_their_windows():
    program = program_of(maximum(members=10))
    filling = Filling(program, UTC)
    words = (["5"] * 999 + ["-"]) * 20

    found = [*filling.take(hours(words)), *filling.finish()]

    assert [one.value for one in found] == [Decimal(5)] * 20
    (window,) = filling._windows
    assert len(window.of(None)._values) < 2_000


def test_conditions_that_match_without_end_are_stopped():
    filling, _ = read_filling(MEAN | {"border_where": "{{code}} matches '(a|b|ab)*c'"})
    series = [hour(number, "1", ("ab" * 200,)) for number in range(1, 200)]

    with pytest.raises(ExpressionError, match="cost"):
        fill(compile_filling(filling, Budget(10)), series, UTC)


def test_windows_that_hold_too_much_for_gap_after_gap_are_stopped():
    """Each slot adds a thousand to what a series may cost; here every second looks at all before it."""
    window = {"kind": "rolling", "duration": {"value": 3_000, "unit": "day"}}
    filling, _ = read_filling({"method": "maximum", "window": window})
    series = hours(["5", "-"] * 5_000)

    assert len(fill(compile_filling(filling, Budget(0)), series[:6_000], UTC)) == 3_000
    with pytest.raises(ExpressionError, match="cost"):
        fill(compile_filling(filling, Budget(0)), series, UTC)


def test_where_there_is_no_event_to_ask_the_meter_was_operating():
    given = MEAN | {"operating_where": "{{load}} is not null and coalesce({{load}}, 0) > 0"}
    rows = [("10", Decimal(5)), ("-", "no event"), ("!0", None), ("20", Decimal(5))]
    series = [
        hour(number, word, None if load == "no event" else (load,))
        for number, (word, load) in enumerate(rows, start=1)
    ]

    assert filled(given, series) == {2: Decimal(15)}
