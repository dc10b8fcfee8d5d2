"""The slots of an event type's cadence, numbered in time. Design, Capture rate."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.time.test_cadence import ZONES

from weighbridge.core.time.calendar import CadenceSlots, Instant, Interval

BERLIN = ZoneInfo("Europe/Berlin")

moments = st.datetimes(
    datetime(2012, 1, 1), datetime(2060, 1, 1), timezones=st.just(UTC)  # noqa: DTZ001 - bounds are naive
).map(Instant.of)  # fmt: skip
cadences = st.builds(
    CadenceSlots,
    st.integers(1, 100),
    st.sampled_from(["minute", "hour", "day", "week", "month"]),
    st.sampled_from(ZONES).map(ZoneInfo),
)


def day(text: str, zone: ZoneInfo = BERLIN) -> Interval:
    start = datetime.fromisoformat(text)
    after = start + timedelta(days=1)
    return Interval(Instant.of(start.replace(tzinfo=zone)), Instant.of(after.replace(tzinfo=zone)))


@pytest.mark.parametrize(
    ("date", "amount", "unit", "count"),
    [
        ("2025-03-29", 1, "hour", 24),
        ("2025-03-30", 1, "hour", 23),
        ("2025-10-26", 1, "hour", 25),
        ("2025-03-30", 15, "minute", 92),
        ("2025-10-26", 1, "minute", 1500),
        ("2025-03-30", 4, "hour", 6),
        ("2025-10-26", 1, "day", 1),
        ("2025-03-31", 1, "week", 1),
        ("2025-03-30", 1, "week", 0),
        ("2025-04-01", 1, "month", 1),
    ],
)
def test_a_day_has_the_slots_that_begin_in_it_as_its_clock_runs(date, amount, unit, count):
    assert len(CadenceSlots(amount, unit, BERLIN).begun_in(day(date))) == count


def test_slots_of_hours_may_reach_over_midnight_where_zones_are_half_an_hour_apart():
    kolkata = ZoneInfo("Asia/Kolkata")
    slots = CadenceSlots(1, "hour", kolkata)
    [*begun] = slots.begun_in(day("2025-01-01", kolkata))

    assert slots.start(begun[0]) == datetime(2024, 12, 31, 19, tzinfo=UTC)
    assert len(begun) == 24


def test_slots_inside_a_stretch_are_covered_as_a_whole():
    slots = CadenceSlots(1, "hour", BERLIN)

    def inside(start: str, end: str) -> int:
        times = (Instant.of(datetime.fromisoformat(f"2025-01-01T{text}Z")) for text in (start, end))
        return len(slots.inside(Interval(*times)))

    assert inside("08:00", "10:30") == 2
    assert inside("08:01", "10:00") == 1
    assert inside("08:10", "08:50") == 0


@given(cadences, moments)
def test_a_moment_lies_in_the_slot_that_holds_it(slots, moment):
    number = slots.holding(moment)

    assert slots.start(number) <= moment < slots.start(number + 1)
    assert slots.holding(slots.start(number)) == number


@given(cadences, moments, st.timedeltas(timedelta(0), timedelta(days=90)))
def test_a_stretch_begins_as_many_slots_as_lie_between_its_ends(slots, moment, length):
    stretch = Interval(moment, Instant.of(moment + length))
    begun, inside = slots.begun_in(stretch), slots.inside(stretch)

    assert slots.start(begun.start - 1) < stretch.start <= slots.start(begun.start)
    assert slots.start(begun.stop - 1) < stretch.end <= slots.start(begun.stop)
    assert inside.start == begun.start
    assert len(begun) - len(inside) <= 1


@pytest.mark.parametrize("unit", ["minute", "hour", "day", "week", "month"])
@pytest.mark.parametrize("amount", [1, 7, 1_000_000])
def test_slots_reach_from_one_end_of_the_calendar_to_the_other(unit, amount):
    slots = CadenceSlots(amount, unit, UTC)
    first, last = Instant(1, 1, 1, tzinfo=UTC), Instant(9999, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC)

    assert slots.start(slots.holding(first)) <= first
    assert slots.start(slots.holding(last)) <= last <= slots.start(slots.holding(last) + 1)
    assert len(slots.begun_in(Interval(first, last))) >= slots.holding(last) - slots.holding(first)
