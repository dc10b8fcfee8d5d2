"""GET /projects/{project_id}/locations. Seed, Event data collection: lists project locations; events
reference them.
"""

from tests.given import collection as given


def test_the_list_holds_the_projects_locations(api):
    project = given.project(api)
    yard, kiln = given.location(api, project, name="Yard"), given.location(api, project, name="Kiln")
    given.location(api, given.project(api))

    assert api.get(f"/projects/{project['id']}/locations").expect(200).data == [yard, kiln]


def test_the_list_filters_and_sorts_by_name(api):
    project = given.project(api)
    for name in ("Yard", "Kiln"):
        given.location(api, project, name=name)
    path = f"/projects/{project['id']}/locations"

    assert [one["name"] for one in api.get(path, {"sort": "name"}).data] == ["Kiln", "Yard"]
    assert [one["name"] for one in api.get(path, {"filter[name]": "Yard"}).data] == ["Yard"]


def test_the_list_of_another_accounts_project_is_not_found(api, stranger):
    stranger.get(f"/projects/{given.project(api)['id']}/locations").expect(404)
