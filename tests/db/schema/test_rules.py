"""What the tables of rules refuse, whatever the code above them does."""

import psycopg
import pytest
from psycopg.errors import (
    CheckViolation,
    ForeignKeyViolation,
    NotNullViolation,
    RestrictViolation,
    UniqueViolation,
)
from tests import databases

from weighbridge.core.platform.settings import Feature
from weighbridge.core.rule import MemberScope, RuleTarget
from weighbridge.core.rule.definition import Purpose
from weighbridge.core.rule.states import ApprovalState, ResultStatus, RunKind, RunState
from weighbridge.quality.records.rules import EVALUATIONS

GIVEN = """
    INSERT INTO accounts (name) VALUES ('acme');
    INSERT INTO users (account_id, email, name) VALUES (1, 'ada@acme.test', 'ada');
    INSERT INTO projects (account_id, name) VALUES (1, 'First'), (1, 'Second');
    INSERT INTO event_types (project_id, slug, name)
      VALUES (1, 'delivery', 'Delivery'), (2, 'delivery', 'Delivery');
    INSERT INTO events (project_id, id, event_type_id, start_time, end_time, is_complete)
      VALUES (1, 1, 1, '2025-01-01Z', '2025-01-01Z', true), (2, 2, 2, '2025-01-01Z', '2025-01-01Z', true);
    INSERT INTO model_families (account_id, project_id) VALUES (1, 1);
    INSERT INTO models (family_id, version, name, cadence, partition_type, document, sha256)
      VALUES (1, 1, 'Carbon', 'monthly', 'time', 'cadence: monthly', sha256('cadence: monthly'));
    INSERT INTO model_runs (project_id, model_id, start_time, end_time, state)
      VALUES (1, 1, '2025-01-01Z', '2025-02-01Z', 'complete');
    INSERT INTO rules (project_id, name, evaluation, effective_from, latest_version)
      VALUES (1, 'Mass', 'automatic', '2025-01-01Z', 1), (2, 'Mass', 'automatic', '2025-01-01Z', 1),
             (1, 'Batch', 'automatic', '2025-01-01Z', 1);
    INSERT INTO rule_versions (project_id, rule_id, version, target, expression, data_point, family_id,
                               window_member_scope, purpose, priority, requires_approval, user_id)
      VALUES (1, 1, 1, 'data_point', 'mass > 40', 'mass', NULL, 'event_type', 'alert', 100, false, 1),
             (2, 2, 1, 'data_point', 'mass > 40', 'mass', NULL, 'event_type', 'alert', 100, false, 1),
             (1, 3, 1, 'model_run', 'mass > 40', NULL, 1, 'event_type', 'alert', 100, false, 1);
    INSERT INTO data_point_results (project_id, rule_id, rule_version, event_id, position, status,
                                    evaluated_at, closed_at)
      VALUES (1, 1, 1, 1, 1, 'fail', now(), NULL), (1, 1, 1, 1, 1, 'pass', now(), now());
    INSERT INTO model_run_results (project_id, rule_id, rule_version, model_run_id, status, evaluated_at)
      VALUES (1, 3, 1, 1, 'fail', now());
    INSERT INTO async_tasks (account_id, project_id, type, args, user_id, request_id)
      VALUES (1, 1, 'rule_run', '{}', 1, 'req_1');
    INSERT INTO rule_runs (project_id, rule_id, rule_version, kind, async_task_id)
      VALUES (1, 1, 1, 'backfill', 1);
"""

VERSION = {
    "project_id": "1", "rule_id": "1", "version": "2", "target": "'data_point'", "expression": "'mass > 40'",
    "data_point": "'mass'", "window_member_scope": "'event_type'", "purpose": "'alert'", "priority": "1",
    "requires_approval": "false", "user_id": "1",
}  # fmt: skip
RESULT = {
    "project_id": "1", "rule_id": "1", "rule_version": "1", "event_id": "1", "position": "2",
    "status": "'fail'", "evaluated_at": "now()",
}  # fmt: skip
RUN_RESULT = {
    "project_id": "1", "rule_id": "3", "rule_version": "1", "model_run_id": "1", "status": "'pass'",
    "evaluated_at": "now()", "closed_at": "now()",
}  # fmt: skip
RUN = {"project_id": "1", "rule_id": "1", "rule_version": "1", "kind": "'automatic'"}
CORRECTION = {"purpose": "'adjust'", "correction": '\'{"method": "expression"}\''}
DISMISS = """
    UPDATE data_point_results
       SET status = 'dismissed', dismissed_at = now(), dismissed_by = 1, dismissal_reason = 'x'
"""
MARK = {"project_id": "1", "event_type_id": "1", "start_time": "now()", "end_time": "now()"}


def insert(table, row, **changes):
    row = {name: value for name, value in (row | changes).items() if value is not None}
    return f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join(row.values())})"


def version(**changes):
    return insert("rule_versions", VERSION, **changes)


def result(**changes):
    return insert("data_point_results", RESULT, **changes)


def run_result(**changes):
    return insert("model_run_results", RUN_RESULT, **changes)


def run(**changes):
    return insert("rule_runs", RUN, **changes)


@pytest.fixture(scope="module")
def database(postgres, newest):
    """A database with some rows of each kind, whose tests all undo what they do."""
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
    "a flag of no feature": ("INSERT INTO feature_flags VALUES (1, 'time_travel', false)", CheckViolation),
    "a second rule of a name": ("UPDATE rules SET name = 'Mass' WHERE id = 3", UniqueViolation),
    "a rule without a version": (
        "UPDATE rules SET latest_version = 2; SET CONSTRAINTS ALL IMMEDIATE", ForeignKeyViolation,
    ),
    "a rule that ends before it begins": ("UPDATE rules SET effective_to = '2024-01-01Z'", CheckViolation),
    "a changed version": ("UPDATE rule_versions SET expression = 'true'", RestrictViolation),
    "a deleted version": ("DELETE FROM rule_versions", RestrictViolation),
    "a second version of a number": (version(version="1"), UniqueViolation),
    "a version of another project's rule": (version(rule_id="2"), ForeignKeyViolation),
    "a version of another project's event type": (version(event_type_id="2"), ForeignKeyViolation),
    "a data point rule about nothing": (version(data_point=None), CheckViolation),
    "a data point rule of a model": (version(family_id="1"), CheckViolation),
    "a model run rule about a data point": (version(target="'model_run'", family_id="1"), CheckViolation),
    "a model run rule that corrects": (
        version(target="'model_run'", family_id="1", data_point=None, **CORRECTION), CheckViolation,
    ),
    "a correction that says nothing": (version(purpose="'adjust'"), CheckViolation),
    "an alert that corrects": (version(correction="'{}'"), CheckViolation),
    "an alert that is approved": (version(requires_approval="true"), CheckViolation),
    "a version that nobody saved": (version(user_id=None), NotNullViolation),
    "a window that is a list": (version(rule_window="'[]'"), CheckViolation),
    "a priority of zero": (version(priority="0"), CheckViolation),
    "a second open result of a record": (result(position="1"), UniqueViolation),
    "a second open result after a dismissal": (
        f"{DISMISS} WHERE closed_at IS NULL; {result(position='1')}", UniqueViolation,
    ),
    "a result of another project's event": (result(event_id="2"), ForeignKeyViolation),
    "a result of another project's rule": (result(rule_id="2"), ForeignKeyViolation),
    "a result of a version that is none": (result(rule_version="9"), ForeignKeyViolation),
    "a pass that is open": (result(status="'pass'"), CheckViolation),
    "a failure that is closed": (result(closed_at="now()"), CheckViolation),
    "an error without a reason": (result(status="'error'"), CheckViolation),
    "a failure with an error": (result(error_message="'x'"), CheckViolation),
    "a dismissal without a reason": (
        result(status="'dismissed'", dismissed_at="now()", dismissed_by="1"), CheckViolation,
    ),
    "a dismissal by nobody": (
        result(status="'dismissed'", dismissed_at="now()", dismissal_reason="'x'"), CheckViolation,
    ),
    "a blank dismissal reason": (
        result(status="'dismissed'", dismissed_at="now()", dismissed_by="1", dismissal_reason="''"),
        CheckViolation,
    ),
    "a failure that was dismissed": (result(dismissed_at="now()"), CheckViolation),
    "an approval of nothing": (result(approval_state="'pending'"), CheckViolation),
    "a proposal of a record that errs": (
        result(
            status="'error'", error_message="'x'", approval_state="'pending'", proposed_correction="'{}'"
        ),
        CheckViolation,
    ),
    "a proposal that nobody waits for": (result(proposed_correction="'{}'"), CheckViolation),
    "a rejection without a reason": (
        result(approval_state="'rejected'", proposed_correction="'{}'", rejected_at="now()",
               rejected_by="1"), CheckViolation,
    ),
    "an approval by nobody": (
        result(approval_state="'approved'", proposed_correction="'{}'", approved_at="now()"), CheckViolation,
    ),
    "reopening a result": (
        "UPDATE data_point_results SET status = 'fail', closed_at = NULL WHERE status = 'pass'",
        RestrictViolation,
    ),
    "dismissing a passing result": (
        f"{DISMISS} WHERE status = 'pass'", RestrictViolation,
    ),
    "removing a result": ("DELETE FROM data_point_results", RestrictViolation),
    "removing a result of a model run": ("DELETE FROM model_run_results", RestrictViolation),
    "a result of a model run and a batch": (run_result(batch_id="1"), CheckViolation),
    "a result of no run": (run_result(model_run_id=None), CheckViolation),
    "a result of a run that is none": (run_result(model_run_id="9"), ForeignKeyViolation),
    "a second open result of a run": (
        run_result(status="'fail'", closed_at=None), UniqueViolation,
    ),
    "a run that ends before it begins": (
        run(start_time="'2025-02-01Z'", end_time="'2025-01-01Z'"), CheckViolation,
    ),
    "a run that is complete and never began": (
        run(state="'complete'", finished_at="now()"), CheckViolation,
    ),
    "a run that is complete and has no end": (run(state="'complete'", started_at="now()"), CheckViolation),
    "a run that failed for no reason": (
        run(state="'failed'", started_at="now()", finished_at="now()"), CheckViolation,
    ),
    "a second run of a task": (run(async_task_id="1"), UniqueViolation),
    "a correction of a rule that is none": (
        insert("corrections", {
            "project_id": "1", "event_id": "1", "position": "1", "source": "'substitution'",
            "from_value": "'1'", "to_value": "'2'", "user_id": "1", "rule_id": "9", "rule_version": "1",
        }), ForeignKeyViolation,
    ),
    "a mark of nothing": ("INSERT INTO rule_dirty_ranges (project_id) VALUES (1)", CheckViolation),
    "a mark of two kinds": (insert("rule_dirty_ranges", MARK, model_run_id="1"), CheckViolation),
    "a mark without an end": (insert("rule_dirty_ranges", MARK, end_time=None), CheckViolation),
    "a mark of another project's event type": (
        insert("rule_dirty_ranges", MARK, event_type_id="2"), ForeignKeyViolation,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_the_database_refuses(connection, name):
    statement, error = REFUSED[name]

    with pytest.raises(error):
        connection.execute(statement)


TAKEN = {
    "a version": version(),
    "a correcting version": version(**CORRECTION, requires_approval="true"),
    "a result": result(),
    "a dismissed result": result(
        status="'dismissed'", dismissed_at="now()", dismissed_by="1", dismissal_reason="'x'"
    ),
    "a result of a run that passed": run_result(),
    "a run": run(),
    "a mark": insert("rule_dirty_ranges", MARK),
    "a mark of a model run": "INSERT INTO rule_dirty_ranges (project_id, model_run_id) VALUES (1, 1)",
    "a name that a removed rule had": (
        "UPDATE rules SET deleted_at = now() WHERE id = 1; UPDATE rules SET name = 'Mass' WHERE id = 3"
    ),
}


@pytest.mark.parametrize("name", TAKEN)
def test_the_database_takes(connection, name):
    connection.execute(TAKEN[name])


def test_results_of_both_kinds_have_keys_of_one_sequence(connection):
    connection.execute(result())
    connection.execute(run_result())

    keys = connection.execute(
        "SELECT id FROM data_point_results UNION ALL SELECT id FROM model_run_results"
    ).fetchall()

    assert len(keys) == len(set(keys)) == 5


def test_a_run_moves_with_its_task_and_with_no_other(connection):
    connection.execute(run())
    connection.execute("UPDATE async_tasks SET state = 'running', started_at = now() WHERE id = 1")

    assert connection.execute("SELECT state FROM rule_runs ORDER BY id").fetchall() == [
        ("running",), ("pending",),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("table", "column", "allowed"),
    [
        ("feature_flags", "name", Feature),
        ("rules", "evaluation", EVALUATIONS),
        ("rule_versions", "target", RuleTarget),
        ("rule_versions", "window_member_scope", MemberScope),
        ("rule_versions", "purpose", Purpose),
        ("rule_runs", "kind", RunKind),
        ("rule_runs", "state", RunState),
        ("data_point_results", "status", ResultStatus),
        ("data_point_results", "approval_state", ApprovalState),
        ("model_run_results", "status", ResultStatus),
    ],
)
def test_the_database_allows_the_words_that_the_code_has(connection, table, column, allowed):
    [(definition,)] = connection.execute(
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = %s::regclass AND conname = %s",
        (table, f"{table}_{column}_check"),
    ).fetchall()

    assert set(definition.split("'")[1::2]) == set(allowed)
