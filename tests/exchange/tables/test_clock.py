"""How rows come by their times."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from weighbridge.errors import Invalid
from weighbridge.exchange.tables.cell import (
    CellError,
    add_length,
    check_clock,
    list_times,
    read_clock,
    read_moment,
)

ISTANBUL = ZoneInfo("Europe/Istanbul")
NOON = datetime(2011, 1, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        ("2011-01-01T12:00:00Z", None),
        ("2011-01-01 14:00+02:00", None),
        ("2011-01-01T12:00:00Z", ISTANBUL),
        ("2011-01-01T14:00", ISTANBUL),
        ("20110101T140000", ISTANBUL),
    ],
)
def test_a_time_is_the_same_moment_however_it_is_written(text, zone):
    assert read_moment(text, zone) == NOON


def test_a_form_of_ones_own_may_bring_an_offset_or_take_the_zone():
    assert read_moment("01/01/2011 12:00 +0000", None, "%d/%m/%Y %H:%M %z") == NOON
    assert read_moment("01/01/2011 14:00", ISTANBUL, "%d/%m/%Y %H:%M") == NOON


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("noon", "'noon' is not a time such as 2025-01-31T06:00:00Z"),
        ("2011-02-30T00:00Z", "'2011-02-30T00:00Z' is not a time such as 2025-01-31T06:00:00Z"),
        (
            "2011-01-01T12:00",
            "'2011-01-01T12:00' has no offset, such as Z or +01:00; the data feed has no time_zone",
        ),
        ("0001-01-01T00:00+05:00", "'0001-01-01T00:00+05:00' is outside the years 1 to 9999"),
    ],
)
def test_what_names_no_moment_is_refused(text, complaint):
    with pytest.raises(CellError) as refused:
        read_moment(text, None)

    assert str(refused.value) == complaint


def test_a_local_time_that_the_clocks_skip_is_refused():
    with pytest.raises(CellError, match="does not exist in Europe/Istanbul: the clocks go forward then"):
        read_moment("2012-03-25T03:30", ISTANBUL)


def test_a_local_time_that_comes_twice_is_refused_unless_its_offset_stands_there():
    with pytest.raises(CellError, match="comes twice in Europe/Istanbul, where the clocks go back then"):
        read_moment("2012-10-28T03:30", ISTANBUL)

    assert read_moment("2012-10-28T03:30+02:00", ISTANBUL) == datetime(2012, 10, 28, 1, 30, tzinfo=UTC)


def test_in_rows_that_are_in_order_a_time_that_comes_twice_may_be_the_earlier_or_the_later():
    clock = read_clock(time_zone="Europe/Berlin", in_order=True)
    both = (datetime(2025, 10, 26, 0, 30, tzinfo=UTC), datetime(2025, 10, 26, 1, 30, tzinfo=UTC))

    assert list_times(clock, 0, "2025-10-26 02:30", "") == (both, ())
    assert list_times(clock, 0, "2025-10-26 03:30", "") == ((both[1] + timedelta(hours=1),), ())


def test_a_start_behind_the_end_of_its_row_is_none():
    clock = read_clock(time_zone="Europe/Berlin", in_order=True)
    starts, ends = list_times(clock, 0, "2025-10-26 02:45", "2025-10-26 02:00")

    assert starts == (datetime(2025, 10, 26, 0, 45, tzinfo=UTC),)
    assert ends[-1] == datetime(2025, 10, 26, 1, tzinfo=UTC)


def test_counted_rows_last_to_the_next_one():
    clock = read_clock(start="2011-01-01T12:00:00Z", every="15m")

    assert list_times(clock, 0, "", "") == ((NOON,), (NOON + timedelta(minutes=15),))
    assert list_times(clock, 5, "", "") == (
        (NOON + timedelta(minutes=75),),
        (NOON + timedelta(minutes=90),),
    )


def test_counted_readings_have_no_end():
    clock = read_clock(start="2011-01-01T12:00:00Z", every="1d", readings=True)

    assert list_times(clock, 1, "", "") == ((NOON + timedelta(days=1),), ())


def test_a_row_with_a_start_lasts_as_long_as_every_says():
    clock = read_clock(every="1h")

    assert list_times(clock, 7, "2011-01-01T12:00Z", "") == ((NOON,), ())
    assert add_length(clock, NOON) == NOON + timedelta(hours=1)


def test_a_row_with_a_start_alone_is_a_reading():
    assert list_times(read_clock(), 7, "2011-01-01T12:00Z", "") == ((NOON,), ())
    assert add_length(read_clock(), NOON) is None


def test_a_row_without_its_start_is_refused():
    with pytest.raises(CellError, match="start_time is missing"):
        list_times(read_clock(), 0, "", "2011-01-01T12:00Z")


def test_a_count_past_the_last_year_is_refused():
    clock = read_clock(start="9999-12-31T00:00:00Z", every="1d")

    with pytest.raises(CellError, match="past the year 9999"):
        list_times(clock, 1, "", "")


def test_every_option_that_is_wrong_is_named_at_once():
    with pytest.raises(Invalid) as refused:
        read_clock(time_zone="Istanbul", start="noon", every="1 hour")

    assert [problem.message for problem in refused.value.problems] == [
        "time_zone is 'Istanbul', which is not on the IANA list, such as Europe/Istanbul or UTC.",
        "duration is '1 hour'; it takes a whole number with s, m, h or d, such as 15m or 1h.",
        "The start_time of the first row: 'noon' is not a time such as 2025-01-31T06:00:00Z.",
    ]


COUNTED = {"start": "2011-01-01T00:00Z", "every": "1h"}


@pytest.mark.parametrize(
    ("options", "fields", "is_sound"),
    [
        (COUNTED, (), True),
        (COUNTED | {"readings": True}, (), True),
        ({}, ("start_time",), True),
        ({}, ("start_time", "end_time"), True),
        ({"every": "1h"}, ("start_time",), True),
        ({"readings": True}, ("start_time",), True),
        ({}, (), False),
        ({}, ("end_time",), False),
        ({"start": "2011-01-01T00:00Z"}, (), False),
        ({"every": "1h"}, (), False),
        (COUNTED, ("start_time",), False),
        (COUNTED, ("end_time",), False),
        ({"every": "1h"}, ("start_time", "end_time"), True),
        ({"every": "1h", "readings": True}, ("start_time",), False),
        ({"readings": True}, ("start_time", "end_time"), False),
        ({"in_order": True}, ("start_time",), True),
        (COUNTED | {"in_order": True}, (), False),
    ],
)
def test_rows_get_exactly_one_start_and_at_most_one_end(options, fields, is_sound):
    assert (check_clock(read_clock(**options), fields) == []) is is_sound
