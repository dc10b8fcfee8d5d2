"""Databases that stored something before the newest steps came: the first steps are walked once for all."""

from contextlib import ExitStack

import psycopg
import pytest
from tests import databases
from tests.migrations.test_migrations import ROWS

from weighbridge.db.schema.migrate import migrate


@pytest.fixture(scope="session")
def stages(postgres):
    """By step, the URL of a database to copy: there, with what a service of each step so far had stored."""
    with ExitStack() as closing:
        walking = closing.enter_context(databases.database(postgres))
        copies = {}
        for step, rows in ROWS.items():
            migrate(walking, step)
            with psycopg.connect(walking) as connection:
                connection.execute(rows)
            copies[step] = closing.enter_context(databases.database(postgres, walking))
        yield copies


@pytest.fixture(scope="session")
def old(stages):
    """The URL of a database to copy, at the last step that has rows, with the rows of every step."""
    return stages[max(ROWS)]


@pytest.fixture(scope="session")
def brought(postgres, old):
    """The URL of a database to copy that had the rows of every step, and is at the newest step."""
    with databases.database(postgres, old) as url:
        migrate(url)
        yield url


@pytest.fixture
def brought_database(postgres, brought):
    """A copy of it, for one test."""
    with databases.database(postgres, brought) as url:
        yield url


@pytest.fixture
def old_database(postgres, old):
    """A copy of it, for one test."""
    with databases.database(postgres, old) as url:
        yield url
