"""Webhooks are told of each change, however often the workers that deliver are killed.

Each run prints the seed of its moments. KILLS is how many workers are killed, at most thirty.
"""

import os
import random
import signal
import time
from collections import Counter
from contextlib import suppress

import pytest
from tests.durability.processes import until
from tests.durability.remote import Site, living
from tests.given import collection as given
from tests.given.receivers import LOCAL, receiver

KILLS = min(int(os.environ.get("KILLS", "2")), 30)
SEED = int(os.environ.get("SEED", "0")) or random.SystemRandom().randrange(1, 10**9)
WORKERS = 2
ANSWER_SECONDS = 0.05


@pytest.fixture
def site(folder, migrated_dir):
    site = Site(folder, migrated_dir)
    yield site
    site.close()


def slowly(_):
    """Take a delivery, after long enough that workers are killed meanwhile."""
    time.sleep(ANSWER_SECONDS)
    return 200


def test_workers_that_are_killed_in_the_middle_of_deliveries_lose_none(site):
    print(f"seed {SEED}, {KILLS} kills")  # noqa: T201 - what repeats the run
    dice = random.Random(SEED)  # noqa: S311 - as above
    within_reach = {"WEIGHBRIDGE_OUTGOING_NETWORKS": ",".join(LOCAL)}
    remote = site.serve()
    plant = given.measuring(remote, given.number("mass"))
    with receiver(slowly) as good, receiver(lambda _: 500) as broken:
        for url in (good.url, broken.url):
            hook = {"url": url, "change_types": ["event", "correction"]}
            remote.post("/webhooks", {"webhook": hook}).expect(201)
        pool = site.work(WORKERS, **within_reach)
        stored, killed = [], 0
        while killed < KILLS:
            event = given.event(remote, plant, values={"mass": 1})
            stored.append(event["id"])
            point = event["data_points"][0]["id"]
            path = f"/projects/{plant['id']}/data_points/{point}"
            remote.patch(path, {"data_point": {"value": 2}}).expect(200)
            good.until(lambda came, last=event["id"]: any(last in one.ids for one in came), "it is told")
            if dice.random() < 1 / 2 and (found := living(pool)):
                with suppress(ProcessLookupError):
                    os.kill(dice.choice(found), signal.SIGKILL)
                    killed += 1
        pending = "SELECT count(*) FROM webhook_deliveries WHERE webhook_id = 1 AND state = 'pending'"
        moved = "SELECT next_number FROM webhook_lanes WHERE webhook_id = 1"
        head = "SELECT max(number) + 1 FROM changes WHERE account_id = (SELECT min(id) FROM accounts)"
        until(lambda: site.sql(moved) == site.sql(head), what="all was taken from the feed")
        site.sql(
            """
            UPDATE webhook_deliveries SET next_attempt_at = now() WHERE webhook_id = 1 AND state = 'pending'
            RETURNING id
            """
        )  # an attempt that was cut off twice waits for minutes
        site.sql("UPDATE webhook_lanes SET due_at = now() WHERE webhook_id = 1 RETURNING webhook_id")
        until(lambda: site.sql(pending) == [(0,)], what="all was delivered")

    bodies = {came.headers["webhook-id"]: came.event for came in good.received}
    created = [one for event in bodies.values() if event["data"]["action"] == "create" for one in
               event["data"]["ids"] if event["data"]["kind"] == "event"]  # fmt: skip
    assert Counter(created) == Counter(stored)
    assert len({came.content for came in good.received}) == len(bodies)
    assert site.sql(
        "SELECT count(*) FROM webhook_deliveries WHERE webhook_id = 1 AND state <> 'delivered'"
    ) == [(0,)]
    assert broken.received
