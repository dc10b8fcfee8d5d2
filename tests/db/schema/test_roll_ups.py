"""What is refused of rolled-up events and their types, whatever the code above them does."""

import psycopg
import pytest
from psycopg.errors import CheckViolation, RestrictViolation, UniqueViolation


@pytest.fixture
def connection(stored_database):
    with psycopg.connect(stored_database, autocommit=True) as connection:
        yield connection


@pytest.fixture
def types(connection):
    """The numbers of an event type with captured events, and of one that is rolled up from it."""
    [(source,)] = connection.execute("SELECT min(event_type_id) FROM events WHERE project_id = 1").fetchall()
    [(target,)] = connection.execute(
        """
        INSERT INTO event_types (project_id, slug, name, cadence_amount, cadence_unit)
        VALUES (1, 'hour', 'Hour', 1, 'hour') RETURNING id
        """
    ).fetchall()
    connection.execute(
        "INSERT INTO roll_ups (project_id, event_type_id, source_id) VALUES (1, %s, %s)", (target, source)
    )
    return source, target


def add(connection, event_type, key=900, **fields):
    shape = {
        "project_id": 1, "id": key, "event_type_id": event_type, "start_time": "2025-01-01T10:00Z",
        "end_time": "2025-01-01T11:00Z", "numbers": [1], "is_complete": True,
    } | fields  # fmt: skip
    connection.execute(
        f"INSERT INTO events ({', '.join(shape)}) VALUES ({', '.join(['%s'] * len(shape))})",
        [*shape.values()],
    )


def test_a_captured_event_has_no_readings(connection):
    assert connection.execute("SELECT DISTINCT readings FROM events").fetchall() == [(None,)]


def test_a_new_roll_up_is_marked_as_a_whole(connection, types):
    source, _ = types
    found = connection.execute(
        "SELECT source_id, isfinite(start_time), isfinite(end_time) FROM roll_up_marks"
    ).fetchall()

    assert found == [(source, False, False)]


def test_a_type_is_rolled_up_or_written(connection, types):
    source, target = types

    add(connection, target, readings=1, valid_readings=1)
    for kind, fields in ((target, {}), (source, {"readings": 1, "valid_readings": 1})):
        with pytest.raises(RestrictViolation, match="never both"):
            add(connection, kind, key=901, **fields)
    with pytest.raises(RestrictViolation):
        connection.execute("DELETE FROM roll_ups WHERE project_id = 1")
    with pytest.raises(RestrictViolation):
        connection.execute(
            "INSERT INTO roll_ups (project_id, event_type_id, source_id) VALUES (1, %s, %s)", (source, target)
        )


def test_no_roll_up_leads_back_to_itself(connection, types):
    _, target = types
    [(other,)] = connection.execute(
        "INSERT INTO event_types (project_id, slug, name) VALUES (1, 'day', 'Day') RETURNING id"
    ).fetchall()
    connection.execute(
        "INSERT INTO roll_ups (project_id, event_type_id, source_id) VALUES (1, %s, %s)", (other, target)
    )

    for source in (other, target):
        with pytest.raises(CheckViolation, match="itself"):
            connection.execute(
                "UPDATE roll_ups SET source_id = %s WHERE project_id = 1 AND event_type_id = %s",
                (source, target),
            )


def test_a_slot_has_one_event_for_the_same_tags_and_keeps_both(connection, types):
    _, target = types
    add(connection, target, readings=1, valid_readings=1)

    with pytest.raises(UniqueViolation, match="events_one_of_each_slot"):
        add(connection, target, key=901, readings=2, valid_readings=1)
    connection.execute("UPDATE events SET numbers = ARRAY[2] WHERE project_id = 1 AND id = 900")
    for change in ("end_time = '2025-01-01T12:00Z'", "tracking_id = 'LOT'", "readings = NULL"):
        with pytest.raises((RestrictViolation, CheckViolation)):
            connection.execute(f"UPDATE events SET {change} WHERE project_id = 1 AND id = 900")


@pytest.mark.parametrize(
    "fields",
    [
        {"readings": 1},
        {"readings": 0, "valid_readings": 0},
        {"readings": 1, "valid_readings": 2},
        {"readings": 1, "valid_readings": 1, "covered_readings": 2, "expected_readings": 1},
        {"readings": 1, "valid_readings": 1, "client_reference": "mine"},
    ],
)
def test_counts_of_readings_that_cannot_be_are_refused(connection, types, fields):
    with pytest.raises(CheckViolation):
        add(connection, types[1], **fields)


@pytest.mark.usefixtures("types")
def test_what_was_captured_still_never_changes(connection):
    with pytest.raises(RestrictViolation, match="never changes"):
        connection.execute(
            "UPDATE events SET numbers = ARRAY[4711.5] WHERE project_id = 1 AND numbers <> '{}'"
        )
