"""GET /projects/{project_id}/assets/{asset_id}."""

from tests.given import collection as given


def test_an_asset_is_read_by_its_id(api):
    project = given.project(api)
    kiln = given.asset(api, project)

    assert api.get(f"/projects/{project['id']}/assets/{kiln['id']}").expect(200).body == kiln


def test_an_asset_of_another_project_or_account_is_not_found(api, stranger):
    project, other = given.project(api), given.project(api)
    kiln = given.asset(api, project)

    api.get(f"/projects/{other['id']}/assets/{kiln['id']}").expect(404)
    stranger.get(f"/projects/{project['id']}/assets/{kiln['id']}").expect(404)
    api.get(f"/projects/{project['id']}/assets/1").expect(404)
