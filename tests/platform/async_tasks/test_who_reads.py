"""Who may read a task: whoever may start its kind. `get_async_task`, `list_async_tasks`."""

import pytest
from tests.given import accounting
from tests.given import collection as given

from weighbridge import worker
from weighbridge.core.platform.permission import ALL_PERMISSIONS, ANY
from weighbridge.core.platform.tasks import AREA_OF_KIND

COLD = {
    "name": "Cold",
    "target": "data_point",
    "expression": "{{mass}} < 0",
    "message": "Too cold.",
    "effective_from": "2025-01-01T00:00:00Z",
    "evaluation": "on_demand",
}
PERIOD = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-02-01T00:00:00Z"}


@pytest.fixture
def plant(api, drain):
    """A plant with one batch."""
    plant = accounting.plant(api, drain)
    plant.deliver(1)
    plant.generate()
    return plant


def rule_run(caller, project):
    """The task of a rule run that a token started."""
    rule = caller.post(f"/projects/{project['id']}/rules", {"rule": COLD}).expect(201).body
    return caller.post(f"/rules/{rule['id']}/rule_runs", PERIOD).expect(202).body


def test_a_token_for_rules_reads_the_task_that_it_started(account, plant):
    rules = account.caller("data_rules:write")

    task = rule_run(rules, plant.project)

    assert rules.get(f"/async_tasks/{task['id']}").expect(200).body["type"] == "rule_run"
    assert [one["type"] for one in rules.get("/async_tasks").expect(200).data] == ["rule_run"]


def test_a_token_for_the_books_reads_generations_and_deletions(account, plant):
    books = account.caller("production_accounting:write")
    (batch,) = plant.batches()

    task = books.delete(f"/batches/{batch['id']}").expect(202).body

    assert books.get(f"/async_tasks/{task['id']}").expect(200).body["type"] == "batch_deletion"
    kinds = [one["type"] for one in books.get("/async_tasks").expect(200).data]
    assert kinds == ["batch_deletion", "batch_generation"]


def test_a_task_of_another_area_is_refused_and_not_listed(account, plant):
    rules, books = account.caller("data_rules:write"), account.caller("production_accounting:write")
    run = rule_run(rules, plant.project)
    [generation] = books.get("/async_tasks").expect(200).data

    refused = rules.get(f"/async_tasks/{generation['id']}").expect(403).error
    assert refused["message"] == "The token lacks the permission production_accounting:read."
    refused = books.get(f"/async_tasks/{run['id']}").expect(403).error
    assert refused["message"] == "The token lacks the permission data_rules:read."
    assert rules.get("/async_tasks", {"filter[type]": "batch_generation"}).expect(200).data == []


@pytest.mark.usefixtures("plant")
def test_a_token_that_starts_no_tasks_reads_none(account):
    collector = account.caller("data_collection:write", "administration:write")

    assert collector.get("/async_tasks").expect(200).data == []
    collector.get("/async_tasks/999999999").expect(404)


def test_every_kind_of_task_has_an_area():
    assert worker.TASKS.keys() == AREA_OF_KIND.keys()
    assert {f"{area}:write" for area in AREA_OF_KIND.values() if area != ANY} <= {*ALL_PERMISSIONS}


@pytest.mark.parametrize("permission", ALL_PERMISSIONS)
def test_any_token_reads_its_projects_and_the_feature_flags(account, api, stranger, permission):
    project, foreign = given.project(api), given.project(stranger)
    caller = account.caller(permission)

    assert [one["id"] for one in caller.get("/projects").expect(200).data] == [project["id"]]
    assert caller.get(f"/projects/{project['id']}").expect(200).body == project
    caller.get(f"/projects/{foreign['id']}").expect(404)
    assert caller.get("/feature_flags").expect(200).body["rules_engine"] is True


def test_the_numbers_that_arguments_use_are_shown_on_the_records(api, plant):
    (batch,) = plant.batches()
    ledger = api.get(f"/ledgers/{plant.ledger['id']}").expect(200).body

    update = api.patch(f"/ledgers/{ledger['id']}/batches/{batch['id']}/update_inputs", {"data_point_ids": []})

    update.expect(200)
    updating, generation = api.get("/async_tasks").expect(200).data
    numbers = {"project_id": plant.project["numeric_id"], "ledger_id": ledger["numeric_id"]}
    assert numbers.items() <= generation["args"].items()
    assert (numbers | {"batch_id": batch["numeric_id"]}).items() <= updating["args"].items()


def test_a_deletion_names_the_ledger_in_its_arguments(api, drain, plant):
    plant.deliver(2, "2025-02-02T00:00:00Z")
    plant.generate(accounting.QUARTER)
    january, february = plant.batches()
    numbers = {"project_id": plant.project["numeric_id"], "ledger_id": plant.ledger["numeric_id"]}
    body = {"batch_ids": [february["id"]]}

    together = api.post(f"/ledgers/{plant.ledger['id']}/batch_deletions", body).expect(202).body
    drain()
    alone = api.delete(f"/batches/{january['id']}").expect(202).body

    assert together["args"] == numbers | {"batch_ids": [february["numeric_id"]]}
    assert alone["args"] == numbers | {"batch_ids": [january["numeric_id"]]}
    of_ledger = api.get("/async_tasks", {"filter[ledger_id]": plant.ledger["id"]}).expect(200).data
    assert [task["type"] for task in of_ledger][:2] == ["batch_deletion", "batch_deletion"]
