"""Books that hold, made once; each test breaks a copy of its own."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier
from tests import clusters, databases
from tests.clusters import Cluster
from tests.given import accounting
from tests.given.collection import Record
from tests.server import Server

from weighbridge.core import identity
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Database
from weighbridge.platform.audit_tree import seal
from weighbridge.verification import (
    CAPTURED,
    EVERYTHING,
    MADE,
    RECORDED,
    SEALED,
    WRITTEN_BOOKS,
    VerificationReport,
    VerificationRequest,
    verify,
)
from weighbridge.verification.books import check_books
from weighbridge.verification.recomputation import check_batches

NODES = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
    output: true
  - slug: power
    input: {event_type: bill, data_point_type: energy, aggregate: sum, share: by, share_by: mass}
    unit: kWh
    output: true
  - slug: intensity
    formula: power / mass
    unit: kWh/t
"""

BY_THE_LOG = (RECORDED, MADE, WRITTEN_BOOKS, CAPTURED)
"""Rules that hold what is stored against the log; what they find has tests of its own."""

Making = Callable[[Server], list[Record]]
"""Makes books by a service, and gives the batches of the account."""

Copying = Callable[[], AbstractContextManager[str]]
"""Gives the URL of a copy of a database, which is gone when the block ends."""

Sound = tuple[Copying, list[Record]]
"""What copies a database that nobody is connected to, and its batches."""

_GUARDED = ("corrections", "ledger_entries", "deficit_entries", "events", "models", "ledgers", "audit_log",
            "audit_seals", "audit_nodes")  # fmt: skip


_numbers = count(1)


@dataclass(frozen=True)
class Books:
    """A database with a plant whose batches are made, and what verifying it finds."""

    url: str
    batches: list[Record]
    is_on_node: bool = False

    def break_by(self, *statements: str) -> None:
        """Change the books as their owner could, past every trigger."""
        with psycopg.connect(self.url) as connection:
            if self.is_on_node:  # which leaves the form of its tables to the coordinator
                connection.execute("SET session_replication_role = replica")
            for table in () if self.is_on_node else _GUARDED:
                connection.execute(SQL("ALTER TABLE {} DISABLE TRIGGER USER").format(Identifier(table)))
            for statement in statements:
                changed = connection.execute(statement)  # type: ignore[arg-type] # statements of tests
                assert changed.rowcount > 0 or statement.startswith(("ALTER", "DROP")), statement

    def verified(self, request: VerificationRequest = EVERYTHING) -> VerificationReport:
        async def run() -> VerificationReport:
            async with Database(self.url, connections_max=2) as database:
                return await verify(database, request=request)

        return asyncio.run(run())

    def sealed_since(self, moment: Instant) -> list[str]:
        """What is broken of the rows of the audit log that were sealed since."""
        report = self.verified(VerificationRequest(since=moment))
        return [
            violation for check in report.checks if check.rule == SEALED for violation in check.violations
        ]

    def violations(self) -> dict[str, list[str]]:
        """What is broken, by rule, of what shows without the audit log."""
        checks = [check for check in self.verified().checks if check.rule not in BY_THE_LOG]
        return {check.rule: check.violations for check in checks if check.violations}

    def recomputed(self, project: int) -> tuple[int, list[str]]:
        """How many batches of a project were computed anew, and what came out otherwise."""

        async def run() -> tuple[int, list[str]]:
            async with Database(self.url, connections_max=2) as database, database.read() as tx:
                return await check_batches(tx, project)

        return asyncio.run(run())

    def breaches(self, project: int | None = None) -> dict[str, list[str]]:
        """What is broken of the books alone, or of one project's, without recomputing any batch."""

        async def run() -> dict[str, list[str]]:
            async with Database(self.url, connections_max=2) as database, database.read() as tx:
                return await check_books(tx, project)

        return {words: found for words, found in asyncio.run(run()).items() if found}

    @property
    def project(self) -> int:
        """The key of the project."""
        key = identity.parse("batch", self.batches[0]["id"])
        assert key is not None
        return key.project

    def number(self, place: int) -> int:
        """The key of a batch, by its place in the order they were made."""
        key = identity.parse("batch", self.batches[place]["id"])
        assert key is not None
        return key.key


@pytest.fixture(scope="module")
def making() -> Making:
    """How the books come about; gives the batches of the account."""
    return _made


@pytest.fixture(scope="session")
def made_once(
    postgres: str, newest: str, newest_on_nodes: Cluster | None, worker_name: str
) -> Iterator[Callable[[Making], Sound]]:
    """Gives the books that come about in a way; most files break copies of the same ones."""
    with ExitStack() as ending:

        @cache
        def made(making: Making) -> Sound:
            if newest_on_nodes is not None:
                return _made_on_node(newest_on_nodes, making, f"books_{worker_name}", ending)
            url = ending.enter_context(databases.database(postgres, newest))
            with Server(url) as server:
                batches = making(server)
            asyncio.run(_sealed(url))
            return lambda: databases.database(postgres, url), batches

        yield made


def _made_on_node(cluster: Cluster, making: Making, name: str, ending: ExitStack) -> Sound:
    """Make books in a cell on a node; what that node has of the database is copied."""
    name = f"{name}_{next(_numbers)}"
    own = ending.enter_context(clusters.database(cluster, name, clusters.NEWEST))
    with Server(own.coordinator, second_cell=clusters.CELLS[0]) as server:
        batches = making(server)
    asyncio.run(_sealed(server.owner_url))

    @contextmanager
    def copied() -> Iterator[str]:
        copy = f"{name}_{next(_numbers)}"
        with clusters.part(cluster, 0, copy, name):
            yield make_conninfo(server.owner_url, dbname=copy)

    return copied, batches


@pytest.fixture(scope="module")
def sound(made_once: Callable[[Making], Sound], making: Making) -> Sound:
    """A database to copy with two feedstocks in two months, a late bill and a run that vanished."""
    return made_once(making)


@pytest.fixture
def books(sound: Sound, newest_on_nodes: Cluster | None) -> Iterator[Books]:
    """A copy of the sound books, for this test to break."""
    copied, batches = sound
    with copied() as url:
        yield Books(url, batches, is_on_node=newest_on_nodes is not None)


@pytest.fixture
def many_rows(books: Books) -> Books:
    """Books whose audit log has more than 256 rows, so that a node of its tree is kept."""
    with psycopg.connect(books.url) as connection:
        connection.execute(
            """
            WITH made AS MATERIALIZED (
                SELECT account_id, 'r', 'given.row', number
                  FROM (SELECT account_id FROM audit_log LIMIT 1) AS owner, generate_series(1, 300) AS number)
            INSERT INTO audit_log (account_id, request_id, action, object) SELECT * FROM made
            """
        )
    asyncio.run(_sealed(books.url))
    return books


async def _sealed(url: str) -> None:
    async with Database(url, connections_max=2) as database:
        assert await seal(database) > 0


def _made(server: Server) -> list[Record]:
    account = server.account()
    plant = accounting.plant(account.caller(), account.drain, NODES, partition_type="feedstock")
    accounting.ledger(
        plant.api, plant.project, plant.model, name="Power", unit="MWh", output="power", scale=9
    )
    straw, wood = plant.feedstock("Straw"), plant.feedstock("Wood")
    for month in (1, 2):
        plant.deliver(f"{month}.5", f"2025-0{month}-10T00:00:00Z", feedstock_id=straw)
        withdrawn = plant.deliver(3, f"2025-0{month}-11T00:00:00Z", feedstock_id=wood)
        plant.bill("100.0000001", f"2025-0{month}-12T00:00:00Z")
    plant.generate(accounting.QUARTER)
    plant.generate(accounting.QUARTER, generate_concurrent_ledgers=True)
    plant.bill(7, "2025-01-13T00:00:00Z")
    accounting.void(server.sql, withdrawn)
    # The interface voids no event that batches used; the log tells of something at that moment all the same.
    server.sql("UPDATE events SET voided_at = (SELECT max(at) FROM audit_log) WHERE voided_at IS NOT NULL")
    plant.generate(accounting.QUARTER, generate_concurrent_ledgers=True)
    batches: list[Record] = plant.api.get("/batches", {"sort": "id", "page_size": "200"}).expect(200).data
    assert plant.count(accounting.QUARTER) == 0
    return batches


Break = Callable[..., Any]
