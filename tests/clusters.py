"""A Citus cluster for the tests of a run, started by a command that the run names, and databases in it."""

import secrets
import shlex
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.errors import DuplicateObject
from psycopg.sql import SQL, Identifier

from weighbridge.db.embedded.instance import RUNNING_ROLE

NODES = 3
"""A coordinator and two workers, which listen on the ports after its own."""

PORTS = range(20_000, 32_000)
"""Below those that a system gives to connections."""


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
def database(cluster: Cluster, name: str) -> Iterator[Cluster]:
    """A database of one's own on every node, in which nothing is stored."""
    nodes = (cluster.coordinator, *cluster.workers)
    for url in nodes:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("SET citus.enable_ddl_propagation = off")
            connection.execute(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name)))
            connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
        with psycopg.connect(make_conninfo(url, dbname=name), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION citus")
    own = Cluster(*_own_urls(cluster, name))
    with psycopg.connect(own.coordinator, autocommit=True) as connection:
        _join(connection, own)
    yield own
    for url in nodes:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


def _own_urls(cluster: Cluster, name: str) -> tuple[str, tuple[str, ...]]:
    coordinator, *workers = (
        make_conninfo(url, dbname=name) for url in (cluster.coordinator, *cluster.workers)
    )
    return coordinator, tuple(workers)


def _join(connection: psycopg.Connection[tuple[object, ...]], cluster: Cluster) -> None:
    coordinator = conninfo_to_dict(cluster.coordinator)
    connection.execute(
        "SELECT citus_set_coordinator_host(%s, %s)", (coordinator["host"], int(coordinator["port"]))
    )
    for url in cluster.workers:
        worker = conninfo_to_dict(url)
        connection.execute("SELECT citus_add_node(%s, %s)", (worker["host"], int(worker["port"])))
    try:
        connection.execute(SQL("CREATE ROLE {} LOGIN").format(Identifier(RUNNING_ROLE)))
    except DuplicateObject:  # roles are common to the databases of a node
        return
