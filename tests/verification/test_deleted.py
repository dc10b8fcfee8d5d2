"""Deleted batches in `weighbridge verify`: they recompute as they were made, and later ones without them."""

import pytest
from tests.given import accounting
from tests.given.accounting import MASS, POWER_EVENLY


@pytest.fixture(scope="module")
def making():
    return made


def made(server):
    """Wood and straw share a bill that came, was deleted with all that it made, and was withdrawn."""
    account = server.account()
    plant = accounting.plant(
        account.caller(), account.drain, MASS + POWER_EVENLY, partition_type="feedstock", output="mass"
    )
    straw, wood = plant.feedstock("Straw"), plant.feedstock("Wood")
    plant.deliver(1, feedstock_id=straw)
    plant.deliver(2, feedstock_id=wood)
    plant.bill(10)
    plant.generate()
    late = plant.bill(6)
    ids = plant.generate()["batches"]
    plant.api.post(f"/ledgers/{plant.ledger['id']}/batch_deletions", {"batch_ids": ids}).expect(202)
    plant.drain()
    accounting.void(server.sql, late)
    plant.deliver(4, feedstock_id=wood)
    assert len(plant.generate()["batches"]) == 1
    batches = plant.api.get("/batches", {"sort": "id"}).expect(200).data
    assert [batch["run_total"] for batch in batches] == [1, 6, 6]
    return batches


def test_a_generation_recomputes_without_the_batches_that_were_deleted_before_it(books):
    report = books.verified()

    assert books.violations() == {}
    assert report.batches == 5
