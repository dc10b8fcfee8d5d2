"""What the tables of the inputs of batches refuse, whatever the code above them does."""

import psycopg
import pytest
from psycopg.errors import CheckViolation, ForeignKeyViolation, RestrictViolation, UniqueViolation
from tests import databases

CALCULATION = """
    INSERT INTO batch_calculations (project_id, batch_id, position, slug, name, unit, value, is_output,
                                    is_primary)
      VALUES (1, 1, 1, 'mass', 'Mass', 't', 10.50, true, true)
"""
GIVEN = """
    INSERT INTO static_inputs (project_id, slug, value, effective_from) VALUES (1, 'ph', 7, '2025-01-01Z');
    INSERT INTO batch_static_inputs (project_id, batch_id, node, static_input_id) VALUES (1, 1, 'acid', 1);
    INSERT INTO batch_skipped_inputs (project_id, batch_id, node, data_point_type_id)
      VALUES (1, 1, 'mass', 1);
"""


def calculation(**columns):
    named = {
        "project_id": 1, "batch_id": 1, "position": 2, "slug": "'wet'", "name": "'Wet'", "unit": "'t'",
        "is_output": "false", "is_primary": "false",
    } | columns  # fmt: skip
    return (
        f"INSERT INTO batch_calculations ({', '.join(named)}) VALUES ({', '.join(map(str, named.values()))})"
    )


ARRAY = {"element_count": 2, "elements": "'{1, 2.50}'", "elements_sha256": "sha256('')"}


@pytest.fixture(scope="module")
def database(postgres, stored):
    """A database with a batch, whose tests all undo what they do."""
    with databases.database(postgres, stored) as url:
        with psycopg.connect(url) as given:
            given.execute(CALCULATION)
            given.execute(GIVEN)
        yield url


@pytest.fixture
def sql(database):
    """Runs statements whose effects are undone when the test ends."""
    with psycopg.connect(database) as connection:
        yield connection.execute
        connection.rollback()


def test_the_value_of_a_node_is_there_to_the_last_digit(sql):
    rows = sql("SELECT slug, value::text, element_count FROM batch_calculations").fetchall()

    assert rows == [("mass", "10.50", None)]


def test_an_array_is_kept_with_its_elements_or_only_their_number_and_digest(sql):
    sql(calculation(**ARRAY))
    sql(calculation(position=3, element_count=5_000, elements_sha256="sha256('')"))


@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"value": 1} | ARRAY,
        ARRAY | {"elements_sha256": "NULL"},
        ARRAY | {"element_count": 3},
        ARRAY | {"element_count": "NULL"},
        ARRAY | {"elements_sha256": "'short'"},
        ARRAY | {"is_output": "true"},
    ],
)
def test_a_calculation_is_a_number_or_an_array_that_says_what_it_is(sql, columns):
    with pytest.raises(CheckViolation):
        sql(calculation(**columns))


@pytest.mark.parametrize("table", ["batch_static_inputs", "batch_skipped_inputs"])
@pytest.mark.parametrize("statement", ["DELETE FROM {}", "UPDATE {} SET node = 'other'", "TRUNCATE {}"])
def test_what_a_batch_was_computed_from_is_only_added_to(sql, table, statement):
    with pytest.raises(RestrictViolation):
        sql(statement.format(table))


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("INSERT INTO batch_static_inputs VALUES (1, 1, 'acid', 1)", UniqueViolation),
        ("INSERT INTO batch_static_inputs VALUES (1, 1, 'acid', 2)", ForeignKeyViolation),
        ("INSERT INTO batch_static_inputs VALUES (1, 9, 'acid', 1)", ForeignKeyViolation),
        ("INSERT INTO batch_skipped_inputs VALUES (1, 1, 'mass', 1)", UniqueViolation),
        ("INSERT INTO batch_skipped_inputs VALUES (1, 1, 'wet', 9)", ForeignKeyViolation),
    ],
)
def test_a_row_names_a_batch_and_a_value_of_its_own_project_once(sql, statement, error):
    with pytest.raises(error):
        sql(statement)
