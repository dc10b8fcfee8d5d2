"""What reports hold, and what brings it to what they should hold."""

from datetime import UTC, datetime
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.report import HoldingChange, find_effective_time, list_changes, reserve

JANUARY, FEBRUARY = datetime(2025, 2, 1, tzinfo=UTC), datetime(2025, 3, 1, tzinfo=UTC)

holdings = st.dictionaries(
    st.tuples(st.integers(1, 3), st.sampled_from([JANUARY, FEBRUARY])),
    st.decimals("0.01", 9, places=2),
    max_size=4,
)


def test_a_report_counts_from_its_latest_slots_end_and_no_earlier_than_what_it_restates():
    assert find_effective_time([JANUARY]) == JANUARY
    assert find_effective_time([JANUARY, FEBRUARY], JANUARY) == FEBRUARY
    assert find_effective_time([JANUARY], FEBRUARY) == FEBRUARY


def test_a_difference_is_posted_for_the_moment_at_which_it_counts():
    held, wanted = {(1, JANUARY): Decimal(5)}, {(1, FEBRUARY): Decimal(4)}

    assert list_changes(held, wanted) == [
        HoldingChange(1, JANUARY, Decimal(-5)),
        HoldingChange(1, FEBRUARY, Decimal(4)),
    ]


def test_a_report_under_way_reserves_what_it_takes_beyond_what_is_posted():
    posted = {(1, JANUARY): Decimal(5), (2, JANUARY): Decimal(1)}
    taken = {(1, FEBRUARY): Decimal(4), (2, FEBRUARY): Decimal(3), (3, FEBRUARY): Decimal(2)}

    assert reserve(taken, posted) == {(2, FEBRUARY): Decimal(2), (3, FEBRUARY): Decimal(2)}


@given(holdings, holdings)
def test_what_is_held_and_the_differences_come_to_what_is_wanted(held, wanted):
    reached = dict(held)
    for change in list_changes(held, wanted):
        key = change.batch, change.effective_at
        assert change.amount
        reached[key] = reached.get(key, Decimal(0)) + change.amount

    assert {key: amount for key, amount in reached.items() if amount} == wanted
    assert list_changes(wanted, wanted) == []
