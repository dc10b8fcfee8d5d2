"""`succeed`: ends a task well, once."""

from decimal import Decimal

from weighbridge.platform import async_tasks


def test_a_task_that_succeeded_is_complete_with_its_result(hands):
    attempt = hands.begun()

    hands.do(async_tasks.complete_task, attempt, {"created": 3, "amount": Decimal("0.10000000000000000001")})

    task = hands.task(attempt.task_id)
    assert (task["state"], task["progress"], task["error_message"]) == ("complete", 100, None)
    assert task["result"] == {"created": 3, "amount": Decimal("0.10000000000000000001")}
    assert task["finished_at"] >= task["started_at"]
    assert task["progress_description"] is None


def test_an_attempt_that_was_overtaken_ends_nothing(hands):
    first = hands.begun()
    hands.begin(first.task_id)

    hands.do(async_tasks.complete_task, first, {"created": 1})

    assert (hands.task(first.task_id)["state"], hands.task(first.task_id)["result"]) == ("running", None)


def test_a_task_that_failed_stays_failed(hands):
    attempt = hands.begun()
    hands.do(async_tasks.fail_task, attempt.task_id, "No.")

    hands.do(async_tasks.complete_task, attempt, {"created": 1})

    assert (hands.task(attempt.task_id)["state"], hands.task(attempt.task_id)["result"]) == ("failed", None)
