"""Batches of an older revision of the engine: `weighbridge verify` says so and does not call them wrong."""

from weighbridge.core.engine import ENGINE_REVISION


def test_a_batch_that_an_older_revision_computed_to_something_else_is_named_and_not_called_wrong(books):
    books.break_by(
        f"UPDATE batches SET engine_revision = 1, fingerprint = sha256('other') WHERE id = {books.number(0)}"
    )

    report = books.verified()

    assert report.is_clean
    assert (report.batches, report.older.batches) == (len(books.batches), 1)
    name = books.batches[0]["id"]
    [sentence] = report.older.differing
    assert sentence.startswith(f"batch {name}: revision 1 of the engine computed it, and by revision")
    assert sentence.endswith(
        f" {ENGINE_REVISION} it comes to something else; generating its slot again settles that"
    )


def test_a_batch_of_an_older_revision_that_comes_to_the_same_is_only_counted(books):
    books.break_by(f"UPDATE batches SET engine_revision = 1 WHERE id = {books.number(0)}")

    report = books.verified()

    assert (report.is_clean, report.older.batches, report.older.differing) == (True, 1, [])


def test_what_the_books_say_of_it_is_checked_as_always(books):
    books.break_by(f"UPDATE batches SET engine_revision = 1, balance = 9 WHERE id = {books.number(0)}")

    assert "every balance is the sum of its entries" in books.violations()
