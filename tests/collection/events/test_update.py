"""PATCH /projects/{project_id}/events/{event_id}. Design, Collection: a first value for a missing
data point is its captured value; what was captured is never overwritten.
"""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from tests.given import collection as given

MASS = given.number("mass")
KINDS = (MASS, given.number("moisture", unit="%"), given.text("note"), given.boolean("sealed"))


@pytest.fixture
def project(api):
    return given.measuring(api, *KINDS)


def path(project, event):
    return f"/projects/{project['id']}/events/{event['id']}"


def update(api, project, event, **fields):
    return api.patch(path(project, event), {"event": fields})


def values(**given_values):
    return [{"slug": slug, "value": value} for slug, value in given_values.items()]


def test_a_first_value_completes_an_event(api, project):
    event = given.event(api, project, values={"mass": 3})

    completed = update(api, project, event, data_points=values(moisture=Decimal("8.50"))).expect(200).body

    assert (event["status"], event["missing"]) == ("incomplete", ["moisture"])
    assert (completed["status"], completed["missing"]) == ("complete", [])
    assert [(one["slug"], str(one["value"]), str(one["raw_value"])) for one in completed["data_points"]] == [
        ("mass", "3", "3"),
        ("moisture", "8.50", "8.50"),
    ]
    assert api.get(path(project, event)).body == completed


def test_an_event_stays_incomplete_while_anything_required_is_missing(api, project):
    event = given.event(api, project)

    changed = update(api, project, event, data_points=values(mass=1)).expect(200).body

    assert (changed["status"], changed["missing"]) == ("incomplete", ["moisture"])


def test_values_of_every_type_can_be_added(api, project):
    event = given.event(api, project)

    changed = (
        update(api, project, event, data_points=values(sealed=False, note="ok", moisture=0)).expect(200).body
    )

    assert {one["slug"]: one["value"] for one in changed["data_points"]} == {
        "moisture": 0, "note": "ok", "sealed": False,
    }  # fmt: skip


def test_a_completed_event_is_counted(api, project):
    event = given.event(api, project, values={"mass": 3})

    update(api, project, event, data_points=values(moisture=8)).expect(200)

    assert [one["value"] for one in api.get(f"/projects/{project['id']}/data_points").data] == [3, 8]


def test_the_held_value_sent_again_records_nothing(api, project, account, sql):
    event = given.event(api, project, values={"mass": Decimal("12.50"), "note": "ok", "sealed": True})

    same = update(api, project, event, data_points=values(mass=Decimal("12.5"), note="ok", sealed=True))

    assert same.expect(200).body == event
    assert sql(
        "SELECT count(*) FROM audit_log WHERE account_id = %s AND action = 'event.update'", account.id
    ) == [(0,)]


@pytest.mark.parametrize("slug", ["mass", "moisture", "note", "sealed"])
@pytest.mark.parametrize("value", [None, "", " \t"])
def test_null_and_blank_are_refused_whether_a_value_is_held_or_not(api, project, slug, value):
    event = given.event(api, project, values={"mass": 3})

    error = update(api, project, event, data_points=values(**{slug: value})).expect(422).error

    assert (error["field"], error["code"]) == ("data_points[0].value", "invalid")


@pytest.mark.parametrize(
    ("points", "field", "code"),
    [
        (values(volume=1), "data_points[0].slug", "unknown"),
        ([*values(moisture=1), *values(moisture=1)], "data_points[1].slug", "invalid"),
        (values(moisture="wet"), "data_points[0].value", "invalid"),
        (values(moisture=True), "data_points[0].value", "invalid"),
        (values(moisture=Decimal("1e101")), "data_points[0].value", "invalid"),
        (values(note="x" * 10_001), "data_points[0].value", "invalid"),
    ],
)
def test_a_first_value_that_breaks_a_rule_is_refused(api, project, points, field, code):
    event = given.event(api, project, values={"mass": 3})

    error = update(api, project, event, data_points=points).expect(422).error

    assert (error["field"], error["code"]) == (field, code)
    assert api.get(path(project, event)).body == event


def test_all_problems_are_named_at_once_and_nothing_is_stored(api, project):
    event = given.event(api, project, values={"mass": 3})

    errors = update(
        api, project, event,
        notes="n", start_time="0001-01-01T00:00:00+14:00", tracking_id=" ", feedstock_id="fs_x",
        data_points=values(mass=4, moisture="wet", x=1),
    ).expect(422).errors  # fmt: skip

    assert [error["field"] for error in errors] == [
        "start_time", "tracking_id", "feedstock_id", "data_points[1].value",
        "data_points[2].slug",
    ]  # fmt: skip
    assert api.get(path(project, event)).body == event


def test_notes_and_client_reference_are_set_replaced_and_cleared(api, project):
    event = given.event(api, project)

    set_ = update(api, project, event, notes="Wet load", client_reference="erp-1").expect(200).body
    replaced = update(api, project, event, notes="Dry load").expect(200).body
    cleared = update(api, project, event, notes=None, client_reference=None).expect(200).body

    assert (set_["notes"], set_["client_reference"]) == ("Wet load", "erp-1")
    assert (replaced["notes"], replaced["client_reference"]) == ("Dry load", "erp-1")
    assert (cleared["notes"], cleared["client_reference"]) == (None, None)


def test_a_client_reference_stays_unique_also_beside_a_voided_event(api, project):
    taken = given.event(api, project, client_reference="erp-1")
    event = given.event(api, project, client_reference="erp-2")

    first = update(api, project, event, client_reference="erp-1").expect(422).error
    api.delete(path(project, taken)).expect(204)
    second = update(api, project, event, client_reference="erp-1").expect(422).error

    assert (first["field"], first["code"]) == ("client_reference", "taken")
    assert second == first
    update(api, project, event, client_reference="erp-2").expect(200)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"client_reference": " "}, "client_reference"),
        ({"client_reference": "x" * 256}, "client_reference"),
        ({"notes": "x" * 10_001}, "notes"),
    ],
)
def test_a_text_that_breaks_a_rule_is_refused(api, project, fields, field):
    error = update(api, project, given.event(api, project), **fields).expect(422).error

    assert (error["field"], error["code"]) == (field, "invalid")


def test_the_set_of_locations_is_replaced(api):
    project = given.measuring(api, MASS, expected_locations="one")
    yard, mill = given.location(api, project), given.location(api, project)
    event = given.event(api, project, locations=[yard], values={"mass": 1})

    both = [{"id": mill["id"]}, {"id": yard["id"]}]
    assert update(api, project, event, locations=both).expect(200).body["locations"] == [mill, yard]
    assert update(api, project, event, locations=both[:1]).expect(200).body["locations"] == [mill]


@pytest.mark.parametrize(
    ("named", "field", "code"),
    [
        ([], "locations", "invalid"),
        (["loc_000000000000000000000000"], "locations[0].id", "unknown"),
        (["yard", "yard"], "locations[1].id", "invalid"),
    ],
)
def test_the_rules_of_locations_hold(api, named, field, code):
    project = given.measuring(api, MASS, expected_locations="one")
    yard = given.location(api, project)
    event = given.event(api, project, locations=[yard], values={"mass": 1})

    locations = [{"id": yard["id"] if name == "yard" else name} for name in named]
    error = update(api, project, event, locations=locations).expect(422).error

    assert (error["field"], error["code"]) == (field, code)


def test_what_was_captured_may_be_sent_again(api, project):
    wood = given.feedstock(api, project)
    body = given.event_body(
        start_time="2025-01-01T08:00:00.1239+01:00", end_time="2025-01-01T09:00:00+01:00", tracking_id="T-1",
        feedstock_id=wood["id"], client_reference="erp-1", notes="n", values={"mass": 3},
    )  # fmt: skip
    event = given.event(api, project, **body)

    assert update(api, project, event, **body).expect(200).body == event
    utc = {"start_time": event["start_time"], "end_time": event["end_time"]}
    assert update(api, project, event, **utc).expect(200).body == event


@pytest.mark.parametrize(
    "fields",
    [
        {"start_time": None},
        {"locations": None},
        {"data_points": None},
        {"status": "complete"},
        {"id": "evt_"},
    ],
)
def test_a_change_of_the_wrong_shape_is_refused(api, project, fields):
    update(api, project, given.event(api, project), **fields).expect(400)


def test_of_two_callers_who_add_a_value_one_captures_it_and_the_other_corrects_it(api, project, server):
    event = given.event(api, project, values={"mass": 3})
    amounts = iter([1, 2])

    answers = server.together(
        lambda: update(api, project, event, data_points=values(moisture=next(amounts))), 2
    )

    assert [answer.status for answer in answers] == [200, 200]
    [_, moisture] = api.get(path(project, event)).body["data_points"]
    assert {moisture["value"], moisture["raw_value"]} == {1, 2}
    assert moisture["corrections_count"] == 1


def test_an_update_waits_for_another_and_loses_none_of_its_values(api, project, server):
    event = given.event(api, project)

    with ThreadPoolExecutor(1) as other:
        with server.transaction() as earlier:
            earlier.execute(
                "UPDATE events SET numbers = '{7}' WHERE project_id = %s", (project["numeric_id"],)
            )
            later = other.submit(lambda: update(api, project, event, data_points=values(moisture=8)))
            server.await_blocked()
        later.result().expect(200)

    assert [one["value"] for one in api.get(path(project, event)).body["data_points"]] == [7, 8]


def test_a_change_stands_in_the_audit_with_before_and_after(api, project, account, sql):
    event = given.event(api, project, values={"mass": 3})

    update(api, project, event, data_points=values(moisture=8)).expect(200)

    assert sql(
        """
        SELECT object, before ->> 'status', after ->> 'status' FROM audit_log
         WHERE account_id = %s AND action = 'event.update'
        """,
        account.id,
    ) == [(event["id"], "incomplete", "complete")]


def test_an_event_that_is_not_there_is_not_found(api, project, stranger):
    event = given.event(api, project)

    update(stranger, project, event, notes="x").expect(404)
    update(api, given.project(api), event, notes="x").expect(404)
    update(api, project, {"id": "evt_000000000000000000000000"}, notes="x").expect(404)
    api.delete(path(project, event)).expect(204)
    update(api, project, event, notes="x").expect(404)
