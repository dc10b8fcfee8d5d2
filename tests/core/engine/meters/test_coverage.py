"""Coverage of a slot: gaps, overlaps, expected slots of a cadence, streams."""

from bisect import bisect_right
from datetime import UTC, timedelta
from decimal import Decimal
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from weighbridge.core.engine.meters import ExpectedSlots, compute_coverage
from weighbridge.core.engine.slot_computation import Element, EventCadence
from weighbridge.core.time.calendar import Instant, Interval
from weighbridge.core.time.expectation import Service

START = Instant(2025, 1, 1, tzinfo=UTC)
DAY = Interval(START, START + timedelta(days=1))
BERLIN = ZoneInfo("Europe/Berlin")


def at(hour):
    return START + timedelta(hours=hour)


def event(start, end=None, **tags):
    return Element(0, 0, Interval(at(start), at(start if end is None else end)), (), **tags)


def of(*events, cadence=None, is_held=False):
    return compute_coverage(events, DAY, cadence, UTC, is_held=is_held)


def expected(slot, cadence, zone):
    return ExpectedSlots(slot, cadence, zone).from_on(slot.start)


def test_stretches_that_follow_one_another_cover_a_slot():
    found = of(event(-5, 7), event(7, 20), event(20, 30))

    assert (found.gap, found.overlap, found.faulty) == (None, None, timedelta())
    assert found.reaches(Decimal(100))


def test_the_first_gap_and_the_first_overlap_are_named():
    found = of(event(0, 8), event(6, 10), event(11, 20), event(19, 24))

    assert found.gap == Interval(at(10), at(11))
    assert found.overlap == Interval(at(6), at(8))
    assert found.faulty == timedelta(hours=4)
    assert found.fault == "more than one covers 2025-01-01T06:00:00.000Z to 2025-01-01T08:00:00.000Z"


def test_a_stretch_inside_another_is_an_overlap():
    assert of(event(0, 24), event(3, 4)).overlap == Interval(at(3), at(4))


def test_no_data_leave_the_whole_slot_open():
    assert of().gap == DAY


@pytest.mark.parametrize(("percent", "is_enough"), [("75", True), ("75.000001", False)])
def test_a_percentage_is_reached_to_the_millisecond(percent, is_enough):
    assert of(event(0, 18)).reaches(Decimal(percent)) is is_enough


def test_readings_alone_cover_nothing_unless_they_stand_until_the_next():
    assert of(event(0), event(12)).gap == DAY
    assert of(event(-3), event(12), is_held=True).gap is None
    assert of(event(2), event(12), is_held=True).gap == Interval(at(0), at(2))


def test_a_reading_covers_the_expected_slot_that_it_lies_in():
    hourly = EventCadence(1, "hour")
    readings = [event(hour + 0.4) for hour in range(24)]

    assert of(*readings, cadence=hourly).gap is None
    assert of(*readings[:5], *readings[6:], cadence=hourly).gap == Interval(at(5), at(6))


def test_more_readings_than_expected_are_no_fault_but_one_twice_is():
    hourly = EventCadence(12, "hour")

    assert of(event(1), event(2), event(13), cadence=hourly).overlap is None
    assert of(event(1), event(1), event(13), cadence=hourly).overlap == Interval(at(0), at(12))


def test_each_asset_and_location_covers_the_slot_by_itself():
    found = of(event(0, 24, asset="East"), event(0, 24, location="Yard"), event(0, 23, asset="West"))

    assert found.gap == Interval(at(23), at(24))


def test_of_several_meters_the_time_that_they_cover_together_counts():
    found = of(event(0, 24, asset="East"), event(0, 12, asset="West"))

    assert (found.length, found.faulty) == (timedelta(hours=48), timedelta(hours=12))
    assert (found.reaches(Decimal(75)), found.reaches(Decimal("75.01"))) == (True, False)
    assert found.fault == (
        "nothing of asset 'West' covers 2025-01-01T12:00:00.000Z to 2025-01-02T00:00:00.000Z"
    )


def test_an_asset_at_two_locations_is_one_meter():
    assert of(event(0, 12, asset="East", location="Yard"), event(12, 24, asset="East")).gap is None
    assert of(event(0, 24, asset="East", location="Yard"), event(0, 1, asset="East")).overlap == Interval(
        at(0), at(1)
    )


def test_a_meter_is_asked_to_cover_its_time_in_service_only():
    service = Service(at(6), at(18))
    found = of(event(9, 18, asset="East", service=service), event(0, 24, asset="West"))

    assert (found.length, found.gap) == (timedelta(hours=36), Interval(at(6), at(9)))
    assert of(event(9, 18, asset="East", service=Service(at(9), at(18)))).gap is None
    assert of(event(9, asset="East", service=Service(at(-9), at(-3)))).length == timedelta()


def test_time_in_service_before_the_first_reading_is_a_gap():
    service = Service(at(6))

    assert of(event(7, service=service), is_held=True).gap == Interval(at(6), at(7))
    assert of(event(6, service=service), event(12, service=service), is_held=True).gap is None


def test_an_expected_slot_in_which_service_began_is_not_asked_for():
    readings = [event(hour, service=Service(at(5.5), at(9.5))) for hour in (6, 7, 8)]

    found = of(*readings, cadence=EventCadence(1, "hour"))

    assert (found.length, found.gap) == (timedelta(hours=4), Interval(at(9), at(9.5)))


def test_days_and_months_are_those_on_the_wall():
    march = Interval(Instant(2025, 2, 28, 23, tzinfo=UTC), Instant(2025, 3, 31, 22, tzinfo=UTC))

    days = list(expected(march, EventCadence(1, "day"), BERLIN))

    assert len(days) == 31
    assert days[29] == Interval(Instant(2025, 3, 29, 23, tzinfo=UTC), Instant(2025, 3, 30, 22, tzinfo=UTC))
    assert list(expected(march, EventCadence(1, "month"), BERLIN)) == [march]


def test_weeks_that_began_before_the_slot_are_not_asked_for():
    month = Interval(START, Instant(2025, 2, 1, tzinfo=UTC))

    weeks = list(expected(month, EventCadence(1, "week"), UTC))

    assert [week.start.day for week in weeks] == [6, 13, 20, 27]
    assert weeks[-1].end == month.end
    readings = [Element(0, 0, Interval(week.start, week.start), ()) for week in weeks]
    assert compute_coverage(readings, month, EventCadence(1, "week"), UTC).gap is None


@pytest.mark.parametrize("amount", [1, 2, 5])
@pytest.mark.parametrize("unit", ["minute", "hour", "day", "week", "month"])
@pytest.mark.parametrize("zone", [UTC, BERLIN, ZoneInfo("America/Havana"), ZoneInfo("Pacific/Apia")])
def test_the_expected_slot_of_a_moment_is_the_one_that_the_list_has(amount, unit, zone):
    start = Instant(2011, 12, 27, 13, 20, tzinfo=UTC)
    slot = Interval(start, start + timedelta(days=3 if unit in {"minute", "hour"} else 500))
    cadence = EventCadence(amount, unit)
    listed = list(expected(slot, cadence, zone))

    assert all(one.end == other.start for one, other in pairwise(listed))
    moments = [slot.start + part * (slot.end - slot.start) / 97 for part in range(98)]
    starts = [one.start for one in listed]
    for moment in [*moments, *starts, *(one.end for one in listed)]:
        last = bisect_right(starts, moment) - 1
        holding = listed[last] if last >= 0 and moment < listed[last].end else None
        assert ExpectedSlots(slot, cadence, zone).holding(moment) == holding


@pytest.mark.parametrize(
    ("amount", "unit"), [(1, "minute"), (1_000_000, "month"), (1_000_000, "week"), (7, "day")]
)
def test_the_coverage_of_all_time_asks_for_no_list_of_its_minutes(amount, unit):
    ages = Interval(Instant(1, 1, 1, tzinfo=UTC), Instant(9999, 12, 31, tzinfo=UTC))
    reading = Element(0, 0, Interval(START, START), ())

    found = compute_coverage([reading], ages, EventCadence(amount, unit), UTC)

    assert found.length == ages.end - ages.start
    assert found.faulty <= found.length
