"""Whoever follows changes is told of each once, however often they, or the service, are killed meanwhile.

Each run prints the seed of its moments. RESUMES is how often the reader loses what it was told last.
"""

import os
import random
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from tests.durability.remote import Site, api_processes
from tests.given import collection as given

RESUMES = int(os.environ.get("RESUMES", "8"))
SEED = int(os.environ.get("SEED", "0")) or random.SystemRandom().randrange(1, 10**9)
WRITERS = 4
KILLS_OF_API = 2


@pytest.fixture
def site(folder, migrated_dir):
    site = Site(folder, migrated_dir)
    yield site
    site.close()


def test_a_reader_that_is_resumed_is_told_of_each_change_once_and_in_order(site):
    print(f"seed {SEED}, {RESUMES} resumes")  # noqa: T201 - what repeats the run
    remote = site.serve(api_processes=2)
    plant = given.measuring(remote, given.number("mass"))
    cursor = remote.get("/changes", {"after": "latest"}).expect(200).body["cursor"]
    dice, resumed, done = random.Random(SEED), threading.Event(), threading.Event()  # noqa: S311 - as above
    stored = {}

    def write(writer):
        while not resumed.is_set():
            many = [given.event_body(values={"mass": writer}) for _ in range(3)]
            stored.setdefault(writer, []).append([one["id"] for one in given.events(remote, plant, many)])
            event = given.event(remote, plant, values={"mass": writer})
            stored[writer].append([event["id"]])

    def read():
        found, after, resumes = [], cursor, 0
        while True:
            is_last = done.is_set()
            query = {"after": after, "wait": "0" if is_last else "2", "page_size": dice.randint(1, 9)}
            page = remote.get("/changes", query).expect(200).body
            if page["data"] and dice.random() < 1 / 2:  # killed before it has handled all that it was told
                page["data"] = page["data"][: dice.randint(0, len(page["data"]) - 1)]
                page["cursor"] = page["data"][-1]["cursor"] if page["data"] else after
                resumes += 1
            found, after = found + page["data"], page["cursor"]
            if resumes >= RESUMES:
                resumed.set()
            if is_last and not page["data"] and not page["has_more"]:
                rest = remote.get("/changes", {"after": after}).expect(200).body
                if not rest["data"]:
                    return found

    with ThreadPoolExecutor(WRITERS + 1) as people:
        reading = people.submit(read)
        writing = [people.submit(write, writer) for writer in range(WRITERS)]
        for _ in range(KILLS_OF_API):
            time.sleep(dice.uniform(0.02, 0.5))
            with suppress(ProcessLookupError):
                os.kill(dice.choice(api_processes(site.log)), signal.SIGKILL)
        for one in writing:
            one.result()
        done.set()
        changes = reading.result()

    [(events,)] = site.sql("SELECT count(*) FROM events")
    place = {change["id"]: index for index, change in enumerate(changes)}
    assert len(changes) == len(place) == events
    for of_writer in stored.values():
        starts = [min(place[one] for one in each) for each in of_writer]
        assert starts == sorted(starts)
