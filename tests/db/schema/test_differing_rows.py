"""What the tables of data feeds refuse of rows that differ, whatever the code above them does."""

import psycopg
import pytest
from psycopg.errors import CheckViolation
from tests import databases
from tests.db.schema.test_data_feeds import FEED, TASK, UPLOAD

ENDED = """
    UPDATE data_feed_uploads SET rows = 2, stored = 1, already_there = 1, differing = 0, corrected = 0,
                                 incomplete = 0, bad_rows = 0, formulas = 0, finished_at = now()
"""


@pytest.fixture(scope="module")
def uploaded(postgres, stored):
    """The URL of a database to copy to whose feed a file has come."""
    with databases.database(postgres, stored) as url:
        with psycopg.connect(url) as given:
            given.execute(FEED.format(name="Scale", watch="'/drop'"))
            given.execute(TASK)
            given.execute(UPLOAD.format(dry_run=False))
            given.execute(ENDED)
        yield url


@pytest.fixture
def connection(postgres, uploaded):
    """A connection to a copy."""
    with databases.database(postgres, uploaded) as url, psycopg.connect(url, autocommit=True) as connection:
        yield connection


def test_a_feed_that_says_nothing_of_it_reports_differing_rows(connection):
    feeds = connection.execute("SELECT on_difference, units_line FROM data_feeds").fetchall()

    assert feeds == [("report", False)]


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
