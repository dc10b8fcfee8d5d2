"""Each history of the database has one mark, which stays."""

import psycopg
import pytest
from psycopg.errors import CheckViolation, RestrictViolation, UniqueViolation


@pytest.fixture
def connection(stored_database):
    with psycopg.connect(stored_database, autocommit=True) as connection:
        yield connection


@pytest.mark.parametrize(
    ("statement", "refusal"),
    [
        ("INSERT INTO database_histories (timeline) VALUES (1)", UniqueViolation),
        ("INSERT INTO database_histories (timeline) VALUES (0)", CheckViolation),
        ("UPDATE database_histories SET mark = gen_random_uuid()", RestrictViolation),
        ("DELETE FROM database_histories", RestrictViolation),
    ],
)
def test_a_history_has_one_mark_which_stays(connection, statement, refusal):
    connection.execute("INSERT INTO database_histories (timeline) VALUES (1)")

    with pytest.raises(refusal):
        connection.execute(statement)


def test_two_histories_have_two_marks(connection):
    connection.execute("INSERT INTO database_histories (timeline) VALUES (1), (2)")

    assert connection.execute("SELECT count(DISTINCT mark) FROM database_histories").fetchone() == (2,)
