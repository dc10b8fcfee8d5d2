"""Agents, /projects/{project_id}/agents: what each reports, when it is quiet, and what it is asked."""

import pytest
from tests.given import collection as given
from tests.given.requests import AGENT


@pytest.fixture
def project(api):
    return given.project(api)


def report(api, project, **fields):
    return api.post(f"/projects/{project['id']}/agents", {"agent": AGENT | fields})


def state(**fields):
    return AGENT["state"] | fields


def one(project, agent):
    return f"/projects/{project['id']}/agents/{agent['id']}"


def test_the_first_report_of_a_name_registers_the_agent_and_the_next_replaces_what_it_said(api, project):
    first = report(api, project).expect(201).body

    value = {"variable": "plc/i=1", "time": "2026-01-05T00:00:00Z", "value": "temperature 21.1, quality good"}
    waiting = state(
        waiting=7, oldest_arrived_at="2026-01-05T00:00:00Z", lag_seconds=3.25, last_values=[value],
        clock_offset_seconds=-0.125,
    )  # fmt: skip
    second = report(api, project, version="1.2.0", state=waiting).expect(201).body

    assert second["id"] == first["id"]
    assert (second["version"], second["state"]["waiting"], second["is_quiet"]) == ("1.2.0", 7, False)
    assert second["state"]["last_values"] == [value]
    assert second["reported_at"] >= first["reported_at"]
    assert api.get(f"/projects/{project['id']}/agents").expect(200).data == [second]
    rows = api.get("/audit_log", {"filter[action]": "agent.register"}).expect(200).data
    assert [row["object"] for row in rows if row["project_id"] == project["id"]] == [str(first["id"])]


def test_what_is_wrong_with_a_report_is_told_at_once(api, project):
    value = {"variable": "v", "time": "2026-01-05T00:00:00Z", "value": "x"}
    many = [value | {"value": "x" * 1_001}, *[value] * 1_000]

    answer = report(api, project, name="kiln house", state=state(last_values=many)).expect(422)

    messages = [error["message"] for error in answer.body["errors"]]
    assert messages == [
        "agent.name is 'kiln house'; it takes 1 to 40 letters, digits, - and _.",
        "agent.state.last_values has 1,001 items; it takes at most 1,000.",
        "agent.state.last_values[0].value has 1,001 characters; it takes at most 1,000.",
    ]


def test_a_question_waits_for_the_agent_and_the_answer_for_whoever_asked(api, project):
    agent = report(api, project).expect(201).body
    asked = api.post(f"{one(project, agent)}/browse", {"browsing": {"source": "plc"}}).expect(201).body
    assert (asked["browsing"]["node"], asked["browsing"]["answer"]) == ("i=85", None)

    seen = report(api, project).expect(201).body["browsing"]
    assert seen == asked["browsing"]
    child = {
        "node": "nsu=urn:plant;i=1",
        "name": "Kiln",
        "is_variable": True,
        "data_type": "Float",
        "value": "2",
    }
    other = {"number": seen["number"] + 1, "children": [], "is_cut": False}
    assert report(api, project, browsed=other).expect(201).body["browsing"]["answer"] is None
    report(api, project, browsed={"number": seen["number"], "children": [child]}).expect(201)

    answer = api.get(one(project, agent)).expect(200).body["browsing"]["answer"]
    assert answer["children"] == [child]
    again = api.post(f"{one(project, agent)}/browse", {"browsing": {"source": "plc", "node": "i=1"}})
    assert again.expect(201).body["browsing"]["answer"] is None


def test_only_an_opc_ua_server_of_the_agent_is_browsed(api, project):
    agent = report(api, project).expect(201).body

    answer = api.post(f"{one(project, agent)}/browse", {"browsing": {"source": "gateway"}}).expect(422)

    [error] = answer.body["errors"]
    assert error["message"] == (
        "browsing.source is 'gateway', which is no OPC UA server of the agent; it has plc."
    )


def test_an_agent_that_has_not_reported_for_its_time_is_quiet(api, project, sql):
    agent = report(api, project).expect(201).body
    report(api, project, name="other").expect(201)
    changed = api.patch(one(project, agent), {"agent": {"quiet_after_seconds": 30, "description": "Kiln"}})
    assert changed.expect(200).body["description"] == "Kiln"
    sql("UPDATE agents SET reported_at = reported_at - interval '31 seconds' WHERE id = %s", agent["id"])

    quiet = api.get(f"/projects/{project['id']}/agents", {"filter[is_quiet]": "true"}).expect(200).data

    assert [(found["id"], found["is_quiet"]) for found in quiet] == [(agent["id"], True)]
    assert report(api, project).expect(201).body["is_quiet"] is False
    refused = api.patch(one(project, agent), {"agent": {"quiet_after_seconds": 5}}).expect(422)
    [error] = refused.body["errors"]
    assert error["message"] == "agent.quiet_after_seconds is 5; it takes 30 to 604,800."


def test_an_agent_that_is_gone_is_removed(api, project):
    agent = report(api, project).expect(201).body

    api.delete(one(project, agent)).expect(204)

    assert api.get(f"/projects/{project['id']}/agents").expect(200).data == []
