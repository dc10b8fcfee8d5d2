"""A Citus cluster for the tests of a run, started by a command that the run names, and databases in it."""

import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.errors import DuplicateObject
from psycopg.sql import SQL, Identifier

from weighbridge.db.embedded.instance import RUNNING_ROLE

PORT = 9810
"""Of the coordinator; the workers listen on the ports after it."""


@dataclass(frozen=True)
class Cluster:
    """The URL of the coordinator, and of each worker, as the owner of what is made there."""

    coordinator: str
    workers: tuple[str, ...]

    def node(self, number: int) -> str:
        """The address of a worker, as a cell names it."""
        given = conninfo_to_dict(self.workers[number % len(self.workers)])
        return f"{given['host']}:{given['port']}"


def start(command: str, folder: Path) -> Cluster:
    """Start a cluster; the command prints a line for each node: its name and its URL."""
    said = subprocess.run(
        [*shlex.split(command), "start", folder, "--port", str(PORT), "--python", sys.executable,
         "--fsync", "off"],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    _, *urls = zip(*(line.split() for line in said.splitlines()), strict=True)
    [(coordinator, *workers)] = urls
    return Cluster(coordinator, tuple(workers))


def stop(command: str, folder: Path) -> None:
    """Stop the cluster, and remove its folder."""
    subprocess.run([*shlex.split(command), "stop", folder], check=True)


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
