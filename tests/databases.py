"""Databases of single tests: made empty, or as copies of one that took longer to make."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, flock
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.sql import SQL, Identifier

from weighbridge.db.embedded.instance import RUNNING_ROLE

_numbers = count(1)
_makers: dict[str, psycopg.Connection[Any]] = {}
"""By URL, a connection for all databases that are made there: one for each is a fifth of the work."""

COPIES_QUICKLY = 180_000
"""The first version of PostgreSQL that can leave copying files to the system."""


@contextmanager
def database(postgres: str, template: str | None = None) -> Iterator[str]:
    """The URL of a database on the same server, gone when the block ends.

    It is empty, or a copy of the one whose URL is the template, to which nobody may be connected then. The
    files are copied, by the system itself: that is six times as quick as writing each page to the log, for
    databases this small.
    """
    name = f"{os.environ.get('PYTEST_XDIST_WORKER', 'test')}_{next(_numbers)}"
    source = "template1" if template is None else conninfo_to_dict(template)["dbname"]
    with _maker(postgres) as connection:
        connection.execute(
            SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy").format(
                Identifier(name), Identifier(str(source))
            )
        )
    try:
        yield make_conninfo(postgres, dbname=name)
    finally:
        with _maker(postgres) as connection:
            drop(connection, name)


def made_by_first(folder: Path, name: str, make: Callable[[Path], None]) -> Path:
    """What the first worker of a run that asks makes at a path of the run's folder, and the others find."""
    made, begun = folder / name, folder / f"{name}.begun"
    with (folder / f"{name}.lock").open("w") as lock:
        flock(lock, LOCK_EX)
        if not made.exists():
            make(begun)
            begun.rename(made)
    return made


@contextmanager
def making(postgres: str) -> Iterator[None]:
    """Within the block, one connection makes and drops all databases of that URL's server."""
    with _maker(postgres) as _makers[postgres]:
        try:
            yield
        finally:
            del _makers[postgres]


@contextmanager
def _maker(postgres: str) -> Iterator[psycopg.Connection[Any]]:
    if postgres in _makers:
        yield _makers[postgres]
    else:
        with psycopg.connect(postgres, autocommit=True) as connection:
            if connection.info.server_version >= COPIES_QUICKLY:
                connection.execute("SET file_copy_method = clone")
            yield connection


def drop(connection: psycopg.Connection[Any], name: str) -> None:
    """Drop a database, whoever of us is still connected.

    WITH (FORCE) is refused while the server itself vacuums there; a plain DROP ends that.
    """
    connection.execute(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = %s AND usename IN (current_user, %s)
        """,
        (name, RUNNING_ROLE),
    )
    connection.execute(SQL("DROP DATABASE {}").format(Identifier(name)))
