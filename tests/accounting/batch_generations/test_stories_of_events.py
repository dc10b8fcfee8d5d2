"""Stories of two ledgers of cadence `event`: arrivals, corrections of values and times, versions of another
cadence, generations, undoing.

After every generation the books hold, at every moment; a generation makes what its preview counted,
generating again makes nothing, and deleting all that a generation made leaves everything as it was before.
"""

import os
from decimal import Decimal

from hypothesis import HealthCheck, Phase, settings
from hypothesis import given as for_all
from hypothesis import strategies as st
from tests.given import accounting, chain
from tests.given.accounting import QUARTER

from weighbridge.verification.books import check_books
from weighbridge.verification.recomputation import check_batches

STORIES = int(os.environ.get("STORIES", "2"))

STEPS_MAX = int(os.environ.get("STEPS", "10"))

days = st.integers(1, 28).map(lambda day: f"2025-0{1 + day % 3}-{day:02d}T12:00:00Z")
masses = st.sampled_from((5, 1, -3, 2))
needs = st.sampled_from((1, 0, 2))
cadences = st.sampled_from(("event", "daily", "monthly"))
anything = st.integers(0, 99)
steps = st.one_of(
    st.tuples(st.just("deliver"), masses, days),
    st.tuples(st.just("produce"), needs, days),
    st.tuples(st.just("correct_delivery"), anything, masses),
    st.tuples(st.just("correct_production"), anything, needs),
    st.tuples(st.just("move"), anything, days),
    st.tuples(st.just("change_cadence"), st.booleans(), cadences),
    st.tuples(st.just("generate"), st.booleans(), st.booleans()),
    st.tuples(st.just("generate"), st.booleans(), st.booleans()),
)


class Story:
    """A plant and its production while a story is told."""

    def __init__(self, server, api, drain, order):
        self.server, self.api = server, api
        self.plant = chain.inventory(api, drain, cadence="event")
        self.drawing = chain.drawing(f", order: {order}")
        self.production = chain.link(self.plant, self.drawing, cadence="event")
        self.newest = {True: self.plant.model, False: self.production.model}
        self.path = f"/projects/{self.plant.project['id']}"
        self.deliveries, self.productions = [], []
        self.deliver(5, "2025-01-02T00:00:00Z")
        self.produce(1, "2025-01-20T00:00:00Z")

    def deliver(self, mass, day):
        self.deliveries.append(self.plant.deliver(mass, day))

    def produce(self, mass, day):
        self.productions.append(chain.produce(self.plant, mass, day))

    def correct_delivery(self, number, mass):
        self._correct(self.deliveries[number % len(self.deliveries)], mass)

    def correct_production(self, number, mass):
        self._correct(self.productions[number % len(self.productions)], mass)

    def move(self, number, day):
        events = self.deliveries + self.productions
        times = {"start_time": day, "end_time": day}
        self.api.patch(f"{self.path}/events/{events[number % len(events)]}", {"event": times}).expect(200)

    def change_cadence(self, is_source, cadence):
        """A new version cuts time otherwise; slots that were generated keep theirs."""
        nodes = accounting.MASS if is_source else self.drawing
        output = "mass" if is_source else "made"
        newest = self.newest[is_source]
        text = accounting.document(nodes, name=newest["name"], primary_output=output, cadence=cadence)
        self.newest[is_source] = accounting.version(self.api, newest, text)
        self.api.post(f"/models/{self.newest[is_source]['id']}/activate", {}).expect(200)

    def generate(self, is_source, is_undone):
        plant = self.plant if is_source else self.production
        (entry,) = plant.preview(QUARTER)
        before = self.state()
        task = plant.finish(QUARTER)
        if task["state"] == "failed":
            assert (bool(entry["problems"]), self.state()) == (True, before), task
            return
        made = task["result"]["batches"]
        assert (entry["count"], entry["problems"]) == (len(made), [])
        assert entry["deficits"] == task["result"]["deficits"]
        if made and is_undone:
            body = {"batch_ids": made}
            self.api.post(f"/ledgers/{plant.ledger['id']}/batch_deletions", body).expect(202)
            plant.drain()
            assert self.state() == before
            assert len(plant.generate(QUARTER)["batches"]) == len(made)
        assert plant.generate(QUARTER)["batches"] == []

    def state(self):
        """What every batch holds, and what both ledgers are short of."""
        batches = self.plant.batches() + self.production.batches()
        ledgers = [self.api.get(f"/ledgers/{one.ledger['id']}").body for one in (self.plant, self.production)]
        held = {batch["id"]: batch["ledger_balance"] for batch in batches}
        return held, [(ledger["balance"], ledger["deficit"]) for ledger in ledgers]

    def broken(self):
        """What does not hold."""

        async def run():
            async with self.server.database.read() as tx:
                number = self.plant.project["numeric_id"]
                found = await check_books(tx, number)
                return [one for of_rule in found.values() for one in of_rule] + (
                    await check_batches(tx, number)
                )[1]

        return self.server.run(run())

    def _correct(self, event, mass):
        (point,) = self.api.get(f"{self.path}/events/{event}/data_points").expect(200).data
        body = {"data_point": {"value": Decimal(mass)}}
        self.api.patch(f"{self.path}/data_points/{point['id']}", body).expect(200)


@settings(
    max_examples=STORIES,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@for_all(story=st.lists(steps, min_size=4, max_size=STEPS_MAX), order=st.sampled_from(("fifo", "pro_rata")))
def test_the_books_hold_at_every_moment_through_stories_of_moving_events(server, story, order):
    account = server.account()  # many stories make more requests than one token may in a minute
    told = Story(server, account.caller(), account.drain, order)
    told.generate(is_source=True, is_undone=False)
    told.generate(is_source=False, is_undone=False)
    for name, *details in story:
        getattr(told, name)(*details)
        assert name != "generate" or told.broken() == []
