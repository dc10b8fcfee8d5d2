"""Bring a database to the newest step of the migration history, or rehearse the steps that it lacks.

Slow to import: callers import it where they use it.
"""

import time
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Final

import psycopg
import sqlalchemy
from alembic import command
from alembic.config import Config

from weighbridge.db import locks
from weighbridge.db.nodes import LOCAL, is_distributed
from weighbridge.db.roles import read_revision, refuse_unreleased, revisions

# Bring a database to the newest step of the migration history.


def migrate(database_url: str, revision: str = "head") -> None:
    """Apply the steps that the database lacks, each in its own transaction.

    A database that a released version made is at one of these steps, and goes on from there. One that is at
    a step before the first release is refused. Raises Refusal, psycopg.Error or alembic's CommandError. What
    earlier steps did remains, so running it again continues from there.
    """
    engine = _engine(database_url)
    with psycopg.connect(database_url, autocommit=True) as guard, engine.connect() as connection:
        guard.execute(locks.SESSION_HOLD_KEY, (locks.MIGRATION,))
        refuse_unreleased(read_revision(guard))
        known = config()
        known.attributes["connection"] = connection
        try:
            command.upgrade(known, revision)
        except sqlalchemy.exc.DBAPIError as error:
            raise (error.orig or error) from error


def _engine(database_url: str) -> sqlalchemy.Engine:
    return sqlalchemy.create_engine(
        "postgresql+psycopg://", creator=lambda: _connect(database_url), poolclass=sqlalchemy.NullPool
    )


def _connect(database_url: str) -> psycopg.Connection[Any]:
    """Connect so that the nodes of a cluster are told of the steps only where the schema lies on one."""
    connection = psycopg.connect(database_url, autocommit=True)
    if is_distributed(connection) is False:
        connection.execute(LOCAL)
    connection.autocommit = False
    return connection


def config() -> Config:
    """Alembic, told where the steps are."""
    made = Config()
    made.set_main_option("script_location", str(files("weighbridge.db").joinpath("migrations")))
    made.set_main_option("path_separator", "os")
    return made


# A rehearsal of the migrations: every step that a database lacks, carried out and undone.
#
# It tells how long each step takes on these data, and which tables it keeps from others meanwhile. All
# steps run in one transaction that is rolled back, so nothing is changed; but their locks are held from the
# step that takes them to the end. On a copy nobody minds; beside a service at work its requests wait.


WAITED_FOR: Final = ("AccessExclusiveLock", "ExclusiveLock", "ShareRowExclusiveLock", "ShareLock")
"""Modes of locks that keep writers from a table; the first keeps readers away, too."""

_LOCKS: Final = """
    SELECT c.relname, bool_or(l.mode = 'AccessExclusiveLock')
      FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
     WHERE l.pid = pg_backend_pid() AND l.granted AND l.mode = ANY (%s) AND c.relkind IN ('r', 'p')
       AND c.relnamespace = current_schema()::regnamespace AND c.oid = ANY (%s)
     GROUP BY c.relname ORDER BY c.relname
"""
_TABLES: Final = """
    SELECT coalesce(array_agg(oid), '{}') FROM pg_class
     WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace
"""


@dataclass(frozen=True, slots=True)
class RehearsedStep:
    """One step: how long it took, and the tables that were there before and that it kept from others."""

    revision: str
    seconds: float
    closed: list[str]
    """Tables that nobody reads or writes meanwhile."""
    read_only: list[str]
    """Tables that are only read meanwhile."""


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """All steps that a database lacks; `failure` is what ended the rehearsal, and the step it was in."""

    before: str | None
    steps: list[RehearsedStep]
    failure: str | None = None


@dataclass(slots=True)
class _Stopwatch:
    """Hears of each step that was carried out."""

    connection: psycopg.Connection[Any]
    tables: list[int]
    began: float
    steps: list[RehearsedStep] = field(default_factory=list)
    locked: set[str] = field(default_factory=set)

    def step_done(self, step: Any, **_: Any) -> None:
        seconds = time.perf_counter() - self.began
        found = self.connection.execute(_LOCKS, ([*WAITED_FOR], self.tables)).fetchall()
        fresh = [(name, is_closed) for name, is_closed in found if name not in self.locked]
        self.locked.update(name for name, _ in found)
        closed = [name for name, is_closed in fresh if is_closed]
        read_only = [name for name, is_closed in fresh if not is_closed]
        self.steps.append(RehearsedStep(str(step.up_revision_id), seconds, closed, read_only))
        self.began = time.perf_counter()


def rehearse(database_url: str) -> Rehearsal:
    """Carry out the steps that the database lacks, and undo them; raises as `migrate` does."""
    engine = _engine(database_url)
    with psycopg.connect(database_url, autocommit=True) as guard, engine.connect() as connection:
        guard.execute(locks.SESSION_HOLD_KEY, (locks.MIGRATION,))
        driver = connection.connection.driver_connection
        assert isinstance(driver, psycopg.Connection)  # noqa: S101 - as the engine was told
        outer = connection.begin()
        try:
            before = read_revision(driver)
            refuse_unreleased(before)
            [tables] = driver.execute(_TABLES).fetchone() or [[]]
            watch = _Stopwatch(driver, tables, time.perf_counter())
            known = config()
            known.attributes.update(connection=connection, heard=watch.step_done)
            failure = None
            try:
                command.upgrade(known, "head")
            except sqlalchemy.exc.DBAPIError as error:
                failure = _failure(before, watch, str(error.orig or error).strip())
            except psycopg.Error as error:
                failure = _failure(before, watch, str(error).strip())
            return Rehearsal(before, watch.steps, failure)
        finally:
            outer.rollback()


def _failure(before: str | None, watch: _Stopwatch, said: str) -> str:
    """Which step did not come to its end, and why."""
    reached = watch.steps[-1].revision if watch.steps else before
    history = revisions()
    behind = history[history.index(reached) + 1] if reached in history else history[0]
    return f"Step {behind} cannot be carried out: {said}"
