"""Links to reports, and what of a link never changes."""

import psycopg
import pytest
from psycopg.errors import CheckViolation, UniqueViolation


@pytest.fixture
def connection(stored_database):
    with psycopg.connect(stored_database, autocommit=True) as connection:
        connection.execute(
            """
            INSERT INTO reports (project_id, id, name, report_type) OVERRIDING SYSTEM VALUE
            VALUES (1, 700, 'First quarter', 'quarterly')
            """
        )
        yield connection


def link(connection, digits="one", until="1 day"):
    """A link to the report; gives its number."""
    return connection.execute(
        """
        INSERT INTO report_links (project_id, report_id, name, secret_hash, created_by, expires_at)
        VALUES (1, 700, 'Verifier', sha256(%s::bytea), 1, now() + %s::interval) RETURNING id
        """,
        (digits, until),
    ).fetchone()[0]


def change(connection, number, what):
    connection.execute(f"UPDATE report_links SET {what} WHERE id = %s", (number,))


def test_two_links_have_no_secret_in_common_and_none_is_over_when_it_is_made(connection):
    link(connection)
    with pytest.raises(UniqueViolation):
        link(connection)
    with pytest.raises(CheckViolation):
        link(connection, "two", "0 days")


def test_a_link_is_used_and_revoked_and_nothing_else(connection):
    number = link(connection)
    change(connection, number, "use_count = use_count + 1, last_used_at = now()")
    change(connection, number, "revoked_at = now(), revoked_by = 1")

    for what in (
        "expires_at = expires_at + interval '1 day'", "secret_hash = sha256('other')", "use_count = 0",
        "revoked_at = NULL, revoked_by = NULL", "name = 'Other'",
    ):  # fmt: skip
        with pytest.raises(CheckViolation):
            change(connection, number, what)


def test_a_draft_that_is_removed_takes_its_links_with_it(connection):
    link(connection)

    connection.execute("DELETE FROM reports WHERE id = 700")

    assert connection.execute("SELECT count(*) FROM report_links").fetchone() == (0,)
