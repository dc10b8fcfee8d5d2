"""Stories of a ledger whose model changes its cadence: every event counts once, or is named.

The oracle knows no slots. The k-th delivery weighs 100 to the k-th, so the digits of what the ledger has
produced say how often each of them counts: never more than once, and after a generation of all the time once,
unless the generation names the delivery. A bill counts by the part of its time that batches have.
"""

import os
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from hypothesis import HealthCheck, Phase, settings
from hypothesis import given as for_all
from hypothesis import strategies as st
from tests.given import accounting
from tests.given.accounting import MASS

from weighbridge.verification.books import check_books
from weighbridge.verification.invariants import check_counted_once
from weighbridge.verification.recomputation import check_batches

STORIES = int(os.environ.get("STORIES", "2"))
STEPS_MAX = int(os.environ.get("STEPS", "12"))

BILLED_MASS = (
    MASS.replace("output: true", "output: true\n    default: 0")
    + """
  - slug: energy
    input: {event_type: bill, data_point_type: energy, aggregate: sum, straddle: prorate, coverage: any}
    unit: kWh
    output: true
    default: 0
"""
)
FIRST = datetime(2025, 1, 1, tzinfo=UTC)
WHOLE = ("2024-12-30T00:00:00Z", "2025-04-07T00:00:00Z")
RANGES = (
    WHOLE,
    ("2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z"),
    ("2025-02-01T00:00:00Z", "2025-03-03T00:00:00Z"),
    ("2025-01-27T00:00:00Z", "2025-02-17T00:00:00Z"),
    ("2025-02-15T00:00:00Z", "2025-04-01T00:00:00Z"),
)
BILLED = (20, 50)
"""From which day until which the bill lasts that a story has; it comes to 1 kWh a day."""

days = st.one_of(st.integers(5, 88), st.sampled_from((1, 30, 31, 32, 58, 59, 60, 88)))
hours = st.sampled_from((0, 12))
lengths = st.sampled_from((0, 0, 0, 1, 3))
anything = st.integers(0, 99)
CLOCKS = ("daily", "weekly", "monthly", "quarterly")
deliveries = st.tuples(st.just("deliver"), days, hours, lengths)
generated = st.tuples(st.just("generate"), st.sampled_from(RANGES), st.booleans())


def stories(cadences):
    """What happens before the first generation, the steps after it, and the first cadence."""
    changes = st.tuples(st.just("change_cadence"), st.sampled_from(cadences))
    steps = st.one_of(
        deliveries,
        deliveries,
        st.tuples(st.just("move"), anything, days, hours),
        st.tuples(st.just("void"), anything),
        changes,
        changes,
        generated,
        generated,
        generated,
        st.tuples(st.just("undo")),
        st.tuples(st.just("delete"), anything),
    )
    return st.tuples(
        st.lists(deliveries, min_size=2, max_size=5),
        st.lists(steps, min_size=4, max_size=STEPS_MAX),
        st.sampled_from(cadences),
    )


def moment(day, hour=0):
    return (FIRST + timedelta(days=day, hours=hour)).strftime("%Y-%m-%dT%H:%M:%SZ")


class Story:
    """A plant whose model changes its cadence, and what is known of its data without knowing slots."""

    def __init__(self, server, api, drain, cadence, nodes):
        self.server, self.api, self.nodes = server, api, nodes
        self.plant = accounting.plant(api, drain, nodes, cadence=cadence)
        self.energy = None
        if nodes == BILLED_MASS:
            self.energy = accounting.ledger(
                api, self.plant.project, self.plant.model, name="Energy", unit="kWh", output="energy"
            )
            self.plant.bill(BILLED[1] - BILLED[0], moment(BILLED[0]), end_time=moment(BILLED[1]))
        self.path = f"/projects/{self.plant.project['id']}"
        self.events, self.voided, self.last, self.refused = [], set(), [], 0
        self.newest = self.plant.model

    def deliver(self, day, hour, length):
        mass = Decimal(100) ** len(self.events)
        times = {"end_time": moment(day + length, hour)} if length else {}
        self.events.append(self.plant.deliver(mass, moment(day, hour), **times))

    def move(self, number, day, hour):
        if self.events:
            times = {"start_time": moment(day, hour), "end_time": moment(day, hour)}
            event = self.events[number % len(self.events)]
            self.api.patch(f"{self.path}/events/{event}", {"event": times})

    def void(self, number):
        """An event that was never used is withdrawn; one that a batch was made of cannot be."""
        if self.events and self.api.delete(f"{self.path}/events/{self._event(number)}").status < 300:
            self.voided.add(self._event(number))

    def change_cadence(self, cadence):
        text = accounting.document(self.nodes, cadence=cadence)
        self.newest = accounting.version(self.api, self.newest, text)
        self.api.post(f"/models/{self.newest['id']}/activate", {}).expect(200)

    def generate(self, times, is_latest):
        more = {"model_version": "latest"} if is_latest else {}
        answer = self.plant.start(times, generate_concurrent_ledgers=True, **more)
        if answer.status == 422:
            assert answer.error["code"] in {"cut_slot", "passed_over", "no_slot"}, answer.error
            self.refused += 1
            return
        task = answer.expect(202).body
        self.plant.drain()
        task = self.api.get(f"/async_tasks/{task['id']}").expect(200).body
        assert task["state"] == "complete", task["error_message"]
        self.last = task["result"]["batches"] or self.last
        if times == WHOLE:
            named = {event for one in task["result"]["not_counted"] for event in one["events"]}
            assert self.counting() == {
                event: 0 if event in named else 1 for event in self.events if event not in self.voided
            }

    def undo(self):
        """Delete what the last generation made, where nothing stands in the way."""
        for ledger in filter(None, (self.plant.ledger, self.energy)):
            there = {batch["id"] for batch in self.plant.batches(ledger)}
            if batches := [one for one in self.last if one in there]:
                path = f"/ledgers/{ledger['id']}/batch_deletions"
                self.api.post(path, {"batch_ids": batches})
        self.plant.drain()

    def delete(self, number):
        if batches := self.plant.batches():
            self.api.delete(f"/batches/{batches[number % len(batches)]['id']}")
            self.plant.drain()

    def counting(self):
        """How often each delivery counts that was not withdrawn."""
        produced = self.produced(self.plant.ledger)
        assert produced == int(produced), produced
        digits = int(produced)
        counts = {}
        for event in self.events:
            digits, counts[event] = divmod(digits, 100)
        return {event: count for event, count in counts.items() if event not in self.voided}

    def billed(self):
        """How many days of the bill count, and how many of its days slots have that come to something."""
        spans = self.server.sql(
            """
            SELECT DISTINCT start_time, end_time
              FROM (SELECT DISTINCT ON (run_id) * FROM batches
                     WHERE project_id = %s AND ledger_id = %s AND deleted_at IS NULL
                     ORDER BY run_id, id DESC) AS newest
             WHERE total <> 0
            """,
            *accounting.key_of("ledger", self.energy["id"]),
        )
        halves = [FIRST + timedelta(hours=12 * half) for half in range(2 * BILLED[0], 2 * BILLED[1])]
        held = sum(any(start <= half < end for start, end in spans) for half in halves)
        return self.produced(self.energy), Decimal(held) / 2

    def produced(self, ledger):
        found = self.api.get(f"/ledgers/{ledger['id']}").expect(200).body
        return found["balance"] - found["deficit"]

    def holds(self):
        assert all(count <= 1 for count in self.counting().values()), self.counting()
        counted, held = self.billed() if self.energy else (0, 0)
        assert abs(counted - held) < Decimal("0.001")
        assert self.broken() == []

    def broken(self):
        async def run():
            async with self.server.database.read() as tx:
                number = self.plant.project["numeric_id"]
                found = await check_books(tx, number)
                once = await check_counted_once(tx, number)
                return [
                    *(one for of_rule in found.values() for one in of_rule),
                    *(one for of_rule in once.values() for one in of_rule),
                    *(await check_batches(tx, number))[1],
                ]

        return self.server.run(run())

    def _event(self, number):
        return self.events[number % len(self.events)]


def tell(server, story, nodes):
    before, steps, cadence = story
    account = server.account()  # many stories make more requests than one token may in a minute
    told = Story(server, account.caller(), account.drain, cadence, nodes)
    for name, *details in (*before, ("generate", WHOLE, False), *steps, ("generate", WHOLE, False)):
        getattr(told, name)(*details)
        told.holds()


a_few = settings(
    max_examples=STORIES,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],  # a story takes seconds: shrinking one would take minutes
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@a_few
@for_all(story=stories((*CLOCKS, "event")))
def test_every_event_counts_once_or_is_named_through_changes_of_cadence(server, story):
    tell(server, story, MASS)


@a_few
@for_all(story=stories(CLOCKS))
def test_every_part_of_a_stretch_counts_once_through_changes_of_cadence(server, story):
    tell(server, story, BILLED_MASS)
