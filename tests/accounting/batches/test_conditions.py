"""GET of batches: what holds of each, by the interface, by the pages, and by the strip of periods."""

import pytest
from tests.given import accounting as given_accounting
from tests.given import chain
from tests.given.approvals import approve
from tests.given.people import visitor
from tests.given.reports import Claims, submitted
from tests.given.rule_evaluation import calibration, results, work


@pytest.fixture
def plant(api, account):
    plant = given_accounting.plant(api, account.drain)
    plant.deliver(50)
    plant.generate()
    return plant


@pytest.fixture
def proposed(api, account, plant):
    """A rule proposes two percent more for deliveries above 20 t; gives the one result."""

    def propose():
        made = calibration(api, plant.project, requires_approval=True)
        work(account)
        [found] = results(api, made)
        return found["id"]

    return propose


def conditions(plant):
    """Of the one batch, by the list, by its own path and by its ledger."""
    [listed] = plant.batches()
    read = plant.api.get(f"/batches/{listed['id']}").expect(200).body
    assert read["conditions"] == listed["conditions"]
    return listed["conditions"], listed["pending_proposal_count"]


def test_a_ledger_that_has_no_batch_says_so(api, account):
    fresh = given_accounting.plant(api, account.drain)
    assert api.get(f"/ledgers/{fresh.ledger['id']}").body["conditions"] == ["no_batches"]


def test_a_batch_whose_data_have_a_proposal_waits_for_approval(api, plant, proposed):
    assert conditions(plant) == (["up_to_date"], 0)

    result = proposed()

    assert conditions(plant) == (["waiting_for_approval"], 1)
    approve(api, plant.project, result).expect(200)
    assert conditions(plant) == (["stale"], 0)


def test_a_proposal_for_data_of_another_month_does_not_concern_it(api, account, plant):
    plant.deliver(60, day="2025-02-03T00:00:00Z")
    made = calibration(api, plant.project, "{{mass}} > 55", requires_approval=True)
    work(account)
    assert len(results(api, made)) == 1

    assert conditions(plant) == (["up_to_date"], 0)


def test_a_reported_batch_is_reported_whatever_else_holds(plant, proposed):
    claims = Claims(plant)
    submitted(claims, claims.report(20))
    proposed()

    assert conditions(plant) == (["waiting_for_approval", "reported"], 1)


def test_pages_and_the_strip_say_what_the_interface_says(account, plant, proposed):
    claims = Claims(plant)
    submitted(claims, claims.report(20))
    proposed()
    [batch] = plant.batches()
    home = f"/projects/{plant.project['id']}"
    reader = visitor(account)

    pages = [
        reader.get(path).expect(200).text
        for path in (
            f"{home}/batches/{batch['id']}",
            f"{home}/ledgers/{plant.ledger['id']}",
            f"{home}/batches",
        )
    ]
    strip = reader.get(f"{home}/ledgers/{plant.ledger['id']}/generations").expect(200).text

    for page in pages:
        assert "waiting for approval</span>" in page
        assert "reported</span>" in page
    assert "2025-01: 1 correction waiting for approval, 1 in reports" in strip
    assert 'class="slot pending reported"' in strip


def test_a_proposal_concerns_all_that_is_drawn_from_its_data(api, account):
    deliveries = chain.inventory(api, account.drain, chain.WEIGHED)
    production = chain.link(deliveries, chain.WORTH, output="worth")
    deliveries.deliver(50)
    chain.produce(production, 10)
    deliveries.generate()
    production.generate()
    claims = Claims(production)
    report = claims.report(20)
    calibration(api, deliveries.project, requires_approval=True)
    work(account)

    assert [batch["conditions"] for batch in production.batches()] == [["waiting_for_approval"]]
    ledgers = [api.get(f"/ledgers/{link.ledger['id']}").body for link in (deliveries, production)]
    assert [ledger["pending_proposal_count"] for ledger in ledgers] == [1, 1]
    assert {tuple(ledger["conditions"]) for ledger in ledgers} == {("waiting_for_approval",)}
    assert claims.read(report)["pending_proposal_count"] == 1
    refused = api.post(f"/reports/{report['id']}/submit", {}).expect(422).body
    [unmet] = [problem for problem in refused["errors"] if problem["code"] == "pending_proposals"]
    assert len(unmet["records"]) == 1


def test_a_ledger_counts_each_of_its_stale_batches(api, plant):
    months = [f"2025-{month:02d}" for month in range(2, 13)] + [f"2026-{month:02d}" for month in range(1, 13)]
    home = f"/projects/{plant.project['id']}"
    events = [plant.deliver(10, day=f"{month}-03T00:00:00Z") for month in months]
    plant.generate(("2025-01-01T00:00:00Z", "2027-01-01T00:00:00Z"))
    for event in events:
        [point] = api.get(f"{home}/events/{event}").body["data_points"]
        change = {"data_point": {"value": 9, "reason": "Second weighing"}}
        api.patch(f"{home}/data_points/{point['id']}", change).expect(200)

    [listed] = api.get(f"{home}/ledgers").body["data"]

    assert listed == api.get(f"/ledgers/{plant.ledger['id']}").body
    assert (listed["stale_batch_count"], listed["conditions"]) == (len(months), ["stale"])
