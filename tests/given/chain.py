"""A chain of ledgers: deliveries are credited to the first, and what is produced of them draws from it.

Each link is a plant of its own model and ledger in the one project.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import MASS, Plant
from tests.server import Caller

FEBRUARY = ("2025-02-01T00:00:00Z", "2025-03-01T00:00:00Z")
MARCH = ("2025-03-01T00:00:00Z", "2025-04-01T00:00:00Z")

PRODUCED = """
  - slug: made
    input: {event_type: production, data_point_type: mass, aggregate: sum}
    unit: t
    output: true
"""
"""What is produced; the model draws twice as much unless a test says otherwise."""

NEEDED = """
  - slug: needed
    formula: made * 2
    unit: t
"""

USED = """
  - slug: used
    formula: sum(drawn)
    unit: t
    output: true
"""

WEIGHED = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
    output: true
  - slug: intensity
    formula: value(mass, 't') / 10
    unit: "1"
    output: true
"""
"""Deliveries of which each tonne counts for more the more was delivered."""

WORTH = """
  - slug: made
    input: {event_type: production, data_point_type: mass, aggregate: sum}
    unit: t
  - slug: drawn
    upstream: {ledger: Deliveries, amount: made, attributes: [intensity]}
    unit: t
  - slug: worth
    formula: sum(drawn * drawn.intensity)
    unit: t
    output: true
"""
"""What is made of them comes to what its deliveries count for."""


def drawing(options: str = "") -> str:
    """Nodes that draw what is needed from the ledger `Deliveries`."""
    return PRODUCED + NEEDED + upstream(f"amount: needed{options}") + USED


def upstream(options: str, *, slug: str = "drawn", ledger: str = "Deliveries", more: str = "") -> str:
    """A node that draws from a ledger."""
    return f"""
  - slug: {slug}
    upstream: {{ledger: {ledger}, {options}}}
    unit: t{more}
"""


def inventory(api: Caller, drain: Callable[[], None], nodes: str = MASS, **fields: Any) -> Plant:
    """The first link: a ledger `Deliveries` of what was delivered."""
    plant = accounting.plant(api, drain, nodes, **fields)
    for slug in ("production", "sale"):
        given.event_type(api, plant.project, slug=slug, data_point_types=[given.number("mass")])
    return plant


def link(
    plant: Plant, nodes: str | None = None, *, name: str = "Production", output: str = "made", **fields: Any
) -> Plant:
    """The next link: a model of these nodes and the ledger that it credits."""
    settings = {key: fields.pop(key) for key in ("cadence", "partition_type") if key in fields}
    text = accounting.document(nodes or drawing(), name=name, primary_output=output, **settings)
    model = accounting.model(plant.api, plant.project, text)
    ledger = accounting.ledger(plant.api, plant.project, model, name=name, **fields)
    return replace(plant, model=model, ledger=ledger)


def produce(plant: Plant, mass: int | str, day: int | str = 1, **fields: Any) -> str:
    """One production of so much on a day of January 2025, or at a time; gives its id."""
    return plant.measure("production", {"mass": mass}, day, **fields)


def balances(plant: Plant) -> dict[str, Any]:
    """What each batch of the ledger holds, by its tracking id; those of one run together."""
    found: dict[str, Any] = {}
    for batch in plant.batches():
        found[batch["tracking_id"]] = found.get(batch["tracking_id"], 0) + batch["ledger_balance"]
    return found
