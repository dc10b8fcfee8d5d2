"""A cell on a node of a Citus cluster moves to another node, while the service and its callers go on."""

import json
import subprocess
import sys
import threading
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from http import HTTPStatus

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from tests import clusters
from tests.durability.processes import environment, until
from tests.durability.real_service import CLI, DEADLINE_SECONDS, Service
from tests.durability.remote import Remote
from tests.given import accounting

from weighbridge.core.platform.cell import INTEGER_BITS, key_range
from weighbridge.db.embedded.instance import RUNNING_ROLE

COMMAND_SECONDS = 240
WRITERS = 2
ENOUGH = 40
"""Events of each writer before the cell moves, and after it has moved."""


class Site:
    """The real service on the coordinator of a cluster, with an account in a cell on its first node."""

    def __init__(self, cluster, folder):
        self.folder, self.nodes = folder, [cluster.node(number) for number in range(len(cluster.workers))]
        self.cluster = cluster
        self.variables = {
            "WEIGHBRIDGE_DATABASE_URL": url_of(cluster.coordinator, user=RUNNING_ROLE),
            "WEIGHBRIDGE_MIGRATION_DATABASE_URL": url_of(cluster.coordinator),
        }
        self.service = Service(folder / "data", "", log=folder / "log", **self.variables)
        self.added = json.loads(self.run("cells", "add", "north", "--node", self.nodes[0], "--json"))
        self.run("account", "create", "--name", "Northern", "--cell", "north")
        self.token = self.run("token", "create", "--name", "all", "--all", "--account", "Northern")
        self.service.token = self.token
        self.plant = accounting.plant(Remote(self.service.address, self.token), self.await_tasks)

    def run(self, *words):
        """Run a command beside the service, as an operator does; gives what it printed."""
        done = subprocess.run(
            [sys.executable, *CLI, *map(str, words), "--data-dir", str(self.folder / "data")],
            capture_output=True, text=True, check=False, timeout=COMMAND_SECONDS,
            env=environment(**self.variables),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout.strip()

    def await_tasks(self):
        for task in self.plant.api.get("/async_tasks", {"page_size": "100"}).body["data"]:
            self.service.finished(task["id"])

    def verified(self):
        return json.loads(self.run("verify", "--json"))

    def stored(self, node):
        """How often each event that a writer sent is in the cell on a node, by what its caller calls it."""
        given = conninfo_to_dict(self.cluster.coordinator)
        host, port = node.split(":")
        url = make_conninfo(**given | {"host": host, "port": port}, options="-csearch_path=cell_north")
        with psycopg.connect(url) as connection:
            return Counter(
                name
                for (name,) in connection.execute(
                    "SELECT client_reference FROM events WHERE client_reference IS NOT NULL"
                )
            )


class Writer(Remote):
    """Sends one event after the other, each until it is acknowledged, and remembers what it was answered."""

    def __init__(self, site, name):
        super().__init__(site.service.address, site.token)
        self.site, self.name = site, name
        self.acknowledged, self.refused, self.other = [], [], []
        self.stopping = threading.Event()
        self._thread = threading.Thread(target=self._work)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self._thread.join(DEADLINE_SECONDS)

    def _work(self):
        while not self.stopping.is_set():
            reference = f"{self.name}-{len(self.acknowledged)}"
            replace(self.site.plant, api=self).deliver(1, client_reference=reference)
            self.acknowledged.append(reference)

    def _send(self, method, path, content, headers):
        answer = super()._send(method, path, content, headers)
        if answer.status == HTTPStatus.SERVICE_UNAVAILABLE:
            self.refused.append(answer)
        elif answer.status != HTTPStatus.CREATED:
            self.other.append(answer)
        return answer

    def await_more(self):
        """Wait until so many more events are acknowledged."""
        begun = len(self.acknowledged)
        until(lambda: len(self.acknowledged) >= begun + ENOUGH, what="events are acknowledged")


def url_of(conninfo, **changes):
    given = conninfo_to_dict(conninfo) | changes
    return f"postgresql://{given['user']}@{given['host']}:{given['port']}/{given['dbname']}"


@pytest.fixture(scope="module")
def site(cluster, shared_folder):
    if cluster is None:
        pytest.skip("a cell moves from node to node of a cluster, which --citus COMMAND starts")
    with clusters.database(cluster, "moving") as own:
        made = Site(own, shared_folder)
        yield made
        made.service.close()


def test_a_cell_is_made_on_a_node_by_the_command(site):
    assert site.added == {"number": 1, "name": "north", "node": site.nodes[0]}
    listed = json.loads(site.run("cells", "list", "--json"))

    assert [(cell["name"], cell["node"], cell["is_open"]) for cell in listed] == [
        ("first", None, True), ("north", site.nodes[0], True),
    ]  # fmt: skip


def test_a_cell_moves_while_it_is_written_to(site):
    site.plant.deliver(12)
    before = site.verified()
    writers = [Writer(site, f"writer-{number}") for number in range(WRITERS)]
    with writers[0], writers[1]:
        for writer in writers:
            writer.await_more()
        moved = json.loads(site.run("cells", "move", "north", "--to", site.nodes[1], "--json"))
        for writer in writers:
            writer.await_more()

    assert moved == {"number": 1, "name": "north", "node": site.nodes[1]}
    acknowledged = [reference for writer in writers for reference in writer.acknowledged]
    assert site.stored(site.nodes[1]) == Counter(acknowledged)
    assert [answer.text for writer in writers for answer in writer.other] == []
    refused = [answer for writer in writers for answer in writer.refused]
    assert all(int(answer.headers["Retry-After"]) > 0 for answer in refused)
    after = site.verified()
    assert (before["is_clean"], after["is_clean"]) == (True, True)


def test_what_comes_after_has_keys_of_the_cell_and_is_worked_on(site):
    times = ("2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z")
    masses = 12 + sum(site.stored(site.nodes[1]).values())

    site.plant.generate(times)

    assert [batch["ledger_balance"] for batch in site.plant.batches()] == [Decimal(masses)]
    project = site.plant.api.get("/projects").data[0]
    assert project["numeric_id"] in key_range(1, INTEGER_BITS)
    assert site.verified()["is_clean"]


def test_a_cell_moves_back_and_is_found_there(site):
    site.run("cells", "move", "north", "--to", site.nodes[0])

    site.plant.deliver(3, 2)
    assert site.verified()["is_clean"]
    again = subprocess.run(
        [sys.executable, *CLI, "cells", "move", "north", "--to", site.nodes[0], "--data-dir",
         str(site.folder / "data")],
        capture_output=True, text=True, check=False, timeout=COMMAND_SECONDS,
        env=environment(**site.variables),
    )  # fmt: skip
    assert again.returncode != 0
    assert f"The cell north lies on {site.nodes[0]} already." in again.stderr + again.stdout
