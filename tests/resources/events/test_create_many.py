"""POST /projects/{project_id}/events with many events: all or nothing."""

import pytest
from tests import given

MASS = given.number("mass")


def create(api, project, bodies):
    return api.post(f"/projects/{project['id']}/events", {"events": bodies})


def stored(api, project):
    return api.get(f"/projects/{project['id']}/events").info["total_items"]


def test_receipts_come_in_the_order_sent(api):
    project = given.measuring(api, MASS)
    days = [3, 1, 2]

    bodies = [given.event_body(start_time=f"2025-01-0{day}T00:00:00Z", values={"mass": day}) for day in days]
    answer = create(api, project, bodies)

    receipts = answer.expect(201).data
    assert answer.info == {"items": 3}
    for receipt, day in zip(receipts, days, strict=True):
        event = api.get(f"/projects/{project['id']}/events/{receipt['id']}").expect(200).body
        assert event["start_time"] == f"2025-01-0{day}T00:00:00.000Z"
        assert event["data_points"][0]["value"] == day


def test_a_receipt_says_what_an_incomplete_event_lacks(api):
    project = given.measuring(api, MASS, given.number("moisture", unit="%"))

    complete, incomplete, empty = given.events(
        api,
        project,
        [
            given.event_body(values={"mass": 1, "moisture": 2}),
            given.event_body(values={"mass": 1}),
            given.event_body(),
        ],
    )

    assert complete == {"id": complete["id"], "status": "complete"}
    assert incomplete == {"id": incomplete["id"], "status": "incomplete", "missing": ["moisture"]}
    assert empty["missing"] == ["mass", "moisture"]


def test_one_bad_event_among_many_stores_none(api):
    project = given.measuring(api, MASS)
    bodies = [given.event_body(values={"mass": 1}) for _ in range(5)]
    bodies[3] = given.event_body(values={"mass": "heavy"})

    error = create(api, project, bodies).expect(422).error

    assert error["field"] == "events[3].data_points[0].value"
    assert stored(api, project) == 0


def test_every_bad_event_is_named(api):
    project = given.measuring(api, MASS)
    bodies = [given.event_body(event_type="pickup"), given.event_body(), given.event_body(event_type="drop")]

    errors = create(api, project, bodies).expect(422).errors

    assert [error["field"] for error in errors] == ["events[0].event_type", "events[2].event_type"]


def test_a_refusal_of_thousands_names_about_a_hundred(api):
    project = given.measuring(api, MASS)

    errors = create(api, project, [given.event_body(event_type="pickup")] * 5000).expect(422).errors

    assert 100 <= len(errors) <= 110
    assert stored(api, project) == 0


def test_a_wrong_shape_anywhere_stores_nothing(api):
    project = given.measuring(api, MASS)

    error = create(api, project, [given.event_body(values={"mass": 1}), {"event_type": 7}]).expect(400).error

    assert error["field"] == "events[1].event_type"
    assert stored(api, project) == 0


def test_a_request_takes_one_to_ten_thousand_events(api):
    project = given.measuring(api, MASS)
    event = given.event_body(values={"mass": 1})

    none, too_many = create(api, project, []), create(api, project, [event] * 10_001)
    most = create(api, project, [event] * 10_000).expect(201)

    for answer, count in ((none, 0), (too_many, 10_001)):
        assert answer.expect(422).error["field"] == "events"
        assert answer.error["message"] == f"events holds {count}; a request takes 1 to 10,000."
    assert len({receipt["id"] for receipt in most.data}) == 10_000


def test_one_client_reference_on_two_events_of_a_request_is_refused(api):
    project = given.measuring(api, MASS)
    bodies = [given.event_body(client_reference=name, values={"mass": 1}) for name in ("a", "b", "a")]

    error = create(api, project, bodies).expect(422).error

    assert (error["field"], error["code"]) == ("client_reference", "taken")
    assert error["message"] == "The client reference 'a' stands on 2 events of the request."
    assert stored(api, project) == 0


def test_a_client_reference_that_is_stored_already_refuses_all(api):
    project = given.measuring(api, MASS)
    given.event(api, project, client_reference="a", values={"mass": 1})
    bodies = [given.event_body(client_reference=name, values={"mass": 1}) for name in ("b", "a")]

    error = create(api, project, bodies).expect(422).error

    assert error["message"] == "The project has an event with the client reference 'a' already."
    assert stored(api, project) == 1


def test_events_of_several_types_go_in_one_request(api):
    project = given.project(api)
    given.event_type(api, project, slug="delivery", data_point_types=[MASS])
    given.event_type(api, project, slug="reading", data_point_types=[given.text("note"), given.boolean("ok")])

    receipts = given.events(
        api,
        project,
        [
            given.event_body(event_type="reading", values={"ok": True}),
            given.event_body(event_type="delivery", values={"mass": 2}),
        ],
    )

    events = [api.get(f"/projects/{project['id']}/events/{one['id']}").body for one in receipts]
    assert [event["slug"] for event in events] == ["reading", "delivery"]
    assert [event["data_points"][0]["value"] for event in events] == [True, 2]


def test_events_without_any_value_are_stored(api):
    project = given.measuring(api)

    [receipt] = given.events(api, project, [given.event_body()])

    assert receipt["status"] == "complete"
    assert api.get(f"/projects/{project['id']}/events/{receipt['id']}").body["data_points"] == []


@pytest.mark.parametrize("wrong", [None, {}, "all", 3])
def test_events_that_are_no_list_are_of_the_wrong_shape(api, wrong):
    project = given.measuring(api, MASS)

    assert create(api, project, wrong).expect(400).error["field"] == "events"
