"""GET /ledgers/{ledger_id} (`get_ledger`)."""

from decimal import Decimal

from tests import given
from tests import given_accounting as accounting


def test_a_ledger_is_read_as_it_was_made(api):
    ledger = accounting.ledger(api, given.project(api))

    assert api.get(f"/ledgers/{ledger['id']}").expect(200).body == ledger


def test_the_balance_of_a_ledger_is_the_sum_of_its_batches(api, drain, sql):
    plant = accounting.plant(api, drain)
    plant.deliver("1.5", "2025-01-02T00:00:00Z")
    withdrawn = plant.deliver("0.25", "2025-02-02T00:00:00Z")
    plant.generate(accounting.QUARTER)
    assert plant.balance() == Decimal("1.75")

    accounting.void(sql, withdrawn)
    plant.generate(accounting.QUARTER)

    assert plant.balance() == sum(batch["ledger_balance"] for batch in plant.batches()) == Decimal("1.5")


def test_a_ledger_of_another_account_is_not_found(api, stranger):
    ledger = accounting.ledger(api, given.project(api))

    assert stranger.get(f"/ledgers/{ledger['id']}").expect(404).error["message"] == "record not found"


def test_an_id_of_another_kind_is_not_found(api):
    project = given.project(api)

    for wrong in (project["id"], "lgr_", "lgr_xyz", "1", "lgr_" + "0" * 24):
        api.get(f"/ledgers/{wrong}").expect(404)
