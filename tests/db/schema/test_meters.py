"""What is refused of the time in which meters are in service."""

import psycopg
import pytest
from psycopg.errors import CheckViolation
from tests import databases


@pytest.fixture(scope="module")
def equipped(postgres, stored):
    """The URL of a database to copy that has an asset."""
    with databases.database(postgres, stored) as url:
        with psycopg.connect(url) as given:
            given.execute("INSERT INTO assets (project_id, name) VALUES (1, 'Kiln')")
        yield url


@pytest.fixture
def connection(postgres, equipped):
    """A connection to a copy."""
    with databases.database(postgres, equipped) as url, psycopg.connect(url, autocommit=True) as connection:
        yield connection


@pytest.mark.parametrize("table", ["assets", "locations"])
def test_service_that_is_not_stated_has_no_bounds(connection, table):
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
