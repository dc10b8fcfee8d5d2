"""A bundle with all that belongs to a period besides what its batches read, the start of forgeries."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from tests.given import accounting, bundles, rule_evaluation
from tests.given import collection as given
from tests.given.accounting import JANUARY
from tests.given.bundles import Bundle
from tests.server import Account

EVENTS: Final = "events/delivery.csv"
NOTED: Final = 'said "7 t\\8 t"\tand\nno more'
"""A text with every character that lines escape."""


def closed(account: Account) -> Bundle:
    """The bundle of a plant whose events came in one request, singly and late, one of them completed and one
    corrected; with a meter in service, an outage and a dismissed finding.
    """
    api, drain = account.caller(), account.drain
    plant = accounting.plant(api, drain, accounting.MASS)
    project = plant.project
    scale = given.asset(api, project, name="Scale 1", in_service_from="2024-01-01T00:00:00Z")
    wood = given.feedstock(api, project, name='Wood "A"')
    tags: dict[str, Any] = {"asset_id": scale["id"], "feedstock_id": wood["id"]}
    rule = rule_evaluation.rule(
        api, project, "{{mass}} > 20", event_type_id=_type_id(api, project, "delivery")
    )
    bodies = [
        given.event_body(
            start_time=f"2025-0{month}-0{day}T10:00:00.250Z", values={"mass": Decimal(mass)}, **tags
        )
        for month, day, mass in ((1, 2, "10.50"), (1, 3, "11"), (2, 3, "99"), (1, 4, "25"))
    ]
    first, second, *_ = (one["id"] for one in given.events(api, project, bodies))
    plant.deliver("4.25", 5, client_reference="slip 5")
    api.patch(f"/projects/{project['id']}/events/{first}", {"event": {"notes": NOTED}}).expect(200)
    rule_evaluation.work(account)
    results = rule_evaluation.results(api, rule)
    [found] = [one for one in results if one["entered_value"] == "25"]
    body = {"reason": "A full truck with trailer."}
    api.post(f"/projects/{project['id']}/rule_results/{found['id']}/dismiss", body).expect(200)
    given.outage(
        api, project, reason="Calibration", asset_id=scale["id"],
        start_time="2025-01-20T00:00:00Z", end_time="2025-01-21T00:00:00Z",
    )  # fmt: skip
    plant.generate(JANUARY)
    event = api.get(f"/projects/{project['id']}/events/{second}").expect(200).body
    rule_evaluation.correct(api, project, event, Decimal("10.75"))
    plant.generate(JANUARY)
    plant.deliver("3.5", 6)
    return bundles.bundle(account, bundles.report_of(api, plant.ledger))


def _type_id(api: Any, project: Mapping[str, Any], slug: str) -> str:
    kinds = api.get(f"/projects/{project['id']}/event_types").expect(200).data
    return str(next(one["id"] for one in kinds if one["slug"] == slug))
