"""Plants whose models ask for uncertainty, what is stated in them, and trials of their batches.

The documents and statements here are those of all tests of uncertainty.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.given import accounting
from tests.given import inputs as given_inputs
from tests.given.accounting import Plant
from tests.given.collection import Record
from tests.server import Caller

JANUARY = ("2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z")
MONTHS = ("2025-01-01T00:00:00Z", "2025-03-01T00:00:00Z")
TRIALS = 20_000

SUMMED = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
"""


def asking(nodes: str, probability: str = "0.95", **fields: Any) -> str:
    """A document that asks for uncertainty."""
    return document(nodes, f"uncertainty: {{coverage_probability: {probability}}}\n", **fields)


def document(nodes: str, head: str, **fields: Any) -> str:
    """A document with a head that asks for uncertainty, and may say more."""
    return accounting.document(nodes, **fields).replace("nodes:", f"{head}nodes:", 1)


def plant(api: Caller, drain: Callable[[], None], nodes: str = SUMMED, **fields: Any) -> Plant:
    """A plant of deliveries whose model asks for uncertainty."""
    made = given_inputs.plant(api, drain, nodes, primary_output="mass", **fields)
    accounting.version(api, made.model, asking(nodes, **fields), activate=True)
    return made


def further(source: Plant, nodes: str, name: str, unit: str = "t", **fields: Any) -> Plant:
    """A ledger of the same project, of a model of its own."""
    model = accounting.model(source.api, source.project, asking(nodes, name=name, **fields))
    ledger = accounting.ledger(source.api, source.project, model, name=name, unit=unit)
    return replace(source, model=model, ledger=ledger)


def state_of_type(plant: Plant, statement: Any, slug: str = "delivery", point: str = "mass") -> str:
    """State how well the values of a data point type are known; gives the event type."""
    home = f"/projects/{plant.project['id']}/event_types"
    [kind] = plant.api.get(home, {"filter[slug]": slug}).data
    points = [
        {"slug": one["slug"]} | ({"uncertainty": statement} if one["slug"] == point else {})
        for one in plant.api.get(f"{home}/{kind['id']}").expect(200).body["data_point_types"]
    ]
    plant.api.patch(f"{home}/{kind['id']}", {"event_type": {"data_point_types": points}}).expect(200)
    return str(kind["id"])


def calibrate(plant: Plant, kind: str, asset: str | None, statement: Any, **fields: Any) -> str:
    """Enter a calibration of masses from January on."""
    body = {
        "name": "D-K-1", "event_type_id": kind, "data_point_type": "mass", "asset_id": asset,
        "valid_from": "2025-01-01T00:00:00Z", "uncertainty": statement,
    } | fields  # fmt: skip
    path = f"/projects/{plant.project['id']}/calibrations"
    return str(plant.api.post(path, {"calibration": body}).expect(201).body["id"])


def start(plant: Plant, path: str, **fields: Any) -> Record:
    """Start trials of what is at a path; gives their record as it is queued."""
    body = {"uncertainty_run": {"trials": TRIALS} | fields}
    return plant.api.post(f"{path}/uncertainty_runs", body).expect(202).body["uncertainty_run"]


def run(plant: Plant, path: str, **fields: Any) -> Record:
    """Trials of what is at a path, to their end."""
    started = start(plant, path, **fields)
    plant.drain()
    return plant.api.get(f"/uncertainty_runs/{started['id']}").expect(200).body
