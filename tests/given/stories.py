"""Stories of ledgers as tables of text: what happens on the left, what the ledgers say then on the right.

    told(sql, Deliveries=deliveries, Production=production).story(
        '''
        2025-01  deliver 10 Wood | generate            | produced 10  remaining 10
        2025-02  produce 2       | generate Production | drawn 4  remaining 6  Production remaining 2
        correct 2025-01 delivery to 3 | generate       | remaining 0  deficit 1
                                                       | fall 2025-01 -6 on 2025-02-01
        '''
    )

The cells of a row are what happens, one after the other; what stands in the last of several is what the
ledgers say then, parted by two spaces. A row in which nothing happens says more of the row before. Without a
name a ledger is the first. A month stands for its second day; a range that is left out is the first quarter.

What happens:
    2025-01 deliver 10 Wood          an event of so much, of a feedstock; also `bill`, `produce`, `sell`
    correct 2025-01 delivery to 3    the last such event of the time says something else
    remove 2025-01 delivery          it is taken out of the data, also when a batch was made of it
    draw 4 from 2025-01              another model, of a ledger of its own, holds so much of the slot's batch
    enter 1000                       an instrument, into a system ledger
    generate, generate 2025-01       also: generate Production, generate Production 2025-01
    preview                          as generate, with nothing posted
    delete the last batch            also: delete the last batch of Production

What a ledger says:
    produced 10, drawn 4, remaining 6, deficit 0     what its runs come to, what others hold, its own two sums
    2025-01 Wood holds 6             what the batches of a run hold; also `adds`, `comes to`
    batches hold 0 2 0               each batch, in the order of slots; also `batches add`
    credit 2025-01 5 on 2025-02-01   an entry of the row, in order: kind, slot of its batch, amount, the day
                                     it counts for; who tells one entry of a row tells all of them
    at 2025-02-01 remaining 0 deficit 3   what had been produced and drawn by then
    short of nothing, short of 2, short of Straw 2   the open deficits that it names
    was short of 5 from 2025-02-01 to 2025-04-01     a deficit that it names, and when it is settled
    created 1, adjusted 0, unchanged 2, problems 0   what it counts
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from tests.given import accounting, draws, instruments
from tests.given.accounting import QUARTER, Plant, Sql
from tests.given.collection import Record

EVENTS: Final = {
    "deliver": ("delivery", "mass"),
    "bill": ("bill", "energy"),
    "produce": ("production", "mass"),
    "sell": ("sale", "mass"),
}
"""The event type and data point of each verb."""

_AMOUNT: Final = r"-?\d+(?:\.\d+)?"
_NUMBER: Final = rf"({_AMOUNT})"
_TIME: Final = r"(\d{4}-\d\d(?:-\d\d(?:T\S+)?)?)"


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a story: what happens, and what the ledgers say then."""

    text: str
    steps: list[str]
    expectations: list[str]


@dataclass(slots=True)
class Teller:
    """Lets a story happen to some ledgers, and holds what they say against it."""

    sql: Sql
    plants: Mapping[str, Plant]
    feedstocks: dict[str, str] = field(default_factory=dict)
    events: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    outcome: Record = field(default_factory=dict)
    """What the last generation or preview gave."""

    def story(self, text: str) -> None:
        """Tell a story; AssertionError with every row's differences from what the ledgers say."""
        wrong: list[str] = []
        for row in rows_of(text):
            last_entry = self._last_entry()
            for step in row.steps:
                self._happen(step)
            wrong += [f"{row.text}\n    {one}" for one in self._differences(row, last_entry)]
        assert not wrong, "The ledgers say otherwise:\n" + "\n".join(wrong)

    def _happen(self, step: str) -> None:
        for pattern, happen in _STEPS.items():
            if match := re.fullmatch(pattern, step):
                happen(self, *match.groups())
                return
        raise ValueError(f"{step!r} is nothing that a story can tell.")

    def _differences(self, row: Row, last_entry: int) -> list[str]:
        entries: dict[str, list[str]] = {}
        differences = []
        for said in row.expectations:
            name, words = self._of_ledger(said)
            if re.fullmatch(_ENTRY, words):
                entries.setdefault(name, []).append(words)
            elif (actual := self._said(name, words)) != words:
                differences.append(f"{said}: it is {actual}")
        for name, expected in entries.items():
            if (posted := self._entries(name, last_entry)) != expected:
                differences.append(f"{expected}: posted on {name} was {posted}")
        return differences

    def _of_ledger(self, said: str) -> tuple[str, str]:
        """The ledger that is spoken of, the first unless it is named, and the rest."""
        first, _, rest = said.partition(" ")
        return (first, rest) if first in self.plants else (next(iter(self.plants)), said)

    def _said(self, ledger: str, words: str) -> str:
        """What the ledger says, in the form of an expectation."""
        for pattern, answer in _ANSWERS.items():
            if match := re.fullmatch(pattern, words):
                return answer(self, self.plants[ledger], *match.groups())
        raise ValueError(f"{words!r} is nothing that a ledger says.")

    # What happens.

    def _measure(self, when: str, verb: str, amount: str, feedstock: str | None) -> None:
        kind, slug = EVENTS[verb]
        tags = {} if feedstock is None else {"feedstock_id": self._feedstock(feedstock)}
        event = self._first.measure(kind, {slug: amount}, _moment(when), **tags)
        self.events.setdefault((when, kind), []).append(event)

    def _correct(self, when: str, kind: str, amount: str) -> None:
        path = f"/projects/{self._first.project['id']}"
        event = self._first.api.get(f"{path}/events/{self.events[when, kind][-1]}").expect(200).body
        body = {"data_point": {"value": Decimal(amount), "reason": "weighed again"}}
        point = event["data_points"][0]["id"]
        self._first.api.patch(f"{path}/data_points/{point}", body).expect(200)

    def _remove(self, when: str, kind: str) -> None:
        accounting.void(self.sql, self.events[when, kind].pop())

    def _draw(self, amount: str, tracking_id: str) -> None:
        consumer = draws.consumer_of(self._first)
        consumer.generate(QUARTER)
        source = next(one for one in self._first.batches() if one["tracking_id"] == tracking_id)
        draws.draw(self.sql, source, consumer.batches()[0], int(amount))

    def _enter(self, ledger: str | None, amount: str) -> None:
        plant = self._plant(ledger)
        number = len(plant.batches()) + 1
        instruments.enter(plant.api, plant.ledger, f"REC-{number}", amount=Decimal(amount)).expect(201)

    def _generate(self, ledger: str | None, month: str | None) -> None:
        self.outcome = self._plant(ledger).generate(_range(month))

    def _preview(self, ledger: str | None, month: str | None) -> None:
        (self.outcome,) = self._plant(ledger).preview(_range(month))

    def _delete(self, ledger: str | None) -> None:
        plant = self._plant(ledger)
        plant.api.delete(f"/batches/{plant.batches()[-1]['id']}").expect(202)
        plant.drain()

    # What ledgers say.

    def _sum(self, plant: Plant, what: str) -> str:
        return f"{what} {_plain(_SUMS[what](plant))}"

    def _of_run(self, plant: Plant, tracking_id: str, what: str) -> str:
        batches = [one for one in plant.batches() if one["tracking_id"] == tracking_id]
        amounts = [_OF_BATCH[what](one) for one in batches]
        amount = amounts[-1] if what == "comes to" and amounts else sum(amounts)
        return f"{tracking_id} {what} {_plain(amount)}" if batches else "no batch"

    def _of_batches(self, plant: Plant, what: str) -> str:
        of_batch = _OF_BATCH[f"{what}s"]
        return " ".join(["batches", what, *(_plain(of_batch(one)) for one in plant.batches())])

    def _short(self, plant: Plant) -> str:
        """What the last generation or preview names as deficits: those of other ledgers with their ids."""
        parts = [
            (one["ledger"] if one["ledger"] != plant.ledger["id"] else None, one["partition"], one["amount"])
            for one in self.outcome["deficits"]
            if one["settled_at"] is None
        ]
        said = [" ".join([*filter(None, names), _plain(amount)]) for *names, amount in parts]
        return "short of " + (", ".join(said) or "nothing")

    def _was_short(self, plant: Plant, since: str, until: str) -> str:
        """What the last generation or preview names for a stretch of time."""
        amount = sum(
            one["amount"]
            for one in self.outcome["deficits"]
            if one["ledger"] == plant.ledger["id"]
            and (one["end_time"][:10], (one["settled_at"] or "")[:10]) == (since, until)
        )
        return f"was short of {_plain(amount)} from {since} to {until}"

    def _at(self, plant: Plant, day: str) -> str:
        ledger = _own(plant, effective_at=f"{day}T00:00:00Z")
        return f"at {day} remaining {_plain(ledger['balance'])} deficit {_plain(ledger['deficit'])}"

    def _counted(self, _plant: Plant, what: str) -> str:
        counted = self.outcome[what]
        return f"{what} {len(counted) if isinstance(counted, list) else counted}"

    def _entries(self, ledger: str, behind: int) -> list[str]:
        rows = self.sql(
            """
            SELECT e.kind, to_char(b.start_time, 'YYYY-MM'), e.amount, to_char(e.effective_at, 'YYYY-MM-DD')
              FROM ledger_entries e JOIN batches b ON (b.project_id, b.id) = (e.project_id, e.batch_id)
             WHERE (e.project_id, e.ledger_id) = (%s, %s) AND e.id > %s AND e.amount <> 0 ORDER BY e.id
            """,
            *accounting.key_of("ledger", self.plants[ledger].ledger["id"]),
            behind,
        )
        return [f"{kind} {slot} {_plain(amount)} on {day}" for kind, slot, amount, day in rows]

    def _last_entry(self) -> int:
        project = self._first.project["numeric_id"]
        [(number,)] = self.sql(
            "SELECT coalesce(max(id), 0) FROM ledger_entries WHERE project_id = %s", project
        )
        return int(number)

    @property
    def _first(self) -> Plant:
        return next(iter(self.plants.values()))

    def _plant(self, ledger: str | None) -> Plant:
        return self._first if ledger is None else self.plants[ledger]

    def _feedstock(self, name: str) -> str:
        if name not in self.feedstocks:
            self.feedstocks[name] = self._first.feedstock(name)
        return self.feedstocks[name]


def told(sql: Sql, *plants: Plant, **named: Plant) -> Teller:
    """A teller of stories of these ledgers; one without a name is `Deliveries`."""
    return Teller(sql, {**{str(plant.ledger["name"]): plant for plant in plants}, **named})


def rows_of(text: str) -> list[Row]:
    """The rows of a story, each with what is said in the rows below it in which nothing happens."""
    rows: list[Row] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        *cells, last = line.split("|") if "|" in line else [line, ""]
        steps = [" ".join(cell.split()) for cell in cells if cell.strip()]
        said = re.split(r"\s{2,}", last.strip()) if last.strip() else []
        if steps:
            rows.append(Row(line, steps, said))
        else:
            rows[-1].expectations.extend(said)
    return rows


def _moment(when: str) -> str:
    if "T" in when:
        return when
    return f"{when}-02T00:00:00Z" if len(when) == len("2025-01") else f"{when}T00:00:00Z"


def _range(month: str | None) -> tuple[str, str]:
    if month is None:
        return QUARTER
    year, number = map(int, month.split("-"))
    behind = f"{year + 1}-01" if number == 12 else f"{year}-{number + 1:02}"
    return f"{month}-01T00:00:00Z", f"{behind}-01T00:00:00Z"


def _plain(amount: Decimal | int) -> str:
    return f"{Decimal(amount).normalize():f}"


def _produced(plant: Plant) -> Decimal:
    batches = plant.batches()
    newest = {batch["tracking_id"]: Decimal(batch["run_total"]) for batch in batches}
    produced = sum(newest.values(), Decimal(0))
    outputs = [Decimal(batch["primary_output"]["value"]) for batch in batches]
    assert sum(outputs, Decimal(0)) == produced, "primary outputs do not add up to what was produced"
    return produced


def _drawn(plant: Plant) -> Decimal:
    held = (one for batch in plant.batches() for one in batch["downstream_batch_allocations"])
    return sum((Decimal(one["amount"]) for one in held), Decimal(0))


def _own(plant: Plant, **moments: str) -> Record:
    ledger: Record = plant.api.get(f"/ledgers/{plant.ledger['id']}", moments).expect(200).body
    return ledger


_SUMS: Final[Mapping[str, Callable[[Plant], Decimal]]] = {
    "produced": _produced,
    "drawn": _drawn,
    "remaining": lambda plant: _own(plant)["balance"],
    "deficit": lambda plant: _own(plant)["deficit"],
}
_OF_BATCH: Final[Mapping[str, Callable[[Record], Any]]] = {
    "holds": lambda batch: batch["ledger_balance"],
    "adds": lambda batch: batch["primary_output"]["value"],
    "comes to": lambda batch: batch["run_total"],
}
_RANGE: Final = r"(?: (?!\d)(\S+))?(?: (\d{4}-\d\d))?"
_STEPS: Final[Mapping[str, Callable[..., None]]] = {
    rf"{_TIME} ({'|'.join(EVENTS)}) {_NUMBER}(?: (.+))?": Teller._measure,
    rf"correct {_TIME} (\w+) to {_NUMBER}": Teller._correct,
    rf"remove {_TIME} (\w+)": Teller._remove,
    rf"draw {_NUMBER} from (.+)": Teller._draw,
    rf"(?:(\S+) )?enter {_NUMBER}": Teller._enter,
    rf"generate{_RANGE}": Teller._generate,
    rf"preview{_RANGE}": Teller._preview,
    r"delete the last batch(?: of (\S+))?": Teller._delete,
}
_ENTRY: Final = rf"\w+ \d{{4}}-\d\d {_AMOUNT} on \S+"
_ANSWERS: Final[Mapping[str, Callable[..., str]]] = {
    rf"at (\S+) remaining {_AMOUNT} deficit {_AMOUNT}": Teller._at,
    rf"was short of {_AMOUNT} from (\S+) to (\S+)": Teller._was_short,
    rf"({'|'.join(_SUMS)}) {_AMOUNT}": Teller._sum,
    rf"batches (hold|add)(?: {_AMOUNT})*": Teller._of_batches,
    rf"(.+) ({'|'.join(_OF_BATCH)}) {_AMOUNT}": Teller._of_run,
    r"short of .+": Teller._short,
    rf"(created|adjusted|unchanged|problems|count|adjustments) {_AMOUNT}": Teller._counted,
}
