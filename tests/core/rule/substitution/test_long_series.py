"""Over long series windows are what a plain look at all slots says, though most of them are forgotten."""

from datetime import timedelta
from random import Random
from zoneinfo import ZoneInfo

import pytest
from tests.core.rule.substitution.hours import hours, program_of

from weighbridge.core.rule.substitution import Filling, NoValue

ZONE = ZoneInfo("Europe/Berlin")
WORDS = ["-", "off", "!7", *(str(number) for number in range(100, 160))]
SLOTS = 5_000


def day_of(slot):
    return slot.start.astimezone(ZONE).toordinal()


def of_month(slot):
    local = slot.start.astimezone(ZONE)
    return local.year * 12 + local.month


WINDOWS = {
    "members by the clock": (
        {"kind": "rolling", "members": 15, "duration": {"value": 20, "unit": "hour"}},
        lambda members, slot: [
            one for one in members if slot.start - timedelta(hours=20) <= one.start < slot.start
        ][-15:],
    ),
    "members": (
        {"kind": "rolling", "members": 50},
        lambda members, slot: [one for one in members if one.start < slot.start][-50:],
    ),
    "clock": (
        {"kind": "rolling", "duration": {"value": 30, "unit": "hour"}},
        lambda members, slot: [
            one for one in members if slot.start - timedelta(hours=30) <= one.start < slot.start
        ],
    ),
    "days to date": (
        {"kind": "calendar", "unit": "day", "value": 3},
        lambda members, slot: [
            one for one in members if one.start < slot.start and day_of(one) >= day_of(slot) - 2
        ],
    ),
    "whole days": (
        {"kind": "calendar", "unit": "day", "extent": "whole_period"},
        lambda members, slot: [one for one in members if day_of(one) == day_of(slot)],
    ),
    "whole months": (
        {"kind": "calendar", "unit": "month", "value": 2, "extent": "whole_period"},
        lambda members, slot: [
            one for one in members if of_month(slot) - 1 <= of_month(one) <= of_month(slot)
        ],
    ),
}


@pytest.mark.parametrize("name", WINDOWS)
def test_a_window_is_what_a_plain_look_says(name):
    window, look = WINDOWS[name]
    random = Random(name)  # noqa: S311 - the same series at every run
    series = hours([random.choice(WORDS) for _ in range(SLOTS)])
    filling = Filling(program_of({"method": "mean", "window": window}), ZONE)

    found = []
    for first in range(0, SLOTS, 700):
        found += filling.take(series[first : first + 700])
    found += filling.finish()

    members = [slot for slot in series if slot.is_valid and not slot.is_out]
    needing = [slot for slot in series if not slot.is_out and not slot.has_own]
    assert [one.slot for one in found] == needing
    for one in found[:: max(1, len(found) // 60)]:
        values = [member.value for member in look(members, one.slot)]
        if not values:
            assert isinstance(one.result, NoValue)
        else:
            assert one.result.members == len(values)
            assert abs(one.value - sum(values) / len(values)) < 1e-20
