"""The how-to on chains of ledgers says what happens."""

import re
from pathlib import Path

from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import QUARTER, Plant

HOWTO = Path(__file__).parents[2] / "docs" / "howto" / "chain-ledgers.md"
WOOD, BIOCHAR, BY_HAND = re.findall(r"```yaml\n(.*?)```", HOWTO.read_text(encoding="utf-8"), re.DOTALL)


def chain(api, drain, biochar):
    """The two ledgers of the page, with the data that it speaks of."""
    project = given.project(api)
    mass = given.number("mass", unit="t{dry}")
    emissions = given.number("emissions", unit="kg{CO2e}")
    given.event_type(api, project, slug="wood-delivery", data_point_types=[mass, emissions])
    given.event_type(api, project, slug="biochar-run", data_point_types=[given.number("mass")])
    wood = accounting.model(api, project, WOOD)
    wood_ledger = accounting.ledger(api, project, wood, name="Wood inventory", unit="t{dry}")
    inventory = Plant(api, drain, project, wood, wood_ledger)
    made = accounting.model(api, project, biochar)
    production = Plant(api, drain, project, made, accounting.ledger(api, project, made, name="Biochar"))
    inventory.measure("wood-delivery", {"mass": 10, "emissions": 30}, "2025-01-10T00:00:00Z")
    inventory.measure("wood-delivery", {"mass": 10, "emissions": 50}, "2025-02-10T00:00:00Z")
    production.measure("biochar-run", {"mass": 3}, "2025-02-20T00:00:00Z")
    inventory.generate(QUARTER)
    return inventory, production


def nodes_of(production):
    (batch,) = production.batches()
    lineage = production.api.get(f"/batches/{batch['id']}/lineage").expect(200).body
    return {node["slug"]: node for node in lineage["nodes"]}


def test_the_figures_of_the_page_are_true(api, drain):
    inventory, production = chain(api, drain, BIOCHAR)

    production.generate(QUARTER)

    nodes = nodes_of(production)
    assert nodes["wood_needed"]["value"] == 12
    assert nodes["wood_drawn"]["elements"] == [10, 2]
    assert [draw["attributes"] for draw in nodes["wood_drawn"]["draws"]] == [
        [{"slug": "intensity", "value": value, "unit": "kg{CO2e}/t{dry}"}] for value in (3, 5)
    ]
    assert nodes["emissions"]["value"] == 40
    assert [batch["ledger_balance"] for batch in inventory.batches()] == [0, 8]


def test_the_batches_may_be_named_instead(api, drain):
    by_hand = re.sub(r"    upstream: .*\n", BY_HAND, BIOCHAR)
    inventory, production = chain(api, drain, by_hand)
    source = inventory.batches()[1]["id"]
    named = [{"batch_id": source, "primary_output_amount": 7.5}]

    (entry,) = production.preview(QUARTER, batch_amounts=named)
    production.generate(QUARTER, batch_amounts=named)

    assert (entry["count"], entry["problems"]) == (1, [])
    assert nodes_of(production)["emissions"]["value"] == 7.5 * 5
