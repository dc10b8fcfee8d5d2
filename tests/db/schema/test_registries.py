"""What the tables of registries and submissions refuse, whatever the code above them does."""

import psycopg
import pytest
from psycopg.errors import CheckViolation, RestrictViolation
from tests import databases
from tests.db.schema.test_reports import ENTRY, GIVEN, REPORT, SUBMIT

KEPT = """
    INSERT INTO report_submissions (project_id, report_id, adapter, media_type, content, sha256)
      VALUES (1, 1, 'file', 'application/json', '{}', sha256('{}'))
"""
STEP = "INSERT INTO report_deliveries (project_id, report_id, step) VALUES (1, 1, 'sending')"


@pytest.fixture(scope="module")
def database(postgres, stored):
    """A database with a report whose content is kept in its row."""
    with databases.database(postgres, stored) as url:
        with psycopg.connect(url) as given:
            given.execute(GIVEN)
            given.execute(REPORT)
            given.execute(SUBMIT.format(report=1))
            given.execute(ENTRY.format(kind="reserve", amount=-3, report=1))
            given.execute(KEPT)
        yield url


@pytest.fixture
def sql(database):
    with psycopg.connect(database) as connection:
        yield connection.execute
        connection.rollback()


def test_what_is_kept_in_its_row_has_a_key_of_its_own(sql):
    [kept] = sql(
        "SELECT content, storage_key, registry_id, extension, key IS NOT NULL FROM report_submissions"
    ).fetchall()

    assert kept == (b"{}", None, None, "json", True)


def test_what_is_kept_is_in_its_row_or_in_the_store(sql):
    with pytest.raises(CheckViolation):
        sql(KEPT.replace("content, sha256", "sha256").replace("'{}', sha256('{}')", "sha256('')"))


def test_steps_are_only_added(sql):
    sql(STEP)

    with pytest.raises(RestrictViolation):
        sql("UPDATE report_deliveries SET step = 'received'")


@pytest.mark.parametrize(
    "wrong",
    [
        "'http', NULL, NULL, 30, 8, NULL",
        "'http', 'https://a', 'https://a', 30, 8, NULL",
        "'file', 'https://a', NULL, 30, 8, NULL",
        "'file', NULL, NULL, 30, 8, 5",
        "'file', NULL, NULL, 0, 8, NULL",
    ],
)
def test_a_registry_is_called_at_addresses_or_not_at_all(sql, wrong):
    columns = "adapter, address, status_address, timeout_seconds, tries, poll_seconds, account_id, name"
    with pytest.raises(CheckViolation):
        sql(f"INSERT INTO registries ({columns}) VALUES ({wrong}, 1, 'Registry')")
