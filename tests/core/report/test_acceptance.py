"""How much of each batch is accepted where a part of a report is."""

from decimal import Decimal

from hypothesis import given as for_all
from hypothesis import strategies as st

from weighbridge.core.report import share_accepted

SCALE = 3
thousandths = st.integers(1, 10**9).map(lambda units: Decimal(units).scaleb(-SCALE))


@for_all(st.lists(thousandths, min_size=1, max_size=20), st.data())
def test_shares_sum_to_what_is_accepted_and_none_is_above_its_claim(claims, data):
    claimed = dict(enumerate(claims))
    units = int(sum(claims).scaleb(SCALE))
    accepted = Decimal(data.draw(st.integers(1, units))).scaleb(-SCALE)

    shares = share_accepted(accepted, claimed, SCALE)

    assert sum(shares.values()) == accepted
    assert all(0 <= shares[batch] <= claim for batch, claim in claimed.items())
    assert all(share == round(share, SCALE) for share in shares.values())


def test_the_largest_remainders_get_what_is_left_over():
    thirds = {1: Decimal(1), 2: Decimal(1), 3: Decimal(1)}

    assert [*share_accepted(Decimal(1), thirds, 2).values()] == [
        Decimal("0.34"), Decimal("0.33"), Decimal("0.33"),
    ]  # fmt: skip
    assert [*share_accepted(Decimal(3), {1: Decimal(4), 2: Decimal(1)}, 0).values()] == [2, 1]


def test_amounts_that_are_finer_than_the_ledger_are_shared_as_finely():
    claimed = {1: Decimal("0.5"), 2: Decimal("0.5")}

    assert share_accepted(Decimal(1), claimed, 0) == claimed
