"""A package whose parts meet: gaps that rules fill, uncertain readings, a credit that is discounted for them,
a ledger that draws, a static input; and what an upgrade of it moves, down to the proof of a report.
"""

from decimal import Decimal

import pytest
from tests.given import bundles, packages
from tests.given import collection as given
from tests.given.rule_evaluation import work
from tests.given.second_checker import find_node, run_second_checker
from tests.server import Account

from weighbridge.verification.recomputation import check_batches

DAYS = 5
WHOLE = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-02-01T00:00:00Z"}

FILES = {
    "package.yaml": """\
name: digester
title: Gas of a digester
version: 1.0.0
licence: CC0-1.0
publisher: Works
about: Methane by volume, sold in part.
engine_revision: 2
""",
    "sources.yaml": """\
sources:
  - key: plan
    title: Monitoring plan
    edition: "2025"
    url: https://works.example/plan
    taken:
      - {section: "1", what: density and its error}
      - {section: "2", what: gaps}
""",
    "event_types.yaml": """\
event_types:
  - name: Gas
    expected_locations: none
    cadence_amount: 1
    cadence_unit: day
    data_point_types:
      - {name: Volume, value_type: number, unit: m^3, uncertainty: {relative_standard: 0.02}}
  - name: Sale
    expected_locations: none
    data_point_types:
      - {name: Mass, value_type: number, unit: t}
""",
    "static_inputs.yaml": """\
static_inputs:
  - slug: density
    value: 0.0007
    unit: t/m^3
    effective_from: "2020-01-01T00:00:00Z"
    uncertainty: {relative_standard: 0.01}
    source: plan, 1
""",
    "rules.yaml": """\
rules:
  - name: Gaps of a day
    expression: "{{volume}} < 0"
    data_point: volume
    event_type_id: gas
    purpose: impute
    correction: {method: mean_before_after}
    effective_from: "2020-01-01T00:00:00Z"
    source: plan, 2
    cases:
      - name: a day between two
        source: plan, 2
        slots: [{values: {volume: 1000}}, {}, {values: {volume: 3000}}]
        expect: [{slot: 2, value: 2000}]
""",
    "ledgers.yaml": """\
ledgers:
  - {name: Methane, unit: t, model: methane}
  - {name: Sold, unit: t, model: sold}
""",
    "models/methane.yaml": """\
name: Methane
cadence: monthly
partition_type: time
primary_output: methane
uncertainty: {coverage_probability: 0.95}
nodes:
  - slug: volume
    unit: m^3
    input: {event_type: gas, data_point_type: volume, aggregate: sum, coverage: any}
  - {slug: density, unit: t/m^3, static_input: density}
  - {slug: purity, unit: "", constant: 0.9, source: "plan, 1"}
  - slug: methane
    formula: volume * density * purity
    unit: t
    output: true
    discount: {standard_deviations: 1}
cases:
  - name: a thousand cubic metres
    source: plan, 1
    inputs: {volume: 1000, density: 0.0007}
    expect: {methane: 0.63}
""",
    "models/sold.yaml": """\
name: Sold
cadence: monthly
partition_type: time
primary_output: sold
uncertainty: {}
nodes:
  - {slug: sale, unit: t, input: {event_type: sale, data_point_type: mass, aggregate: sum}}
  - {slug: drawn, unit: t, upstream: {ledger: Methane, amount: sale}}
  - {slug: sold, unit: t, formula: sum(drawn), output: true}
cases:
  - name: half a tonne
    source: plan, 1
    inputs: {sale: 0.5, drawn: 0.5}
    expect: {sold: 0.5}
""",
    "pages.md": "# Gas of a digester\n\nVolumes each day.\n",
}


def version(**changes: str) -> dict[str, bytes]:
    """The files with texts that are replaced."""
    files = dict(FILES)
    for before, after in changes.values():
        names = [name for name, text in files.items() if before in text]
        assert names, before
        files |= {name: files[name].replace(before, after) for name in names}
    return {name: text.encode() for name, text in files.items()}


@pytest.fixture
def works(api, account):
    """The package in a project with five days of gas, the third of which is missing, and a sale."""
    project = given.project(api)
    installed = packages.install(api, project, packages.upload(api, version())).expect(201).body
    for day in (1, 2, 4, 5):
        given.event(
            api, project, event_type="gas", start_time=f"2025-01-0{day}T00:00:00Z",
            end_time=f"2025-01-0{day + 1}T00:00:00Z", values={"volume": 1000 * day},
        )  # fmt: skip
    given.event(
        api, project, event_type="sale", start_time="2025-01-20T00:00:00Z", values={"mass": Decimal("2.5")}
    )
    work(account)
    generate(api, account, project)
    return project, installed


def generate(api, account: Account, project) -> dict[str, Decimal]:
    """Generate both ledgers anew, the source first; gives their primary outputs."""
    found = {}
    for ledger in sorted(api.get(f"/projects/{project['id']}/ledgers").data, key=lambda one: one["name"]):
        task = api.post(f"/ledgers/{ledger['id']}/batch_generations", WHOLE | {"model_version": "latest"})
        account.drain()
        assert api.get(f"/async_tasks/{task.expect(202).body['id']}").body["error_message"] is None
        found[ledger["name"]] = sum(
            one["primary_output"]["value"] for one in api.get(f"/ledgers/{ledger['id']}/batches").data
        )
    return found


def prove(api, account, project):
    """A report over each ledger has a bundle without faults, by both checkers; batches recompute."""

    async def recompute():
        async with account.server.database.read() as tx:
            return (await check_batches(tx, project["numeric_id"]))[1]

    assert account.server.run(recompute()) == []
    for ledger in api.get(f"/projects/{project['id']}/ledgers").data:
        made = bundles.bundle(account, bundles.report_of(api, ledger))
        assert made.faults() == [], ledger["name"]
        if (node := find_node()) is not None:
            [found] = run_second_checker(node, [(made.content, made.key)])
            assert found.faults == []


def test_filled_uncertain_and_discounted_amounts_of_a_package_are_proven(api, account, works):
    project, _ = works
    [methane] = [
        one for one in api.get(f"/projects/{project['id']}/ledgers").data if one["name"] == "Methane"
    ]
    [batch] = api.get(f"/ledgers/{methane['id']}/batches").data
    shown = api.get(f"/batches/{batch['id']}").body

    # Days of 1,000 to 5,000 m3, of which the third is the mean of the second and the fourth.
    computed = 15_000 * Decimal("0.0007") * Decimal("0.9")
    assert shown["uncertainty"]["standard_uncertainty"] > 0
    assert shown["primary_output"]["value"] < computed
    # Of volumes 2 percent each, where the third shares half of both its neighbours' errors; of density 1.
    volumes = [Decimal(v) for v in (1000, 2000 * Decimal("1.5"), 4000 * Decimal("1.5"), 5000)]
    relative = (sum((v * Decimal("0.02")) ** 2 for v in volumes) / 15_000**2 + Decimal("0.01") ** 2).sqrt()
    assert round(shown["uncertainty"]["standard_uncertainty"], 12) == round(computed * relative, 12)
    assert round(shown["primary_output"]["value"], 6) == round(computed * (1 - relative), 6)
    prove(api, account, project)


def test_an_upgrade_foresees_what_fillings_discounts_and_draws_come_to(api, account, works):
    project, installed = works
    before = {one["name"]: one["balance"] for one in api.get(f"/projects/{project['id']}/ledgers").data}
    newer = packages.upload(
        api,
        version(
            number=("version: 1.0.0", "version: 1.1.0"),
            purity=("constant: 0.9,", "constant: 0.8,"),
            expected=("methane: 0.63", "methane: 0.56"),
            discount=("standard_deviations: 1}", "standard_deviations: 2}"),
        ),
    )
    path = f"/package_installations/{installed['id']}"
    body = {"upgrade": {"package_id": newer["id"]}}
    foreseen = api.post(f"{path}/upgrade/preview", body).expect(200).body
    assert {
        one["name"]: one["balance"] for one in api.get(f"/projects/{project['id']}/ledgers").data
    } == before

    api.post(f"{path}/upgrade", body).expect(200)
    outputs = generate(api, account, project)

    assert foreseen["problems"] == []
    foretold = {one["name"]: one["primary_output_after"] for one in foreseen["impact"]["ledgers"]}
    assert foretold["Methane"] == outputs["Methane"]
    assert foretold.get("Sold", outputs["Sold"]) == outputs["Sold"]
    prove(api, account, project)
