"""A service of two cells: accounts in the first one, and in the second, on a node if there is a cluster."""

from collections.abc import Iterator

import pytest
from tests.clusters import Cluster
from tests.databases import database
from tests.server import Account, Server

SECOND = "north"


@pytest.fixture(scope="module")
def two_cells(postgres: str, newest: str, cluster: Cluster | None) -> Iterator[Server]:
    """A service of two cells, whose accounts live in the second one unless a test says otherwise."""
    if cluster is not None:
        with Server(cluster.coordinator, second_cell=SECOND) as server:
            yield server
        return
    with database(postgres, newest) as url, Server(url, second_cell=SECOND) as server:
        yield server


@pytest.fixture
def northern(two_cells: Server) -> Account:
    """An account in the second cell."""
    return two_cells.account()


@pytest.fixture
def first(two_cells: Server) -> Account:
    """An account in the first cell."""
    return two_cells.first_account()
