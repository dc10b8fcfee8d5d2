"""GET /reports (`list_reports`) and /reports/{report_id}: paged, filtered and sorted as every list."""

from tests.given import reports


def test_reports_are_listed_sorted_and_filtered(api, drain):
    first, second = reports.claims(api, drain, 5), reports.claims(api, drain)
    mine = first.report(5, name="B")
    also = first.report(1, name="A", report_type="annual")
    other = second.report(name="C")

    def listed(**query):
        return [one["name"] for one in api.get("/reports", query).expect(200).data]

    assert api.get("/reports").data == [mine, also, other]
    assert listed(sort="name") == ["A", "B", "C"]
    assert listed(**{"filter[project_id][eq]": str(second.plant.project["numeric_id"])}) == ["C"]
    assert listed(**{"filter[status][eq]": "draft", "sort": "-created_at"}) == ["C", "A", "B"]
    assert listed(**{"filter[status][eq]": "complete"}) == []
    assert listed(**{"filter[report_type][eq]": "annual"}) == ["A"]
    assert listed(**{"filter[ledger_id][eq]": first.plant.ledger["id"]}) == ["B", "A"]
    api.get("/reports", {"filter[status][eq]": "lost"}).expect(400)
