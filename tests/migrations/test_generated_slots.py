"""Step 0046 on a database with batches: their slots have seen what was there before the newest of them."""

import psycopg
import pytest
from psycopg.errors import CheckViolation, ForeignKeyViolation

SLOTS = "SELECT ledger_id, start_time, end_time, seen_until FROM generated_slots ORDER BY 1, 2"
OF_BATCHES = """
    SELECT b.ledger_id, r.start_time, r.end_time, max(b.created_at)
      FROM batches b JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
     WHERE b.deleted_at IS NULL GROUP BY 1, 2, 3 ORDER BY 1, 2
"""
ADD = """
    INSERT INTO generated_slots (project_id, ledger_id, start_time, end_time, seen_until)
      SELECT project_id, {ledger}, '2025-02-01Z', '{end}Z', now() FROM ledgers LIMIT 1
"""


@pytest.fixture
def connection(brought_database):
    """A database that had batches before the step."""
    with psycopg.connect(brought_database, autocommit=True) as connection:
        yield connection


def test_slots_that_were_generated_before_have_seen_what_came_before_their_batches(connection):
    slots = connection.execute(SLOTS).fetchall()

    assert slots
    assert slots == connection.execute(OF_BATCHES).fetchall()


@pytest.mark.parametrize(
    ("ledger", "end", "refused"),
    [("id", "2025-01-01", CheckViolation), ("id + 1000", "2025-03-01", ForeignKeyViolation)],
)
def test_a_slot_ends_after_it_starts_and_is_of_a_ledger(connection, ledger, end, refused):
    with pytest.raises(refused):
        connection.execute(ADD.format(ledger=ledger, end=end))
