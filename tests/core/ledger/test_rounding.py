"""How a ledger rounds totals and draws, and how far rounded parts may be off. Design, Ledgers."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.ledger.allocation import round_draw, round_total, warn_of_coarse_scale
from weighbridge.core.number import exact_total

amounts = st.builds(
    lambda units, places: Decimal(units).scaleb(-places), st.integers(-(10**20), 10**20), st.integers(0, 15)
)
scales = st.integers(0, 12)
roundings = st.sampled_from(["half_even", "down"])


@pytest.mark.parametrize(
    ("value", "rounding", "total", "draw"),
    [
        ("2.985", "half_even", "2.98", "2.98"),
        ("2.985", "down", "2.98", "2.99"),
        ("2.9850001", "half_even", "2.99", "2.99"),
        ("2.98", "down", "2.98", "2.98"),
        ("0.0000001", "down", "0", "0.01"),
        ("-2.985", "half_even", "-2.98", "-2.98"),
        ("-2.981", "down", "-2.99", "-2.98"),
        ("7", "down", "7", "7"),
    ],
)
def test_totals_and_draws_are_rounded_as_the_ledger_says(value, rounding, total, draw):
    assert round_total(Decimal(value), 2, rounding) == Decimal(total)
    assert round_draw(Decimal(value), 2, rounding) == Decimal(draw)


@given(amounts, scales)
def test_no_total_that_is_rounded_down_exceeds_what_was_computed_and_no_draw_falls_short(value, scale):
    unit, exact = Fraction(1, 10**scale), Fraction(value)

    assert exact - unit < Fraction(round_total(value, scale, "down")) <= exact
    assert exact <= Fraction(round_draw(value, scale, "down")) < exact + unit


@given(st.lists(amounts, min_size=1, max_size=12), scales)
def test_rounded_parts_are_off_from_their_rounded_sum_by_half_a_unit_for_each_and_the_sum(parts, scale):
    off = _off(parts, scale, "half_even")

    assert abs(off) <= Fraction(len(parts) + 1, 2)


@given(st.lists(amounts, min_size=1, max_size=12), scales)
def test_parts_rounded_down_are_below_their_rounded_sum_by_less_than_a_unit_for_each(parts, scale):
    off = _off(parts, scale, "down")

    assert -len(parts) < off <= 0


def _off(parts, scale, rounding):
    """How many units of the last place the rounded parts are above the rounded sum."""
    whole = round_total(exact_total(parts), scale, rounding)
    rounded = exact_total(round_total(part, scale, rounding) for part in parts)
    return (Fraction(rounded) - Fraction(whole)) * 10**scale


@given(amounts, scales, roundings)
def test_what_has_no_more_decimals_than_the_ledger_stays(value, scale, rounding):
    kept = Decimal(int(value)).scaleb(-scale)

    assert round_total(kept, scale, rounding) == round_draw(kept, scale, rounding) == kept


@pytest.mark.parametrize(
    ("scale", "places", "is_warned"),
    [(2, 6, True), (5, 6, True), (6, 6, False), (9, 6, False), (0, 0, False)],
)
def test_a_ledger_is_warned_about_when_it_is_coarser_than_the_shares_of_its_model(scale, places, is_warned):
    assert (warn_of_coarse_scale("Mass", "t", scale, "half_even", places) is not None) is is_warned


def test_the_warning_says_how_far_rounded_parts_may_be_off():
    assert warn_of_coarse_scale("Mass", "t", 2, "half_even", 6) == (
        "'Mass' keeps 2 decimals and its model cuts shares at 6: the rounded totals of n partitions"
        " may differ from their rounded sum by up to (n + 1) / 2 x 0.01 t."
    )
    assert warn_of_coarse_scale("Count", "", 0, "down", 1) == (
        "'Count' keeps 0 decimals and its model cuts shares at 1: the rounded totals of n partitions"
        " may be below their rounded sum by less than n x 1."
    )
