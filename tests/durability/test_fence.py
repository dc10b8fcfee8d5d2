"""A worker that is frozen past its lease and wakes up publishes nothing twice, and the fence is why.

The same is done to workers without the fence: both publish, and what the task says is not what is there.
The books hold even so, because a generation posts only what is missing.
"""

import os
import signal
from decimal import Decimal

import psycopg
import pytest
from tests.durability.processes import is_alive, until
from tests.durability.remote import Site, living
from tests.given.accounting import QUARTER, range_of


@pytest.fixture(scope="module")
def service(shared_folder, shared_dir):
    site = Site(shared_folder, shared_dir)
    yield site, site.serve()
    site.close()


@pytest.fixture
def site(service):
    """A site with a service, whose workers end with the test."""
    site, site.remote = service
    yield site
    site.stop_pools()


def delivered(site):
    """Works with something delivered, and no worker."""
    works = site.works(site.remote)
    for month in (1, 2, 3):
        works.measure("delivery", month, Decimal("12.5"), "Straw")
    return works


def generation(works):
    ledger = works.ledgers["Deliveries"]["id"]
    return works.api.post(f"/ledgers/{ledger}/batch_generations", range_of(QUARTER)).expect(202).body


def generate(site, works):
    """Generate, and leave no worker behind."""
    site.work(1)
    generation(works)
    works.drain()
    site.stop_pools()


def deletion(works):
    return works.delete([batch["id"] for batch in works.batches("Deliveries")]).expect(202).body


def overtaken(site, works, task, fence):
    """Freeze a worker when it comes to write, let another one take the task up, and wake the first."""
    with psycopg.connect(site.url) as holder:
        holder.execute("LOCK TABLE ledger_entries IN SHARE MODE")
        frozen = site.work(1, fence)
        until(
            lambda: site.sql(
                "SELECT pid FROM pg_locks WHERE relation = 'ledger_entries'::regclass AND NOT granted"
            ),
            what="the worker has come to write",
        )
        (first,) = living(frozen)
        os.kill(first, signal.SIGSTOP)
        site.work(1, fence)
        until(
            lambda: site.sql("SELECT attempt FROM async_tasks WHERE id = %s", task["id"]) > [(1,)],
            what="the second worker has taken the task up",
        )
    if fence == "with_fence":
        works.drain()
    os.kill(first, signal.SIGCONT)
    works.drain()
    return frozen, first


def published_once(works, task):
    """Whether a generation says of itself just what is there."""
    ended = works.api.get(f"/async_tasks/{task['id']}").expect(200).body
    there = [batch["id"] for batch in works.batches("Deliveries")]
    return ended["state"] == "complete" and sorted(ended["result"]["batches"]) == sorted(there) != []


def published(site, works):
    """How often the audit log says that a generation of these works was published."""
    return len(publications(site, works))


def publications(site, works):
    """How many batches each publication of a generation says that it made, in the order of the audit log."""
    made = """SELECT jsonb_array_length(after -> 'batches') FROM audit_log
               WHERE action = 'batch_generation.finish' AND project_id = %s ORDER BY id"""
    return [batches for (batches,) in site.sql(made, works.number)]


def deleted_once(works, task):
    """Whether a deletion says of itself that it has deleted what is gone."""
    ended = works.api.get(f"/async_tasks/{task['id']}").expect(200).body
    return ended["state"] == "complete" and works.batches("Deliveries") == []


def test_a_generation_whose_worker_is_overtaken_is_published_once(site):
    works = delivered(site)
    task = generation(works)

    frozen, first = overtaken(site, works, task, "with_fence")

    until(
        lambda: not is_alive(first) or "attempt_" in frozen.read_text(),
        what="the frozen worker has noticed that it was overtaken",
    )
    assert published_once(works, task)
    assert published(site, works) == 1
    assert works.totals()["Deliveries"] == {f"2025-0{month} Straw": Decimal("12.5") for month in (1, 2, 3)}
    assert site.violations() == []


def test_a_deletion_whose_worker_is_overtaken_is_carried_out_once(site):
    works = delivered(site)
    generate(site, works)
    task = deletion(works)

    frozen, first = overtaken(site, works, task, "with_fence")

    until(
        lambda: not is_alive(first) or "attempt_" in frozen.read_text(),
        what="the frozen worker has noticed that it was overtaken",
    )
    assert deleted_once(works, task)
    assert site.violations() == []


def test_without_the_fence_both_workers_publish(site):
    works = delivered(site)
    task = generation(works)

    overtaken(site, works, task, "without_fence")

    until(lambda: published(site, works) == 2, what="both workers have published")
    assert publications(site, works) == [3, 0]
