"""GET /async_tasks/{id}. Seed, Async task: fields and states."""

import re

import pytest
from tests.given import collection as given

from weighbridge.platform import async_tasks


@pytest.fixture
def task_id(server, account, api):
    """A queued task that no worker has touched."""
    project = given.project(api)

    async def queue():
        async with server.database.write() as tx:
            return await async_tasks.queue_task(
                tx,
                account.actor,
                kind="batch_generation",
                project_id=project["numeric_id"],
                args={"project_id": project["numeric_id"], "ledger_id": 7},
                lock="ledger 7",
            )

    return server.run(queue()).id


def do(server, action, *values):
    async def alone():
        async with server.database.write() as tx:
            return await action(tx, *values)

    return server.run(alone())


def test_a_new_task_is_pending(api, task_id):
    task = api.get(f"/async_tasks/{task_id}").expect(200).body

    assert set(task) == {
        "id", "type", "state", "progress", "progress_description", "created_at", "started_at", "finished_at",
        "error_message", "result", "args",
    }  # fmt: skip
    assert (task["id"], task["type"], task["state"]) == (task_id, "batch_generation", "pending")
    assert (task["progress"], task["progress_description"]) == (0, None)
    assert (task["started_at"], task["finished_at"], task["error_message"], task["result"]) == (None,) * 4
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", task["created_at"])
    assert task["args"]["ledger_id"] == 7


def test_a_task_that_is_picked_up_is_running_and_tells_its_progress(api, server, task_id):
    attempt = do(server, async_tasks.begin_attempt, task_id)
    server.run(async_tasks.report_progress(server.database, attempt, 40, "Computing slot 2 of 5"))

    task = api.get(f"/async_tasks/{task_id}").body

    assert (task["state"], task["progress"]) == ("running", 40)
    assert task["progress_description"] == "Computing slot 2 of 5"
    assert task["started_at"] is not None


def test_a_task_that_succeeds_is_complete(api, server, task_id):
    attempt = do(server, async_tasks.begin_attempt, task_id)
    do(server, async_tasks.complete_task, attempt, {"batches": 3})

    task = api.get(f"/async_tasks/{task_id}").body

    assert (task["state"], task["progress"], task["error_message"]) == ("complete", 100, None)
    assert task["result"] == {"batches": 3}
    assert task["finished_at"] >= task["started_at"] >= task["created_at"]


def test_a_task_that_fails_says_why(api, server, task_id):
    do(server, async_tasks.begin_attempt, task_id)
    do(server, async_tasks.fail_task, task_id, "The scale was down.")

    task = api.get(f"/async_tasks/{task_id}").body

    assert (task["state"], task["error_message"]) == ("failed", "The scale was down.")
    assert task["finished_at"] is not None


def test_an_ended_task_stays_as_it_is(api, server, task_id):
    attempt = do(server, async_tasks.begin_attempt, task_id)
    do(server, async_tasks.complete_task, attempt, None)
    before = api.get(f"/async_tasks/{task_id}").body

    assert do(server, async_tasks.begin_attempt, task_id) is None
    do(server, async_tasks.fail_task, task_id, "too late")

    assert api.get(f"/async_tasks/{task_id}").body == before


def test_an_overtaken_attempt_can_neither_hold_the_fence_nor_succeed(api, server, task_id):
    frozen = do(server, async_tasks.begin_attempt, task_id)
    newer = do(server, async_tasks.begin_attempt, task_id)

    with pytest.raises(async_tasks.AttemptSupersededError):
        do(server, async_tasks.lock_current_attempt, frozen)
    do(server, async_tasks.complete_task, frozen, "from the frozen worker")
    do(server, async_tasks.lock_current_attempt, newer)

    assert api.get(f"/async_tasks/{task_id}").body["state"] == "running"


def test_a_task_whose_every_attempt_died_is_given_up(api, server, task_id):
    for _ in range(5):
        assert do(server, async_tasks.begin_attempt, task_id) is not None

    assert do(server, async_tasks.begin_attempt, task_id) is None

    task = api.get(f"/async_tasks/{task_id}").body
    assert task["state"] == "failed"
    assert task["error_message"] == "The task was given up after 5 attempts, none of which came to an end."


def test_a_task_and_its_job_are_stored_together_or_not_at_all(server, account, api, sql):
    project = given.project(api)

    async def queue_and_break():
        async with server.database.write() as tx:
            await async_tasks.queue_task(
                tx,
                account.actor,
                kind="batch_generation",
                project_id=project["numeric_id"],
                args={},
                lock="x",
            )
            raise RuntimeError

    jobs = "SELECT count(*) FROM procrastinate_jobs"
    before = sql(jobs)
    with pytest.raises(RuntimeError):
        server.run(queue_and_break())

    assert sql(jobs) == before
    assert sql("SELECT id FROM async_tasks WHERE account_id = %s", account.id) == []


def test_a_queued_task_has_one_job_with_its_lock(sql, task_id):
    jobs = sql("SELECT status::text, lock FROM procrastinate_jobs WHERE args->>'task_id' = %s", str(task_id))

    assert jobs == [("todo", "ledger 7")]


@pytest.mark.parametrize("name", ["0", "-1", "999999999", "99999999999999999999", "abc", "²"])
def test_a_number_of_no_task_finds_nothing(api, name):
    api.get(f"/async_tasks/{name}").expect_not_found("async_task", name)


def test_the_list_holds_the_accounts_tasks_and_filters_by_state(api, server, stranger, task_id):
    assert [task["id"] for task in api.get("/async_tasks").expect(200).data] == [task_id]
    assert stranger.get("/async_tasks").data == []

    do(server, async_tasks.begin_attempt, task_id)

    assert [task["id"] for task in api.get("/async_tasks", {"filter[state]": "running"}).data] == [task_id]
    assert api.get("/async_tasks", {"filter[state]": "pending"}).data == []
