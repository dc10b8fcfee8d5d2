"""Where the empty slots of a series stand. Core, rule/substitution and rule/windows."""

from datetime import timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.rule.records import at

from weighbridge.core.rule.substitution import SeriesSlot, list_series_slots
from weighbridge.core.time.calendar import CadenceSlots, Interval
from weighbridge.core.time.expectation import ALWAYS, Expectation, ExpectedCadence, Service, join_outages

UTC = ZoneInfo("UTC")
HOURLY = CadenceSlots(1, "hour", UTC)


def moment(text):
    return at(f"2025-01-01T{text}:00Z")


def interval(start, end):
    return Interval(moment(start), moment(end))


def reading(text):
    return SeriesSlot(moment(text), Decimal(1), is_valid=True)


def hourly(outages=(), service=ALWAYS):
    """The hours that are expected of a meter."""
    pairs = [(one.start, one.end) for one in outages]
    return ExpectedCadence(HOURLY, Expectation(service, join_outages(pairs, moment("23:00"))))


def starts(slots):
    return [(slot.start.strftime("%H:%M"), slot.value is not None, slot.is_out) for slot in slots]


def test_the_example_of_the_file():
    readings = [reading("00:05"), reading("03:00")]

    slots = list_series_slots(readings, hourly([interval("02:00", "03:00")]), interval("00:00", "05:00"))

    assert starts(slots) == [
        ("00:05", True, False),
        ("01:00", False, False),
        ("02:00", False, True),
        ("03:00", True, False),
        ("04:00", False, False),
    ]


def test_a_slot_with_several_readings_stands_once_for_each():
    slots = list_series_slots([reading("01:10"), reading("01:40")], hourly(), interval("01:00", "03:00"))

    assert starts(slots) == [("01:10", True, False), ("01:40", True, False), ("02:00", False, False)]


def test_a_period_holds_the_slots_that_start_in_it():
    assert starts(list_series_slots([], hourly(), interval("00:30", "02:01"))) == [
        ("01:00", False, False),
        ("02:00", False, False),
    ]
    assert starts(list_series_slots([reading("00:40")], hourly(), interval("00:30", "01:00"))) == [
        ("00:40", True, False)
    ]
    assert starts(list_series_slots([], hourly(), interval("01:00", "01:00"))) == []


def test_outside_of_its_service_and_in_outages_that_overlap_a_meter_is_out():
    outages = [interval("03:00", "04:00"), interval("02:00", "03:30"), interval("02:10", "02:20")]
    service = Service(moment("01:00"), moment("05:00"))

    slots = list_series_slots([reading("02:15")], hourly(outages, service), interval("00:00", "06:00"))

    assert [(slot.start.hour, slot.is_out) for slot in slots] == [
        (0, True), (1, False), (2, True), (3, True), (4, False), (5, True),
    ]  # fmt: skip


def test_days_are_those_of_the_projects_calendar():
    clock = CadenceSlots(1, "day", ZoneInfo("Europe/Berlin"))
    period = Interval(at("2025-03-29T23:00:00Z"), at("2025-03-31T22:00:00Z"))

    slots = list(list_series_slots([], ExpectedCadence(clock, Expectation()), period))

    assert [slot.start.isoformat() for slot in slots] == [
        "2025-03-29T23:00:00+00:00",
        "2025-03-30T22:00:00+00:00",
    ]


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/St_Johns"])
@pytest.mark.parametrize(
    ("amount", "unit"), [(15, "minute"), (1, "hour"), (1, "day"), (2, "week"), (3, "month")]
)
@given(hours=st.integers(0, 30_000))
def test_a_slot_starts_at_its_first_moment(zone, amount, unit, hours):
    clock = CadenceSlots(amount, unit, ZoneInfo(zone))
    number = clock.holding(at("2023-01-01T00:00:00Z") + timedelta(hours=hours))

    start = clock.start(number)

    assert clock.holding(start) == number
    assert clock.holding(start - timedelta(milliseconds=1)) == number - 1
