"""What the triggers on imputed events do, and what their table refuses."""

import psycopg
import pytest
from psycopg.errors import CheckViolation, RestrictViolation, UniqueViolation


@pytest.fixture
def connection(stored_database):
    with psycopg.connect(stored_database, autocommit=True) as connection:
        yield connection


def impute(connection, number, start="2025-06-01T00:00Z"):
    """An imputed event of the first event type, for the hour that begins then."""
    connection.execute(
        """
        INSERT INTO events (project_id, id, event_type_id, start_time, end_time, numbers, is_complete,
                            is_imputed)
        SELECT project_id, %(number)s, id, %(start)s, %(start)s, ARRAY[NULL::numeric], false, true
          FROM event_types ORDER BY project_id, id LIMIT 1
        """,
        {"number": number, "start": start},
    )
    connection.execute(
        """
        INSERT INTO imputations (project_id, event_id, event_type_id, asset_id, location_id, slot_start,
                                 slot_end, record)
        SELECT project_id, id, event_type_id, 0, 0, start_time, start_time + interval '1 hour', 'evt'
          FROM events WHERE id = %s
        """,
        (number,),
    )


def capture(connection, number, start):
    connection.execute(
        """
        INSERT INTO events (project_id, id, event_type_id, start_time, end_time, numbers, is_complete)
        SELECT project_id, %(number)s, id, %(start)s, %(start)s, ARRAY[1], true
          FROM event_types ORDER BY project_id, id LIMIT 1
        """,
        {"number": number, "start": start},
    )


def standing(connection):
    return connection.execute(
        """
        SELECT m.event_id, m.captured_by FROM imputations m JOIN events e ON (e.project_id, e.id)
            = (m.project_id, m.event_id)
         WHERE (m.withdrawn_at IS NULL) = (e.voided_at IS NULL) ORDER BY 1
        """
    ).fetchall()


def test_a_slot_has_one_imputed_event_at_a_time(connection):
    impute(connection, 9_000_001)

    with pytest.raises(UniqueViolation, match="imputations_one_of_each_slot"):
        impute(connection, 9_000_002)


def test_a_captured_event_withdraws_the_one_of_its_slot_and_no_other(connection):
    impute(connection, 9_000_001)
    impute(connection, 9_000_002, "2025-06-01T01:00Z")

    capture(connection, 9_000_003, "2025-06-01T00:30Z")

    assert standing(connection) == [(9_000_001, 9_000_003), (9_000_002, None)]
    assert connection.execute("SELECT id FROM events WHERE is_imputed AND voided_at IS NULL").fetchall() == [
        (9_000_002,)
    ]


def test_voiding_an_imputed_event_withdraws_the_imputation(connection):
    impute(connection, 9_000_001)

    connection.execute("UPDATE events SET voided_at = now() WHERE id = 9000001")

    assert connection.execute("SELECT withdrawn_at IS NOT NULL, captured_by FROM imputations").fetchone() == (
        True, None,
    )  # fmt: skip


def test_imputations_are_not_removed(connection):
    with pytest.raises(RestrictViolation):
        connection.execute("DELETE FROM imputations")


def test_only_a_substitution_says_how_a_gap_was_filled(connection):
    with pytest.raises(CheckViolation, match="corrections_substitutions"):
        connection.execute(
            """
            INSERT INTO corrections (project_id, event_id, position, source, from_value, to_value, user_id,
                                     substitution)
            SELECT project_id, id, 1, 'manual', '1', '2', (SELECT min(id) FROM users), '{}'
              FROM events ORDER BY id LIMIT 1
            """
        )
