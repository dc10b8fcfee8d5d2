"""Batches themselves: whose they are, when they were made, how their lineage is kept, and what breaks it."""

import pytest

TIMES = "every batch has the times of its run's slot"
VERSION = "every batch is of a version of the model that its run and its ledger have, as that version was"
FIRST = "every adjusting batch names the first batch of its run on the ledger"
OWN = "every batch posted for its own run, by the task that made it and at one time"
AT_ONCE = "what one task posted, it posted at one time"
CHUNKS = "every lineage is kept in full chunks, each with the first and last number of its events"
LINEAGE = "every event of every lineage is there, and they are as many as the batch says"
RECOMPUTES = "every batch recomputes to the last digit"


def test_sound_books_have_nothing_to_name(books):
    assert books.violations() == {}


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        (TIMES, "UPDATE batches SET start_time = '2024-12-31Z' WHERE id = {batch}"),
        (TIMES, "UPDATE runs SET start_time = '2024-12-31Z' WHERE id = {run}"),
        (VERSION, "UPDATE batches SET model_sha256 = sha256('x') WHERE id = {batch}"),
        (VERSION, "UPDATE ledgers SET family_id = NULL, output = NULL WHERE id = {ledger}"),
        (FIRST, "UPDATE batches SET adjusts = {batch} WHERE adjusts <> {batch}"),
        (OWN, "UPDATE ledger_entries SET posted_by = {other} WHERE batch_id = {batch}"),
        (OWN, "UPDATE ledger_entries SET run_id = {other_run} WHERE batch_id = {batch}"),
        (OWN, "UPDATE batches SET async_task_id = async_task_id + 1 WHERE id = {batch}"),
        (AT_ONCE, "UPDATE ledger_entries SET posted_at = now() + interval '1h' WHERE batch_id = {batch}"),
        (CHUNKS, "UPDATE batch_inputs SET chunk = chunk + 1 WHERE batch_id = {batch}"),
        (CHUNKS, "UPDATE batch_inputs SET last_event = last_event + 1 WHERE batch_id = {batch}"),
        (RECOMPUTES, "UPDATE batches SET tracking_id = '2024-12' WHERE id = {batch}"),
        (RECOMPUTES, "UPDATE batch_calculations SET unit = 'kg' WHERE {mass}"),
        (RECOMPUTES, "UPDATE batch_calculations SET name = 'Gold' WHERE {mass}"),
        (RECOMPUTES, "UPDATE batch_calculations SET is_output = true WHERE batch_id = {batch}"),
        (LINEAGE, "UPDATE batch_input_sets SET event_type_id = 1 WHERE batch_id = {batch}"),
        (RECOMPUTES, "UPDATE batches SET share_scale = 2 WHERE id = {batch}"),
        (RECOMPUTES, "UPDATE projects SET time_zone = 'Asia/Tokyo'"),
    ],
)  # fmt: skip
def test_what_was_changed_past_the_service_is_named_by_a_rule(books, rule, change):
    of_batch = "(SELECT {} FROM batches WHERE id = {})"
    first, second = books.number(0), books.number(1)
    names = {"batch": first, "other": second, "run": of_batch.format("run_id", first)}
    names |= {"mass": f"batch_id = {first} AND slug = 'mass'"}
    names |= {"other_run": of_batch.format("run_id", second), "ledger": of_batch.format("ledger_id", first)}

    books.break_by(change.format(**names))

    assert rule in books.violations()
