"""What is refused of results for slots, and what withdraws their proposals."""

import psycopg
import pytest
from psycopg.errors import CheckViolation, UniqueViolation
from tests import databases

SLOT = {
    "event_type_id": 1, "asset_id": 0, "location_id": 0, "slot_start": "2025-06-01T00:00Z",
    "slot_end": "2025-06-01T01:00Z",
}  # fmt: skip
PROPOSED = {
    "approval_state": "pending",
    "proposed_correction": '{"from_value": null, "to_value": 12.5}',
    "proposed_event": '{"end_time": "2025-06-01T01:00:00.000Z", "location_ids": [1], "feedstock_id": 1}',
}
GIVEN = """
    INSERT INTO rules (project_id, id, name, effective_from, latest_version, evaluation)
    OVERRIDING SYSTEM VALUE VALUES (1, 900, 'Fill', '2025-01-01Z', 1, 'on_demand');
    INSERT INTO rule_versions (project_id, rule_id, version, target, purpose, expression, data_point,
                               correction, window_member_scope, priority, requires_approval,
                               user_id)
    VALUES (1, 900, 1, 'data_point', 'impute', 'false', 'mass', '{"method": "previous"}',
            'event_type', 1, true, 1);
    INSERT INTO data_point_results (project_id, id, rule_id, rule_version, event_id, position, status,
                                    entered_value, evaluated_at)
    VALUES (1, 9000, 900, 1, 4096, 1, 'fail', '50', now())
"""


@pytest.fixture(scope="module")
def evaluated(postgres, stored):
    """The URL of a database to copy that has a result of an event."""
    with databases.database(postgres, stored) as url:
        with psycopg.connect(url) as given:
            given.execute(GIVEN)
        yield url


@pytest.fixture
def connection(postgres, evaluated):
    """A connection to a copy."""
    with databases.database(postgres, evaluated) as url, psycopg.connect(url, autocommit=True) as connection:
        yield connection


def put(connection, **fields):
    """A result of the rule; gives its number."""
    row = {
        "project_id": 1, "rule_id": 900, "rule_version": 1, "position": 1, "status": "fail",
        "evaluated_at": "2025-06-02Z",
    } | fields  # fmt: skip
    names, places = ", ".join(row), ", ".join(f"%({name})s" for name in row)
    statement = f"INSERT INTO data_point_results ({names}) VALUES ({places}) RETURNING id"
    return connection.execute(statement, row).fetchone()[0]


def state(connection, number):
    return connection.execute(
        "SELECT approval_state FROM data_point_results WHERE id = %s", (number,)
    ).fetchone()[0]


def capture(connection, start, **fields):
    row = {"asset_id": None, "location_ids": "{}"} | fields
    connection.execute(
        """
        INSERT INTO events (project_id, id, event_type_id, start_time, end_time, numbers, is_complete,
                            asset_id, location_ids)
        VALUES (1, 9000001, 1, %(start)s, %(start)s, ARRAY[1], true, %(asset_id)s, %(location_ids)s)
        """,
        row | {"start": start},
    )


def test_a_result_of_an_event_has_no_slot(connection):
    assert connection.execute(
        "SELECT event_id, entered_value, slot_start, proposed_event FROM data_point_results WHERE id = 9000"
    ).fetchone() == (4096, "50", None, None)


def test_a_result_is_of_an_event_or_of_a_whole_slot(connection):
    put(connection, **SLOT)
    with pytest.raises(CheckViolation, match="data_point_results_of_event_or_slot"):
        put(connection)
    for name in SLOT:
        with pytest.raises(CheckViolation, match="data_point_results_"):
            put(connection, **{key: value for key, value in SLOT.items() if key != name})
    with pytest.raises(CheckViolation, match="data_point_results_slot"):
        put(connection, **SLOT | {"slot_end": SLOT["slot_start"]})


def test_a_slot_has_one_open_result_of_each_version(connection):
    put(connection, **SLOT)

    with pytest.raises(UniqueViolation, match="data_point_results_one_open_of_slot"):
        put(connection, **SLOT)
    put(connection, **SLOT | {"asset_id": 7})


def test_what_is_proposed_for_a_slot_says_the_event(connection):
    with pytest.raises(CheckViolation, match="data_point_results_proposed_event"):
        put(connection, **SLOT, **PROPOSED | {"proposed_event": None})
    with pytest.raises(CheckViolation, match="data_point_results_approved_event"):
        put(
            connection, **SLOT, **PROPOSED | {"approval_state": "approved"},
            approved_at="2025-06-03Z", approved_by=1,
        )  # fmt: skip


@pytest.mark.parametrize(
    ("start", "fields", "left"),
    [
        ("2025-06-01T00:30Z", {}, "withdrawn"),
        ("2025-06-01T00:00Z", {}, "withdrawn"),
        ("2025-06-01T01:00Z", {}, "pending"),
        ("2025-06-01T00:30Z", {"location_ids": "{1}"}, "pending"),
    ],
)
def test_a_captured_event_withdraws_what_is_proposed_for_its_slot_and_no_other(
    connection, start, fields, left
):
    number = put(connection, **SLOT, **PROPOSED)

    capture(connection, start, **fields)

    assert state(connection, number) == left


def test_a_proposed_event_is_read_as_a_row_of_events(connection):
    number = put(connection, **SLOT | {"location_id": 1}, **PROPOSED)

    row = connection.execute(
        """
        SELECT e.id, e.event_type_id, e.numbers[1], e.location_ids, e.feedstock_id, e.asset_id, e.is_imputed,
               e.start_time = '2025-06-01T00:00Z', e.end_time = '2025-06-01T01:00Z'
          FROM data_point_results r CROSS JOIN LATERAL (SELECT (proposed_event_row(r)).*) e WHERE r.id = %s
        """,
        (number,),
    ).fetchone()

    assert row[:2] == (None, 1)
    assert str(row[2]) == "12.5"
    assert row[3:] == ([1], 1, None, True, True, True)
