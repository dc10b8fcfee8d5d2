"""What the tables of people refuse, whatever the code above them does."""

import psycopg
import pytest
from psycopg.errors import CheckViolation, ForeignKeyViolation, UniqueViolation

PERSON = """
    INSERT INTO users (account_id, email, name, permissions, password_hash)
      VALUES ({account}, '{email}', 'Bea', '{{data_collection:read}}', '$argon2id$v=19$m=19456,t=2,p=1$a$b')
"""
SESSION = """
    INSERT INTO sessions (account_id, user_id, secret_hash, program, expires_at)
      VALUES (1, {user}, sha256('{word}'), 'a browser', now() + interval '{hours} hours')
"""
LINK = """
    INSERT INTO access_links (account_id, kind, secret_hash, user_id, email, made_by, expires_at)
      VALUES (1, '{kind}', sha256('a'), {user}, {email}, 1, now() + interval '1 hour')
"""


@pytest.fixture
def connection(stored_database):
    with psycopg.connect(stored_database, autocommit=True) as connection:
        yield connection


def test_a_user_without_a_password_is_no_person_and_may_do_nothing_at_the_pages(connection):
    rows = connection.execute(
        "SELECT email, permissions, password_hash, disabled_at, signed_in_at FROM users WHERE id = 1"
    ).fetchall()

    assert rows == [("ada@acme.test", [], None, None, None)]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE users SET password_hash = 'plain'",
        "UPDATE users SET permissions = '{everything:write}'",
        SESSION.format(user=1, word="a", hours=-1),
        LINK.format(kind="join", user="NULL", email="NULL"),
        LINK.format(kind="password", user="NULL", email="NULL"),
        LINK.format(kind="sign_in", user="1", email="'a@b.c'"),
        LINK.format(kind="any", user="1", email="NULL"),
    ],
)
def test_what_cannot_be_is_refused(connection, statement):
    with pytest.raises(CheckViolation):
        connection.execute(statement)


def test_nobody_signs_in_by_an_address_that_another_account_s_person_has(connection):
    connection.execute("INSERT INTO accounts (name) VALUES ('other')")
    connection.execute(PERSON.format(account=1, email="bea@plant.example"))

    with pytest.raises(UniqueViolation):
        connection.execute(PERSON.format(account=2, email="BEA@plant.example"))


def test_a_session_is_of_a_user_of_its_account_and_its_secret_of_nobody_else(connection):
    connection.execute(SESSION.format(user=1, word="a", hours=1))

    with pytest.raises(UniqueViolation):
        connection.execute(SESSION.format(user=1, word="a", hours=1))
    with pytest.raises(ForeignKeyViolation):
        connection.execute(SESSION.format(user=999, word="b", hours=1))
