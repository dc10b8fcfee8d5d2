"""`queue_task`: a task and its job are written together, or not at all."""

import pytest

from weighbridge.platform import async_tasks


def test_a_queued_task_is_pending_and_has_a_job_under_its_lock(hands):
    number = hands.queue(args={"project_id": 7, "ledger_id": 9}, lock="ledger 9")

    task = hands.task(number)

    assert (task["type"], task["state"], task["progress"]) == ("batch_generation", "pending", 0)
    assert task["args"] == {"project_id": 7, "ledger_id": 9}
    assert (task["started_at"], task["finished_at"], task["result"], task["error_message"]) == (None,) * 4
    assert hands.jobs(number) == [("todo", "ledger 9")]


def test_a_request_that_fails_after_it_queued_leaves_neither_task_nor_job(hands, server):
    async def queue_and_fail():
        async with server.database.write() as tx:
            await async_tasks.queue_task(
                tx,
                hands.account.actor,
                kind="x",
                project_id=hands.project["numeric_id"],
                args={},
                lock="lost",
            )
            raise LookupError

    with pytest.raises(LookupError):
        server.run(queue_and_fail())

    assert hands.api.get("/async_tasks").data == []
    assert server.sql("SELECT id FROM procrastinate_jobs WHERE lock = 'lost'") == []


def test_the_newest_task_is_listed_first(hands):
    first, second = hands.queue(), hands.queue()

    assert [task["id"] for task in hands.api.get("/async_tasks").data] == [second, first]
