"""A Citus cluster for the tests of a run, started by a command that the run names, and databases in it."""

import secrets
import shlex
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.errors import DuplicateObject
from psycopg.sql import SQL, Identifier

from weighbridge.db.cell_creation import add_cell
from weighbridge.db.embedded.instance import RUNNING_ROLE
from weighbridge.db.migration import migrate
from weighbridge.db.roles import DatabaseUrls, grant_running_role
from weighbridge.supervisor.startup import migrate_cell

NODES = 3
"""A coordinator and two workers, which listen on the ports after its own."""

PORTS = range(20_000, 32_000)
"""Below those that a system gives to connections."""

CELLS = ("north", "south")
"""The cells of a service for tests, each on a node of its own."""

NEWEST = "newest"
"""The name of a database in which nothing is stored, to copy."""


@dataclass(frozen=True)
class Cluster:
    """The URL of the coordinator, and of each worker, as the owner of what is made there."""

    coordinator: str
    workers: tuple[str, ...]

    def node(self, number: int) -> str:
        """The address of a worker, as a cell names it."""
        given = conninfo_to_dict(self.workers[number % len(self.workers)])
        return f"{given['host']}:{given['port']}"


@contextmanager
def running(command: str) -> Iterator[tuple[Path, Cluster]]:
    """A cluster, and its folder; others may look into it, for the servers run as somebody else."""
    with tempfile.TemporaryDirectory(prefix="wb-citus-") as made:
        Path(made).chmod(0o755)
        folder = Path(made) / "cluster"
        try:
            yield folder, _start(command, folder)
        finally:
            _run(command, "stop", folder)


def _start(command: str, folder: Path) -> Cluster:
    """Start a cluster; the command prints a line for each node: its name and its URL."""
    port = str(_free_ports())
    said = _run(command, "start", folder, "--port", port, "--python", sys.executable, "--fsync", "off")
    _, *urls = zip(*(line.split() for line in said.splitlines()), strict=True)
    [(coordinator, *workers)] = urls
    return Cluster(coordinator, tuple(workers))


def kill(command: str, folder: Path, name: str) -> None:
    """Kill all processes of a node at once: of the coordinator, or of worker-1 and so on."""
    _run(command, "kill", folder, name)


def revive(command: str, folder: Path, name: str) -> None:
    """Start a node again that was killed, and wait until it takes connections."""
    _run(command, "up", folder, name)


def _run(command: str, *words: str | Path) -> str:
    given = [*shlex.split(command), *words]
    return subprocess.run(given, check=True, capture_output=True, text=True).stdout


def _free_ports() -> int:
    """The first port of a block that nobody listens on now; several clusters may run beside each other."""
    return next(
        first
        for first in iter(lambda: secrets.choice(PORTS[::NODES]), None)
        if all(map(_is_free, range(first, first + NODES)))
    )


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


@contextmanager
def database(cluster: Cluster, name: str, template: str | None = None) -> Iterator[Cluster]:
    """A database of one's own on every node: nothing is stored in it, or what another one there has.

    Nodes know one another by their addresses, and ask for databases of the same name. So copies of all parts
    of a database are one, in which cells lie where they did; nobody may use the other one any more.
    """
    yield _make(cluster, name, template)
    for url in (cluster.coordinator, *cluster.workers):
        with _making(url) as connection:
            _drop(connection, name)


@contextmanager
def part(cluster: Cluster, node: int, name: str, template: str) -> Iterator[str]:
    """The URL of a copy of what one worker has of a database: the cells on it, without the coordinator."""
    url = cluster.workers[node]
    with _making(url) as connection:
        _copy(connection, template, name)
    yield make_conninfo(url, dbname=name)
    with _making(url) as connection:
        _drop(connection, name)


def make_newest(cluster: Cluster, done: Path) -> None:
    """Make a database to copy: at the newest step, with a cell on each of two nodes, and nothing stored."""
    own = _make(cluster, NEWEST)
    migrate(own.coordinator)
    urls = DatabaseUrls(make_conninfo(own.coordinator, user=RUNNING_ROLE), own.coordinator)
    grant_running_role(urls)
    for number, name in enumerate(CELLS):
        add_cell(urls, name, migrate_cell, wait=lambda _: None, node=own.node(number))
    done.touch()


@contextmanager
def _making(url: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection that makes databases of one node, of which it tells no other; workers take turns.

    Two that shut one template at once would fail: "tuple concurrently updated".
    """
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(1)")
        connection.execute("SET citus.enable_ddl_propagation = off")
        connection.execute("SET file_copy_method = clone")
        yield connection


def _make(cluster: Cluster, name: str, template: str | None = None) -> Cluster:
    for url in (cluster.coordinator, *cluster.workers):
        with _making(url) as connection:
            if template is not None:
                _copy(connection, template, name)
                continue
            _drop(connection, name)
            connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
    own = Cluster(*_own_urls(cluster, name))
    if template is None:
        _join(own)
    return own


def _copy(connection: psycopg.Connection[Any], template: str, name: str) -> None:
    """Copy the part of a database that one node has."""
    _drop(connection, name)
    _shut(connection, template)
    connection.execute(
        SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy").format(
            Identifier(name), Identifier(template)
        )
    )


def _drop(connection: psycopg.Connection[Any], name: str) -> None:
    if connection.execute("SELECT FROM pg_database WHERE datname = %s", (name,)).fetchone() is not None:
        _shut(connection, name)
        connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


def _shut(connection: psycopg.Connection[Any], name: str) -> None:
    """Have nobody be in a database: processes of the cluster itself come back as long as they may."""
    connection.execute(SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(Identifier(name)))
    connection.execute(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = %s", (name,)
    )


def _own_urls(cluster: Cluster, name: str) -> tuple[str, tuple[str, ...]]:
    coordinator, *workers = (
        make_conninfo(url, dbname=name) for url in (cluster.coordinator, *cluster.workers)
    )
    return coordinator, tuple(workers)


def _join(cluster: Cluster) -> None:
    """Have new databases on the nodes be one."""
    for url in (cluster.coordinator, *cluster.workers):
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE EXTENSION citus")
    with psycopg.connect(cluster.coordinator, autocommit=True) as connection:
        coordinator = conninfo_to_dict(cluster.coordinator)
        connection.execute(
            "SELECT citus_set_coordinator_host(%s, %s)", (coordinator["host"], int(coordinator["port"]))
        )
        for url in cluster.workers:
            worker = conninfo_to_dict(url)
            connection.execute("SELECT citus_add_node(%s, %s)", (worker["host"], int(worker["port"])))
        with suppress(DuplicateObject):  # roles are common to the databases of a node
            connection.execute(SQL("CREATE ROLE {} LOGIN").format(Identifier(RUNNING_ROLE)))
