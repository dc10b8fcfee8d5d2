"""Each batch has a revision of the engine, the first one where none is named."""

import psycopg
import pytest
from psycopg.errors import CheckViolation, NotNullViolation


@pytest.fixture
def connection(stored_database):
    with psycopg.connect(stored_database, autocommit=True) as connection:
        yield connection


def test_a_batch_that_names_no_revision_is_of_the_first(connection):
    rows = connection.execute("SELECT engine_revision FROM batches").fetchall()

    assert rows == [(1,)]


def test_a_batch_is_of_some_revision(connection):
    with pytest.raises(NotNullViolation):
        connection.execute("UPDATE batches SET engine_revision = NULL")
    with pytest.raises(CheckViolation):
        connection.execute("UPDATE batches SET engine_revision = 0")
