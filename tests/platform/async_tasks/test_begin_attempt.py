"""`begin_attempt`: raises the fence, starts the task, and gives up after the last attempt."""

import pytest

from weighbridge.core.platform.tasks import ATTEMPTS_MAX
from weighbridge.platform import async_tasks


def test_the_first_attempt_starts_the_task(hands):
    number = hands.queue(args={"project_id": 7})

    attempt = hands.begin(number)

    assert (attempt.task_id, attempt.number, attempt.type, attempt.args) == (
        number,
        1,
        "batch_generation",
        {"project_id": 7},
    )
    assert attempt.actor.account_id == hands.account.id
    task = hands.task(number)
    assert task["state"] == "running"
    assert task["started_at"] >= task["created_at"]


def test_each_attempt_raises_the_fence_and_the_start_stays(hands):
    number = hands.queue()
    hands.begin(number)
    started = hands.task(number)["started_at"]

    again = hands.begin(number)

    assert again.number == 2
    assert hands.task(number)["started_at"] == started


@pytest.mark.parametrize("end", ["succeed", "fail"])
def test_there_is_nothing_left_to_do_once_a_task_has_ended(hands, end):
    attempt = hands.begun()
    if end == "succeed":
        hands.do(async_tasks.complete_task, attempt, None)
    else:
        hands.do(async_tasks.fail_task, attempt.task_id, "No.")
    before = hands.task(attempt.task_id)

    assert hands.begin(attempt.task_id) is None
    assert hands.task(attempt.task_id) == before


def test_a_task_that_does_not_exist_has_nothing_to_do(hands):
    assert hands.begin(2**31 - 1) is None


def test_after_the_last_attempt_the_task_is_given_up_with_a_reason(hands):
    number = hands.queue()
    for _ in range(ATTEMPTS_MAX):
        assert hands.begin(number) is not None

    assert hands.begin(number) is None

    task = hands.task(number)
    assert (task["state"], task["result"]) == ("failed", None)
    assert task["error_message"] == "The task was given up after 5 attempts, none of which came to an end."
    assert task["finished_at"] is not None
