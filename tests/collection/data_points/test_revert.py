"""POST revert: the captured value again, and every correction cleared; whatever the history was."""

from decimal import Decimal

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as for_any
from hypothesis import strategies as st
from tests.examples import examples
from tests.given import collection as given

MASS = given.number("mass")


def path_of(project, event):
    return f"/projects/{project['id']}/data_points/{event['data_points'][0]['id']}"


def correct(api, path, value):
    return api.patch(path, {"data_point": {"value": value}}).expect(200).body


@pytest.mark.parametrize(
    ("content", "headers"),
    [(None, {}), (b"", {"content-type": "application/json"}), (b"{}", {"content-type": "application/json"})],
)
def test_a_revert_needs_no_body_whatever_type_is_said(api, content, headers):
    project = given.measuring(api, given.number("mass"))
    [point] = given.event(api, project, values={"mass": 12})["data_points"]
    path = f"/projects/{project['id']}/data_points/{point['id']}"
    api.patch(path, {"data_point": {"value": 13}}).expect(200)

    reverted = api.send("POST", f"{path}/revert", content=content, headers=headers)

    assert reverted.expect(200).body["value"] == 12


def test_the_captured_value_is_back_and_the_history_stays(api):
    project = given.measuring(api, MASS)
    event = given.event(api, project, values={"mass": Decimal("1.50")})
    path = path_of(project, event)
    correct(api, path, 2)
    correct(api, path, 3)

    reverted = api.post(path + "/revert", {}).expect(200).body

    assert (str(reverted["value"]), str(reverted["raw_value"])) == ("1.50", "1.50")
    history = api.get(path + "/corrections").data
    assert [(one["to_value"], one["state"]) for one in history] == [(2, "reverted"), (3, "reverted")]
    assert all(one["reverted_at"] and one["reverted_by"] for one in history)
    assert (reverted["corrections_count"], reverted["corrections_total"]) == (0, 2)
    assert reverted["value_source"] == "captured"


def test_a_value_without_corrections_reverts_to_itself_and_leaves_no_trace(api, sql):
    project = given.measuring(api, MASS)
    event = given.event(api, project, values={"mass": 1})
    path = path_of(project, event)
    before = api.get(path).body

    assert api.send("POST", path + "/revert").expect(200).body == before

    assert sql("SELECT count(*) FROM audit_log WHERE action = 'data_point.revert'"
               " AND project_id = %s", project["numeric_id"]) == [(0,)]  # fmt: skip


def test_a_revert_is_audited_once(api, sql):
    project = given.measuring(api, MASS)
    event = given.event(api, project, values={"mass": 1})
    path = path_of(project, event)
    correct(api, path, 2)

    api.post(path + "/revert", {}).expect(200)
    api.post(path + "/revert", {}).expect(200)

    [(before, after)] = sql(
        "SELECT before, after FROM audit_log WHERE project_id = %s AND action = 'data_point.revert'",
        project["numeric_id"],
    )
    assert (before["value"], after["value"]) == (2, 1)


def test_a_value_that_was_completed_later_reverts_to_its_first_value(api):
    project = given.measuring(api, MASS, given.number("moisture"))
    event = given.event(api, project, values={"mass": 1})
    event = api.patch(
        f"/projects/{project['id']}/events/{event['id']}",
        {"event": {"data_points": [{"slug": "moisture", "value": 8}]}},
    ).expect(200).body  # fmt: skip
    path = f"/projects/{project['id']}/data_points/{event['data_points'][1]['id']}"
    correct(api, path, 9)

    reverted = api.post(path + "/revert", {}).expect(200).body

    assert (reverted["value"], reverted["raw_value"]) == (8, 8)
    assert [one["to_value"] for one in api.get(path + "/corrections").data] == [9]


def test_only_the_value_that_is_named_reverts(api):
    project = given.measuring(api, MASS, given.number("moisture"))
    event = given.event(api, project, values={"mass": 1, "moisture": 8})
    mass, moisture = (f"/projects/{project['id']}/data_points/{one['id']}" for one in event["data_points"])
    correct(api, mass, 2)
    correct(api, moisture, 9)

    api.post(mass + "/revert", {}).expect(200)

    assert [api.get(path).body["value"] for path in (mass, moisture)] == [1, 9]


STEPS = st.lists(st.sampled_from([None, 1, 2, Decimal("2.0"), Decimal("0.10"), -3]), max_size=8)


@for_any(steps=STEPS)
@settings(
    max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_after_any_history_the_captured_value_stands_and_revert_restores_it(api, steps):
    project = given.measuring(api, MASS)
    event = given.event(api, project, values={"mass": Decimal("0.10")})
    path = path_of(project, event)
    held, recorded, standing = Decimal("0.10"), 0, 0
    point = api.get(path).body

    for step in steps:
        if step is None:
            point = api.post(path + "/revert", {}).expect(200).body
            held, standing = Decimal("0.10"), 0
        else:
            point = correct(api, path, step)
            recorded += step != held
            standing += step != held
            held = Decimal(step)
        assert (point["value"], str(point["raw_value"])) == (held, "0.10")
        assert (point["corrections_count"], point["corrections_total"]) == (standing, recorded)
        assert point["value_source"] == ("manual" if standing else "captured")

    assert point["corrections_total"] == recorded == len(api.get(path + "/corrections").data)
    assert str(api.post(path + "/revert", {}).expect(200).body["value"]) == "0.10"
