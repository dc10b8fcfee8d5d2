"""The embedded PostgreSQL server: one cluster in each data directory, reached over a unix socket only.

Every process that uses the server holds a share of the lock `DIR/postgres/in_use`; the last one to leave
stops the server. Starts and stops happen under `DIR/postgres/starting`, so processes that come together
start one server. After a crash of any of them the next one to come finds the server, or starts it anew.

Invariants: `fsync` and `synchronous_commit` are on; the URL stays the same while anyone uses the server.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import errors, sql

from weighbridge.db.embedded import postmaster
from weighbridge.db.embedded.cluster import SUPERUSER, log_tail, prune_logs
from weighbridge.db.embedded.files import POLL_SECONDS, exclusive, leave, make_folder, share
from weighbridge.db.embedded.location import ClusterLocation, find_location
from weighbridge.errors import Refusal
from weighbridge.settings import Settings

DATABASE = "weighbridge"
ROLE = "weighbridge"
SERVER_VERSION_MIN = 160_000
CONNECT_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Server:
    """A running server that this process uses."""

    location: ClusterLocation
    folder: Path

    @property
    def url(self) -> str:
        return _url(self.location, user=ROLE, database=DATABASE)

    def is_alive(self) -> bool:
        return _is_alive(self.location)

    def revive(self) -> None:
        """Start the server again, on the same socket, when it was killed."""
        with exclusive(self.folder / "starting"):
            _ensure_running(self.location)

    def prune_logs(self) -> None:
        prune_logs(self.location)


@contextmanager
def server(data_dir: Path, *, may_use_namespaces: bool = True) -> Iterator[str]:
    """Use the server of a data directory, started when it does not run; gives the database's URL."""
    with attached(data_dir, may_use_namespaces=may_use_namespaces) as running:
        yield running.url


@contextmanager
def attached(data_dir: Path, *, may_use_namespaces: bool = True) -> Iterator[Server]:
    """Use the server like `server`, for a caller that watches over it."""
    data_dir = Path(os.path.realpath(data_dir))
    folder = data_dir / "postgres"
    make_folder(folder)
    with exclusive(folder / "starting"):
        location = find_location(data_dir, may_use_namespaces=may_use_namespaces)
        share_handle = share(folder / "in_use")
        try:
            _ensure_running(location)
        except BaseException:
            if leave(share_handle):
                postmaster.stop(location)
            raise
    try:
        yield Server(location=location, folder=folder)
    finally:
        with exclusive(folder / "starting"):
            if leave(share_handle):
                postmaster.stop(location)


@contextmanager
def database(settings: Settings) -> Iterator[str]:
    """Give the URL of the database that the settings name: an external one, or the embedded one."""
    if settings.database_url is None:
        with server(settings.data_dir) as url:
            yield url
    else:
        check_external(settings.database_url)
        yield settings.database_url


def check_external(url: str) -> None:
    """Refuse a server that cannot be reached or is too old."""
    try:
        with psycopg.connect(url, connect_timeout=CONNECT_SECONDS) as connection:
            version = connection.info.server_version
    except psycopg.Error as error:
        raise Refusal(
            f"The server of WEIGHBRIDGE_DATABASE_URL cannot be used: {str(error).strip()}"
        ) from error
    if version < SERVER_VERSION_MIN:
        raise Refusal(
            f"The server of WEIGHBRIDGE_DATABASE_URL is PostgreSQL {version // 10_000}; must be 16 or newer."
        )


def _ensure_running(location: ClusterLocation) -> None:
    """Wait for the server that is starting, recovering or stopping; start it when there is none."""
    deadline = time.monotonic() + postmaster.START_SECONDS
    url = _url(location, user=SUPERUSER, database="postgres")
    while True:
        if not _is_alive(location):
            postmaster.start(location)
        try:
            with psycopg.connect(url, connect_timeout=CONNECT_SECONDS, autocommit=True) as connection:
                return _ensure_database(connection)
        except errors.TooManyConnections:
            return None
        except psycopg.OperationalError as error:
            if time.monotonic() > deadline:
                raise Refusal(
                    f"The database in {location.home} does not answer: {error}\n{log_tail(location)}"
                ) from error
        time.sleep(POLL_SECONDS)


def _is_alive(location: ClusterLocation) -> bool:
    """Look for the postmaster, and where it may be hidden in another container at its socket."""
    return postmaster.find(location) is not None or postmaster.answers(location)


def _ensure_database(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    """Make the role and the database; the role has no power over the server or its machine."""
    role, name = sql.Identifier(ROLE), sql.Identifier(DATABASE)
    if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (ROLE,)).fetchone() is None:
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN CREATEDB").format(role))
    if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,)).fetchone() is None:
        connection.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(name, role))


def _url(location: ClusterLocation, *, user: str, database: str) -> str:
    return f"postgresql://{user}@/{database}?host={quote(str(location.sockets), safe='')}"
