"""`recover`: every unfinished task has one job, whatever became of its workers."""

import pytest

from weighbridge.platform import async_tasks
from weighbridge.platform.queue import recover

LEASE = 30


@pytest.fixture
def worker(server):
    """A worker whose last sign of life is so many seconds ago: `worker(5)` gives its id."""
    made = []

    def register(seconds_ago):
        ((number,),) = server.sql(
            """INSERT INTO procrastinate_workers (last_heartbeat)
               VALUES (now() - make_interval(secs => %s)) RETURNING id""",
            seconds_ago,
        )
        made.append(number)
        return number

    yield register
    server.sql("DELETE FROM procrastinate_workers WHERE id = ANY (%s)", made)


def set_job(hands, task, status, worker=None):
    hands.server.sql(
        """UPDATE procrastinate_jobs SET status = %s::procrastinate_job_status, worker_id = %s
           WHERE (args ->> 'task_id')::int = %s""",
        status,
        worker,
        task,
    )


def recovered(hands, task):
    return task in hands.do(recover, LEASE)


def test_a_task_that_waits_is_left_alone(hands):
    task = hands.queue(lock="waiting")

    assert not recovered(hands, task)
    assert hands.jobs(task) == [("todo", "waiting")]


def test_a_task_of_a_living_worker_is_left_alone(hands, worker):
    task = hands.begun().task_id
    set_job(hands, task, "doing", worker(LEASE - 1))

    assert not recovered(hands, task)
    assert [status for status, _ in hands.jobs(task)] == ["doing"]


def test_a_task_of_a_worker_without_signs_of_life_is_queued_again_under_its_lock(hands, worker):
    task = hands.queue(lock="silent")
    hands.begin(task)
    set_job(hands, task, "doing", worker(LEASE + 1))

    assert recovered(hands, task)
    assert hands.jobs(task) == [("todo", "silent")]


def test_a_task_of_a_worker_that_is_no_longer_known_is_queued_again(hands):
    task = hands.begun().task_id
    set_job(hands, task, "doing")

    assert recovered(hands, task)


@pytest.mark.parametrize("status", ["aborted", "failed", "cancelled"])
def test_a_task_whose_job_ended_without_it_is_queued_again(hands, status):
    task = hands.begun().task_id
    set_job(hands, task, status)

    assert recovered(hands, task)
    assert [status for status, _ in hands.jobs(task)] == ["todo"]


def test_a_task_without_any_job_is_queued_again(hands):
    task = hands.queue()
    hands.server.sql("DELETE FROM procrastinate_jobs WHERE (args ->> 'task_id')::int = %s", task)

    assert recovered(hands, task)
    assert hands.jobs(task) == [("todo", f"async_task:{task}")]


def test_a_second_recovery_finds_nothing(hands):
    task = hands.begun().task_id
    set_job(hands, task, "doing")

    assert recovered(hands, task)
    assert not recovered(hands, task)
    assert len(hands.jobs(task)) == 1


def test_workers_that_recover_at_once_queue_a_task_once(hands, server):
    tasks = [hands.begun().task_id for _ in range(3)]
    for task in tasks:
        set_job(hands, task, "doing")

    found = server.together(lambda: hands.do(recover, LEASE), 3)

    again = sorted(task for several in found for task in several if task in tasks)
    assert again == tasks
    assert [[status for status, _ in hands.jobs(task)] for task in tasks] == [["todo"]] * 3


def test_a_finished_task_is_not_queued_again_and_its_job_holds_nothing_up(hands):
    attempt = hands.begun()
    hands.do(async_tasks.complete_task, attempt, None)
    set_job(hands, attempt.task_id, "doing")

    assert not recovered(hands, attempt.task_id)
    assert hands.jobs(attempt.task_id) == []
