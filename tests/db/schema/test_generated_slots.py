"""What the table of generated slots refuses, whatever the code above it does."""

import psycopg
import pytest
from psycopg.errors import CheckViolation, ForeignKeyViolation

ADD = """
    INSERT INTO generated_slots (project_id, ledger_id, start_time, end_time, seen_until)
      SELECT project_id, {ledger}, '2025-02-01Z', '{end}Z', now() FROM ledgers LIMIT 1
"""


@pytest.fixture
def connection(stored_database):
    with psycopg.connect(stored_database, autocommit=True) as connection:
        yield connection


@pytest.mark.parametrize(
    ("ledger", "end", "refused"),
    [("id", "2025-01-01", CheckViolation), ("id + 1000", "2025-03-01", ForeignKeyViolation)],
)
def test_a_slot_ends_after_it_starts_and_is_of_a_ledger(connection, ledger, end, refused):
    with pytest.raises(refused):
        connection.execute(ADD.format(ledger=ledger, end=end))
