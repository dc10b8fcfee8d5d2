"""A plant with three ledgers of its own, whose reports claim what it removed less what that emitted and lost.

One model credits all three: removal in t, process emissions in kg, and leakage in t.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tests.given import accounting
from tests.given.accounting import QUARTER
from tests.given.collection import Record, event_type, number
from tests.given.reports import Claims
from tests.given.uncertain_chains import asking, state_of_type

ROLES = [
    {"role": "removal", "sign": 1, "unit": "t"},
    {"role": "process emissions", "sign": -1, "unit": "kg"},
    {"role": "leakage", "sign": -1, "unit": "t"},
]

NODES = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    optional: true
    unit: t
    output: true
  - slug: emissions
    input: {event_type: fuel, data_point_type: emitted, aggregate: sum}
    optional: true
    unit: kg
    output: true
  - slug: leakage
    input: {event_type: loss, data_point_type: lost, aggregate: sum}
    optional: true
    unit: t
    output: true
"""


@dataclass(frozen=True, slots=True)
class NetClaims(Claims):
    """The plant, its ledgers by role, and the number of the methodology that names them."""

    ledgers: dict[str, Record]
    methodology: int

    @property
    def named(self) -> list[Record]:
        """The ledgers of a report, each in its role."""
        return [{"role": role, "ledger_id": ledger["id"]} for role, ledger in self.ledgers.items()]

    def measure(
        self, month: int, removed: Decimal | str, emitted: Decimal | str, lost: Decimal | str
    ) -> None:
        """Measure so much in a month of 2025; nothing is no event."""
        moment = f"2025-{month:02d}-02T00:00:00Z"
        for kind, slug, value in (
            ("delivery", "mass", removed),
            ("fuel", "emitted", emitted),
            ("loss", "lost", lost),
        ):
            if Decimal(value):
                self.plant.measure(kind, {slug: str(value)}, moment)

    def generate(self, times: tuple[str, str] = QUARTER) -> None:
        """Generate the batches of all three ledgers."""
        self.plant.generate(times, generate_concurrent_ledgers=True)

    def batches_of(self, role: str) -> list[Record]:
        """The batches of a role's ledger, oldest first."""
        return self.plant.batches(self.ledgers[role])

    def left(self) -> dict[str, list[Any]]:
        """What each batch of each ledger has left, by role."""
        return {role: [one["ledger_balance"] for one in self.batches_of(role)] for role in self.ledgers}

    def draft(self, months: int | slice = slice(None), **fields: Any) -> Record:
        """A draft that takes all that remains of some months, of all ledgers."""
        which = slice(months, months + 1) if isinstance(months, int) else months
        named = [one["id"] for role in self.ledgers for one in self.batches_of(role)[which]]
        made: Record = self.ask_net(batch_ids=named, **fields).expect(201).body
        return made

    def ask_net(self, **fields: Any) -> Any:
        """Ask for a report of the three ledgers."""
        return self.ask(**({"methodology_id": self.methodology, "ledgers": self.named} | fields))


SHARING = NODES.replace(
    "    input: {event_type: loss, data_point_type: lost, aggregate: sum}\n    optional: true\n",
    "    formula: mass * 0.1\n",
)
"""A tenth of what is removed leaks: what is claimed and what is deducted rest on one reading."""


def net_claims(
    api: Any,
    drain: Any,
    *months: tuple[str, str, str],
    nodes: str = NODES,
    statement: Record | None = None,
    **of_methodology: Any,
) -> NetClaims:
    """A plant that removed, emitted (kg) and lost so much in each month from January on.

    With a `statement` of how well deliveries are weighed its model asks for uncertainty.
    """
    plant = accounting.plant(api, drain, nodes, is_model_of_project=False, output="mass")
    event_type(api, plant.project, slug="fuel", data_point_types=[number("emitted", unit="kg")])
    event_type(api, plant.project, slug="loss", data_point_types=[number("lost")])
    if statement is not None:
        accounting.version(api, plant.model, asking(nodes), activate=True)
        for slug, point in (("delivery", "mass"), ("fuel", "emitted")):
            state_of_type(plant, statement if slug == "delivery" else {"standard": 0}, slug, point)
    ledgers = {"removal": plant.ledger} | {
        role: accounting.ledger(
            api, plant.project, plant.model, name=role.capitalize(), unit=unit, output=output, scale=scale
        )
        for role, unit, output, scale in (
            ("process emissions", "kg", "emissions", 3),
            ("leakage", "t", "leakage", 6),
        )
    }
    methodology = {
        "name": "Net removal", "version": plant.project["id"], "report_type": "quarterly", "ledgers": ROLES,
    } | of_methodology  # fmt: skip
    number_of_it = api.post("/methodologies", {"methodology": methodology}).expect(201).body["id"]
    claims = NetClaims(plant, ledgers, number_of_it)
    for month, amounts in enumerate(months, start=1):
        claims.measure(month, *amounts)
    if months:
        claims.generate()
    return claims
