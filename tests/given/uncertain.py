"""Works whose model asks for uncertainty: every kind of statement, changed after batches were made of it."""

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from tests.given import accounting
from tests.given import collection as given
from tests.given import inputs as given_inputs
from tests.given.accounting import Plant
from tests.given.collection import Record
from tests.given.inputs import measure
from tests.given.uncertain_chains import calibrate, document, state_of_type
from tests.server import Account

TIMES = ("2025-01-01T00:00:00Z", "2025-03-01T00:00:00Z")

WEIGHED = """
  - slug: loads
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: kg
  - slug: moisture
    input: {event_type: lab, data_point_type: moisture, aggregate: average, weight: sample}
    unit: "1"
  - slug: share
    static_input: carbon-share
    unit: ""
  - slug: factor
    constant: 1.1
    unit: "1"
    uncertainty: {relative_standard: 0.01}
  - slug: rate
    formula: lookup(rates, divisor, "wood")
    unit: "1"
  - slug: mass
    formula: loads * (1 - moisture) * share * factor / rate
    unit: t
    output: true
  - slug: dry
    formula: loads * (1 - moisture)
    unit: t
    output: true
"""
"""What is weighed, summed by the database: less its moisture, times its carbon."""

PLAIN = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
    output: true
"""
"""What does not ask for uncertainty."""

ONE_BY_ONE = """
  - slug: loads
    input: {event_type: delivery, data_point_type: mass, aggregate: values}
    unit: kg
  - slug: counted
    input: {event_type: delivery, data_point_type: mass, aggregate: delta}
    unit: t
  - slug: moisture
    input: {event_type: lab, data_point_type: moisture, aggregate: median}
    unit: "1"
  - slug: heaviest
    input: {event_type: lab, data_point_type: sample, aggregate: max}
    unit: kg
  - slug: latest
    input: {event_type: lab, data_point_type: sample, aggregate: last}
    unit: kg
  - slug: share
    static_input: carbon-share
    unit: ""
  - slug: factor
    constant: 1.1
    unit: "1"
    uncertainty: {relative_standard: 0.01}
  - slug: mass
    formula: sum(loads ^ 2) / max(loads) * exp(-moisture) * share * factor + counted * ln(heaviest / latest)
    unit: t
    output: true
  - slug: dry
    formula: sum(loads) * (1 - moisture)
    unit: t
    output: true
"""
"""What is read one by one: an array, a totaliser, and aggregates by order."""

SHARED = """
  - slug: loads
    input: {event_type: delivery, data_point_type: mass, aggregate: sum, share: even, partitions: true}
    unit: kg
  - slug: moisture
    input: {event_type: lab, data_point_type: moisture, aggregate: average, weight: sample, share: repeat}
    unit: "1"
  - slug: mass
    formula: loads * (1 - moisture)
    unit: t
    output: true
  - slug: dry
    formula: loads * 1
    unit: t
    output: true
"""
"""What is weighed without a scale is shared over the scales."""

SOLD = """
  - slug: sold
    input: {event_type: tank, data_point_type: level, aggregate: sum}
    unit: t
    uncertainty: {half_width: 30, distribution: rectangular, unit: kg}
  - slug: drawn
    upstream: {ledger: Deliveries, amount: sold, attributes: [dry]}
    unit: t
  - slug: mass
    formula: sum(drawn)
    unit: kg
    output: true
  - slug: dryness
    formula: sum(drawn * drawn.dry)
    unit: t2
    output: true
"""

HEAD = """uncertainty:
  coverage_probability: 0.9
  correlations: [{between: [factor, share], coefficient: 0.25}]
tables:
  rates:
    columns: [kind, divisor: "1"]
    rows: [[wood, 1.05], [straw, 1.2]]
    uncertainty: {divisor: {half_width: 0.03, distribution: triangular}}
"""


@dataclass(frozen=True, slots=True)
class Uncertain:
    """A plant whose batches say how uncertain they are, and one that draws from it."""

    plant: Plant
    sales: Plant
    scale: str
    """The asset that weighs."""
    calibration: str
    kind: str
    """The event type of deliveries."""
    own_events: tuple[str, ...] = ()
    """The events whose values state something of their own."""

    def state_of_type(self, statement: Any) -> None:
        """State how well all deliveries are weighed."""
        state_of_type(self.plant, statement)

    def recertify(self, statement: Any) -> None:
        """Change what the certificate of the scale says."""
        path = f"/projects/{self.plant.project['id']}/calibrations/{self.calibration}"
        self.plant.api.patch(path, {"calibration": {"uncertainty": statement}}).expect(200)

    def restate(self, event: str, statement: Any) -> None:
        """Change what is stated of the first value of an event."""
        home = f"/projects/{self.plant.project['id']}"
        point = self.plant.api.get(f"{home}/events/{event}").body["data_points"][0]["id"]
        change = {"data_point": {"uncertainty": statement, "reason": "certificate"}}
        self.plant.api.patch(f"{home}/data_points/{point}", change).expect(200)

    def generate(self) -> None:
        """Generate deliveries, and then what was sold of them."""
        self.plant.generate(TIMES)
        self.sales.generate(TIMES)


def stated(plant: Plant, kind: str, values: dict[str, tuple[Any, Any]], start: str, **fields: Any) -> str:
    """One event whose values state something of their own; gives its id."""
    points = [
        {"slug": slug, "value": value, "uncertainty": statement}
        for slug, (value, statement) in values.items()
    ]
    body = {"event_type": kind, "start_time": f"{start}T00:00:00Z", "data_points": points} | fields
    path = f"/projects/{plant.project['id']}/events"
    return str(plant.api.post(path, {"event": body}).expect(201).body["id"])


def works(account: Account, nodes: str = WEIGHED, head: str = HEAD, **fields: Any) -> Uncertain:
    """Works with two months of deliveries and analyses, and a sale of January's; nothing is generated yet."""
    api = account.caller()
    plant = given_inputs.plant(api, account.drain, accounting.MASS, primary_output="mass", **fields)
    scale = given.asset(api, plant.project, name="East")["id"]
    kind = state_of_type(plant, {"standard": 20, "unit": "kg", "degrees_of_freedom": 30})
    state_of_type(plant, {"relative_half_width": Decimal("0.02"), "coverage_factor": 2}, "lab", "moisture")
    state_of_type(plant, {"standard": Decimal("0.1"), "effect": "balance"}, "lab", "sample")
    certificate = {"relative_half_width": Decimal("0.01"), "coverage_factor": 2}
    calibration = calibrate(plant, kind, scale, certificate, valid_from="2025-01-11T00:00:00Z")
    given.static_input(
        api, plant.project, slug="carbon-share", value=Decimal("0.8"), unit="",
        effective_from="2024-01-01T00:00:00Z",
        uncertainty={"relative_standard": Decimal("0.05"), "degrees_of_freedom": 9},
    )  # fmt: skip
    accounting.version(api, plant.model, document(nodes, head, **fields), activate=True)
    own_events = []
    for month in (1, 2):
        measure(plant, "delivery", {"mass": 10}, f"2025-0{month}-10", asset_id=scale)
        measure(plant, "delivery", {"mass": 20 + month}, f"2025-0{month}-11", asset_id=scale)
        measure(plant, "delivery", {"mass": 30}, f"2025-0{month}-12")
        own = {"standard": Decimal("0.05"), "effect": "hand scale", "degrees_of_freedom": 4}
        own_events.append(stated(plant, "delivery", {"mass": (5, own)}, f"2025-0{month}-13"))
        measure(plant, "lab", {"moisture": 15, "sample": 2}, f"2025-0{month}-14")
        measure(plant, "lab", {"moisture": 11, "sample": 3}, f"2025-0{month}-15")
    model = accounting.model(api, plant.project, document(SOLD, "uncertainty: {}\n", name="Sales"))
    ledger = accounting.ledger(api, plant.project, model, name="Sales", unit="kg")
    measure(plant, "tank", {"level": 60}, "2025-02-20")
    sales = replace(plant, model=model, ledger=ledger)
    return Uncertain(plant, sales, scale, calibration, kind, tuple(own_events))


def told(account: Account, nodes: str = WEIGHED, **fields: Any) -> Uncertain:
    """The same, generated again after each kind of statement was changed."""
    made = works(account, nodes, **fields)
    made.generate()
    made.recertify({"relative_standard": Decimal("0.02"), "degrees_of_freedom": 12})
    made.plant.generate(TIMES)
    made.state_of_type({"standard": 25, "unit": "kg", "effect": "platform"})
    made.generate()
    home = f"/projects/{made.plant.project['id']}/events"
    [first, *_] = made.plant.api.get(home, {"sort": "start_time"}).data
    made.restate(first["id"], {"standard": 1, "unit": "kg"})
    made.generate()
    return made


def list_batches(made: Uncertain) -> list[Record]:
    """All batches, in the order in which they were made."""
    found = [*made.plant.batches(), *made.sales.batches()]
    return sorted(found, key=lambda batch: int(batch["numeric_id"]))
