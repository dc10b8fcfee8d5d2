"""Step 0025 on a database with data: tokens that nobody issued, and what the running role may do there."""

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from tests import databases

from weighbridge.db.embedded import RUNNING_ROLE
from weighbridge.db.schema.migrate import migrate
from weighbridge.db.schema.roles import DatabaseUrls, let_run


@pytest.fixture(scope="module")
def urls(postgres, old):
    """The URLs of a database that had a token before the step, in which tests read."""
    with databases.database(postgres, old) as url:
        migrate(url, "0023")
        with psycopg.connect(url) as before:
            before.execute(
                """
                INSERT INTO api_tokens (account_id, user_id, name, secret_hash, permissions)
                SELECT account_id, id, 'meter', sha256('meter'), '{data_collection:write}' FROM users LIMIT 1
                """
            )
        migrate(url)
        made = DatabaseUrls(make_conninfo(url, user=RUNNING_ROLE), url)
        let_run(made)
        yield made


def test_a_token_from_before_was_issued_by_none(urls):
    with psycopg.connect(urls.running) as connection:
        rows = connection.execute("SELECT DISTINCT issued_by FROM api_tokens").fetchall()

    assert rows == [(None,)]


def test_the_running_role_reads_what_was_stored_before(urls):
    with psycopg.connect(urls.running) as connection:
        assert connection.execute("SELECT count(*) FROM api_tokens").fetchone()[0] >= 1
        assert connection.execute("SELECT count(*) FROM projects").fetchone()[0] >= 1
