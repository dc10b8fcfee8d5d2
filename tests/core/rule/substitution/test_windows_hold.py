"""Windows never hold what a rule forbids: every kind of window, held against a plain look at the series."""

from datetime import timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.rule.substitution.hours import hour, program_of

from weighbridge.core.rule.substitution import fill

UTC = ZoneInfo("UTC")
START = "2025-01-01T20:00:00Z"
HOURS = timedelta(hours=1)
FORBIDDEN = "-!o"
"""How the words of hours begin that feed no window: none came, it is not valid, the meter was off."""

WORDS = st.sampled_from(["-", "off", "!7", "m40", "10", "20", "30.5", "50"])
LOADS = st.sampled_from([None, Decimal(0), Decimal(1)])
SERIES = st.lists(st.tuples(WORDS, LOADS), min_size=1, max_size=40)


def last(count):
    return lambda before, *_: before[-count:]


def younger(count):
    return lambda before, slot, _: [one for one in before if one.start >= slot.start - count * HOURS]


def both(count, age):
    return lambda before, slot, _: younger(age)(before[-count:], slot, _)


def of_days(count):
    def held(before, slot, _):
        first = slot.start.date() - timedelta(days=count - 1)
        return [one for one in before if one.start.date() >= first]

    return held


def of_the_whole_day(_, slot, every):
    return [one for one in every if one.start.date() == slot.start.date()]


WINDOWS = {
    "by count": ({"kind": "rolling", "members": 3}, last(3)),
    "by the clock": ({"kind": "rolling", "duration": {"value": 5, "unit": "hour"}}, younger(5)),
    "by both": ({"kind": "trailing", "members": 3, "duration": {"value": 4, "unit": "hour"}}, both(3, 4)),
    "a day so far": ({"kind": "calendar", "unit": "day"}, of_days(1)),
    "two days so far": ({"kind": "calendar", "unit": "day", "value": 2}, of_days(2)),
    "a whole day": ({"kind": "calendar", "unit": "day", "extent": "whole_period"}, of_the_whole_day),
}


@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize("has_condition", [False, True])
@given(SERIES)
@settings(max_examples=60, deadline=None)
def test_a_window_holds_what_it_says_and_nothing_that_is_forbidden(name, has_condition, series):
    window, held = WINDOWS[name]
    window = window | {"where": "{{load}} > 0"} if has_condition else window
    rows = [(load,) if has_condition else None for _, load in series]
    slots = [
        hour(number, word, row, start=START)
        for number, ((word, _), row) in enumerate(zip(series, rows, strict=True), start=1)
    ]

    filled = {
        one.slot.about: one for one in fill(program_of({"method": "maximum", "window": window}), slots, UTC)
    }

    fed = [
        slot
        for slot, (word, load) in zip(slots, series, strict=True)
        if word[0] not in FORBIDDEN and (not has_condition or load == 1)
    ]
    assert set(filled) == {
        slot.about for slot, (word, _) in zip(slots, series, strict=True) if word[0] in "-!"
    }
    for one in filled.values():
        before = [slot for slot in fed if slot.start < one.slot.start]
        members = held(before, one.slot, fed)
        assert one.value == max((slot.value for slot in members), default=None)
        assert one.value is None or one.result.members == len(members)
