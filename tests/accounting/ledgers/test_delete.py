"""DELETE /ledgers/{ledger_id} (`delete_ledger`)."""

from tests.given import accounting
from tests.given import collection as given


def test_a_ledger_without_batches_goes_and_its_name_and_output_are_free(api, drain):
    plant = accounting.plant(api, drain)

    api.delete(f"/ledgers/{plant.ledger['id']}").expect(204)

    api.get(f"/ledgers/{plant.ledger['id']}").expect(404)
    assert accounting.ledger(api, plant.project, plant.model)["name"] == plant.ledger["name"]


def test_a_ledger_with_batches_is_refused_with_their_names(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1)
    plant.generate()
    (batch,) = plant.batches()

    error = api.delete(f"/ledgers/{plant.ledger['id']}").expect(422).error

    assert (error["code"], error["records"]) == ("has_batches", [batch["id"]])
    assert batch["id"] in error["message"]


def test_a_ledger_whose_batches_were_deleted_keeps_their_entries(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1)
    plant.generate()
    (batch,) = plant.batches()
    api.delete(f"/batches/{batch['id']}").expect(202)
    drain()

    error = api.delete(f"/ledgers/{plant.ledger['id']}").expect(422).error

    assert error["code"] == "has_entries"


def test_a_system_ledger_is_kept(api, sql):
    ledger = accounting.ledger(api, given.project(api))
    key = accounting.key_of("ledger", ledger["id"])
    sql("UPDATE ledgers SET system_ledger_type = 'renewable_fuel' WHERE project_id = %s AND id = %s", *key)

    assert api.delete(f"/ledgers/{ledger['id']}").expect(422).error["code"] == "system_ledger"


def test_the_audit_log_keeps_what_the_ledger_was(api, sql):
    ledger = accounting.ledger(api, given.project(api))

    api.delete(f"/ledgers/{ledger['id']}").expect(204)

    [row] = sql(
        "SELECT before ->> 'name', after FROM audit_log WHERE action = 'ledger.delete' AND object = %s",
        ledger["id"],
    )
    assert row == ("Deliveries", None)
