"""An allocation divides a whole into parts that sum to it, to the last digit. Design, Partitions and
Allocation.
"""

import re
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from operator import add

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.ledger.allocation import AllocationError, divide, divide_evenly
from weighbridge.core.number import EXACT


def numbers(text):
    return [Decimal(word) for word in text.split()]


wholes = st.builds(
    lambda units, places: Decimal(units).scaleb(-places), st.integers(-(10**25), 10**25), st.integers(0, 12)
)  # fmt: skip
weights = st.builds(
    lambda units, places: Decimal(units).scaleb(-places), st.integers(0, 10**9), st.integers(0, 9)
)
weight_lists = st.lists(weights, min_size=1, max_size=30).filter(any)
place_counts = st.integers(0, 12)


def unit_of(places):
    return Fraction(1, 10**places)


def within(whole, places):
    """The whole without what it has beyond the places."""
    return Fraction(int(Fraction(whole) / unit_of(places))) * unit_of(places)


def exact_sum(parts):
    return reduce(add, map(Fraction, parts))


@pytest.mark.parametrize(
    ("whole", "weights", "places", "parts"),
    [
        ("10", "1 1 1", 2, "3.34 3.33 3.33"),
        ("10", "1 1 1", 0, "4 3 3"),
        ("20", "1 1 1", 1, "6.7 6.7 6.6"),
        ("-10", "1 1 1", 2, "-3.34 -3.33 -3.33"),
        ("1", "1 1 1 1 1 1 1", 3, "0.143 0.143 0.143 0.143 0.143 0.143 0.142"),
        ("100", "2 1 1", 2, "50.00 25.00 25.00"),
        ("10", "0 1 1 1", 2, "0.00 3.34 3.33 3.33"),
        ("10", "1 0 2", 2, "3.33 0.00 6.67"),
        ("4", "3 6", 0, "1 3"),
        ("4", "3 5 2", 0, "1 2 1"),
        ("-4", "3 5 2", 0, "-1 -2 -1"),
        ("1", "5 3 3", 1, "0.4 0.3 0.3"),
        ("0.00001", "1 1", 2, "0.00001 0.00"),
        ("0.00001", "0 1 1", 2, "0.00 0.00001 0.00"),
        ("-1.239", "1 1", 1, "-0.639 -0.6"),
        ("1.001", "1 1", 2, "0.501 0.50"),
        ("1.1", "1 1", 3, "0.550 0.550"),
        ("0", "1 2", 2, "0.00 0.00"),
        ("5", "3", 2, "5.00"),
        ("1e3", "1 2", 0, "333 667"),
        ("1000000000.000001", "1 1 1", 6, "333333333.333334 333333333.333334 333333333.333333"),
        (
            "1.944444444444444444444444444444444", "1 1 1", 6,
            "0.648148444444444444444444444444444 0.648148 0.648148",
        ),
    ],
)  # fmt: skip
def test_a_whole_is_divided_in_proportion(whole, weights, places, parts):
    divided = divide(Decimal(whole), numbers(weights), places)

    assert list(map(str, divided)) == parts.split()


@pytest.mark.parametrize("typed", ["1", "1.0", "1.00000", "1.000000000", "1E0"])
def test_zeros_that_were_typed_change_no_part(typed):
    assert list(map(str, divide(Decimal(typed), numbers("1 1 1"), 3))) == ["0.334", "0.333", "0.333"]


@given(wholes, weight_lists, place_counts)
def test_parts_sum_to_the_whole(whole, weights, places):
    assert exact_sum(divide(whole, weights, places)) == Fraction(whole)


@given(wholes, weight_lists, place_counts)
def test_parts_have_the_sign_of_the_whole_and_zero_weight_gives_zero(whole, weights, places):
    for part, weight in zip(divide(whole, weights, places), weights, strict=True):
        assert (
            part * whole >= 0 if abs(whole) < 1 else part.is_zero() or part.is_signed() == whole.is_signed()
        )
        assert weight or not part


@given(wholes, weight_lists, place_counts)
def test_every_part_but_the_first_is_its_exact_share_to_less_than_a_unit(whole, weights, places):
    total, cut = exact_sum(weights), within(whole, places)
    first = next(index for index, weight in enumerate(weights) if weight)

    parts = [Fraction(part) for part in divide(whole, weights, places)]
    parts[first] -= Fraction(whole) - cut

    for part, weight in zip(parts, weights, strict=True):
        assert abs(part - cut * Fraction(weight) / total) < unit_of(places)


@given(wholes, weight_lists, place_counts)
def test_the_units_left_over_go_one_each_to_the_largest_remainders(whole, weights, places):
    total, unit, cut = exact_sum(weights), unit_of(places), within(whole, places)
    first = next(index for index, weight in enumerate(weights) if weight)
    parts = [Fraction(part) for part in divide(whole, weights, places)]
    parts[first] -= Fraction(whole) - cut

    exact = [abs(cut) / unit * Fraction(weight) / total for weight in weights]
    extra = [abs(part) / unit - int(share) for part, share in zip(parts, exact, strict=True)]
    order = sorted(range(len(weights)), key=lambda index: (int(exact[index]) - exact[index], index))

    assert set(extra) <= {0, 1}
    assert [extra[index] for index in order] == sorted(extra, reverse=True)


@given(wholes, st.integers(1, 60), place_counts)
def test_equal_weights_give_parts_that_differ_by_at_most_one_unit_larger_first(whole, count, places):
    whole = Decimal(int(whole.scaleb(places))).scaleb(-places)
    parts = divide_evenly(whole, count, places)

    sizes = [abs(Fraction(part)) for part in parts]
    assert max(sizes) - min(sizes) <= unit_of(places)
    assert sizes == sorted(sizes, reverse=True)


@given(wholes, weight_lists, place_counts, st.randoms(use_true_random=False))
def test_another_order_moves_no_part_by_more_than_one_unit(whole, weights, places, random):
    whole = Decimal(int(whole.scaleb(places))).scaleb(-places)
    order = list(range(len(weights)))
    random.shuffle(order)

    before = divide(whole, weights, places)
    after = divide(whole, [weights[index] for index in order], places)

    for part, index in zip(after, order, strict=True):
        assert abs(Fraction(part) - Fraction(before[index])) <= unit_of(places)


@given(wholes, weight_lists, place_counts, st.integers(1, 12))
def test_zeros_at_the_end_of_the_whole_change_no_digit_of_a_part(whole, weights, places, zeros):
    typed = whole.quantize(Decimal(1).scaleb(whole.as_tuple().exponent - zeros), context=EXACT)

    assert list(map(str, divide(typed, weights, places))) == list(map(str, divide(whole, weights, places)))


@given(wholes, weight_lists, place_counts, st.integers(1, 1000))
def test_only_the_proportion_of_weights_counts(whole, weights, places, factor):
    scaled = [EXACT.multiply(weight, Decimal(factor)) for weight in weights]

    assert divide(whole, scaled, places) == divide(whole, weights, places)


@pytest.mark.parametrize("weights", ["0", "0 0 0", ""])
def test_weights_that_sum_to_zero_are_refused(weights):
    with pytest.raises(
        AllocationError, match=r"The weights sum to zero, so there is no proportion to divide by\."
    ):
        divide(Decimal(1), numbers(weights), 2)


@pytest.mark.parametrize("weights", ["-1", "1 -1", "2 -1"])
def test_negative_weights_are_refused(weights):
    with pytest.raises(AllocationError, match="A weight is negative"):
        divide(Decimal(1), numbers(weights), 2)


def test_nothing_is_divided_evenly_among_none():
    with pytest.raises(AllocationError):
        divide_evenly(Decimal(1), 0, 2)


@pytest.mark.parametrize(
    ("whole", "count", "places", "digits"),
    [("1e33", 3, 6, 39), ("1000000000000000000000000000000000", 3, 1, 34), ("1e33", 7, 2, 35)],
)
def test_parts_that_a_number_cannot_hold_are_refused(whole, count, places, digits):
    if digits <= 34:
        assert exact_sum(divide_evenly(Decimal(whole), count, places)) == Fraction(whole)
        return
    message = f"A part cut at {places} places has {digits} digits, and a number holds 34."
    with pytest.raises(AllocationError, match=re.escape(message)):
        divide_evenly(Decimal(whole), count, places)


def test_a_whole_of_34_digits_whose_parts_end_in_zeros_is_divided():
    assert divide_evenly(Decimal("9e33"), 3, 6) == [Decimal("3e33")] * 3
