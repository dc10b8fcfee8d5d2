"""What the table of evidence refuses, whatever the code above it does."""

import psycopg
import pytest
from tests import databases

from weighbridge.core.collection.evidence import FILE_TYPES

KEY = "0123456789abcdef0123456789abcdef"

POPULATE = """
    INSERT INTO accounts (name) VALUES ('Plant');
    INSERT INTO users (account_id, email, name) VALUES (1, 'a@example.org', 'A');
    INSERT INTO projects (account_id, name) VALUES (1, 'Plant'), (1, 'Other plant');
    INSERT INTO event_types (project_id, slug, name) VALUES (1, 'delivery', 'Delivery');
    INSERT INTO events (project_id, id, event_type_id, start_time, end_time, is_complete)
        SELECT 1, n, 1, '2025-01-01Z', '2025-01-01Z', true FROM generate_series(1, 3) n;
"""
LINK = """
    INSERT INTO evidence (project_id, event_id, type, name, url, created_by)
    VALUES (%(project)s, %(event)s, %(type)s, %(name)s, %(url)s, %(user)s)
"""
A_LINK = {
    "project": 1,
    "event": 1,
    "type": "url",
    "name": "Report",
    "url": "https://example.org/report?x=%20",
    "user": 1,
}
FILE = """
    INSERT INTO evidence
           (project_id, event_id, type, name, url, storage_key, size, content_type, sha256, created_by)
    VALUES (1, 1, %(type)s, 'a.pdf', %(url)s, %(key)s, %(size)s, %(content_type)s, %(sha256)s, 1)
"""
A_FILE = {
    "type": "file",
    "url": None,
    "key": KEY,
    "size": 26_214_400,
    "content_type": "application/pdf",
    "sha256": bytes(32),
}


@pytest.fixture(scope="module")
def populated(postgres, newest):
    """The URL of a database to copy that has events."""
    with databases.database(postgres, newest) as url:
        with psycopg.connect(url) as given:
            given.execute(POPULATE)
        yield url


@pytest.fixture
def database(postgres, populated):
    """A connection to a copy."""
    with databases.database(postgres, populated) as url, psycopg.connect(url, autocommit=True) as connection:
        yield connection


def test_an_event_takes_evidence_of_both_kinds(database):
    database.execute(LINK, A_LINK)
    database.execute(FILE, A_FILE)

    assert database.execute("SELECT count(*) FROM events").fetchall() == [(3,)]
    assert database.execute("SELECT event_id, type FROM evidence ORDER BY id").fetchall() == [
        (1, "url"),
        (1, "file"),
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"type": "file"},
        {"type": "page"},
        {"name": ""},
        {"name": "x" * 256},
        {"name": "a\nb"},
        {"name": "a\x7fb"},
        {"name": "a\u0085b"},
        {"name": "a\u2028b"},
        {"name": None},
        {"url": None},
        {"url": "ftp://example.org"},
        {"url": "javascript:alert(1)"},
        {"url": "https://"},
        {"url": "https:///x"},
        {"url": "http://u:p@example.org/"},
        {"url": "https://example.org/a b"},
        {"url": "https://example.org/\n"},
        {"url": "https://example.org\\@x/"},
        {"url": "https://example.org/" + "x" * 1_981},
    ],
)
def test_the_table_refuses_a_link_that_breaks_a_rule(database, change):
    with pytest.raises(psycopg.IntegrityError):
        database.execute(LINK, A_LINK | change)


@pytest.mark.parametrize("change", [{"project": 2}, {"event": 4}, {"user": 2}])
def test_the_table_refuses_what_refers_to_nothing_or_to_another_project(database, change):
    with pytest.raises(psycopg.errors.ForeignKeyViolation):
        database.execute(LINK, A_LINK | change)


@pytest.mark.parametrize(
    "change",
    [
        {"type": "url"},
        {"url": "https://example.org"},
        {"key": None},
        {"key": "../../etc/passwd"},
        {"key": KEY + "0"},
        {"key": KEY.upper()},
        {"size": None},
        {"size": 0},
        {"size": 26_214_401},
        {"content_type": None},
        {"content_type": "text/html"},
        {"content_type": "image/svg+xml"},
        {"sha256": None},
        {"sha256": bytes(31)},
    ],
)
def test_the_table_refuses_a_file_that_breaks_a_rule(database, change):
    with pytest.raises(psycopg.IntegrityError):
        database.execute(FILE, A_FILE | change)


def test_two_rows_never_share_a_file(database):
    database.execute(FILE, A_FILE)

    with pytest.raises(psycopg.errors.UniqueViolation):
        database.execute(FILE, A_FILE)


@pytest.mark.parametrize(
    "statement",
    ["UPDATE evidence SET name = 'b'", "DELETE FROM evidence", "TRUNCATE evidence"],
    ids=["UPDATE", "DELETE", "TRUNCATE"],
)
def test_evidence_is_never_changed_or_removed(database, statement):
    database.execute(LINK, A_LINK)

    with pytest.raises(psycopg.errors.RestrictViolation, match="never changed or removed"):
        database.execute(statement)


def test_every_type_that_is_kept_fits_the_table(database):
    for number, one in enumerate(FILE_TYPES):
        database.execute(FILE, A_FILE | {"content_type": one.media_type, "key": f"{number:032x}"})
