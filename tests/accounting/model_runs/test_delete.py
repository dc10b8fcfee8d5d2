"""DELETE /model_runs/{id}. Seed: "refused delete of a model run lists each blocker with a code and the
records in the way".
"""

import pytest
from tests.given import accounting
from tests.given.accounting import JANUARY


@pytest.fixture
def plant(api, drain):
    return accounting.plant(api, drain)


def alone(plant):
    """The id of a run by itself."""
    [point] = plant.api.get(f"/projects/{plant.project['id']}/events/{plant.deliver(1)}").body["data_points"]
    body = {"start_time": JANUARY[0], "end_time": JANUARY[1], "data_point_ids": [point["id"]]}
    made = plant.api.post(f"/models/{plant.model['id']}/model_runs", {"model_run": body}).expect(201)
    return made.body["id"]


def test_a_deleted_run_is_gone(api, plant):
    run, other = alone(plant), alone(plant)

    assert api.delete(f"/model_runs/{run}").expect(204).content == b""

    api.get(f"/model_runs/{run}").expect(404)
    api.delete(f"/model_runs/{run}").expect(404)
    assert [one["id"] for one in api.get(f"/models/{plant.model['id']}/model_runs").data] == [other]


def test_the_run_behind_a_batch_is_refused_with_each_blocker_and_its_records(api, plant):
    plant.deliver(1)
    [batch] = plant.generate()["batches"]
    run = plant.batches()[0]["model_run"]["id"]

    refused = api.delete(f"/model_runs/{run}").expect(422)

    assert refused.errors == [
        {
            "message": f"The batch {batch} is what the run came to; the run goes when the batch is deleted.",
            "code": "batch",
            "records": [batch],
        }
    ]
    assert api.get(f"/model_runs/{run}").expect(200).body["batch_id"] == batch


def test_the_audit_log_keeps_what_the_run_had_come_to(api, plant, account, sql):
    run = alone(plant)
    api.delete(f"/model_runs/{run}").expect(204)

    assert sql(
        """
        SELECT action, object, before -> 'calculations' -> 0 -> 'value' FROM audit_log
         WHERE account_id = %s ORDER BY id DESC LIMIT 1
        """,
        account.id,
    ) == [("model_run.delete", run, 1)]


def test_deleting_a_run_takes_production_accounting_write(plant, account):
    caller = account.caller("production_accounting:read", "data_collection:write")

    caller.delete(f"/model_runs/{alone(plant)}").expect(403)
