"""What the tables of model runs refuse, whatever the code above them does."""

import psycopg
import pytest
from psycopg.errors import CheckViolation, ForeignKeyViolation, RestrictViolation
from tests import databases

GIVEN = """
    INSERT INTO projects (account_id, name) VALUES (1, 'Other');
    INSERT INTO model_runs (project_id, model_id, start_time, end_time, state)
      VALUES (1, 1, '2025-01-01Z', '2025-02-01Z', 'complete');
    INSERT INTO model_run_inputs (project_id, model_run_id, event_id, positions) VALUES (1, 1, 4096, '{1}');
    INSERT INTO model_run_calculations
           (project_id, model_run_id, position, slug, name, unit, value, is_output)
      VALUES (1, 1, 1, 'mass', 'Mass', 't', 1.5, true);
"""
INPUT = """
    INSERT INTO model_run_inputs (project_id, model_run_id, event_id, positions)
    VALUES ({project}, 1, 4096, '{{1}}')
"""
RUN = """
    INSERT INTO model_runs (project_id, model_id, start_time, end_time, state, error_message)
    VALUES (1, {model}, '2025-01-01Z', '{end}', '{state}', {message})
"""
VALUE = """
    INSERT INTO model_run_calculations
           (project_id, model_run_id, position, slug, name, unit, value, elements, is_output)
    VALUES (1, {run}, 2, 'other', 'Other', 't', {value}, {elements}, true)
"""


def run(model=1, end="2025-02-01Z", state="complete", message="NULL"):
    return RUN.format(model=model, end=end, state=state, message=message)


def value(run=1, value="NULL", elements="NULL"):
    return VALUE.format(run=run, value=value, elements=elements)


@pytest.fixture(scope="module")
def evaluated(postgres, stored):
    """The URL of a database to copy that has a model run."""
    with databases.database(postgres, stored) as url:
        with psycopg.connect(url) as given:
            given.execute(GIVEN)
        yield url


@pytest.fixture
def database(postgres, evaluated):
    """A connection to a copy."""
    with databases.database(postgres, evaluated) as url, psycopg.connect(url, autocommit=True) as connection:
        yield connection


def test_values_of_runs_and_of_batches_never_have_the_same_id(database):
    database.execute(
        """
        INSERT INTO batch_calculations
               (project_id, batch_id, position, slug, name, unit, value, is_output, is_primary)
        SELECT 1, id, 1, 'mass', 'Mass', 't', 1, true, true FROM batches
        """
    )
    database.execute(value(value="2"))

    assert database.execute(
        "SELECT id FROM model_run_calculations UNION ALL SELECT id FROM batch_calculations ORDER BY id"
    ).fetchall() == [(1,), (2,), (3,)]


REFUSED = {
    "a run of a model that is not there": (run(model=9), ForeignKeyViolation),
    "a run that ends before it starts": (run(end="2025-01-01Z"), CheckViolation),
    "a run in an unknown state": (run(state="processing"), CheckViolation),
    "a failed run that does not say why": (run(state="failed"), CheckViolation),
    "a complete run with an error": (run(message="'x'"), CheckViolation),
    "a changed run": ("UPDATE model_runs SET state = 'failed', error_message = 'x'", RestrictViolation),
    "a run that was changed while it was deleted": (
        "UPDATE model_runs SET deleted_at = now(), end_time = '2026-01-01Z'", RestrictViolation,
    ),
    "a run that comes back": (
        "UPDATE model_runs SET deleted_at = now(); UPDATE model_runs SET deleted_at = NULL",
        RestrictViolation,
    ),
    "a removed run": ("DELETE FROM model_runs", RestrictViolation),
    "truncated runs": ("TRUNCATE model_runs CASCADE", RestrictViolation),
    "a value of no run": (value(run=9, value="1"), ForeignKeyViolation),
    "a value that is no number": (value(value="'NaN'"), CheckViolation),
    "an infinite value": (value(value="'-Infinity'"), CheckViolation),
    "an element that is no number": (value(elements="'{1,NaN}'"), CheckViolation),
    "an infinite element": (value(elements="'{1,-Infinity}'"), CheckViolation),
    "an element that is missing": (value(elements="'{1,NULL}'"), CheckViolation),
    "a number that is also an array": (value(value="1", elements="'{1}'"), CheckViolation),
    "a changed value": ("UPDATE model_run_calculations SET value = 2", RestrictViolation),
    "a removed value": ("DELETE FROM model_run_calculations", RestrictViolation),
    "a removed input": ("DELETE FROM model_run_inputs", RestrictViolation),
    "an input of another project": (
        INPUT.format(project=2),
        ForeignKeyViolation,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("statement", "refusal"), REFUSED.values(), ids=REFUSED)
def test_the_tables_refuse(database, statement, refusal):
    with pytest.raises(refusal):
        database.execute(statement)


@pytest.mark.parametrize("content", [{}, {"value": "-1.5"}, {"elements": "'{}'"}, {"elements": "'{1,2}'"}])
def test_a_node_has_a_number_an_array_or_nothing(database, content):
    database.execute(value(**content))


def test_a_run_is_deleted_and_keeps_its_values(database):
    database.execute("UPDATE model_runs SET deleted_at = now(), updated_at = now()")

    assert database.execute("SELECT count(*) FROM model_run_calculations").fetchall() == [(1,)]
