"""What the tables of webhooks refuse, whatever the code above them does."""

import psycopg
import pytest
from psycopg.errors import CheckViolation, UniqueViolation
from tests import databases

HOOK = """
    INSERT INTO webhooks (account_id, project_id, url, change_types, task_types, user_id)
      VALUES (1, {project}, '{url}', '{{batch}}', '{{}}', 1);
    INSERT INTO webhook_lanes (webhook_id, next_number) SELECT max(id), 1 FROM webhooks;
    INSERT INTO webhook_secrets (webhook_id, secret) SELECT max(id), sha256('a') FROM webhooks;
"""
DELIVERY = """
    INSERT INTO webhook_deliveries (webhook_id, kind, action, keys, first_number, first_position, next_number,
                                    next_position, changed_at)
      SELECT max(id), 'batch', 'create', '{[1,2)}', 1, 0, 2, 0, now() FROM webhooks
"""
GIVEN = HOOK.format(project=1, url="https://a.example/")


@pytest.fixture(scope="module")
def hooked(postgres, stored):
    """The URL of a database to copy that has a webhook."""
    with databases.database(postgres, stored) as url:
        with psycopg.connect(url) as given:
            given.execute(GIVEN)
        yield url


@pytest.fixture
def connection(postgres, hooked):
    """A connection to a copy."""
    with databases.database(postgres, hooked) as url, psycopg.connect(url, autocommit=True) as connection:
        yield connection


@pytest.mark.parametrize(
    "statement",
    [
        HOOK.format(project=1, url="ftp://a.example/"),
        "UPDATE webhooks SET is_enabled = false",
        "UPDATE webhooks SET disabled_at = now(), disabled_reason = 'So'",
        "UPDATE webhooks SET change_types = '{}'",
        "UPDATE webhook_lanes SET holder = gen_random_uuid()",
        "UPDATE webhook_secrets SET secret = 'short', expires_at = now()",
        DELIVERY + "; UPDATE webhook_deliveries SET state = 'delivered'",
        DELIVERY + "; UPDATE webhook_deliveries SET next_number = NULL",
    ],
)
def test_what_cannot_be_is_refused(connection, statement):
    with pytest.raises(CheckViolation):
        connection.execute(statement)


def test_a_webhook_of_a_project_is_of_its_account(connection):
    connection.execute("INSERT INTO accounts (name) VALUES ('other')")
    connection.execute("INSERT INTO projects (account_id, name) SELECT max(id), 'Theirs' FROM accounts")

    with pytest.raises(CheckViolation, match="is of another account"):
        connection.execute("UPDATE webhooks SET project_id = (SELECT max(id) FROM projects)")


def test_a_change_is_told_to_a_webhook_once(connection):
    connection.execute(DELIVERY)

    with pytest.raises(UniqueViolation, match="webhook_deliveries_tell_once"):
        connection.execute(DELIVERY)


def test_a_webhook_has_one_newest_secret(connection):
    with pytest.raises(UniqueViolation, match="webhook_secrets_one_newest"):
        connection.execute("INSERT INTO webhook_secrets (webhook_id, secret) VALUES (1, sha256('b'))")


def test_with_a_webhook_goes_all_that_is_its_own(connection):
    connection.execute(DELIVERY)
    connection.execute("DELETE FROM webhooks")

    for table in ("webhook_lanes", "webhook_secrets", "webhook_deliveries"):
        assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
