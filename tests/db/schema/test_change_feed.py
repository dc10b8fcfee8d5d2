"""What triggers write to the feed of changes, and how it is numbered."""

import psycopg
import pytest
from psycopg.errors import CheckViolation, RestrictViolation


@pytest.fixture
def connection(stored_database):
    """A connection to a database whose feed is empty: what was stored before was removed from it."""
    with psycopg.connect(stored_database, autocommit=True) as opened:
        opened.execute("SELECT number_changes()")
        opened.execute("DELETE FROM changes")
        yield opened


def feed(connection):
    connection.execute("SELECT number_changes()")
    return connection.execute(
        "SELECT number, kind, action, keys::text FROM changes ORDER BY number"
    ).fetchall()


def test_what_is_written_comes_into_the_feed(connection):
    assert feed(connection) == []

    connection.execute("UPDATE events SET notes = 'weighed twice' WHERE id = 4096")
    connection.execute("UPDATE async_tasks SET result = '{}' WHERE id = 1")

    assert feed(connection) == [(1, "event", "update", "{[4096,4097)}")]


def test_numbers_go_on_where_all_was_removed(connection):
    connection.execute("UPDATE events SET notes = 'one' WHERE id = 4096")
    feed(connection)
    connection.execute("DELETE FROM changes")
    connection.execute("INSERT INTO change_horizons VALUES (1, 1)")

    connection.execute("UPDATE events SET notes = 'two' WHERE id = 4096")

    assert [change[0] for change in feed(connection)] == [2]


def test_what_one_transaction_did_is_one_entry_of_each_action(connection):
    with connection.transaction():
        connection.execute("UPDATE events SET notes = 'one' WHERE id = 4096")
        connection.execute("UPDATE events SET notes = 'two' WHERE id = 4096")
    with connection.transaction():
        connection.execute("UPDATE events SET notes = 'three' WHERE id = 4096")
        connection.execute("UPDATE events SET voided_at = now() WHERE id = 4096")

    assert feed(connection) == [
        (1, "event", "update", "{[4096,4097)}"),
        (2, "event", "void", "{[4096,4097)}"),
    ]


def test_an_entry_of_the_feed_never_changes(connection):
    connection.execute("UPDATE events SET notes = 'one' WHERE id = 4096")
    feed(connection)

    with pytest.raises(RestrictViolation):
        connection.execute("UPDATE changes SET action = 'void'")
    with pytest.raises(CheckViolation):
        connection.execute(
            "INSERT INTO changes (account_id, number, project_id, kind, action, keys) "
            "VALUES (1, 2, 1, 'event', 'void', '{}')"
        )
