"""The bundles that forgers begin with; together they have every part that a bundle can have."""

from collections.abc import Callable, Mapping
from typing import Final

from tests.given import accounting, bundles, closed_bundles, gaps, reports, rule_evaluation
from tests.given.bundles import Bundle
from tests.given.concluded import Concluded
from tests.given.forging import Operator
from tests.given.key_histories import History
from tests.server import Account

HOURS: Final = """
  - slug: emission
    input: {event_type: hour, data_point_type: so2, aggregate: sum, coverage: any}
    unit: t
    output: true
"""
DAY: Final = ("2025-01-01T00:00:00Z", "2025-01-02T00:00:00Z")


def filled(account: Account) -> Bundle:
    """The bundle of a stack: one hour was imputed, and the value of another was substituted."""
    api = account.caller()
    project = gaps.stack(api)
    gaps.filling(api, project, {"method": "mean_before_after"}, purpose="impute")
    gaps.filling(api, project, {"method": "previous"}, name="Substitute")
    gaps.report(api, project, "10 - 14 !7 11")
    rule_evaluation.work(account)
    model = accounting.model(
        api, project, accounting.document(HOURS, cadence="daily", primary_output="emission")
    )
    ledger = accounting.ledger(api, project, model, name="Emissions")
    accounting.Plant(api, account.drain, project, model, ledger).generate(DAY)
    return bundles.bundle(account, bundles.report_of(api, ledger))


def versioned(account: Account) -> Bundle:
    """The bundle of a report whose methodology names a version of its model; one batch is of another one."""
    plant = accounting.plant(account.caller(), account.drain)
    plant.deliver(5, "2025-01-02T00:00:00Z")
    plant.generate()
    text = accounting.document(accounting.MASS + accounting.FAILS_AT_ZERO)
    second = accounting.version(plant.api, plant.model, text)
    plant.api.post(f"/models/{second['id']}/activate", {}).expect(200)
    plant.deliver(3, "2025-02-02T00:00:00Z")
    plant.generate(accounting.QUARTER)
    new = {
        "name": "Removal", "version": "1", "report_type": "quarterly", "other_versions": "note",
        "model_ids": [plant.model["id"]], "model_versions": {plant.model["id"]: [1]},
    }  # fmt: skip
    methodology = plant.api.post("/methodologies", {"methodology": new}).expect(201).body
    claims = reports.Claims(plant)
    return bundles.bundle(account, claims.report(5, 3, methodology_id=methodology["id"]))


def succeeded(account: Account) -> Bundle:
    """The bundle of one of two parts of a report, into which those of two months had been merged."""
    claims = reports.claims(account.caller(), account.drain, 5, 3)
    january, february = (reports.accepted(claims, claims.report(*taken)) for taken in ((4,), (1, 3)))
    body = {"report_ids": [february["id"]], "name": "Quarter", "reason": "One claim for each quarter"}
    path = f"/reports/{january['id']}/merge"
    merged = claims.plant.api.post(path, body).expect(201).body
    parts = {"parts": [{"name": "Basel", "amount": 4}, {"name": "Turin"}], "reason": "Two buyers"}
    split = claims.plant.api.post(f"/reports/{merged['id']}/split", parts).expect(201).body
    return bundles.bundle(account, split["parts"][0])


def concluded(account: Account) -> Bundle:
    """The bundle of a report with an opinion."""
    return Concluded(account).bundle()


def keyed(account: Account) -> Operator:
    """The log of a bundle that the third key signed."""
    report = reports.claims(account.caller(), account.drain, 5, 3).report(4)
    history = History(account, report).follow().follow()
    return Operator(history.bundle(), history.keys[-1])


BASES: Final[Mapping[str, Callable[[Account], Operator]]] = {
    "closed": lambda account: Operator(closed_bundles.closed(account)),
    "mixed": lambda account: Operator(bundles.mixed(account)),
    "entered": lambda account: Operator(bundles.entered(account)),
    "filled": lambda account: Operator(filled(account)),
    "versioned": lambda account: Operator(versioned(account)),
    "succeeded": lambda account: Operator(succeeded(account)),
    "concluded": lambda account: Operator(concluded(account)),
    "keyed": keyed,
}
"""By name how the operator's log of each comes about."""
