"""A cell on a node of a Citus cluster moves to another node, while the service and its callers go on."""

import json
from collections import Counter
from contextlib import closing
from decimal import Decimal
from http import HTTPStatus

import pytest
from tests import clusters
from tests.durability.on_a_cluster import Site, Writer

from weighbridge.core.platform.cell import INTEGER_BITS, key_range

WRITERS = 2
ENOUGH = 40
"""Events of each writer before the cell moves, and after it has moved."""


@pytest.fixture(scope="module")
def site(cluster, shared_folder):
    if cluster is None:
        pytest.skip("a cell moves from node to node of a cluster, which --citus COMMAND starts")
    with clusters.database(cluster, "moving") as own, closing(Site(own, shared_folder)) as made:
        yield made


@pytest.fixture(scope="module")
def added(site):
    return site.add_cell("north", site.nodes[0])


@pytest.fixture(scope="module")
def northern(site, added):
    return site.tenant("Northern", added["name"])


def test_a_cell_is_made_on_a_node_by_the_command(site, added):
    assert added == {"number": 1, "name": "north", "node": site.nodes[0]}
    listed = json.loads(site.run("cells", "list", "--json"))

    assert [(cell["name"], cell["node"], cell["is_open"]) for cell in listed] == [
        ("first", None, True), ("north", site.nodes[0], True),
    ]  # fmt: skip


def test_a_cell_moves_while_it_is_written_to(site, northern):
    northern.plant.deliver(12)
    before = site.verified()
    writers = [Writer(northern, f"writer-{number}") for number in range(WRITERS)]
    with writers[0], writers[1]:
        for writer in writers:
            writer.await_more(ENOUGH)
        moved = json.loads(site.run("cells", "move", "north", "--to", site.nodes[1], "--json"))
        for writer in writers:
            writer.await_more(ENOUGH)

    assert moved == {"number": 1, "name": "north", "node": site.nodes[1]}
    acknowledged = [reference for writer in writers for reference in writer.acknowledged]
    assert set(northern.stored(site.nodes[1]).values()) == {1}
    assert Counter(acknowledged) <= northern.stored(site.nodes[1])
    answers = [answer for writer in writers for answer in writer.answers]
    refused = [answer for answer in answers if answer.status == HTTPStatus.SERVICE_UNAVAILABLE]
    assert [answer for answer in answers if not answer.is_good and answer not in refused] == []
    assert all(int(answer.retry_after) > 0 for answer in refused)
    after = site.verified()
    assert (before["is_clean"], after["is_clean"]) == (True, True)


def test_what_comes_after_has_keys_of_the_cell_and_is_worked_on(site, northern):
    times = ("2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z")
    masses = 12 + sum(northern.stored(site.nodes[1]).values())

    northern.plant.generate(times)

    assert [batch["ledger_balance"] for batch in northern.plant.batches()] == [Decimal(masses)]
    project = northern.plant.api.get("/projects").data[0]
    assert project["numeric_id"] in key_range(1, INTEGER_BITS)
    assert site.verified()["is_clean"]


def test_a_cell_moves_back_and_is_found_there(site, northern):
    site.run("cells", "move", "north", "--to", site.nodes[0])

    northern.plant.deliver(3, 2)
    assert site.verified()["is_clean"]
    again = site.attempt("cells", "move", "north", "--to", site.nodes[0])
    assert again.returncode != 0
    assert f"The cell north lies on {site.nodes[0]} already." in again.stderr + again.stdout
