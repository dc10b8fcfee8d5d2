"""What the tables of corrections refuse, whatever the code above them does."""

import json

import psycopg
import pytest
from psycopg.errors import (
    CheckViolation,
    ExclusionViolation,
    ForeignKeyViolation,
    RestrictViolation,
    UniqueViolation,
)
from tests import databases

from weighbridge.core.collection.correction import FIELDS, CorrectionOrigin, CorrectionState

GIVEN = """
    INSERT INTO accounts (name) VALUES ('acme');
    INSERT INTO users (account_id, email, name) VALUES (1, 'ada@acme.test', 'ada');
    INSERT INTO projects (account_id, name) VALUES (1, 'First'), (1, 'Second');
    INSERT INTO event_types (project_id, slug, name) VALUES (1, 'delivery', 'Delivery');
    INSERT INTO feedstocks (project_id, name) VALUES (1, 'Wood'), (1, 'Straw');
    INSERT INTO assets (project_id, name) VALUES (1, 'Kiln'), (1, 'Truck');
    INSERT INTO events (project_id, id, event_type_id, start_time, end_time, tracking_id, feedstock_id,
                        numbers, texts, booleans, is_complete)
      VALUES (1, 1, 1, '2025-01-01Z', '2025-01-01Z', 'T-1', 1, '{1.50,NULL,NULL}', '{NULL,ok}',
              '{NULL,NULL,true}', true);
"""


@pytest.fixture(scope="module")
def database(postgres, newest):
    """A database with one event, whose tests all undo what they do."""
    with databases.database(postgres, newest) as url:
        with psycopg.connect(url) as given:
            given.execute(GIVEN)
        yield url


@pytest.fixture
def connection(database):
    with psycopg.connect(database) as connection:
        yield connection
        connection.rollback()


def correction(**columns):
    named = {
        "project_id": 1, "event_id": 1, "position": 1, "source": "manual", "from_value": "1.5",
        "to_value": "2", "state": "in_force", "user_id": 1,
    } | columns  # fmt: skip
    return (
        f"INSERT INTO corrections ({', '.join(named)}) VALUES ({', '.join(['%s'] * len(named))})",
        list(named.values()),
    )


@pytest.mark.parametrize(
    "change",
    [
        "numbers = '{1.51}'", "numbers = '{1.5}'", "numbers = '{}'", "numbers = '{NULL,NULL}'",
        "texts = '{NULL,OK}'", "texts = '{}'", "booleans = '{NULL,NULL,false}'", "booleans = '{}'",
        "is_imputed = true",
    ],
)  # fmt: skip
def test_no_digit_of_what_was_captured_changes(connection, change):
    with pytest.raises(RestrictViolation, match="what was captured of event 1 never changes"):
        connection.execute(f"UPDATE events SET {change}")


def test_a_position_that_is_empty_is_filled_once(connection):
    connection.execute("UPDATE events SET numbers = '{1.50,NULL,NULL,7}'")

    with pytest.raises(RestrictViolation):
        connection.execute("UPDATE events SET numbers = '{1.50,NULL,NULL,8}'")


def test_what_times_and_tags_were_at_first_is_kept_by_the_database_itself(connection):
    connection.execute("UPDATE events SET tracking_id = 'T-2', asset_id = 1")
    connection.execute("UPDATE events SET tracking_id = 'T-3', captured = NULL, is_revised = true")
    connection.execute('UPDATE events SET is_revised = false, captured = \'{"tracking_id": "T-9"}\'')

    found = connection.execute("SELECT captured, is_revised FROM events").fetchone()

    assert found == ({"tracking_id": "T-1", "asset_id": None}, True)


def test_a_corrected_number_is_finite(connection):
    with pytest.raises(CheckViolation):
        connection.execute("UPDATE events SET is_revised = true, corrected_numbers = '{NaN}'")


def test_an_event_with_corrected_values_says_that_it_is_revised(connection):
    with pytest.raises(CheckViolation, match="events_corrected_are_revised"):
        connection.execute("UPDATE events SET corrected_numbers = '{2}'")


def test_of_one_value_one_correction_is_in_force(connection):
    connection.execute(*correction())
    connection.execute(*correction(state="superseded"))
    connection.execute(*correction(position=2, from_value='"ok"', to_value='"OK"'))

    with pytest.raises(ExclusionViolation, match="corrections_one_in_force"):
        connection.execute(*correction())


def test_a_value_is_completed_once(connection):
    connection.execute(*correction(source="completion", from_value=None, state="superseded"))

    with pytest.raises(UniqueViolation, match="corrections_one_completion"):
        connection.execute(*correction(source="completion", from_value=None))


@pytest.mark.parametrize(
    "columns",
    [
        {"source": "guess"}, {"state": "pending"}, {"position": 0}, {"field": "start_time"},
        {"position": 0, "field": "notes"}, {"position": -1}, {"position": 4096}, {"to_value": "null"},
        {"to_value": '"x"'}, {"to_value": "[1]"}, {"from_value": None}, {"source": "completion"},
        {"priority": -1},
        {"reason": ""}, {"rule_id": 1}, {"state": "reverted"}, {"reverted_by": 1},
    ],
    ids=json.dumps,
)  # fmt: skip
def test_a_correction_that_makes_no_sense_is_refused(connection, columns):
    with pytest.raises(CheckViolation):
        connection.execute(*correction(**columns))


def test_the_words_of_the_database_are_those_of_the_code(connection):
    for source in CorrectionOrigin:
        from_value = None if source is CorrectionOrigin.COMPLETION else "1.5"
        connection.execute(*correction(source=source, from_value=from_value, state="superseded"))
    for state in CorrectionState:
        reverted = (
            {"reverted_at": "2025-01-01Z", "reverted_by": 1} if state is CorrectionState.REVERTED else {}
        )
        connection.execute(*correction(state=state, **reverted))
    for field in FIELDS:
        connection.execute(*correction(position=0, field=field, from_value=None, to_value='"x"'))


def test_a_correction_of_another_project_is_refused(connection):
    with pytest.raises(ForeignKeyViolation):
        connection.execute(*correction(project_id=2))


@pytest.mark.parametrize(
    "change",
    ["to_value = '3'", "from_value = '3'", "reason = 'other'", "source = 'adjustment'", "user_id = 2",
     "created_at = '2025-01-01Z'", "event_id = 2"],
)  # fmt: skip
def test_what_a_correction_says_never_changes(connection, change):
    connection.execute(*correction())

    with pytest.raises(RestrictViolation):
        connection.execute(f"UPDATE corrections SET {change}")


def test_a_reverted_correction_stays_reverted(connection):
    connection.execute(*correction())
    connection.execute("UPDATE corrections SET state = 'reverted', reverted_at = now(), reverted_by = 1")

    with pytest.raises(RestrictViolation):
        connection.execute(
            "UPDATE corrections SET state = 'in_force', reverted_at = NULL, reverted_by = NULL"
        )


@pytest.mark.parametrize("table", ["corrections", "batch_corrections"])
def test_history_is_not_removed(connection, table):
    connection.execute(*correction())

    with pytest.raises(RestrictViolation):
        connection.execute(f"DELETE FROM {table}")


@pytest.mark.parametrize(("field", "table"), [("feedstock_id", "feedstocks"), ("asset_id", "assets")])
def test_what_corrections_name_stays(connection, field, table):
    connection.execute(*correction(position=0, field=field, from_value="2", to_value="1"))

    with pytest.raises(ForeignKeyViolation, match="is named by corrections"):
        connection.execute(f"DELETE FROM {table} WHERE id = 2")
