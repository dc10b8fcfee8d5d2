"""PATCH an event with other values, times or tags than it holds: corrections beside what was captured."""

from decimal import Decimal

import pytest
from tests.given import collection as given

MASS = given.number("mass")


@pytest.fixture
def project(api):
    return given.measuring(api, MASS, given.text("note"))


@pytest.fixture
def change(api, project):
    def send(event, **fields):
        return api.patch(f"/projects/{project['id']}/events/{event['id']}", {"event": fields})

    return send


@pytest.fixture
def history(api, project):
    def of(event):
        return api.get(f"/projects/{project['id']}/events/{event['id']}/corrections").expect(200).data

    return of


def values(**by_slug):
    return [{"slug": slug, "value": value} for slug, value in by_slug.items()]


def test_other_values_are_corrections_and_first_values_are_captured(api, project, change, history):
    event = given.event(api, project, values={"mass": 3})

    changed = change(event, data_points=values(mass=4, note="wet"), reason="Typo").expect(200).body

    assert [(one["value"], one["raw_value"], one["corrections_count"]) for one in changed["data_points"]] == [
        (4, 3, 1),
        ("wet", "wet", 0),
    ]
    [entry] = history(event)
    assert (entry["from_value"], entry["to_value"], entry["reason"]) == (3, 4, "Typo")


def test_times_and_tags_are_corrected_each_by_its_own_correction(api, project, change, history):
    wood, straw = given.feedstock(api, project), given.feedstock(api, project)
    kiln = given.asset(api, project)
    event = given.event(
        api, project, values={"mass": 3}, start_time="2025-01-01T00:00:00Z", end_time="2025-01-01T02:00:00Z",
        tracking_id="T-1", feedstock_id=wood["id"],
    )  # fmt: skip

    changed = change(
        event, start_time="2025-01-01T02:00:00+01:00", tracking_id="T-2", feedstock_id=straw["id"],
        asset_id=kiln["id"],
    ).expect(200).body  # fmt: skip

    assert changed["start_time"] == "2025-01-01T01:00:00.000Z"
    assert (changed["tracking_id"], changed["feedstock"]["id"]) == ("T-2", straw["id"])
    assert changed["asset"]["id"] == kiln["id"]
    assert [(one["field"], one["from_value"], one["to_value"], one["state"]) for one in history(event)] == [
        ("start_time", "2025-01-01T00:00:00.000Z", "2025-01-01T01:00:00.000Z", "in_force"),
        ("tracking_id", "T-1", "T-2", "in_force"),
        ("feedstock_id", wood["id"], straw["id"], "in_force"),
        ("asset_id", None, kiln["id"], "in_force"),
    ]


def test_a_corrected_time_moves_the_event_in_lists(api, project, change):
    event = given.event(api, project, values={"mass": 3}, start_time="2025-01-01T00:00:00Z")

    change(event, start_time="2025-02-01T00:00:00Z").expect(200)

    in_february = {"filter[start_time][geq]": "2025-02-01T00:00:00Z"}
    [found] = api.get(f"/projects/{project['id']}/events", in_february).data
    assert found["id"] == event["id"]


def test_a_reading_stays_a_reading_when_only_its_start_is_corrected(api, project, change):
    event = given.event(api, project, values={"mass": 3}, start_time="2025-01-01T00:00:00Z")

    changed = change(event, start_time="2025-01-02T00:00:00Z").expect(200).body

    assert (changed["start_time"], changed["end_time"]) == ("2025-01-02T00:00:00.000Z",) * 2


def test_an_end_that_is_the_start_makes_a_reading_of_a_stretch(api, project, change):
    event = given.event(api, project, values={"mass": 3}, end_time="2025-01-01T02:00:00Z")

    changed = change(event, end_time="2025-01-01T00:00:00Z").expect(200).body

    assert changed["end_time"] == "2025-01-01T00:00:00.000Z"


@pytest.mark.parametrize(
    "refused",
    [
        (
            {"end_time": "2024-12-31T23:00:00Z"},
            "end_time",
            "event.end_time is 2024-12-31T23:00:00.000Z, before start_time, 2025-01-01T00:00:00.000Z.",
        ),
        (
            {"end_time": None},
            "end_time",
            "event.end_time is null; an event that is to be a reading ends at its start_time.",
        ),
        (
            {"tracking_id": None},
            "tracking_id",
            "event.tracking_id cannot be null; a value of an event can be corrected but not removed.",
        ),
        ({"tracking_id": " "}, "tracking_id", "event.tracking_id is blank; leave it out instead."),
        (
            {"feedstock_id": "fs_000000000000000000000000"},
            "feedstock_id",
            "event.feedstock_id is 'fs_000000000000000000000000', which is no feedstock of the project.",
        ),
        (
            {"event_type": "bill"},
            "event_type",
            "event.event_type is 'bill'; the event is of type 'delivery' and cannot change it.",
        ),
    ],
)
def test_a_correction_that_breaks_a_rule_is_refused(api, project, change, refused):
    fields, field, said = refused
    event = given.event(api, project, end_time="2025-01-01T01:00:00Z", tracking_id="T-1", values={"mass": 1})

    error = change(event, **fields).expect(422).error

    assert (error["field"], error["message"]) == (field, said)
    assert api.get(f"/projects/{project['id']}/events/{event['id']}").body == event


def test_what_the_event_holds_adds_nothing_after_a_correction_either(api, project, change, history):
    event = given.event(api, project, values={"mass": 3}, tracking_id="T-1")
    changed = change(event, tracking_id="T-2", data_points=values(mass=Decimal("4.0"))).expect(200).body

    again = change(event, tracking_id="T-2", data_points=values(mass=4)).expect(200).body

    assert again == changed
    assert len(history(event)) == 2


def test_the_captured_times_stay_in_the_database_whatever_is_corrected(api, project, change, sql):
    event = given.event(api, project, values={"mass": 3}, start_time="2025-01-01T00:00:00Z")
    for day in ("02", "03"):
        change(event, start_time=f"2025-01-{day}T00:00:00Z").expect(200)

    [(captured,)] = sql("SELECT captured FROM events WHERE project_id = %s", project["numeric_id"])

    assert captured == {"start_time": "2025-01-01T00:00:00+00:00", "end_time": "2025-01-01T00:00:00+00:00"}


def test_notes_and_locations_are_no_corrections(api, project, change, history):
    yard = given.location(api, project)
    event = given.event(api, project, values={"mass": 3})

    change(event, notes="Wet load", locations=[{"id": yard["id"]}]).expect(200)

    assert history(event) == []
