"""A cadence cuts time into slots, by the clock on the project's wall. Design, Periods."""

from calendar import monthrange
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.number import CONTEXT
from weighbridge.core.time.calendar import (
    CADENCES,
    SLOTS_MAX,
    Instant,
    Interval,
    Selection,
    count_days,
    count_hours,
    count_of,
    find_slot,
    label_slot,
    select,
)

ZONES = [
    "UTC", "Europe/Berlin", "America/New_York", "America/Los_Angeles", "America/Sao_Paulo",
    "America/Santiago",
    "America/Havana", "Africa/Cairo", "Asia/Beirut", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Tehran",
    "Australia/Adelaide", "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Kiritimati", "America/Scoresbysund",
    "Antarctica/Troll", "America/St_Johns", "Africa/Casablanca",
]  # fmt: skip
CUTTING = [cadence for cadence in CADENCES if cadence != "event"]
MILLISECOND = timedelta(milliseconds=1)

zones = st.sampled_from(ZONES).map(ZoneInfo)
cadences = st.sampled_from(CUTTING)
moments = st.datetimes(
    datetime(2012, 1, 1), datetime(2060, 1, 1), timezones=st.just(UTC)  # noqa: DTZ001 - bounds are naive
).map(Instant.of)  # fmt: skip


def at(text):
    return Instant.of(datetime.fromisoformat(text))


def span(text):
    start, end = text.split(" to ")
    return Interval(at(start), at(end))


def near_a_change(zone, moment):
    """The millisecond at which the zone's clocks next change, or the moment itself when they do not."""
    low, high = moment, moment + timedelta(days=200)
    offset = zone.utcoffset(low.astimezone(zone))
    if zone.utcoffset(high.astimezone(zone)) == offset:
        return moment
    while high - low > MILLISECOND:
        middle = Instant.of(low + (high - low) / 2)
        if zone.utcoffset(middle.astimezone(zone)) == offset:
            low = middle
        else:
            high = middle
    return high


def makes_a_cut(cadence, zone, moment):
    slot = find_slot(cadence, moment, zone)
    assert slot.start <= moment < slot.end
    assert find_slot(cadence, slot.start, zone) == slot
    assert find_slot(cadence, slot.end - MILLISECOND, zone) == slot
    assert find_slot(cadence, slot.end, zone).start == slot.end
    assert find_slot(cadence, slot.start - MILLISECOND, zone).end == slot.start


@given(cadences, zones, moments)
def test_slots_cover_time_without_gap_or_overlap(cadence, zone, moment):
    makes_a_cut(cadence, zone, moment)


@given(cadences, zones, moments, st.integers(-90 * 60_000, 90 * 60_000))
def test_slots_cover_the_hours_in_which_clocks_change(cadence, zone, moment, milliseconds):
    makes_a_cut(cadence, zone, near_a_change(zone, moment) + timedelta(milliseconds=milliseconds))


@pytest.mark.parametrize("change", ["2025-04-05T14:00:00Z", "2025-09-27T14:00:00Z"])
def test_hours_cover_the_changes_of_the_clocks_of_chatham(change):
    for minutes in range(-90, 91, 15):
        makes_a_cut("hourly", ZoneInfo("Pacific/Chatham"), at(change) + timedelta(minutes=minutes))


@given(zones, moments)
def test_a_day_begins_at_midnight_or_at_the_first_moment_after_it(zone, moment):
    slot = find_slot("daily", moment, zone)
    local = slot.start.astimezone(zone)

    assert local.date() == moment.astimezone(zone).date()
    assert (slot.start - MILLISECOND).astimezone(zone).date() < local.date()


@given(cadences, zones, moments)
def test_slots_of_longer_cadences_begin_with_days(cadence, zone, moment):
    slot = find_slot(cadence, moment, zone)

    assert cadence == "hourly" or find_slot("daily", slot.start, zone).start == slot.start


@given(zones, moments, st.integers(1, 40))
def test_selecting_whole_slots_selects_just_those(zone, moment, count):
    slots = [find_slot("daily", moment, zone)]
    for _ in range(count):
        slots.append(find_slot("daily", slots[-1].end, zone))

    assert select("daily", Interval(slots[0].start, slots[-1].end), zone) == Selection(tuple(slots), ())


@pytest.mark.parametrize(
    ("cadence", "zone", "moment", "slot"),
    [
        ("hourly", "UTC", "2025-03-05T13:59:59.999Z", "2025-03-05T13:00:00Z to 2025-03-05T14:00:00Z"),
        ("daily", "UTC", "2025-03-05T13:00:00Z", "2025-03-05T00:00:00Z to 2025-03-06T00:00:00Z"),
        ("weekly", "UTC", "2025-03-05T13:00:00Z", "2025-03-03T00:00:00Z to 2025-03-10T00:00:00Z"),
        ("weekly", "UTC", "2025-03-09T23:59:59.999Z", "2025-03-03T00:00:00Z to 2025-03-10T00:00:00Z"),
        ("weekly", "UTC", "2025-03-10T00:00:00Z", "2025-03-10T00:00:00Z to 2025-03-17T00:00:00Z"),
        ("monthly", "UTC", "2024-02-29T12:00:00Z", "2024-02-01T00:00:00Z to 2024-03-01T00:00:00Z"),
        ("quarterly", "UTC", "2025-12-31T23:59:59Z", "2025-10-01T00:00:00Z to 2026-01-01T00:00:00Z"),
        ("annual", "UTC", "2024-07-01T00:00:00Z", "2024-01-01T00:00:00Z to 2025-01-01T00:00:00Z"),
        # the day of 23 hours and the day of 25
        ("daily", "Europe/Berlin", "2025-03-30T12:00:00Z", "2025-03-29T23:00:00Z to 2025-03-30T22:00:00Z"),
        ("daily", "Europe/Berlin", "2025-10-26T12:00:00Z", "2025-10-25T22:00:00Z to 2025-10-26T23:00:00Z"),
        ("monthly", "Europe/Berlin", "2025-03-31T22:30:00Z", "2025-03-31T22:00:00Z to 2025-04-30T22:00:00Z"),
        # the hour that the clock shows twice is two hours
        ("hourly", "Europe/Berlin", "2025-10-26T00:30:00Z", "2025-10-26T00:00:00Z to 2025-10-26T01:00:00Z"),
        ("hourly", "Europe/Berlin", "2025-10-26T01:30:00Z", "2025-10-26T01:00:00Z to 2025-10-26T02:00:00Z"),
        # clocks of Lord Howe move by half an hour: an hour of 90 minutes, and one of 30
        ("hourly", "Australia/Lord_Howe", "2025-04-05T15:10:00Z",
         "2025-04-05T14:00:00Z to 2025-04-05T15:30:00Z"),
        ("hourly", "Australia/Lord_Howe", "2025-10-04T15:40:00Z",
         "2025-10-04T15:30:00Z to 2025-10-04T16:00:00Z"),
        # zones of half and quarter hours
        ("hourly", "Asia/Kolkata", "2025-01-01T00:10:00Z", "2024-12-31T23:30:00Z to 2025-01-01T00:30:00Z"),
        ("daily", "Asia/Kathmandu", "2025-01-01T00:00:00Z", "2024-12-31T18:15:00Z to 2025-01-01T18:15:00Z"),
        # midnight that the clock jumped over, and the day that Samoa left out
        ("daily", "America/Sao_Paulo", "2018-11-04T12:00:00Z",
         "2018-11-04T03:00:00Z to 2018-11-05T02:00:00Z"),
        ("daily", "Pacific/Apia", "2011-12-30T09:59:59Z", "2011-12-29T10:00:00Z to 2011-12-30T10:00:00Z"),
        ("daily", "Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z to 2011-12-31T10:00:00Z"),
    ],
)  # fmt: skip
def test_a_moment_lies_in_this_slot(cadence, zone, moment, slot):
    assert find_slot(cadence, at(moment), ZoneInfo(zone)) == span(slot)


@pytest.mark.parametrize(
    ("cadence", "wanted", "selected", "touched"),
    [
        # a quarter that is written to its last second
        ("monthly", "2025-01-01T00:00:00Z to 2025-03-31T23:59:59Z", "2025-01 2025-02 2025-03", ""),
        ("quarterly", "2025-01-01T00:00:00Z to 2025-03-31T23:59:59Z", "2025-Q1", ""),
        ("monthly", "2025-01-01T00:00:00Z to 2025-04-01T00:00:00Z", "2025-01 2025-02 2025-03", ""),
        # the month so far, and any range inside one slot
        ("monthly", "2025-03-01T00:00:00Z to 2025-03-04T09:30:00Z", "2025-03", ""),
        ("monthly", "2025-03-30T00:00:00Z to 2025-03-31T00:00:00Z", "2025-03", ""),
        ("annual", "2025-03-01T00:00:00Z to 2025-03-02T00:00:00Z", "2025", ""),
        ("daily", "2025-03-01T10:00:00Z to 2025-03-01T10:00:00Z", "2025-03-01", ""),
        # at least half, and the rest is named
        ("monthly", "2025-02-15T00:00:00Z to 2025-04-01T00:00:00Z", "2025-02 2025-03", ""),
        ("monthly", "2025-02-15T00:00:00.001Z to 2025-04-01T00:00:00Z", "2025-03", "2025-02"),
        ("monthly", "2025-01-20T00:00:00Z to 2025-03-10T00:00:00Z", "2025-02", "2025-01 2025-03"),
        ("monthly", "2025-01-20T00:00:00Z to 2025-02-10T00:00:00Z", "", "2025-01 2025-02"),
        ("daily", "2025-01-01T12:00:00Z to 2025-01-02T12:00:00Z", "2025-01-01 2025-01-02", ""),
        ("daily", "2025-01-01T12:00:00.001Z to 2025-01-02T11:59:59.999Z", "", "2025-01-01 2025-01-02"),
        ("weekly", "2025-01-01T00:00:00Z to 2025-01-20T00:00:00Z", "2025-W01 2025-W02 2025-W03", ""),
    ],
)  # fmt: skip
def test_a_range_selects_these_slots_and_touches_those(cadence, wanted, selected, touched):
    found = select(cadence, span(wanted), UTC)

    assert [label_slot(cadence, slot, UTC) for slot in found.selected] == selected.split()
    assert [label_slot(cadence, slot, UTC) for slot in found.touched] == touched.split()


def test_a_quarter_in_berlin_is_three_months_of_berlin():
    found = select("monthly", span("2024-12-31T23:00:00Z to 2025-03-31T21:59:59Z"), ZoneInfo("Europe/Berlin"))

    assert found.selected == (
        span("2024-12-31T23:00:00Z to 2025-01-31T23:00:00Z"),
        span("2025-01-31T23:00:00Z to 2025-02-28T23:00:00Z"),
        span("2025-02-28T23:00:00Z to 2025-03-31T22:00:00Z"),
    )
    assert found.touched == ()


@pytest.mark.parametrize(
    ("cadence", "count"),
    [
        ("hourly", "87,640,632"),
        ("daily", "3,651,693"),
        ("weekly", "521,671"),
        ("monthly", "119,976"),
        ("quarterly", "39,992"),
    ],
)
def test_slots_are_counted_before_they_are_listed(cadence, count):
    time = Interval(at("0002-01-01T00:00:00Z"), at("9999-12-31T00:00:00Z"))
    said = f"the range reaches over {count} slots, and no more than 20,000 {cadence} slots are allowed"

    with pytest.raises(ValueError, match=said):
        select(cadence, time, UTC)


@given(moments, moments, zones, cadences)
def test_as_many_slots_are_counted_as_are_listed(one, other, zone, cadence):
    first, last = sorted([one, other])
    time = Interval(first, min(last, Instant.of(first + timedelta(days=100))))

    chosen = select(cadence, time, zone)

    assert abs(count_of(cadence, time, zone) - len(chosen.selected + chosen.touched)) <= 1


def test_a_range_over_more_slots_than_the_limit_is_refused():
    start = at("2025-01-01T00:00:00Z")

    most = select("hourly", Interval(start, Instant.of(start + timedelta(hours=SLOTS_MAX))), UTC)

    assert len(most.selected) == SLOTS_MAX == 20_000
    with pytest.raises(ValueError, match="more than 20,000 hourly slots"):
        select("hourly", Interval(start, Instant.of(start + timedelta(hours=SLOTS_MAX + 1))), UTC)


@pytest.mark.parametrize(
    ("cadence", "moment", "zone", "name"),
    [
        ("hourly", "2025-10-26T00:30:00Z", "Europe/Berlin", "2025-10-26T02:00+0200"),
        ("hourly", "2025-10-26T01:30:00Z", "Europe/Berlin", "2025-10-26T02:00+0100"),
        ("daily", "2025-01-01T00:00:00Z", "America/New_York", "2024-12-31"),
        ("weekly", "2024-12-31T00:00:00Z", "UTC", "2025-W01"),
        ("monthly", "2025-03-31T22:00:00Z", "Europe/Berlin", "2025-04"),
        ("quarterly", "2025-12-31T00:00:00Z", "UTC", "2025-Q4"),
        ("annual", "2025-12-31T00:00:00Z", "UTC", "2025"),
    ],
)
def test_a_slot_is_named_by_the_clock_on_the_wall(cadence, moment, zone, name):
    zone = ZoneInfo(zone)

    assert label_slot(cadence, find_slot(cadence, at(moment), zone), zone) == name


@given(cadences, zones, moments, st.integers(1, 30))
def test_neighbouring_slots_have_different_names(cadence, zone, moment, count):
    slot = find_slot(cadence, moment, zone)
    names = [label_slot(cadence, slot, zone)]
    for _ in range(count):
        slot = find_slot(cadence, slot.end, zone)
        names.append(label_slot(cadence, slot, zone))

    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("times", "zone", "days", "hours"),
    [
        ("2025-03-01T00:00+01:00 to 2025-04-01T00:00+02:00", "Europe/Berlin", "31", "743"),
        ("2025-10-01T00:00+02:00 to 2025-11-01T00:00+01:00", "Europe/Berlin", "31", "745"),
        ("2025-03-30T00:00+01:00 to 2025-03-30T12:00+02:00", "Europe/Berlin", "11/23", "11"),
        ("2025-03-29T12:00+01:00 to 2025-03-30T12:00+02:00", "Europe/Berlin", "45/46", "23"),
        ("2025-10-26T00:00+02:00 to 2025-10-26T05:00+01:00", "Europe/Berlin", "6/25", "6"),
        ("2025-01-01T06:00Z to 2025-01-03T18:00Z", "UTC", "5/2", "60"),
        ("2025-01-01T06:00Z to 2025-01-01T06:00Z", "UTC", "0", "0"),
        ("2025-01-01T00:00Z to 2025-01-01T00:00:00.001Z", "UTC", "1/86400000", "1/3600000"),
        # On the calendar of Samoa, 2011 had no 30 December.
        ("2011-12-01T00:00-10:00 to 2012-01-01T00:00+14:00", "Pacific/Apia", "30", "720"),
    ],
)
def test_a_slot_is_so_many_days_of_the_calendar_and_hours_of_the_clock(times, zone, days, hours):
    found = count_days(span(times), ZoneInfo(zone)), count_hours(span(times))

    assert found == tuple(
        CONTEXT.divide(Decimal(one.numerator), Decimal(one.denominator))
        for one in (Fraction(days), Fraction(hours))
    )


@given(moments, zones)
def test_every_day_is_one_day_and_every_week_seven(moment, zone):
    assert count_days(find_slot("daily", moment, zone), zone) == 1
    assert count_days(find_slot("weekly", moment, zone), zone) == 7


@given(moments, zones)
def test_a_month_has_as_many_days_as_the_calendar_says(moment, zone):
    slot = find_slot("monthly", moment, zone)
    on_the_wall = (slot.start + (slot.end - slot.start) / 2).astimezone(zone)

    assert count_days(slot, zone) == monthrange(on_the_wall.year, on_the_wall.month)[1]


@given(moments, moments, moments, zones)
def test_the_days_of_two_stretches_one_after_the_other_are_those_of_both(one, two, three, zone):
    first, middle, last = sorted((one, two, three))

    parts = count_days(Interval(first, middle), zone) + count_days(Interval(middle, last), zone)

    assert abs(parts - count_days(Interval(first, last), zone)) < Decimal("1e-20")
