"""The database gives out each position of an event type once."""

import psycopg
import pytest
from psycopg.errors import RestrictViolation
from tests import databases

GIVEN = """
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
def placed(postgres, newest):
    """The URL of a database to copy that has data point types at the positions 1 and 3."""
    with databases.database(postgres, newest) as url:
        with psycopg.connect(url) as given:
            given.execute(GIVEN)
        yield url


@pytest.fixture
def connection(postgres, placed):
    """A connection to a copy."""
    with databases.database(postgres, placed) as url, psycopg.connect(url, autocommit=True) as connection:
        yield connection


def next_positions(connection):
    return connection.execute("SELECT slug, next_position FROM event_types ORDER BY id").fetchall()


def test_counting_goes_on_after_the_last_position(connection):
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
