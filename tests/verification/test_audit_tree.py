"""The audit log in `weighbridge verify`: what was sealed cannot be changed unseen."""

from weighbridge.core.time.calendar import Instant
from weighbridge.verification import SEALED


def test_the_heads_of_sound_logs_are_told(books):
    (head,) = books.verified().audit_heads

    assert head.number > 10
    assert len(bytes.fromhex(head.hash)) == 32


def test_a_changed_row_is_named(books):
    books.break_by("""UPDATE audit_log SET after = '{"name": "forged"}' WHERE action = 'project.create'""")

    (violation,) = books.violations()[SEALED]

    assert violation.endswith("of the audit log is not what was sealed (project.create)")


def test_a_changed_time_is_named(books):
    books.break_by("UPDATE audit_log SET at = now() WHERE action = 'project.create'")

    assert len(books.violations()[SEALED]) == 1


def test_a_removed_seal_is_named(books):
    books.break_by("DELETE FROM audit_seals WHERE number = 3")

    missing, *others = books.violations()[SEALED]

    assert missing.endswith("row 3 of the audit log is missing")
    assert [other.split(":")[1] for other in others][:1] != []


def test_hashes_that_changed_places_are_named(books):
    books.break_by("""
        UPDATE audit_seals s SET hash = other.hash FROM audit_seals other
         WHERE s.account_id = other.account_id AND (s.number, other.number) IN ((2, 3), (3, 2))
    """)

    assert len(books.violations()[SEALED]) == 2


def test_rows_that_changed_places_are_named(books):
    books.break_by(
        "UPDATE audit_seals SET number = 1000 + number WHERE number IN (2, 3)",
        "UPDATE audit_seals SET number = 1005 - number WHERE number > 1000",
    )

    assert len(books.violations()[SEALED]) == 2


def test_a_dropped_row_is_named_wherever_it_stood(books):
    books.break_by(
        "ALTER TABLE audit_seals DROP CONSTRAINT audit_seals_audit_id_fkey",
        "DELETE FROM audit_log WHERE id = (SELECT audit_id FROM audit_seals ORDER BY number DESC LIMIT 1)",
    )

    (violation,) = books.violations()[SEALED]

    assert violation.endswith("of the audit log is missing")


def test_a_row_whose_seal_was_dropped_is_named(books):
    books.break_by("DELETE FROM audit_seals WHERE number = (SELECT max(number) FROM audit_seals)")

    (violation,) = books.violations()[SEALED]

    assert violation.endswith("has lost its seal")


def test_a_node_that_its_rows_do_not_make_is_named(many_rows):
    many_rows.break_by("UPDATE audit_nodes SET hash = sha256('forged')")

    (violation,) = many_rows.violations()[SEALED]

    assert "torn at row 256" in violation


def test_a_node_that_is_gone_is_named_also_when_only_the_newest_rows_are_checked(many_rows):
    many_rows.break_by(
        "DELETE FROM audit_nodes",
        "UPDATE audit_seals SET sealed_at = '2025-01-01Z' WHERE number < 290",
    )

    missing, *_ = many_rows.sealed_since(Instant.read("2025-02-01T00:00:00Z"))

    assert missing.endswith("hash 0 of level 1 of the audit log is missing")
