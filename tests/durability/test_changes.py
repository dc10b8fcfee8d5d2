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

RESUMES = int(os.environ.get("RESUMES", "5"))
SEED = int(os.environ.get("SEED", "0")) or random.SystemRandom().randrange(1, 10**9)
WRITERS = 4
KILLS_OF_API = 2


@pytest.fixture
def site(folder, migrated_dir):
    site = Site(folder, migrated_dir)
    yield site
    site.close()


class Story:
    """Some who write events, and one who follows them and loses some of what it was told."""

    def __init__(self, remote, dice):
        self.remote, self.dice = remote, dice
        self.plant = given.measuring(remote, given.number("mass"))
        self.cursor = remote.get("/changes", {"after": "latest"}).expect(200).body["cursor"]
        self.resumed, self.written = threading.Event(), threading.Event()

    def write(self, writer):
        """The ids of events, those of one request together, until the reader was resumed often enough."""
        stored = []
        while not self.resumed.is_set():
            many = [given.event_body(values={"mass": writer}) for _ in range(3)]
            stored.append([one["id"] for one in given.events(self.remote, self.plant, many)])
            event = given.event(self.remote, self.plant, values={"mass": writer})
            stored.append([event["id"]])
        return stored

    def read(self):
        """Every change that was handled, until all is written and nothing is left."""
        found, after, resumes = [], self.cursor, 0
        while True:
            is_last = self.written.is_set()
            query = {"after": after, "wait": "0" if is_last else "2", "page_size": self.dice.randint(1, 9)}
            page = self.remote.get("/changes", query).expect(200).body
            if is_last and not page["data"]:
                return found
            handled, after = page["data"], page["cursor"]
            if handled and self.dice.random() < 1 / 2:  # killed before it has handled all that it was told
                handled = handled[: self.dice.randint(1, len(handled))]
                after = handled[-1]["cursor"]
                resumes += 1
            found += handled
            if resumes >= RESUMES:
                self.resumed.set()


def test_a_reader_that_is_resumed_is_told_of_each_change_once_and_in_order(site):
    print(f"seed {SEED}, {RESUMES} resumes")  # noqa: T201 - what repeats the run
    dice = random.Random(SEED)  # noqa: S311 - as above
    story = Story(site.serve(api_processes=2), dice)
    with ThreadPoolExecutor(WRITERS + 1) as people:
        reading = people.submit(story.read)
        writing = [people.submit(story.write, writer) for writer in range(WRITERS)]
        for _ in range(KILLS_OF_API):
            time.sleep(dice.uniform(0.02, 0.5))
            with suppress(ProcessLookupError):
                os.kill(dice.choice(api_processes(site.log)), signal.SIGKILL)
        stored = [one.result() for one in writing]
        story.written.set()
        changes = reading.result()

    place = {change["id"]: index for index, change in enumerate(changes)}
    assert len(changes) == len(place)
    assert site.sql("SELECT count(*) FROM events") == [(len(place),)]
    for of_writer in stored:
        starts = [min(place[one] for one in each) for each in of_writer]
        assert starts == sorted(starts)
