"""The audit chain in `weighbridge verify`: what was sealed cannot be changed unseen."""

from weighbridge.verification import CHAINED


def test_the_heads_of_sound_chains_are_told(books):
    (head,) = books.verified().audit_heads

    assert head.number > 10
    assert len(bytes.fromhex(head.hash)) == 32


def test_a_changed_row_is_named(books):
    books.break_by("""UPDATE audit_log SET after = '{"name": "forged"}' WHERE action = 'project.create'""")

    (violation,) = books.violations()[CHAINED]

    assert violation.endswith("of the audit chain is not what was sealed (project.create)")


def test_a_changed_time_is_named(books):
    books.break_by("UPDATE audit_log SET at = at + interval '1 ms' WHERE action = 'project.create'")

    assert len(books.violations()[CHAINED]) == 1


def test_a_removed_seal_is_named(books):
    books.break_by("DELETE FROM audit_seals WHERE number = 3")

    missing, *others = books.violations()[CHAINED]

    assert missing.endswith("row 3 of the audit chain is missing")
    assert [other.split(":")[1] for other in others][:1] != []


def test_hashes_that_changed_places_are_named(books):
    books.break_by("""
        UPDATE audit_seals s SET hash = other.hash FROM audit_seals other
         WHERE s.account_id = other.account_id AND (s.number, other.number) IN ((2, 3), (3, 2))
    """)

    assert len(books.violations()[CHAINED]) == 3
