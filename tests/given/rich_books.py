"""Books with a record of each kind: what an account leaves behind that uses all that the service offers."""

from contextlib import suppress
from decimal import Decimal
from typing import Any

from tests.given import (
    accounting,
    bundles,
    engagements,
    feeds,
    footprints,
    gaps,
    instruments,
    packages,
    registries,
    roll_ups,
    rule_evaluation,
)
from tests.given import collection as given
from tests.given import reports as given_reports
from tests.given.accounting import QUARTER
from tests.given.collection import Record
from tests.given.net_claims import net_claims
from tests.given.requests import WHOLE
from tests.given.works import Works
from tests.server import Account

from weighbridge.platform.audit_tree import seal

MODEL: str = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum, partitions: true}
    unit: t
    output: true
  - slug: power
    input: {event_type: bill, data_point_type: energy, aggregate: sum, share: by, share_by: mass}
    unit: kWh
    optional: true
    default: 0
    output: true
  - slug: factor
    static_input: factor
    unit: kg/kWh
  - slug: footprint
    formula: power * factor
    unit: kg
    output: true
  - slug: loads
    input: {event_type: delivery, data_point_type: mass, aggregate: values}
    unit: t
"""


def told(account: Account) -> None:
    """Tell the whole story; the rows of the audit log are sealed at the end."""
    works, _ = bundles.chained(account)
    _of_reports(account, works)
    _of_collection(works)
    _of_statics(account)
    _of_rules(account)
    _of_feeds(account)
    _of_people(account)
    _of_packages(account)
    footprints.exchanged(footprints.host(account))
    claims = net_claims(account.caller(), account.drain, ("100", "12500", "2.5"))
    given_reports.accepted(claims, claims.draft())
    account.drain()
    account.server.run(seal(account.server.database))


def _of_collection(works: Works) -> None:
    api, home = works.api, f"/projects/{works.project['id']}"
    project = works.project
    given.custom_field(api, project, "Bay")
    agent = api.post(f"{home}/agents", WHOLE["report_agent"]).expect(201).body
    api.patch(f"{home}/agents/{agent['id']}", {"agent": {"description": "In the gatehouse"}}).expect(200)
    api.post(f"{home}/agents/{agent['id']}/mappings", WHOLE["create_agent_mapping"]).expect(201)
    asset = given.asset(api, project, name="Shredder", in_service_from="2024-01-01T00:00:00Z")
    api.patch(f"{home}/assets/{asset['id']}", {"asset": {"custom_values": {}, "serial_number": "S-7"}})
    given.outage(api, project, start_time="2025-01-05T00:00:00Z", end_time="2025-01-05T01:00:00Z")
    certificate = {"asset_id": asset["id"], "valid_until": "2026-01-01T00:00:00Z", "notes": "By the bureau"}
    [delivery] = api.get(f"{home}/event_types", {"filter[slug]": "delivery"}).data
    [measured, *_] = [one["slug"] for one in delivery["data_point_types"] if one["value_type"] == "number"]
    entered = given.calibration(api, project, delivery["id"], data_point_type=measured, **certificate)
    change = {"calibration": {"uncertainty": {"standard": Decimal("0.5")}}}
    api.patch(f"{home}/calibrations/{entered['id']}", change).expect(200)
    bodies = [
        works.body("delivery", 3, Decimal(mass), "Straw") | {"notes": "many", "client_reference": f"R-{mass}"}
        for mass in ("1.50", "2", "-0.0", "1E+2")
    ]
    made = given.events(api, project, bodies)
    api.patch(f"{home}/events/{made[0]['id']}", {"event": {"notes": "weighed by hand"}}).expect(200)
    api.delete(f"{home}/events/{made[1]['id']}").expect(204)
    point = api.get(f"{home}/events/{made[2]['id']}").body["data_points"][0]["id"]
    body = {"data_point": {"value": 3, "reason": "the slip says so"}}
    api.patch(f"{home}/data_points/{point}", body).expect(200)
    api.post(f"{home}/data_points/{point}/revert", {"data_point": {"reason": "it did not"}})
    api.post(
        f"/events/{made[0]['id']}/evidence",
        {"evidence": {"type": "url", "url": "https://e.example", "name": "E"}},
    )
    certificates = instruments.system_ledger(api, project)
    instruments.enter(api, certificates).expect(201)
    works.correct(works.events[0], Decimal("9.5"))
    works.generate("Deliveries")


def _of_reports(account: Account, works: Works) -> None:
    api, ledger = works.api, works.ledgers["Carbon"]
    with registries.rehearsal() as receiver:
        registry = receiver.register(api)
        method = {"name": "Carbon", "report_type": "quarterly", "version": "1"}
        _try(api, "/methodologies", {"methodology": method | {"registry_id": registry["id"]}})
        draft = bundles.report_of(api, ledger)
        api.post(f"/reports/{draft['id']}/submit", {}).expect(202)
        account.drain()
        api.post(f"/reports/{draft['id']}/accept", {"reference": "ISS-7"}).expect(200)
        account.drain()
    _try(api, f"/reports/{draft['id']}/links", {"link": {"name": "Verifier"}})
    _of_engagements(account, draft)


def _of_engagements(account: Account, report: Record) -> None:
    """Two engagements: one with a sample, findings and an opinion, and one that has begun."""
    api = account.caller()
    verifier = engagements.verifier(api, account.server.anyone, report)
    begun = verifier.begin(strata=[{"event_type": "delivery", "data_point": "amount", "size": 2}])
    verifier.draw(begun)
    verifier.find(begun, amount=Decimal("0.01"))
    answer = {"answer": "The slip is right."}
    api.post(f"/reports/{report['id']}/engagements/{begun['id']}/findings/1/answer", answer).expect(200)
    verifier.decide(begun, 1)
    verifier.conclude(begun)
    verifier.begin(strata=[{"event_type": "delivery", "data_point": "amount", "size": 1}])


def _of_statics(account: Account) -> None:
    api = account.caller()
    plant = accounting.plant(api, account.drain, MODEL, partition_type="feedstock", is_model_of_project=False)
    given.static_input(
        api, plant.project, slug="factor", value=Decimal("0.4"), unit="kg/kWh",
        effective_from="2024-01-01T00:00:00Z", uncertainty={"standard": Decimal("0.02")},
    )  # fmt: skip
    straw, wood = plant.feedstock("Straw"), plant.feedstock("Wood")
    first = plant.deliver("5.25", "2025-01-02T00:00:00Z", feedstock_id=straw)
    plant.deliver(3, "2025-01-03T00:00:00Z", feedstock_id=wood)
    plant.deliver(4, "2025-02-03T00:00:00Z", feedstock_id=wood)
    plant.bill("100.1")
    plant.generate(QUARTER)
    claims = given_reports.Claims(plant)
    given_reports.accepted(claims, claims.report(2))
    accounting_point = api.get(f"/projects/{plant.project['id']}/events/{first}").body["data_points"][0]["id"]
    body = {"data_point": {"value": 4, "reason": "tare"}}
    api.patch(f"/projects/{plant.project['id']}/data_points/{accounting_point}", body).expect(200)
    plant.generate(QUARTER)
    account.drain()
    plant.deliver(6, "2025-03-03T00:00:00Z", feedstock_id=wood)
    plant.generate(QUARTER)
    last = plant.batches()[-1]["id"]
    api.delete(f"/batches/{last}").expect(202)
    account.drain()
    plant.deliver(2, "2025-01-20T00:00:00Z", feedstock_id=wood)
    named = api.get(f"/projects/{plant.project['id']}/events/{first}").body["data_points"][0]["id"]
    times = accounting.range_of(("2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z"))
    api.post(f"/models/{plant.model['id']}/model_runs", {"model_run": times | {"data_point_ids": [named]}})
    account.drain()
    given_reports.Claims(plant).report(0, 1)


def _of_rules(account: Account) -> None:
    api = account.caller()
    project = gaps.stack(api)
    rule = rule_evaluation.rule(api, project, "{{so2}} > 40")
    filling = gaps.filling(api, project, {"method": "mean_before_after"})
    gaps.report(api, project, "10 20 !5 50 30 ! 12")
    account.server.run(rule_evaluation.evaluate_changes(account.server.database))
    account.drain()
    found = api.get(f"/projects/{project['id']}/rule_results", {"page_size": "50"}).expect(200).data
    for one in found[:1]:
        _try(api, f"/projects/{project['id']}/rule_results/{one['id']}/dismiss", {"reason": "seen"})
    _try(api, f"/rules/{rule['id']}/rule_runs", alerts_range())
    account.drain()
    del filling
    minutes = roll_ups.minutes(api, project)
    del minutes
    with suppress(AssertionError):
        roll_ups.hours(api, project)
    with suppress(AssertionError):
        roll_ups.read(api, project, roll_ups.minutes_of(1, range(60)))
    roll_ups.roll_up(account)


def alerts_range() -> Record:
    return {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-02-01T00:00:00Z"}


def _of_feeds(account: Account) -> None:
    feeding = feeds.Feeding(account)
    feed = feeding.feed()
    feeding.upload(
        feed, "time,mass,driver,is_dry\n2025-01-01T00:00:00Z,1.50,Ann,yes\n2025-01-02T00:00:00Z,2,,no\n"
    )


def _of_people(account: Account) -> None:
    api = account.caller()
    _try(api, "/webhooks", {"webhook": {"url": "https://hooks.example/x", "change_types": ["event"]}})


def _try(api: Any, path: str, body: Record) -> None:
    answer = api.post(path, body)
    assert answer.status < 300, f"{path} {answer.status} {answer.text}"


def _of_packages(account: Account) -> None:
    """A package that needs another one, both in a project of their own."""
    api = account.caller()
    *_, needing = [packages.upload(api, files) for files in packages.requiring()]
    packages.install(api, given.project(api), needing).expect(201)
