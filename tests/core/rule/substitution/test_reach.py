"""How far a late value reaches over the gaps of its series. Core, rule/substitution."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.rule.records import at
from tests.core.rule.substitution.hours import hours, program_of
from tests.core.rule.substitution.test_any_order import FILLINGS, WORDS

from weighbridge.core.rule.substitution import fill, find_affected_slots, find_reading_start
from weighbridge.core.time.calendar import Interval

ZONE = ZoneInfo("Europe/Berlin")
BY_CLOCK = {
    "linear": FILLINGS["linear"],
    "whole days": FILLINGS["whole days"],
    "five hours": FILLINGS["by the clock"],
    "four of six hours": {
        "method": "mean",
        "window": {"kind": "rolling", "members": 4, "duration": {"value": 6, "unit": "hour"}},
    },
    "two days": {"method": "maximum", "window": {"kind": "calendar", "unit": "day", "value": 2}},
    "short gaps": {
        "tiers": [
            {"when": "gap_slots() <= 2", "method": "mean_before_after"},
            {"method": "mean", "window": {"kind": "rolling", "duration": {"value": 3, "unit": "hour"}}},
        ],
    },
}
OWN = ("1", "m")


def by_start(program, slots):
    return {one.slot.start: one._replace(slot=None) for one in fill(program, slots, ZONE)}


def around(words, index):
    """From the last border before a slot to the first behind it, in series before and after the change."""
    own = [number for number, word in enumerate(words) if word[0] not in "-!o" and number != index]
    first = max((number for number in own if number < index), default=0)
    last = min((number for number in own if number > index), default=len(words))
    return first, last


@given(st.lists(WORDS, min_size=2, max_size=60), st.data(), st.sampled_from(sorted(BY_CLOCK)))
@settings(max_examples=300, deadline=None)
def test_what_lies_outside_stays_and_what_is_needed_is_enough(words, data, name):
    program = program_of(BY_CLOCK[name])
    index = data.draw(st.integers(0, len(words) - 1))
    later = [*words[:index], data.draw(WORDS), *words[index + 1 :]]
    before, slots = by_start(program, hours(words)), hours(later)
    after = by_start(program, slots)
    first, last = around(words, index)
    begin = at("2025-01-01T00:00:00Z")
    times = Interval(begin + timedelta(hours=first), begin + timedelta(hours=last))

    start, end = find_affected_slots(program, times, Interval(slots[index].start, slots[index].start), ZONE)

    assert end is not None
    for moment in before.keys() | after.keys():
        if not start <= moment <= end:
            assert before.get(moment) == after.get(moment), moment
    border = max(
        (slot.start for slot in slots if slot.start < start and slot.has_own and not slot.is_out),
        default=slots[0].start,
    )
    needed = find_reading_start(program, border, start, ZONE)
    again = by_start(program, [slot for slot in slots if slot.start >= needed])
    assert {moment: one for moment, one in again.items() if moment >= start} == {
        moment: one for moment, one in after.items() if moment >= start
    }


COUNTED = {
    "members": {"method": "mean", "window": {"kind": "rolling", "members": 3}},
    "availability": {"tiers": [{"when": "availability() > 0.5", "method": "previous"}]},
    "valid slots": {"tiers": [{"when": "valid_slots() > 5", "method": "previous"}]},
}


@pytest.mark.parametrize("name", COUNTED)
def test_what_looks_back_by_counting_has_no_bound_in_time(name):
    program = program_of(COUNTED[name])
    moment = at("2025-01-01T00:00:00Z")
    instant = Interval(moment, moment)

    assert find_affected_slots(program, instant, instant, ZONE) == (moment, None)
    assert find_reading_start(program, moment, moment, ZONE) is None
