"""Callers who measure, generate and delete whatever happens to the service, and what is there afterwards."""

import random
import threading
from collections import Counter
from contextlib import contextmanager
from decimal import Decimal

from tests.given.works import FEEDSTOCKS

from weighbridge.core.platform.tasks import ATTEMPTS_MAX

REASONS = ("too little.", f"given up after {ATTEMPTS_MAX} attempts, none of which came to an end.")
"""Why a task may fail: what was asked for is not there, or its workers were killed again and again."""

CHAIN = ("Deliveries", "Biochar", "Carbon")


class Caller:
    """Someone who measures, generates and deletes at works of his own until he is told to stop."""

    def __init__(self, site, remote, seed):
        self.works = site.works(remote)
        self.dice = random.Random(seed)  # noqa: S311 - the moments are to be repeated
        self.tasks = []
        self.failure = None
        for feedstock in FEEDSTOCKS:
            self.works.measure("delivery", 1, Decimal(1000), feedstock)

    def run(self, stopping):
        try:
            while not stopping.is_set():
                self._step()
        except BaseException as failure:  # noqa: BLE001 - it is raised where the test waits
            self.failure = failure

    def _step(self):
        month, feedstock = self.dice.randint(1, 3), self.dice.choice(FEEDSTOCKS)
        kind, most = self.dice.choice((("delivery", 90000), ("production", 9000), ("application", 900)))
        self.works.measure(kind, month, Decimal(self.dice.randint(1, most)) / 1000, feedstock)
        for ledger in CHAIN:
            self.tasks.append(self.works.generate(ledger))
        if self.dice.random() < 0.5:
            made = next((task["result"]["batches"] for task in reversed(self.tasks) if _made(task)), None)
            if made and (answer := self.works.delete(made)).status == 202:
                self.tasks.append(self.works.ended(answer))


def _made(task):
    return task["type"] == "batch_generation" and task["state"] == "complete" and task["result"]["batches"]


def check(site, callers):
    """Every task ended, and each acknowledged event and effect is there exactly once."""
    for caller in callers:
        works, project = caller.works, caller.works.number
        stored = [number for (number,) in site.sql("SELECT id FROM events WHERE project_id = %s", project)]
        assert len(stored) == len(works.events)
        assert len({one.id for one in works.events}) == len(works.events)
        tasks = [works.api.get(f"/async_tasks/{task['id']}").expect(200).body for task in caller.tasks]
        known = {
            number for (number,) in site.sql("SELECT id FROM async_tasks WHERE project_id = %s", project)
        }
        assert known == {task["id"] for task in tasks}
        assert {task["state"] for task in tasks} <= {"complete", "failed"}
        messages = [task["error_message"] for task in tasks if task["state"] == "failed"]
        others = [message for message in messages if not message.endswith(REASONS)]
        assert not others, others
        made = Counter(batch for task in tasks if _made(task) for batch in task["result"]["batches"])
        deleted = Counter(
            batch
            for task in tasks
            if task["type"] == "batch_deletion" and task["state"] == "complete"
            for batch in task["result"]["deleted"]
        )
        assert set(made.values()) | set(deleted.values()) <= {1}
        there = {batch["id"] for ledger in works.ledgers for batch in works.batches(ledger)}
        assert there == set(made) - set(deleted)
        for ledger in CHAIN:
            task = works.generate(ledger)
            caller.tasks.append(task)
            assert task["state"] == "complete" or "too little" in task["error_message"], task
        delivered = sum((one.amount for one in works.events if one.kind == "delivery"), Decimal(0))
        assert sum(works.totals()["Deliveries"].values(), Decimal(0)) == delivered
    assert site.violations() == []


@contextmanager
def under_load(callers):
    """Have all callers at work for as long as the block lasts; what stopped one of them is raised."""
    stopping = threading.Event()
    threads = [threading.Thread(target=caller.run, args=(stopping,)) for caller in callers]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stopping.set()
        for thread in threads:
            thread.join()
    for failure in [caller.failure for caller in callers if caller.failure]:
        raise failure


def told(callers):
    """How many tasks ended how."""
    tasks = Counter((task["type"], task["state"]) for caller in callers for task in caller.tasks)
    return {" ".join(key): number for key, number in sorted(tasks.items())}
