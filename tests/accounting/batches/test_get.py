"""GET /batches/{batch_id} (`get_batch`). Seed, Batch."""

import re
from decimal import Decimal

import pytest
from tests.given import accounting


@pytest.fixture
def plant(api, drain):
    plant = accounting.plant(api, drain, partition_type="feedstock")
    plant.deliver("1.5", 3, feedstock_id=plant.feedstock("Straw"))
    plant.generate()
    return plant


def test_a_batch_says_what_it_credited_and_what_made_it(api, server, plant):
    (listed,) = plant.batches()

    batch = api.get(f"/batches/{listed['id']}").expect(200).body

    assert re.fullmatch("bat_[0-9a-f]{24}", batch["id"])
    assert batch["tracking_id"] == "2025-01 Straw"
    assert (batch["start_time"], batch["end_time"]) == (
        "2025-01-01T00:00:00.000Z",
        "2025-02-01T00:00:00.000Z",
    )
    assert (batch["state"], batch["error_message"], batch["is_stale"]) == ("complete", None, False)
    output = batch["primary_output"]
    assert isinstance(output.pop("id"), int)
    assert {name: str(value) for name, value in output.items()} == {
        "name": "mass",
        "unit": "t",
        "value": "1.5",
    }
    model = plant.model
    assert batch["model"] == {
        "id": model["id"],
        "name": "Deliveries",
        "version": 1,
        "sha256": model["sha256"],
    }
    assert (batch["ledger_id"], batch["project_id"]) == (plant.ledger["id"], plant.project["id"])
    assert batch["ui_url"] == f"{server.address}/projects/{plant.project['id']}/batches/{batch['id']}"


def test_a_row_of_input_data_has_the_fixed_fields_and_names_its_event(api, plant):
    (batch,) = plant.batches()

    (row,) = batch["input_data"]
    event = api.get(f"/projects/{plant.project['id']}/events").data[0]

    assert row["event"] == {"project_id": plant.project["id"], "id": event["id"]}
    point = row["data_point"]
    assert re.fullmatch("in_[0-9a-f]{24}", point.pop("id"))
    assert (point["slug"], point["unit"]) == ("mass", "t")
    assert point["value"] == point["raw_value"] == Decimal("1.5")
    assert (point["substituted"], point["imputed"], point["substitution"]) == (False, False, None)
    api.get(f"/projects/{row['event']['project_id']}/events/{row['event']['id']}").expect(200)


def test_an_id_of_another_kind_is_not_found(api, plant):
    for wrong in (plant.ledger["id"], "bat_", "bat_xyz", "1", "bat_" + "0" * 24):
        for path in ("", "/input_data", "/lineage"):
            api.get(f"/batches/{wrong}{path}").expect(404)
