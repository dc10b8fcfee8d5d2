"""The mapping of an agent, .../agents/{agent_id}/mappings: versions of what is read, and for what."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from psycopg.errors import RestrictViolation
from tests.given import collection as given
from tests.given.requests import AGENT


@pytest.fixture
def project(api):
    made = given.project(api)
    given.event_type(
        api, made, slug="kiln",
        data_point_types=[
            given.number("temperature", unit="degC", required=False),
            given.text("quality"),
            given.text("status", required=False),
        ],
    )  # fmt: skip
    return made


@pytest.fixture
def agent(api, project):
    return report(api, project)


def report(api, project, mapping=None, **fields):
    state = AGENT["state"] | ({} if mapping is None else {"mapping": mapping})
    answer = api.post(f"/projects/{project['id']}/agents", {"agent": AGENT | {"state": state} | fields})
    return answer.expect(201).body


def variable(node="nsu=urn:plant;i=1", **fields):
    named = {"source": "plc", "event_type": "kiln", "data_point": "temperature", "quality": "quality"}
    return named | {"node": node} | fields


def path_of(project, agent):
    return f"/projects/{project['id']}/agents/{agent['id']}/mappings"


def save(api, project, agent, *variables, replaces=0):
    body = {"mapping": {"replaces": replaces, "variables": [*variables]}}
    return api.post(path_of(project, agent), body)


def messages(answer):
    return [error["message"] for error in answer.body["errors"]]


def test_a_mapping_is_kept_version_by_version_with_who_saved_it(api, project, agent):
    first = save(api, project, agent, variable()).expect(201).body
    second = save(api, project, agent, variable(), variable("i=2"), replaces=1).expect(201).body

    assert (first["version"], second["version"]) == (1, 2)
    assert [one["node"] for one in second["variables"]] == ["nsu=urn:plant;i=1", "i=2"]
    listed = api.get(path_of(project, agent)).expect(200).data
    assert [(one["version"], one["variable_count"], one["created_by"]) for one in listed] == [
        (2, 2, second["created_by"]), (1, 1, first["created_by"]),
    ]  # fmt: skip
    assert api.get(f"{path_of(project, agent)}/1").expect(200).body == first
    assert api.get(f"{path_of(project, agent)}/3").expect(404)


def test_the_response_to_a_report_names_the_newest_version(api, project, agent):
    assert agent["mapping"] is None
    saved = save(api, project, agent, variable()).expect(201).body

    offered = report(api, project)["mapping"]

    assert offered == {"version": 1, "digest": saved["digest"]}


def test_the_audit_log_has_what_was_read_before_and_after(api, project, agent):
    save(api, project, agent, variable()).expect(201)
    save(api, project, agent, replaces=1).expect(201)

    rows = api.get("/audit_log", {"filter[action]": "agent.map", "sort": "id"}).expect(200).data

    own = [row for row in rows if row["project_id"] == project["id"]]
    assert [row["object"] for row in own] == [str(agent["id"])] * 2
    assert own[0]["before"] is None
    assert own[1]["before"]["variables"][0]["node"] == "nsu=urn:plant;i=1"
    assert own[1]["after"]["variables"] == []


def test_who_chooses_from_an_older_version_is_told_who_saved_a_newer_one(api, project, agent):
    save(api, project, agent, variable()).expect(201)
    save(api, project, agent, variable("i=2"), replaces=1).expect(201)
    newest = api.get(path_of(project, agent)).expect(200).data[0]

    answer = save(api, project, agent, variable("i=3"), replaces=1).expect(409)

    assert messages(answer) == [
        (
            f"mapping.replaces is 1, but {newest['user_name']} saved version 2 at {newest['created_at']}. "
            "Read that version and choose again."
        )
    ]
    [too_new] = messages(save(api, project, report(api, project, name="other"), replaces=4).expect(409))
    assert too_new == "mapping.replaces is 4, but the agent has no mapping yet; send 0."


def test_of_several_who_save_at_once_one_does(account, api, project, agent):
    callers = [account.caller() for _ in range(6)]
    with ThreadPoolExecutor(len(callers)) as threads:
        saved = threads.map(
            lambda one: save(one[1], project, agent, variable(f"i={one[0]}")).status, enumerate(callers)
        )
        assert sorted(saved) == [201, 409, 409, 409, 409, 409]

    assert len(api.get(path_of(project, agent)).expect(200).data) == 1


def test_the_variables_of_the_newest_version_make_no_other(api, project, agent):
    first = save(api, project, agent, variable()).expect(201).body

    assert save(api, project, agent, variable(), replaces=1).expect(201).body == first


def test_what_is_wrong_with_a_mapping_is_told_at_once(api, project, agent):
    asset = given.asset(api, given.project(api, name="Elsewhere"))["id"]
    answer = save(
        api, project, agent,
        variable(source="gateway"),
        variable(node="Kiln"),
        variable(node="i=2", event_type="klin"),
        variable(node="i=3", data_point="pressure", quality="temperature"),
        variable(node="i=4", status="quality"),
        variable(node="i=5", asset_id=asset, locations=["loc_1"]),
        variable(node="i=5", tracking_id=" "),
    ).expect(422)  # fmt: skip

    assert messages(answer) == [
        (
            "mapping.variables[1].node is 'Kiln'; it takes the id of a node, such as ns=2;s=Kiln.Temperature "
            "or nsu=urn:plant;i=1001, up to 1,000 characters."
        ),
        "mapping.variables[4].data_point and the other data points must each be another one.",
        "mapping.variables[6].node is 'i=5' of plc a second time.",
        (
            "mapping.variables[6].tracking_id is ' '; it takes a text without blanks around it, up to 255 "
            "characters."
        ),
        "mapping.variables[0].source is 'gateway', which is no OPC UA server of the agent; it has plc.",
        "mapping.variables[2].event_type is 'klin', which is no event type of the project.",
        "mapping.variables[3].data_point is 'pressure', which the event type 'kiln' does not have.",
        (
            "mapping.variables[3].quality is 'temperature', which is no text; name a data point type of "
            "value_type string."
        ),
        f"mapping.variables[5].asset_id is {asset!r}, which is no asset of the project.",
        "mapping.variables[5].locations[0] is 'loc_1', which is no location of the project.",
    ]


def test_an_agent_takes_variables_of_those_sources_alone_that_its_file_opens(api, project):
    agent = report(api, project, mapping={"sources": []})

    answer = save(api, project, agent, variable()).expect(422)

    assert messages(answer) == [
        (
            "mapping.variables[0].source is 'plc', whose variables the agent's file keeps to itself: "
            "nodes_from_service is false."
        )
    ]
    report(api, project, mapping={"sources": ["plc"], "version": 3, "problems": ["x"]})
    save(api, project, agent, variable()).expect(201)


def test_a_rolled_up_event_type_is_no_place_for_readings(api, project, agent):
    point = {"data_point": "mean", "aggregate": "average", "source": "temperature"}
    given.event_type(
        api, project, slug="kiln-hour", cadence_amount=1, cadence_unit="hour",
        data_point_types=[given.number("mean", unit="degC")],
        rolled_up_from={"event_type": "kiln", "data_points": [point]},
    )  # fmt: skip

    answer = save(api, project, agent, variable(event_type="kiln-hour", data_point="mean")).expect(422)

    assert "whose events the service makes itself from readings" in messages(answer)[0]


def test_a_removed_agent_takes_its_mapping_with_it(api, project, agent):
    save(api, project, agent, variable()).expect(201)

    api.delete(f"/projects/{project['id']}/agents/{agent['id']}").expect(204)

    assert report(api, project)["mapping"] is None
    api.get(path_of(project, agent)).expect(404)


def test_a_report_whose_mapping_is_wrong_is_refused_with_each_place(api, project):
    mapping = {"sources": ["plc"] * 101, "version": 0, "problems": ["x" * 1_001]}
    body = {"agent": AGENT | {"state": AGENT["state"] | {"mapping": mapping}}}

    answer = api.post(f"/projects/{project['id']}/agents", body).expect(422)

    assert messages(answer) == [
        "agent.state.mapping.sources has 101 items; it takes at most 100.",
        "agent.state.mapping.version is 0; it takes 1 to 9,007,199,254,740,992.",
        "agent.state.mapping.problems[0] has 1,001 characters; it takes at most 1,000.",
    ]


def test_no_version_of_a_mapping_changes_whatever_the_code_above_does(api, project, agent, sql):
    save(api, project, agent, variable()).expect(201)

    with pytest.raises(RestrictViolation, match="a version of an agent's mapping never changes"):
        sql("UPDATE agent_mappings SET variables = '[]' WHERE agent_id = %s RETURNING 1", agent["id"])
