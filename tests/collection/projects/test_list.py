"""GET /projects."""

from tests.given import collection as given


def test_the_list_holds_the_accounts_projects_in_the_order_they_were_made(api, stranger):
    first, second = given.project(api, name="B"), given.project(api, name="A")
    given.project(stranger)

    assert api.get("/projects").expect(200).data == [first, second]


def test_the_list_sorts_by_name(api):
    for name in ("Beta", "Alpha", "Gamma"):
        given.project(api, name=name)

    assert [one["name"] for one in api.get("/projects", {"sort": "name"}).data] == ["Alpha", "Beta", "Gamma"]
    assert [one["name"] for one in api.get("/projects", {"sort": "-name"}).data] == ["Gamma", "Beta", "Alpha"]


def test_a_new_account_has_no_projects(api):
    answer = api.get("/projects").expect(200)

    assert answer.data == []
    assert answer.info["total_items"] == 0
