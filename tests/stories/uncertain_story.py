"""Stories of three ledgers whose readings are uncertain.

The scale of the deliveries has certificates that change, values state how well they are known, a meter has
gaps that rules fill by their neighbours, the heaviest of equal deliveries may count for more, data are
corrected, moved and voided. The second ledger draws from the first, by rule or of batches that are named, and
the third from one of the two; what they are credited with may be discounted. Reports take parts of all three,
and are restated, split and merged.
"""

from dataclasses import replace
from decimal import Decimal

from tests.given import accounting, chain
from tests.given import collection as given
from tests.given import rule_evaluation as rules
from tests.given.collection import Record
from tests.stories.telling import CADENCES, DAYS, EVERYTHING, PARTITIONS, SOLD, Book, Story, moment

OF_A_READING = Decimal("0.02")
"""The standard uncertainty of a mass, in t."""

OF_A_METER = Decimal("0.5")
"""The standard uncertainty of a reading of the meter, in kWh."""

OF_A_RATE = Decimal("0.02")
"""The relative standard uncertainty of how much a kWh stands for."""

FED = """
  - slug: loads
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
    optional: true
  - slug: energy
    input: {event_type: meter, data_point_type: energy, aggregate: sum, coverage: any, share: even}
    unit: kWh
    optional: true
  - slug: rate
    constant: 0.05
    unit: t/kWh
    uncertainty: {relative_standard: 0.02}
  - slug: mass
    formula: loads + energy * rate
    unit: t
    output: true
"""
"""Deliveries, and what a meter stands for: a plant that has both credits them to one ledger."""

OF_THE_SCALE = """
  - slug: scaled
    input: {event_type: delivery, data_point_type: mass, aggregate: sum, where: "asset = 'Scale'"}
    unit: t
    optional: true
  - slug: others
    input:
      event_type: delivery
      data_point_type: mass
      aggregate: sum
      where: "asset is null or asset != 'Scale'"
    unit: t
    optional: true
"""
FED_TWICE = OF_THE_SCALE + FED.replace("loads +", "loads / 2 + (scaled + others) / 2 +")
"""The same, of which each delivery is read twice, and counts by half each time."""

HEAVIEST = """
  - slug: heaviest
    input: {event_type: delivery, data_point_type: mass, aggregate: max}
    unit: t
    default: 0
"""
FED_TIED = HEAVIEST + FED.replace("loads +", "loads + heaviest / 4 +")
"""The same, of which the heaviest delivery, often one of several equal ones, counts by a quarter more."""

FED_BY_ONE = HEAVIEST + FED.replace("loads +", "0 * loads + heaviest +")
"""The heaviest delivery alone."""

OF_LOADS = {FED: 1, FED_TWICE: 1, FED_TIED: 1, FED_BY_ONE: 0}
OF_HEAVIEST = {FED_TIED: Decimal("0.25"), FED_BY_ONE: Decimal(1)}
"""How much a delivery counts for, and how much more the heaviest one of a run does."""

BY_HAND = chain.PRODUCED + chain.upstream("select: manual") + chain.USED

NEIGHBOURS: tuple[Record, ...] = (
    {"method": "mean_before_after", "without_after": "before", "without_before": "first_after"},
    {"method": "linear", "without_after": "before", "without_before": "first_after"},
    {"method": "previous", "without_before": "first_after"},
    {"method": "mean", "window": {"kind": "rolling", "members": 4}},
    {
        "method": "mean_plus_sd",
        "window": {"kind": "rolling", "members": 3},
        "factor": 1,
        "deviation": "sample",
    },
    {"method": "constant", "value": 7, "uncertainty": {"relative_standard": Decimal("0.2")}},
)
"""How gaps of the meter are filled."""

DISCOUNTS = ("", "", "{standard_deviations: 1}", "{standard_deviations: 0.5}", "{percentile: 0.1}")

HAPPENINGS = {
    "deliver": 5, "upload": 2, "produce": 2, "sell": 2, "measure": 3, "correct": 3, "revert": 1, "move": 2,
    "void": 2, "declare_outage": 1, "decide": 1, "state": 3, "calibrate": 4, "recalibrate": 3,
    "change_model": 2, "generate": 6, "draw_by_hand": 3, "delete": 1, "report_part": 2, "report": 1,
    "answer": 1, "withdraw": 1, "restate": 1, "split": 1, "merge": 1,
}  # fmt: skip


class UncertainStory(Story):
    """A story of the first ledger, and of two that draw from it or from one another."""

    def __post_init__(self) -> None:
        super().__post_init__()
        first, second, third = self.books[0], self.books[1], self.books[4]
        first = replace(first, nodes=self.random.choice([*OF_LOADS]))
        if self.random.random() < 0.5:
            second = replace(second, nodes=BY_HAND)
        second = replace(second, output=self.random.choice(("made", "used")), source=first)
        third_source = self.random.choice((first, first, second))
        nodes = SOLD.replace("ledger: Deliveries", f"ledger: {third_source.name}") + chain.USED
        third = replace(third, nodes=nodes, source=third_source)
        self.books = [first, second, third]
        self.scale = given.asset(self.api, self.project, name="Scale")["id"]
        self.tags = [tags | asset for tags in self.tags for asset in ({"asset_id": self.scale}, {})]
        self.calibrations: list[Record] = []
        self.kinds = {one["slug"]: one["id"] for one in self.api.get(f"{self.home}/event_types").data}
        for slug in ("delivery", "production", "sale"):
            self._state_of_type(slug, "mass", OF_A_READING)
        self._state_of_type("meter", "energy", OF_A_METER)
        for book in self.books:
            self._ask(book, self.random.choice(CADENCES), "time")

    def _make_rules(self) -> None:
        """Rules that adjust deliveries, and fill what the meter has wrong and what it lacks."""
        correction = {"method": "expression", "expression": "{{mass}} * 0.5"}
        made: list[tuple[str, Record]] = [
            ("{{mass}} > 20", {"purpose": "adjust", "data_point": "mass", "correction": correction}),
            *(
                ("{{energy}} < 0", {"purpose": purpose, "data_point": "energy",
                                    "correction": self.random.choice(NEIGHBOURS)})
                for purpose in ("substitute", "impute")
            ),
        ]  # fmt: skip
        for expression, fields in made:
            if self.random.random() < 0.7:
                approval = {"requires_approval": self.random.random() < 0.3}
                name = f"{fields['purpose']} {fields['data_point']}"
                self.rules.append(
                    rules.rule(self.api, self.project, expression, name=name, **fields, **approval)
                )

    def _state_of_type(self, slug: str, point: str, size: Decimal) -> None:
        path = f"{self.home}/event_types/{self.kinds[slug]}"
        stated = {"uncertainty": {"standard": size}}
        points = [
            {"slug": one["slug"]} | (stated if one["slug"] == point else {})
            for one in self.api.get(path).body["data_point_types"]
        ]
        self.api.patch(path, {"event_type": {"data_point_types": points}}).expect(200)

    def _ask(self, book: Book, cadence: str, cut: str) -> None:
        """Make a version of a ledger's model that asks for uncertainty, and may credit less for it."""
        discount = self.random.choice(DISCOUNTS)
        text = accounting.document(
            book.nodes, name=book.name, cadence=cadence, partition_type=cut, primary_output=book.output
        ).replace("nodes:", "uncertainty: {}\nnodes:", 1)
        if discount:
            before, output, rest = text.rpartition(f"- slug: {book.output}\n")
            rest = rest.replace("output: true\n", f"output: true\n    discount: {discount}\n", 1)
            text = before + output + rest
        made = accounting.version(self.api, self.newest.get(book.name, book.plant.model), text)
        self.newest[book.name] = made
        self.api.post(f"/models/{made['id']}/activate", {}).expect(200)
        self.say(f"{book.name} becomes {cadence} by {cut}, less {discount or 'nothing'}")

    def tell_one(self) -> None:
        names = [name for name, weight in HAPPENINGS.items() for _ in range(weight)]
        getattr(self, self.random.choice(names))()
        if self.random.random() < 0.3:
            rules.work(self.account)

    def begin(self) -> None:
        self.events["delivery"].append(self.books[0].plant.deliver(12, moment(1), **self.tags[0]))
        for step in (self.calibrate, self.deliver, self.deliver, self.measure, self.produce, self.sell):
            step()

    def change_model(self) -> None:
        book = self.random.choice(self.books)
        cut = self.random.choice(PARTITIONS) if book is self.books[0] else "time"
        self._ask(book, self.random.choice(CADENCES), cut)

    def draw_by_hand(self) -> None:
        """Generate the second ledger of batches that are named, where its model draws so."""
        book = self.books[1]
        sources = [one for one in self.books[0].plant.batches() if one["ledger_balance"] > 0]
        if book.nodes == BY_HAND and sources:
            named = self.random.sample(sources, self.random.randint(1, min(3, len(sources))))
            part = self.random.choice((Decimal("0.25"), Decimal("0.5"), Decimal(1)))
            amounts = [
                {
                    "batch_id": one["id"],
                    "primary_output_amount": round(Decimal(str(one["ledger_balance"])) * part, 6),
                }
                for one in named
            ]
            self._generate(book, EVERYTHING, batch_amounts=amounts)

    def end(self) -> list[Record | None]:
        """Generate everything plainly; what a cut by tags or a lack of deliveries keeps from it is mended."""
        tasks = super().end()
        first, *drawing = tasks
        if first is not None and "which partition they belong to" in (first["error_message"] or ""):
            self._ask(self.books[0], self.random.choice(CADENCES), "time")
            first, *drawing = tasks = super().end()
        if any(task is None or task["state"] == "failed" for task in drawing):
            before = moment(-5)
            self.say("deliver and produce 200 before all else")
            self.events["delivery"].append(self.books[0].plant.deliver(200, before, **self.tags[0]))
            self.events["production"].append(chain.produce(self.books[0].plant, 200, before))
            self.books[0].plant.deliver(600, before, **self.tags[-1])
            tasks = super().end()
        return tasks

    # How well it is known.

    def state(self) -> None:
        """Say of one delivery how well it is known, or say it no more."""
        event = self._some_event("delivery")
        if event is not None:
            stated = self.random.choice(
                ({"standard": Decimal("0.3")}, {"relative_standard": Decimal("0.1")}, None)
            )
            path = f"{self.home}/data_points/{event['data_points'][0]['id']}"
            done = self.api.patch(path, {"data_point": {"uncertainty": stated, "reason": "another scale"}})
            self.say(f"state {stated} of the delivery of {event['start_time']}: {done.status}")

    def calibrate(self) -> None:
        first = self.random.randrange(DAYS - 10)
        until = self.random.choice((None, first + self.random.choice((5, 20, 60))))
        kind, point, asset = self.random.choice(
            (("delivery", "mass", self.scale),) * 2 + (("delivery", "mass", None), ("meter", "energy", None))
        )
        body = {
            "name": f"Certificate {first}", "event_type_id": self.kinds[kind], "data_point_type": point,
            "asset_id": asset, "valid_from": moment(first, 0),
            "valid_until": None if until is None else moment(until, 0),
            "uncertainty": {"relative_standard": self.random.choice((Decimal("0.01"), Decimal("0.04")))},
        }  # fmt: skip
        made = self.api.post(f"{self.home}/calibrations", {"calibration": body})
        self.say(f"calibrate the {kind} from {first} until {until}: {made.status}")
        if made.status == 201:
            self.calibrations.append(made.body)

    def recalibrate(self) -> None:
        """Change or remove a certificate."""
        if not self.calibrations:
            return
        one = self.random.choice(self.calibrations)
        path = f"{self.home}/calibrations/{one['id']}"
        if self.random.random() < 0.3:
            self.calibrations.remove(one)
            self.say(f"remove {one['name']}: {self.api.delete(path).expect(204).status}")
            return
        change = {
            "uncertainty": {"relative_standard": self.random.choice((Decimal("0.02"), Decimal("0.05")))}
        }
        self.api.patch(path, {"calibration": change}).expect(200)
        self.say(f"{one['name']} says {change}")

    def report_part(self) -> None:
        """Report a part of what a ledger has."""
        book = self.random.choice(self.books)
        batches = [one["id"] for one in book.plant.batches() if one["ledger_balance"] > 0]
        if batches:
            body = {
                "name": "Part", "report_type": "quarterly", "project_id": self.project["id"],
                "batches": self._amounts(batches[:2]),
            }  # fmt: skip
            made = self.api.post("/reports", {"report": body})
            if made.status == 201:
                self._send(made.body, f"report a part of {book.name}")
