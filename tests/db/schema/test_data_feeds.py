"""What the tables of data feeds refuse, whatever the code above them does."""

import psycopg
import pytest
from psycopg.errors import CheckViolation, ForeignKeyViolation, UniqueViolation
from tests import databases

FEED = """
    INSERT INTO data_feeds (project_id, name, event_type_id, columns, other_columns, rows_in_order,
                            decimal_mark, encoding, delimiter, header_line, missing, formulas, location_ids,
                            client_reference, bad_rows, watch, watch_user_id)
    SELECT 1, {name!r}, min(id), '[]', 'refuse', false, '.', 'utf-8', ',', 1, '{{}}', 'refuse', '{{}}',
           'row', 'skip', {watch}, (SELECT min(id) FROM users)
      FROM event_types WHERE project_id = 1
"""
TASK = """
    INSERT INTO async_tasks (account_id, project_id, type, args, user_id, request_id)
    SELECT p.account_id, 1, 'data_feed_upload', '{}', (SELECT min(id) FROM users), 'given'
      FROM projects p WHERE p.id = 1
"""
UPLOAD = """
    INSERT INTO data_feed_uploads (project_id, data_feed_id, task_id, file_name, size_bytes, sha256, dry_run,
                                   place)
    SELECT 1, (SELECT min(id) FROM data_feeds), (SELECT max(id) FROM async_tasks), 'log.csv', 1,
           sha256('log'), {dry_run}, '/drop'
"""
COUNTS = """
    UPDATE data_feed_uploads SET rows = 1, stored = {stored}, already_there = 0, differing = 0,
                                 corrected = 0, incomplete = 0, bad_rows = 0, formulas = 0,
                                 finished_at = now()
"""


@pytest.fixture(scope="module")
def watching(postgres, stored):
    """The URL of a database to copy that has a feed with a watched place."""
    with databases.database(postgres, stored) as url:
        with psycopg.connect(url) as given:
            given.execute(FEED.format(name="Scale", watch="'/drop'"))
        yield url


@pytest.fixture
def connection(postgres, watching):
    """A connection to a copy."""
    with databases.database(postgres, watching) as url, psycopg.connect(url, autocommit=True) as connection:
        yield connection


def test_a_place_is_watched_by_one_feed(connection):
    with pytest.raises(UniqueViolation):
        connection.execute(FEED.format(name="Other", watch="'/drop'"))


def test_a_name_stands_once_in_a_project(connection):
    with pytest.raises(UniqueViolation):
        connection.execute(FEED.format(name="Scale", watch="'/other'"))


def test_an_event_type_that_a_feed_names_stays(connection):
    with pytest.raises(ForeignKeyViolation):
        connection.execute("DELETE FROM event_types WHERE id = (SELECT event_type_id FROM data_feeds)")


def test_a_file_of_a_place_is_taken_up_once_until_it_is_moved_away(connection):
    for _ in range(2):
        connection.execute(TASK)
    connection.execute(UPLOAD.format(dry_run=False))
    connection.execute(TASK)
    with pytest.raises(UniqueViolation):
        connection.execute(UPLOAD.format(dry_run=False))

    connection.execute("UPDATE data_feed_uploads SET settled_at = now()")
    connection.execute(UPLOAD.format(dry_run=False))


def test_a_dry_run_stores_nothing_and_counts_come_together(connection):
    connection.execute(TASK)
    connection.execute(UPLOAD.format(dry_run=True))

    with pytest.raises(CheckViolation):
        connection.execute(COUNTS.format(stored=1))
    with pytest.raises(CheckViolation):
        connection.execute("UPDATE data_feed_uploads SET rows = 1")
    connection.execute(COUNTS.format(stored=0))
