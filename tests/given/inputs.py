"""A plant that measures more than deliveries: laboratory results, bills over time, a tank and a totaliser."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import Plant
from tests.given.collection import Record
from tests.server import Caller, Server

from weighbridge.verification.recomputation import check_batches

WET = """
  - slug: wet
    input: {event_type: delivery, data_point_type: mass, aggregate: values}
    unit: t
"""


def plant(
    caller: Caller,
    drain: Callable[[], None],
    nodes: str,
    *,
    primary_output: str,
    unit: str = "t",
    cadences: Mapping[str, tuple[int, str]] | None = None,
    **fields: Any,
) -> Plant:
    """A plant whose model has these nodes; `cadences` are those of its event types."""
    project = given.project(caller, time_zone=fields.pop("time_zone", "UTC"))
    for slug, points in {
        "delivery": [given.number("mass"), given.text("code")],
        "lab": [given.number("moisture", unit="%"), given.number("sample", unit="kg", required=False),
                given.text("code")],
        "bill": [given.number("energy", unit="kWh")],
        "tank": [given.number("level", unit="t")],
    }.items():  # fmt: skip
        made = given.event_type(caller, project, slug=slug, data_point_types=points)
        if cadences and slug in cadences:
            amount, each = cadences[slug]
            path = f"/projects/{project['id']}/event_types/{made['id']}"
            change = {"cadence_amount": amount, "cadence_unit": each}
            caller.patch(path, {"event_type": change}).expect(200)
    model = accounting.model(
        caller, project, accounting.document(nodes, primary_output=primary_output, **fields)
    )
    return Plant(caller, drain, project, model, accounting.ledger(caller, project, model, unit=unit))


def measure(plant: Plant, kind: str, values: Mapping[str, Any], start: str, **fields: Any) -> str:
    """One event of a kind; times may be dates."""
    times = {
        name: value if "T" in value else f"{value}T00:00:00Z"
        for name, value in (
            {"start_time": start} | {k: v for k, v in fields.items() if k == "end_time"}
        ).items()
    }
    rest = {name: value for name, value in fields.items() if name != "end_time"}
    made = given.event(plant.api, plant.project, event_type=kind, values=values, **times, **rest)
    return str(made["id"])


def nodes_of(plant: Plant, number: int = -1) -> dict[str, Record]:
    """The nodes of a batch by their slugs."""
    batch = plant.batches()[number]
    found = plant.api.get(f"/batches/{batch['id']}/lineage").expect(200).body["nodes"]
    return {node["slug"]: node for node in found}


def inputs_of(plant: Plant, number: int = -1) -> list[Any]:
    """The values that a batch was made of."""
    return [row["data_point"]["value"] for row in plant.batches()[number]["input_data"]]


def recomputed(server: Server, plant: Plant) -> list[str]:
    """What is wrong with the plant's batches when they are computed anew from their lineage."""

    async def check() -> list[str]:
        async with server.database.read() as tx:
            return (await check_batches(tx, plant.project["numeric_id"]))[1]

    found: list[str] = server.run(check())
    return found
