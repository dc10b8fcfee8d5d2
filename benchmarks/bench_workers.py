"""Tasks carried out in a minute by 1, 2 and 4 workers, and how much more that is than by one.

Each project has a model over a month of hourly events of a ledger of its own, so that no task waits for the
lock of another. All are generated once for each number of workers, on ledgers that are made anew; the time is
from the first request to the end of the last task. How far more workers help follows from the cores: the
formulas run in the worker, the sums in PostgreSQL.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import psycopg
from service import Service, now, service

PROJECTS = 24
HOURS = 28 * 24
WORKERS = (1, 2, 4)
MODEL = """
name: Energy
cadence: daily
partition_type: time
primary_output: delivered
nodes:
  - slug: energy
    input: {event_type: reading, data_point_type: energy, aggregate: sum}
    unit: kWh
  - slug: spread
    input: {event_type: reading, data_point_type: energy, aggregate: values}
    unit: kWh
  - slug: delivered
    formula: energy - 0.001 * sum(spread)
    unit: kWh
    output: true
"""


def main() -> None:
    with service(api_processes=1) as running:
        plants = [_plant(running, number) for number in range(PROJECTS)]
        alone = 0.0
        for workers in WORKERS:
            seconds = _generated(running, plants, workers)
            rate = 60 * PROJECTS / seconds
            alone = alone or rate
            print(
                f"{workers} workers: {PROJECTS} generations of 28 batches each in {seconds:.2f} s, "
                f"{rate:,.0f} a minute, {rate / alone:.2f} times as many as one ({os.cpu_count()} cores)"
            )


def _generated(running: Service, plants: list[str], workers: int) -> float:
    """The seconds that so many workers take for one generation of each plant, on new ledgers."""
    ledgers = [_ledger(running, project, workers) for project in plants]
    programs = [_worker(running) for _ in range(workers)]
    try:
        _await_workers(running, workers)
        started = now()
        asked = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-01-29T00:00:00Z"}
        tasks = [running.call("POST", f"/ledgers/{ledger}/batch_generations", asked) for ledger in ledgers]
        for task in tasks:
            ended = task
            while ended["state"] not in {"complete", "failed"}:
                ended = running.call("GET", f"/async_tasks/{task['id']}")
                time.sleep(0.02)
            assert ended["state"] == "complete", ended
            assert ended["result"]["created"] == 28, ended
        return now() - started
    finally:
        for program in programs:
            program.terminate()
        for program in programs:
            program.wait(60)


def _worker(running: Service) -> subprocess.Popen[bytes]:
    command = Path(sys.executable).with_name("weighbridge")
    variables = {"WEIGHBRIDGE_LOG_LEVEL": "warning", "WEIGHBRIDGE_WORKER_CONCURRENCY": "1"}
    return subprocess.Popen(
        [command, "worker", "--data-dir", str(running.data_dir)], env=os.environ | variables
    )


def _await_workers(running: Service, number: int) -> None:
    """Wait until so many workers look for tasks: starting them is no part of what they do."""
    counted = (
        "SELECT count(*) FROM procrastinate_workers WHERE last_heartbeat > now() - interval '30 seconds'"
    )
    with psycopg.connect(running.database_url, autocommit=True) as connection:
        while connection.execute(counted).fetchone() != (number,):
            time.sleep(0.02)


def _plant(running: Service, number: int) -> str:
    """A project with its events."""
    project = running.call("POST", "/projects", {"project": {"name": f"Plant {number}"}})["id"]
    body = {
        "name": "Reading", "slug": "reading", "expected_locations": "none", "reusable_in_batches": True,
        "data_point_types": [{"name": "energy", "slug": "energy", "value_type": "number", "unit": "kWh"}],
    }  # fmt: skip
    running.call("POST", f"/projects/{project}/event_types", {"event_type": body})
    events = [
        {
            "event_type": "reading",
            "start_time": f"2025-01-{hour // 24 + 1:02d}T{hour % 24:02d}:00:00Z",
            "end_time": f"2025-01-{hour // 24 + 1:02d}T{hour % 24:02d}:59:00Z",
            "data_points": [{"slug": "energy", "value": (hour * 37 + number) % 977}],
        }
        for hour in range(HOURS)
    ]
    running.call("POST", f"/projects/{project}/events", {"events": events})
    assert isinstance(project, str)
    return project


def _ledger(running: Service, project: str, workers: int) -> str:
    """A ledger with a model of its own, which credits it alone."""
    model = running.call("POST", "/models", {"model": {"project_id": project, "yaml": MODEL}})["id"]
    ledger = {"name": f"Energy of {workers}", "unit": "kWh", "model_id": model}
    made: str = running.call("POST", f"/projects/{project}/ledgers", {"ledger": ledger})["id"]
    return made


if __name__ == "__main__":
    main()
