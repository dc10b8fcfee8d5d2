"""The embedded PostgreSQL server: one cluster in each data directory, reached over a unix socket only.

Every process that uses the server holds a share of the lock `DIR/postgres/in_use`; the last one to leave
stops the server. Starts and stops happen under `DIR/postgres/starting`, so processes that come together
start one server. After a crash of any of them the next one to come finds the server, or starts it anew.

Invariants: `fsync` and `synchronous_commit` are on; the URL stays the same while anyone uses the server.
"""

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

import psycopg
from psycopg import errors, sql
from psycopg.conninfo import conninfo_to_dict

from weighbridge.db.embedded import cluster
from weighbridge.db.embedded.cluster import SUPERUSER, log_tail, prune_logs
from weighbridge.db.embedded.location import (
    POLL_SECONDS,
    ClusterLocation,
    exclusive,
    find_location,
    held_alone,
    is_restoring,
    leave,
    make_folder,
    share,
)
from weighbridge.db.engine import names_several_hosts, primary_conninfo
from weighbridge.db.roles import DatabaseUrls
from weighbridge.errors import Refusal
from weighbridge.settings import POSTGRESQL_MIN, Settings

DATABASE = "weighbridge"
OWNER = "weighbridge"
RUNNING_ROLE = "weighbridge_app"
CONNECT_SECONDS = 10
_MALFORMED = (
    "{} is no database URL; it must be postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with %-escapes for"
    " : / @ ? # and % in its parts."
)
HOST = re.compile(r"[A-Za-z0-9._-]*|[0-9A-Fa-f:.]+|/[^@]*")


@dataclass(frozen=True, slots=True)
class Server:
    """A running server that this process uses."""

    location: ClusterLocation
    folder: Path

    @property
    def url(self) -> str:
        """The database, for the role that owns its tables."""
        return _url(self.location, user=OWNER, database=DATABASE)

    @property
    def urls(self) -> DatabaseUrls:
        """The database, for the role that runs the service and for the one that owns its tables."""
        return DatabaseUrls(_url(self.location, user=RUNNING_ROLE, database=DATABASE), self.url)

    @property
    def superuser_url(self) -> str:
        """The server, for the role that takes backups and has all power over it."""
        return superuser_url(self.location)

    def is_alive(self) -> bool:
        return _is_alive(self.location)

    def revive(self) -> None:
        """Start the server again, on the same socket, when it was killed."""
        with exclusive(self.folder / "starting"):
            _ensure_running(self.location)

    def keep_reserve(self) -> None:
        """Make the room that is given free when the disk is full."""
        cluster.keep_reserve(self.folder.parent)

    def release_reserve(self) -> bool:
        """Give that room free; tells whether there was any."""
        return cluster.release_reserve(self.folder.parent)

    def prune_logs(self) -> None:
        prune_logs(self.location)


@contextmanager
def served_alone(data_dir: Path, address: str) -> Iterator[None]:
    """Be the one service of a data directory. Raises Refusal that names the one that is there already."""
    folder = Path(os.path.realpath(data_dir)) / "postgres"
    make_folder(folder)
    with held_alone(folder / "served_by", f"process {os.getpid()} at {address}") as other:
        if other is not None:
            raise Refusal(
                f"The folder {data_dir} is served already, by {other or 'another process'}; stop that service"
                " first, or let --data-dir name another folder."
            )
        yield


def has_cluster(data_dir: Path) -> bool:
    """Whether a server of the data directory was ever asked for; never makes anything."""
    return (data_dir / "postgres").is_dir()


@contextmanager
def server(data_dir: Path, *, may_use_namespaces: bool = True) -> Iterator[str]:
    """Use the server of a data directory, started when it does not run; gives its owner's URL."""
    with attach_server(data_dir, may_use_namespaces=may_use_namespaces) as running:
        yield running.url


@contextmanager
def attach_server(data_dir: Path, *, may_use_namespaces: bool = True) -> Iterator[Server]:
    """Use the server like `server`, for a caller that watches over it."""
    data_dir = Path(os.path.realpath(data_dir))
    if is_restoring(data_dir):
        raise Refusal(
            f"A backup was being restored to {data_dir}, and that has not come to its end; remove the folder"
            " and restore it again."
        )
    folder = data_dir / "postgres"
    make_folder(folder)
    with exclusive(folder / "starting"):
        location = find_location(data_dir, may_use_namespaces=may_use_namespaces)
        share_handle = share(folder / "in_use")
        try:
            _ensure_running(location)
        except BaseException:
            if leave(share_handle):
                cluster.stop(location)
            raise
    try:
        yield Server(location=location, folder=folder)
    finally:
        with exclusive(folder / "starting"):
            if leave(share_handle):
                cluster.stop(location)


@contextmanager
def database(settings: Settings) -> Iterator[DatabaseUrls]:
    """Give the URLs of the database that the settings name: an external one, or the embedded one."""
    check_replica(settings)
    if is_external(settings):
        yield external(settings)
    else:
        with attach_server(settings.data_dir) as running:
            yield running.urls


def is_external(settings: Settings) -> bool:
    """Whether the settings name a database; refuses those that name it for migrations alone."""
    if settings.database_url is None and settings.migration_database_url is not None:
        raise Refusal(
            "WEIGHBRIDGE_MIGRATION_DATABASE_URL is set, and WEIGHBRIDGE_DATABASE_URL must name the same"
            " database for the role that runs the service."
        )
    return settings.database_url is not None


def external(settings: Settings) -> DatabaseUrls:
    """The external database of the settings, past its pooler; refuses one that is away or too old."""
    running, migrating = settings.database_url, settings.migration_database_url
    assert running is not None, "the caller has looked"  # noqa: S101
    used = _check_external(running, "WEIGHBRIDGE_DATABASE_URL")
    for url, variable in (
        (settings.session_database_url, "WEIGHBRIDGE_SESSION_DATABASE_URL"),
        (migrating, "WEIGHBRIDGE_MIGRATION_DATABASE_URL"),
    ):
        named = used if url is None else _check_external(url, variable)
        if named != used:
            raise Refusal(
                f"{variable} names the database {named}, and must name the one of"
                f" WEIGHBRIDGE_DATABASE_URL, {used}."
            )
    direct = settings.session_database_url or running
    return DatabaseUrls(
        *(primary_conninfo(one) if names_several_hosts(one) else one for one in (direct, migrating or direct))
    )


def check_replica(settings: Settings) -> None:
    """Refuse the URL of a replica that is none; one that does not answer is looked for again and again."""
    if settings.replica_url is not None and not _is_well_formed(settings.replica_url):
        raise Refusal(_MALFORMED.format("WEIGHBRIDGE_REPLICA_URL"))


def _check_external(url: str, variable: str) -> str:
    """Refuse a server that cannot be used; gives the name of the database."""
    if not _is_well_formed(url):
        # Not a word of it is said: what a parser took for a host or a port may be part of a password.
        raise Refusal(_MALFORMED.format(variable))
    try:
        with psycopg.connect(primary_conninfo(url)) as connection:
            _refuse_older(connection.info.server_version, variable)
            # A pooler may have another name for it.
            [name] = connection.execute("SELECT current_database()").fetchone() or [""]
    except psycopg.Error as error:
        raise Refusal(f"The server of {variable} cannot be used: {str(error).strip()}") from error
    return name


def _refuse_older(version: int, variable: str) -> None:
    if version // 10_000 < POSTGRESQL_MIN:
        raise Refusal(
            f"The server of {variable} is PostgreSQL {version // 10_000}; must be {POSTGRESQL_MIN} or newer."
            " Nothing was changed."
        )


def _is_well_formed(url: str) -> bool:
    """Whether the text can be taken apart in one way only, so that errors may quote its parts."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.Error:
        return False
    hosts, ports = str(parts.get("host") or "").split(","), str(parts.get("port") or "").split(",")
    return (
        all(HOST.fullmatch(host) for host in hosts)
        and all(port.isdecimal() or not port for port in ports)
        and not {*"/@"} & {*str(parts.get("dbname") or "")}
    )


def _ensure_running(location: ClusterLocation) -> None:
    """Wait for the server that is starting, recovering or stopping; start it when there is none."""
    deadline = time.monotonic() + cluster.START_SECONDS
    url = superuser_url(location)
    while True:
        if not _is_alive(location):
            cluster.start(location)
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
    return cluster.find_postmaster(location) is not None or cluster.answers(location)


# Rows of an account that moves to another cell are copied as they are: no trigger adds to them.
_MAY_COPY: Final = "SELECT has_parameter_privilege(%s, 'session_replication_role', 'SET')"


def _ensure_database(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    """Make the roles and the database; neither role has power over the server or its machine."""
    owner, name = sql.Identifier(OWNER), sql.Identifier(DATABASE)
    for role, option in ((OWNER, sql.SQL("CREATEDB")), (RUNNING_ROLE, sql.SQL("NOCREATEDB"))):
        if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone() is None:
            connection.execute(sql.SQL("CREATE ROLE {} LOGIN {}").format(sql.Identifier(role), option))
            if role == RUNNING_ROLE:  # whose statements the owner may look at and end
                connection.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(role), owner))
    if connection.execute(_MAY_COPY, (OWNER,)).fetchone() == (False,):
        connection.execute(sql.SQL("GRANT SET ON PARAMETER session_replication_role TO {}").format(owner))
    if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,)).fetchone() is None:
        connection.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(name, owner))


def superuser_url(location: ClusterLocation) -> str:
    """How the role that has all power over a server reaches it."""
    return _url(location, user=SUPERUSER, database="postgres")


def _url(location: ClusterLocation, *, user: str, database: str) -> str:
    return f"postgresql://{user}@/{database}?host={quote(str(location.sockets), safe='')}"
