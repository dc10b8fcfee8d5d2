"""PostgreSQL stops at once, without a word, under load: after its restart all that was acknowledged is there.

Each run prints the seed of its moments. STOPS is how many there are; `make durability` asks for more, and has
more workers and callers.
"""

import os
import random
import signal
import time

import psycopg
import pytest
from tests.durability.load import Caller, check, told, under_load
from tests.durability.processes import postmaster, until
from tests.durability.remote import Site
from tests.given import collection as given

IN_FULL = "STOPS" in os.environ
STOPS = int(os.environ.get("STOPS", "1"))
SEED = int(os.environ.get("SEED", "0")) or random.SystemRandom().randrange(1, 10**9)
PAUSE_SECONDS_MAX = 3.0 if IN_FULL else 1.0
WORKERS = 2 if IN_FULL else 1
CALLERS = 2 if IN_FULL else 1
EVENTS = 200


@pytest.fixture
def site(folder, migrated_dir):
    site = Site(folder, migrated_dir)
    yield site
    site.close()


class Feed:
    """Someone who sends many events at once, again and again."""

    def __init__(self, remote):
        self.remote = remote
        self.project = given.measuring(remote, given.number("mass"))
        self.acknowledged = []
        self.failure = None

    def run(self, stopping):
        try:
            while not stopping.is_set():
                bodies = [given.event_body(values={"mass": number}) for number in range(EVENTS)]
                self.acknowledged += [one["id"] for one in given.events(self.remote, self.project, bodies)]
        except BaseException as failure:  # noqa: BLE001 - it is raised where the test waits
            self.failure = failure


def stop_at_random(site, dice):
    """Have the server leave without finishing anything, again and again; the service starts it again."""
    for _ in range(STOPS):
        time.sleep(dice.uniform(0.5, PAUSE_SECONDS_MAX))
        stop(site)


def stop(site):
    stopped = until(lambda: postmaster(site.data_dir), what="the server runs")
    os.kill(stopped, signal.SIGQUIT)
    until(lambda: is_another(site, stopped), what="the server runs again")


def is_another(site, stopped):
    try:
        return postmaster(site.data_dir) not in {None, stopped} and site.sql("SELECT 1")
    except psycopg.OperationalError:
        return False


def test_after_an_immediate_stop_all_that_was_acknowledged_is_there_once(site):
    print(f"seed {SEED}, {STOPS} stops")  # noqa: T201 - what repeats the run
    remote = site.serve()
    site.work(WORKERS)
    callers = [Caller(site, remote, SEED + number) for number in range(CALLERS)]
    feed = Feed(remote)

    with under_load([*callers, feed]):
        stop_at_random(site, random.Random(SEED))  # noqa: S311 - the moments are to be repeated

    print(f"{len(feed.acknowledged)} events, tasks {told(callers)}, repeated {remote.repeated}")  # noqa: T201 - as above
    assert len(set(feed.acknowledged)) == len(feed.acknowledged) > 0
    stored = "SELECT count(*) FROM events WHERE project_id = %s"
    assert site.sql(stored, feed.project["numeric_id"]) == [(len(feed.acknowledged),)]
    check(site, callers)
