"""An account moves to another cell of a service at work; the command may be killed on its way."""

import json
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from decimal import Decimal

import psycopg
import pytest
from tests.durability.processes import Program, environment, until
from tests.durability.real_service import CLI, Service
from tests.durability.remote import Remote
from tests.given import accounting
from tests.given import collection as given

from weighbridge.core.proof import ConsistencyProof, open_checkpoint
from weighbridge.core.signing import VerifierKey
from weighbridge.db.embedded.instance import attach_server

ACCOUNT = 1
"""The account default, which is in the first cell."""

WAITING = """
    SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'COPY "events"%'
"""


def weighbridge(*words, data_dir):
    """Run a command while the service is at work, as an operator does; gives what it printed."""
    done = subprocess.run(
        [sys.executable, *CLI, *map(str, words), "--data-dir", str(data_dir)],
        capture_output=True, text=True, check=False, timeout=60, env=environment(),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def service(shared_dir, shared_folder):
    """A service at work, of two cells."""
    made = Service(shared_dir, "", log=shared_folder / "log")
    made.token = weighbridge("token", "create", "--name", "all", "--all", data_dir=shared_dir)
    weighbridge("cells", "add", "north", data_dir=shared_dir)
    yield made
    made.close()


@pytest.fixture(scope="module")
def plant(service):
    """A plant of the first cell, whose tasks are the worker's."""
    api = Remote(service.address, service.token)

    def await_tasks():
        for task in api.get("/async_tasks", {"page_size": "100"}).body["data"]:
            service.finished(task["id"])

    return accounting.plant(api, await_tasks)


@contextmanager
def storing(plant):
    """Store deliveries one after the other until the block ends; their ids."""
    stored, ended = [], threading.Event()

    def store():
        while not ended.is_set():
            stored.append(plant.deliver(1, 2))

    writer = threading.Thread(target=store)
    writer.start()
    try:
        yield stored
    finally:
        ended.set()
        writer.join()


def test_a_command_that_was_killed_has_moved_nothing(plant, shared_dir, shared_folder):
    plant.deliver(5)
    with attach_server(shared_dir) as running, psycopg.connect(running.url) as owner:
        owner.execute("LOCK TABLE cell_north.events IN ACCESS EXCLUSIVE MODE")
        words = ("account", "move", ACCOUNT, "--to", "north", "--data-dir", shared_dir)
        moving = Program(*CLI, *words, log=shared_folder / "move")
        with psycopg.connect(running.url, autocommit=True) as looking:
            until(lambda: looking.execute(WAITING).fetchall(), what="the command copies events")
        moving.signal(signal.SIGKILL)
        moving.close()

    plant.deliver(7, 2)

    assert len(plant.api.get(f"/projects/{plant.project['id']}/events").body["data"]) == 2
    verified = json.loads(weighbridge("verify", "--json", data_dir=shared_dir))
    assert verified["is_clean"]


def test_an_account_moves_while_it_is_used_and_its_log_goes_on(service, plant, shared_dir):
    api = plant.api
    key = VerifierKey.read(api.get("/audit_log/key").body["verifier_key"])
    kept = open_checkpoint(api.get("/audit_log/head").text, key)
    plant.generate()

    with storing(plant) as stored:
        task = plant.start().body["id"]
        moved = json.loads(
            weighbridge("account", "move", ACCOUNT, "--to", "north", "--json", data_dir=shared_dir)
        )

    assert moved["seconds_waited"] < 5
    assert service.finished(task)["state"] == "complete"
    plant.generate()
    assert sum(batch["ledger_balance"] for batch in plant.batches()) == Decimal(12 + len(stored))
    given.project(api, name="After the move")
    newest = open_checkpoint(api.get("/audit_log/head").text, key)
    proof = api.get("/audit_log/consistency", {"from": str(kept.size), "to": str(newest.size)})
    assert ConsistencyProof.read(proof.text).verify(kept, key) == newest
    verified = json.loads(weighbridge("verify", "--json", data_dir=shared_dir))
    assert (verified["is_clean"], verified["checks"][-1]["violations"]) == (True, [])
    listed = json.loads(weighbridge("cells", "list", "--json", data_dir=shared_dir))
    assert [(cell["name"], cell["accounts"]) for cell in listed] == [("first", 0), ("north", 1)]


@pytest.mark.usefixtures("service")
def test_the_command_says_where_an_account_lives_already(shared_dir):
    words = ("account", "move", str(ACCOUNT), "--to", "north", "--data-dir", shared_dir)
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, *CLI, *words],
            capture_output=True, text=True, check=False, timeout=60, env=environment(),
        )  # fmt: skip

    assert (done.returncode, "lives in the cell north already" in done.stderr) == (1, True)
