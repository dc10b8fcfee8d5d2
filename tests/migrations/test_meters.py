"""Step 0021 on a database with data: meters that say nothing of their service, and what is refused of it."""

import psycopg
import pytest
from psycopg.errors import CheckViolation
from tests import databases

from weighbridge.db.schema.migrate import migrate


@pytest.fixture(scope="module")
def after(postgres, old):
    """The URL of a database to copy that had an asset before the step."""
    with databases.database(postgres, old) as url:
        migrate(url, "0018")
        with psycopg.connect(url) as before:
            before.execute("INSERT INTO assets (project_id, name) VALUES (1, 'Kiln')")
        migrate(url)
        yield url


@pytest.fixture
def connection(postgres, after):
    """A connection to a copy."""
    with databases.database(postgres, after) as url, psycopg.connect(url, autocommit=True) as connection:
        yield connection


@pytest.mark.parametrize("table", ["assets", "locations"])
def test_what_was_there_says_nothing_of_its_service(connection, table):
    rows = connection.execute(f"SELECT DISTINCT in_service_from, in_service_until FROM {table}").fetchall()

    assert rows == [(None, None)]


@pytest.mark.parametrize("table", ["assets", "locations"])
@pytest.mark.parametrize(
    "bounds",
    ["'2025-01-02Z', '2025-01-02Z'", "'2025-01-03Z', '2025-01-02Z'", "'-infinity', NULL", "NULL, 'infinity'"],
)
def test_service_that_cannot_be_is_refused(connection, table, bounds):
    with pytest.raises(CheckViolation):
        connection.execute(f"UPDATE {table} SET (in_service_from, in_service_until) = ({bounds})")
