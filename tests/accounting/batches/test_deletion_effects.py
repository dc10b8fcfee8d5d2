"""What a deletion ends and uncovers: skips and sets of an empty slot, what stands above a fall."""

import pytest
from tests.given import accounting
from tests.given.accounting import JANUARY, MASS, POWER_EVENLY, QUARTER


@pytest.fixture
def plant(api, drain):
    """A plant that delivers and pays a bill in January, of two feedstocks."""
    plant = accounting.plant(api, drain, MASS + POWER_EVENLY, partition_type="feedstock")
    for name in ("Straw", "Wood"):
        plant.deliver(1, 3, feedstock_id=plant.feedstock(name))
    plant.bill(10)
    return plant


def data_point_type(plant, slug):
    path = f"/projects/{plant.project['id']}/event_types"
    types = plant.api.get(path).expect(200).data
    [found] = [one["id"] for kind in types for one in kind["data_point_types"] if one["slug"] == slug]
    return found


def delete(plant, *batches):
    """Delete batches together; gives the result of the task."""
    body = {"batch_ids": [batch["id"] for batch in batches]}
    task = plant.api.post(f"/ledgers/{plant.ledger['id']}/batch_deletions", body).expect(202).body
    plant.drain()
    ended = plant.api.get(f"/async_tasks/{task['id']}").expect(200).body
    assert ended["state"] == "complete", ended
    return ended["result"]


def test_a_skip_ends_with_the_last_batch_of_its_slot_over_partitions_and_ledgers(plant):
    power = accounting.ledger(plant.api, plant.project, plant.model, name="Power", unit="kWh", output="power")
    energy = data_point_type(plant, "energy")
    plant.generate(generate_concurrent_ledgers=True, skipped_data_point_type_ids=[energy])
    straw, wood = plant.batches()
    others = plant.batches(power)

    assert delete(plant, straw)["ended_inputs"] == []
    assert delete(plant, wood)["ended_inputs"] == []
    assert delete(plant, others[0])["ended_inputs"] == []
    # The skip stays while a batch of the slot is there.
    assert plant.preview()[0]["not_counted"][0]["reason"].startswith("the type that input power reads")

    assert delete(plant, others[1])["ended_inputs"] == [
        {
            "slot": "2025-01",
            "data_point_type_id": energy,
            "data_point_type": "energy",
            "skipped": True,
            "named": False,
        }
    ]
    assert plant.preview()[0]["not_counted"] == []
    plant.generate(generate_concurrent_ledgers=True)
    assert [batch["run_total"] for batch in plant.batches(power)] == [5, 5]


def test_a_set_that_was_named_ends_too_and_those_of_other_slots_stay(api, drain):
    plant = accounting.plant(api, drain)
    first = plant.deliver(1, 3)
    plant.deliver(2, 4)
    february = plant.deliver(4, "2025-02-03T00:00:00Z")
    plant.deliver(8, "2025-02-05T00:00:00Z")
    plant.generate(QUARTER, data_point_ids=[mass_of(plant, first), mass_of(plant, february)])
    january = plant.batches()[0]

    [ended] = delete(plant, january)["ended_inputs"]

    assert (ended["slot"], ended["data_point_type"]) == ("2025-01", "mass")
    assert (ended["skipped"], ended["named"]) == (False, True)
    plant.generate(QUARTER)
    assert plant.credits() == {"2025-01": 3, "2025-02": 4}


def test_deleting_the_batch_of_a_fall_names_what_stands_above_it(api, drain, sql):
    plant = accounting.plant(api, drain)
    plant.deliver(5, 3)
    withdrawn = plant.deliver(3, 4)
    plant.generate()
    accounting.void(sql, withdrawn)
    plant.generate()
    first, falling = plant.batches(sort="id")
    assert (first["ledger_balance"], falling["run_total"]) == (5, 5)

    result = delete(plant, falling)

    assert result["stands_above"] == [
        {
            "ledger_id": plant.ledger["id"],
            "batch_id": falling["id"],
            "tracking_id": "2025-01",
            "computed": 5,
            "stands": 8,
            "above": 3,
        }
    ]
    assert plant.balance() == 8


def test_deleting_all_batches_of_a_run_leaves_nothing_above(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(5, 3)
    plant.generate(JANUARY)

    assert delete(plant, *plant.batches())["stands_above"] == []


def mass_of(plant, event):
    path = f"/projects/{plant.project['id']}/events/{event}"
    return plant.api.get(path).expect(200).body["data_points"][0]["id"]
