"""Seed, Event data collection and the records it names, and Versioning: a test for each sentence that is not
shown by the tests of one record.
"""

import pytest
from tests.given import collection as given
from tests.given.requests import DOCUMENT, World, world_of
from tests.server import Server

PREFIXES = {
    "project": "prj_", "event_type": "et_", "event": "evt_", "data_point": "in_", "model": "mod_",
    "ledger": "lgr_", "batch": "bat_", "rule": "rule_", "model_run": "mr_", "data_point_result": "dpres_",
}  # fmt: skip
NUMBERED = ("task", "evidence")


@pytest.fixture(scope="module")
def world(server: Server) -> World:
    return world_of(server)


@pytest.mark.parametrize("kind", PREFIXES)
def test_a_record_has_a_friendly_id_of_a_type_prefix_and_an_opaque_suffix(world, kind):
    assert world.ids[kind].startswith(PREFIXES[kind])


@pytest.mark.parametrize("kind", NUMBERED)
def test_a_task_and_evidence_have_integer_ids(world, kind):
    assert type(world.ids[kind]) is int


def test_an_event_type_carries_a_slug_a_cadence_and_a_link(api):
    project = given.project(api)
    body = {"name": "Meter", "cadence_amount": 15, "cadence_unit": "minute", "data_point_types": []}
    api.post(f"/projects/{project['id']}/event_types", {"event_type": body}).expect(201)

    (listed,) = api.get(f"/projects/{project['id']}/event_types").expect(200).data

    assert (listed["slug"], listed["cadence_amount"], listed["cadence_unit"]) == ("meter", 15, "minute")
    assert listed["ui_url"].endswith(f"/projects/{project['id']}/event_types/{listed['id']}")


def test_the_slug_of_an_event_type_is_used_when_posting_events(api):
    project = given.measuring(api, given.number("mass"))
    (event_type,) = api.get(f"/projects/{project['id']}/event_types").data

    event = given.event(api, project, event_type=event_type["slug"], values={"mass": 1})

    assert event["slug"] == event_type["slug"]
    refused = given.event_body(event_type=event_type["id"], values={"mass": 1})
    error = api.post(f"/projects/{project['id']}/events", {"event": refused}).expect(422).error
    assert error["field"] == "event_type"


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
def test_event_type_endpoints_refuse_numeric_ids(api, method):
    project = given.project(api)
    made = given.event_type(api, project, data_point_types=[given.number("mass")])
    number = made["data_point_types"][0]["nexus_event_type_id"]
    content = b'{"event_type": {"name": "Other"}}' if method == "PATCH" else None

    answer = api.send(method, f"/projects/{project['id']}/event_types/{number}", content=content)

    assert answer.expect(404).error["message"] == "record not found"
    assert api.get(f"/projects/{project['id']}/event_types").data == [made]


def test_events_must_reference_a_location_id(api):
    project = given.project(api)
    api.post(
        f"/projects/{project['id']}/event_types",
        {"event_type": {"name": "Delivery", "data_point_types": []}},
    ).expect(201)
    yard = given.location(api, project)
    path = f"/projects/{project['id']}/events"

    error = api.post(path, {"event": given.event_body()}).expect(422).error
    event = api.post(path, {"event": given.event_body(locations=[yard])}).expect(201).body

    assert error["field"] == "locations"
    assert [place["id"] for place in event["locations"]] == [yard["id"]]


def test_evidence_can_be_a_file_or_a_link(api):
    project = given.measuring(api, given.number("mass"))
    event = given.event(api, project, values={"mass": 1})["id"]
    link = {"evidence": {"type": "url", "url": "https://example.org/a", "name": "A"}}
    api.upload(f"/events/{event}/evidence", "ticket.txt", b"12 t").expect(201)
    api.post(f"/events/{event}/evidence", link).expect(201)

    kept = api.get(f"/projects/{project['id']}/events/{event}/evidences").expect(200).data

    assert [one["type"] for one in kept] == ["file", "url"]
    for one in kept:
        path = f"/projects/{project['id']}/events/{event}/evidences/{one['id']}"
        assert {"id", "type", "url", "name"} <= set(api.get(path).expect(200).body)


def test_evidence_that_does_not_exist_returns_record_not_found(api):
    project = given.measuring(api, given.number("mass"))
    event = given.event(api, project, values={"mass": 1})["id"]

    answer = api.get(f"/projects/{project['id']}/events/{event}/evidences/2147483646")

    answer.expect_not_found("evidence", 2147483646)


def test_a_changed_value_is_a_correction_and_the_raw_value_keeps_what_was_captured(api):
    project = given.measuring(api, given.number("mass"))
    point = given.event(api, project, values={"mass": 1})["data_points"][0]["id"]
    path = f"/projects/{project['id']}/data_points/{point}"

    changed = api.patch(path, {"data_point": {"value": 2}}).expect(200).body
    again = api.patch(path, {"data_point": {"value": 2}}).expect(200).body
    corrections = api.get(f"{path}/corrections").expect(200).data

    assert (changed["value"], changed["raw_value"]) == (2, 1)
    assert (again["value"], len(corrections)) == (2, 1)
    for nothing in (None, "", "  "):
        assert api.patch(path, {"data_point": {"value": nothing}}).status in {400, 422}
    reverted = api.post(f"{path}/revert", {}).expect(200).body
    assert (reverted["value"], reverted["raw_value"]) == (1, 1)


def test_a_project_number_may_have_as_many_digits_as_an_integer(api, account, sql):
    ((number,),) = sql(
        """
        INSERT INTO projects (id, account_id, name, time_zone) OVERRIDING SYSTEM VALUE
        VALUES (2147480000 + %s, %s, 'Far', 'UTC') RETURNING id
        """,
        account.id % 3000,
        account.id,
    )

    found = api.get(f"/projects/{number}").expect(200).body

    assert (found["numeric_id"], found["name"]) == (number, "Far")
    assert api.get(f"/projects/{number}/events").expect(200).data == []


def test_the_version_stands_in_the_base_path_and_in_the_description_of_the_interface():
    assert all(path.startswith("/api/v1/") for path in DOCUMENT["paths"] if "/api" in path)
    assert "/api/v1/projects/{project_id}/events" in DOCUMENT["paths"]
    assert DOCUMENT["info"]["version"] == "1.1.0"
