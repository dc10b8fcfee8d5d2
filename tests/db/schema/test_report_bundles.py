"""The bundle of a report that was sent off stays as it is."""

import psycopg
import pytest
from psycopg.errors import RestrictViolation

GIVEN = """
    INSERT INTO reports (project_id, name, report_type) VALUES (1, 'Report', 'annual');
    INSERT INTO report_bundles (project_id, report_id, is_final, is_redacted, storage_key, size_bytes, sha256,
                                batch_count)
      SELECT 1, id, {final}, false, repeat('0', 32), 7, sha256('bundle'), 1 FROM reports;
"""


@pytest.fixture
def connection(stored_database):
    with psycopg.connect(stored_database, autocommit=True) as connection:
        yield connection


def test_the_bundle_of_a_draft_gives_way_and_goes_with_it(connection):
    connection.execute(GIVEN.format(final="false"))

    connection.execute("UPDATE report_bundles SET size_bytes = 8")
    connection.execute("DELETE FROM reports")

    assert connection.execute("SELECT count(*) FROM report_bundles").fetchone() == (0,)


@pytest.mark.parametrize(
    "statement", ["UPDATE report_bundles SET size_bytes = 8", "DELETE FROM report_bundles"]
)
def test_the_bundle_of_a_report_that_was_sent_off_stays(connection, statement):
    connection.execute(GIVEN.format(final="true"))

    with pytest.raises(RestrictViolation):
        connection.execute(statement)
