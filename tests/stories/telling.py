"""A story: a plant of five ledgers to which anything happens that people do, in any order, over HTTP.

Deliveries are credited to a first ledger, from which a production draws twice what it made, and sales what
was sold; a meter that reports once a day is credited to a third, with its gaps filled by a rule; readings
of every six hours are rolled up into days, which are credited to a fourth. Rules adjust, substitute and
impute, at once or when somebody approves. Deliveries also come in files, and carry tags by which the first
model may cut its slots. What was found when a seed was told is told again by that seed.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import combinations
from random import Random
from typing import Any, Final

from tests.given import accounting, bundles, chain
from tests.given import collection as given
from tests.given import rule_evaluation as rules
from tests.given.accounting import Plant
from tests.given.collection import Record
from tests.server import Account, Answer

BEGIN: Final = datetime(2025, 1, 1, tzinfo=UTC)
DAYS: Final = 90
EVERYTHING: Final = ("2024-10-01T00:00:00Z", "2025-07-01T00:00:00Z")
CADENCES: Final = ("daily", "weekly", "monthly", "quarterly")
PARTITIONS: Final = ("time", "time", "feedstock", "tracking_id")
LONG_AGO: Final = "2000-01-01T00:00:00Z"

METERED: Final = """
  - slug: energy
    input: {event_type: meter, data_point_type: energy, aggregate: sum, coverage: any}
    unit: kWh
    output: true
"""
SOLD: Final = """
  - slug: sold
    input: {event_type: sale, data_point_type: mass, aggregate: sum}
    unit: t
    output: true
""" + chain.upstream("amount: sold")
ROLLED_UP: Final = """
  - slug: heat
    input: {event_type: day, data_point_type: heat, aggregate: sum, coverage: any}
    unit: kWh
    output: true
"""


def moment(day: int, hour: int = 12) -> str:
    """A time of the story, by its day from 0."""
    return (BEGIN + timedelta(days=day, hours=hour)).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True)
class Book:
    """A ledger of the story, the events that it counts, and what it draws from."""

    plant: Plant
    event_type: str
    nodes: str
    output: str
    factor: int = 1
    """How often an event's value counts."""
    source: "Book | None" = None

    @property
    def name(self) -> str:
        return str(self.plant.ledger["name"])


@dataclass(slots=True)
class Story:
    """What happens to a plant, step by step, and what has happened so far."""

    account: Account
    random: Random
    told: list[str] = field(default_factory=list)
    """The steps, to be read when something is wrong."""
    events: dict[str, list[str]] = field(default_factory=dict)
    books: list[Book] = field(default_factory=list)
    newest: dict[str, Record] = field(default_factory=dict)
    """The newest version of each ledger's model, where there is more than one."""
    reports: list[Record] = field(default_factory=list)
    rules: list[Record] = field(default_factory=list)
    tags: list[dict[str, str]] = field(default_factory=list)
    """What a delivery may be tagged with."""
    feed: str = ""
    """The path of the uploads of a feed of deliveries."""

    def __post_init__(self) -> None:
        api, drain, pick = self.account.caller(), self.account.drain, self.random.choice
        first = chain.inventory(api, drain, cadence=pick(CADENCES), partition_type=pick(PARTITIONS))
        project = first.project
        self.tags = [
            {"feedstock_id": feedstock, "tracking_id": tracking_id}
            for feedstock in (first.feedstock("Straw"), first.feedstock("Wood"))
            for tracking_id in ("lot 1", "lot 2")
        ]
        second = chain.link(first, cadence=pick(CADENCES))
        energy = [given.number("energy", unit="kWh")]
        given.event_type(
            api, project, slug="meter", cadence_amount=1, cadence_unit="day", data_point_types=energy
        )
        heat = [given.number("heat", unit="kWh")]
        given.event_type(
            api, project, slug="reading", cadence_amount=6, cadence_unit="hour", data_point_types=heat
        )
        values = [{"data_point": "heat", "aggregate": "sum", "source": "heat"}]
        given.event_type(
            api, project, slug="day", cadence_amount=1, cadence_unit="day", data_point_types=heat,
            rolled_up_from={"event_type": "reading", "data_points": values},
        )  # fmt: skip
        third = chain.link(first, METERED, name="Energy", output="energy", unit="kWh", cadence=pick(CADENCES))
        fourth = chain.link(first, ROLLED_UP, name="Heat", output="heat", unit="kWh", cadence=pick(CADENCES))
        fifth = chain.link(first, SOLD, name="Sales", output="sold", cadence=pick(CADENCES))
        inventory = Book(first, "delivery", accounting.MASS, "mass")
        self.books = [
            inventory,
            Book(second, "production", chain.drawing(), "made", source=inventory),
            Book(third, "meter", METERED, "energy"),
            Book(fourth, "day", ROLLED_UP, "heat"),
            Book(fifth, "sale", SOLD, "sold", source=inventory),
        ]
        self.events = {kind: [] for kind in ("delivery", "production", "sale", "meter", "reading")}
        self._make_rules()
        self.feed = self._make_feed()

    def _make_rules(self) -> None:
        api, project = self.api, self.project
        made: list[tuple[str, Record]] = [
            ("{{mass}} > 20", {"purpose": "adjust", "data_point": "mass",
                               "correction": {"method": "expression", "expression": "{{mass}} * 0.5"}}),
            ("{{energy}} < 0", {"purpose": "substitute", "data_point": "energy",
                                "correction": {"method": "constant", "value": 4}}),
            ("{{energy}} < -100", {"purpose": "impute", "data_point": "energy",
                                    "correction": {"method": "constant", "value": 7}}),
        ]  # fmt: skip
        for expression, fields in made:
            if self.random.random() < 0.6:
                asked = {"requires_approval": self.random.random() < 0.5}
                self.rules.append(rules.rule(api, project, expression, **fields, **asked))

    def _make_feed(self) -> str:
        """A feed of deliveries, which are corrected where a file says other values; its path."""
        [kind] = [one for one in self.api.get(f"{self.home}/event_types").data if one["slug"] == "delivery"]
        feed = {
            "name": "Scale", "event_type_id": kind["id"], "time_zone": "UTC", "client_reference": "time",
            "on_difference": "correct",
        }  # fmt: skip
        made = self.api.post(f"{self.home}/data_feeds", {"data_feed": feed}).expect(201).body
        return f"{self.home}/data_feeds/{made['id']}/uploads"

    @property
    def api(self) -> Any:
        return self.books[0].plant.api

    @property
    def project(self) -> Record:
        return self.books[0].plant.project

    @property
    def home(self) -> str:
        return f"/projects/{self.project['id']}"

    def tell(self, steps: int) -> None:
        """Let so many things happen."""
        self.begin()
        for _ in range(steps):
            self.tell_one()

    def begin(self) -> None:
        """Let the first data come, of each kind."""
        self.events["delivery"].append(self.books[0].plant.deliver(12, moment(1), **self.tags[0]))
        for step in (self.deliver, self.deliver, self.produce, self.sell, self.measure, self.read):
            step()

    def tell_one(self) -> None:
        """Let one thing happen."""
        happenings = [one for one, weight in WEIGHTS.items() for _ in range(weight)]
        getattr(self, self.random.choice(happenings))()
        if self.random.random() < 0.3:
            rules.work(self.account)

    def say(self, words: str) -> None:
        self.told.append(words)

    # What is measured.

    def deliver(self) -> None:
        mass, day = self.random.choice((5, 3, 7, 30, 12)), self.random.randrange(DAYS)
        self.say(f"deliver {mass} on day {day}")
        tags = self.random.choice(self.tags)
        self.events["delivery"].append(self.books[0].plant.deliver(mass, moment(day), **tags))

    def upload(self) -> None:
        """A file of deliveries of a few days, some of which another file may have told otherwise."""
        first = self.random.randrange(0, DAYS - 6, 6)
        rows = {first + n: self.random.choice((4, 6, 21)) for n in self.random.sample(range(6), 3)}
        lines = [f"{moment(day, 8)},{mass},Straw,lot 1" for day, mass in sorted(rows.items())]
        content = "\n".join(["start_time,mass,feedstock,tracking_id", *lines, ""]).encode()
        sent = self.api.upload(self.feed, "scale.csv", content).expect(202).body
        self.account.drain()
        done = self.api.get(f"{self.feed}/{sent['id']}").expect(200).body
        self.say(f"upload deliveries {rows}: {done['state']} {done['error_message'] or ''}")
        asked = {"filter[slug]": "delivery", "page_size": "200"}
        found = {one["id"] for one in self.api.get(f"{self.home}/events", asked).expect(200).data}
        self.events["delivery"] += sorted(found - {*self.events["delivery"]})

    def produce(self) -> None:
        mass, day = self.random.choice((1, 2)), self.random.randrange(DAYS)
        self.say(f"produce {mass} on day {day}")
        self.events["production"].append(chain.produce(self.books[0].plant, mass, moment(day)))

    def sell(self) -> None:
        mass, day = self.random.choice((1, 2)), self.random.randrange(DAYS)
        self.say(f"sell {mass} on day {day}")
        self.events["sale"].append(self.books[0].plant.measure("sale", {"mass": mass}, moment(day)))

    def measure(self) -> None:
        """Some days of the meter, with gaps, sent at once."""
        first = self.random.randrange(DAYS - 6)
        values = {first + n: self.random.choice((10, 11, -1, None)) for n in range(5)}
        self.say(f"meter {values}")
        bodies = [
            given.event_body(event_type="meter", start_time=moment(day, 0), values={"energy": value})
            for day, value in values.items()
            if value is not None
        ]
        if bodies:
            self.events["meter"] += [one["id"] for one in given.events(self.api, self.project, bodies)]

    def read(self) -> None:
        """Some readings of every six hours, of a day or of parts of it."""
        day, hours = (
            self.random.randrange(DAYS),
            self.random.sample((0, 6, 12, 18), self.random.randrange(1, 5)),
        )
        self.say(f"read day {day} at {sorted(hours)}")
        bodies = [
            given.event_body(event_type="reading", start_time=moment(day, hour), values={"heat": 2})
            for hour in hours
        ]
        sent = self.api.post(f"{self.home}/events", {"events": bodies}).expect(201)
        self.events["reading"] += [one["id"] for one in sent.data]

    def correct(self) -> None:
        event = self._some_event()
        if event is None or not event["data_points"]:
            return
        value = self.random.choice((1, 2, 9, 25))
        self.say(f"correct {event['slug']} of {event['start_time']} to {value}")
        body = {"data_point": {"value": value, "reason": "weighed again"}}
        self.api.patch(f"{self.home}/data_points/{event['data_points'][0]['id']}", body).expect(200)

    def revert(self) -> None:
        event = self._some_event()
        if event is None or not event["data_points"]:
            return
        self.say(f"revert {event['slug']} of {event['start_time']}")
        self.api.post(f"{self.home}/data_points/{event['data_points'][0]['id']}/revert", {}).expect(200)

    def move(self) -> None:
        event = self._some_event("delivery", "production")
        if event is None:
            return
        to = moment(self.random.randrange(DAYS))
        self.say(f"move {event['slug']} of {event['start_time']} to {to}")
        tags = self.random.choice(self.tags) if self.random.random() < 0.3 else {}
        change = {"event": {"start_time": to, "end_time": to, "reason": "the clock was wrong"} | tags}
        self.api.patch(f"{self.home}/events/{event['id']}", change)

    def void(self) -> None:
        event = self._some_event()
        if event is not None:
            gone = self.api.delete(f"{self.home}/events/{event['id']}")
            self.say(f"void {event['slug']} of {event['start_time']}: {gone.status}")

    def declare_outage(self) -> None:
        first = self.random.randrange(DAYS - 3)
        self.say(f"outage of the meter from day {first}")
        outage = {"reason": "maintenance", "start_time": moment(first, 0), "end_time": moment(first + 2, 0)}
        self.api.post(f"{self.home}/outages", {"outage": outage}).expect(201)

    def _some_event(self, *kinds: str) -> Record | None:
        kind = self.random.choice(kinds or [*self.events])
        if not self.events[kind]:
            return None
        found: Answer = self.api.get(f"{self.home}/events/{self.random.choice(self.events[kind])}")
        return found.body if found.status == 200 else None

    # What people decide.

    def decide(self) -> None:
        """Approve, reject or dismiss what rules found."""
        for rule in self.rules:
            for result in rules.results(self.api, rule)[:3]:
                verb = self.random.choice(("approve", "reject", "dismiss", ""))
                if verb:
                    body = {} if verb == "approve" else {"reason": "looked at"}
                    done = self.api.post(f"{self.home}/rule_results/{result['id']}/{verb}", body)
                    self.say(f"{verb} a result of {rule['name']}: {done.status}")

    # What is computed.

    def change_cadence(self) -> None:
        book = self.random.choice(self.books)
        cadence = self.random.choice(CADENCES)
        cut = self.random.choice(PARTITIONS) if book is self.books[0] else "time"
        text = accounting.document(
            book.nodes, name=book.name, cadence=cadence, partition_type=cut, primary_output=book.output
        )
        made = accounting.version(self.api, self.newest.get(book.name, book.plant.model), text)
        self.newest[book.name] = made
        self.api.post(f"/models/{made['id']}/activate", {}).expect(200)
        self.say(f"{book.name} becomes {cadence} by {cut}")

    def generate(self) -> None:
        book = self.random.choice(self.books)
        period, fields = EVERYTHING, {}
        if self.random.random() < 0.4:
            first = self.random.randrange(DAYS - 20)
            period = (moment(first, 0), moment(first + self.random.choice((7, 31, 60)), 0))
        if self.random.random() < 0.3:
            fields["model_version"] = "latest"
        self._generate(book, period, **fields)

    def _generate(self, book: Book, period: tuple[str, str], **fields: Any) -> Record | None:
        asked = book.plant.start(period, **fields)
        words = f"generate {book.name} {period[0][:10]} {period[1][:10]} {fields or ''}"
        if asked.status != 202:
            assert asked.status == 422, asked.body
            self.say(f"{words}: {asked.error['message']}")
            return None
        self.account.drain()
        task: Record = self.api.get(f"/async_tasks/{asked.body['id']}").expect(200).body
        self.say(f"{words}: {task['state']} {task['error_message'] or ''}")
        return task

    def delete(self) -> None:
        book = self.random.choice(self.books)
        batches = book.plant.batches()
        if batches:
            gone = self.api.delete(f"/batches/{self.random.choice(batches)['id']}")
            self.account.drain()
            self.say(f"delete a batch of {book.name}: {gone.status}")

    # What is claimed.

    def report(self) -> None:
        book = self.random.choice(self.books)
        if any(batch["ledger_balance"] > 0 for batch in book.plant.batches()):
            draft = bundles.report_of(self.api, book.plant.ledger)
            self._send(draft, f"report all of {book.name}")

    def restate(self) -> None:
        accepted = [one for one in map(self._read, self.reports) if one["status"] == "complete"]
        open_ones = [one for one in accepted if one["superseded_by"] is None]
        if not open_ones:
            return
        old = self.random.choice(open_ones)
        [book] = [one for one in self.books if one.plant.ledger["id"] == old["ledger_id"]]
        if self.random.random() < 0.5:
            rules.work(self.account)
            self._generate(book, EVERYTHING, model_version="latest")
        batches = [one["batch_id"] for one in old["inclusions"]]
        there = [one for one in batches if self.api.get(f"/batches/{one}").status == 200]
        every = [one["id"] for one in book.plant.batches()]
        taken: Record = self.random.choice(
            (
                {"batches": self._amounts(there)},
                {"batches": self._amounts(every)},
                {"batch_ids": every},
                {"batches": [], "liability": 2, "liability_reason": "more was lost than made"},
            )
        )
        body = {
            "name": "Again",
            "report_type": "quarterly",
            "project_id": self.project["id"],
            "supersedes": old["id"],
        }
        made = self.api.post("/reports", {"report": body | taken})
        words = f"restate {old['id']} with {[*taken]}"
        if made.status == 201:
            self._send(made.body, words)
        else:
            self.say(f"{words}: {[one.get('code') for one in made.errors]}")

    def _amounts(self, batches: list[str]) -> list[Record]:
        """A part, or all, of what each of some batches has."""
        chosen = self.random.sample(batches, self.random.randint(min(1, len(batches)), len(batches)))
        amount = self.random.choice((1, "0.5", 3))
        return [{"batch_id": one, "amount": Decimal(amount)} for one in chosen]

    def _send(self, draft: Record, words: str) -> None:
        sent = self.api.post(f"/reports/{draft['id']}/submit", {})
        codes = [one.get("code") for one in sent.errors[1:]] if sent.status == 422 else ""
        self.say(f"{words}: {sent.status} {codes}")
        if sent.status != 202:
            self.api.delete(f"/reports/{draft['id']}").expect(204)
            return
        self.account.drain()
        self.reports.append(draft)

    def answer(self) -> None:
        for one in map(self._read, self.reports):
            if one["status"] == "submitted":
                verb = self.random.choice(("accept", "accept", "reject"))
                said: Record = {} if verb == "accept" else {"reason": "a certificate is missing"}
                if verb == "accept" and not one["liability"] and self.random.random() < 0.4:
                    part = round(Decimal(str(one["amount"])) / 3, 3)
                    said = {"amount": part, "reason": "a third"} if part else {}
                self.api.post(f"/reports/{one['id']}/{verb}", said).expect(200)
                self.say(f"{verb} {one['id']} {said}")

    def withdraw(self) -> None:
        """Take one claim back that waits or was accepted, unless a restatement of it is under way."""
        held = [one for one in map(self._read, self.reports) if one["status"] in {"submitted", "complete"}]
        if held:
            one = self.random.choice(held)
            done = self.api.post(f"/reports/{one['id']}/withdraw", {"reason": "claimed elsewhere"})
            self.say(f"withdraw {one['id']}: {done.status}")
            assert done.status == 200 or done.error["code"] == "restatement_under_way", done.body

    def merge(self) -> None:
        """Make one claim of two of a ledger that were accepted."""
        accepted = self._list_accepted()
        pairs = [
            (one, other) for one, other in combinations(accepted, 2) if one["ledger_id"] == other["ledger_id"]
        ]
        if pairs:
            one, other = self.random.choice(pairs)
            body = {"report_ids": [other["id"]], "name": "Merged", "reason": "one claim for both"}
            done = self.api.post(f"/reports/{one['id']}/merge", body)
            self.say(f"merge {one['id']} and {other['id']}: {done.status}")
            assert done.status == 201 or done.error["code"] == "restatement_under_way", done.body
            if done.status == 201:
                self.reports.append(done.body)

    def split(self) -> None:
        """Make two claims of one that was accepted, a third of it and the rest."""
        accepted = [one for one in self._list_accepted() if one["accepted_amount"] > 0]
        if accepted:
            one = self.random.choice(accepted)
            third = round(Decimal(str(one["accepted_amount"])) / 3, 3)
            parts = [{"name": "A third", "amount": third}, {"name": "The rest"}]
            done = self.api.post(f"/reports/{one['id']}/split", {"parts": parts, "reason": "two buyers"})
            self.say(f"split {one['id']}: {done.status}")
            codes = {"restatement_under_way", "invalid", "required"}
            assert done.status == 201 or {error["code"] for error in done.errors} <= codes, done.body
            if done.status == 201:
                self.reports += done.body["parts"]

    def _list_accepted(self) -> list[Record]:
        """The claims that were accepted, hold what was, and owe nothing."""
        found = map(self._read, self.reports)
        return [one for one in found if one["status"] == "complete" and not one["liability"]]

    def _read(self, report: Record) -> Record:
        found: Record = self.api.get(f"/reports/{report['id']}").expect(200).body
        return found

    # How it ends.

    def end(self) -> list[Record | None]:
        """Work off what waits and generate everything plainly, each ledger behind its source; the tasks."""
        rules.work(self.account)
        tasks = [self._generate(book, EVERYTHING) for book in self.books]
        rules.work(self.account)
        return tasks


WEIGHTS: Final[dict[str, int]] = {
    "deliver": 4, "upload": 2, "produce": 2, "sell": 2, "measure": 3, "read": 2, "correct": 4, "revert": 1,
    "move": 3, "void": 2, "declare_outage": 1, "decide": 2, "change_cadence": 3, "generate": 7, "delete": 1,
    "report": 3, "restate": 2, "answer": 2, "withdraw": 1,
    "merge": 1, "split": 1,
}  # fmt: skip
"""What happens, and how often."""
