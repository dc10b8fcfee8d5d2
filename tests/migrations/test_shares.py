"""Step 0024 on a database with data: unfinished tasks are found, accounts begin with nothing used."""

import psycopg
import pytest
from psycopg.errors import CheckViolation


@pytest.fixture
def connection(brought_database):
    """A connection to a database that had tasks before the step."""
    with psycopg.connect(brought_database, autocommit=True) as connection:
        yield connection


def test_no_account_had_its_turn_or_stored_anything_today(connection):
    assert [*connection.execute("SELECT 1 FROM accounts")]
    assert [*connection.execute("SELECT 1 FROM account_turns")] == []
    assert [*connection.execute("SELECT 1 FROM account_days")] == []


def test_the_tasks_that_were_there_stand_as_they_stood(connection):
    states = connection.execute("SELECT DISTINCT state FROM async_tasks")

    assert {state for (state,) in states} <= {"pending", "running", "complete", "failed"}


def test_a_day_has_no_fewer_than_no_events(connection):
    with pytest.raises(CheckViolation):
        connection.execute(
            "INSERT INTO account_days SELECT id, current_date, -1 FROM accounts ORDER BY id LIMIT 1"
        )
