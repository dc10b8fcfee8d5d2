"""DELETE /projects/{project_id}/asset_custom_fields/{asset_custom_field_id}."""

import pytest
from tests.given import collection as given


def path(project, field):
    return f"/projects/{project['id']}/asset_custom_fields/{field['id']}"


def test_a_field_that_no_asset_has_a_value_for_is_removed(api):
    project = given.project(api)
    owner = given.custom_field(api, project, "Owner")

    api.delete(path(project, owner)).expect(204)

    assert api.get(f"/projects/{project['id']}/asset_custom_fields").data == []
    api.delete(path(project, owner)).expect(404)
    given.custom_field(api, project, "Owner", "number")


def test_a_field_stays_until_the_last_asset_gives_up_its_value(api):
    project = given.project(api)
    owner = given.custom_field(api, project, "Owner")
    kiln = given.asset(api, project, custom_fields={"Owner": "Ada"})

    error = api.delete(path(project, owner)).expect(422).error
    change = {"asset": {"custom_fields": {"Owner": None}}}
    api.patch(f"/projects/{project['id']}/assets/{kiln['id']}", change).expect(200)
    api.delete(path(project, owner)).expect(204)

    assert error["code"] == "in_use"
    assert "'Owner'" in error["message"]


def test_a_value_of_another_projects_asset_keeps_nothing(api):
    project, other = given.project(api), given.project(api)
    owner = given.custom_field(api, project, "Owner")
    given.custom_field(api, other, "Owner")
    given.asset(api, other, custom_fields={"Owner": "Ada"})

    api.delete(path(project, owner)).expect(204)


@pytest.mark.parametrize("named", ["0", "99999999999", "owner", "-1"])
def test_what_names_no_field_is_not_found(api, named):
    api.delete(f"/projects/{given.project(api)['id']}/asset_custom_fields/{named}").expect(404)


def test_a_custom_field_is_removed_below_its_own_project_only(api):
    project = given.project(api)
    owner = given.custom_field(api, project, "Owner")

    api.delete(path(given.project(api), owner)).expect(404)
