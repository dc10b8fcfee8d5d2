"""GET /feedstocks and GET /projects/{project_id}/feedstocks."""

from tests.given import collection as given


def test_the_accounts_list_holds_the_feedstocks_of_all_its_projects_and_no_others(api, stranger):
    wood = given.feedstock(api, given.project(api), name="Wood")
    straw = given.feedstock(api, given.project(api), name="Straw")
    given.feedstock(stranger, given.project(stranger), name="Husks")

    assert api.get("/feedstocks").expect(200).data == [wood, straw]


def test_the_accounts_list_filters_by_project(api):
    project, other = given.project(api), given.project(api)
    wood = given.feedstock(api, project, name="Wood")
    given.feedstock(api, other, name="Straw")

    assert api.get("/feedstocks", {"filter[project_id]": str(project["numeric_id"])}).data == [wood]
