"""Databases with one row of each main kind, to try what their tables refuse."""

import psycopg
import pytest
from tests import databases
from tests.given.stored_rows import STORED_ROWS


@pytest.fixture(scope="session")
def stored(postgres, newest):
    """The URL of a database to copy, at the newest step."""
    with databases.database(postgres, newest) as url:
        with psycopg.connect(url) as given:
            given.execute(STORED_ROWS)
        yield url


@pytest.fixture
def stored_database(postgres, stored):
    """The URL of a copy, for one test."""
    with databases.database(postgres, stored) as url:
        yield url
