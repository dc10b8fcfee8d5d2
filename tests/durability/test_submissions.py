"""Workers are killed at each step of a submission, and at random moments: the registry has each report once.

DELIVERIES is how many reports meet random kills; `make durability` asks for many. Each run prints its seed.
"""

import json
import os
import random
import signal
import time
import urllib.request
from contextlib import contextmanager, suppress
from decimal import Decimal

import psycopg
import pytest
from tests.durability.processes import Program, until
from tests.durability.real_service import CLI
from tests.durability.remote import Site, living

DELIVERIES = int(os.environ.get("DELIVERIES", "3"))
SEED = int(os.environ.get("SEED", "0")) or random.SystemRandom().randrange(1, 10**9)

WAITING = "SELECT pid FROM pg_locks WHERE NOT granted AND relation = %s::regclass"
BLOCKED = "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"


class Registry:
    """A rehearsal registry in a process of its own."""

    def __init__(self, folder):
        command = ("rehearse-registry", "--port", 0, "--keep", folder / "received.jsonl")
        self.program = Program(*CLI, *command, log=folder / "registry.log")
        word, self.address = self.program.line().split()
        assert word == "ready"

    def received(self):
        with urllib.request.urlopen(self.address) as answer:  # noqa: S310 - of this machine
            return json.load(answer)["data"]


class Sender:
    """Works whose reports go to a registry, and the workers that bring them there."""

    def __init__(self, site, registry):
        self.site, self.registry = site, registry
        self.reports = []
        self.works = site.works(site.remote)
        self.works.measure("delivery", 1, Decimal(10_000), "Straw")
        self.settings = {
            "WEIGHBRIDGE_DATA_DIR": str(site.data_dir),
            "WEIGHBRIDGE_OUTGOING_NETWORKS": "127.0.0.0/8",
        }
        site.work(1, **self.settings)
        ledger = self.works.ledgers["Deliveries"]["id"]
        body = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-02-01T00:00:00Z"}
        self.post(f"/ledgers/{ledger}/batch_generations", body, 202)
        self.works.drain()
        site.stop_pools()
        [self.batch] = [batch["id"] for batch in self.works.batches("Deliveries")]
        said = {
            "name": f"Rehearsal at {registry.address}", "adapter": "http", "address": registry.address,
            "timeout_seconds": 20, "poll_seconds": None,
        }  # fmt: skip
        self.number = self.post("/registries", {"registry": said}, 201)["id"]

    def post(self, path, body, status):
        return self.works.api.post(path, body).expect(status).body

    def submit(self, name="Report"):
        """Send a report off; gives its id."""
        report = {
            "name": name, "report_type": "monthly", "project_id": self.works.number,
            "batches": [{"batch_id": self.batch, "amount": 1}],
        }  # fmt: skip
        made = self.post("/reports", {"report": report}, 201)["id"]
        self.post(f"/reports/{made}/submit", {"registry_id": self.number}, 202)
        self.reports.append(made)
        return made

    def work(self):
        return self.site.work(1, **self.settings)

    def kill(self, pool):
        """Kill the worker, and those that take its place, with their pool."""
        for number in living(pool):
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        self.site.stop_pools()

    def status(self, report):
        return self.works.api.get(f"/reports/{report}").expect(200).body["status"]

    def steps(self, report):
        kept = self.works.api.get(f"/reports/{report}/submission").expect(200).body
        return [one["step"] for one in kept["steps"]]

    @contextmanager
    def held(self, statement):
        """Hold a lock past the service while the block lasts."""
        with psycopg.connect(self.site.url) as holder:
            holder.execute(statement)
            yield

    def until_waiting(self, table):
        until(lambda: self.site.sql(WAITING, table), what=f"the worker waits for {table}")


@pytest.fixture(scope="module")
def site(shared_folder, shared_dir):
    site = Site(shared_folder, shared_dir)
    site.remote = site.serve()
    yield site
    site.close()


@pytest.fixture
def sender(folder, site):
    """Works and a registry of the test's own; the service is shared, and its workers rest in between."""
    registry = Registry(folder)
    try:
        yield Sender(site, registry)
    finally:
        site.stop_pools()
        registry.program.signal(signal.SIGCONT)
        registry.program.close()


def before_it_is_kept(sender):
    with sender.held("LOCK TABLE report_submissions IN SHARE MODE"):
        sender.submit()
        pool = sender.work()
        sender.until_waiting("report_submissions")
        sender.kill(pool)


def before_sending_is_written_down(sender):
    with sender.held("LOCK TABLE report_deliveries IN SHARE MODE"):
        sender.submit()
        pool = sender.work()
        sender.until_waiting("report_deliveries")
        sender.kill(pool)


def while_the_registry_has_not_read_it(sender):
    sender.registry.program.signal(signal.SIGSTOP)
    report = sender.submit()
    pool = sender.work()
    until(lambda: sender.steps(report) == ["sending"], what="sending was written down")
    sender.kill(pool)
    sender.registry.program.signal(signal.SIGCONT)


def while_the_registry_works_on_it(sender):
    before = len(sender.registry.received())
    sender.submit("Report [rehearse: delay 5]")
    pool = sender.work()
    until(lambda: len(sender.registry.received()) > before, what="the registry has it")
    sender.kill(pool)


def before_the_answer_is_written_down(sender):
    report = sender.submit("Report [rehearse: delay 1.5]")
    pool = sender.work()
    until(lambda: sender.steps(report) == ["sending"], what="sending was written down")
    with sender.held("LOCK TABLE report_deliveries IN SHARE MODE"):
        sender.until_waiting("report_deliveries")
        sender.kill(pool)


def before_the_report_is_submitted(sender):
    sender.submit()
    with sender.held("SELECT FROM reports FOR NO KEY UPDATE"):
        pool = sender.work()
        until(lambda: sender.site.sql(BLOCKED), what="the worker waits for the report")
        sender.kill(pool)


STEPS = (
    before_it_is_kept,
    before_sending_is_written_down,
    while_the_registry_has_not_read_it,
    while_the_registry_works_on_it,
    before_the_answer_is_written_down,
    before_the_report_is_submitted,
)


def all_submitted(sender, reports):
    until(
        lambda: {sender.status(report) for report in reports} == {"submitted"},
        what="every report is submitted",
    )


def received_once(sender, reports):
    """Whether the registry has each report once, under the key that the service knows."""
    keys = [
        sender.works.api.get(f"/reports/{report}/submission").expect(200).body["key"] for report in reports
    ]
    return sorted(one["key"] for one in sender.registry.received()) == sorted(keys)


def test_a_worker_that_is_killed_at_any_step_leaves_one_submission(sender):
    for killed in STEPS:
        killed(sender)
        sender.work()
        all_submitted(sender, sender.reports)
        assert received_once(sender, sender.reports), killed.__name__
        sender.site.stop_pools()

    assert len(sender.registry.received()) == len(STEPS)
    assert sender.site.violations() == []


def test_after_kills_at_random_moments_each_report_was_received_once(sender):
    print(f"seed {SEED}, {DELIVERIES} reports")  # noqa: T201 - what repeats the run
    dice = random.Random(SEED)  # noqa: S311 - the moments are to be repeated
    words = ("", "[rehearse: lose 1]", "[rehearse: fail 1]", "[rehearse: fail-after 1]", "[rehearse: drop 1]")
    reports = [sender.submit(f"Report {dice.choice(words)}") for _ in range(DELIVERIES)]
    pool = sender.work()
    kills = 0
    while any(sender.status(report) == "submitting" for report in reports):
        time.sleep(dice.uniform(0.02, 1.5))
        for number in living(pool):
            if kills < DELIVERIES:
                kills += 1
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)

    # An attempt counts, also one that was killed: what was given up by then is sent off again.
    for report in reports:
        if sender.status(report) == "failed":
            sender.post(f"/reports/{report}/submit", {}, 202)
    all_submitted(sender, reports)
    print(f"killed {kills}")  # noqa: T201 - as above
    assert received_once(sender, reports)
    assert sender.site.violations() == []
