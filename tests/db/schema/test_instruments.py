"""What the tables of instruments refuse, whatever the code above them does."""

import psycopg
import pytest
from psycopg.errors import CheckViolation, RestrictViolation, UniqueViolation
from tests import databases

GIVEN = """
    INSERT INTO ledgers (project_id, name, unit, system_ledger_type)
      VALUES (1, 'Certificates', 'kWh', 'renewable_energy_credits');
    INSERT INTO batches (project_id, ledger_id, tracking_id, start_time, end_time, total, credited)
      VALUES (1, 2, 'REC-1', '2025-01-01Z', '2025-01-02Z', 5, 5);
    INSERT INTO instruments (project_id, batch_id, geography) VALUES (1, 2, 'US-TX');
"""
INSTRUMENT = """
    INSERT INTO batches (project_id, ledger_id, tracking_id, start_time, end_time, total, credited)
    VALUES (1, {ledger}, '{name}', '2025-01-01Z', '2025-01-02Z', 5, 5)
"""


@pytest.fixture(scope="module")
def issued(postgres, stored):
    """The URL of a database to copy that has a batch of a run and an instrument."""
    with databases.database(postgres, stored) as url:
        with psycopg.connect(url) as given:
            given.execute(GIVEN)
        yield url


@pytest.fixture
def connection(postgres, issued):
    """A connection to a copy."""
    with databases.database(postgres, issued) as url, psycopg.connect(url, autocommit=True) as connection:
        yield connection


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        (INSTRUMENT.format(ledger=2, name="REC-1"), UniqueViolation),
        (INSTRUMENT.format(ledger=1, name="REC-2"), CheckViolation),
        ("UPDATE ledgers SET system_ledger_type = 'gold' WHERE id = 2", CheckViolation),
        (
            "UPDATE ledgers SET system_ledger_type = 'renewable_fuel' WHERE family_id IS NOT NULL",
            CheckViolation,
        ),
        ("UPDATE instruments SET geography = 'DE'", RestrictViolation),
        ("DELETE FROM instruments", RestrictViolation),
        ("INSERT INTO instruments (project_id, batch_id, name) VALUES (1, 1, '')", CheckViolation),
    ],
)
def test_what_cannot_be_is_refused(connection, statement, error):
    with pytest.raises(error):
        connection.execute(statement)


def test_a_certificate_that_was_deleted_may_come_again(connection):
    connection.execute("UPDATE batches SET deleted_at = now() WHERE id = 2")

    connection.execute(INSTRUMENT.format(ledger=2, name="REC-1"))
