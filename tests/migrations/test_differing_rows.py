"""Step 0051 on a database with uploads that ended before it, and what it refuses whatever the code does."""

import psycopg
import pytest
from psycopg.errors import CheckViolation
from tests import databases
from tests.migrations.test_data_feeds import FEED, TASK, UPLOAD

from weighbridge.db.schema.migrate import migrate

ENDED = """
    UPDATE data_feed_uploads SET rows = 2, stored = 1, already_there = 1, incomplete = 0, bad_rows = 0,
                                 formulas = 0, finished_at = now()
"""


@pytest.fixture(scope="module")
def after(postgres, old):
    """The URL of a database to copy in which a file had come before the step."""
    with databases.database(postgres, old) as url:
        migrate(url, "0048")
        with psycopg.connect(url) as given:
            given.execute(FEED.format(name="Scale", watch="'/drop'"))
            given.execute(TASK)
            given.execute(UPLOAD.format(dry_run=False))
            given.execute(ENDED)
        migrate(url)
        yield url


@pytest.fixture
def connection(postgres, after):
    """A connection to a copy."""
    with databases.database(postgres, after) as url, psycopg.connect(url, autocommit=True) as connection:
        yield connection


def test_feeds_report_as_before_and_no_row_of_an_old_file_differs(connection):
    feeds = connection.execute("SELECT on_difference, units_line FROM data_feeds").fetchall()
    uploads = connection.execute("SELECT rows, differing, corrected FROM data_feed_uploads").fetchall()

    assert (feeds, uploads) == ([("report", False)], [(2, 0, 0)])


@pytest.mark.parametrize(
    "wrong",
    [
        "UPDATE data_feeds SET on_difference = 'guess'",
        "UPDATE data_feed_uploads SET differing = 1, corrected = 2",
        "UPDATE data_feed_uploads SET differing = NULL",
        "UPDATE data_feed_uploads SET dry_run = true, stored = 0, differing = 1, corrected = 1",
    ],
)
def test_what_cannot_be_is_refused(connection, wrong):
    with pytest.raises(CheckViolation):
        connection.execute(wrong)
