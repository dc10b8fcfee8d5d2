"""Events that are rolled up are written by nobody but the service, and refusals name the readings instead."""

import pytest
from tests.given import collection as given
from tests.given.roll_ups import events_of, hours, minutes, minutes_of, read, roll_up


@pytest.fixture
def project(api):
    made = given.project(api)
    minutes(api, made)
    return made


@pytest.fixture
def hour(api, account, project):
    kind = hours(api, project, valid_share_min=0.05)
    read(api, project, minutes_of(10, [1, 2, 3]))
    roll_up(account)
    [made] = events_of(api, project, kind)
    return made


def problem(answer):
    [one] = answer.expect(422).body["errors"]
    assert "stack-minute" in one["message"]
    return one["code"]


def path_of(project, event):
    return f"/projects/{project['id']}/events/{event['id']}"


@pytest.mark.usefixtures("hour")
@pytest.mark.parametrize("count", [1, 2])
def test_nobody_writes_them_alone_or_in_bulk(api, project, count):
    bodies = [given.event_body(event_type="stack-hour", values={"co2": 1}) for _ in range(count)]
    body = (
        {"event": bodies[0]}
        if count == 1
        else {"events": [bodies[0], bodies[1] | {"event_type": "stack-minute"}]}
    )

    assert problem(api.post(f"/projects/{project['id']}/events", body)) == "rolled_up"


@pytest.mark.parametrize(
    "change",
    [
        {"start_time": "2025-01-01T09:00:00Z"},
        {"tracking_id": "LOT-7"},
        {"client_reference": "mine"},
        {"locations": []},
    ],
)
def test_neither_their_times_nor_their_tags_change(api, project, hour, change):
    assert problem(api.patch(path_of(project, hour), {"event": change})) == "rolled_up"


def test_they_are_not_voided(api, project, hour):
    assert problem(api.delete(path_of(project, hour))) == "rolled_up"


def test_a_value_that_is_missing_is_not_filled_in_by_hand(api, account, project, hour):
    read(api, project, {"11:00": 5})
    roll_up(account)
    [_, incomplete] = events_of(api, project, {"id": hour["event_type_id"]})
    body = {"event": {"data_points": [{"slug": "co2", "value": 5}]}}

    assert problem(api.patch(path_of(project, incomplete), body)) == "rolled_up"


def test_notes_and_corrections_of_what_they_hold_are_taken(api, project, hour):
    body = {"event": {"notes": "Checked", "data_points": [{"slug": "co2", "value": 5}], "reason": "Drift"}}

    changed = api.patch(path_of(project, hour), body).expect(200).body

    [point] = changed["data_points"]
    assert (changed["notes"], point["value"], point["raw_value"]) == ("Checked", 5, 2)
