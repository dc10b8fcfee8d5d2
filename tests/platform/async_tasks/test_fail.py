"""`fail`: ends a task with a reason that its caller reads."""

from weighbridge.platform.async_tasks import actions


def test_a_task_that_failed_says_why(hands):
    attempt = hands.begun()

    hands.do(actions.fail, attempt.task_id, "Input 'power' has no data.")

    task = hands.task(attempt.task_id)
    assert (task["state"], task["error_message"], task["result"]) == (
        "failed",
        "Input 'power' has no data.",
        None,
    )
    assert task["finished_at"] >= task["started_at"]


def test_a_task_that_nobody_began_may_fail(hands):
    number = hands.queue()

    hands.do(actions.fail, number, "No.")

    assert hands.task(number)["state"] == "failed"
    assert hands.task(number)["started_at"] is not None


def test_a_task_that_is_complete_stays_complete(hands):
    attempt = hands.begun()
    hands.do(actions.succeed, attempt, {"created": 1})

    hands.do(actions.fail, attempt.task_id, "No.")

    task = hands.task(attempt.task_id)
    assert (task["state"], task["error_message"]) == ("complete", None)


def test_the_first_reason_stays(hands):
    number = hands.queue()
    hands.do(actions.fail, number, "First.")

    hands.do(actions.fail, number, "Second.")

    assert hands.task(number)["error_message"] == "First."
