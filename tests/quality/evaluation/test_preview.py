"""POST /projects/{project_id}/rules/preview: what a rule would find, with nothing stored."""

from decimal import Decimal

import pytest
from tests.given import alerts as given_alerts
from tests.given import collection as given


@pytest.fixture
def plant(api):
    return given.measuring(api, given.number("mass"))


def preview(api, project, start="2025-01-01T00:00:00Z", end="2025-02-01T00:00:00Z", **fields):
    body = given_alerts.rule_body(**fields) | {"start_time": start, "end_time": end}
    return api.post(f"/projects/{project['id']}/rules/preview", body)


def test_a_preview_counts_the_records_and_shows_those_that_would_alert(api, plant):
    for day, mass in enumerate([10, 50, 30, 41], start=1):
        given.event(api, plant, start_time=f"2025-01-0{day}T00:00:00Z", values={"mass": mass})

    found = preview(api, plant).expect(200).body

    assert (found["evaluated"], found["alerts"]) == (4, 2)
    assert [(one["start_time"], one["value"]) for one in found["data"]] == [
        ("2025-01-02T00:00:00.000Z", "50"), ("2025-01-04T00:00:00.000Z", "41"),
    ]  # fmt: skip


def test_an_alert_of_a_preview_names_its_event_and_data_point(api, plant):
    event = given.event(api, plant, values={"mass": 50})

    [alert] = preview(api, plant).expect(200).data

    assert (alert["event_id"], alert["data_point_id"]) == (event["id"], event["data_points"][0]["id"])
    assert (alert["model_run_id"], alert["batch_id"], alert["error_message"]) == (None, None, None)


def test_a_preview_shows_a_hundred_alerts_and_counts_them_all(api, plant):
    given.events(api, plant, [given.event_body(values={"mass": 50}) for _ in range(101)])

    found = preview(api, plant).expect(200).body

    assert (found["alerts"], len(found["data"])) == (101, 100)


def test_a_preview_stores_nothing(api, account, sql, plant):
    given.event(api, plant, values={"mass": 50})
    before = sql("SELECT count(*) FROM audit_log WHERE account_id = %s", account.id)

    preview(api, plant, evaluation="automatic").expect(200)

    assert api.get(f"/projects/{plant['id']}/rules").data == []
    assert api.get(f"/projects/{plant['id']}/rule_results").data == []
    assert sql("SELECT count(*) FROM audit_log WHERE account_id = %s", account.id) == before


TWO_PERCENT = {"purpose": "adjust", "correction": given_alerts.TWO_PERCENT}


def test_a_preview_says_what_would_be_corrected_from_what_to_what(api, plant):
    for day, mass in enumerate([10, 50, 41], start=1):
        given.event(api, plant, start_time=f"2025-01-0{day}T00:00:00Z", values={"mass": mass})

    found = preview(api, plant, **TWO_PERCENT).expect(200).body

    assert (found["alerts"], found["corrections"], found["proposals"]) == (2, 2, 0)
    assert [(one["from_value"], one["to_value"]) for one in found["data"]] == [
        (50, 51), (41, Decimal("41.82")),
    ]  # fmt: skip


def test_a_preview_of_a_rule_that_needs_approval_says_what_it_would_propose(api, plant):
    given.event(api, plant, values={"mass": 50})

    found = preview(api, plant, requires_approval=True, **TWO_PERCENT).expect(200).body

    assert (found["alerts"], found["corrections"], found["proposals"]) == (1, 0, 1)


def test_a_preview_leaves_what_a_person_corrected_to_the_person(api, plant):
    event = given.event(api, plant, values={"mass": 50})
    point = f"/projects/{plant['id']}/data_points/{event['data_points'][0]['id']}"
    api.patch(point, {"data_point": {"value": 60}}).expect(200)

    found = preview(api, plant, **TWO_PERCENT).expect(200).body

    assert (found["alerts"], found["corrections"]) == (1, 0)
    [alert] = found["data"]
    assert (alert["value"], alert["from_value"], alert["to_value"]) == ("60", None, None)


def test_a_preview_names_corrections_without_a_result(api, plant):
    given.event(api, plant, values={"mass": 50})
    becomes = {"method": "expression", "expression": "1 / ({{mass}} - 50)"}

    found = preview(api, plant, purpose="adjust", correction=becomes).expect(200).body

    assert (found["alerts"], found["corrections"]) == (1, 0)
    assert found["data"][0]["error_message"].startswith("The correction has no result. At column ")


def test_a_preview_of_a_rule_that_only_alerts_corrects_nothing(api, plant):
    given.event(api, plant, values={"mass": 50})

    found = preview(api, plant).expect(200).body

    assert (found["alerts"], found["corrections"], found["proposals"]) == (1, 0, 0)
    assert (found["data"][0]["from_value"], found["data"][0]["to_value"]) == (None, None)


def test_a_preview_of_an_adjustment_writes_nothing(api, plant):
    event = given.event(api, plant, values={"mass": 50})

    preview(api, plant, evaluation="automatic", **TWO_PERCENT).expect(200)

    [point] = api.get(f"/projects/{plant['id']}/events/{event['id']}/data_points").data
    assert (point["value"], point["corrections_count"], point["rule_results"]) == (50, 0, [])


def test_records_outside_the_time_of_the_rule_are_left_alone(api, plant):
    given.event(api, plant, start_time="2025-01-10T00:00:00Z", values={"mass": 50})

    assert preview(api, plant, effective_from="2025-01-11T00:00:00Z").expect(200).body["evaluated"] == 0


def test_a_rule_that_could_not_be_made_cannot_be_tried(api, plant):
    assert preview(api, plant, expression="{{mass}} >").expect(422).error["field"] == "expression"


def test_a_period_that_ends_before_it_starts_is_refused(api, plant):
    error = preview(api, plant, end="2025-01-01T00:00:00Z").expect(422).error

    assert (error["field"], error["code"]) == ("end_time", "invalid")
