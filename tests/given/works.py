"""Works: a chain of three ledgers in one project, whose data a test changes and whose books it reads.

Feedstock is delivered, biochar is made of it, and carbon is stored with the biochar; each link draws from
the one before it, by feedstock and month. A power bill and what two steam meters counted are shared evenly
over the feedstocks delivered, fuel by the biochar made; each is credited to a ledger of its own. Deliveries
that are rejected do not count, nor do those of which that is not known.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import QUARTER
from tests.given.collection import Record
from tests.server import Answer, Caller

FEEDSTOCKS: Final = ("Straw", "Wood")

DELIVERIES: Final = """
  - slug: mass
    input: {event_type: delivery, data_point_type: amount, aggregate: sum, partitions: true,
            where: "grade != 'reject'"}
    unit: t
    output: true
  - slug: steam
    input: {event_type: meter, data_point_type: reading, aggregate: delta, share: even}
    unit: kWh
    optional: true
    default: 0
    output: true
  - slug: power
    input: {event_type: bill, data_point_type: amount, aggregate: sum, share: even}
    unit: kWh
    optional: true
    default: 0
    output: true
  - slug: loads
    input: {event_type: delivery, data_point_type: amount, aggregate: values}
    unit: t
  - slug: spread
    formula: sum(loads * loads) / 7
    unit: t**2
"""
BIOCHAR: Final = """
  - slug: made
    input: {event_type: production, data_point_type: amount, aggregate: sum, partitions: true}
    unit: t
  - slug: heat
    input: {event_type: fuel, data_point_type: amount, aggregate: sum, share: by, share_by: made}
    unit: kWh
    optional: true
    default: 0
    output: true
  - slug: needed
    formula: made * 2.5
    unit: t
  - slug: drawn
    upstream: {ledger: Deliveries, amount: needed, order: ORDER, match: [feedstock], attributes: [power]}
    unit: t
  - slug: burden
    formula: sum(drawn * drawn.power)
    unit: t * kWh
  - slug: biochar
    formula: sum(drawn) * 0.4
    unit: t
    output: true
"""
CARBON: Final = """
  - slug: applied
    input: {event_type: application, data_point_type: amount, aggregate: sum, partitions: true}
    unit: t
  - slug: drawn
    upstream: {ledger: Biochar, amount: applied, order: ORDER, match: [feedstock]}
    unit: t
  - slug: stored
    formula: sum(drawn) * 0.8
    unit: t
    output: true
"""
LINKS: Final = (
    ("Deliveries", DELIVERIES, "mass", {"Power": ("power", "kWh"), "Steam": ("steam", "kWh")}),
    ("Biochar", BIOCHAR, "biochar", {"Heat": ("heat", "kWh")}),
    ("Carbon", CARBON, "stored", {}),
)
"""Each link of the chain: ledger, nodes, output, further ledgers of the model."""

Keeping = tuple[int, str]
"""The decimals that a ledger keeps, and how it rounds to them."""

KEEPING: Final[Mapping[str, Keeping]] = {
    "Deliveries": (3, "half_even"),
    "Power": (2, "half_even"),
    "Steam": (1, "half_even"),
    "Biochar": (4, "half_even"),
    "Heat": (2, "half_even"),
    "Carbon": (6, "half_even"),
}
"""How the ledgers keep amounts unless a test says otherwise."""

UNITS: Final = {"delivery": "t", "production": "t", "application": "t", "bill": "kWh", "fuel": "kWh"}


METERS: Final = ("North", "South")
"""The places of the two steam meters."""


@dataclass(slots=True)
class Measured:
    """An event as it stands now."""

    kind: str
    month: int
    feedstock: str | None
    amount: Decimal
    id: str
    point: str
    grade: str | None = None


@dataclass(slots=True)
class Works:
    """A project with the chain, and the events that it has."""

    api: Caller
    drain: Callable[[], None]
    project: Record
    feedstocks: Mapping[str, str]
    ledgers: Mapping[str, Record]
    meters: Mapping[str, Record]
    readings: list[tuple[str, int, Decimal]] = field(default_factory=list)
    """Meter, day of the year and what it showed."""
    events: list[Measured] = field(default_factory=list)

    @property
    def number(self) -> int:
        """The project as the database knows it."""
        return int(self.project["numeric_id"])

    def measure(
        self,
        kind: str,
        month: int,
        amount: Decimal,
        feedstock: str | None = None,
        *,
        grade: str | None = "fit",
    ) -> None:
        """Store an event; a grade is that of a delivery."""
        body = {"event": self.body(kind, month, amount, feedstock, grade=grade)}
        made = self.api.post(f"/projects/{self.project['id']}/events", body).expect(201).body
        point = next(one["id"] for one in made["data_points"] if one["slug"] == "amount")
        self.events.append(Measured(kind, month, feedstock, amount, made["id"], point, grade))

    def body(
        self,
        kind: str,
        month: int,
        amount: Decimal,
        feedstock: str | None = None,
        *,
        grade: str | None = "fit",
    ) -> Record:
        """What is sent for an event."""
        graded = {"grade": grade} if kind == "delivery" and grade is not None else {}
        values = {"amount": amount} | graded
        return given.event_body(event_type=kind, values=values, **self._where(month, feedstock))

    def read(self, meter: str, day: int, shown: Decimal) -> None:
        """Store what a meter showed on a day of the first quarter."""
        moment = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(days=day)
        body = given.event_body(
            event_type="meter",
            start_time=moment.isoformat(),
            values={"reading": shown},
            locations=[self.meters[meter]],
        )
        self.api.post(f"/projects/{self.project['id']}/events", {"event": body}).expect(201)
        self.readings.append((meter, day, shown))

    def correct(self, event: Measured, amount: Decimal) -> None:
        """Correct what an event measured."""
        body = {"data_point": {"value": amount, "reason": "weighed again"}}
        self.api.patch(f"/projects/{self.project['id']}/data_points/{event.point}", body).expect(200)
        event.amount = amount

    def move(self, event: Measured, month: int, feedstock: str) -> None:
        """Correct when, and with what feedstock, an event took place."""
        tag = feedstock if event.feedstock else None
        where = self._where(month, tag)
        body = {"event": where | {"end_time": where["start_time"], "reason": "wrong slip"}}
        self.api.patch(self._path(event), body).expect(200)
        event.month, event.feedstock = month, tag

    def void(self, event: Measured) -> bool:
        """Take an event out of the data; one that is used stays."""
        answer = self.api.delete(self._path(event))
        if answer.status == 204:
            self.events.remove(event)
        else:
            answer.expect(422)
        return answer.status == 204

    def generate(self, ledger: str, times: tuple[str, str] = QUARTER) -> Record:
        """Generate one link with all ledgers of its model, and give the task as it ended."""
        body = accounting.range_of(times, generate_concurrent_ledgers=True)
        return self.ended(
            self.api.post(f"/ledgers/{self.ledgers[ledger]['id']}/batch_generations", body).expect(202)
        )

    def delete(self, batches: list[str]) -> Answer:
        """Ask for the deletion of batches, which may be refused."""
        ledger = next(iter(self.ledgers.values()))["id"]
        return self.api.post(f"/ledgers/{ledger}/batch_deletions", {"batch_ids": batches})

    def ended(self, answer: Answer) -> Record:
        """Have a queued task carried out, and give it as it ended."""
        task = answer.expect(202).body
        self.drain()
        ended: Record = self.api.get(f"/async_tasks/{task['id']}").expect(200).body
        return ended

    def batches(self, ledger: str) -> list[Record]:
        """The batches of a ledger, in the order in which they were made."""
        path = f"/ledgers/{self.ledgers[ledger]['id']}/batches"
        found: list[Record] = []
        page: int | None = 1
        while page is not None:
            query = {"page_size": "200", "page": str(page), "sort": "id"}
            answer = self.api.get(path, query).expect(200)
            found += answer.data
            page = answer.info["next_page"]
        return found

    def totals(self) -> dict[str, dict[str, Decimal]]:
        """What every run of every ledger comes to, by tracking id; runs that came to nothing left out."""
        return {
            name: {run: total for run, total in sorted(self._newest(name).items()) if total}
            for name in self.ledgers
        }

    def _newest(self, ledger: str) -> dict[str, Decimal]:
        batches = self.batches(ledger)
        newest = {batch["tracking_id"]: batch["run_total"] for batch in batches}
        added = dict.fromkeys(newest, Decimal(0))
        for batch in batches:
            added[batch["tracking_id"]] += batch["primary_output"]["value"]
        assert added == newest, "primary outputs of a run do not add up to its total"
        return newest

    def _where(self, month: int, feedstock: str | None) -> Record:
        tags = {"feedstock_id": self.feedstocks[feedstock]} if feedstock else {}
        return {"start_time": f"2025-0{month}-05T00:00:00Z"} | tags

    def _path(self, event: Measured) -> str:
        return f"/projects/{self.project['id']}/events/{event.id}"


def fields_of(keeping: Keeping) -> dict[str, Any]:
    """How a ledger keeps amounts, as fields of its body."""
    scale, rounding = keeping
    return {"scale": scale, "rounding": rounding}


def works(
    api: Caller,
    drain: Callable[[], None],
    *,
    order: str = "fifo",
    cadence: str = "monthly",
    keeping: Mapping[str, Keeping] = KEEPING,
) -> Works:
    """Works without any data; both links draw in this order, and their ledgers round as they keep."""
    project = given.project(api)
    for kind, unit in UNITS.items():
        graded = [given.text("grade")] if kind == "delivery" else []
        points = [given.number("amount", unit=unit), *graded]
        given.event_type(api, project, slug=kind, data_point_types=points)
    given.event_type(
        api,
        project,
        slug="meter",
        data_point_types=[given.number("reading", unit="kWh")],
        expected_locations="one",
    )
    meters = {name: given.location(api, project, name=name) for name in METERS}
    feedstocks = {name: str(given.feedstock(api, project, name=name)["id"]) for name in FEEDSTOCKS}
    ledgers: dict[str, Record] = {}
    for name, nodes, output, more in LINKS:
        text = accounting.document(
            nodes.replace("ORDER", order),
            name=name,
            cadence=cadence,
            partition_type="feedstock",
            primary_output=output,
        )
        model = accounting.model(api, project, text)
        ledgers[name] = accounting.ledger(api, project, model, name=name, **fields_of(keeping[name]))
        for other, (its_output, unit) in more.items():
            fields = {"unit": unit, "output": its_output} | fields_of(keeping[other])
            ledgers[other] = accounting.ledger(api, project, model, name=other, **fields)
    return Works(api, drain, project, feedstocks, ledgers, meters)
