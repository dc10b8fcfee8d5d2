"""`report`: says how far the work is, apart from the transaction that publishes it."""

import pytest

from weighbridge.platform import async_tasks


def report(hands, attempt, progress, description):
    hands.server.run(async_tasks.report_progress(hands.server.database, attempt, progress, description))


def test_progress_is_seen_while_the_task_runs(hands):
    attempt = hands.begun()

    report(hands, attempt, 60, "Writing 12 batches")

    task = hands.task(attempt.task_id)
    assert (task["state"], task["progress"], task["progress_description"]) == (
        "running",
        60,
        "Writing 12 batches",
    )


def test_reporting_answers_a_question_with_it_and_none_once_the_task_was_cancelled(hands):
    attempt = hands.begun()
    said = async_tasks.progress_statement(attempt, 10, 'It\'s 5% of \\ what "is" there', "t.state, 7")

    assert hands.server.run(hands.server.database.single(*said)) == ("running", 7)
    assert hands.task(attempt.task_id)["progress_description"] == 'It\'s 5% of \\ what "is" there'

    hands.do(async_tasks.fail_task, attempt.task_id, "No.")
    assert hands.server.run(hands.server.database.single(*said)) is None


def test_progress_is_seen_before_the_effect_and_stays_when_the_effect_fails(hands, server):
    attempt = hands.begun()

    async def publish():
        async with server.database.write() as tx:
            await async_tasks.lock_current_attempt(tx, attempt)
            await async_tasks.report_progress(server.database, attempt, 90, "Almost")
            raise LookupError

    with pytest.raises(LookupError):
        server.run(publish())

    assert hands.task(attempt.task_id)["progress"] == 90


def test_a_complete_task_has_progress_100_whatever_was_reported(hands):
    attempt = hands.begun()
    report(hands, attempt, 60, "Writing")

    hands.do(async_tasks.complete_task, attempt, None)

    task = hands.task(attempt.task_id)
    assert (task["progress"], task["progress_description"]) == (100, None)


def test_a_failed_task_shows_how_far_it_came(hands):
    attempt = hands.begun()
    report(hands, attempt, 60, "Writing")

    hands.do(async_tasks.fail_task, attempt.task_id, "No.")

    task = hands.task(attempt.task_id)
    assert (task["progress"], task["progress_description"]) == (60, None)
