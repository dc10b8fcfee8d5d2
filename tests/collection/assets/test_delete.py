"""DELETE /projects/{project_id}/assets/{asset_id}."""

from tests.given import collection as given


def path(project, asset):
    return f"/projects/{project['id']}/assets/{asset['id']}"


def test_an_asset_of_a_static_input_stays(api):
    project = given.project(api)
    kiln = given.asset(api, project)
    given.static_input(api, project, asset_id=kiln["id"])

    assert api.delete(path(project, kiln)).expect(422).error["code"] == "in_use"
