"""`fail`: ends a task with a reason that its caller reads."""

from weighbridge.platform import async_tasks


def test_a_task_that_failed_says_why(hands):
    attempt = hands.begun()

    hands.do(async_tasks.fail_task, attempt.task_id, "Input 'power' has no data.")

    task = hands.task(attempt.task_id)
    assert (task["state"], task["error_message"], task["result"]) == (
        "failed",
        "Input 'power' has no data.",
        None,
    )
    assert task["finished_at"] >= task["started_at"]


def test_a_task_that_nobody_began_may_fail(hands):
    number = hands.queue()

    hands.do(async_tasks.fail_task, number, "No.")

    assert hands.task(number)["state"] == "failed"
    assert hands.task(number)["started_at"] is not None


def test_a_task_that_is_complete_stays_complete(hands):
    attempt = hands.begun()
    hands.do(async_tasks.complete_task, attempt, {"created": 1})

    hands.do(async_tasks.fail_task, attempt.task_id, "No.")

    task = hands.task(attempt.task_id)
    assert (task["state"], task["error_message"]) == ("complete", None)


def test_the_first_reason_stays(hands):
    number = hands.queue()
    hands.do(async_tasks.fail_task, number, "First.")

    hands.do(async_tasks.fail_task, number, "Second.")

    assert hands.task(number)["error_message"] == "First."


def test_a_task_that_failed_is_told_by_the_audit_log_once(hands, server):
    number = hands.queue()
    hands.do(async_tasks.fail_task, number, "Input 'power' has no data.")
    hands.do(async_tasks.fail_task, number, "Again.")

    rows = server.sql(
        """
        SELECT l.user_id IS NOT NULL, l.after, l.project_id = t.project_id, l.request_id = t.request_id
          FROM audit_log l JOIN async_tasks t ON t.id::text = l.object
         WHERE l.action = 'async_task.fail' AND t.id = %s
        """,
        number,
    )

    kind = hands.task(number)["type"]
    assert rows == [(True, {"type": kind, "error_message": "Input 'power' has no data."}, True, True)]
