"""Alerts stand with the records that they are about: events, their data points, and batches.

Reference facts, 2.7: only failing or dismissed results of the latest version, none without the feature.
"""

import pytest
from tests.given import accounting as given_accounting
from tests.given import alerts as given_alerts
from tests.given import collection as given


@pytest.fixture
def plant(api):
    return given.measuring(api, given.number("mass"), given.number("energy", unit="kWh"))


@pytest.fixture
def event(api, plant):
    return given.event(api, plant, values={"mass": 50, "energy": 1})


@pytest.fixture
def shown(api, plant, event):
    """What the data point, its event, and their lists show of results: ids, and whether there are alerts."""

    def look():
        inside = f"/projects/{plant['id']}"
        [mass, energy] = (point["id"] for point in event["data_points"])
        whole = api.get(f"{inside}/events/{event['id']}").body
        points = [
            whole["data_points"][0],
            api.get(f"{inside}/events").data[0]["data_points"][0],
            api.get(f"{inside}/data_points/{mass}").body,
            api.get(f"{inside}/events/{event['id']}/data_points/{mass}").body,
            api.get(f"{inside}/data_points", {"slug": "mass"}).data[0],
        ]
        found = [[one["id"] for one in point["rule_results"]] for point in points]
        assert all(one == found[0] for one in found)
        assert api.get(f"{inside}/data_points/{energy}").body["rule_results"] == []
        assert api.get(f"{inside}/events").data[0]["has_rule_alerts"] == whole["has_rule_alerts"]
        return found[0], whole["has_rule_alerts"]

    return look


@pytest.fixture
def alert(api, sql, plant, event):
    """Stores what a rule of its own found in the event's mass; gives the id of the result."""

    def make(status="fail"):
        return given_alerts.result(sql, given_alerts.rule(api, plant), event["id"], status)

    return make


def test_a_record_that_no_rule_has_looked_at_has_no_alerts(shown):
    assert shown() == ([], False)


@pytest.mark.parametrize("status", ["fail", "error"])
def test_an_alert_stands_with_its_data_point_and_marks_its_event(alert, shown, status):
    found = alert(status)

    assert shown() == ([found], True)


def test_a_passing_result_is_not_shown(alert, shown):
    alert("pass")

    assert shown() == ([], False)


def test_a_dismissed_result_is_shown_and_is_no_alert(api, plant, alert, shown):
    found = alert()
    body = {"result_ids": [found], "reason": "Service"}
    api.post(f"/projects/{plant['id']}/rule_results/bulk_dismiss", body).expect(200)

    assert shown() == ([found], False)


def test_of_each_rule_the_newest_version_counts(api, sql, plant, event, shown):
    rule, other = given_alerts.rule(api, plant), given_alerts.rule(api, plant)
    given_alerts.result(sql, rule, event["id"])
    kept = given_alerts.result(sql, other, event["id"])
    changed = api.patch(f"/rules/{rule['id']}", {"rule": {"expression": "{{mass}} > 45"}}).expect(200).body
    assert shown() == ([kept], True)

    newer = given_alerts.result(sql, changed, event["id"])

    assert shown() == ([kept, newer], True)


def test_the_alerts_of_a_rule_go_with_it(api, sql, plant, event, shown):
    rule = given_alerts.rule(api, plant)
    given_alerts.result(sql, rule, event["id"])
    api.delete(f"/rules/{rule['id']}").expect(204)

    assert shown() == ([], False)


def test_without_the_feature_no_alerts_are_shown_and_with_it_they_are_there_again(account, sql, alert, shown):
    found = alert()
    sql("INSERT INTO feature_flags (account_id, name, is_on) VALUES (%s, 'rules_engine', false)", account.id)
    assert shown() == ([], False)

    sql("UPDATE feature_flags SET is_on = true WHERE account_id = %s", account.id)

    assert shown() == ([found], True)


def test_an_alert_about_a_missing_value_marks_the_event(api, sql):
    plant = given.measuring(api, given.number("mass", required=False), given.number("energy"))
    event = given.event(api, plant, values={"energy": 1})
    rule = given_alerts.rule(api, plant, "{{mass}} is null")
    given_alerts.result(sql, rule, event["id"], entered_value=None)

    whole = api.get(f"/projects/{plant['id']}/events/{event['id']}").body

    assert whole["has_rule_alerts"] is True
    assert [point["slug"] for point in whole["data_points"]] == ["energy"]


def test_a_batch_whose_run_fails_a_rule_has_alerts(api, sql, drain):
    plant = given_accounting.plant(api, drain)
    plant.deliver(50)
    [batch] = plant.generate()["batches"]
    rule = given_alerts.rule(api, plant.project, "mass > 40", target="model_run", model_id=plant.model["id"])
    assert api.get(f"/batches/{batch}").body["has_rule_alerts"] is False
    found = given_alerts.model_run_result(sql, rule, batch)
    assert api.get(f"/batches/{batch}").body["has_rule_alerts"] is True
    assert api.get(f"/ledgers/{plant.ledger['id']}/batches").data[0]["has_rule_alerts"] is True

    body = {"result_ids": [found], "reason": "Service"}
    api.post(f"/projects/{plant.project['id']}/rule_results/bulk_dismiss", body).expect(200)

    assert api.get(f"/batches/{batch}").body["has_rule_alerts"] is False
