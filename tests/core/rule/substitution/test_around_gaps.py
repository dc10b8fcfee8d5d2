"""Values around a gap, borders of a year, and values whose events are like the event of the slot."""

from datetime import timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.rule.records import at
from tests.core.rule.substitution.hours import filled, hour, hours, numbers, outcomes, program_of

from weighbridge.core.rule.substitution import Filling, fill, find_affected_slots, find_reading_start
from weighbridge.core.rule.substitution.windows import widen_change
from weighbridge.core.time.calendar import Interval

UTC = ZoneInfo("UTC")
TWO_AFTER = {"method": "mean", "window": {"kind": "around_gap", "after": {"members": 2}}}


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        ("1 - - 10 14 90", {2: Decimal(12), 3: Decimal(12)}),
        ("1 - - 10 - 14 90", {2: Decimal(12), 3: Decimal(12), 5: Decimal(52)}),
        ("1 - - 10 -", {2: "pending_after", 3: "pending_after", 5: "pending_after"}),
        ("1 - off !3 10 !4 14", {2: Decimal(12), 4: Decimal(12), 6: "pending_after"}),
    ],
)
def test_a_parameter_is_the_mean_of_the_two_data_points_after_the_missing_ones(series, expected):
    """40 CFR 98.65(b): "the average of the two most recent data points after the missing data"."""
    assert filled(TWO_AFTER, series) == expected


DAYS = {"duration": {"value": 72, "unit": "hour"}}
QUEBEC = {
    "tiers": [
        {
            "when": "gap_slots() <= 168",
            "method": "confidence_limit",
            "confidence": 95,
            "window": {"kind": "around_gap", "before": DAYS, "after": DAYS},
        }
    ],
    "conservative": "low",
    "round": {"places": 4, "mode": "half_up"},
}
"""Q-2, r. 35.3.01, section 27: a limit of the 95% confidence interval for the 72 hours before and after."""


def of_quebec(gap):
    """A week of hours, the 72 next to the gap alternating between 50 and 60; farther away all are 900."""
    near = ["50", "60"] * 36
    return hours(["900"] * 24 + near + ["-"] * gap + near + ["900"] * 24)


@pytest.mark.parametrize("gap", [1, 168])
def test_lost_hours_take_the_lower_limit_of_the_72_hours_before_and_after(gap):
    """Of 144 values the mean is 55 and the sample deviation 5.01745; t of 143 degrees of freedom is 1.97669.

    55 - 1.97669 x 5.01745 / 12 = 54.1735. The hours of 900 are farther away than 72 hours.
    """
    found = outcomes(QUEBEC, of_quebec(gap))

    assert {(one.value, one.result.members) for one in found.values()} == {(Decimal("54.1735"), 144)}
    assert len(found) == gap


def test_the_more_prudent_limit_of_a_parameter_that_is_to_be_low_is_the_upper_one():
    found = outcomes(QUEBEC | {"conservative": "high"}, of_quebec(1))

    assert {one.value for one in found.values()} == {Decimal("55.8265")}


def test_hours_missing_for_more_than_seven_days_have_no_value():
    assert set(filled(QUEBEC, of_quebec(169)).values()) == {"no_tier"}


def test_a_gap_that_has_not_ended_waits_for_the_hours_behind_it():
    assert set(filled(QUEBEC, hours(["50", "60", "-", "-"])).values()) == {"pending_after"}


def test_a_limit_of_one_value_there_is_not():
    before = {"kind": "around_gap", "before": {"members": 1}}

    found = outcomes({"method": "confidence_limit", "confidence": 95, "window": before}, "5 -")

    assert found[2].result.explanation.startswith("A sample standard deviation takes two values")


def test_what_a_limit_came_from_is_weighed_by_how_fast_it_changes():
    """Of 50 and 60 the upper limit of 90 % is 55 + 6.31375 x 7.07107 / sqrt(2): rates 1/2 -+ 6.31375 / 2."""
    around = {"kind": "around_gap", "before": {"members": 1}, "after": {"members": 1}}
    slots = [one._replace(key=number) for number, one in enumerate(hours("50 - 60"), start=1)]

    sources = outcomes({"method": "confidence_limit", "confidence": 90, "window": around}, slots)[
        2
    ].result.sources

    assert sources.keys == [1, 3]
    assert [round(weight, 4) for weight in sources.weights] == [Decimal("-2.6569"), Decimal("3.6569")]


YEAR_END = "2024-12-31T20:00:00Z"
COKE = {
    "method": "mean_before_after",
    "without_after": "before",
    "without_before": "first_after",
    "after_within": "year",
}
"""40 CFR 98.355(c), 98.495(b): the "before" value where no "after" value came by the end of the year."""


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        ("10 - 14 5 20", numbers(h2="12")),
        ("10 - - - 14", numbers(h2="10", h3="10", h4="10")),
        ("- - - - 14", {1: "pending_after", 2: "pending_after", 3: "pending_after", 4: "pending_after"}),
        ("10 - - - - 14", numbers(h2="10", h3="10", h4="10", h5="12")),
    ],
)
def test_a_value_of_the_following_year_is_no_value_after(series, expected):
    """The fifth hour is the first of 2025."""
    assert filled(COKE, hours(series.split(), start=YEAR_END)) == expected


def test_without_a_value_in_the_window_another_method_is_taken():
    method = {
        "method": "maximum",
        "window": {"kind": "rolling", "members": 3, "where": "{{load}} > 50"},
        "without_members": {"method": "constant", "value": 2500},
    }
    series = [hour(1, "7", (Decimal(40),)), hour(2, "-"), hour(3, "9", (Decimal(60),)), hour(4, "-")]

    assert filled(method, series) == numbers(h2="2500", h4="9")


RANGES = {
    "tiers": [
        {
            "code": "11",
            "method": "mean",
            "window": {
                "kind": "rolling",
                "members": 2160,
                "same": "clamp(ceil({{load}} / 40), 1, 10)",
            },
            "without_members": {"method": "constant", "value": 9},
        }
    ]
}
"""Ten load ranges of a unit whose largest hourly gross load is 400 MW (40 CFR 75, appendix C)."""


def with_loads(*pairs):
    return [
        hour(number, word, None if load is None else (Decimal(load),))
        for number, (word, load) in enumerate(pairs, start=1)
    ]


def test_the_load_range_follows_from_the_load_of_the_very_hour():
    """0.410 and 0.414 were measured between 161 and 200 MW, 0.9 between 361 and 400 MW (code 11)."""
    past = [("0.410", 170), ("0.9", 390), ("0.414", 200)]

    series = with_loads(*past, ("!0", 185), ("!0", 361), ("!0", 201), ("0.5", 170))

    assert filled(RANGES, series) == numbers(h4="0.412", h5="0.9", h6="9")


def test_so_many_values_are_counted_in_the_range_alone():
    window = RANGES["tiers"][0]["window"] | {"members": 2}

    series = with_loads(("1", 50), ("2", 50), ("4", 50), *[("90", 300)] * 5, ("!0", 60))

    assert filled({"method": "mean", "window": window}, series) == numbers(h9="3")


def test_an_hour_whose_load_is_not_known_has_no_range():
    found = outcomes(RANGES, with_loads(("1", 50), ("-", None), ("2", 50)))

    assert found[2].result.reason == "no_result"
    assert (
        found[2].result.explanation == "The event of the slot lacks a value that `same` of the window reads."
    )


QUEBEC_RATES = {
    "tiers": [
        {"when": "availability(year) >= 0.9", "method": "mean_before_after", "without_before": "first_after"},
        {
            "when": "availability(year) >= 0.75",
            "method": "maximum",
            "window": {"kind": "calendar", "unit": "year", "extent": "whole_period"},
        },
    ],
}
"""Q-2, r. 15, section 6.3.1: tiers by the share of the samples that were obtained of those required."""


@pytest.mark.parametrize(
    ("missing", "value"), [(10, Decimal(9)), (11, Decimal(30)), (25, Decimal(30)), (26, "no_tier")]
)
def test_the_tier_follows_from_the_share_of_the_whole_year(missing, value):
    """Of 100 samples of a year 90, 89, 75 and 74 were obtained; all later than the gap but one."""
    obtained = ["8", *["-"] * missing, "10", *["9"] * (97 - missing), "30"]

    assert set(filled(QUEBEC_RATES, hours(obtained)).values()) == {value}


def test_the_share_of_one_year_says_nothing_of_the_next():
    series = hours(
        ["1", "-", "-", "4", "5", "-", "7", "8", "9", "10", "11", "12", "13", "14"], start=YEAR_END
    )

    found = outcomes(QUEBEC_RATES, series)

    assert [(one.availability, one.value) for one in found.values()] == [
        (Decimal("0.5"), None), (Decimal("0.5"), None), (Decimal("0.9"), Decimal(6)),
    ]  # fmt: skip


SIDES = st.fixed_dictionaries(
    {},
    optional={
        "duration": st.builds(lambda count: {"value": count, "unit": "hour"}, st.integers(1, 5)),
        "members": st.integers(1, 4),
    },
).filter(bool)
AROUND = st.fixed_dictionaries({}, optional={"before": SIDES, "after": SIDES}).filter(bool)
WORDS = st.sampled_from(["-", "off", "!7", "m40", "10", "20", "30.5", "50"])
LOADS = st.sampled_from([None, Decimal(0), Decimal(1), Decimal(2)])
SERIES = st.lists(st.tuples(WORDS, LOADS), min_size=1, max_size=40)
HOUR = timedelta(hours=1)
SUM = {"method": "mean"}


def build(window, rest, series):
    slots = [hour(number, word, (load,)) for number, (word, load) in enumerate(series, start=1)]
    return program_of(SUM | {"window": {"kind": "around_gap", **window, **rest}}), slots


def of_side(side, near, edge):
    """The nearest values first, as far as a side of a window reaches from the edge of a gap."""
    held = near
    if "duration" in side:
        reach = side["duration"]["value"] * HOUR
        held = [one for one in held if abs(one.start - edge) <= reach]
    return held[: side.get("members", len(held))]


def plain_look(window, rest, series, slots, slot):
    """The values of the window of a slot; None while they are to come."""
    own = [one for one, (word, _) in zip(slots, series, strict=True) if word[0] not in "-!o"]
    begin = max((one.start for one in own if one.start < slot.start), default=slots[0].start - HOUR)
    end = min((one.start for one in own if one.start > slot.start), default=None)
    gap = [
        one.start
        for one, (word, _) in zip(slots, series, strict=True)
        if word[0] in "-!" and begin < one.start and (end is None or one.start < end)
    ]
    fed = [
        one
        for one in own
        if ("where" not in rest or (one.row[0] or 0) > 0)
        and ("same" not in rest or (one.row[0] is not None and one.row[0] == slot.row[0]))
    ]
    found = []
    if "before" in window:
        found += of_side(window["before"], [one for one in fed if one.start < gap[0]][::-1], gap[0])
    if "after" in window:
        after = of_side(window["after"], [one for one in fed if one.start > gap[-1]], gap[-1])
        if end is None or ("duration" not in window["after"] and len(after) < window["after"]["members"]):
            return None
        found += after
    return [one.value for one in found]


CONDITIONS = st.sampled_from([{}, {"where": "{{load}} > 0"}, {"same": "{{load}}"}])


@given(AROUND, CONDITIONS, SERIES)
@settings(max_examples=300, deadline=None)
def test_a_window_around_a_gap_holds_what_a_plain_look_says(window, rest, series):
    program, slots = build(window, rest, series)

    for one in fill(program, slots, UTC):
        if "same" in rest and one.slot.row[0] is None:
            assert one.result.reason == "no_result"
            continue
        values = plain_look(window, rest, series, slots, one.slot)
        if values is None:
            assert one.result.reason == "pending_after"
        elif not values:
            assert one.result.reason == "no_members"
        else:
            assert one.result.members == len(values)
            assert abs(one.value - sum(values) / len(values)) < Decimal("1e-20")


@given(AROUND, CONDITIONS, SERIES, st.lists(st.integers(0, 40), max_size=6))
@settings(max_examples=150, deadline=None)
def test_portions_make_no_difference_to_windows_around_gaps(window, rest, series, cuts):
    program, slots = build(window, rest, series)
    filling, found, last = Filling(program, UTC), [], 0
    for cut in [*sorted(cuts), len(slots)]:
        found += filling.take(slots[last:cut])
        last = max(last, cut)
    found += filling.finish()

    assert found == fill(program, slots, UTC)


TIMED = st.builds(lambda count: {"duration": {"value": count, "unit": "hour"}}, st.integers(1, 5))
TIMED_AROUND = st.fixed_dictionaries({}, optional={"before": TIMED, "after": TIMED}).filter(bool)


@given(TIMED_AROUND, CONDITIONS, SERIES, st.data())
@settings(max_examples=300, deadline=None)
def test_a_change_reaches_the_gaps_whose_windows_hold_it(window, rest, series, data):
    index = data.draw(st.integers(0, len(series) - 1))
    changed = [*series[:index], data.draw(st.tuples(WORDS, LOADS)), *series[index + 1 :]]
    program, slots = build(window, rest, series)
    _, later = build(window, rest, changed)
    before, after = ({one.slot.start: one._replace(slot=None) for one in fill(program, given_slots, UTC)}
                     for given_slots in (slots, later))  # fmt: skip
    moment = slots[index].start
    touched = widen_change(program.windows, Interval(moment, moment))
    own = [
        one.start for one, (word, _) in zip(slots, series, strict=True)
        if word[0] not in "-!o" and one.start != moment
    ]  # fmt: skip
    around = Interval(
        max((start for start in own if start < touched.start), default=slots[0].start),
        min((start for start in own if start > touched.end), default=slots[-1].start),
    )

    start, end = find_affected_slots(program, around, Interval(moment, moment), UTC)

    assert end is not None
    for one in before.keys() | after.keys():
        if not start <= one <= end:
            assert before.get(one) == after.get(one), one
    border = max((one.start for one in later if one.start < start and one.has_own and not one.is_out),
                 default=later[0].start)  # fmt: skip
    needed = find_reading_start(program, border, start, UTC)
    again = {one.slot.start: one._replace(slot=None)
             for one in fill(program, [one for one in later if one.start >= needed], UTC)}  # fmt: skip
    assert {key: one for key, one in again.items() if key >= start} == {
        key: one for key, one in after.items() if key >= start
    }


def test_availability_of_a_period_reaches_over_the_period():
    program = program_of(QUEBEC_RATES)
    moment = at("2025-03-01T00:00:00Z")
    instant = Interval(moment, moment)

    start, end = find_affected_slots(program, instant, instant, UTC)

    assert (start, end) == (at("2025-01-01T00:00:00Z"), at("2026-01-01T00:00:00Z"))
    assert find_reading_start(program, moment, moment, UTC) == at("2025-01-01T00:00:00Z")
