"""POST /projects/{project_id}/events with one event. Design, Collection."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from tests.given import collection as given

MASS = given.number("mass")


def create(api, project, **fields):
    return api.post(f"/projects/{project['id']}/events", {"event": given.event_body(**fields)})


def test_a_new_event_comes_back_whole(api, server):
    project = given.project(api)
    delivery = given.event_type(api, project, data_point_types=[MASS], expected_locations="one")
    yard, wood = given.location(api, project), given.feedstock(api, project, name="Wood")

    answer = create(
        api, project,
        start_time="2025-01-01T08:00:00Z", end_time="2025-01-01T09:30:00Z", tracking_id="Truck 7",
        client_reference="erp-4711", notes="Wet load", feedstock_id=wood["id"], locations=[yard],
        values={"mass": 12},
    )  # fmt: skip

    event = answer.expect(201).body
    assert re.fullmatch("evt_[0-9a-f]{24}", event["id"])
    assert (event["slug"], event["event_type"], event["event_type_id"]) == (
        "delivery",
        "delivery",
        delivery["id"],
    )
    assert event["project_id"] == project["id"]
    assert (event["start_time"], event["end_time"]) == (
        "2025-01-01T08:00:00.000Z",
        "2025-01-01T09:30:00.000Z",
    )
    assert (event["tracking_id"], event["client_reference"], event["notes"]) == (
        "Truck 7",
        "erp-4711",
        "Wet load",
    )
    assert event["feedstock"] == {"id": wood["id"], "name": "Wood"}
    assert event["locations"] == [yard]
    assert (event["status"], event["missing"]) == ("complete", [])
    assert event["ui_url"] == f"{server.address}/projects/{project['id']}/events/{event['id']}"


def test_a_data_point_carries_the_captured_value_and_its_unit(api):
    project = given.measuring(api, MASS)

    [point] = given.event(api, project, values={"mass": Decimal("12.50")})["data_points"]

    assert re.fullmatch("in_[0-9a-f]{24}", point["id"])
    assert (point["slug"], point["unit"], point["status"]) == ("mass", "t", "complete")
    assert (str(point["value"]), str(point["raw_value"])) == ("12.50", "12.50")
    assert (point["substituted"], point["imputed"], point["substitution"]) == (False, False, None)


def test_without_an_end_an_event_is_a_reading_at_its_start(api):
    project = given.measuring(api, MASS)

    event = given.event(api, project, start_time="2025-03-01T12:00:00Z", values={"mass": 1})

    assert event["end_time"] == event["start_time"] == "2025-03-01T12:00:00.000Z"


def test_an_event_that_lacks_a_required_value_is_stored_as_incomplete_and_says_what_is_missing(api):
    project = given.measuring(api, MASS, given.number("moisture", unit="%"), given.text("note"))

    made = create(api, project, values={"moisture": 8}).expect(201).body

    assert (made["status"], made["missing"]) == ("incomplete", ["mass"])
    assert api.get(f"/projects/{project['id']}/events/{made['id']}").body == made


def test_values_of_every_type_come_back(api):
    project = given.measuring(api, MASS, given.text("note"), given.boolean("sealed"))

    event = given.event(api, project, values={"sealed": False, "note": "ok", "mass": 0})

    assert [(one["slug"], one["value"]) for one in event["data_points"]] == [
        ("mass", 0),
        ("note", "ok"),
        ("sealed", False),
    ]


@pytest.mark.parametrize(
    ("slug", "value"),
    [
        ("mass", "12"), ("mass", True), ("mass", None), ("mass", []), ("mass", {"amount": 1}),
        ("note", 12), ("note", ""), ("note", " \t\n"), ("note", False),
        ("sealed", 1), ("sealed", "true"),
    ],
)  # fmt: skip
def test_a_value_of_another_type_is_refused(api, slug, value):
    project = given.measuring(api, MASS, given.text("note"), given.boolean("sealed"))

    error = create(api, project, values={"mass": 1} | {slug: value}).expect(422).errors[0]

    index = 0 if slug == "mass" else 1
    assert (error["field"], error["code"]) == (f"data_points[{index}].value", "invalid")
    assert repr(slug) in error["message"]


def test_a_value_that_the_event_type_does_not_have_is_refused_with_those_it_has(api):
    project = given.measuring(api, MASS, given.text("note"))

    error = create(api, project, values={"mass": 1, "volume": 2}).expect(422).error

    assert (error["field"], error["code"]) == ("data_points[1].slug", "unknown")
    assert error["message"].endswith("the event type has the data points mass, note.")


def test_a_value_that_is_given_twice_is_refused(api):
    project = given.measuring(api, MASS)
    points = [{"slug": "mass", "value": 1}, {"slug": "mass", "value": 1}]

    error = create(api, project, data_points=points).expect(422).error

    assert (error["field"], error["code"]) == ("data_points[1].slug", "invalid")


def test_an_unknown_event_type_is_refused(api):
    error = create(api, given.measuring(api, MASS), event_type="pickup").expect(422).error

    assert (error["field"], error["code"]) == ("event_type", "unknown")
    assert "'pickup'" in error["message"]


def test_an_event_type_of_another_project_is_unknown(api):
    given.measuring(api, MASS)
    bare = given.project(api)

    assert create(api, bare, values={"mass": 1}).expect(422).error["field"] == "event_type"


def test_an_end_before_the_start_is_refused(api):
    project = given.measuring(api, MASS)

    error = create(
        api, project, values={"mass": 1},
        start_time="2025-01-02T00:00:00Z", end_time="2025-01-01T23:59:59Z",
    ).expect(422).error  # fmt: skip

    assert (error["field"], error["code"]) == ("end_time", "invalid")
    assert error["message"] == (
        "event.end_time is 2025-01-01T23:59:59+00:00, before start_time, 2025-01-02T00:00:00+00:00."
    )


@pytest.mark.parametrize(
    ("expected", "named", "status"),
    [
        ("none", 0, 201), ("none", 1, 201), ("one", 0, 422), ("one", 1, 201), ("one", 2, 201),
        ("two", 0, 422), ("two", 1, 422), ("two", 2, 201), ("two", 3, 201),
        ("one", 10, 201), ("one", 11, 422),
    ],
)  # fmt: skip
def test_an_event_names_as_many_locations_as_its_type_expects(api, expected, named, status):
    project = given.project(api)
    given.event_type(api, project, data_point_types=[MASS], expected_locations=expected)
    places = [given.location(api, project) for _ in range(named)]

    answer = create(api, project, locations=places, values={"mass": 1}).expect(status)

    if status == 422:
        assert (answer.error["field"], answer.error["code"]) == ("locations", "invalid")
    else:
        assert answer.body["locations"] == places


def test_one_location_named_twice_is_not_two(api):
    project = given.project(api)
    given.event_type(api, project, data_point_types=[MASS], expected_locations="two")
    yard = given.location(api, project)

    error = create(api, project, locations=[yard, yard], values={"mass": 1}).expect(422).error

    assert error["field"] == "locations[1].id"


def test_a_location_of_another_project_is_refused(api):
    project = given.measuring(api, MASS)
    elsewhere = given.location(api, given.project(api))

    error = create(api, project, locations=[elsewhere], values={"mass": 1}).expect(422).error

    assert (error["field"], error["code"]) == ("locations[0].id", "unknown")


@pytest.mark.parametrize("name", ["loc_000000000000000000000000", "7", "", "fs_3f"])
def test_a_text_that_is_no_location_is_refused(api, name):
    project = given.measuring(api, MASS)

    error = create(api, project, locations=[{"id": name}], values={"mass": 1}).expect(422).error

    assert error["field"] == "locations[0].id"
    assert repr(name) in error["message"]


def test_a_feedstock_of_another_project_is_refused(api):
    project = given.measuring(api, MASS)
    elsewhere = given.feedstock(api, given.project(api))

    error = create(api, project, feedstock_id=elsewhere["id"], values={"mass": 1}).expect(422).error

    assert (error["field"], error["code"]) == ("feedstock_id", "unknown")


def test_a_type_that_requires_a_tracking_id_refuses_an_event_without(api):
    project = given.measuring(api, MASS, requires_tracking_id=True)

    error = create(api, project, values={"mass": 1}).expect(422).error
    create(api, project, values={"mass": 1}, tracking_id="T-1").expect(201)

    assert (error["field"], error["code"]) == ("tracking_id", "required")


@pytest.mark.parametrize("field", ["tracking_id", "client_reference"])
@pytest.mark.parametrize("text", ["", "  ", "x" * 256])
def test_a_blank_or_overlong_reference_is_refused(api, field, text):
    project = given.measuring(api, MASS)

    error = create(api, project, values={"mass": 1}, **{field: text}).expect(422).error

    assert (error["field"], error["code"]) == (f"{field}", "invalid")


@pytest.mark.parametrize("field", ["tracking_id", "client_reference"])
def test_a_reference_of_the_greatest_length_is_stored(api, field):
    project = given.measuring(api, MASS)

    assert given.event(api, project, values={"mass": 1}, **{field: "ü" * 255})[field] == "ü" * 255


def test_notes_and_texts_have_a_greatest_length(api):
    project = given.measuring(api, MASS, given.text("note"))

    event = given.event(api, project, notes="x" * 10_000, values={"mass": 1, "note": "y" * 10_000})
    errors = (
        create(api, project, notes="x" * 10_001, values={"mass": 1, "note": "y" * 10_001}).expect(422).errors
    )

    assert (len(event["notes"]), len(event["data_points"][1]["value"])) == (10_000, 10_000)
    assert sorted(error["field"] for error in errors) == ["data_points[1].value", "notes"]


def test_a_client_reference_stands_for_one_event_of_the_project(api):
    project, other = given.measuring(api, MASS), given.measuring(api, MASS)
    there = create(api, project, client_reference="erp-1", values={"mass": 1}).expect(201).body["id"]

    error = create(api, project, client_reference="erp-1", values={"mass": 1}).expect(422).error
    create(api, other, client_reference="erp-1", values={"mass": 1}).expect(201)

    assert error == {
        "message": f"event.client_reference is 'erp-1', which the event {there} of the project has.",
        "field": "client_reference",
        "code": "taken",
        "records": [there],
    }


def test_every_problem_of_an_event_is_named_at_once(api):
    project = given.measuring(api, MASS, requires_tracking_id=True, expected_locations="one")

    errors = create(
        api, project,
        start_time="2025-01-02T00:00:00Z", end_time="2025-01-01T00:00:00Z", feedstock_id="fs_1",
        values={"mass": "heavy", "volume": 1},
    ).expect(422).errors  # fmt: skip

    assert {error["field"] for error in errors} == {
        "end_time",
        "data_points[0].value",
        "data_points[1].slug",
        "locations",
        "feedstock_id",
        "tracking_id",
    }


def test_a_refused_event_is_not_stored(api):
    project = given.measuring(api, MASS)

    create(api, project, values={"mass": "heavy"}).expect(422)

    assert api.get(f"/projects/{project['id']}/events").data == []


@pytest.mark.parametrize("body", [{}, {"event": {"event_type": "delivery"}, "events": []}])
def test_a_body_takes_either_event_or_events(api, body):
    project = given.measuring(api, MASS)
    if "event" in body:
        body["event"]["start_time"] = "2025-01-01T00:00:00Z"

    error = api.post(f"/projects/{project['id']}/events", body).expect(400).error

    assert error["message"] == "The body takes either event, an object, or events, a list."


@pytest.mark.parametrize("body", [{}, {"events": []}, {"event": given.event_body(), "events": []}])
def test_a_body_that_asks_for_nothing_tells_a_stranger_nothing_of_the_project(api, stranger, body):
    project = given.measuring(api, MASS)

    answer = stranger.post(f"/projects/{project['id']}/events", body)

    assert answer.expect(404).error["message"] == "record not found"


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
@pytest.mark.parametrize("field", ["start_time", "end_time"])
def test_a_time_outside_the_calendar_is_refused_and_spoils_no_list(api, time, field):
    project = given.measuring(api, MASS)
    times = {"start_time": time, "end_time": time, field: time}

    answer = create(api, project, values={"mass": 1}, **times)

    assert answer.status in {400, 422}, answer.text
    assert field in [error["field"].removeprefix("event.") for error in answer.errors]
    assert api.get(f"/projects/{project['id']}/events").expect(200).data == []


def test_two_requests_with_one_client_reference_at_the_same_time_store_one_event(api, server):
    project = given.measuring(api, MASS)
    event = given.event_body(client_reference="erp-1", values={"mass": 1})

    answers = server.together(lambda: create(api, project, **event), times=4)

    assert [answer.status for answer in answers].count(201) == 1
    assert {answer.status for answer in answers} <= {201, 409, 422}
    assert len(api.get(f"/projects/{project['id']}/events").data) == 1


def test_an_event_whose_reference_is_stored_between_check_and_write_is_a_conflict(api, server):
    project = given.measuring(api, MASS)
    other = given.event(api, project, client_reference="erp-0", values={"mass": 1})

    with ThreadPoolExecutor() as elsewhere:
        with server.transaction() as slower:
            slower.execute("UPDATE events SET client_reference = 'erp-1' WHERE client_reference = 'erp-0'")
            answer = elsewhere.submit(create, api, project, client_reference="erp-1", values={"mass": 1})
            server.await_blocked()

        refused = answer.result().expect(409)

    assert refused.error["message"].endswith("nothing was stored. Send it again.")
    assert refused.headers["retry-after"] == "1"
    assert [event["id"] for event in api.get(f"/projects/{project['id']}/events").data] == [other["id"]]


def test_the_answer_to_a_creation_is_what_reading_the_event_gives(api):
    numbers = ("large", "small", "zero", "whole", "padded", "long")
    types = [*(given.number(slug) for slug in numbers), given.text("remark"), given.boolean("is_wet")]
    project = given.measuring(api, *types, given.number("absent"), expected_locations="two")
    yard, kiln = given.location(api, project), given.location(api, project)
    wood, press = given.feedstock(api, project), given.asset(api, project)
    body = given.event_body(
        start_time="2025-01-01T09:30:00.123999+05:30", end_time="0999-12-31T23:59:59Z",
        feedstock_id=wood["id"], asset_id=press["id"], locations=[kiln, yard], tracking_id="T\\1",
        notes='A "quoted"\nline \\N', client_reference="a\\b", values={},
    )  # fmt: skip
    body["end_time"] = "2025-01-01T04:00:01.0019Z"
    sent = {"large": "1.50E+5", "small": "1E-7", "zero": "-0.00", "whole": "7", "padded": "12.50"}
    sent |= {
        "long": "1234567890123456789012345678.901234",
        "remark": r'"{\"a\\\", NULL}\n"',
        "is_wet": "false",
    }
    points = ", ".join(f'{{"slug": "{slug}", "value": {value}}}' for slug, value in sent.items())
    raw = json.dumps({"event": body}).replace('"data_points": []', f'"data_points": [{points}]')

    made = api.post(f"/projects/{project['id']}/events", raw.encode()).expect(201)

    read = api.get(f"/projects/{project['id']}/events/{made.body['id']}").expect(200)
    assert made.text == read.text
    shown = {point["slug"]: str(point["value"]) for point in made.body["data_points"]}
    assert [shown[slug] for slug in numbers] == [
        "150000", "1E-7", "0.00", "7", "12.50", "1234567890123456789012345678.901234",
    ]  # fmt: skip
    assert (made.body["start_time"], made.body["missing"]) == ("2025-01-01T04:00:00.123Z", ["absent"])


def test_null_for_an_optional_data_point_is_as_if_it_were_left_out(api):
    project = given.measuring(api, MASS, given.number("moisture", required=False), given.text("note"))

    sent = create(api, project, values={"mass": 2, "moisture": None, "note": None}).expect(201).body
    listed = api.get(f"/projects/{project['id']}/events/{sent['id']}").expect(200).body
    many = [given.event_body(values={"mass": 3, "note": None})]
    receipts = api.post(f"/projects/{project['id']}/events", {"events": many}).expect(201).data

    assert [(point["slug"], point["value"]) for point in sent["data_points"]] == [("mass", 2)]
    assert listed == sent
    assert [one["status"] for one in receipts] == ["complete"]


def test_null_for_a_required_data_point_is_refused_by_name(api):
    project = given.measuring(api, MASS)

    error = create(api, project, values={"mass": None}).expect(422).error

    assert (error["field"], error["code"]) == ("data_points[0].value", "invalid")
    assert error["message"] == "event.data_points[0].value of 'mass' is null; it takes a number."
