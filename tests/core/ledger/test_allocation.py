"""An allocation divides a whole into parts that sum to it, to the last digit. Design, Partitions and
Allocation.
"""

from decimal import Decimal
from fractions import Fraction
from functools import reduce
from operator import add

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.ledger.allocation import AllocationError, divide, divide_evenly
from weighbridge.core.quantity.number import EXACT


def numbers(text):
    return [Decimal(word) for word in text.split()]


wholes = st.builds(
    lambda units, places: Decimal(units).scaleb(-places), st.integers(-(10**25), 10**25), st.integers(0, 12)
)  # fmt: skip
weights = st.builds(
    lambda units, places: Decimal(units).scaleb(-places), st.integers(0, 10**9), st.integers(0, 9)
)
weight_lists = st.lists(weights, min_size=1, max_size=30).filter(any)
scales = st.integers(0, 12)


def unit_of(whole, scale):
    return Fraction(1, 10 ** max(scale, -whole.as_tuple().exponent))


def exact_sum(parts):
    return reduce(add, map(Fraction, parts))


@pytest.mark.parametrize(
    ("whole", "weights", "scale", "parts"),
    [
        ("10", "1 1 1", 2, "3.34 3.33 3.33"),
        ("10", "1 1 1", 0, "4 3 3"),
        ("20", "1 1 1", 1, "6.7 6.7 6.6"),
        ("-10", "1 1 1", 2, "-3.34 -3.33 -3.33"),
        ("1", "1 1 1 1 1 1 1", 3, "0.143 0.143 0.143 0.143 0.143 0.143 0.142"),
        ("100", "2 1 1", 2, "50.00 25.00 25.00"),
        ("10", "0 1 1 1", 2, "0.00 3.34 3.33 3.33"),
        ("10", "1 0 2", 2, "3.34 0.00 6.66"),
        ("0.00001", "1 1", 2, "0.00001 0.00000"),
        ("0", "1 2", 2, "0.00 0.00"),
        ("5", "3", 2, "5.00"),
        ("1e3", "1 2", 0, "334 666"),
        ("1000000000.000001", "1 1 1", 6, "333333333.333334 333333333.333334 333333333.333333"),
    ],
)  # fmt: skip
def test_a_whole_is_divided_in_proportion(whole, weights, scale, parts):
    divided = divide(Decimal(whole), numbers(weights), scale)

    assert list(map(str, divided)) == parts.split()


def test_the_finer_of_scale_and_the_wholes_own_places_counts():
    assert divide(Decimal("1.001"), numbers("1 1"), 2) == numbers("0.501 0.500")
    assert divide(Decimal("1.1"), numbers("1 1"), 3) == numbers("0.550 0.550")


@given(wholes, weight_lists, scales)
def test_parts_sum_to_the_whole(whole, weights, scale):
    assert exact_sum(divide(whole, weights, scale)) == Fraction(whole)


@given(wholes, weight_lists, scales)
def test_parts_have_the_sign_of_the_whole_and_zero_weight_gives_zero(whole, weights, scale):
    for part, weight in zip(divide(whole, weights, scale), weights, strict=True):
        assert (
            part * whole >= 0 if abs(whole) < 1 else part.is_zero() or part.is_signed() == whole.is_signed()
        )
        assert weight or not part


@given(wholes, weight_lists, scales)
def test_every_part_is_its_exact_share_to_less_than_a_unit(whole, weights, scale):
    total = exact_sum(weights)
    unit = unit_of(whole, scale)

    for part, weight in zip(divide(whole, weights, scale), weights, strict=True):
        assert abs(Fraction(part) - Fraction(whole) * Fraction(weight) / total) < unit


@given(wholes, weight_lists, scales)
def test_the_units_left_over_go_one_each_to_the_first_parts_with_a_weight(whole, weights, scale):
    total = exact_sum(weights)
    unit = unit_of(whole, scale)
    units = [Fraction(part) / unit for part in divide(whole, weights, scale)]
    cut = [int(Fraction(whole) / unit * Fraction(weight) / total) for weight in weights]

    extra = [abs(part - base) for part, base, weight in zip(units, cut, weights, strict=True) if weight]

    assert set(extra) <= {0, 1}
    assert extra == sorted(extra, reverse=True)


@given(wholes, st.integers(1, 60), scales)
def test_equal_weights_give_parts_that_differ_by_at_most_one_unit_larger_first(whole, count, scale):
    parts = divide_evenly(whole, count, scale)

    sizes = [abs(Fraction(part)) for part in parts]
    assert max(sizes) - min(sizes) <= unit_of(whole, scale)
    assert sizes == sorted(sizes, reverse=True)


@given(wholes, weight_lists, scales, st.randoms(use_true_random=False))
def test_another_order_moves_no_part_by_more_than_one_unit(whole, weights, scale, random):
    order = list(range(len(weights)))
    random.shuffle(order)

    before = divide(whole, weights, scale)
    after = divide(whole, [weights[index] for index in order], scale)

    for part, index in zip(after, order, strict=True):
        assert abs(Fraction(part) - Fraction(before[index])) <= unit_of(whole, scale)


@given(wholes, weight_lists, scales, st.integers(1, 1000))
def test_only_the_proportion_of_weights_counts(whole, weights, scale, factor):
    scaled = [EXACT.multiply(weight, Decimal(factor)) for weight in weights]

    assert divide(whole, scaled, scale) == divide(whole, weights, scale)


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
