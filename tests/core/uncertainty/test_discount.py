"""A discount takes off an amount what its uncertainty asks for, and never more than the amount."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.uncertainty.discount import Discount
from weighbridge.core.uncertainty.effects import Component, UncertaintyEffect, combine

AMOUNTS = st.decimals(min_value=-1000, max_value=1000, places=6)
SIZES = st.decimals(min_value=0, max_value=100, places=6)
RULES = st.one_of(
    st.decimals("0.001", 100, places=3).map(lambda number: Discount(standard_deviations=number)),
    st.decimals("0.001", "0.499", places=3).map(lambda number: Discount(percentile=number)),
)


def uncertain_by(size, degrees_of_freedom=None):
    return combine({UncertaintyEffect("scale"): Component({"mass": size}, degrees_of_freedom)})


def test_one_standard_deviation_takes_off_the_standard_uncertainty():
    assert Discount(standard_deviations=Decimal(1)).compute(Decimal(100), uncertain_by(Decimal(2))) == 2


def test_the_fifth_percentile_of_a_normal_distribution_is_1_645_deviations_below():
    taken_off = Discount(percentile=Decimal("0.05")).compute(Decimal(100), uncertain_by(Decimal(2)))

    assert round(taken_off, 9) == Decimal("3.289707254")


def test_with_few_degrees_of_freedom_a_percentile_is_farther_below():
    # Student's t of 95 % for 9 degrees of freedom is 1.833 (JCGM 100:2008, table G.2 gives 1.83 for 90 %).
    taken_off = Discount(percentile=Decimal("0.05")).compute(
        Decimal(100), uncertain_by(Decimal(2), Decimal(9))
    )

    assert round(taken_off / 2, 3) == Decimal("1.833")


@pytest.mark.parametrize("amount", [Decimal(0), Decimal(-5)])
def test_what_is_no_credit_has_no_discount(amount):
    assert Discount(standard_deviations=Decimal(1)).compute(amount, uncertain_by(Decimal(2))) == 0


@given(rule=RULES, amount=AMOUNTS, size=SIZES, more=SIZES)
def test_a_credit_is_never_below_zero_and_falls_as_uncertainty_grows(rule, amount, size, more):
    credited = amount - rule.compute(amount, uncertain_by(size))
    less_certain = amount - rule.compute(amount, uncertain_by(size + more))

    assert min(amount, Decimal(0)) <= less_certain <= credited <= amount
