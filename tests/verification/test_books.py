"""The books: each rule names what breaks it, and nothing else does."""

BALANCE = "every balance is the sum of its entries"
NEGATIVE = "no balance was negative at any moment"
CREDITED = "every batch was credited once, with what it says"
TOTAL = "every run has posted exactly its total"
CONSERVED = "in every partition, what is drawn and what remains is what was produced and the open deficit"
AT_EVERY_MOMENT = "in every partition, at every moment, entries less deficit entries are produced less drawn"
MOMENT = "every entry counts for the later of the two slots' ends"
LINEAGE = "every event of every lineage is there, and they are as many as the batch says"
RECOMPUTES = "every batch recomputes to the last digit"


def test_sound_books_break_no_rule(books):
    report = books.verified()

    assert report.is_clean
    assert {BALANCE, NEGATIVE, CREDITED, TOTAL, LINEAGE, RECOMPUTES} <= {
        check.rule for check in report.checks
    }
    assert (report.batches, report.entries) == (len(books.batches), len(books.batches) + 2)
    assert len(books.batches) == 16


def test_the_books_of_one_project_are_checked_by_themselves(books):
    books.break_by(f"UPDATE batches SET balance = balance + 1 WHERE id = {books.number(0)}")
    project = books.project

    assert books.breaches(project) == books.breaches() != {}
    assert books.breaches(project + 1) == {}


def test_verifying_changes_nothing_and_may_be_repeated(books):
    assert books.verified() == books.verified()


def test_a_changed_balance_is_named(books):
    books.break_by(f"UPDATE batches SET balance = balance + 0.000001 WHERE id = {books.number(0)}")

    found = books.violations()

    assert set(found) == {BALANCE, CONSERVED}
    assert found[BALANCE] == [
        f"batch {books.batches[0]['id']}: the balance is 1.500001, its entries sum to 1.5"
    ]


def test_a_changed_entry_is_named_by_every_rule_that_it_breaks(books):
    books.break_by(f"UPDATE ledger_entries SET amount = amount + 1 WHERE batch_id = {books.number(0)}")

    found = books.violations()

    assert set(found) == {BALANCE, CREDITED, TOTAL, AT_EVERY_MOMENT}
    assert all(books.batches[0]["id"] in sentence for rule in (BALANCE, CREDITED) for sentence in found[rule])


def test_a_removed_entry_is_named(books):
    books.break_by(f"DELETE FROM ledger_entries WHERE batch_id = {books.number(1)}")

    found = books.violations()

    name = books.batches[1]["id"]
    assert found[BALANCE] == [f"batch {name}: the balance is 3, its entries sum to 0"]
    assert found[CREDITED] == [f"batch {name}: it says that it credited 3, its credit entries sum to 0"]


def test_a_run_of_which_every_entry_is_gone_is_named(books):
    books.break_by(
        f"DELETE FROM ledger_entries WHERE batch_id = {books.number(2)}",
        f"UPDATE batches SET balance = 0, credited = 0 WHERE id = {books.number(2)}",
    )

    assert TOTAL in books.violations()


def test_an_entry_that_was_added_by_hand_is_named(books):
    books.break_by(
        f"""
        INSERT INTO ledger_entries
               (project_id, ledger_id, batch_id, kind, amount, effective_at, posted_by, run_id, async_task_id,
                posted_at)
        SELECT project_id, ledger_id, batch_id, kind, amount, effective_at, posted_by, run_id, async_task_id,
               posted_at
          FROM ledger_entries
         WHERE batch_id = {books.number(0)}
        """
    )

    found = books.violations()

    assert set(found) == {BALANCE, CREDITED, TOTAL, AT_EVERY_MOMENT}


def test_a_balance_that_was_negative_at_some_moment_is_named(books):
    fallen = next(place for place, batch in enumerate(books.batches) if batch["ledger_balance"] == 0)
    books.break_by(
        f"""
        UPDATE ledger_entries SET effective_at = '2024-06-01Z'
         WHERE kind = 'fall' AND batch_id = {books.number(fallen)}
        """
    )

    found = books.violations()

    assert list(found) == [NEGATIVE, AT_EVERY_MOMENT, MOMENT]
    assert found[NEGATIVE][0].startswith(f"batch {books.batches[fallen]['id']}: the balance was -")
    assert "at 2024-06-01" in found[NEGATIVE][0]


def test_a_total_that_was_not_posted_is_named(books):
    newest = max(
        place
        for place, batch in enumerate(books.batches)
        if batch["tracking_id"] == "2025-01 Straw" and batch["primary_output"]["unit"] == "t"
    )
    books.break_by(f"UPDATE batches SET total = total + 1 WHERE id = {books.number(newest)}")

    found = books.violations()

    name = books.batches[newest]["id"]
    assert found[TOTAL] == [f"batch {name}: its run comes to 2.5, and has posted 1.5"]
    assert found[RECOMPUTES] == [f"batch {name}: its run comes to 2.5 in the batch and 1.5 computed anew"]


def test_a_lineage_that_lost_a_chunk_is_named(books):
    books.break_by(f"DELETE FROM batch_inputs WHERE batch_id = {books.number(0)} AND set_number = 1")

    found = books.violations()

    assert found[LINEAGE] == [
        f"batch {books.batches[0]['id']}: it says that it was made of 1 events, of which 0 are there"
    ]
    assert RECOMPUTES in found


def test_a_lineage_that_names_an_event_that_is_not_there_is_named(books):
    books.break_by(f"UPDATE batch_inputs SET event_ids = '{{1}}' WHERE batch_id = {books.number(0)}")

    assert any(books.batches[0]["id"] in sentence for sentence in books.violations()[LINEAGE])


def test_an_event_that_was_removed_is_named_by_the_batches_it_made(books):
    books.break_by(
        f"""
        DELETE FROM events WHERE id = (SELECT event_ids[1] FROM batch_inputs
                                        WHERE batch_id = {books.number(0)} AND set_number = 1)
        """
    )

    found = books.violations()

    assert any(books.batches[0]["id"] in sentence for sentence in found[LINEAGE])
    assert any(books.batches[0]["id"] in sentence for sentence in found[RECOMPUTES])


def test_a_set_of_inputs_that_was_removed_is_named(books):
    number = books.number(0)
    books.break_by(
        f"DELETE FROM batch_inputs WHERE batch_id = {number} AND set_number = 1",
        f"DELETE FROM batch_input_sets WHERE batch_id = {number} AND set_number = 1",
    )

    assert any(books.batches[0]["id"] in sentence for sentence in books.violations()[RECOMPUTES])
