"""Percentiles by five definitions. Core, rule/windows."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.rule.records import alerts, daily

from weighbridge.core.rule.functions import DEFINITIONS, compute_percentile

ORDER = ("nearest_rank", "naaqs", "eu_97_101", "inclusive", "exclusive")

# Of the values 1 to n. The definitions are those of the regulations; the figures were computed by hand.
TABLE = """
   10  90     9    10     9     9.1     9.9
   15  90    14    14    14    13.6    14.4
  100  98    98    99    98    98.02   98.98
  720  90   648   649   648   648.1   648.9
  720  95   684   685   684   684.05  684.95
 2160  90  1944  1945  1944  1944.1  1944.9
"""


def share_of(p):
    return Decimal(p).scaleb(-2)


@pytest.mark.parametrize("row", TABLE.strip().splitlines())
def test_five_definitions_part_where_there_are_few_values(row):
    count, p, *expected = row.split()
    values = [Decimal(number) for number in range(1, int(count) + 1)]

    found = [compute_percentile(values, share_of(p), definition) for definition in ORDER]

    assert found == [Decimal(one) for one in expected]


def test_linear_is_another_name_of_inclusive():
    assert set(DEFINITIONS) == {*ORDER, "linear"}
    assert compute_percentile([Decimal(1), Decimal(2)], Decimal("0.5"), "linear") == Decimal("1.5")


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_the_ends_are_the_smallest_and_the_largest(definition):
    values = [Decimal(number) for number in (3, 5, 9)]

    assert compute_percentile(values, Decimal(0), definition) == 3
    assert compute_percentile(values, Decimal(1), definition) == 9
    assert compute_percentile([Decimal(7)], Decimal("0.9"), definition) == 7


@given(
    st.lists(st.decimals(-1000, 1000, places=3), min_size=1, max_size=40),
    st.decimals(0, 100, places=2),
    st.sampled_from(DEFINITIONS),
)
def test_a_percentile_lies_among_its_values(values, p, definition):
    ascending = sorted(values)

    assert ascending[0] <= compute_percentile(ascending, share_of(p), definition) <= ascending[-1]


OF_TEN = dict(zip(ORDER, ("9", "10", "9", "9.1", "9.9"), strict=True))


@pytest.mark.parametrize("definition", ORDER)
def test_rules_may_name_any_of_them(definition):
    window = {"kind": "rolling", "members": 10}
    expression = f"percentile({{{{mass}}}}, 90, {definition}) = {OF_TEN[definition]}"

    assert alerts(expression, daily(range(1, 12)), window)[-1] == 11
