"""GET /projects/{project_id}/feedstocks/{feedstock_id}."""

import pytest
from tests.given import collection as given


def test_a_feedstock_is_found_as_it_was_answered(api):
    project = given.project(api)
    wood = given.feedstock(api, project, name="Wood")

    assert api.get(f"/projects/{project['id']}/feedstocks/{wood['id']}").expect(200).body == wood


@pytest.mark.parametrize("name", ["fs_000000000000000000000000", "fs_", "1", "99999999999999999999", "%00"])
def test_a_name_of_no_feedstock_finds_nothing(api, name):
    api.get(f"/projects/{given.project(api)['id']}/feedstocks/{name}").expect(404)


def test_a_feedstock_is_not_found_below_another_project_or_by_another_account(api, stranger):
    project, other = given.project(api), given.project(api)
    wood = given.feedstock(api, project)

    api.get(f"/projects/{other['id']}/feedstocks/{wood['id']}").expect(404)
    stranger.get(f"/projects/{project['id']}/feedstocks/{wood['id']}").expect(404)
