"""POST /projects/{project_id}/event_types."""

import re

import pytest
from tests.given import collection as given


def create(api, project, **fields):
    body = {"event_type": {"name": "Biochar delivery", "data_point_types": []} | fields}
    return api.post(f"/projects/{project['id']}/event_types", body)


def test_a_name_that_makes_no_slug_asks_for_one(api):
    body = {"event_type": {"name": "Tank", "data_point_types": [{"name": "体積", "value_type": "number"}]}}

    error = api.post(f"/projects/{given.project(api)['id']}/event_types", body).expect(422).error

    assert error["field"] == "data_point_types[0].slug"
    assert error["message"] == (
        "event_type.data_point_types[0].slug is missing, and the name '体積' makes none; "
        "a slug is small letters and digits in words joined by single hyphens or underscores, "
        "at most 100 characters."
    )


def test_a_new_event_type_comes_back_with_its_data_point_types_in_order(api):
    project = given.project(api)
    wet = {"name": "Wet mass", "value_type": "number", "unit": "t{wet}"}
    note = {"name": "Note", "value_type": "string", "required": False}

    made = create(api, project, data_point_types=[wet, note]).expect(201).body

    assert re.fullmatch("et_[0-9a-f]{24}", made["id"])
    assert made["slug"] == "biochar-delivery"
    assert made["expected_locations"] == "one"
    assert made["reusable_in_batches"] is False
    assert [
        (one["slug"], one["value_type"], one["unit"], one["required"]) for one in made["data_point_types"]
    ] == [
        ("wet-mass", "number", "t{wet}", True),
        ("note", "string", None, False),
    ]


def test_an_event_type_carries_a_cadence_and_a_link(api, server):
    project = given.project(api)

    made = create(api, project, cadence_amount=15, cadence_unit="minute").expect(201).body

    assert (made["cadence_amount"], made["cadence_unit"]) == (15, "minute")
    assert made["ui_url"] == f"{server.address}/projects/{project['id']}/event_types/{made['id']}"


def test_a_slug_that_is_given_stands(api):
    made = create(api, given.project(api), slug="bc_delivery-2").expect(201).body

    assert made["slug"] == "bc_delivery-2"


@pytest.mark.parametrize("slug", ["Upper", "two words", "-lead", "trail-", "a--b", "ü", "a" * 101, "a\nb"])
def test_a_slug_of_other_characters_is_refused(api, slug):
    error = create(api, given.project(api), slug=slug).expect(422).error

    assert error["field"] == "slug"
    assert "small letters and digits" in error["message"]


def test_a_name_that_gives_no_slug_asks_for_one(api):
    project = given.project(api)

    assert create(api, project, name="木材").expect(422).error["field"] == "slug"
    assert create(api, project, name="木材", slug="wood").expect(201).body["name"] == "木材"


def test_a_slug_is_unique_in_its_project_and_free_in_another(api):
    project, other = given.project(api), given.project(api)
    create(api, project, slug="delivery").expect(201)

    error = create(api, project, slug="delivery").expect(422).error
    create(api, other, slug="delivery").expect(201)

    assert (error["field"], error["code"]) == ("slug", "taken")


def test_a_slug_of_a_data_point_type_is_unique_in_its_event_type(api):
    types = [given.number("mass"), given.text("mass")]

    error = create(api, given.project(api), data_point_types=types).expect(422).error

    assert (error["field"], error["code"]) == ("data_point_types", "taken")
    assert "'mass'" in error["message"]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": " "}, "name"),
        ({"expected_locations": "three"}, "expected_locations"),
        ({"cadence_amount": 1}, "cadence_unit"),
        ({"cadence_unit": "hour"}, "cadence_unit"),
        ({"cadence_amount": 0, "cadence_unit": "hour"}, "cadence_amount"),
        ({"cadence_amount": 1_000_001, "cadence_unit": "hour"}, "cadence_amount"),
        ({"cadence_amount": 10**30, "cadence_unit": "hour"}, "cadence_amount"),
        ({"cadence_amount": 1, "cadence_unit": "fortnight"}, "cadence_unit"),
    ],
)
def test_a_field_outside_its_values_is_refused_by_name(api, fields, field):
    assert create(api, given.project(api), **fields).expect(422).error["field"] == field


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": " "}, "name"),
        ({"value_type": "decimal"}, "value_type"),
        ({"unit": "furlongs{"}, "unit"),
        ({"value_type": "string"}, "unit"),
        ({"slug": "No"}, "slug"),
    ],
)
def test_a_data_point_type_outside_its_values_is_refused_by_name(api, fields, field):
    wrong = {"name": "Mass", "value_type": "number", "unit": "t"} | fields

    errors = (
        create(api, given.project(api), data_point_types=[given.number("fine"), wrong]).expect(422).errors
    )

    assert f"data_point_types[1].{field}" in [error["field"] for error in errors]


def test_more_data_point_types_than_the_limit_are_refused(api):
    types = [given.number(f"m{index}") for index in range(1001)]

    error = create(api, given.project(api), data_point_types=types).expect(422).error

    assert error["message"] == "There are 1001 data point types; an event type has at most 1000."


def test_an_event_type_may_be_made_without_data_point_types(api):
    project = given.project(api)

    made = api.post(f"/projects/{project['id']}/event_types", {"event_type": {"name": "Visit"}})

    assert made.expect(201).body["data_point_types"] == []
