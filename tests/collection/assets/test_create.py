"""POST /projects/{project_id}/assets."""

import re
from decimal import Decimal

import pytest
from tests.given import collection as given


def create(api, project, **fields):
    return api.post(f"/projects/{project['id']}/assets", {"asset": fields})


def test_a_new_asset_comes_back_with_its_id_and_project(api):
    project = given.project(api)

    made = (
        create(
            api, project, name=" Kiln 1 ", asset_type="kiln", serial_number="0042", description="West hall"
        )
        .expect(201)
        .body
    )

    assert re.fullmatch("ast_[0-9a-f]{24}", made["id"])
    assert made["project_id"] == project["id"]
    assert made["name"] == "Kiln 1"
    assert (made["asset_type"], made["serial_number"]) == ("kiln", "0042")
    assert made["description"] == "West hall"
    assert made["custom_fields"] == {}


def test_what_is_left_out_is_null(api):
    made = create(api, given.project(api), name="Kiln").expect(201).body

    assert (made["asset_type"], made["serial_number"], made["description"]) == (None, None, None)


def test_custom_fields_take_values_of_every_type_to_the_last_digit(api):
    project = given.project(api)
    for label, value_type in {
        "Owner": "text",
        "Power": "number",
        "Leased": "boolean",
        "Since": "date",
    }.items():
        given.custom_field(api, project, label, value_type)
    power = Decimal("1234567890123456789012345678901.230")
    values = {"Since": "2024-02-29", "Owner": "=Ada", "Power": power, "Leased": False}

    made = create(api, project, name="Kiln", custom_fields=values).expect(201).body

    assert list(made["custom_fields"].items()) == [
        ("Leased", False), ("Owner", "=Ada"), ("Power", power), ("Since", "2024-02-29"),
    ]  # fmt: skip
    assert str(made["custom_fields"]["Power"]) == "1234567890123456789012345678901.230"
    assert api.get(f"/projects/{project['id']}/assets/{made['id']}").body == made


def test_a_whole_number_of_34_digits_stays_one(api):
    project = given.project(api)
    given.custom_field(api, project, "Hours", "number")

    made = create(api, project, name="Kiln", custom_fields={"Hours": 10**34 - 1}).expect(201)

    assert '"Hours":9999999999999999999999999999999999' in made.text


def test_null_stands_for_no_value(api):
    project = given.project(api)
    given.custom_field(api, project, "Owner")

    assert (
        create(api, project, name="Kiln", custom_fields={"Owner": None}).expect(201).body["custom_fields"]
        == {}
    )


def test_an_unknown_custom_field_is_refused_with_those_there_are(api):
    project = given.project(api)
    given.custom_field(api, project, "Power", "number")
    given.custom_field(api, project, "Owner")

    error = create(api, project, name="Kiln", custom_fields={"Colour": "red"}).expect(422).error

    assert (error["field"], error["code"]) == ("custom_fields.Colour", "unknown")
    assert error["message"].endswith("no custom field of the project's assets, which have 'Owner', 'Power'.")


@pytest.mark.parametrize(
    ("value_type", "value"),
    [
        ("text", 1), ("text", " "), ("number", "1"), ("number", True), ("boolean", 0), ("date", "31.01.2025"),
        ("date", "2025-02-30"), ("number", Decimal("1E+101")), ("number", int("1" * 35)),
    ],
)  # fmt: skip
def test_a_value_of_another_type_is_refused(api, value_type, value):
    project = given.project(api)
    given.custom_field(api, project, "Field", value_type)

    error = create(api, project, name="Kiln", custom_fields={"Field": value}).expect(422).error

    assert (error["field"], error["code"]) == ("custom_fields.Field", "invalid")


def test_everything_that_is_wrong_is_named_at_once(api):
    answer = create(
        api, given.project(api), name=" ", asset_type=" ", description="x" * 10_001, custom_fields={"A": 1}
    ).expect(422)

    assert [(error["field"], error["code"]) for error in answer.errors] == [
        ("name", "required"),
        ("asset_type", "invalid"),
        ("description", "invalid"),
        ("custom_fields.A", "unknown"),
    ]
