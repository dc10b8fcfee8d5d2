"""A cell on a node of a cluster: how it is connected to, and where there is no cluster to have one.

`url_in_cell`, `Database.in_cell`, `Database.follow`, `add_cell`, `move_cell`, `go_on_with_keys`.
"""

from collections import defaultdict
from dataclasses import replace

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.errors import CannotConnectNow

from weighbridge.core.platform.cell import INTEGER_BITS, Cell, key_range
from weighbridge.db.cell_creation import add_cell, go_on_with_keys, url_in_cell, urls_in_cell
from weighbridge.db.cell_moves import move_cell
from weighbridge.db.cells import read_cells
from weighbridge.db.embedded.instance import RUNNING_ROLE
from weighbridge.db.engine import CellEntry, Database, enter_cell
from weighbridge.db.migration import migrate
from weighbridge.db.roles import DatabaseUrls
from weighbridge.errors import Refusal
from weighbridge.supervisor.startup import migrate_cell, migrate_or_refuse

COORDINATOR = "postgresql://app@db1:5432/weighbridge"
EAST = Cell(2, "east", "db2:6432")
BEFORE_NEWER_TABLES = "0067"


def host_and_port(url):
    given = conninfo_to_dict(url)
    return given["host"], str(given["port"])


def test_the_service_connects_to_the_node_of_a_cell():
    given = conninfo_to_dict(url_in_cell(COORDINATOR, EAST))

    assert (given["host"], str(given["port"]), given["user"]) == ("db2", "6432", "app")
    assert given["options"].endswith("-csearch_path=cell_east")
    assert host_and_port(Database(COORDINATOR, connections_max=1).in_cell(EAST).url) == ("db2", "6432")


def test_whoever_holds_the_transactions_of_a_cell_follows_it_to_its_new_node():
    database = Database(COORDINATOR, connections_max=1)
    held = database.in_cell(EAST)
    keys = held.event_keys

    database.follow(replace(EAST, node="db3:6432"))

    assert host_and_port(held.url) == ("db3", "6432")
    assert database.in_cell(EAST) is held
    assert held.event_keys is keys


def test_only_transactions_on_a_node_ask_whether_the_cell_is_still_there():
    on_node, elsewhere = (
        enter_cell(CellEntry(EAST.schema, is_on_node=is_on_node), is_writing=False)[0][0].as_string()
        for is_on_node in (True, False)
    )

    assert on_node.endswith('"cell_east".enter_on_node(%s)')
    assert "enter_on_node" not in elsewhere
    assert enter_cell(CellEntry(), is_writing=False) == []


def test_a_cell_is_not_left_while_a_transaction_is_in_it(migrated_database):
    with psycopg.connect(migrated_database) as inside, psycopg.connect(migrated_database) as leaving:
        inside.execute("SELECT enter_on_node('east')")
        hold = "SELECT pg_try_advisory_lock(hashtextextended('cell:east', 0))"
        assert leaving.execute(hold).fetchone() == (False,)
        inside.rollback()

        assert leaving.execute(hold).fetchone() == (True,)
        with pytest.raises(CannotConnectNow, match="the cell east is moving to another node"):
            inside.execute("SELECT enter_on_node('east')")


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


def test_where_there_is_no_cluster_no_cell_moves(migrated_database):
    urls = DatabaseUrls(make_conninfo(migrated_database, user=RUNNING_ROLE), migrated_database)

    with pytest.raises(Refusal, match="not the coordinator of a Citus cluster"):
        move_cell(urls, "east", "db3:5432")


def test_sequences_go_on_after_what_the_other_node_has_given_out(migrated_database):
    keys = key_range(EAST.number, INTEGER_BITS)
    given_out = defaultdict(int, accounts_id_seq=keys.start + 41, users_id_seq=2**31 - 1)
    with psycopg.connect(migrated_database) as connection:
        go_on_with_keys(connection, EAST, given_out)
        following = [
            connection.execute("SELECT nextval(%s)", (name,)).fetchone()[0]
            for name in ("accounts_id_seq", "users_id_seq")
        ]
        go_on_with_keys(connection, EAST, given_out, is_ahead=True)
        [ahead] = connection.execute("SELECT nextval('accounts_id_seq')").fetchone()

    assert following == [keys.start + 42, keys.start]
    assert following[0] < ahead < keys.stop


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


def test_keys_of_tables_that_a_later_step_makes_are_of_the_range_of_the_cell(empty_database):
    urls = DatabaseUrls(empty_database, empty_database)
    migrate(empty_database)
    add_cell(urls, "east", lambda inner: migrate(inner.migrating, BEFORE_NEWER_TABLES), wait=lambda _: None)

    migrate_or_refuse(urls)

    with psycopg.connect(empty_database) as connection:
        [key] = connection.execute("SELECT nextval('cell_east.calibrations_id_seq')").fetchone()
    assert key == key_range(1, INTEGER_BITS).start


@pytest.mark.parametrize("address", ["db2", "db2:x", "db2:5432/other"])
def test_the_address_of_a_node_is_a_host_and_a_port(migrated_database, address):
    urls = DatabaseUrls(make_conninfo(migrated_database, user=RUNNING_ROLE), migrated_database)

    with pytest.raises(Refusal, match="takes a host, a colon and a port"):
        add_cell(urls, "east", migrate_cell, wait=lambda _: None, node=address)
