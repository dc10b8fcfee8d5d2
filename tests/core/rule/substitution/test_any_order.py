"""Whatever order values arrive in, gaps are filled the same in the end."""

from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.rule.substitution.hours import hours, program_of

from weighbridge.core.rule.substitution import Filling, fill

UTC = ZoneInfo("UTC")
LAST = {"kind": "rolling", "members": 4}
MEAN = {"method": "mean_before_after", "without_after": "before", "without_before": "first_after"}
FILLINGS = {
    "tiers": {
        "tiers": [
            {"when": "availability() >= 0.8 and gap_slots() <= 2", **MEAN},
            {
                "when": "availability() >= 0.5",
                "method": "greater_of",
                "methods": [
                    {"method": "percentile", "p": 90, "definition": "nearest_rank", "window": LAST},
                    {"method": "mean_before_after"},
                ],
            },
            {"method": "constant", "value": 99},
        ],
        "availability_slots": 10,
    },
    "linear": {"method": "linear"},
    "whole days": {
        "method": "mean",
        "window": {"kind": "calendar", "unit": "day", "extent": "whole_period"},
    },
    "by the clock": {
        "method": "median",
        "window": {"kind": "rolling", "duration": {"value": 5, "unit": "hour"}},
    },
}
WORDS = st.sampled_from(["-", "off", "!7", "m40", "10", "20", "30.5", "40", "50"])
SERIES = st.lists(WORDS, min_size=1, max_size=40)


def values(program, words):
    return {one.slot.about: (one.result, one.tier, one.gap_slots) for one in fill(program, hours(words), UTC)}


@given(st.data(), SERIES, st.sampled_from(sorted(FILLINGS)))
@settings(max_examples=150, deadline=None)
def test_any_order_of_arrival_gives_the_same_values_in_the_end(data, words, name):
    """After each value gaps are filled anew, and what changed is written or withdrawn."""
    program = program_of(FILLINGS[name])
    arrived = ["off" if word == "off" else "-" for word in words]
    written = {}
    for index in data.draw(st.permutations(range(len(words)))):
        arrived[index] = words[index]
        now = values(program, arrived)
        for gone in written.keys() - now.keys():
            del written[gone]
        written |= {number: found for number, found in now.items() if written.get(number) != found}

    assert written == values(program, words)


@given(SERIES, st.lists(st.integers(0, 40), max_size=6), st.sampled_from(sorted(FILLINGS)))
@settings(max_examples=100, deadline=None)
def test_the_portions_that_a_series_comes_in_make_no_difference(words, cuts, name):
    program = program_of(FILLINGS[name])
    series = hours(words)
    filling, found, last = Filling(program, UTC), [], 0
    for cut in [*sorted(cuts), len(series)]:
        found += filling.take(series[last:cut])
        last = max(last, cut)
    found += filling.finish()

    assert found == fill(program, series, UTC)
    assert [one.slot.about for one in found] == sorted(one.slot.about for one in found)


@given(SERIES)
@settings(max_examples=100, deadline=None)
def test_a_window_holds_captured_values_and_those_of_people_and_nothing_else(words):
    program = program_of({"method": "maximum", "window": {"kind": "rolling", "members": 1_000}})

    for one in fill(program, hours(words), UTC):
        before = words[: one.slot.about - 1]
        fed = [Decimal(word.lstrip("m")) for word in before if word[0] not in "-!o"]
        assert one.value == max(fed, default=None)
        assert one.value is None or one.result.members == len(fed)


ASKING = {
    "tiers": [
        {"when": f"valid_slots() = {count} and gap_slots() >= 0 and availability() >= 0", "code": str(count),
         "method": "constant", "value": 1}
        for count in range(20)
    ],
    "availability_slots": 7,
}  # fmt: skip


def plain_look(words, number):
    """Valid slots before the gap of a slot, the length of the gap, and availability up to the slot."""
    index = number - 1
    own = [place for place, word in enumerate(words) if word[0] not in "-!o"]
    before = max((place for place in own if place < index), default=-1)
    after = min((place for place in own if place > index), default=len(words))
    gap = [word for word in words[before + 1 : after] if word[0] in "-!"]
    operating = [word for word in words[: index + 1] if word != "off"][-7:]
    valid = [word for word in operating if word[0].isdigit()]
    before_gap = [word for word in words[: before + 1] if word[0].isdigit()]
    return str(len(before_gap)), len(gap), Fraction(len(valid), len(operating))


@given(st.lists(WORDS, min_size=1, max_size=20))
@settings(max_examples=200, deadline=None)
def test_what_tiers_ask_for_is_what_a_plain_look_says(words):
    for one in fill(program_of(ASKING), hours(words), UTC):
        count, length, share = plain_look(words, one.slot.about)

        assert (one.code, one.gap_slots) == (count, length)
        assert abs(Fraction(one.availability) - share) < Fraction(1, 10**33)
