"""An instant is a moment in UTC to the millisecond; an interval is half-open."""

from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.time.calendar import BeyondCalendarError, Instant, Interval


def at(text):
    return Instant.of(datetime.fromisoformat(text))


def span(start, end):
    return Interval(at(f"2025-01-{start:02d}T00:00:00Z"), at(f"2025-01-{end:02d}T00:00:00Z"))


spans = st.builds(lambda start, length: span(start, start + length), st.integers(1, 10), st.integers(0, 10))
offsets = st.integers(-24 * 60 + 1, 24 * 60 - 1).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=offsets)  # noqa: DTZ001 - bounds are naive


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2025-01-01T00:00:00Z", "2025-01-01T00:00:00.000Z"),
        ("2025-01-01T00:00:00.123456Z", "2025-01-01T00:00:00.123Z"),
        ("2025-01-01T00:00:00.999999+05:30", "2024-12-31T18:30:00.999Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
    ],
)
def test_an_instant_is_written_in_utc_with_milliseconds(text, written):
    assert at(text).text == written


@pytest.mark.parametrize("text", ["9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59"])
def test_a_moment_that_utc_has_no_year_for_is_no_instant(text):
    with pytest.raises(BeyondCalendarError, match="outside the years 1 to 9999"):
        at(text)


def test_a_naive_moment_names_no_instant():
    with pytest.raises(ValueError, match="a time needs an offset or Z"):
        Instant.of(datetime(2025, 1, 1))  # noqa: DTZ001 - the point of the test


@given(moments)
def test_an_instant_is_its_moment_without_the_finer_digits(moment):
    instant = Instant.of(moment)

    assert instant.tzinfo is UTC
    assert timedelta(0) <= moment - instant < timedelta(milliseconds=1)
    assert instant.microsecond % 1000 == 0


@given(moments)
def test_what_is_written_reads_back_equal(moment):
    instant = Instant.of(moment)

    assert at(instant.text) == instant
    assert len(instant.text) == 24


def test_an_interval_does_not_end_before_it_starts():
    with pytest.raises(ValueError, match="cannot end at"):
        span(2, 1)


def test_a_reading_has_no_length():
    assert span(1, 1).is_reading
    assert not span(1, 2).is_reading


@pytest.mark.parametrize(
    ("inner", "inside"),
    [
        ((3, 3), True), ((5, 5), False), ((2, 2), False), ((4, 4), True),
        ((3, 5), True), ((3, 4), True), ((4, 5), True), ((2, 4), False), ((4, 6), False), ((5, 6), False),
        ((2, 6), False),
    ],
)  # fmt: skip
def test_the_third_to_the_fifth_holds(inner, inside):
    assert span(3, 5).holds(span(*inner)) is inside


@pytest.mark.parametrize(
    ("other", "touching"),
    [
        ((1, 3), False), ((1, 4), True), ((3, 5), True), ((4, 4), True), ((3, 3), True), ((5, 5), False),
        ((5, 6), False), ((4, 6), True), ((1, 9), True),
    ],
)  # fmt: skip
def test_the_third_to_the_fifth_touches(other, touching):
    assert span(3, 5).touches(span(*other)) is touching


@given(spans, spans)
def test_touching_is_mutual(one, other):
    assert one.touches(other) == other.touches(one)


@given(spans, spans)
def test_what_is_held_is_touched(one, other):
    assert not one.holds(other) or one.touches(other)


@given(spans, spans)
def test_the_overlap_lies_in_both(one, other):
    common = one.overlap(other)

    assert common == other.overlap(one)
    if common is not None:
        assert one.holds(common)
        assert other.holds(common)
        assert not common.is_reading


def test_neighbours_have_no_overlap():
    assert span(1, 3).overlap(span(3, 5)) is None
    assert span(1, 4).overlap(span(3, 5)) == span(3, 4)


def test_a_reading_between_two_neighbours_belongs_to_the_later():
    reading = span(3, 3)

    assert [slot.holds(reading) for slot in (span(1, 3), span(3, 5))] == [False, True]


@given(st.integers(1, 19), st.lists(st.integers(1, 19), min_size=1, unique=True))
def test_of_slots_that_cover_time_exactly_one_holds_a_reading(day, cuts):
    edges = sorted({1, 20, *cuts})
    slots = [span(start, end) for start, end in pairwise(edges)]

    assert sum(slot.holds(span(day, day)) for slot in slots) == 1


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2025-01-01 00:00:00+00", "2025-01-01T00:00:00.000Z"),
        ("2025-01-01 00:00:00.1+00", "2025-01-01T00:00:00.100Z"),
        ("2025-01-01 00:00:00.12+00", "2025-01-01T00:00:00.120Z"),
        ("2025-01-01 00:00:00.123+00", "2025-01-01T00:00:00.123Z"),
        ("2025-01-01 00:00:00.123456+00", "2025-01-01T00:00:00.123Z"),
    ],
)
def test_what_the_database_writes_is_read_and_written_as_any_other_moment(text, written):
    moment = Instant.read(text)

    assert moment == datetime.fromisoformat(text)
    assert moment.text == written
    assert (moment + timedelta(hours=1)).text == written.replace("T00", "T01")
