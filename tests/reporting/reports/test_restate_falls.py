"""Restatements of what fell: other runs account for it, or it took of batches that the new report takes.

What a report gives back settles what its partition is short of, and is free again where falls took it. So a
restatement may take whatever is there once the report that it restates has given everything back.
"""

from decimal import Decimal

import pytest
from tests.given import accounting, bundles, chain, reports
from tests.given.accounting import MASS, QUARTER, document
from tests.given.reports import Claims, accepted, submitted
from tests.reporting.reports.test_restate import breaches


def correct(plant, event, value):
    """Say another value of the only data point of an event."""
    path = f"/projects/{plant.project['id']}"
    [point] = plant.api.get(f"{path}/events/{event}").expect(200).body["data_points"]
    body = {"data_point": {"value": Decimal(value), "reason": "weighed again"}}
    plant.api.patch(f"{path}/data_points/{point['id']}", body).expect(200)


def become_monthly(plant, nodes=MASS, **fields):
    """Let months account for what weeks did."""
    newer = accounting.version(plant.api, plant.model, document(nodes, cadence="monthly", **fields))
    plant.api.post(f"/models/{newer['id']}/activate", {}).expect(200)
    plant.generate(QUARTER, model_version="latest")


def month(plant, number=1):
    """The batch of a month."""
    [found] = [one for one in plant.batches() if one["tracking_id"] == f"2025-{number:02d}"]
    return found["id"]


def ask(claims, original, amounts):
    """Ask for a restatement that takes so much of batches, by their ids."""
    taken = [{"batch_id": batch, "amount": Decimal(amount)} for batch, amount in amounts.items()]
    return claims.ask(supersedes=original["id"], batches=taken)


def stands(claims, **moments):
    """What a ledger has left, and what it is short of."""
    found = claims.plant.api.get(f"/ledgers/{claims.plant.ledger['id']}", moments).expect(200).body
    return found["balance"], found["deficit"]


@pytest.fixture
def weekly(api, drain):
    """A plant of which the week's 12 t were reported; then they were 11 t, and are the month's."""
    plant = accounting.plant(api, drain, cadence="weekly")
    event = plant.deliver(12, 8)
    plant.generate(QUARTER)
    claims = Claims(plant)
    original = accepted(claims, claims.report(12))
    correct(plant, event, 11)
    become_monthly(plant)
    assert stands(claims) == (0, 1)
    return claims, original


def test_what_the_month_came_to_can_be_restated_and_no_more(weekly, account, server):
    claims, original = weekly
    batch = month(claims.plant)

    errors = ask(claims, original, {batch: 12}).expect(422).errors

    assert f"Of the batch {batch} 11 remains, and the report takes 12, which is 1 more." in str(errors)
    assert "From 2025-02-01T00:00:00.000Z on 11 remains on the ledger at its lowest" in str(errors)
    restated = accepted(claims, ask(claims, original, {batch: 11}).expect(201).body)
    assert (stands(claims), set(claims.balances())) == ((0, 0), {0})
    assert (claims.read(original)["status"], restated["amount"]) == ("superseded", 11)
    assert stands(claims, effective_at="2025-01-20T00:00:00Z") == (0, 0)
    assert breaches(server, claims) == {}
    assert bundles.bundle(account, restated).faults() == []


def test_all_that_remains_is_what_the_month_came_to(weekly):
    claims, original = weekly

    draft = claims.ask(supersedes=original["id"], batch_ids=[month(claims.plant)]).expect(201).body

    assert draft["amount"] == 11


def test_while_it_is_under_way_both_hold_and_a_rejection_leaves_what_there_was(weekly, server):
    claims, original = weekly
    batch = month(claims.plant)

    refused = submitted(claims, ask(claims, original, {batch: 11}).expect(201).body)
    meanwhile = stands(claims), claims.read(original)["status"], breaches(server, claims)
    claims.plant.api.post(f"/reports/{refused['id']}/reject", {"reason": "Too late."}).expect(200)

    assert meanwhile == ((0, 12), "complete", {})
    assert (stands(claims), claims.read(original)["status"]) == ((0, 1), "complete")
    assert breaches(server, claims) == {}
    accepted(claims, ask(claims, refused, {batch: "0.5"}).expect(201).body)
    assert (stands(claims), breaches(server, claims)) == ((Decimal("10.5"), 0), {})


def test_what_is_measured_meanwhile_changes_nothing_of_what_is_held(weekly, account, server):
    """The month turns out to be 9, then 15, while it is under way: 11 of it are reported in either case."""
    claims, original = weekly
    plant, batch = claims.plant, month(claims.plant)
    restated = submitted(claims, ask(claims, original, {batch: 11}).expect(201).body)
    [event] = plant.api.get(f"/projects/{plant.project['id']}/events").expect(200).data

    for value, is_short in ((9, 14), (15, 8)):
        correct(plant, event["id"], value)
        plant.generate(QUARTER)
        assert (stands(claims), breaches(server, claims)) == ((0, is_short), {})
    plant.api.post(f"/reports/{restated['id']}/accept", {}).expect(200)

    assert (stands(claims), breaches(server, claims)) == ((4, 0), {})
    assert bundles.bundle(account, claims.read(restated)).faults() == []


def test_a_batch_for_which_a_fall_gave_way_is_not_deleted_meanwhile(weekly):
    claims, original = weekly
    batch = month(claims.plant)
    submitted(claims, ask(claims, original, {batch: 11}).expect(201).body)

    for one in claims.plant.batches():
        claims.plant.api.delete(f"/batches/{one['id']}").expect(422)


def test_weeks_that_were_reported_are_stated_anew_as_their_month(api, drain, account, server):
    plant = accounting.plant(api, drain, cadence="weekly")
    plant.deliver(5, 8)
    plant.deliver(7, 15)
    plant.generate(QUARTER)
    claims = Claims(plant)
    original = accepted(claims, claims.report(5, 7))
    become_monthly(plant)
    assert stands(claims) == (0, 0)

    restated = accepted(claims, ask(claims, original, {month(plant): 12}).expect(201).body)

    assert (stands(claims), set(claims.balances())) == ((0, 0), {0})
    assert stands(claims, effective_at="2025-01-25T00:00:00Z") == (0, 0)
    assert breaches(server, claims) == {}
    assert bundles.bundle(account, restated).faults() == []


def test_a_report_that_only_waits_gives_back_what_it_reserved_at_once(api, drain, account, server):
    plant = accounting.plant(api, drain, cadence="weekly")
    event = plant.deliver(12, 8)
    plant.generate(QUARTER)
    claims = Claims(plant)
    original = submitted(claims, claims.report(12))
    correct(plant, event, 11)
    become_monthly(plant)

    restated = submitted(claims, ask(claims, original, {month(plant): 11}).expect(201).body)

    assert (stands(claims), claims.read(original)["status"]) == ((0, 0), "superseded")
    plant.api.post(f"/reports/{restated['id']}/accept", {}).expect(200)
    assert (stands(claims), breaches(server, claims)) == ((0, 0), {})
    assert bundles.bundle(account, claims.read(restated)).faults() == []


@pytest.fixture
def fallen(api, drain):
    """Of January 12 were reported; then it came to 5, and took 7 of the 8 of February."""
    claims = reports.claims(api, drain, 12, 8)
    original = accepted(claims, claims.report(12))
    [first, _] = api.get(f"/projects/{claims.plant.project['id']}/events", {"sort": "start_time"}).data
    correct(claims.plant, first["id"], 5)
    claims.plant.generate(QUARTER)
    assert stands(claims) == (1, 0)
    return claims, original, first["id"]


@pytest.mark.parametrize(
    ("amounts", "left"), [((5, 8), 0), ((5, 7), 1), ((4, 8), 1), ((0, 8), 5), ((5, 0), 8), ((1, 2), 10)]
)
def test_what_a_fall_took_of_a_later_batch_can_be_restated(fallen, account, server, amounts, left):
    claims, original, _ = fallen
    january, _, february = (one["id"] for one in claims.plant.batches())
    taken = {one: amount for one, amount in zip((january, february), amounts, strict=True) if amount}

    restated = accepted(claims, ask(claims, original, taken).expect(201).body)

    assert (stands(claims), breaches(server, claims)) == ((left, 0), {})
    held = dict(zip((january, february), (5 - amounts[0], 8 - amounts[1]), strict=True))
    assert {one["id"]: one["ledger_balance"] for one in claims.plant.batches() if one["id"] in held} == held
    assert bundles.bundle(account, restated).faults() == []


@pytest.mark.parametrize("amounts", [(6, 7), (5, 9), (6, 0)])
def test_more_of_either_batch_than_there_is_is_refused(fallen, amounts):
    claims, original, _ = fallen
    january, _, february = (one["id"] for one in claims.plant.batches())
    taken = {one: amount for one, amount in zip((january, february), amounts, strict=True) if amount}

    codes = {one["code"] for one in ask(claims, original, taken).expect(422).errors}

    assert "not_remaining" in codes


def test_what_came_back_meanwhile_and_was_taken_elsewhere_is_in_nobodys_way(fallen, server):
    claims, original, first = fallen
    january, _, february = (one["id"] for one in claims.plant.batches())
    restated = submitted(claims, ask(claims, original, {january: 5, february: 7}).expect(201).body)

    correct(claims.plant, first, 8)
    claims.plant.generate(QUARTER)
    other = claims.ask(batches=[{"batch_id": february, "amount": 1}])

    assert (other.status, stands(claims), breaches(server, claims)) == (422, (0, 3), {})
    claims.plant.api.post(f"/reports/{restated['id']}/accept", {}).expect(200)
    assert (stands(claims), breaches(server, claims)) == ((4, 0), {})
    accepted(claims, claims.ask(batches=[{"batch_id": february, "amount": 1}]).expect(201).body)
    assert (stands(claims), breaches(server, claims)) == ((3, 0), {})


def test_what_a_report_gives_back_to_a_run_that_took_of_others_is_the_others(fallen, server):
    """January's own batch covers its fall again, and February's is free, also where nothing is open."""
    claims, original, _ = fallen
    january, _, february = (one["id"] for one in claims.plant.batches())

    accepted(claims, ask(claims, original, {january: 1}).expect(201).body)

    held = {one["id"]: one["ledger_balance"] for one in claims.plant.batches()}
    assert (held[january], held[february]) == (4, 8)
    assert breaches(server, claims) == {}


def test_a_report_that_rests_on_several_ledgers_is_stated_anew(api, drain, account, server):
    plant = chain.inventory(api, drain)
    second = chain.link(plant, cadence="weekly")
    plant.deliver(40, 2)
    event = chain.produce(plant, 12, "2025-01-08T12:00:00Z")
    plant.generate(QUARTER)
    second.generate(QUARTER)
    claims = Claims(second)
    original = accepted(claims, claims.report(12))
    correct(plant, event, 11)
    become_monthly(second, chain.drawing(), name="Production", primary_output="made")
    assert stands(claims) == (0, 1)
    batch = month(second)

    ask(claims, original, {batch: 12}).expect(422)
    restated = accepted(claims, ask(claims, original, {batch: 11}).expect(201).body)

    assert (stands(claims), plant.balance()) == ((0, 0), 40 - 2 * 11)
    assert breaches(server, claims) == {}
    assert bundles.bundle(account, restated).faults() == []


def test_a_report_is_restated_on_its_ledger(api, drain):
    plant = chain.inventory(api, drain)
    second = chain.link(plant)
    plant.deliver(40, 2)
    chain.produce(plant, 12, 8)
    plant.generate(QUARTER)
    second.generate(QUARTER)
    first, other = Claims(plant), Claims(second)
    original = accepted(first, first.report(5))

    for named in ({"batch_ids": [other.batch()]}, {"batches": [{"batch_id": other.batch(), "amount": 1}]}):
        error = other.ask(supersedes=original["id"], **named).expect(422).error

        assert error["code"] == "several_ledgers"
        assert set(error["records"]) == {plant.ledger["id"], second.ledger["id"]}
