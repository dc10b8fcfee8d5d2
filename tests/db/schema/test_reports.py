"""What the tables of reports refuse, whatever the code above them does."""

import psycopg
import pytest
from psycopg.errors import CheckViolation, ForeignKeyViolation, RestrictViolation, UniqueViolation
from tests import databases

GIVEN = """
    INSERT INTO ledgers (project_id, name, unit, system_ledger_type)
      VALUES (1, 'Certificates', 'kWh', 'renewable_energy_credits');
    INSERT INTO batches (project_id, ledger_id, tracking_id, start_time, end_time, total, credited)
      VALUES (1, 2, 'REC-1', '2025-01-01Z', '2025-01-02Z', 5, 5);
    INSERT INTO ledger_entries (project_id, ledger_id, batch_id, kind, amount, effective_at, posted_by)
      SELECT 1, 2, id, 'credit', 5, end_time, id FROM batches WHERE ledger_id = 2;
"""
REPORT = """
    INSERT INTO reports (project_id, name, report_type, ledger_id) VALUES (1, 'Report', 'annual', 2);
    INSERT INTO report_batches (project_id, report_id, batch_id, amount)
      SELECT 1, max(r.id), (SELECT id FROM batches WHERE ledger_id = 2), 3 FROM reports r;
"""
SUBMIT = """
    UPDATE reports SET status = 'submitting', effective_at = '2025-01-02Z', reserved_at = now()
     WHERE id = {report};
"""
ENTRY = """
    INSERT INTO ledger_entries (project_id, ledger_id, batch_id, kind, amount, effective_at, report_id)
      SELECT 1, 2, id, '{kind}', {amount}, '2025-01-02Z', {report} FROM batches WHERE ledger_id = 2;
"""
ACCEPTED = """
    INSERT INTO ledger_entries (project_id, ledger_id, batch_id, kind, amount, effective_at, report_id)
      SELECT 1, 2, b.id, posted.kind, posted.amount, '2025-01-02Z', 1
        FROM batches b, (VALUES ('release', 3), ('report', -3)) AS posted (kind, amount)
       WHERE b.ledger_id = 2;
"""
RESTATE = """
    INSERT INTO reports (project_id, name, report_type, ledger_id, supersedes, first_id)
      VALUES (1, 'Restated', 'annual', 2, {supersedes}, {first});
"""


@pytest.fixture(scope="module")
def drafted(postgres, stored):
    """The URL of a database to copy that has a draft."""
    with databases.database(postgres, stored) as url:
        with psycopg.connect(url) as given:
            given.execute(GIVEN)
            given.execute(REPORT)
        yield url


@pytest.fixture
def connection(postgres, drafted):
    """A connection to a copy."""
    with databases.database(postgres, drafted) as url, psycopg.connect(url, autocommit=True) as connection:
        yield connection


def carried_out(connection, *statements):
    """Carry out statements in one transaction."""
    with connection.transaction():
        for statement in statements:
            connection.execute(statement)


def reserve(connection):
    carried_out(connection, SUBMIT.format(report=1), ENTRY.format(kind="reserve", amount=-3, report=1))


def test_an_entry_of_a_batch_names_no_report(connection):
    rows = connection.execute(
        "SELECT kind, amount, report_id FROM ledger_entries WHERE ledger_id = 2 AND posted_by IS NOT NULL"
    ).fetchall()

    assert rows == [("credit", 5, None)]


def test_what_a_report_under_way_takes_is_reserved_in_the_same_transaction(connection):
    with pytest.raises(CheckViolation, match="reports of chain 1 have posted 0"):
        carried_out(connection, SUBMIT.format(report=1))
    with pytest.raises(CheckViolation, match="reports of chain 1 have posted 2"):
        carried_out(connection, SUBMIT.format(report=1), ENTRY.format(kind="reserve", amount=-2, report=1))

    reserve(connection)

    assert connection.execute("SELECT balance FROM batches WHERE ledger_id = 2").fetchall() == [(2,)]


def test_what_is_reserved_is_given_back_with_the_rejection(connection):
    reserve(connection)
    carried_out(connection, "UPDATE reports SET status = 'submitted' WHERE id = 1")

    with pytest.raises(CheckViolation, match="have posted 3"):
        carried_out(connection, "UPDATE reports SET status = 'rejected' WHERE id = 1")
    carried_out(
        connection,
        "UPDATE reports SET status = 'rejected' WHERE id = 1",
        ENTRY.format(kind="release", amount=3, report=1),
    )

    assert connection.execute("SELECT balance FROM batches WHERE ledger_id = 2").fetchall() == [(5,)]


def test_a_chain_is_no_tree_and_has_one_report_under_way(connection):
    reserve(connection)
    carried_out(connection, RESTATE.format(supersedes=1, first=1))

    with pytest.raises(UniqueViolation, match="reports_restated_once"):
        carried_out(connection, RESTATE.format(supersedes=1, first=1))
    with pytest.raises(UniqueViolation, match="reports_one_under_way"):
        carried_out(connection, SUBMIT.format(report=2))
    with pytest.raises(CheckViolation, match="another chain"):
        carried_out(connection, RESTATE.format(supersedes=2, first=2))


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("UPDATE report_batches SET amount = 0", CheckViolation),
        ("UPDATE report_batches SET amount = 'Infinity'", CheckViolation),
        ("UPDATE report_batches SET batch_id = 1", CheckViolation),
        (
            "INSERT INTO report_batches (project_id, report_id, batch_id, amount) VALUES (1, 1, 77, 1)",
            CheckViolation,
        ),
        ("UPDATE reports SET status = 'complete'", CheckViolation),
        ("UPDATE reports SET status = 'lost'", CheckViolation),
        ("UPDATE reports SET supersedes = 1, first_id = 1", CheckViolation),
        ("UPDATE reports SET methodology_id = 7", ForeignKeyViolation),
        (
            "INSERT INTO reports (project_id, name, report_type, status) VALUES (1, 'A', 'b', 'failed')",
            CheckViolation,
        ),
        (ENTRY.format(kind="reserve", amount=-3, report=1), CheckViolation),
        (ENTRY.format(kind="reserve", amount=3, report=1), CheckViolation),
        (ENTRY.format(kind="draw", amount=-3, report=1), CheckViolation),
        (ENTRY.format(kind="report", amount=-3, report="NULL"), CheckViolation),
        (
            (
                "INSERT INTO methodologies (account_id, name, version, report_type, submission_requirements)"
                " VALUES (1, 'A', '1', 'b', '{blessing}')"
            ),
            CheckViolation,
        ),
    ],
)
def test_what_cannot_be_is_refused(connection, statement, error):
    with pytest.raises(error):
        connection.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE reports SET name = 'Other'",
        "UPDATE reports SET effective_at = '2024-01-01Z'",
        "UPDATE report_batches SET amount = 1",
        "DELETE FROM report_batches",
        "DELETE FROM reports",
    ],
)
def test_only_a_draft_changes(connection, statement):
    reserve(connection)

    with pytest.raises((CheckViolation, ForeignKeyViolation)):
        connection.execute(statement)


def test_what_was_said_and_sent_stays(connection):
    reserve(connection)
    connection.execute(
        "INSERT INTO report_moves (project_id, report_id, status, user_id) VALUES (1, 1, 'submitting', 1)"
    )
    connection.execute(
        "INSERT INTO report_submissions (project_id, report_id, adapter, media_type, content, sha256)"
        " VALUES (1, 1, 'file', 'application/json', 'x', sha256('x'))"
    )

    for statement in ("UPDATE report_moves SET status = 'complete'", "DELETE FROM report_submissions"):
        with pytest.raises(RestrictViolation):
            connection.execute(statement)
    with pytest.raises(CheckViolation, match="report_moves_say_why"):
        connection.execute(
            "INSERT INTO report_moves (project_id, report_id, status, user_id) VALUES (1, 1, 'rejected', 1)"
        )
    with pytest.raises(CheckViolation, match="report_moves_say_why"):
        connection.execute(
            "INSERT INTO report_moves (project_id, report_id, status, user_id) VALUES (1, 1, 'withdrawn', 1)"
        )


def test_how_much_is_accepted_is_decided_once_and_is_less_than_is_claimed(connection):
    accepted = "UPDATE report_batches SET accepted_amount = {}"
    with pytest.raises(CheckViolation, match="only a draft changes"):
        connection.execute(accepted.format(2))
    reserve(connection)
    carried_out(connection, "UPDATE reports SET status = 'submitted' WHERE id = 1")
    for amount in (-1, 3, "'NaN'"):
        with pytest.raises(CheckViolation, match="report_batches_accepted"):
            connection.execute(accepted.format(amount))
    connection.execute(accepted.format(2))

    with pytest.raises(CheckViolation, match="only a draft changes"):
        connection.execute(accepted.format(1))
    with pytest.raises(CheckViolation, match="have posted 3 on batch 2, and state or reserve 2"):
        carried_out(connection, "UPDATE reports SET status = 'complete' WHERE id = 1", ACCEPTED)


def test_only_what_takes_the_place_of_an_accepted_report_is_complete_without_being_sent(connection):
    reserve(connection)
    carried_out(connection, "UPDATE reports SET status = 'submitted' WHERE id = 1")
    succession = "INSERT INTO report_successions (project_id, report_id, predecessor_id) VALUES (1, 2, 1)"
    complete = "UPDATE reports SET status = 'complete', effective_at = '2025-01-02Z' WHERE id = 2"
    connection.execute(REPORT)

    with pytest.raises(CheckViolation, match="no draft that can succeed"):
        connection.execute(succession)
    carried_out(connection, "UPDATE reports SET status = 'complete' WHERE id = 1", ACCEPTED)
    with pytest.raises(CheckViolation, match="takes the place of no other"):
        connection.execute(complete)
    connection.execute(succession)
    with pytest.raises(CheckViolation, match="takes the place of no other"):
        connection.execute(complete)
    for statement in ("UPDATE report_successions SET predecessor_id = 0", "DELETE FROM report_successions"):
        with pytest.raises(RestrictViolation):
            connection.execute(statement)


def test_the_ledgers_of_a_report_begin_with_its_own_which_counts_and_stay(connection):
    plays = "INSERT INTO report_ledgers VALUES (1, 1, {place}, {ledger}, '{role}', {factor})"
    for wrong, constraint in (
        (plays.format(place=0, ledger=1, role="removal", factor=1), "begins with another ledger"),
        (plays.format(place=0, ledger=2, role="removal", factor=-1), "report_ledgers_first_counts"),
        (plays.format(place=1, ledger=1, role="leakage", factor=0), "factor"),
    ):
        with pytest.raises(CheckViolation, match=constraint):
            connection.execute(wrong)
    connection.execute(plays.format(place=0, ledger=2, role="removal", factor=1))
    connection.execute(plays.format(place=1, ledger=1, role="leakage", factor="-0.001"))
    with pytest.raises(CheckViolation, match="is no draft"):
        connection.execute("UPDATE report_ledgers SET factor = 1 WHERE position = 1")
    reserve(connection)

    with pytest.raises(CheckViolation, match="is no draft"):
        connection.execute("DELETE FROM report_ledgers WHERE position = 1")


def test_only_what_was_once_accepted_owes_something(connection):
    owes = "UPDATE reports SET liability = 2, liability_reason = 'Below zero' WHERE id = {}"
    with pytest.raises(CheckViolation, match="reports_owe_with_reason"):
        connection.execute(owes.format(1))
    reserve(connection)
    carried_out(connection, "UPDATE reports SET status = 'submitted' WHERE id = 1")
    carried_out(
        connection,
        "UPDATE reports SET status = 'rejected' WHERE id = 1",
        ENTRY.format(kind="release", amount=3, report=1),
    )
    carried_out(connection, RESTATE.format(supersedes=1, first=1), owes.format(2))

    with pytest.raises(CheckViolation, match="its chain was never accepted"):
        carried_out(connection, SUBMIT.format(report=2))
    with pytest.raises(CheckViolation, match="reports_liability_check"):
        connection.execute("UPDATE reports SET liability = 0 WHERE id = 2")
    with pytest.raises(CheckViolation, match="reports_owe_with_reason"):
        connection.execute("UPDATE reports SET liability_reason = NULL WHERE id = 2")


def test_what_is_complete_is_not_withdrawn_while_it_is_restated(connection):
    reserve(connection)
    carried_out(connection, "UPDATE reports SET status = 'submitted' WHERE id = 1")
    carried_out(
        connection,
        "UPDATE reports SET status = 'complete' WHERE id = 1",
        ACCEPTED,
    )
    carried_out(connection, RESTATE.format(supersedes=1, first=1))
    carried_out(connection, SUBMIT.format(report=2))

    with pytest.raises(CheckViolation, match="report 1 is being restated"):
        carried_out(connection, "UPDATE reports SET status = 'withdrawn' WHERE id = 1")
