"""Who posted what: books with draws, falls, deficits and deletions, and what breaks them."""

import pytest
from tests.given import accounting, chain

BALANCE = "every balance is the sum of its entries"
NEGATIVE = "no balance was negative at any moment"
SHORT = "every deficit is the sum of its entries"
NEGATIVE_DEFICIT = "no deficit was negative at any moment"
TOTAL = "every run has posted exactly its total"
CONSERVED = "in every partition, what is drawn and what remains is what was produced and the open deficit"
AT_EVERY_MOMENT = "in every partition, at every moment, entries less deficit entries are produced less drawn"
MOMENT = "every entry counts for the later of the two slots' ends"
DEFICIT_MOMENT = "every deficit counts from the end of its run's slot on"
PARTITION = "falls stay in the partition of the run that fell"
GIVEN_BACK = "no run gives back more than it took, for any moment"
CONSUMER = "every draw has a batch that draws"
DRAWN_BY_THEN = "what a batch was computed from is what its run had drawn by then"
UNDONE = "all that a deleted batch posted is undone, and nothing else is"
HOLDS_NOTHING = "a deleted batch holds nothing, and nobody holds anything of it"
OWN = "every batch posted for its own run, by the task that made it and at one time"
AT_ONCE = "what one task posted, it posted at one time"
SETTLED = "what settles a deficit is taken from the batch that was given to"

YEAR = ("2025-01-01T00:00:00Z", "2025-12-31T23:59:59Z")
FEBRUARY, MARCH, MAY = (f"2025-0{month}-02T00:00:00Z" for month in (2, 3, 5))


@pytest.fixture(scope="module")
def making():
    return made


def made(server):
    """January was drawn from and then fell, March settled it, February fell upon March, May was deleted."""
    account = server.account()
    stock = chain.inventory(account.caller(), account.drain)
    withdrawn = stock.deliver(10)
    stock.generate(YEAR)
    production = chain.link(stock)
    chain.produce(production, 2)
    production.generate(YEAR)
    accounting.void(server.sql, withdrawn)
    stock.deliver(1)
    stock.generate(YEAR)
    assert stock.api.get(f"/ledgers/{stock.ledger['id']}").body["deficit"] == 3
    stock.deliver(5, MARCH)
    stock.generate(YEAR)
    stock.deliver(-1, FEBRUARY)
    stock.generate(YEAR)
    stock.deliver("0.25", FEBRUARY)
    stock.deliver(8, MAY)
    stock.generate(YEAR)
    may = next(batch for batch in stock.batches() if batch["start_time"].startswith("2025-05"))
    stock.api.delete(f"/batches/{may['id']}").expect(202)
    stock.drain()
    production.generate(YEAR)
    batches = stock.api.get("/batches", {"sort": "id", "page_size": "200"}).expect(200).data
    return [*batches, may]


def test_books_with_draws_falls_deficits_and_deletions_are_sound(books):
    assert books.breaches() == {}


def test_a_changed_deficit_is_named(books):
    books.break_by("UPDATE deficits SET amount = amount + 1 WHERE run_id = (SELECT min(id) FROM runs)")

    found = books.breaches()

    assert set(found) == {SHORT, CONSERVED}
    assert found[SHORT][0].endswith(": a run is short of 1, its entries sum to 0")


def test_an_opened_deficit_that_was_removed_is_named(books):
    books.break_by("DELETE FROM deficit_entries WHERE amount > 0")

    found = books.breaches()

    assert {SHORT, NEGATIVE_DEFICIT, TOTAL} <= set(found)


def test_a_deficit_that_was_settled_before_it_opened_is_named(books):
    books.break_by("UPDATE deficit_entries SET posted_at = '2020-01-01Z' WHERE amount < 0")

    assert NEGATIVE_DEFICIT in books.breaches()


def test_a_balance_that_was_negative_when_it_was_posted_is_named(books):
    books.break_by("UPDATE ledger_entries SET posted_at = '2020-01-01Z' WHERE kind = 'draw'")

    found = books.breaches()

    assert set(found) == {NEGATIVE, OWN, AT_ONCE}
    assert "at 2020-01-01" in found[NEGATIVE][0]


def test_an_entry_that_counts_for_another_moment_is_named(books):
    books.break_by("UPDATE ledger_entries SET effective_at = '2026-01-01Z' WHERE kind = 'draw'")

    found = books.breaches()

    assert set(found) == {MOMENT}
    assert "an entry counts for 2026-01-01" in found[MOMENT][0]


def test_a_deficit_that_counts_before_its_run_is_named(books):
    books.break_by("UPDATE deficit_entries SET effective_at = '2025-01-02Z' WHERE amount > 0")

    assert set(books.breaches()) == {DEFICIT_MOMENT, AT_EVERY_MOMENT}


def test_a_fall_upon_another_partition_is_named(books):
    books.break_by(
        "UPDATE runs SET tracking_id = 'elsewhere' WHERE id = (SELECT max(run_id) FROM batches"
        " WHERE start_time = '2025-02-01Z')"
    )

    assert PARTITION in books.breaches()


def test_more_given_back_than_taken_is_named(books):
    books.break_by(
        "UPDATE ledger_entries SET amount = amount + 5 WHERE kind = 'rise'",
        "UPDATE batches b SET balance = (SELECT sum(e.amount) FROM ledger_entries e WHERE e.batch_id = b.id)",
    )

    assert {GIVEN_BACK, TOTAL, CONSERVED, AT_EVERY_MOMENT} == set(books.breaches())


def test_a_draw_whose_consumer_is_gone_is_named(books):
    books.break_by(
        "ALTER TABLE batches DROP CONSTRAINT batches_deleted_hold_nothing",
        "UPDATE batches SET deleted_at = now() WHERE id IN (SELECT batch_id FROM batch_draws)",
    )

    assert {CONSUMER, UNDONE} <= set(books.breaches())


def test_a_draw_that_differs_from_what_the_batch_was_computed_from_is_named(books):
    books.break_by("UPDATE batch_draws SET amount = amount + 1")

    found = books.breaches()

    assert DRAWN_BY_THEN in found
    assert found[DRAWN_BY_THEN][0].endswith("computed from 5 of a source, of which its run had drawn 4")


def test_an_entry_of_a_deleted_batch_that_is_not_undone_is_named(books):
    books.break_by(
        "DELETE FROM ledger_entries WHERE reverses IS NOT NULL",
    )

    found = books.breaches()

    assert {UNDONE, HOLDS_NOTHING, BALANCE} <= set(found)
    assert found[UNDONE][0].startswith(f"batch {books.batches[-1]['id']}: of its entries ")


def test_an_entry_undone_by_another_amount_is_named(books):
    books.break_by("UPDATE ledger_entries SET amount = amount - 1 WHERE reverses IS NOT NULL")

    assert {UNDONE, HOLDS_NOTHING} <= set(books.breaches())


def test_a_batch_that_came_back_from_deletion_is_named(books):
    books.break_by("UPDATE batches SET deleted_at = NULL WHERE deleted_at IS NOT NULL")

    assert UNDONE in books.breaches()


def test_a_settlement_that_no_fall_stands_for_is_named(books):
    books.break_by("UPDATE deficit_entries SET effective_at = '2027-01-01Z' WHERE amount < 0")

    assert set(books.breaches()) == {SETTLED, AT_EVERY_MOMENT}


def test_a_run_that_counts_for_another_moment_than_the_end_of_its_slot_is_named(books):
    books.break_by("UPDATE ledger_entries SET effective_at = '2027-01-01Z' WHERE kind = 'credit'")

    assert {MOMENT, AT_EVERY_MOMENT} <= set(books.breaches())
