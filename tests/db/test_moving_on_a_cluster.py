"""A cell on a node of a real cluster: what keeps it from moving, what a move that failed leaves, later steps.

`move_cell`, `migrate_cell`.
"""

import threading
import time
from contextlib import closing
from dataclasses import replace

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from tests import clusters

from weighbridge.core.platform.cell import INTEGER_BITS, key_range, local_schema
from weighbridge.db.account_move import without_moves
from weighbridge.db.cell_creation import add_cell, go_on_with_keys, url_in_cell, urls_in_cell
from weighbridge.db.cell_moves import move_cell
from weighbridge.db.cells import read_cells
from weighbridge.db.embedded.instance import RUNNING_ROLE
from weighbridge.db.migration import migrate
from weighbridge.db.nodes import SEQUENCES, complete, make_movable, move_tables
from weighbridge.db.roles import DatabaseUrls, grant_running_role, newest_revision, role_of
from weighbridge.supervisor.startup import migrate_cell, migrate_or_refuse

OLDER = "0062"
"""The first step at which this version adds cells; later ones make tables and functions."""

SECONDS = 120.0
FUNCTIONS = """
    SELECT p.oid::regprocedure::text, md5(p.prosrc) FROM pg_proc p
     WHERE p.pronamespace = current_schema()::regnamespace AND p.prokind = 'f' ORDER BY 1
"""
MOVING = """
    SELECT pid FROM pg_stat_activity
     WHERE query LIKE 'SELECT citus_schema_move%' AND state = 'active' AND datname = current_database()
"""


SCHEMA_OF_ACCOUNTS = "SELECT relnamespace::regnamespace::text FROM pg_class WHERE oid = 'accounts'::regclass"
VIEWS = "SELECT count(*) FROM pg_views WHERE schemaname = %s"


class Place:
    """A database on a cluster, with a cell `east` on its first node."""

    def __init__(self, cluster, revision=None):
        self.cluster = cluster
        running = make_conninfo(cluster.coordinator, user=RUNNING_ROLE)
        self.urls = DatabaseUrls(running, cluster.coordinator)
        self.nodes = [cluster.node(number) for number in range(2)]

        def step(urls):
            if revision is None:
                migrate_cell(urls)
            else:
                migrate(urls.migrating, revision)
                grant_running_role(urls)

        step(self.urls)
        add_cell(self.urls, "east", step, wait=lambda _: None, node=self.nodes[0])

    @property
    def cell(self):
        return next(cell for cell in read_cells(self.urls.running) if cell.name == "east")

    @property
    def other_node(self):
        return next(node for node in self.nodes if node != self.cell.node)

    def enter(self, url=None):
        """A connection in the cell, in a transaction that is in it."""
        connection = psycopg.connect(url_in_cell(url or self.urls.running, self.cell))
        try:
            connection.execute("SELECT enter_on_node(%s)", (self.cell.schema,))
        except psycopg.Error:
            connection.close()
            raise
        return connection

    def add_account(self, name):
        with self.enter() as connection:
            found = connection.execute(
                "INSERT INTO accounts (name) VALUES (%s) RETURNING id", (name,)
            ).fetchone()
        return found[0]

    def accounts(self):
        with self.enter() as connection:
            return dict(connection.execute("SELECT id, name FROM accounts").fetchall())

    def move(self):
        return move_cell(self.urls, "east", self.other_node)


@pytest.fixture(scope="module")
def place(cluster, worker_name):
    if cluster is None:
        pytest.skip("a cell moves on a cluster, which --citus COMMAND starts")
    with clusters.database(cluster, f"moved_{worker_name}") as own:
        yield Place(own)


@pytest.fixture(scope="module")
def older_place(cluster, worker_name):
    if cluster is None:
        pytest.skip("a cell is migrated on a cluster, which --citus COMMAND starts")
    with clusters.database(cluster, f"older_{worker_name}") as own:
        yield Place(own, OLDER)


@pytest.fixture(autouse=True)
def turn(newest_on_nodes):
    """Workers of a run share the nodes, and move cells one after another."""
    if newest_on_nodes is None:
        yield
        return
    with psycopg.connect(newest_on_nodes.coordinator, autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(2)")
        yield


class Moving:
    """A move that goes on in a thread of its own."""

    def __init__(self, place):
        self.error = None
        self._place = place
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._thread.join(SECONDS)
        assert not self._thread.is_alive(), "the cell does not come to its other node"

    def _run(self):
        try:
            self._place.move()
        except psycopg.Error as error:
            self.error = error

    def await_copying(self):
        """Wait until the cluster copies tables; gives the number of the process that does so."""
        deadline = time.monotonic() + SECONDS
        with psycopg.connect(self._place.urls.migrating, autocommit=True) as connection:
            while time.monotonic() < deadline:
                if found := connection.execute(MOVING).fetchone():
                    return found[0]
        raise AssertionError("nothing was copied")


def test_a_transaction_that_stays_in_the_cell_is_ended_and_the_cell_moves(place):
    to = place.other_node
    with closing(place.enter()) as staying:
        staying.execute("SELECT count(*) FROM accounts")
        place.move()

        with pytest.raises(psycopg.OperationalError):
            staying.execute("SELECT 1")
    assert place.cell.node == to


def test_a_transaction_that_has_written_and_stays_is_ended_and_the_cell_moves(place):
    to = place.other_node
    with closing(place.enter()) as staying:
        staying.execute("INSERT INTO accounts (name) VALUES ('never committed')")
        with Moving(place) as moving:
            moving.await_copying()

        with pytest.raises(psycopg.OperationalError):
            staying.commit()
    assert moving.error is None
    assert place.cell.node == to
    assert "never committed" not in place.accounts().values()


def test_a_move_that_was_ended_while_it_copied_is_repeated(place):
    before = place.add_account("before the first attempt")
    to = place.other_node
    with Moving(place) as moving:
        copying = moving.await_copying()
        with psycopg.connect(place.urls.migrating, autocommit=True) as connection:
            connection.execute("SELECT pg_terminate_backend(%s::integer)", (copying,))
    assert isinstance(moving.error, psycopg.OperationalError)
    between = place.add_account("between the attempts")

    place.move()

    after = place.add_account("after the second attempt")
    assert place.cell.node == to
    assert {before, between, after} <= place.accounts().keys()


def test_a_cell_that_the_cluster_moved_by_itself_is_refused_until_the_command_names_its_node(place):
    before = place.add_account("before the cluster moved it")
    to = place.other_node
    with psycopg.connect(urls_in_cell(place.urls, place.cell).migrating, autocommit=True) as coordinator:
        make_movable(coordinator)
        move_tables(coordinator, to)
    with pytest.raises(psycopg.errors.CannotConnectNow, match="has moved to another node"):
        place.add_account("where it was")

    place.move()

    after = place.add_account("where it is")
    assert place.cell.node == to
    assert {before, after} <= place.accounts().keys()
    assert after > before


def test_a_move_that_ended_before_the_directory_named_the_new_node_is_repeated(place):
    before = place.add_account("before the tables moved")
    to, old = place.other_node, place.cell
    with (
        without_moves(place.urls.migrating),
        psycopg.connect(urls_in_cell(place.urls, old).migrating, autocommit=True) as coordinator,
        psycopg.connect(url_in_cell(place.urls.migrating, old), autocommit=True) as left,
        psycopg.connect(url_in_cell(place.urls.migrating, replace(old, node=to)), autocommit=True) as new,
    ):
        complete(coordinator, new, role_of(place.urls.running))
        given_out = {name: last for name, _, last in left.execute(SEQUENCES).fetchall()}
        go_on_with_keys(new, old, given_out, is_ahead=True)
        make_movable(coordinator)
        move_tables(coordinator, to)
    with pytest.raises(psycopg.errors.CannotConnectNow, match="has moved to another node"):
        place.add_account("refused by the old node")

    place.move()

    after = place.add_account("at the new node")
    assert place.cell.node == to
    assert {before, after} <= place.accounts().keys()
    assert "refused by the old node" not in place.accounts().values()
    assert after > before


def test_a_transaction_that_writes_past_the_cluster_is_waited_for_and_moves_along(place):
    """Nobody tells the cluster of what is written to the tables of the node themselves."""
    to, local = place.other_node, local_schema(place.cell.schema)
    with closing(place.enter()) as inside:
        inside.execute("SELECT set_config('search_path', %s, true)", (f"{local}, {place.cell.schema}",))
        assert inside.execute(SCHEMA_OF_ACCOUNTS).fetchone() == (local,)
        insert = "INSERT INTO accounts (name) VALUES ('past the cluster') RETURNING id"
        [stored] = inside.execute(insert).fetchone()
        with Moving(place) as moving:
            moving.await_copying()
            inside.commit()
    assert moving.error is None
    assert place.cell.node == to
    assert stored in place.accounts()


def test_the_node_that_a_cell_has_come_to_has_views_of_its_tables(place):
    place.move()

    with psycopg.connect(url_in_cell(place.urls.migrating, place.cell)) as node:
        assert node.execute(VIEWS, (local_schema(place.cell.schema),)).fetchone() > (100,)


def test_later_steps_bring_their_tables_and_functions_to_the_node(older_place):
    migrate_or_refuse(older_place.urls)

    cell = older_place.cell
    with (
        psycopg.connect(urls_in_cell(older_place.urls, cell).migrating) as coordinator,
        psycopg.connect(url_in_cell(older_place.urls.migrating, cell)) as node,
    ):
        assert node.execute("SELECT version_num FROM alembic_version").fetchone() == (newest_revision(),)
        assert node.execute(FUNCTIONS).fetchall() == coordinator.execute(FUNCTIONS).fetchall()
        sequences = {name: kind for name, kind, _ in node.execute(SEQUENCES).fetchall()}
        assert sequences == {name: kind for name, kind, _ in coordinator.execute(SEQUENCES).fetchall()}
    assert older_place.add_account("after the steps") in key_range(cell.number, INTEGER_BITS)


def test_keys_of_tables_that_later_steps_make_are_of_the_range_of_the_cell(older_place):
    migrate_or_refuse(older_place.urls)

    with older_place.enter(older_place.urls.migrating) as node:
        [key] = node.execute("SELECT nextval('engagements_id_seq')").fetchone()
    assert key in key_range(older_place.cell.number, INTEGER_BITS)


def test_a_cell_whose_steps_came_later_moves(older_place):
    migrate_or_refuse(older_place.urls)
    stored = older_place.add_account("before the cell moves")
    to = older_place.other_node

    older_place.move()

    assert older_place.cell.node == to
    assert stored in older_place.accounts()
