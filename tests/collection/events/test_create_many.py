"""POST /projects/{project_id}/events with many events: all or nothing."""

import pytest
from tests.given import collection as given

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

    assert (error["field"], error["code"]) == ("events[2].client_reference", "taken")
    assert error["message"] == "events[2].client_reference is 'a', which events[0] has too."
    assert stored(api, project) == 0


def test_a_client_reference_that_is_stored_already_refuses_all(api):
    project = given.measuring(api, MASS)
    there = given.event(api, project, client_reference="a", values={"mass": 1})["id"]
    bodies = [given.event_body(client_reference=name, values={"mass": 1}) for name in ("b", "a")]

    error = create(api, project, bodies).expect(422).error

    assert error == {
        "message": f"events[1].client_reference is 'a', which the event {there} of the project has.",
        "field": "events[1].client_reference",
        "code": "taken",
        "records": [there],
    }
    assert stored(api, project) == 1


def test_whoever_sends_many_events_again_hears_of_all_that_are_there_and_reads_of_a_hundred(api):
    project = given.measuring(api, MASS)
    bodies = [given.event_body(client_reference=f"r{index}", values={"mass": 1}) for index in range(1200)]
    there = [receipt["id"] for receipt in given.events(api, project, bodies)]

    errors = create(api, project, bodies).expect(422).errors

    assert len(errors) == 101
    assert {error["code"] for error in errors} == {"taken"}
    assert [record for error in errors for record in error["records"]] == there
    assert errors[-1]["field"] == "events"
    assert errors[-1]["message"] == (
        "1,100 more of the events have a client reference that an event of the project has."
    )


def test_a_voided_event_that_keeps_the_reference_is_said_to_be_voided(api):
    project = given.measuring(api, MASS)
    there = given.event(api, project, client_reference="a", values={"mass": 1})["id"]
    api.delete(f"/projects/{project['id']}/events/{there}").expect(204)

    error = create(api, project, [given.event_body(client_reference="a")]).expect(422).error

    assert error["message"] == (
        f"events[0].client_reference is 'a', which the voided event {there} of the project has."
    )


def test_of_more_than_a_hundred_problems_the_first_are_named_and_it_is_said_that_there_are_more(api):
    project = given.measuring(api, MASS)
    wrong = given.event_body(values={"mass": "1,5"})

    exactly, more = create(api, project, [wrong] * 100), create(api, project, [wrong] * 101)

    assert len(exactly.expect(422).errors) == 100
    assert len(more.expect(422).errors) == 101
    assert more.errors[0]["message"] == (
        "events[0].data_points[0].value of 'mass' is the string '1,5'; it takes a number."
    )
    assert more.errors[-1] == {
        "message": "More is wrong; these are the first 100 problems.",
        "code": "more",
    }


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
