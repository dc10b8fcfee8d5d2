"""GET /ledgers/{ledger_id} (`get_ledger`)."""

from decimal import Decimal

from tests.given import accounting
from tests.given import collection as given


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


def test_an_id_of_another_kind_is_not_found(api):
    project = given.project(api)

    for wrong in (project["id"], "lgr_", "lgr_xyz", "1", "lgr_" + "0" * 24):
        api.get(f"/ledgers/{wrong}").expect(404)


def test_balance_and_deficit_are_read_as_of_a_time_of_posting(api, drain, sql):
    plant = accounting.plant(api, drain)
    path, project = f"/ledgers/{plant.ledger['id']}", plant.project["numeric_id"]
    plant.deliver("1.5", "2025-01-02T00:00:00Z")
    plant.generate(accounting.QUARTER)
    plant.deliver("-2", "2025-02-02T00:00:00Z")
    plant.generate(accounting.QUARTER)
    times = sql("SELECT DISTINCT posted_at FROM ledger_entries WHERE project_id = %s ORDER BY 1", project)
    first, second = [moment.isoformat() for (moment,) in times]

    def held(as_of):
        record = api.get(path, {"as_of": as_of}).expect(200).body
        return record["balance"], record["deficit"]

    assert held("2025-12-31T00:00:00Z") == (0, 0)
    assert held(first) == (Decimal("1.5"), 0)
    assert held(second) == (0, Decimal("0.5"))
    assert api.get(path).body["deficit"] == Decimal("0.5")


def test_a_time_without_an_offset_is_refused(api):
    ledger = accounting.ledger(api, given.project(api))

    for wrong in ("2025-01-01T00:00:00", "2025-01-01", "yesterday", ""):
        error = api.get(f"/ledgers/{ledger['id']}", {"as_of": wrong}).expect(400).error
        assert error["field"] == "as_of"


def test_what_was_posted_by_a_time_stays_when_batches_are_deleted_later(api, drain, sql):
    plant = accounting.plant(api, drain)
    plant.deliver(2)
    plant.generate()
    (batch,) = plant.batches()
    [(posted,)] = sql(
        "SELECT posted_at FROM ledger_entries WHERE project_id = %s", plant.project["numeric_id"]
    )

    api.delete(f"/batches/{batch['id']}").expect(202)
    drain()

    path = f"/ledgers/{plant.ledger['id']}"
    assert api.get(path, {"as_of": posted.isoformat()}).expect(200).body["balance"] == 2
    assert api.get(path).body["balance"] == 0
