"""How a model cuts shares and a ledger rounds never changes."""

import psycopg
import pytest
from psycopg.errors import CheckViolation, RestrictViolation


@pytest.fixture
def connection(stored_database):
    with psycopg.connect(stored_database, autocommit=True) as connection:
        yield connection


def test_models_cut_shares_at_six_places_and_ledgers_round_half_to_even(connection):
    assert {*connection.execute("SELECT share_places FROM models")} == {(6,)}
    assert {*connection.execute("SELECT rounding FROM ledgers")} == {("half_even",)}


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("UPDATE models SET share_places = 2", RestrictViolation),
        ("UPDATE ledgers SET rounding = 'down'", RestrictViolation),
        (
            "INSERT INTO ledgers (project_id, name, unit, rounding) VALUES (1, 'Up', 't', 'up')",
            CheckViolation,
        ),
        (
            """INSERT INTO models (family_id, version, name, cadence, partition_type, share_places, document,
                                   sha256)
               VALUES (1, 2, 'Fine', 'monthly', 'time', 13, '', sha256(''))""",
            CheckViolation,
        ),
    ],
)
def test_what_contradicts_itself_is_refused(connection, statement, error):
    with pytest.raises(error):
        connection.execute(statement)


def test_a_ledger_that_rounds_down_may_be_renamed(connection):
    connection.execute(
        "INSERT INTO ledgers (project_id, name, unit, rounding) VALUES (1, 'Low', 't', 'down')"
    )

    connection.execute("UPDATE ledgers SET name = 'Lower' WHERE name = 'Low'")

    assert [*connection.execute("SELECT rounding FROM ledgers WHERE name = 'Lower'")] == [("down",)]
