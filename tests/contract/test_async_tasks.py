"""Seed, Async task and its states: a test for each sentence."""

import re

from tests import given_accounting as accounting

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


def started(api, drain, mass=1):
    plant = accounting.plant(api, drain)
    plant.deliver(mass)
    return plant.start().expect(202).body


def task_of(api, task):
    return api.get(f"/async_tasks/{task['id']}").expect(200).body


def test_an_accepted_operation_is_pending_with_progress_0(api, drain):
    task = started(api, drain)

    assert set(task) == {
        "id", "type", "state", "progress", "progress_description", "created_at", "started_at", "finished_at",
        "error_message", "result", "args",
    }  # fmt: skip
    assert (task["type"], task["state"], task["progress"]) == ("batch_generation", "pending", 0)
    assert re.fullmatch(TIME, task["created_at"])
    assert (task["started_at"], task["finished_at"], task["error_message"], task["result"]) == (None,) * 4


def test_processing_that_ends_well_is_complete_with_progress_100_and_no_error(api, drain):
    task = started(api, drain)
    drain()

    ended = task_of(api, task)

    assert (ended["state"], ended["progress"], ended["error_message"]) == ("complete", 100, None)
    assert ended["created_at"] <= ended["started_at"] <= ended["finished_at"]


def test_processing_that_ends_in_an_error_is_failed_with_its_message(api, drain):
    task = started(api, drain, mass=-1)
    drain()

    ended = task_of(api, task)

    assert (ended["state"], ended["result"]) == ("failed", None)
    assert ended["error_message"] == "2025-01: 'mass' comes to -1 t, and a ledger holds no negative amount."
    assert ended["finished_at"] is not None


def test_a_task_that_has_ended_stays_as_it_is(api, drain):
    task = started(api, drain)
    drain()
    ended = task_of(api, task)

    drain()

    assert task_of(api, task) == ended


def test_a_caller_is_told_to_poll_every_2_to_5_seconds(api, drain):
    plant = accounting.plant(api, drain)

    assert 2 <= int(plant.start().headers["retry-after"]) <= 5


def test_the_task_of_another_account_is_not_found(api, drain, stranger):
    task = started(api, drain)

    assert stranger.get(f"/async_tasks/{task['id']}").expect(404).error["message"] == "record not found"
    assert stranger.get("/async_tasks").data == []


def test_an_id_that_is_no_number_is_not_found(api):
    for wrong in ("x", "0", "-1", "99999999999999999999", "1.0"):
        api.get(f"/async_tasks/{wrong}").expect(404)
