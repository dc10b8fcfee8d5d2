"""What the database itself refuses, whatever the code above it does. Design, section 1: no balance is ever
negative, and the database itself refuses it; section 2: a row cannot refer to another project's row.
"""

from decimal import Decimal

import psycopg
import pytest
from psycopg.errors import (
    CheckViolation,
    ForeignKeyViolation,
    LockNotAvailable,
    RestrictViolation,
    UniqueViolation,
)
from tests import databases

BATCH = """
    INSERT INTO batches (project_id, ledger_id, run_id, model_id, model_sha256, tracking_id, start_time,
                         end_time, total, credited, share_scale, fingerprint, async_task_id)
    VALUES ({project}, {ledger}, {run}, 1, sha256(''), '2025-01', '2025-01-01Z',
            '2025-02-01Z', 10, {credited}, 6, sha256(''), 1)
"""

ENTRY = """
    INSERT INTO ledger_entries (project_id, ledger_id, batch_id, kind, amount, effective_at, posted_by,
                                run_id, async_task_id)
    VALUES ({project}, {ledger}, 1, '{kind}', {amount}, '2025-02-01Z', 1, 1, 1)
"""

EVENT = """
    INSERT INTO events (project_id, id, event_type_id, start_time, end_time, is_complete{columns})
    VALUES (1, 2, {event_type}, '2025-01-01Z', '{end}', true{values})
"""

GIVEN = f"""
    INSERT INTO accounts (name) VALUES ('acme'), ('other');
    INSERT INTO users (account_id, email, name)
      VALUES (1, 'ada@acme.test', 'ada'), (2, 'bob@other.test', 'bob');
    INSERT INTO projects (account_id, name) VALUES (1, 'First'), (1, 'Second');
    INSERT INTO event_types (project_id, slug, name)
      VALUES (1, 'delivery', 'Delivery'), (2, 'delivery', 'Delivery');
    INSERT INTO data_point_types (project_id, event_type_id, position, slug, name, value_type)
      VALUES (1, 1, 1, 'mass', 'Mass', 'number');
    INSERT INTO locations (project_id, name) VALUES (1, 'Yard'), (2, 'Elsewhere'), (1, 'Unused');
    INSERT INTO feedstocks (project_id, name) VALUES (1, 'Wood'), (2, 'Straw');
    INSERT INTO events (project_id, id, event_type_id, start_time, end_time, is_complete, location_ids,
                        numbers, client_reference)
      VALUES (1, 1, 1, '2025-01-01Z', '2025-01-01Z', true, '{{1}}', '{{5}}', 'erp-1');
    INSERT INTO model_families (account_id, project_id) VALUES (1, 1), (1, 1);
    INSERT INTO models (family_id, version, name, cadence, partition_type, document, sha256)
      VALUES (1, 1, 'Carbon', 'monthly', 'time', 'text', sha256('')),
             (2, 1, 'Energy', 'daily', 'time', '', sha256(''));
    INSERT INTO async_tasks (account_id, project_id, type, args, user_id, request_id)
      VALUES (1, 1, 'batch_generation', '{{}}', 1, 'req_1');
    INSERT INTO ledgers (project_id, name, unit) VALUES (1, 'Stored', 't'), (2, 'Stored', 't');
    INSERT INTO runs (project_id, family_id, start_time, end_time)
      VALUES (1, 1, '2025-01-01Z', '2025-02-01Z');
    {BATCH.format(project=1, ledger=1, run=1, credited=10)};
    {ENTRY.format(project=1, ledger=1, kind="credit", amount=10)};
    INSERT INTO audit_log (account_id, request_id, action, object)
      VALUES (1, 'req_1', 'project.create', 'prj_1');
"""


def entry(kind, amount, project=1, ledger=1):
    return ENTRY.format(kind=kind, amount=amount, project=project, ledger=ledger)


def event(event_type=1, end="2025-01-01Z", **columns):
    names, values = (
        "".join(f", {name}" for name in columns),
        "".join(f", {value}" for value in columns.values()),
    )
    return EVENT.format(event_type=event_type, end=end, columns=names, values=values)


@pytest.fixture(scope="module")
def database(postgres, newest):
    """A database with one row of each kind, whose tests all undo what they do."""
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
    "a balance below zero": (entry("fall", "-10.000001"), CheckViolation, "batches_balance_not_negative"),
    "a balance set below zero": ("UPDATE batches SET balance = -1", CheckViolation, "balance"),
    "a credit of a negative amount": (entry("credit", -1), CheckViolation, None),
    "a fall of a positive amount": (entry("fall", 1), CheckViolation, None),
    "an entry of an unknown kind": (entry("gift", 1), CheckViolation, None),
    "an entry that is not a number": (entry("credit", "'NaN'"), CheckViolation, None),
    "an infinite entry": (entry("credit", "'Infinity'"), CheckViolation, None),
    "a changed entry": ("UPDATE ledger_entries SET amount = 11", RestrictViolation, None),
    "a deleted entry": ("DELETE FROM ledger_entries", RestrictViolation, None),
    "truncated entries": ("TRUNCATE ledger_entries", RestrictViolation, None),
    "a changed audit row": ("UPDATE audit_log SET action = 'x'", RestrictViolation, None),
    "a deleted audit row": ("DELETE FROM audit_log", RestrictViolation, None),
    "a truncated audit": ("TRUNCATE audit_log CASCADE", RestrictViolation, None),
    "a deleted event": ("DELETE FROM events", RestrictViolation, None),
    "truncated events": ("TRUNCATE events CASCADE", RestrictViolation, None),
    "an entry of another project's ledger": (entry("credit", 1, ledger=2), ForeignKeyViolation, None),
    "an entry of another project's batch": (
        entry("credit", 1, project=2, ledger=2), ForeignKeyViolation, None,
    ),
    "a batch on another project's ledger": (
        BATCH.format(project=1, ledger=2, run=1, credited=1), ForeignKeyViolation, None,
    ),
    "a batch of another project's run": (
        BATCH.format(project=2, ledger=2, run=1, credited=1), ForeignKeyViolation, None,
    ),
    "a second first batch of a run": (
        BATCH.format(project=1, ledger=1, run=1, credited=1), UniqueViolation,
        "batches_one_first_per_run",
    ),
    "a negative credit of a batch": ("UPDATE batches SET credited = -1", CheckViolation, None),
    "an event of another project's type": (event(event_type=2), ForeignKeyViolation, None),
    "an event of another project's feedstock": (event(feedstock_id=2), ForeignKeyViolation, None),
    "an event at another project's location": (
        event(location_ids="'{2}'"), ForeignKeyViolation, "events_locations",
    ),
    "an event at a second location that is none": (
        event(location_ids="'{1,999}'"), ForeignKeyViolation, "events_locations",
    ),
    "an event moved to another project's location": (
        "UPDATE events SET location_ids = '{2}'", ForeignKeyViolation, "events_locations",
    ),
    "removing a location that an event names": (
        "DELETE FROM locations WHERE id = 1", ForeignKeyViolation, "events_locations",
    ),
    "an event that ends before it starts": (
        event(end="2024-12-31Z"), CheckViolation, "events_end_not_before_start",
    ),
    "a value that is not a number": (event(numbers="'{1,NaN}'"), CheckViolation, "events_numbers_are_finite"),
    "an infinite value": (event(numbers="'{Infinity}'"), CheckViolation, "events_numbers_are_finite"),
    "an infinitely negative value": (
        event(numbers="'{-Infinity}'"), CheckViolation, "events_numbers_are_finite",
    ),
    "a second event of a client reference": (
        event(client_reference="'erp-1'"), UniqueViolation, "events_client_reference",
    ),
    "an event id below zero": ("UPDATE events SET id = -1", CheckViolation, None),
    "a position that is taken": (
        ("INSERT INTO data_point_types (project_id, event_type_id, position, slug, name, value_type)"
         " VALUES (1, 1, 1, 'other', 'Other', 'number')"),
        UniqueViolation, None,
    ),
    "a unit of a text": (
        "UPDATE data_point_types SET value_type = 'string', unit = 't'", CheckViolation, None,
    ),
    "a changed model": ("UPDATE models SET document = 'other'", RestrictViolation, None),
    "an active version of another model": (
        "SET CONSTRAINTS ALL IMMEDIATE; UPDATE model_families SET active_model_id = 2 WHERE id = 1",
        ForeignKeyViolation, None,
    ),
    "a token of another account's user": (
        ("INSERT INTO api_tokens (account_id, user_id, name, secret_hash, permissions)"
         " VALUES (1, 2, 'x', sha256('x'), '{data_rules:read}')"),
        ForeignKeyViolation, None,
    ),
    "a token that expires before it begins": (
        ("INSERT INTO api_tokens (account_id, user_id, name, secret_hash, permissions, expires_at)"
         " VALUES (1, 1, 'x', sha256('x'), '{data_rules:read}', now() - interval '1 day')"),
        CheckViolation, None,
    ),
    "a failed task that does not say why": (
        "UPDATE async_tasks SET state = 'failed', started_at = now(), finished_at = now()",
        CheckViolation, None,
    ),
    "a running task that never started": ("UPDATE async_tasks SET state = 'running'", CheckViolation, None),
    "a complete task that never finished": (
        "UPDATE async_tasks SET state = 'complete', started_at = now()", CheckViolation, None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_the_database_refuses(connection, name):
    statement, error, constraint = REFUSED[name]

    with pytest.raises(error) as refused:
        connection.execute(statement)

    assert constraint is None or constraint in refused.value.diag.constraint_name


def test_a_balance_may_fall_to_zero_and_is_the_sum_of_its_entries(connection):
    connection.execute(entry("fall", "-4.000001"))
    connection.execute(entry("fall", "-5.999999"))

    [(balance, total)] = connection.execute(
        """
        SELECT balance, (SELECT sum(amount) FROM ledger_entries WHERE batch_id = 1)
          FROM batches WHERE id = 1
        """
    ).fetchall()

    assert balance == total == 0


def test_entries_posted_together_count_together(connection):
    connection.execute(f"{entry('fall', -3)}, (1, 1, 1, 'credit', 2.5, '2025-02-01Z', 1, 1, 1)")

    assert connection.execute("SELECT balance FROM batches WHERE id = 1").fetchone() == (Decimal("9.5"),)


def test_a_location_that_no_event_names_may_go(connection):
    assert connection.execute("DELETE FROM locations WHERE id = 3").rowcount == 1


def test_a_location_cannot_go_while_an_event_that_names_it_is_being_stored(database):
    with psycopg.connect(database) as storing, psycopg.connect(database) as removing:
        storing.execute(event(location_ids="'{3}'"))
        removing.execute("SET lock_timeout = '100ms'")

        with pytest.raises(LockNotAvailable):
            removing.execute("DELETE FROM locations WHERE id = 3")

        storing.rollback()


def test_what_a_model_does_not_compute_may_change(connection):
    assert connection.execute("UPDATE models SET name = 'New', sort_order = 2 WHERE id = 1").rowcount == 1
