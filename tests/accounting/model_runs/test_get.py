"""GET /model_runs/{id}: one run, by itself or behind a batch."""

import pytest
from tests.given import accounting
from tests.given.accounting import MASS, POWER_BY_MASS

from weighbridge.core import identity

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

    batch_key, output_key = identity.parse("batch", batch["id"]), identity.parse("data_point", output["id"])
    assert batch_key
    assert output_key == identity.Key(batch_key.project, batch_key.key, 1, identity.Owner.BATCH)


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


@pytest.mark.parametrize("owner", [identity.Owner.BATCH, identity.Owner.MODEL_RUN, identity.Owner.EVENT])
def test_a_run_that_is_not_there_is_not_found(api, plant, owner):
    key = identity.Key(plant.project["numeric_id"], 2**40, owner=owner)

    api.get(f"/model_runs/{identity.make('model_run', key)}").expect(404)


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


def test_an_output_of_a_run_is_read_as_a_data_point(api, plant):
    plant.generate()
    [batch] = plant.batches()
    run = api.get(f"/model_runs/{batch['model_run']['id']}").body
    path = f"/projects/{plant.project['id']}/data_points"

    for output in run["output_data_points"]:
        point = api.get(f"{path}/{output['id']}").expect(200).body

        assert {name: point[name] for name in output} == output
        assert (point["model_run_id"], point["batch_id"], point["event"]) == (run["id"], batch["id"], None)
        assert (point["start_time"], point["end_time"]) == (run["start_time"], run["end_time"])
        assert (point["raw_value"], point["rule_results"], point["value_type"]) == (None, [], "number")
    assert run["output_data_points"]


def test_an_output_of_a_run_that_stands_alone_is_read_until_the_run_is_deleted(api, plant, stranger):
    points = [point["id"] for point in api.get(f"/projects/{plant.project['id']}/data_points").data]
    body = {"start_time": accounting.JANUARY[0], "end_time": accounting.JANUARY[1], "data_point_ids": points}
    run = api.post(f"/models/{plant.model['id']}/model_runs", {"model_run": body}).expect(201).body
    output = run["output_data_points"][0]
    path = f"/projects/{plant.project['id']}/data_points/{output['id']}"

    point = api.get(path).expect(200).body

    assert (point["value"], point["model_run_id"], point["batch_id"]) == (output["value"], run["id"], None)
    stranger.get(path).expect_not_found("project", plant.project["id"])
    api.delete(f"/model_runs/{run['id']}").expect(204)
    api.get(path).expect_not_found("data_point", output["id"])
