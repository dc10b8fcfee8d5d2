"""Seed, Async task and its states: a test for each sentence."""

import json
import re
from pathlib import Path

import jsonschema_rs
import msgspec
import pytest
from tests.given import accounting

from weighbridge.accounting.records.batches import DeletionResult
from weighbridge.accounting.records.model_runs import GenerationResult
from weighbridge.contents import SLICES
from weighbridge.core.identity import API_PREFIX
from weighbridge.exchange.records.exports import ExportResult
from weighbridge.http.openapi import document
from weighbridge.quality.records.rule_results import RunResult
from weighbridge.worker import TASKS

ROOT = Path(__file__).parents[2]
RULE = {"name": "Watch", "expression": "{{mass}} > 1", "effective_from": "2025-01-01T00:00:00Z"}

NO_VALUE_AT_ZERO = """
  - slug: whole
    formula: mass / mass
    unit: "1"
"""

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


def started(api, drain, mass=1):
    plant = accounting.plant(api, drain, accounting.MASS + accounting.FAILS_AT_ZERO)
    plant.deliver(mass)
    return plant.start().expect(202).body


def task_of(api, task):
    return api.get(f"/async_tasks/{task['id']}").expect(200).body


def test_an_accepted_operation_is_pending_with_progress_0(api, drain):
    task = started(api, drain)

    assert set(task) == {
        "id", "type", "state", "progress", "progress_description", "created_at", "started_at", "finished_at",
        "error_message", "result", "args",
    }  # fmt: skip
    assert (task["type"], task["state"], task["progress"]) == ("batch_generation", "pending", 0)
    assert re.fullmatch(TIME, task["created_at"])
    assert (task["started_at"], task["finished_at"], task["error_message"], task["result"]) == (None,) * 4


def test_processing_that_ends_well_is_complete_with_progress_100_and_no_error(api, drain):
    task = started(api, drain)
    drain()

    ended = task_of(api, task)

    assert (ended["state"], ended["progress"], ended["error_message"]) == ("complete", 100, None)
    assert ended["created_at"] <= ended["started_at"] <= ended["finished_at"]


def test_processing_that_ends_in_an_error_is_failed_with_its_message(api, drain):
    task = started(api, drain, mass=0)
    drain()

    ended = task_of(api, task)

    assert (ended["state"], ended["result"]) == ("failed", None)
    reason = "2025-01: Node 'whole', at column 6 of its formula: The divisor is zero."
    assert ended["error_message"] == reason
    assert ended["finished_at"] is not None


def test_a_task_that_has_ended_stays_as_it_is(api, drain):
    task = started(api, drain)
    drain()
    ended = task_of(api, task)

    drain()

    assert task_of(api, task) == ended


def test_a_caller_is_told_to_poll_every_2_to_5_seconds(api, drain):
    plant = accounting.plant(api, drain)

    assert 2 <= int(plant.start().headers["retry-after"]) <= 5


def test_whatever_is_accepted_says_where_and_when_to_ask_for_its_task(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1)
    plant.generate()
    (batch,) = plant.batches()
    rule = api.post(f"/projects/{plant.project['id']}/rules", {"rule": RULE}).expect(201).body
    drain()

    answers = [
        plant.start(),
        api.patch(
            f"/ledgers/{plant.ledger['id']}/batches/{batch['id']}/update_inputs", {"data_point_ids": []}
        ),
        api.post(f"/rules/{rule['id']}/rule_runs", accounting.range_of(accounting.JANUARY)),
        api.post(f"/ledgers/{plant.ledger['id']}/batch_deletions", {"batch_ids": [batch["id"]]}),
        api.delete(f"/batches/{batch['id']}"),
    ]

    assert [answer.status for answer in answers] == [202, 200, 202, 202, 202]
    for answer in answers:
        assert answer.headers["retry-after"] == "2"
        place = answer.headers["location"].removeprefix("/api/v1")
        task = api.get(place).expect(200).body
        if answer.status == 202:
            assert answer.body == task
    drain()


def test_a_failure_that_would_be_the_same_again_is_not_tried_again(api, drain, sql):
    task = started(api, drain, mass=0)

    drain()
    drain()

    assert sql("SELECT state, attempt FROM async_tasks WHERE id = %s", task["id"]) == [("failed", 1)]


def test_tasks_are_found_by_state_type_project_and_ledger(api, drain):
    task = started(api, drain)
    other = started(api, drain)
    ledger = api.get("/ledgers", {"sort": "id"}).data[0]
    drain()

    def found(name, value):
        return [one["id"] for one in api.get("/async_tasks", {f"filter[{name}]": value}).expect(200).data]

    assert found("ledger_id", ledger["id"]) == [task["id"]]
    assert found("project_id", str(other["args"]["project_id"])) == [other["id"]]
    assert found("state", "complete") == [other["id"], task["id"]]
    assert found("type", "batch_deletion") == []
    for name, value in (("state", "done"), ("ledger_id", "7"), ("project_id", "prj_x")):
        api.get("/async_tasks", {f"filter[{name}]": value}).expect(400)


@pytest.mark.parametrize(
    ("heading", "result"),
    [
        ("batch_generation", GenerationResult),
        ("batch_deletion", DeletionResult),
        ("rule_run", RunResult),
        ("export", ExportResult),
    ],
)
def test_the_reference_names_every_field_of_a_result(heading, result):
    page = (ROOT / "docs" / "reference" / "async-tasks.md").read_text()
    section = page.partition(f"### `{heading}`")[2].partition("###")[0]

    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(result.__struct_fields__)


def test_the_reference_names_every_type_of_task():
    page = (ROOT / "docs" / "reference" / "async-tasks.md").read_text()

    assert set(re.findall(r"^### `(\w+)`", page, re.MULTILINE)) == set(TASKS)


def test_the_task_of_another_account_is_not_found(api, drain, stranger):
    task = started(api, drain)

    assert stranger.get(f"/async_tasks/{task['id']}").expect(404).error["message"] == "record not found"
    assert stranger.get("/async_tasks").data == []


def test_an_id_that_is_no_number_is_not_found(api):
    for wrong in ("x", "0", "-1", "99999999999999999999", "1.0"):
        api.get(f"/async_tasks/{wrong}").expect(404)


def test_a_finished_task_is_what_the_document_says_of_its_type(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1)
    generated = plant.start().expect(202).body
    drain()
    [batch] = plant.batches()
    deleted = api.delete(f"/batches/{batch['id']}").expect(202).body
    drain()
    components = document.document(SLICES, API_PREFIX)["components"]
    schema = {"$ref": "#/components/schemas/AsyncTask", "components": components}
    validator = jsonschema_rs.validator_for(json.loads(msgspec.json.encode(schema)))

    tasks = [json.loads(api.get(f"/async_tasks/{one['id']}").text) for one in (generated, deleted)]

    assert [(one["type"], one["state"]) for one in tasks] == [
        ("batch_generation", "complete"),
        ("batch_deletion", "complete"),
    ]
    assert all(validator.is_valid(one) for one in tasks)
    assert not any(validator.is_valid(one | {"result": {}}) for one in tasks)
    assert not validator.is_valid(tasks[0] | {"result": tasks[1]["result"]})


def result_of(schemas, kind):
    """What the OpenAPI document says a task of a type comes to."""
    [then] = [
        one["then"]
        for one in schemas["AsyncTask"]["allOf"]
        if one["if"]["properties"]["type"]["const"] == kind
    ]
    return then["properties"]["result"]


def test_the_document_types_the_result_of_every_type_of_task():
    schemas = document.document(SLICES, API_PREFIX)["components"]["schemas"]
    results = {
        kind: {one.get("$ref", "").rpartition("/")[2] for one in result_of(schemas, kind)["anyOf"]} - {""}
        for kind in TASKS
    }

    assert results == {
        "batch_deletion": {"DeletionResult"},
        "batch_generation": {"GenerationResult"},
        "data_feed_upload": {"UploadResult"},
        "export": {"ExportResult"},
        "report_bundle": {"BundleResult"},
        "registry_catalogue": {"CatalogueResult"},
        "report_notice": {"NoticeResult"},
        "report_submission": {"SubmissionResult"},
        "rule_run": {"RunResult"},
        "uncertainty_run": {"TrialResult"},
    }
    assert all({"type": "null"} in result_of(schemas, kind)["anyOf"] for kind in TASKS)
