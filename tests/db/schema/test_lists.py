"""Events are counted by type, and an event has a type of its project without a foreign key."""

import psycopg
import pytest
from psycopg.errors import ForeignKeyViolation

EVENT = """
    INSERT INTO events (project_id, id, event_type_id, start_time, end_time, is_complete)
    SELECT project_id, {number}, {kind}, '2025-01-01Z',
           '2025-01-01Z'::timestamptz + interval '{hours} hours', true
      FROM event_types ORDER BY project_id, id LIMIT 1
"""
COUNTS = """
    SELECT project_id, event_type_id, sum(events)::bigint FROM event_counts
     GROUP BY project_id, event_type_id HAVING sum(events) <> 0 ORDER BY project_id, event_type_id
"""
COUNTED = """
    SELECT project_id, event_type_id, count(*) FROM events WHERE voided_at IS NULL
     GROUP BY project_id, event_type_id ORDER BY project_id, event_type_id
"""


@pytest.fixture
def connection(stored_database):
    with psycopg.connect(stored_database, autocommit=True) as connection:
        yield connection


def counts(connection):
    kept, counted = [*connection.execute(COUNTS)], [*connection.execute(COUNTED)]
    assert kept == counted
    return kept


def test_stored_events_are_counted(connection):
    assert counts(connection)


def test_events_are_counted_as_they_come_and_go_and_change_their_type(connection):
    [(project, kind), *_] = connection.execute("SELECT project_id, id FROM event_types ORDER BY 1, 2")
    [(other,)] = connection.execute(
        "INSERT INTO event_types (project_id, slug, name) VALUES (%s, 'other', 'Other') RETURNING id",
        (project,),
    )
    before = counts(connection)

    for number in (901, 902):
        connection.execute(EVENT.format(number=number, kind=kind, hours=0))
    stored = counts(connection)
    connection.execute("UPDATE events SET voided_at = now() WHERE id = 901")
    voided = counts(connection)
    connection.execute("UPDATE events SET event_type_id = %s WHERE id = 902", (other,))

    assert (
        dict([row[:2], row[2]] for row in stored)[project, kind]
        == dict([row[:2], row[2]] for row in before).get((project, kind), 0) + 2
    )
    assert sum(row[2] for row in voided) == sum(row[2] for row in stored) - 1
    assert (project, other, 1) in counts(connection)


def test_the_longest_event_of_a_type_is_known(connection):
    [(project, kind), *_] = connection.execute("SELECT project_id, id FROM event_types ORDER BY 1, 2")
    longest = "SELECT extract(epoch FROM max(longest)) / 3600 FROM event_counts WHERE project_id = %s"

    connection.execute(EVENT.format(number=901, kind=kind, hours=900))
    stored = connection.execute(longest, (project,)).fetchone()
    connection.execute("UPDATE events SET end_time = end_time + interval '1 hour' WHERE id = 901")

    assert stored == (900,)
    assert connection.execute(longest, (project,)).fetchone() == (901,)


@pytest.mark.parametrize(
    "statement",
    [
        EVENT.format(number=901, kind=999_999, hours=0),
        "UPDATE events SET event_type_id = 999999",
        "DELETE FROM event_types WHERE (project_id, id) IN (SELECT project_id, event_type_id FROM events)",
    ],
)
def test_an_event_has_a_type_of_its_project_and_keeps_it(connection, statement):
    with pytest.raises(ForeignKeyViolation) as refused:
        connection.execute(statement)

    assert refused.value.diag.constraint_name == "events_event_type"
