"""Step 0033 on a database with data: nobody knows what earlier batches rest on; later ones say it in full."""

import psycopg
import pytest
from psycopg.errors import CheckViolation
from tests import databases

from weighbridge.db.schema.migrate import migrate

CALCULATION = """
    INSERT INTO batch_calculations (project_id, batch_id, position, slug, name, unit, value, is_output,
                                    is_primary)
      VALUES (1, 1, 1, 'mass', 'Mass', 't', 10.50, true, true)
"""
SET = "UPDATE batch_calculations SET contributions = {}"


@pytest.fixture(scope="module")
def database(postgres, old):
    """A database with a batch that was made before the step."""
    with databases.database(postgres, old) as url:
        migrate(url, "0027")
        with psycopg.connect(url) as given:
            given.execute(CALCULATION)
        migrate(url)
        yield url


@pytest.fixture
def sql(database):
    with psycopg.connect(database) as connection:
        yield connection.execute
        connection.rollback()


def test_nobody_knows_what_batches_that_were_there_rest_on(sql):
    assert sql("SELECT contributions FROM batch_calculations").fetchall() == [(None,)]


@pytest.mark.parametrize("numbers", ["'{1, 2}'", "'{1, 2, 3, 4, NULL}'", "'{}'"])
def test_what_a_batch_rests_on_is_told_source_by_source(sql, numbers):
    sql(SET.format("'{1, 0, 0, 0, 2.5}'"))
    with pytest.raises(CheckViolation):
        sql(SET.format(numbers))


def test_an_event_without_corrections_has_none_that_are_in_force(sql):
    sources = sql("SELECT correction_sources_of(project_id, id, '{1, 2}', NULL) FROM events").fetchall()

    assert {tuple(one) for (one,) in sources} == {(None, None)}
