"""GET /model_runs/{id}: one run, by itself or behind a batch."""

import pytest
from tests.given import accounting
from tests.given.accounting import MASS, POWER_BY_MASS

from weighbridge.core.identity import ids

TAGGED = MASS.replace("unit: t", "unit: t\n    tags: {ghg: co2e, lca_role: net, category: removal}")


@pytest.fixture
def plant(api, drain):
    plant = accounting.plant(api, drain, TAGGED + POWER_BY_MASS)
    plant.deliver(2)
    plant.bill(10)
    return plant


def test_a_batch_names_the_run_that_it_is_the_result_of(api, plant):
    plant.generate()
    [batch] = plant.batches()

    run = api.get(f"/model_runs/{batch['model_run']['id']}").expect(200).body

    assert batch["model_run"] == {"id": run["id"], "state": "complete"}
    assert (run["batch_id"], run["model_id"]) == (batch["id"], plant.model["id"])
    assert (run["start_time"], run["end_time"]) == (batch["start_time"], batch["end_time"])
    assert (run["created_at"], run["state"]) == (batch["created_at"], "complete")


def test_the_calculations_of_a_batchs_run_are_those_of_the_batch(api, plant):
    plant.generate()
    [batch] = plant.batches()

    run = api.get(f"/model_runs/{batch['model_run']['id']}").body

    mass, power = run["calculations"]
    assert mass["id"] == batch["primary_output"]["id"]
    assert {name: mass[name] for name in ("slug", "value", "unit", "ghg", "lca_role", "category")} == {
        "slug": "mass", "value": 2, "unit": "t", "ghg": "co2e", "lca_role": "net", "category": "removal",
    }  # fmt: skip
    assert (power["slug"], power["value"], power["unit"], power["ghg"]) == ("power", 10, "kWh", None)
    assert [one["slug"] for one in run["output_data_points"]] == ["mass", "power"]


def test_the_outputs_of_a_batchs_run_are_the_data_points_of_the_batch(api, plant):
    plant.generate()
    [batch] = plant.batches()

    output = api.get(f"/model_runs/{batch['model_run']['id']}").body["output_data_points"][0]

    batch_key, output_key = ids.parse("batch", batch["id"]), ids.parse("data_point", output["id"])
    assert batch_key
    assert output_key == ids.Key(batch_key.project, batch_key.key, 1, ids.Owner.BATCH)


def test_the_run_behind_a_batch_says_what_keeps_it(api, plant):
    [batch] = plant.generate()["batches"]

    run = api.get(f"/models/{plant.model['id']}/model_runs").data[0]

    assert run["is_deletable"] is False
    assert run["deletion_blockers"] == [
        {
            "code": "batch",
            "message": f"The batch {batch} is what the run came to; the run goes when the batch is deleted.",
            "records": [batch],
        }
    ]


@pytest.mark.parametrize("owner", [ids.Owner.BATCH, ids.Owner.MODEL_RUN, ids.Owner.EVENT])
def test_a_run_that_is_not_there_is_not_found(api, plant, owner):
    key = ids.Key(plant.project["numeric_id"], 2**40, owner=owner)

    api.get(f"/model_runs/{ids.make('model_run', key)}").expect(404)


def test_the_id_of_a_batch_is_no_id_of_a_run(api, plant):
    [batch] = plant.generate()["batches"]

    api.get(f"/model_runs/{batch}").expect(404)
    api.get(f"/model_runs/{batch.replace('bat', 'mr')}").expect(404)


def test_a_run_of_another_account_is_not_found(plant, stranger):
    plant.generate()

    stranger.get(f"/model_runs/{plant.batches()[0]['model_run']['id']}").expect(404)


def test_reading_a_run_takes_production_accounting_read(plant, account):
    plant.generate()
    path = f"/model_runs/{plant.batches()[0]['model_run']['id']}"

    account.caller("data_collection:write").get(path).expect(403)
    account.caller("production_accounting:read").get(path).expect(200)
