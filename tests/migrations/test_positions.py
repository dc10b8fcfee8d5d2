"""Step 0017: the database gives out each position of an event type once, whatever was there before."""

import psycopg
import pytest
from psycopg.errors import RestrictViolation
from tests import databases

from weighbridge.db.schema.migrate import migrate

BEFORE = """
    INSERT INTO accounts (name) VALUES ('acme');
    INSERT INTO projects (account_id, name) VALUES (1, 'Plant');
    INSERT INTO event_types (project_id, slug, name)
      VALUES (1, 'delivery', 'Delivery'), (1, 'bill', 'Bill');
    INSERT INTO data_point_types (project_id, event_type_id, position, slug, name, value_type)
      VALUES (1, 1, 1, 'mass', 'Mass', 'number'), (1, 1, 3, 'note', 'Note', 'string');
"""
ANOTHER = """
    INSERT INTO data_point_types (project_id, event_type_id, position, slug, name, value_type)
    VALUES (1, {event_type}, {position}, 'more-{position}', 'More', 'number')
"""


@pytest.fixture(scope="module")
def after(postgres):
    """The URL of a database to copy that had data point types at the positions 1 and 3 before the step."""
    with databases.database(postgres) as url:
        migrate(url, "0016")
        with psycopg.connect(url) as before:
            before.execute(BEFORE)
        migrate(url)
        yield url


@pytest.fixture
def connection(postgres, after):
    """A connection to a copy."""
    with databases.database(postgres, after) as url, psycopg.connect(url, autocommit=True) as connection:
        yield connection


def next_positions(connection):
    return connection.execute("SELECT slug, next_position FROM event_types ORDER BY id").fetchall()


def test_counting_goes_on_behind_the_positions_that_were_there(connection):
    assert next_positions(connection) == [("delivery", 4), ("bill", 1)]

    connection.execute(ANOTHER.format(event_type=2, position=1))
    connection.execute(ANOTHER.format(event_type=1, position=4))

    assert next_positions(connection) == [("delivery", 5), ("bill", 2)]


def test_a_position_stays_given_out_when_its_data_point_type_goes(connection):
    connection.execute("DELETE FROM data_point_types WHERE slug = 'note'")

    for position in (2, 3):
        with pytest.raises(RestrictViolation, match=f"position {position} of event type delivery"):
            connection.execute(ANOTHER.format(event_type=1, position=position))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE data_point_types SET position = 2 WHERE slug = 'mass'",
        "UPDATE data_point_types SET event_type_id = 2 WHERE slug = 'mass'",
        "UPDATE event_types SET next_position = 2 WHERE slug = 'delivery'",
    ],
)
def test_neither_positions_nor_their_count_go_back(connection, statement):
    with pytest.raises(RestrictViolation):
        connection.execute(statement)


def test_what_was_read_of_an_event_type_is_still_what_it_is(connection):
    changed = connection.execute("SELECT slug FROM event_types WHERE revision > 1 ORDER BY id").fetchall()

    assert changed == []
