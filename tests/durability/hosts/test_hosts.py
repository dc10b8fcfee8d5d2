"""Several hosts, some of which die or are cut off, the primary among them: nothing acknowledged is lost,
nothing is doubled, and no list shows less than its reader was told.

Two hosts answer and two work, on a primary whose synchronous standby serves the lists. Each run prints its
seed and what happened when. Without MINUTES each thing happens once; with it they happen at random, to three
hosts that answer and four that work.
"""

import os
import random
import shutil
import time
from pathlib import Path

import psycopg
import pytest
from tests.durability.hosts.fleet import LEASE_SECONDS, MINUTES, Feed, Fleet
from tests.durability.hosts.network import network, why_not
from tests.durability.load import Caller, check, told, under_load
from tests.durability.processes import until

SEED = int(os.environ.get("SEED", "0")) or random.SystemRandom().randrange(1, 10**9)
FEEDS = 2
CUT_SECONDS = (1.0, 3.0) if MINUTES else (0.5, 1.0)
PAUSE_SECONDS = (0.5, 1.5) if MINUTES else (0.2, 0.6)


@pytest.fixture
def fleet(folder, migrated_once):
    if said := why_not():
        pytest.skip(f"the test of several hosts cannot run here: {said}")
    shutil.copytree(migrated_once, folder / "data")
    with network() as made:
        fleet = Fleet(made, Path(folder), SEED)
        try:
            fleet.open()
            yield fleet
        finally:
            fleet.close()


def happenings(fleet, dice):
    """All that may happen to hosts, each by what does it."""

    def cut_seconds():
        return dice.uniform(*CUT_SECONDS)

    return [
        lambda: fleet.kill_process_of_api(dice.choice(fleet.apis)),
        lambda: fleet.kill(dice.choice(fleet.workers)),
        lambda: fleet.kill(dice.choice(fleet.apis)),
        lambda: fleet.cut_off(dice.choice(fleet.apis), cut_seconds()),
        lambda: fleet.cut_off(dice.choice(fleet.workers), LEASE_SECONDS + cut_seconds()),
        lambda: fleet.cut_off(fleet.standby, cut_seconds()),
        fleet.lose_primary,
    ]


def disturb(fleet, dice, load):
    """Let each thing happen once, in any order; and again and again until the minutes are over.

    What stopped somebody of the load ends it at once.
    """
    until_then = time.monotonic() + 60 * MINUTES
    while True:
        coming = happenings(fleet, dice)
        dice.shuffle(coming)
        for happen in coming:
            time.sleep(dice.uniform(*PAUSE_SECONDS))
            happen()
            if any(one.failure for one in load):
                fleet.tell("somebody of the load was stopped")
                return
            if MINUTES and time.monotonic() > until_then:
                return
        if not MINUTES:
            return


def test_whatever_host_is_lost_nothing_acknowledged_is_lost_or_doubled_and_lists_show_it(fleet):
    print(f"seed {SEED}")  # noqa: T201 - what repeats the run
    fleet.await_answers()
    callers = [Caller(fleet, fleet.caller(), SEED)]
    feeds = [Feed(fleet.caller(), SEED + number) for number in range(FEEDS)]

    with under_load([*callers, *feeds]):
        try:
            disturb(fleet, random.Random(SEED), [*callers, *feeds])  # noqa: S311 - the moments are to be repeated
        finally:
            print("\n".join(fleet.moments))  # noqa: T201 - as above

    fleet.await_answers()
    for feed in feeds:
        stored = "SELECT count(*) FROM events WHERE project_id = %s"
        assert len(set(feed.acknowledged)) == len(feed.acknowledged) > 0
        assert fleet.sql(stored, feed.project["numeric_id"]) == [(len(feed.acknowledged),)]
    check(fleet, callers)
    until(lambda: same_on_both(fleet), what="both database hosts have the same")
    tell(callers, feeds)


def same_on_both(fleet):
    """Whether the host that follows has all events and entries of the one that takes writes."""
    counts = "SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM ledger_entries)"
    with psycopg.connect(fleet.standby.url()) as connection:
        return connection.execute(counts).fetchall() == fleet.sql(counts)


def tell(callers, feeds):
    """Print what the run came to."""
    events, longest = sum(len(feed.acknowledged) for feed in feeds), max(feed.longest for feed in feeds)
    repeated = sum(feed.remote.repeated for feed in feeds)
    print(f"{events} events, tasks {told(callers)}, {repeated} repeated, longest wait {longest:.1f} s")  # noqa: T201 - as above
