"""Generations of two models race for one source whose balance is enough for one: one has it, one is told.

Each run prints the seed of its moments. ROUNDS is how many there are: `make durability` asks for hundreds.
"""

import os
import random
import threading
import time
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from tests.durability.remote import Site
from tests.given import accounting
from tests.given import collection as given

ROUNDS = int(os.environ.get("ROUNDS", "4"))
SEED = int(os.environ.get("SEED", "0")) or random.SystemRandom().randrange(1, 10**9)
APART_SECONDS_MAX = 0.05
CONSUMERS = ("North", "South")
BEGIN = datetime(2024, 1, 1, tzinfo=UTC)

SOURCE = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
    output: true
"""
CONSUMER = """
  - slug: wanted
    input: {event_type: KIND, data_point_type: mass, aggregate: sum}
    unit: t
  - slug: drawn
    upstream: {ledger: Deliveries, amount: wanted}
    unit: t
  - slug: used
    formula: sum(drawn)
    unit: t
    output: true
"""


@pytest.fixture
def site(folder, migrated_dir):
    site = Site(folder, migrated_dir)
    with closing(site):
        yield site


def day(number):
    """A day of its own for each round."""
    return [(BEGIN + timedelta(days=number + more)).strftime("%Y-%m-%dT%H:%M:%SZ") for more in (0, 1)]


def store(remote, project, kind):
    """Ten tonnes on each day."""
    bodies = [
        given.event_body(event_type=kind, start_time=day(number)[0], values={"mass": 10})
        for number in range(ROUNDS)
    ]
    given.events(remote, project, bodies)


def ledger(remote, project, nodes, name, output):
    text = accounting.document(nodes, name=name, cadence="daily", primary_output=output)
    model = accounting.model(remote, project, text)
    return accounting.ledger(remote, project, model, name=name)


def generate(remote, ledger, times):
    """Start a generation and wait for its end."""
    body = accounting.range_of(times)
    task = remote.post(f"/ledgers/{ledger['id']}/batch_generations", body).expect(202).body
    while task["state"] not in {"complete", "failed"}:
        time.sleep(0.02)
        task = remote.get(f"/async_tasks/{task['id']}").expect(200).body
    return task


def race(remote, ledgers, times, dice):
    """Start a generation of each ledger at almost the same moment; gives how they ended."""
    ended = {}

    def run(name, rest):
        time.sleep(rest)
        ended[name] = generate(remote, ledgers[name], times)

    threads = [
        threading.Thread(target=run, args=(name, dice.uniform(0, APART_SECONDS_MAX))) for name in ledgers
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return ended


def test_of_two_that_want_all_of_one_source_one_has_it_and_the_other_is_told_what_is_missing(site):
    print(f"seed {SEED}, {ROUNDS} rounds")  # noqa: T201 - what repeats the run
    dice = random.Random(SEED)  # noqa: S311 - the moments are to be repeated
    remote = site.serve()
    project = given.project(remote)
    for kind in ("delivery", *map(str.lower, CONSUMERS)):
        given.event_type(remote, project, slug=kind, data_point_types=[given.number("mass")])
        store(remote, project, kind)
    source = ledger(remote, project, SOURCE, "Deliveries", "mass")
    ledgers = {
        name: ledger(remote, project, CONSUMER.replace("KIND", name.lower()), name, "used")
        for name in CONSUMERS
    }
    site.work(2, WEIGHBRIDGE_WORKER_CONCURRENCY="1")
    generate(remote, source, (day(0)[0], day(ROUNDS - 1)[1]))

    won = Counter()
    for number in range(ROUNDS):
        ended = race(remote, ledgers, day(number), dice)
        states = {name: task["state"] for name, task in ended.items()}
        assert sorted(states.values()) == ["complete", "failed"], ended
        (loser,) = [task for task in ended.values() if task["state"] == "failed"]
        assert loser["error_message"].endswith(
            "needs 10 t of 'Deliveries', and 0 t is there to draw: 10 t too little."
        )
        won.update(name for name, state in states.items() if state == "complete")

    print(f"won {dict(won)}")  # noqa: T201 - as above
    held = remote.get(f"/ledgers/{source['id']}").body
    assert (held["balance"], held["deficit"]) == (0, 0)
    balances = [remote.get(f"/ledgers/{one['id']}").body["balance"] for one in ledgers.values()]
    assert sum(balances) == Decimal(10) * ROUNDS
    assert site.violations() == []
