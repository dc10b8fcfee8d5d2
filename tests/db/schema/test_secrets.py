"""Every column that can hold a secret is in the one table of them, or stands there with the reason."""

import re

import psycopg
import pytest
from psycopg.errors import CheckViolation

from weighbridge.platform.kept_secrets import COLUMN, ENCRYPTED, NOT_ENCRYPTED

SOUNDS_SECRET = re.compile(
    r"secret|passw|token|credential|private|header|encrypted|oauth|api_key|(^|_)(link|key|pin|otp|auth)$"
)
"""Names of columns that may have what proves who somebody is."""

COLUMNS = """
    SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod)
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
       AND c.relname NOT LIKE 'procrastinate%' ORDER BY 1, 2
"""
HOLDS_SECRETS = re.compile(r"secret|passw|credential|oauth")
"""Names of tables all of whose texts may."""

TEXTS = ("text", "bytea", "jsonb", "character varying")


@pytest.fixture
def connection(stored_database):
    with psycopg.connect(stored_database, autocommit=True) as connection:
        yield connection


def find_secrets(connection):
    """The columns that sound as if they had secrets, as TABLE.COLUMN; *.COLUMN where that is listed."""
    return {
        f"*.{column}" if f"*.{column}" in NOT_ENCRYPTED else f"{table}.{column}"
        for table, column, kind in connection.execute(COLUMNS)
        if kind.startswith(TEXTS) and (SOUNDS_SECRET.search(column) or HOLDS_SECRETS.search(table))
    }


def listed():
    encrypted = {f"{one.table}.{name}" for one in ENCRYPTED for name in (COLUMN, one.readable) if name}
    return encrypted | NOT_ENCRYPTED.keys()


def test_every_column_that_sounds_secret_is_listed_and_every_listed_one_is_there(connection):
    assert find_secrets(connection) == listed()


def test_a_column_with_secrets_that_nobody_has_listed_is_found(connection):
    connection.execute("CREATE TABLE partners (account_id integer NOT NULL, oauth_client_secret text)")
    connection.execute("CREATE TABLE drop_credentials (account_id integer NOT NULL, content bytea)")

    assert find_secrets(connection) - listed() == {
        "partners.oauth_client_secret",
        "drop_credentials.content",
    }


@pytest.mark.parametrize(
    "column", [one for one in ENCRYPTED if one.readable], ids=lambda column: column.table
)
def test_a_secret_is_stored_once(connection, column):
    found = connection.execute(
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = %s",
        (f"{column.table}_kept_once",),
    ).fetchone()

    assert found == (f"CHECK ((num_nonnulls({column.readable}, encrypted) = 1))",)
    with pytest.raises(CheckViolation):
        connection.execute("INSERT INTO webhook_secrets (webhook_id) VALUES (1)")
