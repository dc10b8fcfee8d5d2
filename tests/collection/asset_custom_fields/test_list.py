"""GET /projects/{project_id}/asset_custom_fields."""

from tests.given import collection as given


def test_a_project_lists_its_own_fields(api):
    project, other = given.project(api), given.project(api)
    owner = given.custom_field(api, project, "Owner")
    colour = given.custom_field(api, project, "Colour")
    given.custom_field(api, other, "Weight", "number")

    assert api.get(f"/projects/{project['id']}/asset_custom_fields").expect(200).data == [owner, colour]
    sorted_list = api.get(f"/projects/{project['id']}/asset_custom_fields", {"sort": "label"}).data
    assert sorted_list == [colour, owner]
