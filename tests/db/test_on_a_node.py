"""A cell on a node of a cluster: how it is connected to, and where there is no cluster to have one.

`url_in_cell`, `Database.in_cell`, `add_cell`.
"""

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from weighbridge.core.platform.cell import Cell
from weighbridge.db.cell_creation import add_cell, url_in_cell, urls_in_cell
from weighbridge.db.cells import read_cells
from weighbridge.db.embedded.instance import RUNNING_ROLE
from weighbridge.db.engine import Database
from weighbridge.db.roles import DatabaseUrls
from weighbridge.errors import Refusal
from weighbridge.supervisor.startup import migrate_cell, migrate_or_refuse

COORDINATOR = "postgresql://app@db1:5432/weighbridge"
EAST = Cell(2, "east", "db2:6432")


def host_and_port(url):
    given = conninfo_to_dict(url)
    return given["host"], str(given["port"])


def test_the_service_connects_to_the_node_of_a_cell():
    given = conninfo_to_dict(url_in_cell(COORDINATOR, EAST))

    assert (given["host"], str(given["port"]), given["user"]) == ("db2", "6432", "app")
    assert given["options"].endswith("-csearch_path=cell_east")
    assert host_and_port(Database(COORDINATOR, connections_max=1).in_cell(EAST).url) == ("db2", "6432")


def test_whoever_migrates_a_cell_goes_through_the_coordinator():
    urls = urls_in_cell(DatabaseUrls(COORDINATOR, COORDINATOR), EAST)

    assert host_and_port(urls.running) == ("db2", "6432")
    assert host_and_port(urls.migrating) == ("db1", "5432")


def test_a_pooler_of_the_coordinator_does_not_lead_to_a_node():
    pooled = Database("postgresql://pooler:6000/weighbridge", connections_max=1, session_url=COORDINATOR)

    on_node = pooled.in_cell(EAST)

    assert host_and_port(on_node.url) == ("db2", "6432")
    assert on_node.session_url is None


def test_where_there_is_no_cluster_no_cell_lies_on_a_node(migrated_database):
    urls = DatabaseUrls(make_conninfo(migrated_database, user=RUNNING_ROLE), migrated_database)

    with pytest.raises(Refusal, match="not the coordinator of a Citus cluster"):
        add_cell(urls, "east", migrate_cell, wait=lambda _: None, node="db2:5432")

    with psycopg.connect(migrated_database) as connection:
        assert connection.execute("SELECT to_regnamespace('weighbridge_directory')").fetchone() == (None,)


def test_a_cell_that_was_not_finished_has_its_schema_and_is_no_open_cell(migrated_database):
    urls = DatabaseUrls(make_conninfo(migrated_database, user=RUNNING_ROLE), migrated_database)

    def fail(_):
        raise Refusal("the steps fail")

    with pytest.raises(Refusal, match="the steps fail"):
        add_cell(urls, "east", fail, wait=lambda _: None)

    assert [cell.name for cell in read_cells(migrated_database)] == ["first", "east"]
    assert [cell.name for cell in read_cells(migrated_database, only_open=True)] == ["first"]
    migrate_or_refuse(urls)
    assert add_cell(urls, "east", migrate_cell, wait=lambda _: None).number == 1


@pytest.mark.parametrize("address", ["db2", "db2:x", "db2:5432/other"])
def test_the_address_of_a_node_is_a_host_and_a_port(migrated_database, address):
    urls = DatabaseUrls(make_conninfo(migrated_database, user=RUNNING_ROLE), migrated_database)

    with pytest.raises(Refusal, match="takes a host, a colon and a port"):
        add_cell(urls, "east", migrate_cell, wait=lambda _: None, node=address)
