"""A bundle has the newest state of every run: what came after the batches that a report takes of is in it."""

from decimal import Decimal

import pytest
from tests.given import accounting, bundles, reports
from tests.given.accounting import QUARTER
from tests.given.works import works

from weighbridge.core.bundle.books import list_reported_runs
from weighbridge.core.bundle.page import compare_bundles


def correct(plant, event, value):
    """Say another value of the only data point of an event."""
    path = f"/projects/{plant.project['id']}"
    [point] = plant.api.get(f"{path}/events/{event}").expect(200).body["data_points"]
    body = {"data_point": {"value": Decimal(value), "reason": "weighed again"}}
    plant.api.patch(f"{path}/data_points/{point['id']}", body).expect(200)


def move(plant, event, **fields):
    """Say other times or tags of an event."""
    body = {"event": fields | {"reason": "booked wrongly"}}
    plant.api.patch(f"/projects/{plant.project['id']}/events/{event}", body).expect(200)


def checked(account, plant):
    """The bundle of all that a ledger holds, and what is found of it."""
    made = bundles.bundle(account, bundles.report_of(plant.api, plant.ledger))
    found = made.check()
    assert [fault.text for fault in found.faults.listed] == []
    return found.contents


@pytest.fixture
def plant(api, drain):
    return accounting.plant(api, drain)


def test_a_run_that_fell_has_both_its_batches_and_the_correction(api, account, plant):
    event = plant.deliver(10)
    plant.generate(QUARTER)
    correct(plant, event, 8)
    plant.generate(QUARTER)
    claim = bundles.report_of(api, plant.ledger)
    api.post(f"/reports/{claim['id']}/submit", {}).expect(202)
    plant.drain()

    found = bundles.bundle(account, claim).check()

    assert [fault.text for fault in found.faults.listed] == []
    contents = found.contents
    assert [batch.total for batch in contents.batches.values()] == [10, 8]
    [correction] = contents.corrections.values()
    assert (correction.from_value, correction.to_value, correction.reason) == ("10", "8", "weighed again")
    [run] = list_reported_runs(contents)
    assert (run.total, run.taken, len(run.story)) == (8, 8, 2)
    page = bytes(contents.parts["report.html"]).decode()
    assert "weighed again" in page
    assert "<h2>Corrections</h2><p>None.</p>" not in page
    assert "comes to 8 t by the newest of 2 batches, and the report takes 8" in page
    assert "correction: 1 corrections more, 0 fewer" in page


def test_what_came_after_the_report_was_sent_off_is_not_in_its_bundle(api, account, plant):
    event = plant.deliver(10)
    plant.generate(QUARTER)
    claim = bundles.report_of(api, plant.ledger)
    api.post(f"/reports/{claim['id']}/submit", {}).expect(202)
    plant.drain()
    correct(plant, event, 8)
    plant.generate(QUARTER)

    found = bundles.bundle(account, claim).check()

    assert [fault.text for fault in found.faults.listed] == []
    assert [batch.total for batch in found.contents.batches.values()] == [10]
    assert found.contents.corrections == {}


def test_slots_that_another_cadence_brought_to_zero_and_that_count_again_are_there(api, drain, account):
    plant = accounting.plant(api, drain, cadence="weekly")
    plant.deliver(5, 8)
    plant.generate(QUARTER)
    newest = plant.model
    for cadence in ("monthly", "weekly"):
        newest = accounting.version(api, newest, accounting.document(accounting.MASS, cadence=cadence))
        api.post(f"/models/{newest['id']}/activate", {}).expect(200)
        plant.generate(QUARTER, model_version="latest")

    [run] = list_reported_runs(checked(account, plant))

    assert [batch.total for batch in run.story] == [5, 0, 5]


@pytest.mark.parametrize(
    "change",
    [
        {"start_time": "2025-02-03T00:00:00Z", "end_time": "2025-02-03T00:00:00Z"},
        {"tracking_id": "lot 7"},
    ],
)
def test_why_an_event_left_its_run_stands_among_the_corrections(api, drain, account, change):
    plant = accounting.plant(api, drain, partition_type="tracking_id")
    plant.deliver(3, 2, tracking_id="lot 6")
    event = plant.deliver(5, 3, tracking_id="lot 6")
    plant.generate(QUARTER)
    claim = bundles.report_of(api, plant.ledger)
    body = {"report": {"batches": [{"batch_id": claim["inclusions"][0]["batch_id"], "amount": 2}]}}
    api.patch(f"/reports/{claim['id']}", body).expect(200)
    move(plant, event, **change)
    plant.generate(QUARTER)

    found = bundles.bundle(account, claim).check()

    assert [fault.text for fault in found.faults.listed] == []
    assert {one.data_point for one in found.contents.corrections.values()} == change.keys()
    assert [run.total for run in list_reported_runs(found.contents)] == [3]


def test_a_source_that_was_corrected_after_it_was_drawn_is_there_as_it_stands_now(api, drain, account):
    made = works(api, drain)
    for kind, amount in (("delivery", "10"), ("production", "3"), ("application", "1")):
        made.measure(kind, 1, Decimal(amount), "Straw")
    for ledger in ("Deliveries", "Biochar", "Carbon"):
        made.generate(ledger)
    made.correct(made.events[0], Decimal(9))
    for ledger in ("Deliveries", "Biochar", "Carbon"):
        made.generate(ledger)
    claim = bundles.report_of(api, made.ledgers["Carbon"])

    found = bundles.bundle(account, claim).check()

    assert [fault.text for fault in found.faults.listed] == []
    first = made.ledgers["Deliveries"]["id"]
    [number] = [one.ledger for one in found.contents.ledgers.values() if one.ledger_id == first]
    deliveries = [one for one in found.contents.batches.values() if one.ledger == number]
    assert [batch.total for batch in deliveries] == [10, 9]
    assert len(found.contents.corrections) == 1


def test_late_data_and_a_restatement_are_in_the_bundle_of_the_report_that_restates(api, drain, account):
    claims = reports.claims(api, drain, 5, 3)
    first = reports.accepted(claims, claims.report(5, 3))
    claims.plant.deliver(2, "2025-01-20T00:00:00Z")
    event = claims.plant.deliver(1, "2025-02-20T00:00:00Z")
    claims.plant.generate(QUARTER)
    correct(claims.plant, event, "0.5")
    claims.plant.generate(QUARTER)
    amounts = {one["batch_id"]: one["amount"] for one in first["inclusions"]}
    amounts |= {
        batch["id"]: batch["ledger_balance"] for batch in claims.plant.batches() if batch["ledger_balance"]
    }
    taken = [{"batch_id": batch, "amount": amount} for batch, amount in amounts.items()]
    second = claims.ask(supersedes=first["id"], batches=taken).expect(201).body
    restated = reports.accepted(claims, second)

    before, after = (bundles.bundle(account, one) for one in (first, restated))

    assert before.faults() == []
    assert after.faults() == []
    runs = list_reported_runs(after.check().contents)
    assert [(run.total, run.taken) for run in runs] == [(7, 7), (Decimal("3.5"), Decimal("3.5"))]
    changes = compare_bundles(before.check().contents, after.check().contents)
    said = {one["batch_ids"][0]: set(one["causes"]) for one in restated["summary_of_changes"]["data"]}
    assert [set(change.causes) for change in changes] == list(said.values())


def test_the_difference_of_a_corrected_run_is_a_correction_as_the_interface_says(api, drain, account):
    claims = reports.claims(api, drain)
    event = claims.plant.deliver(10)
    claims.plant.generate(QUARTER)
    first = reports.accepted(claims, claims.report(10))
    correct(claims.plant, event, 8)
    claims.plant.generate(QUARTER)
    second = (
        claims.ask(supersedes=first["id"], batches=[{"batch_id": claims.batch(), "amount": 8}])
        .expect(201)
        .body
    )

    restated = reports.accepted(claims, second)

    before, after = (bundles.bundle(account, one).check() for one in (first, restated))
    assert [fault.text for fault in (*before.faults.listed, *after.faults.listed)] == []
    [change] = compare_bundles(before.contents, after.contents)
    assert list(change.causes) == ["correction"]
    assert list(change.causes) == restated["summary_of_changes"]["data"][0]["causes"]
    assert change.totals == (10, 8)


@pytest.mark.parametrize("told", [bundles.mixed, bundles.entered])
def test_ledger_report_and_bundle_come_to_the_same_whatever_is_mixed(account, told):
    checked = told(account).check()

    assert [fault.text for fault in checked.faults.listed] == []
    contents, api = checked.contents, account.caller()
    runs = list_reported_runs(contents)
    said = api.get(f"/reports/{contents.report.id}").expect(200).body
    path = f"/ledgers/{contents.report.ledger_id}/batches"
    in_books = {one["id"]: one["run_total"] for one in api.get(path, {"page_size": "200"}).expect(200).data}
    assert sum(run.taken for run in runs) == said["amount"] == Decimal(contents.report.amount)
    assert {run.newest.batch_id: run.total for run in runs} == {
        run.newest.batch_id: in_books[run.newest.batch_id] for run in runs
    }
    assert all(run.taken <= run.total for run in runs)
