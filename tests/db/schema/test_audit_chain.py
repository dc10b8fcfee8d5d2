"""What the table of seals refuses, whatever the code above it does."""

import psycopg
import pytest
from psycopg.errors import CheckViolation, ForeignKeyViolation, RestrictViolation, UniqueViolation

GIVEN = """
    INSERT INTO accounts (name) VALUES ('acme'), ('other');
    INSERT INTO audit_log (account_id, request_id, action, object)
      VALUES (1, 'r', 'project.create', 'prj_1'), (2, 'r', 'project.create', 'prj_2');
"""
HASH = r"'\x0000000000000000000000000000000000000000000000000000000000000000'"
SEAL = f"INSERT INTO audit_seals (account_id, number, audit_id, hash) VALUES (1, {{}}, {{}}, {HASH})"


@pytest.fixture
def connection(migrated_database):
    with psycopg.connect(migrated_database, autocommit=True) as connection:
        connection.execute(GIVEN)
        yield connection


def test_every_row_waits_for_its_seal_from_its_insertion_on(connection):
    waiting = connection.execute("SELECT account_id, audit_id FROM audit_unsealed ORDER BY 1").fetchall()

    assert waiting == [(1, 1), (2, 2)]


REFUSED = {
    "a number that is taken": (SEAL.format(1, 1) + ";" + SEAL.format(1, 2), UniqueViolation),
    "a second seal of a row": (SEAL.format(1, 1) + ";" + SEAL.format(2, 1), UniqueViolation),
    "a number of zero": (SEAL.format(0, 1), CheckViolation),
    "a seal of no row": (SEAL.format(1, 99), ForeignKeyViolation),
    "a changed seal": ("UPDATE audit_seals SET number = 2", RestrictViolation),
    "a removed seal": ("DELETE FROM audit_seals", RestrictViolation),
}


@pytest.mark.parametrize(("statements", "error"), REFUSED.values(), ids=REFUSED.keys())
def test_the_database_refuses(connection, statements, error):
    with pytest.raises(error):
        connection.execute(statements)
