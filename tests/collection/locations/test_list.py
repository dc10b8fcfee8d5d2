"""GET /locations: those of every project of the account."""

from tests.given import collection as given


def test_the_locations_of_all_projects_come_with_their_projects(api, stranger):
    first, second = given.project(api), given.project(api)
    made = [given.location(api, project) for project in (first, second, first)]
    given.location(stranger, given.project(stranger))

    listed = api.get("/locations").expect(200)

    assert listed.data == made
    assert [one["project_id"] for one in listed.data] == [first["id"], second["id"], first["id"]]
    for named in (second["id"], second["numeric_id"]):
        assert api.get("/locations", {"filter[project_id]": str(named)}).data == [made[1]]
