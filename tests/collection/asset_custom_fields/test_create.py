"""POST /projects/{project_id}/asset_custom_fields. Seed, Errors: 422 for an asset custom field label equal
to a standard column of the asset spreadsheet.
"""

import pytest
from tests.given import collection as given


def create(api, project, **fields):
    return api.post(f"/projects/{project['id']}/asset_custom_fields", {"asset_custom_field": fields})


@pytest.mark.parametrize("value_type", ["text", "number", "boolean", "date"])
def test_a_new_field_comes_back_with_its_number_and_project(api, value_type):
    project = given.project(api)

    made = create(api, project, label=" Owner ", value_type=value_type).expect(201).body

    assert isinstance(made["id"], int)
    assert made["project_id"] == project["id"]
    assert (made["label"], made["value_type"]) == ("Owner", value_type)


@pytest.mark.parametrize(
    "label",
    [
        "id",
        "name",
        "asset_type",
        "serial_number",
        "description",
        "Name",
        " ID ",
        "SERIAL_NUMBER",
        "Asset Type",
    ],
)
def test_the_label_of_a_standard_column_is_refused(api, label):
    error = create(api, given.project(api), label=label, value_type="text").expect(422).error

    assert (error["field"], error["code"]) == ("label", "reserved")


@pytest.mark.parametrize(("label", "code"), [(" ", "required"), ("x" * 101, "invalid"), ("a\tb", "invalid")])
def test_a_label_that_breaks_a_rule_is_refused(api, label, code):
    error = create(api, given.project(api), label=label, value_type="text").expect(422).error

    assert (error["field"], error["code"]) == ("label", code)


def test_a_label_is_unique_in_its_project_and_free_in_another(api):
    project, other = given.project(api), given.project(api)
    create(api, project, label="Owner", value_type="text").expect(201)

    error = create(api, project, label="Owner", value_type="number").expect(422).error
    create(api, other, label="Owner", value_type="text").expect(201)

    assert (error["field"], error["code"]) == ("label", "taken")


def test_an_unknown_value_type_is_refused_with_those_there_are(api):
    error = create(api, given.project(api), label="Owner", value_type="string").expect(422).error

    assert (error["field"], error["code"]) == ("value_type", "invalid")
    assert error["message"].endswith("allowed are text, number, boolean, date.")


def test_a_project_has_at_most_100(api, sql):
    project = given.project(api)
    sql(
        """
        INSERT INTO asset_custom_fields (project_id, label, value_type)
        SELECT %s, 'Field ' || number, 'text' FROM generate_series(1, 100) AS number
        """,
        project["numeric_id"],
    )

    assert create(api, project, label="Owner", value_type="text").expect(422).error["code"] == "too_many"


def test_a_creation_stands_in_the_audit(api, account, sql):
    made = given.custom_field(api, given.project(api), "Owner")

    assert sql(
        """
        SELECT object, after ->> 'label' FROM audit_log
         WHERE account_id = %s AND action = 'asset_custom_field.create'
        """,
        account.id,
    ) == [(str(made["id"]), "Owner")]
