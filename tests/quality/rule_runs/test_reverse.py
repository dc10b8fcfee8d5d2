"""POST /rule_runs/{id}/reverse removes the corrections that the run wrote. Seed, Other operations."""

from decimal import Decimal

import pytest
from tests.given import alerts as given_alerts
from tests.given import collection as given


@pytest.fixture
def plant(api):
    return given.measuring(api, given.number("mass"))


@pytest.fixture
def rule(api, plant):
    return given_alerts.calibration(api, plant)


@pytest.fixture
def finished(api, drain, rule):
    """Makes a complete run of the rule; gives its number."""
    return lambda: given_alerts.finished_run(api, drain, rule)


def reverse(api, run):
    return api.post(f"/rule_runs/{run}/reverse", {})


def masses(api, plant):
    found = api.get(f"/projects/{plant['id']}/data_points", {"sort": "id"}).data
    return [(one["value"], one["raw_value"]) for one in found]


def test_reversing_a_run_removes_the_corrections_that_it_wrote_and_no_others(api, plant, finished):
    given.event(api, plant, values={"mass": 50})
    one = finished()
    given.event(api, plant, values={"mass": 60})
    other = finished()
    assert masses(api, plant) == [(51, 50), (Decimal("61.2"), 60)]

    reversed_run = reverse(api, one).expect(200).body

    assert masses(api, plant) == [(50, 50), (Decimal("61.2"), 60)]
    assert reversed_run["corrections"] == api.get(f"/rule_runs/{other}").body["corrections"] == 1
    assert reversed_run["state"] == "reversed"
    assert reversed_run["reversed_at"] is not None
    assert api.get(f"/rule_runs/{other}").body["state"] == "complete"


def test_what_a_reversed_run_wrote_is_not_written_again_by_the_same_version(api, plant, rule, finished):
    given.event(api, plant, values={"mass": 50})
    reverse(api, finished()).expect(200)

    again = finished()

    assert masses(api, plant) == [(50, 50)]
    assert api.get(f"/rule_runs/{again}").body["corrections"] == 0

    api.patch(f"/rules/{rule['id']}", {"rule": {"expression": "{{mass}} > 45"}}).expect(200)
    finished()

    assert masses(api, plant) == [(51, 50)]


def test_the_alerts_of_a_reversed_run_stay(api, plant, rule, finished):
    given.event(api, plant, values={"mass": 50})
    run = finished()
    before = api.get(f"/rules/{rule['id']}/rule_results").data

    reverse(api, run).expect(200)

    assert api.get(f"/rules/{rule['id']}/rule_results").data == before
    assert [one["status"] for one in before] == ["fail"]


def test_reversing_twice_is_reversing_once(api, account, sql, finished):
    run = finished()
    first = reverse(api, run).expect(200).body

    assert reverse(api, run).expect(200).body == first
    assert sql(
        "SELECT count(*) FROM audit_log WHERE account_id = %s AND action = 'rule_run.reverse'", account.id
    ) == [(1,)]


@pytest.mark.parametrize("state", ["pending", "running", "failed"])
def test_only_a_complete_run_is_reversed(api, sql, rule, state):
    body = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-02-01T00:00:00Z"}
    task = api.post(f"/rules/{rule['id']}/rule_runs", body).expect(202).body
    if state != "pending":
        sql("UPDATE async_tasks SET state = 'running', started_at = now() WHERE id = %s", task["id"])
    if state == "failed":
        sql(
            "UPDATE async_tasks SET state = 'failed', finished_at = now(), error_message = 'x' WHERE id = %s",
            task["id"],
        )

    error = reverse(api, task["args"]["rule_run_id"]).expect(409).error

    assert error["message"] == f"The rule run is {state}; only a complete one is reversed."
