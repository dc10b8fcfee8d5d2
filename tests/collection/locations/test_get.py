"""GET /projects/{project_id}/locations/{location_id}."""

import pytest
from tests.given import collection as given


def test_a_location_is_found_as_it_was_answered(api):
    project = given.project(api)
    yard = given.location(api, project, name="Yard")

    assert api.get(f"/projects/{project['id']}/locations/{yard['id']}").expect(200).body == yard


@pytest.mark.parametrize("name", ["loc_000000000000000000000000", "loc_", "1", "99999999999999999999", "%00"])
def test_a_name_of_no_location_finds_nothing(api, name):
    api.get(f"/projects/{given.project(api)['id']}/locations/{name}").expect(404)


def test_a_location_is_not_found_below_another_project_or_by_another_account(api, stranger):
    project, other = given.project(api), given.project(api)
    yard = given.location(api, project)

    api.get(f"/projects/{other['id']}/locations/{yard['id']}").expect(404)
    stranger.get(f"/projects/{project['id']}/locations/{yard['id']}").expect(404)
