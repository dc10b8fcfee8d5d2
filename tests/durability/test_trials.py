"""Trials survive their worker: what was computed is kept, and the result is the same to the last byte."""

import asyncio
import os
import signal

import psycopg
import pytest
from tests.durability.processes import until
from tests.durability.real_service import Service, second_worker

from weighbridge.db.embedded.instance import server
from weighbridge.db.engine import Database
from weighbridge.platform.api_tokens import create_token
from weighbridge.platform.users import create_account

LEASE = {"WEIGHBRIDGE_LEASE_SECONDS": "2"}
JANUARY = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-02-01T00:00:00Z"}
TRIALS = 400_000
LOADS = 40
MODEL = """
name: Deliveries
cadence: monthly
partition_type: time
primary_output: mass
uncertainty: {coverage_probability: 0.95}
nodes:
  - slug: loads
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
  - slug: mass
    formula: loads * exp(value(loads, 't') / 1000)
    unit: t
    output: true
"""
MAKE = """
    INSERT INTO projects (account_id, name) SELECT id, 'Plant' FROM accounts ORDER BY id LIMIT 1;
    INSERT INTO event_types (project_id, slug, name) VALUES (1, 'delivery', 'Delivery');
    INSERT INTO data_point_types
           (project_id, event_type_id, position, slug, name, value_type, unit, uncertainty)
         VALUES (1, 1, 1, 'mass', 'Mass', 'number', 't', '{"standard": 0.05}');
"""
LOAD = """
    INSERT INTO events (project_id, id, event_type_id, start_time, end_time, numbers, is_complete)
    SELECT 1, n, 1, moment, moment, ARRAY[10 + n %% 7], true
      FROM (SELECT n, '2025-01-01Z'::timestamptz + n * interval '1 hour' AS moment
              FROM generate_series(1, %s) AS n) AS made
"""
APART = ("id", "async_task_id", "created_at", "finished_at")


async def _token(url):
    async with Database(url, connections_max=1) as database, database.write() as tx:
        actor = await create_account(tx, name="Plant", request_id="given")
        return await create_token(
            tx,
            actor,
            user_id=actor.user_id,
            name="test",
            permissions=["production_accounting:write"],
            lifetime_days=None,
        )


@pytest.fixture(scope="module")
def loaded(shared_dir):
    """A data directory with deliveries whose readings state their uncertainty, and a token for it."""
    with server(shared_dir) as url:
        token = asyncio.run(_token(url))
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(MAKE)
            connection.execute(LOAD, (LOADS,))
    return shared_dir, token


@pytest.fixture
def service(shared_folder, loaded):
    data_dir, token = loaded
    running = Service(data_dir, token, log=shared_folder / "stderr", **LEASE)
    yield running
    running.close()


def generate(service):
    """The path of a batch that is posted."""
    model = service.call("POST", "/models", {"model": {"project_id": 1, "yaml": MODEL}})
    ledger = {"name": model["id"], "unit": "t", "model_id": model["id"]}
    ledger = service.call("POST", "/projects/1/ledgers", {"ledger": ledger})["id"]
    task = service.finished(service.call("POST", f"/ledgers/{ledger}/batch_generations", JANUARY)["id"])
    assert task["state"] == "complete", task
    [batch] = service.call("GET", f"/ledgers/{ledger}/batches")["data"]
    return f"/batches/{batch['id']}"


def start(service, path):
    body = {"uncertainty_run": {"trials": TRIALS, "seed": 11}}
    return service.call("POST", f"{path}/uncertainty_runs", body)["uncertainty_run"]


def finish(service, started):
    """What the trials came to, without when and by which task."""
    service.finished(started["async_task_id"])
    found = service.call("GET", f"/uncertainty_runs/{started['id']}")
    assert found["state"] == "complete", found
    return {name: value for name, value in found.items() if name not in APART}


def test_killed_workers_and_several_of_them_have_the_result_of_one(service, loaded, shared_folder):
    path = generate(service)
    undisturbed = finish(service, start(service, path))

    killed = start(service, path)
    one = f"/uncertainty_runs/{killed['id']}"
    until(lambda: service.call("GET", one)["trials_done"], what="some blocks are kept")
    worker = service.worker()
    os.kill(worker, signal.SIGKILL)
    kept = service.call("GET", one)
    assert kept["state"] == "running"
    assert 0 < kept["trials_done"] < TRIALS
    assert finish(service, killed) == undisturbed
    with server(loaded[0]) as url, psycopg.connect(url, autocommit=True) as connection:
        number = killed["async_task_id"]
        [attempts] = connection.execute("SELECT attempt FROM async_tasks WHERE id = %s", (number,)).fetchone()
        blocks = connection.execute("SELECT count(*) FROM uncertainty_run_blocks").fetchone()
    assert (attempts > 1, blocks) == (True, (0,))

    others = [second_worker(loaded[0], log=shared_folder / "stderr", **LEASE) for _ in range(3)]
    try:
        several = [start(service, path) for _ in range(4)]
        assert [finish(service, run) for run in several] == [undisturbed] * 4
    finally:
        for other in others:
            other.close()
