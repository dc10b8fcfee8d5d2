"""POST /projects/{project_id}/rule_results/bulk_dismiss: all that are named, or none.

Seed, Rule results, States and transitions, Errors and Limits; reference facts, 2.9.
"""

import asyncio
import re
import tempfile

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.given import accounting as given_accounting
from tests.given import alerts as given_alerts
from tests.given import collection as given

from weighbridge.quality.records.rule_results import Dismissal
from weighbridge.quality.rule_results import dismiss_results
from weighbridge.quality.rule_results_queries import name_results


@pytest.fixture
def plant(api):
    return given.measuring(api, given.number("mass"))


@pytest.fixture
def rule(api, plant):
    return given_alerts.rule(api, plant)


@pytest.fixture
def alert(api, sql, plant, rule):
    """Makes an alert on an event of its own; gives its id."""

    def make(status="fail", **fields):
        event = given.event(api, plant, values={"mass": 50})
        return given_alerts.result(sql, rule, event["id"], status, **fields)

    return make


def dismiss(api, plant, *results, reason="The scale was being serviced"):
    body = {"result_ids": list(results), "reason": reason}
    return api.post(f"/projects/{plant['id']}/rule_results/bulk_dismiss", body)


def statuses(api, plant):
    return {one["id"]: one["status"] for one in api.get(f"/projects/{plant['id']}/rule_results").data}


def test_alerts_are_dismissed_with_when_by_whom_and_why(api, plant, rule, alert):
    first, second = alert(), alert("error")

    dismissed = dismiss(api, plant, second, first, reason="  The scale was being serviced ").expect(200).data

    assert [one["id"] for one in dismissed] == [second, first]
    for one in dismissed:
        assert one["status"] == "dismissed"
        assert one["dismissed_at"] > "2026"
        assert one["dismissed_by"] == "administrator"
        assert one["dismissal_reason"] == "The scale was being serviced"
        assert (one["rule_id"], one["rule_version"], one["rule_name"]) == (rule["id"], 1, rule["name"])
    assert dismissed[1]["entered_value"] == "50"
    assert dismissed[1]["data_point_slug"] == "mass"


def test_alerts_of_data_points_and_of_model_runs_may_be_mixed(api, sql, drain):
    plant = given_accounting.plant(api, drain)
    event = plant.deliver(50)
    [batch] = plant.generate()["batches"]
    on_events = given_alerts.rule(api, plant.project, "{{mass}} > 40")
    on_batches = given_alerts.rule(
        api, plant.project, "mass > 40", target="model_run", model_id=plant.model["id"]
    )
    of_event = given_alerts.result(sql, on_events, event)
    of_run = given_alerts.model_run_result(sql, on_batches, batch)

    dismissed = dismiss(api, plant.project, of_run, of_event).expect(200).data

    assert [(one["id"], one["status"]) for one in dismissed] == [
        (of_run, "dismissed"), (of_event, "dismissed"),
    ]  # fmt: skip
    assert dismissed[0]["checked_value"] == "50"
    assert dismissed[0]["node_ids"] == ["mass"]
    assert dismissed[0]["batch_id"] == batch
    assert dismissed[0]["model_run_id"].startswith("mr_")
    assert not {"entered_value", "data_point_id", "data_point_slug"} & set(dismissed[0])


def test_a_result_that_is_named_twice_counts_once(api, plant, alert):
    one = alert()

    assert len(dismiss(api, plant, one, one).expect(200).data) == 1


def test_a_result_that_is_dismissed_already_stays_as_it_is(api, plant, alert):
    one, other = alert(), alert()
    [first] = dismiss(api, plant, one, reason="Calibration").expect(200).data

    again = dismiss(api, plant, one, other, reason="Something else").expect(200).data

    assert again[0] == first
    assert again[1]["dismissal_reason"] == "Something else"


@settings(max_examples=examples(10), deadline=None)
@for_all(repeats=st.lists(st.integers(0, 3), min_size=1, max_size=12), seed=st.integers(1, 5))
def test_dismissing_twice_is_dismissing_once(server, repeats, seed):
    api, sql = server.account().caller(), server.sql
    plant = given.measuring(api, given.number("mass"))
    rule = given_alerts.rule(api, plant)
    alerts = given_alerts.results(sql, rule, plant, api, 4)
    named = [alerts[index] for index in repeats]
    once = dismiss(api, plant, *named).expect(200).data

    for _ in range(seed):
        assert dismiss(api, plant, *reversed(named), reason="again").expect(200)
    stored = api.get(f"/projects/{plant['id']}/rule_results").data

    assert [one for one in stored if one["status"] == "dismissed"] == sorted(
        once, key=lambda one: [found["id"] for found in stored].index(one["id"])
    )
    assert sum(one["status"] == "fail" for one in stored) == 4 - len(set(repeats))


def unknown_result(kind="dpres"):
    return f"{kind}_{'0' * 24}"


REFUSED = {
    "a blank reason": (lambda alert: [alert()], " \n", "reason", "required"),
    "an empty list": (lambda _: [], "Service", "result_ids", "required"),
    "a passing result": (lambda alert: [alert("pass")], "Service", "result_ids[0]", "pass"),
    "an unknown data point result": (lambda _: [unknown_result()], "Service", "result_ids[0]", "unknown"),
    "an unknown model run result": (
        lambda _: [unknown_result("mrres")], "Service", "result_ids[0]", "unknown",
    ),
    "a text that is no id": (lambda _: ["7"], "Service", "result_ids[0]", "unknown"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_the_smallest_request_that_breaks_a_rule_is_refused(api, plant, alert, name):
    results, reason, field, code = REFUSED[name]

    error = dismiss(api, plant, *results(alert), reason=reason).expect(422).error

    assert (error["field"], error["code"]) == (field, code)


@pytest.mark.parametrize("kind", ["data_point", "event", "model_run", "rule"])
def test_the_id_of_another_kind_of_record_is_no_result(api, plant, rule, alert, kind):
    [found] = api.get(f"/rules/{rule['id']}/rule_results").data or [None, alert()][1:]
    result = api.get(f"/rules/{rule['id']}/rule_results").data[0]
    other = {
        "data_point": result["data_point_id"],
        "event": result["event_id"],
        "model_run": "mr_" + "0" * 24,
        "rule": rule["id"],
    }[kind]

    error = dismiss(api, plant, other).expect(422).error

    assert found
    assert error["message"] == f"result_ids[0] is {other!r}, which is no rule result of the project."


@pytest.mark.parametrize("bad", ["passing", "unknown"])
def test_one_bad_id_among_good_ones_dismisses_none(api, plant, alert, bad):
    good = [alert(), alert()]
    one = alert("pass") if bad == "passing" else unknown_result()

    error = dismiss(api, plant, good[0], one, good[1]).expect(422).error

    assert error["field"] == "result_ids[1]"
    assert {statuses(api, plant)[result] for result in good} == {"fail"}


def test_everything_that_is_wrong_is_said_at_once(api, plant, alert):
    passing = alert("pass")

    errors = dismiss(api, plant, "x", alert(), passing, reason=" ").expect(422).errors

    assert [(error["field"], error["code"]) for error in errors] == [
        ("reason", "required"), ("result_ids[0]", "unknown"), ("result_ids[2]", "pass"),
    ]  # fmt: skip


def test_a_thousand_results_are_dismissed_after_each_is_counted_once(api, sql, plant, rule):
    alerts = given_alerts.results(sql, rule, plant, api, 1000)

    dismissed = dismiss(api, plant, *alerts, *alerts[:500]).expect(200).data

    assert [one["id"] for one in dismissed] == alerts
    assert {one["status"] for one in dismissed} == {"dismissed"}


def test_a_thousand_and_one_are_refused_and_none_is_dismissed(api, sql, plant, rule):
    alerts = given_alerts.results(sql, rule, plant, api, 1001)

    error = dismiss(api, plant, *alerts).expect(422).error

    assert (error["field"], error["code"]) == ("result_ids", "too_many")
    assert error["message"] == "result_ids names 1,001 rule results; one request dismisses at most 1,000."
    assert set(statuses(api, plant).values()) == {"fail"}


def test_a_result_of_another_project_is_unknown(api, alert):
    elsewhere = given.measuring(api, given.number("mass"))

    error = dismiss(api, elsewhere, alert()).expect(422).error

    assert error["code"] == "unknown"


def test_a_result_of_a_rule_that_was_removed_is_unknown(api, plant, rule, alert):
    one = alert()
    api.delete(f"/rules/{rule['id']}").expect(204)

    assert dismiss(api, plant, one).expect(422).error["code"] == "unknown"


def test_a_dismissal_needs_the_feature(api, account, sql, plant, alert):
    one = alert()
    sql("INSERT INTO feature_flags (account_id, name, is_on) VALUES (%s, 'rules_engine', false)", account.id)

    answer = dismiss(api, plant, one)

    assert answer.expect(403).error["message"] == "Rules engine feature is not enabled"


def test_a_dismissal_changes_no_data(api, plant, alert):
    one = alert()
    before = api.get(f"/projects/{plant['id']}/data_points").data
    dismiss(api, plant, one).expect(200)

    [after] = api.get(f"/projects/{plant['id']}/data_points").data

    assert (after["value"], after["raw_value"]) == (before[0]["value"], before[0]["raw_value"]) == (50, 50)


def test_a_dismissal_leaves_one_row_in_the_audit_log_and_a_repetition_none(api, account, sql, plant, alert):
    named = [alert(), alert()]
    dismiss(api, plant, *named, reason="Service").expect(200)
    dismiss(api, plant, *named, reason="Service").expect(200)

    [(target, after)] = sql(
        "SELECT object, after FROM audit_log WHERE account_id = %s AND action LIKE 'rule_result.%%'",
        account.id,
    )

    assert target == "2 rule results"
    assert (after["count"], after["result_ids"], after["reason"]) == (2, named, "Service")
    assert len(after["sha256"]) == 64


def test_callers_that_dismiss_the_same_results_at_once_dismiss_them_once(api, account, sql, plant, rule):
    alerts = given_alerts.results(sql, rule, plant, api, 50)

    answers = account.server.together(lambda: dismiss(api, plant, *alerts), 4)

    assert {answer.status for answer in answers} == {200}
    assert len({answer.body["data"][0]["dismissed_at"] for answer in answers}) == 1
    assert sql(
        "SELECT count(*) FROM audit_log WHERE account_id = %s AND action = 'rule_result.bulk_dismiss'",
        account.id,
    ) == [(1,)]


def test_a_thousand_results_of_two_kinds_take_one_update_for_each_table(api, account, sql, drain):
    plant = given_accounting.plant(api, drain)
    plant.deliver(50)
    [batch] = plant.generate()["batches"]
    rule = given_alerts.rule(api, plant.project)
    on_batches = given_alerts.rule(
        api, plant.project, "mass > 40", target="model_run", model_id=plant.model["id"]
    )
    named = [
        *given_alerts.results(sql, rule, plant.project, api, 999),
        given_alerts.model_run_result(sql, on_batches, batch),
    ]

    sent = account.server.run(statements_of(account, plant.project["numeric_id"], named))

    updates = [statement for statement in sent if statement.startswith("UPDATE")]
    assert updates == ["UPDATE data_point_results", "UPDATE model_run_results"]
    assert len(sent) == 6  # two to lock and look, two to dismiss, one to audit, one to answer


async def statements_of(account, project, named):
    """What a dismissal sends to the database, as the trace of a connection has it that prepared nothing."""
    with tempfile.NamedTemporaryFile("r+") as trace:
        own = account.server.database.with_connections(1)
        async with own:
            async with own.write() as tx:
                connection = await tx.ready()
                connection.pgconn.trace(trace.fileno())
                request = Dismissal(named, "Service")
                results = name_results(project, named)
                decided = await dismiss_results(tx, account.actor, results, request.reason)
                decided.record_many(tx, account.actor, request, action="rule_result.bulk_dismiss")
            connection.pgconn.untrace()
        await asyncio.to_thread(trace.seek, 0)
        text = await asyncio.to_thread(trace.read)
    return re.findall(r'\tParse\t "[^"]*" "\s*(\w+\s+\w+)', text)
