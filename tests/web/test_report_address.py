"""The address that a report says of itself, in every answer that shows one, and what opens there."""

from tests.given import reports
from tests.given.people import visitor


def test_the_address_of_a_report_opens_its_page(api, account, drain, server):
    claims = reports.claims(api, drain, 5)
    made = claims.report(5, name="Claims of spring")

    assert made["ui_url"] == f"{server.address}/projects/{made['project_id']}/reports/{made['id']}"
    page = visitor(account).get(made["ui_url"].removeprefix(server.address)).expect(200)

    assert "<h1>Claims of spring</h1>" in page.text


def test_a_report_has_one_address_wherever_it_is_shown(api, drain):
    claims = reports.claims(api, drain, 5)
    made = claims.report(5)
    renamed = api.patch(f"/reports/{made['id']}", {"report": {"name": "Spring"}}).expect(200).body

    accepted = reports.accepted(claims, made)
    later = claims.report(4, supersedes=made["id"])
    listed = {one["id"]: one["ui_url"] for one in api.get("/reports").expect(200).data}

    assert renamed["ui_url"] == accepted["ui_url"] == claims.read(made)["ui_url"] == made["ui_url"]
    assert listed == {one["id"]: one["ui_url"] for one in (made, later)}
    assert later["ui_url"].endswith(f"/reports/{later['id']}")
