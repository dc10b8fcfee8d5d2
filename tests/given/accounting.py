"""What a test of the accounting starts from: models, ledgers and plants whose deliveries are credited.

A plant measures deliveries and bills, and runs one model over them. The model of a test is written as its
nodes; everything that a test is about is said in the test.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tests.given import collection as given
from tests.given.collection import Record
from tests.server import Answer, Caller

from weighbridge.core import identity

Sql = Callable[..., list[tuple[Any, ...]]]

JANUARY = ("2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z")
QUARTER = ("2025-01-01T00:00:00Z", "2025-03-31T23:59:59Z")

MASS = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
    output: true
"""

FAILS_AT_ZERO = """
  - slug: whole
    formula: mass / mass
    unit: "1"
"""
"""Beside the mass: a node that has no value when nothing was delivered."""

POWER_EVENLY = """
  - slug: power
    input: {event_type: bill, data_point_type: energy, aggregate: sum, share: even}
    unit: kWh
    output: true
"""

POWER_BY_MASS = """
  - slug: power
    input: {event_type: bill, data_point_type: energy, aggregate: sum, share: by, share_by: mass}
    unit: kWh
    output: true
"""


def document(
    nodes: str,
    *,
    name: str = "Deliveries",
    cadence: str = "monthly",
    partition_type: str = "time",
    primary_output: str = "mass",
    share_places: int | None = None,
) -> str:
    """A model document of these nodes."""
    settings = {
        "name": name,
        "cadence": cadence,
        "partition_type": partition_type,
        "primary_output": primary_output,
        "share_places": share_places,
    }
    head = "".join(f"{key}: {value}\n" for key, value in settings.items() if value is not None)
    return f"{head}nodes:\n{nodes.lstrip(chr(10))}"


def model(caller: Caller, project: Record | None, text: str) -> Record:
    """A model of the document; its first version is active."""
    body = {"yaml": text} | ({"project_id": project["id"]} if project else {})
    record: Record = caller.post("/models", {"model": body}).expect(201).body
    return record


def version(caller: Caller, model: Record, text: str, **fields: Any) -> Record:
    """The next version of a model, of the document."""
    record: Record = caller.post(f"/models/{model['id']}/versions", {"yaml": text} | fields).expect(201).body
    return record


def ledger(
    caller: Caller,
    project: Record,
    model: Record | None = None,
    *,
    name: str = "Deliveries",
    unit: str = "t",
    **fields: Any,
) -> Record:
    """A ledger of the project, linked to the model's primary output unless the test says otherwise."""
    body = {"name": name, "unit": unit} | ({"model_id": model["id"]} if model else {}) | fields
    record: Record = caller.post(f"/projects/{project['id']}/ledgers", {"ledger": body}).expect(201).body
    return record


def range_of(times: tuple[str, str], **fields: Any) -> Record:
    """The body of a preview or a generation over a range."""
    return {"start_time": times[0], "end_time": times[1]} | fields


def key_of(kind: str, friendly: str) -> tuple[int, int]:
    """The project and the number that a friendly id stands for."""
    key = identity.parse(kind, friendly)
    assert key is not None
    return key.project, key.key


def void(sql: Sql, *events: str) -> None:
    """Take events out of the data, as a deletion does; they stay for the audit."""
    for event in events:
        key = identity.parse("event", event)
        assert key is not None
        sql("UPDATE events SET voided_at = now() WHERE project_id = %s AND id = %s", key.project, key.key)


@dataclass(frozen=True, slots=True)
class Plant:
    """A project that measures deliveries (t) and bills (kWh), and a ledger that a model credits."""

    api: Caller
    drain: Callable[[], None]
    project: Record
    model: Record
    ledger: Record

    def deliver(self, mass: int | str, day: int | str = 1, **fields: Any) -> str:
        """One delivery of so much on a day of January 2025, or at a time; gives its id."""
        return self._measure("delivery", {"mass": Decimal(mass)}, day, fields)

    def bill(self, energy: int | str, day: int | str = 1, **fields: Any) -> str:
        """One bill; gives its id."""
        return self._measure("bill", {"energy": Decimal(energy)}, day, fields)

    def feedstock(self, name: str) -> str:
        """A feedstock; gives its id."""
        return str(given.feedstock(self.api, self.project, name=name)["id"])

    def preview(self, times: tuple[str, str] = JANUARY, **fields: Any) -> list[Record]:
        """What generation would do, ledger by ledger."""
        path = f"/ledgers/{self.ledger['id']}/generate_preview"
        entries: list[Record] = self.api.post(path, range_of(times, **fields)).expect(200).data
        return entries

    def count(self, times: tuple[str, str] = JANUARY) -> int:
        """How many batches generation would create."""
        return int(self.preview(times)[0]["count"])

    def start(self, times: tuple[str, str] = JANUARY, **fields: Any) -> Answer:
        """Ask for a generation."""
        return self.api.post(f"/ledgers/{self.ledger['id']}/batch_generations", range_of(times, **fields))

    def finish(self, times: tuple[str, str] = JANUARY, **fields: Any) -> Record:
        """Ask for a generation, have it carried out, and give the task as it ended."""
        task = self.start(times, **fields).expect(202).body
        self.drain()
        ended: Record = self.api.get(f"/async_tasks/{task['id']}").expect(200).body
        return ended

    def generate(self, times: tuple[str, str] = JANUARY, **fields: Any) -> Record:
        """Generate; gives the result of the task, which must have gone well."""
        task = self.finish(times, **fields)
        assert task["state"] == "complete", task
        result: Record = task["result"]
        return result

    def failure(self, times: tuple[str, str] = JANUARY) -> str:
        """Generate; gives why the task failed, which it must have."""
        task = self.finish(times)
        assert task["state"] == "failed", task
        return str(task["error_message"])

    def batches(self, ledger: Record | None = None, **query: str) -> list[Record]:
        """The batches of the ledger, oldest slot first and then in the order they were made."""
        path = f"/ledgers/{(ledger or self.ledger)['id']}/batches"
        batches: list[Record] = self.api.get(path, {"page_size": "200"} | query).expect(200).data
        return batches

    def credits(self, ledger: Record | None = None) -> dict[str, Any]:
        """What each batch credited, by its tracking id; for runs of one batch."""
        batches = self.batches(ledger)
        found = {batch["tracking_id"]: batch["primary_output"]["value"] for batch in batches}
        assert len(found) == len(batches), "a run has more than one batch"
        return found

    def balance(self) -> Any:
        """What the ledger holds."""
        return self.api.get(f"/ledgers/{self.ledger['id']}").expect(200).body["balance"]

    def measure(self, kind: str, values: Mapping[str, int | str], day: int | str = 1, **fields: Any) -> str:
        """One event of a kind on a day of January 2025, or at a time; gives its id."""
        return self._measure(kind, {slug: Decimal(value) for slug, value in values.items()}, day, fields)

    def _measure(
        self, kind: str, values: Mapping[str, Any], day: int | str, fields: Mapping[str, Any]
    ) -> str:
        moment = day if isinstance(day, str) else f"2025-01-{day:02d}T12:00:00Z"
        made = given.event(
            self.api, self.project, event_type=kind, start_time=moment, values=values, **fields
        )
        return str(made["id"])


def plant(
    caller: Caller,
    drain: Callable[[], None],
    nodes: str = MASS,
    *,
    cadence: str = "monthly",
    partition_type: str = "time",
    primary_output: str = "mass",
    time_zone: str = "UTC",
    unit: str = "t",
    scale: int = 6,
    rounding: str = "half_even",
    share_places: int | None = None,
    output: str | None = None,
    is_model_of_project: bool = True,
) -> Plant:
    """A plant whose model has these nodes; a model outside the project is not checked against its data."""
    project = given.project(caller, time_zone=time_zone)
    given.event_type(caller, project, slug="delivery", data_point_types=[given.number("mass")])
    given.event_type(caller, project, slug="bill", data_point_types=[given.number("energy", unit="kWh")])
    text = document(
        nodes,
        cadence=cadence,
        partition_type=partition_type,
        primary_output=primary_output,
        share_places=share_places,
    )
    made = model(caller, project if is_model_of_project else None, text)
    fields = {"scale": scale, "rounding": rounding} | ({"output": output} if output else {})
    return Plant(caller, drain, project, made, ledger(caller, project, made, unit=unit, **fields))
