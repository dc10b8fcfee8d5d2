"""Step 0022 on a database with data: what was computed before there were revisions is of the first."""

import psycopg
import pytest
from psycopg.errors import CheckViolation, NotNullViolation


@pytest.fixture
def connection(brought_database):
    """A connection to a database that had a batch before the step."""
    with psycopg.connect(brought_database, autocommit=True) as connection:
        yield connection


def test_the_batches_that_were_there_are_of_the_first_revision(connection):
    rows = connection.execute("SELECT engine_revision FROM batches").fetchall()

    assert rows == [(1,)]


def test_a_batch_is_of_some_revision(connection):
    with pytest.raises(NotNullViolation):
        connection.execute("UPDATE batches SET engine_revision = NULL")
    with pytest.raises(CheckViolation):
        connection.execute("UPDATE batches SET engine_revision = 0")
