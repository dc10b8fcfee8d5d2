"""What was archived is only added to, and says which month it is of."""

import psycopg
import pytest
from psycopg.errors import CheckViolation, ForeignKeyViolation, RestrictViolation

ROW = """
    INSERT INTO archives (project_id, month, version, place, manifest_sha256, rows_sha256, row_count,
                          size_bytes, change_number, seen_until)
    SELECT {project}, '{month}', {version}, '/archive', sha256('a'), sha256('b'), 7, 900, 0, now()
"""
KNOWN = "(SELECT min(id) FROM projects)"


@pytest.fixture
def connection(stored_database):
    with psycopg.connect(stored_database, autocommit=True) as connection:
        connection.execute(ROW.format(project=KNOWN, month="2025-01-01", version=1))
        yield connection


@pytest.mark.parametrize(
    ("statement", "refusal"),
    [
        (ROW.format(project=0, month="2025-01-01", version=1), ForeignKeyViolation),
        (ROW.format(project=KNOWN, month="2025-01-02", version=1), CheckViolation),
        (ROW.format(project=KNOWN, month="2025-01-01", version=0), CheckViolation),
        ("UPDATE archives SET row_count = 8", RestrictViolation),
        ("DELETE FROM archives", RestrictViolation),
        ("TRUNCATE archives", RestrictViolation),
    ],
)
def test_what_was_archived_stays(connection, statement, refusal):
    with pytest.raises(refusal):
        connection.execute(statement)


def test_a_month_may_be_archived_again(connection):
    connection.execute(ROW.format(project=KNOWN, month="2025-01-01", version=2))

    assert connection.execute("SELECT array_agg(version ORDER BY id) FROM archives").fetchone() == ([1, 2],)
