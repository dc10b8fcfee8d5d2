"""What the table of results says of approvals, whatever the code above it does."""

import psycopg
import pytest
from psycopg.errors import CheckViolation, RestrictViolation
from tests import databases

from weighbridge.core.rule.states import ApprovalState

RULE = """
    INSERT INTO rules (project_id, name, evaluation, effective_from, latest_version)
    SELECT project_id, 'Scale', 'automatic', '2025-01-01Z', 1 FROM events ORDER BY id LIMIT 1;
    INSERT INTO rule_versions (project_id, rule_id, version, target, expression, data_point,
                               window_member_scope, purpose, correction, priority, requires_approval,
                               user_id)
    SELECT project_id, id, 1, 'data_point', 'mass > 40', 'mass', 'event', 'adjust', '{}', 1, true,
           (SELECT min(id) FROM users)
      FROM rules
"""
RESULT = """
    INSERT INTO data_point_results (project_id, rule_id, rule_version, event_id, position, status,
                                    evaluated_at, approval_state, proposed_correction, approved_at,
                                    approved_by)
    SELECT e.project_id, u.id, 1, e.id, 1, 'fail', now(), 'approved', '{"from_value": 50, "to_value": 51}',
           now(), (SELECT min(id) FROM users)
      FROM rules u JOIN events e USING (project_id) ORDER BY e.id LIMIT 1
"""
NOBODY = "approved_at = NULL, approved_by = NULL"
SOMEBODY = "approved_at = now(), approved_by = (SELECT min(id) FROM users)"


@pytest.fixture(scope="module")
def approved(postgres, stored):
    """The URL of a database to copy where one result is approved."""
    with databases.database(postgres, stored) as url:
        with psycopg.connect(url) as given:
            given.execute(RULE)
            given.execute(RESULT)
        yield url


@pytest.fixture
def database(postgres, approved):
    """A copy of it."""
    with databases.database(postgres, approved) as url:
        yield url


def test_an_approved_result_says_who_approved_it(database):
    with psycopg.connect(database) as connection:
        rows = connection.execute(
            "SELECT proposed_correction, num_nonnulls(approved_at, approved_by) FROM data_point_results"
            " WHERE approval_state = 'approved'"
        ).fetchall()

    assert rows == [({"from_value": 50, "to_value": 51}, 2)]


def moved(connection, state, approval):
    moved = connection.execute(
        f"UPDATE data_point_results SET approval_state = %s, {approval} WHERE approval_state = 'approved'",
        (state,),
    )
    assert moved.rowcount == 1


@pytest.mark.parametrize(
    ("state", "approval"),
    [
        (ApprovalState.SUPERSEDED, NOBODY),
        (ApprovalState.WITHDRAWN, NOBODY),
        (ApprovalState.WITHDRAWN, "approved_at = approved_at"),
        (ApprovalState.PENDING, NOBODY),
    ],
)
def test_an_approved_result_moves_to_what_the_table_of_moves_says(database, state, approval):
    with psycopg.connect(database) as connection:
        moved(connection, state, approval)


@pytest.mark.parametrize(
    ("state", "approval"),
    [
        (ApprovalState.APPROVED, NOBODY),
        (ApprovalState.APPROVED, "approved_by = NULL"),
        (ApprovalState.WITHDRAWN, "approved_by = NULL"),
        (ApprovalState.SUPERSEDED, SOMEBODY),
        (ApprovalState.PENDING, SOMEBODY),
        ("forgotten", NOBODY),
    ],
)
def test_a_result_says_who_approved_it_exactly_when_someone_did(database, state, approval):
    with psycopg.connect(database) as connection, pytest.raises(CheckViolation):
        moved(connection, state, approval)


def test_a_comment_on_an_approval_says_something(database):
    with psycopg.connect(database) as connection:
        connection.execute("UPDATE data_point_results SET approval_comment = 'Read at the gate'")
        with pytest.raises(CheckViolation, match="data_point_results_approval_comment_check"):
            connection.execute("UPDATE data_point_results SET approval_comment = ''")


CORRECTED = """
    INSERT INTO corrections (project_id, event_id, position, source, from_value, to_value, rule_id,
                             rule_version, user_id)
    SELECT project_id, event_id, position, 'adjustment', '50', '51', rule_id, rule_version, approved_by
      FROM data_point_results WHERE approval_state = 'approved'
"""


def test_a_correction_names_the_rejected_result_only_when_a_person_reverts_it(database):
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(CORRECTED)
        with pytest.raises(CheckViolation, match="corrections_rejected"):
            connection.execute("UPDATE corrections SET rejected_result = 1 WHERE rule_id IS NOT NULL")
        connection.execute(
            "UPDATE corrections SET state = 'reverted', reverted_at = now(), reverted_by = user_id,"
            " rejected_result = 1 WHERE rule_id IS NOT NULL"
        )
        with pytest.raises(RestrictViolation):
            connection.execute("UPDATE corrections SET rejected_result = NULL WHERE rule_id IS NOT NULL")
