"""Rules of model runs look at every run that is made, of whatever kind, and at what a deletion leaves."""

import pytest
from tests.given import accounting as given_accounting
from tests.given.model_runs import Yard
from tests.given.rule_evaluation import results, rule, runs, work

NODES = """
  - slug: dry
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
    output: true
"""


@pytest.fixture
def yard(api):
    return Yard(api, NODES)


@pytest.fixture
def plant(api, drain):
    return given_accounting.plant(api, drain)


def watching(api, project, model, expression, **fields):
    return rule(api, project, expression, target="model_run", model_id=model["id"], **fields)


def statuses(api, made):
    return [(one["status"], one["checked_value"]) for one in results(api, made)]


def delete(api, plant, *batches):
    path = f"/ledgers/{plant.ledger['id']}/batch_deletions"
    api.post(path, {"batch_ids": list(batches)}).expect(202)


def test_a_model_run_that_is_made_by_itself_is_evaluated(api, account, yard):
    made = watching(api, yard.project, yard.model, "dry > 40")
    work(account)

    heavy = yard.run(yard.deliver(50)["mass"])
    yard.run(yard.deliver(30)["mass"])
    work(account)

    [result] = results(api, made)
    assert (result["status"], result["checked_value"], result["node_ids"]) == ("fail", "50", ["dry"])
    assert (result["model_run_id"], result["batch_id"]) == (heavy["id"], None)
    assert [run["kind"] for run in runs(api, made)] == ["backfill", "automatic"]


def test_a_model_run_that_was_there_before_the_rule_is_evaluated(api, account, yard):
    yard.run(yard.deliver(50)["mass"])

    made = watching(api, yard.project, yard.model, "dry > 40")
    work(account)

    assert statuses(api, made) == [("fail", "50")]


def test_a_model_run_that_is_deleted_alerts_no_more(api, account, yard):
    made = watching(api, yard.project, yard.model, "dry > 40")
    heavy = yard.run(yard.deliver(50)["mass"])
    work(account)

    api.delete(f"/model_runs/{heavy['id']}").expect(204)
    work(account)

    assert statuses(api, made) == [("pass", "50")]


def test_runs_around_one_that_is_deleted_are_evaluated_again(api, account, yard):
    window = {"kind": "calendar", "unit": "quarter"}
    made = watching(api, yard.project, yard.model, "sum(dry) > 60", window=window)
    first = yard.run(yard.deliver(40)["mass"])
    later = yard.deliver(30, start_time="2025-02-05T00:00:00Z")
    yard.run(later["mass"], times=("2025-02-01T00:00:00Z", "2025-03-01T00:00:00Z"))
    work(account)
    assert statuses(api, made) == [("fail", "30")]

    api.delete(f"/model_runs/{first['id']}").expect(204)
    work(account)

    assert statuses(api, made) == [("pass", "30")]


def test_the_run_of_a_batch_that_is_deleted_alerts_no_more(api, account, plant):
    made = watching(api, plant.project, plant.model, "mass > 40")
    plant.deliver(50)
    [batch] = plant.generate()["batches"]
    work(account)
    assert statuses(api, made) == [("fail", "50")]

    delete(api, plant, batch)
    work(account)

    assert statuses(api, made) == [("pass", "50")]
    assert runs(api, made)[-1]["kind"] == "automatic"


def test_the_batch_that_is_the_newest_again_is_evaluated_again(api, account, plant):
    made = watching(api, plant.project, plant.model, "mass > 40")
    plant.deliver(50)
    [first] = plant.generate()["batches"]
    plant.deliver(-20)
    [adjusting] = plant.generate()["batches"]
    work(account)
    assert statuses(api, made) == []

    delete(api, plant, adjusting)
    work(account)

    [result] = results(api, made)
    assert (result["status"], result["checked_value"], result["batch_id"]) == ("fail", "50", first)


def test_the_runs_of_batches_that_are_deleted_together_are_evaluated_together(api, account, plant):
    made = watching(api, plant.project, plant.model, "mass > 40")
    plant.deliver(50)
    plant.deliver(60, "2025-02-05T00:00:00Z")
    batches = plant.generate(given_accounting.QUARTER)["batches"]
    work(account)

    delete(api, plant, *batches)
    work(account)

    assert statuses(api, made) == [("pass", "50"), ("pass", "60")]
    assert [run["kind"] for run in runs(api, made)] == ["backfill", "automatic", "automatic"]
