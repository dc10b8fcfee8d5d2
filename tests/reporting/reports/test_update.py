"""PATCH /reports/{report_id} (`update_report`) and DELETE (`delete_report`): only drafts."""

from tests.given import reports
from tests.given.accounting import QUARTER


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


def test_all_batches_of_a_run_that_fell_and_rose_are_named_at_once(api, drain):
    claims = reports.claims(api, drain, 5, 3)
    falling = claims.plant.deliver(-4, "2025-01-09T00:00:00Z")
    claims.plant.generate(QUARTER)
    draft = claims.report(1, name="Before it rose")
    correct(claims.plant, falling, -2)
    claims.plant.generate(QUARTER)
    every = [batch["id"] for batch in claims.plant.batches()]

    changed = api.patch(f"/reports/{draft['id']}", {"report": {"batch_ids": every}}).expect(200).body

    assert (len(every), changed["amount"]) == (4, 6)
    assert sorted(one["amount"] for one in changed["inclusions"]) == [3, 3]


def test_batches_of_which_all_was_taken_cannot_be_named(api, drain):
    claims = reports.claims(api, drain, 5, 3)
    reports.submitted(claims, claims.report(5))
    draft = claims.ask(name="Again").expect(201).body

    body = {"report": {"batch_ids": [claims.batch(0), claims.batch(1)]}}
    answer = api.patch(f"/reports/{draft['id']}", body).expect(422)

    assert (answer.error["code"], answer.error["records"]) == ("not_remaining", [claims.batch(0)])


def correct(plant, event, mass):
    path = f"/projects/{plant.project['id']}"
    (point,) = plant.api.get(f"{path}/events/{event}/data_points").expect(200).data
    plant.api.patch(f"{path}/data_points/{point['id']}", {"data_point": {"value": mass}}).expect(200)
