"""Every change of what events name raises its revision."""

import psycopg
import pytest
from tests import databases

GIVEN = """
    INSERT INTO event_types (project_id, slug, name) VALUES (1, 'receipt', 'Receipt');
    INSERT INTO assets (project_id, name) VALUES (1, 'Kiln');
"""


@pytest.fixture(scope="module")
def named(postgres, stored):
    """The URL of a database to copy with a record of each kind, and a second event type."""
    with databases.database(postgres, stored) as url:
        with psycopg.connect(url) as given:
            given.execute(GIVEN)
        yield url


@pytest.fixture
def database(postgres, named):
    """A connection to a copy."""
    with databases.database(postgres, named) as url, psycopg.connect(url) as connection:
        yield connection


def revisions(database, table):
    return database.execute(f"SELECT id, revision FROM {table} WHERE project_id = 1 ORDER BY id").fetchall()


@pytest.mark.parametrize("table", ["event_types", "locations", "feedstocks", "assets"])
def test_a_new_record_starts_at_nought_and_a_change_raises_it(database, table):
    before = dict(revisions(database, table))
    assert before[max(before)] == 0

    database.execute(f"UPDATE {table} SET name = 'Other' WHERE id = 1")
    database.execute(f"UPDATE {table} SET revision = 0 WHERE id = 1")

    assert dict(revisions(database, table)) == before | {1: before[1] + 2}


CHANGES = {
    "one is added": """
        INSERT INTO data_point_types (project_id, event_type_id, position, slug, name, value_type)
        VALUES (1, 1, 99, 'ash', 'Ash', 'number')
    """,
    "one is changed": "UPDATE data_point_types SET required = NOT required WHERE event_type_id = 1",
    "one is removed": "DELETE FROM data_point_types WHERE event_type_id = 1 AND position = 98",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_the_data_point_types_are_part_of_their_event_type_alone(database, change):
    database.execute(
        """
        INSERT INTO data_point_types (project_id, event_type_id, position, slug, name, value_type)
        VALUES (1, 1, 98, 'dust', 'Dust', 'number')
        """
    )
    [(_, before), other, *_] = revisions(database, "event_types")

    database.execute(change)

    [(_, after), same, *_] = revisions(database, "event_types")
    assert after > before
    assert same == other


def test_a_data_point_type_that_moves_is_a_change_of_both_event_types(database):
    database.execute(
        """
        INSERT INTO data_point_types (project_id, event_type_id, position, slug, name, value_type)
        VALUES (1, 1, 98, 'dust', 'Dust', 'number')
        """
    )
    before = dict(revisions(database, "event_types"))

    # Another trigger refuses the move itself.
    database.execute("ALTER TABLE data_point_types DISABLE TRIGGER data_point_types_stay_in_place")
    database.execute("UPDATE data_point_types SET event_type_id = 2 WHERE position = 98")

    after = dict(revisions(database, "event_types"))
    assert (after[1], after[2]) == (before[1] + 1, before[2] + 1)
