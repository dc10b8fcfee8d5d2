"""PATCH /projects/{project_id}/assets/{asset_id}."""

from tests.given import accounting as given_accounting
from tests.given import collection as given


def update(api, project, asset, **fields):
    return api.patch(f"/projects/{project['id']}/assets/{asset['id']}", {"asset": fields})


def test_what_is_sent_is_changed_and_the_rest_stays(api):
    project = given.project(api)
    kiln = given.asset(api, project, name="Kiln", asset_type="kiln", serial_number="1")

    update(api, project, kiln, description="West").expect(200)
    changed = update(api, project, kiln, name=" Kiln 1 ", serial_number=None).expect(200).body

    assert (changed["name"], changed["asset_type"]) == ("Kiln 1", "kiln")
    assert (changed["serial_number"], changed["description"]) == (None, "West")


def test_a_custom_field_that_is_left_out_keeps_its_value_and_null_takes_it_away(api):
    project = given.project(api)
    for label in ("Owner", "Power", "Colour"):
        given.custom_field(api, project, label)
    kiln = given.asset(api, project, custom_fields={"Owner": "Ada", "Power": "high"})

    changed = update(api, project, kiln, custom_fields={"Power": None, "Colour": "red"}).expect(200).body

    assert changed["custom_fields"] == {"Colour": "red", "Owner": "Ada"}


def test_texts_and_custom_fields_that_break_a_rule_are_refused(api):
    project = given.project(api)
    kiln = given.asset(api, project)

    answer = update(api, project, kiln, serial_number="", custom_fields={"Owner": "Ada"}).expect(422)

    assert [error["field"] for error in answer.errors] == ["serial_number", "custom_fields.Owner"]


def test_the_name_is_fixed_once_batches_are_partitioned_by_it_and_the_rest_is_not(api, drain):
    plant = given_accounting.plant(api, drain, partition_type="asset")
    kiln = given.asset(api, plant.project, name="Kiln")
    plant.deliver(5, asset_id=kiln["id"])
    plant.generate()

    error = update(api, plant.project, kiln, name="Oven").expect(422).error
    update(api, plant.project, kiln, description="West").expect(200)

    assert (error["field"], error["code"]) == ("name", "in_use")
    assert plant.generate()["unchanged"] == 1
