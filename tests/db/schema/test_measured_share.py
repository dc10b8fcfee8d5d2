"""A batch says in full how much each source contributes, or nothing."""

import psycopg
import pytest
from psycopg.errors import CheckViolation
from tests import databases

CALCULATION = """
    INSERT INTO batch_calculations (project_id, batch_id, position, slug, name, unit, value, is_output,
                                    is_primary)
      VALUES (1, 1, 1, 'mass', 'Mass', 't', 10.50, true, true)
"""
SET = "UPDATE batch_calculations SET contributions = {}"


@pytest.fixture(scope="module")
def database(postgres, stored):
    """A database with a batch whose contributions are unknown."""
    with databases.database(postgres, stored) as url:
        with psycopg.connect(url) as given:
            given.execute(CALCULATION)
        yield url


@pytest.fixture
def sql(database):
    with psycopg.connect(database) as connection:
        yield connection.execute
        connection.rollback()


def test_contributions_may_be_unknown(sql):
    assert sql("SELECT contributions FROM batch_calculations").fetchall() == [(None,)]


@pytest.mark.parametrize("numbers", ["'{1, 2}'", "'{1, 2, 3, 4, NULL}'", "'{}'"])
def test_what_a_batch_rests_on_is_told_source_by_source(sql, numbers):
    sql(SET.format("'{1, 0, 0, 0, 2.5}'"))
    with pytest.raises(CheckViolation):
        sql(SET.format(numbers))


def test_an_event_without_corrections_has_none_that_are_in_force(sql):
    sources = sql("SELECT correction_sources_of(project_id, id, '{1, 2}', NULL) FROM events").fetchall()

    assert {tuple(one) for (one,) in sources} == {(None, None)}
