"""One database and one server for the whole run; an account of its own for each test."""

import logging
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
import structlog
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier
from tests.databases import drop
from tests.server import Account, Caller, Server

from weighbridge.db import embedded
from weighbridge.db.migrate import migrate

MEMORY = Path("/dev/shm")  # noqa: S108 - a private folder is made in it
_database_numbers = count(1)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a database without tables, on a server that ends with the run."""
    quick = MEMORY if MEMORY.is_dir() else None
    with (
        tempfile.TemporaryDirectory(prefix="wb-", dir=quick) as folder,
        embedded.server(Path(folder, "data")) as url,
    ):
        yield url


@pytest.fixture(scope="session")
def server(postgres: str) -> Iterator[Server]:
    """The service, migrated and listening."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
        processors=[structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)],
    )
    migrate(postgres)
    with Server(postgres) as server:
        yield server
    structlog.reset_defaults()


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
    """A caller of another account with every permission there."""
    return server.account().caller()


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
def empty_database(postgres: str) -> Iterator[str]:
    """The URL of a database of this test's own, without any table."""
    name = f"empty_{next(_database_numbers)}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
        yield make_conninfo(postgres, dbname=name)
        drop(connection, name)
