"""Whoever sends a report to Isometric Certify is killed at each call, and goes on: nothing is doubled.

A kill ends the attempt while the registry holds its request: before the registry has made anything of it, or
when it has and no answer left. Prism judges every request where it is installed (`test_requests.py`).
"""

import asyncio
import threading

import pytest
from tests.given.certified import certified_plant
from tests.given.certify import certify

from weighbridge.worker import attempt_task

SECONDS_MAX = 30
OPEN = "SELECT id FROM async_tasks WHERE account_id = %s AND state IN ('pending', 'running') ORDER BY id"


async def begin(work):
    """Begin an attempt on the loop of the service."""
    return asyncio.create_task(work)


async def kill(running):
    """End an attempt where it stands."""
    running.cancel()
    await asyncio.wait([running], timeout=SECONDS_MAX)


def kill_at_the_next_call(server, account, double, when):
    """Carry on with the account's task until its next call arrives, and kill it there; whether one did."""
    [(task,)] = account.sql(OPEN, account.id)
    reached, released = threading.Event(), threading.Event()
    double.hold = (when, reached, released)
    running = server.run(begin(attempt_task(account.database, task, tasks=server.tasks)))
    while not reached.wait(0.01) and not running.done():
        pass
    server.run(kill(running))
    released.set()
    double.hold = None
    return reached.is_set()


def carry_out_with_kills(server, account, plant, double, report):
    """Send a report, with a kill before and after each call that is held; gives how many kills there were."""
    kills = 0
    plant.api.post(f"/reports/{report['id']}/submit", {"registry_id": plant.registry["id"]}).expect(202)
    while plant.read(report)["status"] == "submitting":
        for when in ("before", "after"):
            if account.sql(OPEN, account.id):
                kills += kill_at_the_next_call(server, account, double, when)
        if plant.read(report)["status"] == "failed":  # given up after so many attempts: sent off again
            plant.api.post(f"/reports/{report['id']}/submit", {}).expect(202)
    return kills


@pytest.fixture
def double():
    with certify(page_size=25) as listening:
        yield listening


def test_after_kills_at_each_call_every_record_is_there_once(server, account, api, drain, double):
    plant = certified_plant(api, drain, double.address)
    plant.attach_certificate()
    plant.map()
    report = plant.draft(2)

    kills = carry_out_with_kills(server, account, plant, double, report)

    changes = [path for method, path, _ in double.journal if method != "GET"]
    assert kills >= 2 * len(set(double.references))
    assert plant.read(report)["status"] == "submitted"
    assert set(double.references.values()) == {1}
    assert (double.count("/ghg_statements"), double.count("/data-upload-submissions")) == (1, 1)
    assert len([path for path in changes if path.endswith("/submit")]) == 1
    assert plant.statement(report)["findings"] == []
    told = sum(plant.statement(report)["record_counts"].values())
    assert told == len(double.references) + 2
