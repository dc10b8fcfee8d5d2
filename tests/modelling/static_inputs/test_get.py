"""GET /projects/{project_id}/static_inputs/{static_input_id}."""

import pytest
from tests.given import collection as given


def test_a_static_input_is_read_by_its_number(api):
    project = given.project(api)
    made = given.static_input(api, project)

    assert api.get(f"/projects/{project['id']}/static_inputs/{made['id']}").expect(200).body == made


@pytest.mark.parametrize("named", ["0", "99999999999", "grid-factor"])
def test_what_names_none_is_not_found(api, named):
    api.get(f"/projects/{given.project(api)['id']}/static_inputs/{named}").expect(404)


def test_one_of_another_project_or_account_is_not_found(api, stranger):
    project = given.project(api)
    made = given.static_input(api, project)

    api.get(f"/projects/{given.project(api)['id']}/static_inputs/{made['id']}").expect(404)
    stranger.get(f"/projects/{project['id']}/static_inputs/{made['id']}").expect(404)
