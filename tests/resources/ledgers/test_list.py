"""GET /ledgers (`list_ledgers`)."""

from tests import given
from tests import given_accounting as accounting


def test_the_list_shows_ledgers_of_all_projects_as_they_are_shown_alone(api):
    made = [accounting.ledger(api, given.project(api), name=name) for name in ("B", "A")]

    assert api.get("/ledgers").expect(200).data == made


def test_the_list_leaves_out_other_accounts(api, stranger):
    accounting.ledger(stranger, given.project(stranger))

    assert api.get("/ledgers").data == []


def test_ledgers_are_found_by_name_and_project(api):
    project, other = given.project(api), given.project(api)
    wanted = accounting.ledger(api, project, name="One")
    accounting.ledger(api, other, name="Two")

    for query in ({"filter[name]": "One"}, {"filter[project_id]": str(project["numeric_id"])}):
        assert api.get("/ledgers", query).expect(200).data == [wanted], query


def test_ledgers_are_sorted_by_name(api):
    project = given.project(api)
    for name in ("B", "C", "A"):
        accounting.ledger(api, project, name=name)

    names = [ledger["name"] for ledger in api.get("/ledgers", {"sort": "name"}).expect(200).data]

    assert names == ["A", "B", "C"]
