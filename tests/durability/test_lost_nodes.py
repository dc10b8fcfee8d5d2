"""A node of a Citus cluster is lost: its accounts hear so at once, others notice nothing, and all comes back.

Killed are the processes of a node, with a cell that is written to, and then those of the coordinator, with
the first cell and the directory.
"""

import http.client
import json
import time
from collections import Counter
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import urlencode, urlsplit

import pytest
from tests import clusters
from tests.durability.on_a_cluster import Reader, Site, Writer, percentile
from tests.durability.processes import until

ENOUGH = 100
"""Requests of each caller of the accounts that go on, in each phase."""
AFTER = 10
"""Requests of each caller once the node is back."""
REFUSALS = 3
PROMPTLY_SECONDS = 3.0
UNNOTICED_SECONDS = 0.05
"""A request that takes no longer than this is as quick as it has to be."""


@dataclass
class Loss:
    """What callers of each cell were answered while a node was lost."""

    callers: dict
    quiet: float = 0.0
    lost: float = 0.0
    back: float = 0.0
    over: float = 0.0
    facts: dict = field(default_factory=dict)

    def of(self, cell):
        return [answer for caller in self.callers[cell] for answer in caller.since(0.0)]

    def while_lost(self, cell):
        """Requests that were sent when the node was lost."""
        return [answer for caller in self.callers[cell] for answer in caller.since(self.lost, self.back)]

    def percentiles(self, cell):
        """The time of 99 % of requests before a node was lost, and while it was."""
        callers = self.callers[cell]
        before = [answer for caller in callers for answer in caller.since(self.quiet, self.lost)]
        return percentile(before, 0.99), percentile(self.while_lost(cell), 0.99)

    def until_normal(self, cell):
        """How long it took from the return of the node until a request succeeded."""
        good = [answer.begun + answer.seconds for answer in self.of(cell) if answer.is_good]
        return min(moment for moment in good if moment > self.back) - self.back


class Installation(Site):
    """A service with accounts in the first cell, and in one on each of two nodes, of a cluster of its own."""

    def __init__(self, command, place, cluster, folder):
        self.command, self.place = command, place
        super().__init__(cluster, folder)
        for name, node in zip(("north", "south"), self.nodes, strict=True):
            self.add_cell(name, node)
        self.tenants = {
            "first": self.tenant("default"),
            "north": self.tenant("Northern", "north"),
            "south": self.tenant("Southern", "south"),
        }

    def lose(self, node, cells, act):
        """Kill a node under load; do something while it is lost; revive it, and wait for all."""
        callers = {
            cell: [kind(tenant, f"{node}-{cell}-{kind.__name__}") for kind in (Writer, Reader)]
            for cell, tenant in self.tenants.items()
        }
        loss = Loss(callers)
        everybody = [caller for of_cell in callers.values() for caller in of_cell]
        others = [caller for cell in callers.keys() - cells for caller in callers[cell]]
        with ExitStack() as working:
            for caller in everybody:
                working.enter_context(caller)
            await_all(everybody, AFTER)
            loss.quiet = time.monotonic()
            await_all(others, ENOUGH)
            loss.facts["queued"] = [self.tenants[cell].plant.start().expect(202).body["id"] for cell in cells]
            clusters.kill(self.command, self.place, node)
            loss.lost = time.monotonic()
            await_all(others, ENOUGH)
            until(
                lambda: refused_often(callers, cells, loss.lost), what="callers of the lost cell are refused"
            )
            loss.facts["ready"] = self.ask("/readyz")
            act(loss)
            clusters.revive(self.command, self.place, node)
            loss.back = time.monotonic()
            await_all(everybody, AFTER)
            loss.over = time.monotonic()
        for tenant in self.tenants.values():
            tenant.await_tasks()
        return loss

    def ask(self, path, method="GET", body=None):
        """Ask the service something without a token: the status, the headers and the text of its answer."""
        parts = urlsplit(self.service.address)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
        try:
            headers = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
            connection.request(method, path, body=body and urlencode(body), headers=headers)
            response = connection.getresponse()
            return response.status, response.headers, response.read().decode()
        finally:
            connection.close()


def await_all(callers, count):
    for caller in callers:
        caller.await_more(count)


def refused_often(callers, cells, lost):
    return all(len(caller.since(lost)) >= REFUSALS for cell in cells for caller in callers[cell])


@pytest.fixture(scope="module")
def installation(pytestconfig, shared_folder):
    command = pytestconfig.getoption("--citus")
    if not command:
        pytest.skip("a node of a cluster is lost, which --citus COMMAND starts")
    with (
        clusters.running(command) as (place, started),
        clusters.database(started, "lost") as cluster,
        closing(Installation(command, place, cluster, shared_folder)) as made,
    ):
        yield made


@pytest.fixture(scope="module")
def without_a_node(installation):
    return installation.lose("worker-1", {"north"}, lambda _: None)


@pytest.fixture(scope="module")
def without_the_coordinator(installation):
    invitation = installation.run(
        "user", "add", "--email", "ada@south.example", "--role", "reader", "--account", "Southern"
    )
    key = invitation.split("key=")[1].split()[0]

    def act(loss):
        form = {"key": key, "name": "Ada", "password": "a quiet harbour", "again": "a quiet harbour"}
        loss.facts["form"] = form
        loss.facts["joined"] = installation.ask("/join", "POST", form)
        loss.facts["created"] = installation.attempt("account", "create", "--name", "Late", "--cell", "south")
        loss.facts["moved"] = installation.attempt("account", "move", "Southern", "--to", "north")

    return installation.lose("coordinator", {"first"}, act)


def record_times(without, loss, record_testsuite_property):
    """Have the report of the run say how long requests took."""
    for cell in loss.callers:
        quiet, lost = loss.percentiles(cell)
        record_testsuite_property(f"without_{without}_{cell}_p99_quiet_seconds", round(quiet, 4))
        record_testsuite_property(f"without_{without}_{cell}_p99_lost_seconds", round(lost, 4))
        record_testsuite_property(
            f"without_{without}_{cell}_normal_after_seconds", round(loss.until_normal(cell), 3)
        )


def assert_unnoticed(loss, cell):
    before, lost = loss.percentiles(cell)
    assert lost <= max(2 * before, UNNOTICED_SECONDS)
    assert [answer for answer in loss.of(cell) if not answer.is_good] == []


def assert_refused_promptly(loss, cell):
    answers = loss.while_lost(cell)
    assert {answer.status for answer in answers} == {HTTPStatus.SERVICE_UNAVAILABLE}, answers
    assert all(int(answer.retry_after) > 0 for answer in answers)
    assert max(answer.seconds for answer in answers) < PROMPTLY_SECONDS


def assert_nothing_is_lost_or_doubled(installation, loss, cell):
    tenant = installation.tenants[cell]
    stored = tenant.stored(dict(zip(("north", "south"), installation.nodes, strict=True)).get(cell))
    acknowledged = Counter(name for caller in loss.callers[cell] for name in caller.acknowledged)
    assert acknowledged <= stored
    assert set(stored.values()) == {1}
    assert {answer.status for answer in loss.of(cell)} <= {
        HTTPStatus.OK, HTTPStatus.CREATED, HTTPStatus.SERVICE_UNAVAILABLE,
    }  # fmt: skip


@pytest.mark.parametrize("cell", ["first", "south"])
def test_accounts_of_other_cells_notice_nothing_of_a_lost_node(without_a_node, cell):
    assert_unnoticed(without_a_node, cell)


def test_accounts_of_the_lost_node_are_refused_promptly_and_told_when_to_come_again(
    without_a_node, record_testsuite_property
):
    record_times("node", without_a_node, record_testsuite_property)
    assert_refused_promptly(without_a_node, "north")


def test_the_service_stays_ready_and_says_which_cell_is_lost(without_a_node):
    status, _, text = without_a_node.facts["ready"]
    assert (status, json.loads(text)) == (200, {"status": "ok", "lost_cells": ["north"]})


@pytest.mark.parametrize("cell", ["first", "north", "south"])
def test_nothing_that_was_acknowledged_is_lost_or_doubled_with_a_node(installation, without_a_node, cell):
    assert_nothing_is_lost_or_doubled(installation, without_a_node, cell)


def test_tasks_that_were_queued_on_the_lost_node_are_carried_out(installation, without_a_node):
    [task] = without_a_node.facts["queued"]
    assert installation.tenants["north"].plant.api.get(f"/async_tasks/{task}").body["state"] == "complete"


@pytest.mark.usefixtures("without_a_node")
def test_everything_is_in_order_once_the_node_is_back(installation):
    assert installation.verified()["is_clean"]


@pytest.mark.parametrize("cell", ["north", "south"])
def test_cells_on_nodes_go_on_without_the_coordinator(without_the_coordinator, cell):
    assert_unnoticed(without_the_coordinator, cell)


def test_accounts_of_the_first_cell_are_refused_promptly_without_the_coordinator(
    without_the_coordinator, record_testsuite_property
):
    record_times("coordinator", without_the_coordinator, record_testsuite_property)
    assert_refused_promptly(without_the_coordinator, "first")


def test_the_service_stays_ready_without_the_coordinator(without_the_coordinator):
    status, _, text = without_the_coordinator.facts["ready"]
    assert (status, json.loads(text)) == (200, {"status": "ok", "lost_cells": ["first"]})


def test_nobody_signs_up_while_the_directory_is_lost_and_does_so_later(installation, without_the_coordinator):
    status, headers, _ = without_the_coordinator.facts["joined"]
    assert status == HTTPStatus.SERVICE_UNAVAILABLE
    assert int(headers["Retry-After"]) > 0
    again, _, text = installation.ask("/join", "POST", without_the_coordinator.facts["form"])
    assert again == HTTPStatus.SEE_OTHER, text


@pytest.mark.parametrize("command", ["created", "moved"])
def test_commands_that_change_the_directory_say_that_it_is_lost(without_the_coordinator, command):
    done = without_the_coordinator.facts[command]
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert "The server of WEIGHBRIDGE_DATABASE_URL cannot be used" in done.stderr


@pytest.mark.usefixtures("without_the_coordinator")
def test_an_account_is_made_once_the_directory_is_back(installation):
    installation.run("account", "create", "--name", "Late", "--cell", "south")


@pytest.mark.parametrize("cell", ["first", "north", "south"])
def test_nothing_that_was_acknowledged_is_lost_with_the_coordinator(
    installation, without_the_coordinator, cell
):
    assert_nothing_is_lost_or_doubled(installation, without_the_coordinator, cell)


@pytest.mark.usefixtures("without_the_coordinator")
def test_everything_is_in_order_once_the_coordinator_is_back(installation):
    assert installation.verified()["is_clean"]
