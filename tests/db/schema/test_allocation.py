"""What the tables of withdrawals, falls and deficits refuse, whatever the code above them does."""

from decimal import Decimal

import psycopg
import pytest
from psycopg.errors import (
    CheckViolation,
    ForeignKeyViolation,
    RestrictViolation,
    UniqueViolation,
)
from tests import databases

GIVEN = """
    INSERT INTO accounts (name) VALUES ('acme');
    INSERT INTO users (account_id, email, name) VALUES (1, 'ada@acme.test', 'ada');
    INSERT INTO projects (account_id, name) VALUES (1, 'First'), (1, 'Second');
    INSERT INTO event_types (project_id, slug, name) VALUES (1, 'delivery', 'Delivery');
    INSERT INTO data_point_types (project_id, event_type_id, position, slug, name, value_type)
      VALUES (1, 1, 1, 'mass', 'Mass', 'number');
    INSERT INTO model_families (account_id, project_id) VALUES (1, 1);
    INSERT INTO models (family_id, version, name, cadence, partition_type, document, sha256)
      VALUES (1, 1, 'Carbon', 'monthly', 'time', 'text', sha256(''));
    INSERT INTO async_tasks (account_id, project_id, type, args, user_id, request_id)
      VALUES (1, 1, 'batch_generation', '{}', 1, 'req_1');
    INSERT INTO ledgers (project_id, name, unit, system_ledger_type)
      VALUES (1, 'Stored', 't', NULL), (1, 'Power', 'kWh', 'renewable_energy_credits'),
             (2, 'Stored', 't', NULL);
    INSERT INTO runs (project_id, family_id, start_time, end_time)
      VALUES (1, 1, '2025-01-01Z', '2025-02-01Z'), (1, 1, '2025-02-01Z', '2025-03-01Z');
    INSERT INTO batches (project_id, ledger_id, run_id, model_id, model_sha256, tracking_id, start_time,
                         end_time, total, credited, share_scale, fingerprint, async_task_id)
      VALUES (1, 1, 1, 1, sha256(''), '2025-01', '2025-01-01Z', '2025-02-01Z', 10, 10, 6, sha256(''), 1),
             (1, 1, 2, 1, sha256(''), '2025-02', '2025-02-01Z', '2025-03-01Z', -1, 0, 6, sha256(''), 1);
    INSERT INTO batches (project_id, ledger_id, tracking_id, start_time, end_time, total, credited)
      VALUES (1, 2, 'Certificate 7', '2025-01-01Z', '2025-02-01Z', 5, 5);
    INSERT INTO ledger_entries (project_id, ledger_id, batch_id, kind, amount, effective_at, posted_by,
                                run_id)
      VALUES (1, 1, 1, 'credit', 10, '2025-02-01Z', 1, 1), (1, 1, 2, 'credit', 0, '2025-03-01Z', 2, 2),
             (1, 2, 3, 'credit', 5, '2025-02-01Z', 3, NULL);
    INSERT INTO deficit_entries (project_id, ledger_id, run_id, posted_by, amount, effective_at,
                                 async_task_id)
      VALUES (1, 1, 2, 2, 1, '2025-03-01Z', 1);
"""


def entry(kind, amount, **columns):
    """An entry on the first batch, posted by the second, which is of the second run."""
    named = {
        "project_id": 1, "ledger_id": 1, "batch_id": 1, "kind": f"'{kind}'", "amount": amount,
        "effective_at": "'2025-03-01Z'", "posted_by": 2, "run_id": 2,
    } | columns  # fmt: skip
    return _insert("ledger_entries", named)


def deficit(amount, **columns):
    """A deficit entry of the second run, posted by its batch."""
    named = {
        "project_id": 1, "ledger_id": 1, "run_id": 2, "posted_by": 2, "amount": amount,
        "effective_at": "'2025-03-01Z'", "async_task_id": 1,
    } | columns  # fmt: skip
    return _insert("deficit_entries", named)


def draw(**columns):
    """What the second batch drew from the first."""
    named = {
        "project_id": 1, "batch_id": 2, "node": "'power'", "place": 0, "source_batch_id": 1, "amount": 1,
    } | columns  # fmt: skip
    return _insert("batch_draws", named)


def slot_input(**columns):
    """What stays with January."""
    named = {
        "project_id": 1, "family_id": 1, "start_time": "'2025-01-01Z'", "end_time": "'2025-02-01Z'",
        "data_point_type_id": 1,
    } | columns  # fmt: skip
    return _insert("slot_inputs", named)


def _insert(table, named):
    values = ", ".join(str(value) for value in named.values())
    return f"INSERT INTO {table} ({', '.join(named)}) VALUES ({values})"


@pytest.fixture(scope="module")
def database(postgres, newest):
    """A database with two runs, an instrument and an open deficit, whose tests all undo what they do."""
    with databases.database(postgres, newest) as url:
        with psycopg.connect(url) as given:
            given.execute(GIVEN)
        yield url


@pytest.fixture
def connection(database):
    with psycopg.connect(database) as connection:
        yield connection
        connection.rollback()


REFUSED = {
    "a rise that takes": (entry("rise", -1), CheckViolation),
    "a draw that gives": (entry("draw", 1, node="'power'"), CheckViolation),
    "a return that takes": (entry("return", -1, node="'power'"), CheckViolation),
    "a draw of no node": (entry("draw", -1), CheckViolation),
    "a fall of a node": (entry("fall", -1, node="'power'"), CheckViolation),
    "a draw of more than a batch holds": (entry("draw", "-10.000001", node="'power'"), CheckViolation),
    "an entry that counts before its batch was made": (
        entry("fall", -1, effective_at="'2025-01-31Z'"), CheckViolation,
    ),
    "an entry on another ledger than its batch": (entry("rise", 1, ledger_id=2), CheckViolation),
    "an entry that nobody posted": (entry("fall", -1, posted_by="NULL"), CheckViolation),
    "an entry of a run that is not there": (entry("fall", -1, run_id=9), ForeignKeyViolation),
    "an entry that undoes what is not there": (entry("credit", -1, reverses=99), ForeignKeyViolation),
    "an entry undone twice": (
        f"{entry('credit', -1, reverses=1)}; {entry('credit', -1, reverses=1)}", UniqueViolation,
    ),
    "a deficit of nothing": (deficit(0), CheckViolation),
    "a deficit that is not a number": (deficit("'NaN'"), CheckViolation),
    "a deficit settled twice": (deficit("-1.000001"), CheckViolation),
    "a changed deficit entry": ("UPDATE deficit_entries SET amount = 2", RestrictViolation),
    "a deleted deficit entry": ("DELETE FROM deficit_entries", RestrictViolation),
    "truncated deficit entries": ("TRUNCATE deficit_entries", RestrictViolation),
    "a deficit of another project's ledger": (deficit(1, ledger_id=3), ForeignKeyViolation),
    "a deleted batch that holds something": (
        "UPDATE batches SET deleted_at = now() WHERE id = 1", CheckViolation,
    ),
    "a batch of a run without a model": ("UPDATE batches SET model_id = NULL WHERE id = 1", CheckViolation),
    "a draw of nothing": (draw(amount=0), CheckViolation),
    "a draw from a batch that is not there": (draw(source_batch_id=99), ForeignKeyViolation),
    "two batches of one run in a generation": (
        """
        INSERT INTO batches (project_id, ledger_id, run_id, adjusts, model_id, model_sha256, tracking_id,
                             start_time, end_time, total, credited, share_scale, fingerprint, async_task_id)
        SELECT project_id, ledger_id, run_id, id, model_id, model_sha256, tracking_id, start_time, end_time,
               total, credited, share_scale, fingerprint, async_task_id FROM batches WHERE id = 1
        """,
        UniqueViolation,
    ),
    "two draws in one place": (f"{draw()}; {draw()}", UniqueViolation),
    "a slot input that says nothing": (slot_input(), CheckViolation),
    "two inputs of a slot and type": (
        slot_input(is_skipped=True) + "; " + slot_input(event_ids="'{1}'"), UniqueViolation,
    ),
    "a run that ends before it begins": (
        "UPDATE runs SET end_time = '2024-12-31Z' WHERE id = 1", CheckViolation,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_the_database_refuses(connection, name):
    statement, error = REFUSED[name]

    with pytest.raises(error):
        connection.execute(statement)


def test_an_entry_that_undoes_another_takes_what_it_gave(connection):
    connection.execute(entry("credit", -10, posted_by=1, run_id=1, reverses=1))
    connection.execute("UPDATE batches SET deleted_at = now() WHERE id = 1")

    assert connection.execute("SELECT balance FROM batches WHERE id = 1").fetchone() == (0,)


def test_an_open_deficit_is_the_sum_of_its_entries(connection):
    connection.execute(deficit("-0.400001"))
    connection.execute(deficit("2"))

    assert connection.execute("SELECT run_id, amount FROM deficits").fetchall() == [(2, Decimal("2.599999"))]


def test_a_deleted_batch_leaves_its_place_to_a_new_first_batch_of_the_run(connection):
    connection.execute(entry("credit", -10, posted_by=1, run_id=1, reverses=1))
    connection.execute("UPDATE batches SET deleted_at = now() WHERE id = 1")

    connection.execute("""
        INSERT INTO batches (project_id, ledger_id, run_id, model_id, model_sha256, tracking_id, start_time,
                             end_time, total, credited, share_scale, fingerprint, async_task_id)
        SELECT project_id, ledger_id, run_id, model_id, model_sha256, tracking_id, start_time, end_time,
               total, credited, share_scale, fingerprint, async_task_id FROM batches WHERE id = 1
    """)

    assert connection.execute("SELECT count(*) FROM batches WHERE run_id = 1").fetchone() == (2,)


def test_an_instrument_is_a_batch_without_a_run(connection):
    assert connection.execute("SELECT id, balance FROM batches WHERE run_id IS NULL").fetchall() == [(3, 5)]
