"""The revision of the engine that a batch names: one that no release has excuses nothing."""

import pytest

from weighbridge.core.engine import ENGINE_REVISION
from weighbridge.verification import RECOMPUTES


@pytest.mark.parametrize("revision", [1, ENGINE_REVISION + 1])
def test_a_batch_of_a_revision_that_no_release_has_is_wrong(books, revision):
    books.break_by(f"UPDATE batches SET engine_revision = {revision} WHERE id = {books.number(0)}")

    report = books.verified()

    assert (report.is_clean, report.older.batches) == (False, 0)
    [sentence] = books.violations()[RECOMPUTES]
    assert sentence.startswith(
        f"batch {books.batches[0]['id']}: it says that revision {revision} of the engine"
    )
    assert sentence.endswith(f" and releases compute by revision {ENGINE_REVISION}")


def test_an_older_revision_does_not_excuse_a_doubled_batch(books):
    books.break_by(
        "UPDATE batches SET total = 2 * total, credited = 2 * credited, balance = 2 * balance,"
        f" engine_revision = 1 WHERE id = {books.number(0)}",
        f"UPDATE ledger_entries SET amount = 2 * amount WHERE batch_id = {books.number(0)}",
    )

    [violations] = [found for rule, found in books.violations().items() if rule == RECOMPUTES]

    assert any("computed anew" in sentence for sentence in violations)
