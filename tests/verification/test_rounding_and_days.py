"""Totals recompute as their ledger rounds, and days by the clock that the project had."""

from decimal import Decimal

import pytest
from tests.given import accounting, chain
from tests.given.accounting import MASS

RECOMPUTES = "every batch recomputes to the last digit"
DAYS = (
    MASS
    + """
  - slug: days
    formula: period_days()
    unit: d
    output: true
"""
)


@pytest.fixture(scope="module")
def making():
    return made


def made(server):
    """A ledger that rounds down and one that draws from it; in another project a deleted batch of days."""
    account = server.account()
    deliveries = chain.inventory(account.caller(), account.drain, scale=2, rounding="down")
    deliveries.deliver("2.999")
    deliveries.generate()
    used = chain.link(deliveries, output="used", scale=2)
    chain.produce(used, "0.0005")
    used.generate()
    days = accounting.plant(account.caller(), account.drain, DAYS, time_zone="Europe/Berlin")
    days.deliver(1, "2025-03-15T00:00:00Z")
    ids = days.generate(("2025-03-01T00:00:00Z", "2025-04-01T00:00:00Z"))["batches"]
    days.api.post(f"/ledgers/{days.ledger['id']}/batch_deletions", {"batch_ids": ids}).expect(202)
    days.drain()
    days.api.patch(f"/projects/{days.project['id']}", {"project": {"time_zone": "UTC"}}).expect(200)
    batches = days.api.get("/batches", {"sort": "id"}).expect(200).data
    assert [batch["run_total"] for batch in batches] == [Decimal("2.99"), Decimal("0.01")]
    return batches


def test_books_that_round_down_hold_and_so_do_days_of_a_clock_that_was_set_anew(books):
    report = books.verified()

    assert books.violations() == {}
    assert report.batches == 3


def test_a_ledger_that_is_made_to_round_otherwise_is_named_by_its_totals_and_draws(books):
    books.break_by("UPDATE ledgers SET rounding = 'half_even'")

    assert books.violations()[RECOMPUTES] == [
        f"batch {books.batches[0]['id']}: its run comes to 2.99 in the batch and 3.00 computed anew",
        f"batch {books.batches[1]['id']}: Node 'drawn' needs 0 and drew 0.01.",
    ]
