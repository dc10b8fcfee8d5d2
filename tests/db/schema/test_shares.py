"""What is refused of the events that an account has stored in a day."""

import psycopg
import pytest
from psycopg.errors import CheckViolation


@pytest.fixture
def connection(stored_database):
    with psycopg.connect(stored_database, autocommit=True) as connection:
        yield connection


def test_a_day_has_no_fewer_than_no_events(connection):
    with pytest.raises(CheckViolation):
        connection.execute(
            "INSERT INTO account_days SELECT id, current_date, -1 FROM accounts ORDER BY id LIMIT 1"
        )
