"""Statistics of groups can be put together in any way and give those of the whole."""

from decimal import Decimal
from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.engine.statistics import NOTHING, Statistics

amounts = st.decimals(-10_000, 10_000, places=6)
pairs = st.lists(st.tuples(amounts, st.none() | amounts), max_size=12)


def of(values):
    """The statistics of values with their weights, None where the weight is missing."""
    found = [value for value, _ in values]
    weighted = [(value, weight) for value, weight in values if weight is not None]
    return Statistics(
        count=len(found),
        total=sum(found, Decimal(0)),
        least=min(found, default=None),
        greatest=max(found, default=None),
        weight=sum((weight for _, weight in weighted), Decimal(0)),
        weighted=sum((value * weight for value, weight in weighted), Decimal(0)),
        unweighted=len(values) - len(weighted),
    )


def test_two_groups_together():
    together = of([(Decimal("1.5"), Decimal(2)), (Decimal(-4), None)]).plus(
        of([(Decimal(10), Decimal("0.5"))])
    )

    assert together == Statistics(
        count=3,
        total=Decimal("7.5"),
        least=Decimal(-4),
        greatest=Decimal(10),
        weight=Decimal("2.5"),
        weighted=Decimal("8.00"),
        unweighted=1,
    )


def test_no_values_change_nothing():
    some = of([(Decimal(3), Decimal(1))])

    assert some.plus(NOTHING) == NOTHING.plus(some) == some
    assert NOTHING.plus(NOTHING) == NOTHING


@given(pairs, pairs)
def test_the_statistics_of_the_parts_give_those_of_the_whole(some, others):
    assert of(some).plus(of(others)) == of(some + others)


@given(st.lists(pairs, min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_neither_the_order_nor_the_nesting_of_groups_shows(groups, random):
    parts = [of(values) for values in groups]
    shuffled = random.sample(parts, len(parts))

    assert reduce(Statistics.plus, shuffled) == of([pair for values in groups for pair in values])


def test_sums_beyond_34_digits_are_exact():
    large, small = Statistics(count=1, total=Decimal("1e30")), Statistics(count=1, total=Decimal("1e-30"))

    assert large.plus(small).total - large.total == small.total
