"""POST /rules/{rule_id}/rule_runs evaluates a period again; GET reads what runs came to.

Seed, Other operations: list a rule's runs, re-evaluate a period, read a run.
"""

from decimal import Decimal

import pytest
from tests.given import alerts as given_alerts
from tests.given import collection as given


@pytest.fixture
def plant(api):
    return given.measuring(api, given.number("mass"))


@pytest.fixture
def rule(api, plant):
    return given_alerts.rule(api, plant)


def start(api, rule, start_time="2025-01-01T00:00:00Z", end_time="2025-02-01T00:00:00Z"):
    return api.post(f"/rules/{rule['id']}/rule_runs", {"start_time": start_time, "end_time": end_time})


def test_a_run_is_queued_as_a_task_that_names_it(api, plant, rule):
    answer = start(api, rule).expect(202)
    task = answer.body

    run = api.get(f"/rule_runs/{task['args']['rule_run_id']}").expect(200).body

    assert answer.headers["location"] == f"/api/v1/async_tasks/{task['id']}"
    assert task["type"] == "rule_run"
    assert task["args"] == {
        "project_id": plant["numeric_id"],
        "rule_id": rule["id"],
        "rule_version": 1,
        "rule_run_id": run["id"],
        "start_time": "2025-01-01T00:00:00.000Z",
        "end_time": "2025-02-01T00:00:00.000Z",
    }
    del run["created_at"], run["id"]
    assert run == {
        "rule_id": rule["id"],
        "rule_version": 1,
        "rule_name": rule["name"],
        "kind": "re_evaluation",
        "state": "pending",
        "start_time": "2025-01-01T00:00:00.000Z",
        "end_time": "2025-02-01T00:00:00.000Z",
        "evaluated": 0,
        "alerts": 0,
        "corrections": 0,
        "withdrawn": 0,
        "proposals": 0,
        "started_at": None,
        "finished_at": None,
        "duration_seconds": None,
        "reversed_at": None,
        "error_message": None,
        "async_task_id": task["id"],
    }


def test_a_run_says_what_it_came_to(api, drain, plant, rule):
    for mass in (10, 50, 60):
        given.event(api, plant, values={"mass": mass})
    given.event(api, plant, start_time="2025-03-01T00:00:00Z", values={"mass": 70})
    task = start(api, rule).expect(202).body
    drain()

    run = api.get(f"/rule_runs/{task['args']['rule_run_id']}").expect(200).body

    assert (run["state"], run["evaluated"], run["alerts"]) == ("complete", 3, 2)
    assert run["finished_at"] >= run["started_at"]
    assert Decimal(0) <= run["duration_seconds"] < 60
    assert sorted(one["entered_value"] for one in api.get(f"/rules/{rule['id']}/rule_results").data) == [
        "50", "60",
    ]  # fmt: skip


def test_a_run_stands_where_its_task_stands(api, sql, rule):
    task = start(api, rule).expect(202).body
    path = f"/rule_runs/{task['args']['rule_run_id']}"
    sql("UPDATE async_tasks SET state = 'running', started_at = now() WHERE id = %s", task["id"])
    assert api.get(path).body["state"] == "running"

    sql(
        "UPDATE async_tasks SET state = 'failed', finished_at = now(), error_message = 'Out of disk'"
        " WHERE id = %s",
        task["id"],
    )

    failed = api.get(path).body
    assert (failed["state"], failed["error_message"]) == ("failed", "Out of disk")
    assert failed["finished_at"] is not None


def test_the_runs_of_a_rule_are_listed_newest_first_and_filtered(api, plant):
    rule = given_alerts.rule(api, plant, evaluation="automatic")
    asked = start(api, rule).expect(202).body["args"]["rule_run_id"]
    start(api, given_alerts.rule(api, plant)).expect(202)
    path = f"/rules/{rule['id']}/rule_runs"

    assert [one["id"] for one in api.get(path).data] == [asked, rule["rule_run_id"]]
    assert [one["id"] for one in api.get(path, {"filter[kind]": "backfill"}).data] == [rule["rule_run_id"]]
    assert api.get(path, {"filter[state]": "complete"}).data == []
    api.get(path, {"filter[state]": "done"}).expect(400)


@pytest.mark.parametrize(
    ("first", "last", "field"),
    [
        ("2025-01-01T00:00:00Z", "2025-01-01T00:00:00Z", "end_time"),
        ("2025-02-01T00:00:00Z", "2025-01-01T00:00:00Z", "end_time"),
        ("0001-01-01T00:00:00+05:00", "2025-01-01T00:00:00Z", "start_time"),
    ],
)
def test_a_period_that_is_none_is_refused(api, rule, first, last, field):
    assert start(api, rule, first, last).expect(422).error["field"] == field


def test_starting_a_run_needs_the_permission_and_the_feature(api, account, sql, rule):
    start(account.caller("data_rules:read"), rule).expect(403)
    sql("INSERT INTO feature_flags (account_id, name, is_on) VALUES (%s, 'rules_engine', false)", account.id)

    assert start(api, rule).expect(403).error["message"] == "Rules engine feature is not enabled"


@pytest.mark.parametrize("number", ["0", "x", "99999999999999", "2147483646"])
def test_a_run_that_is_none_is_not_found(api, number):
    api.get(f"/rule_runs/{number}").expect(404)
