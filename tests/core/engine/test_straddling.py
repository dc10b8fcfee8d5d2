"""The parts of what lies across boundaries: in proportion to time, and never more or less than the whole."""

from datetime import UTC, timedelta
from decimal import Decimal
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.engine.slot_computation import measure_hours, measure_hours_inside, prorate_value
from weighbridge.core.number import EXACT, count_significant_digits, exact_total
from weighbridge.core.time.calendar import Instant, Interval

START = Instant(2025, 1, 1, tzinfo=UTC)


def at(hour):
    return START + timedelta(hours=hour)


def stretch(start, end):
    return Interval(at(start), at(end))


def test_a_part_is_in_proportion_to_the_time_inside():
    assert prorate_value(Decimal(10), stretch(0, 4), stretch(3, 9)) == Decimal("2.5")


def test_what_lies_inside_and_a_reading_are_whole():
    assert prorate_value(Decimal(10), stretch(3, 4), stretch(3, 9)) == 10
    assert prorate_value(Decimal(10), stretch(3, 3), stretch(3, 9)) == 10


def test_an_exact_part_has_no_more_places_than_it_needs():
    assert str(prorate_value(Decimal(59), stretch(0, 59), stretch(0, 31))) == "31"
    assert str(prorate_value(Decimal("1.50"), stretch(0, 3), stretch(0, 2))) == "1.00"


def test_a_part_that_never_ends_has_the_digits_of_the_whole():
    assert (
        str(prorate_value(Decimal(1), stretch(0, 3), stretch(0, 1))) == "0.333333333333333333333333333333333"
    )


def test_hours_are_those_inside_or_all():
    assert measure_hours_inside(stretch(0, 4), stretch(3, 9)) == 1
    assert measure_hours_inside(stretch(0, 2), stretch(3, 9)) == 0
    assert measure_hours(stretch(0, 4)) == 4


amounts = st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**9), max_value=10**9)


@given(amounts, st.lists(st.integers(1, 10**7), min_size=2, max_size=8, unique=True))
def test_the_parts_in_slots_that_cover_the_time_sum_to_the_whole(value, cuts):
    moments = [START + timedelta(milliseconds=cut) for cut in sorted(cuts)]
    time = Interval(moments[0], moments[-1])

    parts = [prorate_value(value, time, Interval(*slot)) for slot in pairwise(moments)]

    assert exact_total(parts) == value
    assert all(count_significant_digits(part) <= 34 for part in parts)
    assert all(abs(part) <= abs(value) and EXACT.multiply(part, value) >= 0 for part in parts)
