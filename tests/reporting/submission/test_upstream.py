"""What must hold of a report holds of all that it rests on, up to the first ledger of its chain."""

import pytest
from tests.given import chain, reports
from tests.given import rule_evaluation as rules

SOLD = chain.upstream("amount: used", ledger="Production")
NODES = """
  - slug: used
    input: {event_type: sale, data_point_type: mass, aggregate: sum}
    unit: t
"""
OUTPUT = """
  - slug: sold
    formula: sum(drawn)
    unit: t
    output: true
"""


@pytest.fixture
def plants(api, drain):
    """Ten tonnes delivered, three made of six of them, and two of those sold, all in January."""
    first = chain.inventory(api, drain)
    delivery = first.deliver(10, 2)
    first.generate()
    second = chain.link(first)
    chain.produce(second, 3, 10)
    second.generate()
    third = chain.link(first, NODES + SOLD + OUTPUT, name="Sales", output="sold")
    third.measure("sale", {"mass": 2}, 20)
    third.generate()
    return first, second, third, delivery


@pytest.fixture
def claims(plants):
    return reports.Claims(plants[2])


def unmet(claims, report):
    _, *others = claims.plant.api.post(f"/reports/{report['id']}/submit", {}).expect(422).errors
    return {error["code"]: error["records"] for error in others}


def methodology(api, *requirements):
    new = {
        "name": "Removal",
        "version": "1",
        "report_type": "quarterly",
        "submission_requirements": [*requirements],
    }
    return api.post("/methodologies", {"methodology": new}).expect(201).body["id"]


def test_a_correction_of_the_first_ledger_that_waits_blocks_the_report_of_the_last(
    api, account, plants, claims
):
    rule = rules.calibration(api, plants[0].project, "{{mass}} > 5", requires_approval=True)
    rules.work(account)
    [proposal] = rules.results(api, rule)
    draft = claims.report(2)

    assert unmet(claims, draft) == {"pending_proposals": [proposal["id"]]}

    why = {"reason": "the scale was checked"}
    api.post(f"/projects/{plants[0].project['id']}/rule_results/{proposal['id']}/reject", why).expect(200)
    api.post(f"/reports/{draft['id']}/submit", {}).expect(202)


def test_an_alert_of_the_first_ledger_blocks_where_the_methodology_asks_for_none(
    api, account, plants, claims
):
    rules.rule(api, plants[0].project, "{{mass}} > 5")
    rules.work(account)
    draft = claims.report(2, methodology_id=methodology(api, "no_open_alerts"))

    assert unmet(claims, draft) == {"open_alerts": [plants[0].batches()[0]["id"]]}


def test_evidence_is_asked_of_every_ledger_that_events_were_counted_in(api, plants, claims):
    first, second, third, _ = plants
    draft = claims.report(2, methodology_id=methodology(api, "evidence"))
    assert unmet(claims, draft) == {
        "no_evidence": [plant.batches()[0]["id"] for plant in (first, second, third)]
    }

    events = api.get(f"/projects/{first.project['id']}/events").data
    for event in events:
        link = {"evidence": {"type": "url", "url": "https://example.org/a", "name": "A"}}
        api.post(f"/events/{event['id']}/evidence", link).expect(201)

    api.post(f"/reports/{draft['id']}/submit", {}).expect(202)


def test_a_deficit_of_the_first_ledger_blocks_the_report_of_the_last(api, plants, claims):
    first, _, _, delivery = plants
    draft = claims.report(2)
    point = api.get(f"/projects/{first.project['id']}/events/{delivery}").body["data_points"][0]["id"]
    change = {"data_point": {"value": 1, "reason": "weighed again"}}
    api.patch(f"/projects/{first.project['id']}/data_points/{point}", change).expect(200)

    first.generate()

    found = unmet(claims, draft)
    assert found["open_deficits"] == [first.ledger["id"]]
