"""Step 0019 on books with falls upon later batches, and with an event that moved."""

import psycopg
import pytest
from tests import databases
from tests.migrations.test_allocation import GIVEN

from weighbridge.db.schema.migrate import migrate
from weighbridge.verification.books import CHECKS

BEFORE = "0018"
STEP = "0019"

BOOKS = """
    INSERT INTO runs (project_id, family_id, start_time, end_time, tracking_id, by_event)
      VALUES (1, 1, '2025-01-01Z', '2025-02-01Z', NULL, false),
             (1, 1, '2025-03-01Z', '2025-04-01Z', NULL, false),
             (1, 1, '2025-02-10Z', '2025-02-10Z', 'T', true);
    INSERT INTO batches (project_id, ledger_id, run_id, adjusts, model_id, model_sha256, tracking_id,
                         start_time, end_time, total, credited, share_scale, fingerprint, async_task_id)
      VALUES (1, 1, 1, NULL, 1, sha256(''), '2025-01', '2025-01-01Z', '2025-02-01Z', -4, 0, 6, sha256(''), 1),
             (1, 1, 2, NULL, 1, sha256(''), '2025-03', '2025-03-01Z', '2025-04-01Z', 9, 9, 6, sha256(''), 1),
             (1, 1, 3, NULL, 1, sha256(''), 'T', '2025-01-20Z', '2025-01-20Z', 7, 7, 6, sha256(''), 1);
    INSERT INTO async_tasks (account_id, project_id, type, args, user_id, request_id)
      VALUES (1, 1, 'batch_generation', '{}', 1, 'req_2');
    INSERT INTO batches (project_id, ledger_id, run_id, adjusts, model_id, model_sha256, tracking_id,
                         start_time, end_time, total, credited, share_scale, fingerprint, async_task_id)
      VALUES (1, 1, 3, 3, 1, sha256(''), 'T', '2025-02-10Z', '2025-02-10Z', 7, 0, 6, sha256(''), 2);
    INSERT INTO ledger_entries (project_id, ledger_id, batch_id, kind, amount, effective_at, posted_by,
                                run_id, async_task_id, posted_at)
      VALUES (1, 1, 2, 'credit', 9, '2025-04-01Z', 2, 2, 1, '2025-05-01Z'),
             (1, 1, 1, 'credit', 0, '2025-02-01Z', 1, 1, 1, '2025-05-01Z'),
             (1, 1, 2, 'fall', -4, '2025-04-01Z', 1, 1, 1, '2025-05-01Z'),
             (1, 1, 3, 'credit', 7, '2025-01-20Z', 3, 3, 1, '2025-05-01Z'),
             (1, 1, 4, 'credit', 0, '2025-02-10Z', 4, 3, 2, '2025-06-01Z');
"""
"""January took back 4, of March's 9; an event of January turned out to be of February."""


@pytest.fixture(scope="module")
def connection(postgres):
    """A connection with which tests read."""
    with databases.database(postgres) as url:
        migrate(url, BEFORE)
        with psycopg.connect(url) as given:
            given.execute(GIVEN[: GIVEN.index("    INSERT INTO runs")])
            given.execute(BOOKS)
        migrate(url, STEP)
        with psycopg.connect(url, autocommit=True) as connection:
            yield connection


def bridges(connection, run):
    return connection.execute(
        "SELECT to_char(effective_at, 'YYYY-MM-DD'), amount, posted_by, to_char(posted_at, 'YYYY-MM')"
        " FROM deficit_entries WHERE run_id = %s ORDER BY effective_at",
        (run,),
    ).fetchall()


def test_a_fall_upon_a_later_batch_becomes_a_deficit_until_then(connection):
    assert bridges(connection, 1) == [("2025-02-01", 4, 1, "2025-05"), ("2025-04-01", -4, 1, "2025-05")]
    assert bridges(connection, 2) == []


def test_an_event_that_moved_counts_for_its_new_end(connection):
    assert bridges(connection, 3) == [("2025-01-20", 7, 4, "2025-06"), ("2025-02-10", -7, 4, "2025-06")]


def test_no_run_is_short_because_of_it(connection):
    assert connection.execute("SELECT DISTINCT amount FROM deficits").fetchall() == [(0,)]


def test_the_books_hold_at_every_moment_then(connection):
    [check] = [one for one in CHECKS if "at every moment, entries less" in one.words]

    assert connection.execute(check.statement).fetchall() == []
