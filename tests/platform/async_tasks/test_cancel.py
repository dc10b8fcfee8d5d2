"""`POST /async_tasks/{id}/cancel`: a task that has not ended fails, and whoever is at it stops."""

import asyncio

import pytest
from tests.given import accounting

from weighbridge.errors import Invalid
from weighbridge.platform import async_tasks
from weighbridge.platform.async_tasks import AttemptSupersededError
from weighbridge.worker import watch_work

MESSAGE = "The task was cancelled; it has changed nothing."


def test_a_pending_task_that_is_cancelled_has_failed_and_leaves_the_queue(hands):
    task = hands.queue()

    cancelled = hands.api.post(f"/async_tasks/{task}/cancel", {}).expect(200).body

    assert (cancelled["state"], cancelled["error_message"]) == ("failed", MESSAGE)
    assert cancelled == hands.task(task)
    assert cancelled["finished_at"] is not None
    assert hands.jobs(task) == []
    assert hands.begin(task) is None


def test_a_cancelled_generation_makes_no_batches(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1)
    task = plant.start().expect(202).body

    api.send("POST", f"/async_tasks/{task['id']}/cancel").expect(200)
    drain()

    assert api.get(f"/async_tasks/{task['id']}").body["error_message"] == MESSAGE
    assert plant.batches() == []
    plant.generate()
    assert len(plant.batches()) == 1


def test_a_running_task_that_is_cancelled_publishes_nothing(hands):
    attempt = hands.begun()

    hands.api.post(f"/async_tasks/{attempt.task_id}/cancel", {}).expect(200)

    with pytest.raises(AttemptSupersededError):
        hands.do(async_tasks.lock_current_attempt, attempt)
    with pytest.raises(AttemptSupersededError):
        hands.server.run(async_tasks.report_progress(hands.server.database, attempt, 60, "Writing"))
    assert hands.task(attempt.task_id)["error_message"] == MESSAGE


def test_a_snapshot_from_before_the_cancellation_publishes_nothing_either(hands, server):
    attempt = hands.begun()

    async def publish():
        async with server.database.snapshot(locks=[f"fence {attempt.task_id}"]) as tx:
            await tx.value("SELECT 1")
            async with server.database.write() as other:
                await async_tasks.cancel_task(other, hands.account.actor, str(attempt.task_id))
            await async_tasks.lock_current_attempt(tx, attempt)

    with pytest.raises(AttemptSupersededError):
        server.run(publish())


def test_work_at_a_task_that_is_cancelled_is_broken_off(hands, server):
    attempt = hands.begun()
    broken_off = []

    async def work():
        async with server.database.write() as tx:
            await async_tasks.cancel_task(tx, hands.account.actor, str(attempt.task_id))
        try:
            await asyncio.Event().wait()
        finally:
            broken_off.append(True)

    with pytest.raises(AttemptSupersededError):
        server.run(watch_work(server.database, attempt, work(), seconds=60))
    assert broken_off == [True]


def test_work_that_takes_longer_than_it_may_is_broken_off_by_name(hands, server):
    attempt = hands.begun()

    with pytest.raises(Invalid, match=r"The task was at work for 0\.1 seconds, which is all it may\."):
        server.run(watch_work(server.database, attempt, asyncio.Event().wait(), seconds=0.1))


def test_a_failure_of_the_work_is_its_own(hands, server):
    attempt = hands.begun()

    async def work():
        raise LookupError("no such slot")

    with pytest.raises(LookupError, match="no such slot"):
        server.run(watch_work(server.database, attempt, work(), seconds=60))


def test_a_run_of_a_rule_fails_with_its_task(api, drain):
    plant = accounting.plant(api, drain)
    rule = {"name": "Watch", "expression": "{{mass}} > 1", "effective_from": "2025-01-01T00:00:00Z"}
    saved = api.post(f"/projects/{plant.project['id']}/rules", {"rule": rule}).expect(201).body
    [task] = api.get("/async_tasks", {"filter[state]": "pending"}).data

    api.post(f"/async_tasks/{task['id']}/cancel", {}).expect(200)

    run = api.get(f"/rule_runs/{saved['rule_run_id']}").expect(200).body
    assert (run["state"], run["error_message"]) == ("failed", MESSAGE)


def test_a_task_that_has_ended_is_not_cancelled(hands):
    attempt = hands.begun()
    hands.do(async_tasks.complete_task, attempt, None)

    error = hands.api.post(f"/async_tasks/{attempt.task_id}/cancel", {}).expect(409).error

    assert error["code"] == "task_ended"
    assert error["message"] == "The task is complete; only one that is pending or running can be cancelled."


def test_a_cancellation_is_in_the_audit_log(hands):
    task = hands.queue()
    hands.api.post(f"/async_tasks/{task}/cancel", {}).expect(200)

    [row] = hands.api.get("/audit_log", {"filter[action]": "async_task.cancel"}).expect(200).data
    assert row["object"] == str(task)
    assert (row["before"]["state"], row["after"]["state"]) == ("pending", "failed")


def test_cancelling_takes_the_permission_that_starts_the_task(hands, account, stranger):
    task = hands.queue()
    reader = account.caller("production_accounting:read", "data_rules:write")

    error = reader.post(f"/async_tasks/{task}/cancel", {}).expect(403).error

    assert error["message"] == "The token lacks the permission production_accounting:write."
    stranger.post(f"/async_tasks/{task}/cancel", {}).expect(404)
    assert hands.task(task)["state"] == "pending"
