"""GET /ledgers (`list_ledgers`)."""

from tests.given import accounting
from tests.given import collection as given


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


def test_balances_and_deficits_of_all_are_read_as_of_a_time_of_posting(api, drain, sql):
    plant = accounting.plant(api, drain)
    accounting.ledger(api, plant.project, name="Empty")
    plant.deliver(2)
    plant.generate()
    plant.deliver(-3)
    plant.generate()
    times = sql(
        "SELECT DISTINCT posted_at FROM ledger_entries WHERE project_id = %s ORDER BY 1",
        plant.project["numeric_id"],
    )

    def held(as_of):
        query = {"as_of": as_of, "sort": "name", "page_size": "1"}
        return [(one["balance"], one["deficit"]) for one in api.get("/ledgers", query).expect(200).data]

    assert held("2025-12-31T00:00:00Z") == [(0, 0)]
    assert held(times[0][0].isoformat()) == [(2, 0)]
    assert held(times[1][0].isoformat()) == [(0, 1)]
    assert api.get("/ledgers", {"as_of": "2025-12-31"}).expect(400).error["field"] == "as_of"


def test_ledgers_are_sorted_by_name(api):
    project = given.project(api)
    for name in ("B", "C", "A"):
        accounting.ledger(api, project, name=name)

    names = [ledger["name"] for ledger in api.get("/ledgers", {"sort": "name"}).expect(200).data]

    assert names == ["A", "B", "C"]
