"""GET /assets and GET /projects/{project_id}/assets. Seed, Filtering: assets accept
`filter[project_id]=prj_<id>` in flat or bracketed form.
"""

import pytest
from tests.given import collection as given


def test_the_accounts_list_holds_the_assets_of_all_its_projects_and_no_others(api, stranger):
    kiln = given.asset(api, given.project(api))
    truck = given.asset(api, given.project(api))
    given.asset(stranger, given.project(stranger))

    assert api.get("/assets").expect(200).data == [kiln, truck]


@pytest.mark.parametrize("name", ["filter[project_id]", "filter[project_id][eq]"])
@pytest.mark.parametrize("key", ["id", "numeric_id"])
def test_the_accounts_list_filters_by_project_flat_and_bracketed_by_id_and_number(api, name, key):
    project, other = given.project(api), given.project(api)
    kiln = given.asset(api, project)
    given.asset(api, other)

    assert api.get("/assets", {name: str(project[key])}).expect(200).data == [kiln]


def test_another_accounts_project_filters_everything_out(api, stranger):
    theirs = given.project(stranger)
    given.asset(stranger, theirs)

    assert api.get("/assets", {"filter[project_id]": theirs["id"]}).expect(200).data == []


@pytest.mark.parametrize("value", ["kiln", "prj_1", "-1", "ast_0123456789abcdef01234567"])
def test_a_project_that_cannot_be_read_is_refused(api, value):
    error = api.get("/assets", {"filter[project_id]": value}).expect(400).error

    assert error["message"].endswith("project_id takes an id prj_… or a project's number.")


def test_lists_filter_by_name(api):
    project = given.project(api)
    kiln = given.asset(api, project, name="Kiln")
    given.asset(api, project, name="Truck")

    assert api.get("/assets", {"filter[name]": "Kiln"}).data == [kiln]
    assert api.get(f"/projects/{project['id']}/assets", {"filter[name][eq]": "Kiln"}).data == [kiln]


def test_an_unknown_filter_is_refused(api):
    api.get("/assets", {"filter[serial_number]": "1"}).expect(400)
