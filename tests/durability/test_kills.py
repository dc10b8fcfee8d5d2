"""Workers and the API are killed at random moments: what was acknowledged is there, and once.

Each run prints the seed of its moments. KILLS is how many there are: `make durability` asks for
hundreds, and has more workers and callers.
"""

import os
import random
import signal
import time
from collections import Counter
from contextlib import suppress

import pytest
from tests.durability.load import Caller, check, told, under_load
from tests.durability.remote import Site, api_processes, living

IN_FULL = "KILLS" in os.environ
KILLS = int(os.environ.get("KILLS", "4"))
SEED = int(os.environ.get("SEED", "0")) or random.SystemRandom().randrange(1, 10**9)
PAUSE_SECONDS_MAX = float(os.environ.get("PAUSE_SECONDS_MAX", "0.8" if IN_FULL else "0.4"))
API_SHARE = 0.1
"""Of the kills, those that meet the API: the supervisor lets it rest a while before it starts it again."""

WORKERS = 4 if IN_FULL else 2
CALLERS = 3 if IN_FULL else 2


@pytest.fixture
def site(folder, migrated_dir):
    site = Site(folder, migrated_dir)
    yield site
    site.close()


def kill_at_random(site, pool, dice, kills):
    """Kill so many processes; gives how many of each kind."""
    killed = Counter()
    while sum(killed.values()) < kills:
        time.sleep(dice.uniform(0.02, PAUSE_SECONDS_MAX))
        kind = "api" if dice.random() < API_SHARE else "worker"
        found = api_processes(site.log) if kind == "api" else living(pool)
        if found:
            with suppress(ProcessLookupError):
                os.kill(dice.choice(found), signal.SIGKILL)
                killed[kind] += 1
    return killed


def test_after_kills_at_random_moments_every_effect_is_there_once(site):
    print(f"seed {SEED}, {KILLS} kills")  # noqa: T201 - what repeats the run
    remote = site.serve(api_processes=2, WEIGHBRIDGE_COMPUTING_PROCESSES="1")
    pool = site.work(WORKERS)
    callers = [Caller(site, remote, SEED + number) for number in range(CALLERS)]

    with under_load(callers):
        killed = kill_at_random(site, pool, random.Random(SEED), KILLS)  # noqa: S311 - the moments are to be repeated

    print(f"killed {dict(killed)}, tasks {told(callers)}, repeated {remote.repeated}")  # noqa: T201 - as above
    check(site, callers)
