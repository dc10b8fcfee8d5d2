"""GET /rules/{rule_id}/rule_results and /projects/{project_id}/rule_results."""

import pytest
from tests.given import accounting as given_accounting
from tests.given import alerts as given_alerts
from tests.given import collection as given


@pytest.fixture
def plant(api):
    return given.measuring(api, given.number("mass"))


@pytest.fixture
def rule(api, plant):
    return given_alerts.rule(api, plant, message="Too heavy for a truck")


def alert(api, sql, plant, rule, status="fail", **fields):
    event = given.event(api, plant, values={"mass": 50})
    return given_alerts.result(sql, rule, event["id"], status, **fields)


def listed(api, path, **query):
    return [one["id"] for one in api.get(path, query).expect(200).data]


def test_a_result_says_which_rule_found_what_in_which_data_point(api, sql, plant, rule):
    event = given.event(api, plant, values={"mass": 50})
    found = given_alerts.result(sql, rule, event["id"])

    [one] = api.get(f"/rules/{rule['id']}/rule_results").expect(200).data

    assert one == {
        "id": found,
        "status": "fail",
        "entered_value": "50",
        "error_message": None,
        "rule_id": rule["id"],
        "rule_version": 1,
        "superseded_by_version": None,
        "rule_name": rule["name"],
        "severity": "fail",
        "message": "Too heavy for a truck",
        "event_id": event["id"],
        "data_point_id": event["data_points"][0]["id"],
        "data_point_slug": "mass",
        "evaluated_at": "2025-02-01T00:00:00.000Z",
        "created_at": one["created_at"],
        "dismissed_at": None,
        "dismissed_by": None,
        "dismissal_reason": None,
        "approval_state": None,
        "proposed_correction": None,
        "rejected_at": None,
        "rejected_by": None,
        "rejection_reason": None,
        "approved_at": None,
        "approved_by": None,
        "approval_comment": None,
        "proposed_event": None,
    }


def test_a_result_of_a_model_run_names_the_run_and_its_nodes(api, sql, drain):
    plant = given_accounting.plant(api, drain)
    plant.deliver(50)
    [batch] = plant.generate()["batches"]
    rule = given_alerts.rule(api, plant.project, "mass > 40", target="model_run", model_id=plant.model["id"])
    found = given_alerts.model_run_result(sql, rule, batch)

    [one] = api.get(f"/projects/{plant.project['id']}/rule_results").expect(200).data

    assert (one["id"], one["checked_value"], one["node_ids"]) == (found, "50", ["mass"])
    assert one["batch_id"] == batch
    assert one["model_run_id"].startswith("mr_")


def test_the_newest_come_first_whatever_kind_they_are(api, sql, drain):
    plant = given_accounting.plant(api, drain)
    event = plant.deliver(50)
    [batch] = plant.generate()["batches"]
    on_events = given_alerts.rule(api, plant.project, "{{mass}} > 40")
    on_batches = given_alerts.rule(
        api, plant.project, "mass > 40", target="model_run", model_id=plant.model["id"]
    )
    first = given_alerts.result(sql, on_events, event, "pass")
    second = given_alerts.model_run_result(sql, on_batches, batch)
    third = given_alerts.result(sql, on_events, event)

    path = f"/projects/{plant.project['id']}/rule_results"

    assert listed(api, path) == [third, second, first]
    assert listed(api, path, sort="id") == [first, second, third]


def test_a_rule_lists_its_own_results_only(api, sql, plant, rule):
    other = given_alerts.rule(api, plant)
    mine = alert(api, sql, plant, rule)
    alert(api, sql, plant, other)

    assert listed(api, f"/rules/{rule['id']}/rule_results") == [mine]


@pytest.fixture
def one_of_each(api, sql, plant, rule):
    """A result of each status, by its status."""
    stored = {one: alert(api, sql, plant, rule, one) for one in ("fail", "pass", "error")}
    stored["dismissed"] = alert(api, sql, plant, rule)
    body = {"result_ids": [stored["dismissed"]], "reason": "Service"}
    api.post(f"/projects/{plant['id']}/rule_results/bulk_dismiss", body).expect(200)
    return stored


@pytest.mark.parametrize("status", ["fail", "pass", "dismissed", "error"])
@pytest.mark.parametrize("parameter", ["status", "filter[status]", "filter[status][eq]"])
def test_results_are_filtered_by_status(api, plant, rule, one_of_each, *, status, parameter):
    stored = one_of_each

    for path in (f"/rules/{rule['id']}/rule_results", f"/projects/{plant['id']}/rule_results"):
        assert listed(api, path, **{parameter: status}) == [stored[status]]


def test_the_results_of_a_project_are_filtered_by_rule(api, sql, plant, rule):
    mine = alert(api, sql, plant, rule)
    alert(api, sql, plant, given_alerts.rule(api, plant))

    path = f"/projects/{plant['id']}/rule_results"

    assert listed(api, path, **{"filter[rule_id]": rule["id"]}) == [mine]


def test_results_are_filtered_by_the_version_that_made_them(api, sql, plant, rule):
    alert(api, sql, plant, rule)
    changed = api.patch(f"/rules/{rule['id']}", {"rule": {"expression": "{{mass}} > 45"}}).expect(200).body
    newer = alert(api, sql, plant, changed)

    assert listed(api, f"/rules/{rule['id']}/rule_results", **{"filter[rule_version]": "2"}) == [newer]


def test_results_are_filtered_by_where_their_proposals_stand(api, sql, plant):
    rule = given_alerts.calibration(api, plant, requires_approval=True)
    proposal = {"approval_state": "pending", "proposed_correction": '{"from_value": 50, "to_value": 51}'}
    pending = alert(api, sql, plant, rule, **proposal)
    alert(api, sql, plant, rule)

    path = f"/projects/{plant['id']}/rule_results"

    assert listed(api, path, **{"filter[approval_state]": "pending"}) == [pending]
    assert api.get(f"/rules/{rule['id']}").body["pending_count"] == 1


def test_results_are_filtered_by_when_they_were_evaluated(api, sql, plant, rule):
    january = alert(api, sql, plant, rule, evaluated_at="2025-01-31T23:59:59Z")
    february = alert(api, sql, plant, rule, evaluated_at="2025-02-01T00:00:00Z")

    path = f"/projects/{plant['id']}/rule_results"
    border = "2025-02-01T00:00:00Z"

    assert listed(api, path, **{"filter[evaluated_at][geq]": border}) == [february]
    assert listed(api, path, **{"filter[evaluated_at][leq]": border}) == [february, january]
    assert listed(api, path, **{"filter[created_at][leq]": border}) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [("filter[status]", "open"), ("filter[approval_state]", "maybe"), ("filter[evaluated_at][geq]", "now"),
     ("filter[rule_id]", "7"), ("filter[evaluated_at]", "2025-01-01T00:00:00Z")],
)  # fmt: skip
def test_a_filter_that_cannot_be_read_is_refused(api, plant, name, value):
    api.get(f"/projects/{plant['id']}/rule_results", {name: value}).expect(400)


def test_a_long_list_is_walked_by_cursor_and_meets_each_result_once(api, sql, plant, rule):
    alerts = given_alerts.results(sql, rule, plant, api, 45)
    path, seen, cursor = f"/projects/{plant['id']}/rule_results", [], {}
    while True:
        page = api.get(path, {"page_size": "20"} | cursor).expect(200)
        seen += [one["id"] for one in page.data]
        if page.info["next_cursor"] is None:
            break
        cursor = {"cursor": page.info["next_cursor"]}

    assert seen == alerts[::-1]


def test_results_of_a_rule_that_was_removed_are_not_shown(api, sql, plant, rule):
    alert(api, sql, plant, rule)
    api.delete(f"/rules/{rule['id']}").expect(204)

    assert listed(api, f"/projects/{plant['id']}/rule_results") == []
    api.get(f"/rules/{rule['id']}/rule_results").expect(404)


def test_without_the_feature_results_are_not_listed(api, account, sql, plant, rule):
    sql("INSERT INTO feature_flags (account_id, name, is_on) VALUES (%s, 'rules_engine', false)", account.id)

    for path in (f"/rules/{rule['id']}/rule_results", f"/projects/{plant['id']}/rule_results"):
        assert api.get(path).expect(403).error["message"] == "Rules engine feature is not enabled"
