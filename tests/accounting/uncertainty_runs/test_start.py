"""What may be repeated, how many trials, by whom, and how many runs at a time."""

import pytest
from tests.given import accounting, instruments
from tests.given import collection as given
from tests.given import inputs as given_inputs
from tests.given.inputs import measure
from tests.given.instruments import enter
from tests.given.reports import Claims
from tests.given.uncertain_chains import JANUARY, plant, start, state_of_type


@pytest.fixture
def books(api, drain):
    made = plant(api, drain)
    state_of_type(made, {"standard": 0.1})
    measure(made, "delivery", {"mass": 10}, "2025-01-10")
    made.generate(JANUARY)
    return made


@pytest.fixture
def path(books):
    return f"/batches/{books.batches()[0]['id']}"


def test_a_queued_run_has_no_result_yet(api, books, path):
    started = start(books, path, seed=3)

    assert (started["state"], started["trials_done"], started["seed"]) == ("pending", 0, 3)
    assert (started["unit"], started["estimate"]) == ("t", 10)
    assert started["mean"] is started["histogram"] is started["first_order"] is None
    assert "binary floating point" in started["arithmetic"]
    assert api.get(f"{path}/uncertainty_runs").data == [started]


def test_what_is_not_said_is_as_the_model_and_the_service_have_it(api, path):
    answer = api.post(f"{path}/uncertainty_runs", {}).expect(202)

    found = answer.body["uncertainty_run"]
    assert (found["trials"], found["seed"]) == (100_000, 0)
    assert float(found["coverage_probability"]) == 0.95
    assert answer.headers["location"].endswith(f"/async_tasks/{found['async_task_id']}")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"trials": 10**9}, "trials"),
        ({"trials": 99}, "trials"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**53}, "seed"),
        ({"coverage_probability": 1}, "coverage_probability"),
        ({"trials": 100, "coverage_probability": 0.999}, "coverage_probability"),
    ],
)
def test_a_run_that_cannot_be_is_refused_with_what_is_allowed(api, path, fields, field):
    [error] = api.post(f"{path}/uncertainty_runs", {"uncertainty_run": fields}).expect(422).body["errors"]

    assert (error["field"], error["code"]) == (field, "invalid")
    assert error["message"].startswith(f"uncertainty_run.{field} is ")


def test_a_batch_of_a_model_that_does_not_ask_is_refused(api, drain):
    made = given_inputs.plant(api, drain, accounting.MASS, primary_output="mass")
    measure(made, "delivery", {"mass": 10}, "2025-01-10")
    made.generate(JANUARY)
    batch = made.batches()[0]["id"]
    report = Claims(made).report(1)["id"]

    for place in (f"/batches/{batch}", f"/reports/{report}"):
        [error] = api.post(f"{place}/uncertainty_runs", {}).expect(422).body["errors"]
        assert error["code"] == "not_uncertain"


def test_an_instrument_has_no_run_to_repeat(api):
    project = given.project(api)
    made = enter(api, instruments.system_ledger(api, project), "REC-1").expect(201).body["id"]

    [error] = api.post(f"/batches/{made}/uncertainty_runs", {}).expect(422).body["errors"]

    assert (error["code"], "entered by hand" in error["message"]) == ("no_run", True)


def test_a_deleted_batch_is_not_found(api, books, path, drain):
    api.post(
        f"/ledgers/{books.ledger['id']}/batch_deletions", {"batch_ids": [path.rpartition("/")[2]]}
    ).expect(202)
    drain()

    api.post(f"{path}/uncertainty_runs", {}).expect(404)
    api.get(f"{path}/uncertainty_runs").expect(404)


def test_an_account_has_four_unfinished_runs_at_most(api, books, path):
    for seed in range(4):
        start(books, path, seed=seed)

    answer = api.post(f"{path}/uncertainty_runs", {}).expect(429)

    assert "unfinished uncertainty runs" in answer.body["errors"][0]["message"]
    books.drain()
    start(books, path)


def test_who_reads_books_reads_trials_and_who_writes_them_starts_some(account, stranger, books, path):
    reader = account.caller("production_accounting:read")
    started = start(books, path)

    reader.post(f"{path}/uncertainty_runs", {}).expect(403)
    reader.get(f"/uncertainty_runs/{started['id']}").expect(200)
    account.caller("data_collection:read").get(f"/uncertainty_runs/{started['id']}").expect(403)
    stranger.get(f"/uncertainty_runs/{started['id']}").expect(404)
    stranger.post(f"{path}/uncertainty_runs", {}).expect(404)


def test_a_cancelled_run_has_failed(api, books, path):
    started = start(books, path)
    api.post(f"/async_tasks/{started['async_task_id']}/cancel", {}).expect(200)

    found = api.get(f"/uncertainty_runs/{started['id']}").body

    assert (found["state"], found["mean"]) == ("failed", None)
    assert "cancelled" in found["error_message"]


def test_the_log_tells_of_start_and_end(api, books, path):
    started = start(books, path)
    books.drain()

    rows = api.get("/audit_log", {"filter[object]": started["id"]}).data

    assert [row["action"] for row in rows] == ["uncertainty_run.finish", "uncertainty_run.start"]
