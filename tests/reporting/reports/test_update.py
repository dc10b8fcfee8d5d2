"""PATCH /reports/{report_id} (`update_report`) and DELETE (`delete_report`): only drafts."""

from tests.given import reports


def test_a_draft_takes_another_name_and_other_batches(api, drain):
    claims = reports.claims(api, drain, 5, 3)
    draft = claims.report(5)

    change = {"name": " Half a quarter ", "batches": [{"batch_id": claims.batch(1), "amount": 2}]}
    changed = api.patch(f"/reports/{draft['id']}", {"report": change}).expect(200).body

    assert (changed["name"], changed["report_type"], changed["status"]) == (
        "Half a quarter",
        "quarterly",
        "draft",
    )
    assert [(one["batch_id"], one["amount"]) for one in changed["inclusions"]] == [(claims.batch(1), 2)]
    assert claims.read(draft) == changed


def test_a_draft_gets_the_batches_that_it_had_not(api, drain):
    claims = reports.claims(api, drain, 5, 3)
    draft = claims.ask().expect(201).body

    changed = (
        api.patch(f"/reports/{draft['id']}", {"report": {"batch_ids": [claims.batch(1)]}}).expect(200).body
    )
    emptied = api.patch(f"/reports/{draft['id']}", {"report": {"batch_ids": []}}).expect(200).body

    assert (changed["ledger_id"], changed["amount"]) == (claims.plant.ledger["id"], 3)
    assert (emptied["ledger_id"], emptied["amount"]) == (None, 0)


def test_the_same_again_changes_nothing(api, drain):
    claims = reports.claims(api, drain, 5)
    draft = claims.report(5)

    same = api.patch(f"/reports/{draft['id']}", {"report": {"name": "First quarter"}}).expect(200).body

    assert same == draft


def test_a_draft_is_removed(api, drain):
    claims = reports.claims(api, drain, 5)
    draft = claims.report(5)

    api.delete(f"/reports/{draft['id']}").expect(204)

    api.get(f"/reports/{draft['id']}").expect(404)
    assert api.get("/reports").expect(200).data == []
