"""Stories of a chain of ledgers: arrivals, corrections, voids and deletions with generations in between.

After every step the books hold. At the end every slot is generated, upstream first; then each run of each
ledger comes to what it comes to in works that had the same data from the beginning and were generated once.
"""

import os
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Decimal
from itertools import product

from hypothesis import HealthCheck, Phase, event, settings
from hypothesis import given as for_all
from hypothesis import strategies as st
from tests.given import works as given_works
from tests.given.accounting import QUARTER

from weighbridge.verification.books import check_books
from weighbridge.verification.recomputation import check_batches

STORIES = int(os.environ.get("STORIES", "2"))
STEPS_MAX = int(os.environ.get("STEPS", "12"))
CHAIN = ("Deliveries", "Biochar", "Carbon")
CREDITED = {
    "Deliveries": ("Deliveries", "Power", "Steam"),
    "Biochar": ("Biochar", "Heat"),
    "Carbon": ("Carbon",),
}
"""The ledgers that each link credits."""
DRAWN_BY = {"Deliveries": "Biochar", "Biochar": "Carbon"}
"""The link that draws from a ledger: what it drew before it failed stays drawn."""

RANGES = (
    ("2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z"),
    ("2025-02-01T00:00:00Z", "2025-03-01T00:00:00Z"),
    ("2025-02-01T00:00:00Z", "2025-03-31T23:59:59Z"),
    QUARTER,
)
SIZES = {"delivery": 40, "production": 6, "application": 2, "bill": 100, "fuel": 100}
"""About how much is measured at once: a story with these rarely wants more than there is."""

POSTING = {"generate", "generate_all", "undo_generation", "delete_newest", "delete_task"}
"""The steps that post to ledgers."""

months = st.integers(1, 3)
feedstocks = st.sampled_from(given_works.FEEDSTOCKS)
parts = st.decimals("0.0001", 1, places=4)
anything = st.integers(0, 99)
measuring = st.one_of(
    st.tuples(
        st.just("measure"),
        st.sampled_from(("delivery", "production", "application")),
        months,
        parts,
        feedstocks,
    ),
    st.tuples(st.just("measure"), st.sampled_from(("bill", "fuel")), months, parts, st.none()),
    st.tuples(st.just("deliver_graded"), months, parts, feedstocks, st.sampled_from(("reject", None))),
    st.tuples(st.just("read"), st.sampled_from(given_works.METERS), st.integers(0, 88)),
)
generating = st.tuples(st.just("generate"), st.sampled_from(CHAIN), st.sampled_from(RANGES))
steps = st.one_of(
    measuring,
    measuring,
    generating,
    generating,
    st.tuples(st.just("generate_all")),
    st.tuples(st.just("correct"), anything, st.just(Decimal(0)) | parts),
    st.tuples(st.just("withdraw_delivery"), anything),
    st.tuples(st.just("move"), anything, months, feedstocks),
    st.tuples(st.just("void"), anything),
    st.tuples(st.just("undo_generation")),
    st.tuples(st.just("delete_newest"), st.sampled_from(CHAIN), anything),
    st.tuples(st.just("delete_task"), anything),
)
stories = st.lists(steps, min_size=4, max_size=STEPS_MAX)
keepings = st.fixed_dictionaries(
    {
        name: st.tuples(st.integers(0, 12), st.sampled_from(("half_even", "down")))
        for name in given_works.KEEPING
    }
)
"""How each ledger keeps amounts; one that is coarse finds too little more often."""


_BALANCES = "SELECT id, balance FROM batches WHERE project_id = %s AND deleted_at IS NULL"
_DEFICITS = "SELECT run_id, amount FROM deficits WHERE project_id = %s AND amount > 0"
_DRAWN = """
    SELECT run_id, node, batch_id, sum(amount) FROM ledger_entries
     WHERE project_id = %s AND node IS NOT NULL
     GROUP BY run_id, node, batch_id HAVING sum(amount) <> 0 ORDER BY 1, 2, 3
"""
_ACCOUNTS = """
    SELECT l.name,
           (SELECT coalesce(sum(b.balance), 0) FROM batches b
             WHERE (b.project_id, b.ledger_id) = (l.project_id, l.id))
         - (SELECT coalesce(sum(e.amount), 0) FROM ledger_entries e
             WHERE (e.project_id, e.ledger_id) = (l.project_id, l.id) AND e.node IS NOT NULL)
         - (SELECT coalesce(sum(d.amount), 0) FROM deficits d
             WHERE (d.project_id, d.ledger_id) = (l.project_id, l.id))
      FROM ledgers l WHERE l.project_id = %s
"""
_STANDINGS = """
    SELECT l.name, f.name, moment.number, sum(change.amount)
      FROM (SELECT e.project_id, e.ledger_id, b.run_id, e.effective_at, e.amount
              FROM ledger_entries e JOIN batches b ON (b.project_id, b.id) = (e.project_id, e.batch_id)
            UNION ALL
            SELECT project_id, ledger_id, run_id, effective_at, - amount FROM deficit_entries) AS change
      JOIN ledgers l ON (l.project_id, l.id) = (change.project_id, change.ledger_id)
      JOIN runs r ON (r.project_id, r.id) = (change.project_id, change.run_id)
      LEFT JOIN feedstocks f ON (f.project_id, f.id) = (r.project_id, r.feedstock_id)
      JOIN generate_series(1, 3) AS moment (number)
        ON change.effective_at <= make_timestamptz(2025, 1 + moment.number, 1, 0, 0, 0, 'UTC')
     WHERE change.project_id = %s
     GROUP BY l.name, f.name, moment.number HAVING sum(change.amount) <> 0
"""
_DRAWN_BY_RUN = """
    SELECT l.name, b.tracking_id, - sum(e.amount)
      FROM ledger_entries e
      JOIN ledgers l ON (l.project_id, l.id) = (e.project_id, e.ledger_id)
      JOIN (SELECT DISTINCT project_id, run_id, tracking_id FROM batches) AS b
        ON (b.project_id, b.run_id) = (e.project_id, e.run_id)
     WHERE e.project_id = %s AND e.node IS NOT NULL
     GROUP BY l.name, b.tracking_id HAVING sum(e.amount) <> 0
"""
NEEDS = (
    ("Deliveries", "production", Decimal("2.5")),
    ("Biochar", "application", Decimal(1)),
)
"""What is drawn from a ledger: for events of a kind, so much of each tonne, rounded as it keeps it."""

DRAWN_ROUNDED = {"half_even": ROUND_HALF_EVEN, "down": ROUND_CEILING}
"""How a draw is rounded, by the rounding of the ledger that it is drawn from."""


class Story:
    """Works while a story is told, and what holds after each of its steps."""

    def __init__(self, server, works):
        self.server, self.works = server, works
        self.last = None  # the state before the last generation, and its batches, while nothing came after
        self.tasks = []

    def tell(self, name, *details):
        getattr(self, name)(*details)
        assert name not in POSTING or self.breaches() == {}

    def measure(self, kind, month, part, feedstock):
        self.works.measure(kind, month, part * SIZES[kind], feedstock)

    def deliver_graded(self, month, part, feedstock, grade):
        """A delivery that does not count, or of which nobody knows whether it does."""
        self.works.measure("delivery", month, part * SIZES["delivery"], feedstock, grade=grade)

    def read(self, meter, day):
        """A meter goes on by so much each day, and each of the two by as much as it does."""
        if (meter, day) not in {(one, at) for one, at, _ in self.works.readings}:
            place = given_works.METERS.index(meter)
            self.works.read(meter, day, Decimal(9000 * place) + day * Decimal("0.37") * (place + 1))

    def correct(self, number, part):
        one = self._event(number)
        self.works.correct(one, part * SIZES[one.kind])

    def withdraw_delivery(self, number):
        """What was delivered turns out to have been taken away: the run may fall below nothing."""
        deliveries = [one for one in self.works.events if one.kind == "delivery"]
        if deliveries:
            one = deliveries[number % len(deliveries)]
            self.works.correct(one, -one.amount / 4)

    def move(self, number, month, feedstock):
        self.works.move(self._event(number), month, feedstock)

    def void(self, number):
        """A used event stays; the one that holds the works together stays too."""
        if len(self.works.events) > 1:
            event(f"void: {self.works.void(self._event(number))}")

    def generate(self, ledger, times):
        before = self.state()
        task = self.works.generate(ledger, times)
        event(f"generate: {task['state']} {(task['error_message'] or '')[:60]}")
        if task["state"] == "failed":
            assert self.state() == before, task
            return False
        made = task["result"]["batches"]
        if made:
            self.last = (before, made)
            self.tasks.append(made)
        again = self.works.generate(ledger, times)
        assert (again["state"], again["result"]["batches"]) == ("complete", []), again
        return True

    def generate_all(self):
        """Generate upstream first; gives the links that succeeded before one failed."""
        ended = [self.generate(ledger, QUARTER) for ledger in CHAIN]
        return CHAIN[: (*ended, False).index(False)]

    def undo_generation(self):
        """Together, all that the last generation made can be deleted: everything is as it was before."""
        if self.last is not None:
            before, made = self.last
            self._deleted(made)
            assert self.state() == before

    def delete_newest(self, ledger, number):
        newest = {batch["tracking_id"]: batch["id"] for batch in self.works.batches(ledger)}
        if newest:
            self._delete([[*newest.values()][number % len(newest)]])

    def delete_task(self, number):
        if self.tasks:
            self._delete(self.tasks[number % len(self.tasks)])

    def breaches(self):
        """What is broken of the books of the works."""

        async def run():
            async with self.server.database.read() as tx:
                return await check_books(tx, self.works.number)

        return {words: found for words, found in self.server.run(run()).items() if found}

    def recomputed(self):
        async def run():
            async with self.server.database.read() as tx:
                return await check_batches(tx, self.works.number)

        return self.server.run(run())[1]

    def state(self):
        """Every balance by batch, every open deficit by run, and all that is drawn."""
        project = self.works.number
        return (
            dict(self.server.sql(_BALANCES, project)),
            dict(self.server.sql(_DEFICITS, project)),
            self.server.sql(_DRAWN, project),
        )

    def accounts(self):
        """By ledger: what remains and what was drawn, less what it is short of."""
        return {name: Decimal(amount) for name, amount in self.server.sql(_ACCOUNTS, self.works.number)}

    def standings(self, ledger):
        """By feedstock and month: what the ledger had produced by its end, less what was drawn."""
        rows = self.server.sql(_STANDINGS, self.works.number)
        return {(feedstock, month): amount for name, feedstock, month, amount in rows if name == ledger}

    def _event(self, number):
        return self.works.events[number % len(self.works.events)]

    def _deleted(self, batches):
        task = self.works.ended(self.works.delete(batches))
        assert task["state"] == "complete", task
        self._forget(batches)

    def _delete(self, batches):
        """Delete, or be refused because others build on it; then nothing has changed."""
        before = self.state()
        answer = self.works.delete(batches)
        event(f"delete: {answer.status}")
        if answer.status == 202:
            assert self.works.ended(answer)["state"] == "complete"
            self._forget(batches)
        else:
            answer.expect(422)
            assert self.state() == before

    def _forget(self, batches):
        self.last = None
        self.tasks = [made for made in self.tasks if not set(made) & set(batches)]


def needed(events, keeping):
    """What every run needs of the ledger before it, from the events alone."""
    found = {}
    for ledger, kind, factor in NEEDS:
        scale, rounding = keeping[ledger]
        for month, feedstock in product((1, 2, 3), given_works.FEEDSTOCKS):
            where = (kind, month, feedstock)
            total = sum(
                (one.amount for one in events if (one.kind, one.month, one.feedstock) == where), Decimal(0)
            )
            if amount := (total * factor).quantize(Decimal(1).scaleb(-scale), DRAWN_ROUNDED[rounding]):
                found[ledger, f"2025-0{month} {feedstock}"] = amount
    return found


def shares(works, ledger):
    """By slot, what was shared and what the shares come to, as the newest batches of the runs say."""
    newest = {batch["tracking_id"]: batch for batch in works.batches(ledger)}
    found = {}
    for batch in newest.values():
        nodes = works.api.get(f"/batches/{batch['id']}/lineage").expect(200).body["nodes"]
        for node in nodes:
            if node["whole"] is not None:
                parts = found.setdefault((batch["start_time"], node["slug"], node["whole"]), [])
                parts.append(node["value"])
    return found


@settings(
    max_examples=STORIES,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@for_all(story=stories, order=st.sampled_from(("fifo", "pro_rata")), keeping=keepings)
def test_the_books_hold_through_every_story_and_end_as_if_all_had_been_known_at_once(
    server, account, story, order, keeping
):
    works = given_works.works(account.caller(), account.drain, order=order, keeping=keeping)
    for month, feedstock in product((1, 2, 3), given_works.FEEDSTOCKS):
        works.measure("delivery", month, Decimal(120) / month, feedstock)
        works.measure("production", month, Decimal(3), feedstock)
    told = Story(server, works)
    for step in story:
        told.tell(*step)

    done = told.generate_all()
    assert (told.breaches(), told.recomputed()) == ({}, [])
    if done == CHAIN:
        for ledger in ("Power", "Heat", "Steam"):
            for (_, _, whole), parts in shares(works, ledger).items():
                assert sum(parts) == whole
        drawn = {(ledger, run): amount for ledger, run, amount in server.sql(_DRAWN_BY_RUN, works.number)}
        assert drawn == needed(works.events, keeping)
    at_once = given_works.works(works.api, account.drain, order=order, keeping=keeping)
    for one in sorted(works.events, key=lambda one: (one.amount, one.id)):
        at_once.measure(one.kind, one.month, one.amount, one.feedstock, grade=one.grade)
    for reading in sorted(works.readings):
        at_once.read(*reading)
    fresh = Story(server, at_once)
    in_both = [link for link in fresh.generate_all() if link in done]
    event(f"succeeded in both: {in_both}")
    totals, totals_at_once = works.totals(), at_once.totals()
    accounts, accounts_at_once = told.accounts(), fresh.accounts()
    for ledger in [ledger for link in in_both for ledger in CREDITED[link]]:
        assert totals[ledger] == totals_at_once[ledger]
        assert accounts[ledger] == accounts_at_once[ledger]
        if DRAWN_BY.get(ledger) in {None, *in_both}:
            assert told.standings(ledger) == fresh.standings(ledger)
