"""One database server for the whole run, one service for each worker, an account of its own for each test.

Workers share the database server, each with databases of its own; a database that needs all migrations is
copied from one that walked them once in the run. Made-up cases are the same in every run, and others in those
of `make fuzz`.
"""

import gc
import logging
import tempfile
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
import structlog
import structlog.testing
from hypothesis import settings
from psycopg.conninfo import make_conninfo
from tests import clusters
from tests.clusters import Cluster
from tests.databases import database, made_by_first, making
from tests.given.lone import KNOWN, Lone, lone_service
from tests.given.loops import HELD_SECONDS_MAX, held_loops, watch_loops
from tests.given.older_servers import COPIES, older_server
from tests.left_out import is_left_out, sentences
from tests.server import Account, Caller, Server

from weighbridge.core.platform.cell import Cell
from weighbridge.db.cell_creation import url_in_cell
from weighbridge.db.embedded import instance
from weighbridge.db.migration import migrate
from weighbridge.db.roles import DatabaseUrls, grant_running_role
from weighbridge.garbage import look_rarely, look_when_started

MEMORY = Path("/dev/shm")  # noqa: S108 - a private folder is made in it
SHARERS_MAX = 4
"""Workers on one database server: it takes 100 connections, and a worker uses up to two dozen."""

LONGEST = "tests/durability/"
LONG_TESTS = frozenset(Path(__file__).with_name("long_tests.txt").read_text().splitlines())

FOLDER = pytest.StashKey[str]()
CLUSTER = pytest.StashKey[clusters.Cluster]()

settings.register_profile("quick", max_examples=15, derandomize=True, deadline=None)
settings.register_profile("fuzz", max_examples=200, deadline=None)
settings.load_profile("quick")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let every column be changed, and every test run on an older PostgreSQL that is promised."""
    parser.addoption("--every-mutation", action="store_true", help="change every column of the books")
    parser.addoption("--second-cell", action="store_true", help="have accounts live in a second cell")
    parser.addoption(
        "--citus",
        metavar="COMMAND",
        help="have accounts live on a node of a Citus cluster that this starts",
    )
    parser.addoption("--postgres", type=int, choices=[*COPIES], help="use a server of this older version")


def pytest_configure(config: pytest.Config) -> None:
    """Make the folder of the database server, where the run begins; collecting makes no garbage."""
    look_when_started()
    if not hasattr(config, "workerinput"):
        folder = tempfile.TemporaryDirectory(prefix="wb-", dir=MEMORY if MEMORY.is_dir() else None)
        config.stash[FOLDER] = folder.name
        config.add_cleanup(folder.cleanup)
        if command := config.getoption("--citus"):
            _start_cluster(config, command)
        watch_loops(Path(folder.name))


def _start_cluster(config: pytest.Config, command: str) -> None:
    """Start the cluster of the run, which ends with it."""
    started = ExitStack()
    config.add_cleanup(started.close)
    _, config.stash[CLUSTER] = started.enter_context(clusters.running(command))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail when a loop was clearly held for long in any process of the run."""
    folder = session.config.stash.get(FOLDER, None)
    is_over = folder is not None and session.exitstatus == pytest.ExitCode.OK
    if is_over and any(one.is_clear for one in held_loops(Path(folder))):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say where loops were held, and what a run on a cluster leaves out."""
    if config.getoption("--citus"):
        for sentence in sentences(config.args):
            terminalreporter.line(sentence)
    if FOLDER in config.stash and (held := held_loops(Path(config.stash[FOLDER]))):
        terminalreporter.section(f"event loops were held for over {HELD_SECONDS_MAX} s of processor time")
        for one in held:
            terminalreporter.line(str(one))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of the folder."""
    node.workerinput["folder"] = node.config.stash[FOLDER]
    cluster = node.config.stash.get(CLUSTER, None)
    node.workerinput["cluster"] = cluster and (cluster.coordinator, *cluster.workers)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark long tests, and begin with those that wait for processes, so that no worker is left with them."""
    if config.getoption("--citus"):
        items[:] = [item for item in items if not is_left_out(item.nodeid)]
    for item in items:
        if item.nodeid.partition("[")[0] in LONG_TESTS:
            item.add_marker("long")
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


def pytest_collection_finish() -> None:
    """Keep the collected tests out of every look for garbage, and look as rarely as a service.

    They are left out of the first look, too: it would take each worker a second and find next to nothing.
    """
    gc.freeze()
    look_rarely()


@pytest.fixture(scope="session")
def run_folder(pytestconfig: pytest.Config) -> Path:
    """The folder of the run, which all its workers share."""
    worker = getattr(pytestconfig, "workerinput", None)
    return Path(pytestconfig.stash[FOLDER] if worker is None else worker["folder"])


@pytest.fixture(scope="session")
def worker_name(pytestconfig: pytest.Config) -> str:
    """What the worker is called: `gw` and a number."""
    return str(getattr(pytestconfig, "workerinput", {"workerid": "gw0"})["workerid"])


@pytest.fixture(scope="session")
def group_folder(pytestconfig: pytest.Config, run_folder: Path, worker_name: str) -> Path:
    """The folder of the database server of this worker, and of a few beside it."""
    number = int(worker_name.removeprefix("gw"))
    sharers = 1 if pytestconfig.getoption("--postgres") else SHARERS_MAX
    return run_folder / str(number // sharers)


@pytest.fixture(scope="session")
def database_server(pytestconfig: pytest.Config, group_folder: Path) -> Iterator[str]:
    """The URL of a server that ends with the run."""
    version = pytestconfig.getoption("--postgres")
    with older_server(group_folder, version) if version else instance.server(group_folder) as url:
        yield url


@pytest.fixture(scope="session")
def newest(database_server: str, group_folder: Path) -> str:
    """The URL of a database at the newest step with nothing stored, to copy: nobody may connect to it."""
    url = make_conninfo(database_server, dbname="newest")

    def make(done: Path) -> None:
        with psycopg.connect(database_server, autocommit=True) as connection:
            connection.execute("CREATE DATABASE newest")
        migrate(url)
        done.touch()

    made_by_first(group_folder, "newest", make)
    return url


@pytest.fixture(scope="session")
def postgres(database_server: str, newest: str) -> Iterator[str]:
    """The URL of this worker's own database, at the newest step, where other databases are made as well."""
    with database(database_server, newest) as url, making(url):
        grant_running_role(DatabaseUrls(make_conninfo(url, user=instance.RUNNING_ROLE), url))
        yield url


@pytest.fixture(scope="session")
def newest_on_nodes(pytestconfig: pytest.Config, run_folder: Path) -> Cluster | None:
    """The cluster of the run, if it has one, with a database to copy: with a cell on each of two nodes."""
    worker = getattr(pytestconfig, "workerinput", None)
    if worker is None:
        found = pytestconfig.stash.get(CLUSTER, None)
    else:
        found = Cluster(worker["cluster"][0], worker["cluster"][1:]) if worker["cluster"] else None
    if found is not None:
        made_by_first(run_folder, clusters.NEWEST, lambda done: clusters.make_newest(found, done))
    return found


@pytest.fixture(scope="session")
def cluster(newest_on_nodes: Cluster | None, worker_name: str) -> Iterator[Cluster | None]:
    """A database of this worker's own in the cluster of the run, if it has one."""
    if newest_on_nodes is None:
        yield None
        return
    with clusters.database(newest_on_nodes, f"of_{worker_name}", clusters.NEWEST) as own:
        yield own


@pytest.fixture(scope="session")
def cells(pytestconfig: pytest.Config, newest_on_nodes: Cluster | None, worker_name: str) -> dict[str, str]:
    """The cells where accounts of tests and others live; on nodes, workers take turns."""
    if newest_on_nodes is not None:
        names = clusters.CELLS if worker_name[-1] in "02468" else clusters.CELLS[::-1]
        return dict(zip(("second_cell", "other_cell"), names, strict=True))
    return {"second_cell": "north"} if pytestconfig.getoption("--second-cell") else {}


@pytest.fixture(scope="session")
def server(postgres: str, cluster: Cluster | None, cells: dict[str, str]) -> Iterator[Server]:
    """The service, listening."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
        processors=[structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)],
    )
    with Server(postgres if cluster is None else cluster.coordinator, **cells) as server:
        yield server
    structlog.reset_defaults()


@pytest.fixture(scope="session")
def lone_server(
    postgres: str, newest: str, newest_on_nodes: Cluster | None, cells: dict[str, str], worker_name: str
) -> Callable[[], AbstractContextManager[Server]]:
    """Starts a service on a database with nothing stored; its accounts live in cells like those of others."""
    numbers = count(1)

    @contextmanager
    def start() -> Iterator[Server]:
        if newest_on_nodes is None:
            with lone_service(postgres, newest, "nothing", **cells) as lone:
                yield lone.server
            return
        name = f"lone_{worker_name}_{next(numbers)}"
        with (
            clusters.database(newest_on_nodes, name, clusters.NEWEST) as own,
            Server(own.coordinator, **cells) as server,
        ):
            yield server

    return start


@pytest.fixture
def account(server: Server) -> Account:
    """The account of this test."""
    return server.account()


@pytest.fixture
def api(account: Account) -> Caller:
    """A caller of the account with every permission."""
    return account.caller()


@pytest.fixture
def stranger(server: Server) -> Caller:
    """A caller of another account with every permission there; in another cell, where there are several."""
    return server.other_account().caller()


@pytest.fixture
def anyone(server: Server) -> Caller:
    """A caller without a token."""
    return server.anyone


@pytest.fixture
def drain(account: Account) -> Callable[[], None]:
    """Carries out the tasks that the account has queued."""
    return account.drain


@pytest.fixture
def sql(server: Server) -> Callable[..., list[tuple[Any, ...]]]:
    """Runs one statement past the service: `sql("SELECT … WHERE id = %s", 7)`."""
    return server.sql


@pytest.fixture
def warnings() -> Iterator[list[MutableMapping[str, Any]]]:
    """The lines of the service's log from a warning on."""
    usual = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    with structlog.testing.capture_logs() as lines:
        yield lines
    structlog.configure(**usual)


@pytest.fixture
def empty_database(postgres: str) -> Iterator[str]:
    """The URL of a database of this test's own, without any table."""
    with database(postgres) as url:
        yield url


@pytest.fixture
def migrated_database(postgres: str, newest: str) -> Iterator[str]:
    """The URL of a database of this test's own, at the newest step and with nothing stored."""
    with database(postgres, newest) as url:
        yield url


@pytest.fixture
def lone_cell(postgres: str, newest: str, newest_on_nodes: Cluster | None, worker_name: str) -> Iterator[str]:
    """The URL of a cell of this test's own with nothing stored, for the role that owns the tables."""
    if newest_on_nodes is None:
        with database(postgres, newest) as url:
            yield url
        return
    with clusters.part(newest_on_nodes, 0, f"part_{worker_name}", clusters.NEWEST) as url:
        yield url_in_cell(url, Cell(1, clusters.CELLS[0], newest_on_nodes.node(0)))


@pytest.fixture(scope="module", params=KNOWN, ids=lambda known: f"knows {known}")
def lone(request: pytest.FixtureRequest, postgres: str, newest: str) -> Iterator[Lone]:
    """A service for the tests of one file, for rows made past it; its database knows more or less."""
    with lone_service(postgres, newest, request.param) as lone:
        yield lone
