"""Ten times the data of the generation benchmark: how much longer a generation takes, and in what memory.

A year of one-minute events with five values (2.6 million values), then a year of six-second events
(26 million), each summed by a model of five inputs into twelve monthly batches with full lineage. The time
is that from the request to the finished task, as the task says; the baseline is the smaller year.
"""

import time
from datetime import datetime
from pathlib import Path

import psycopg
from bench_generation import MODEL, SLUGS
from service import Service, descendants, peak_memory_mb, service

MINUTES = 365 * 24 * 60
TIMES = 10
TIME_GOAL = 10.5
POLL_SECONDS = 0.5
LOAD = """
    INSERT INTO events (project_id, id, event_type_id, start_time, end_time, numbers, is_complete)
    SELECT %(project)s, %(first)s + n, %(type)s, moment, moment + %(step)s,
           ARRAY[11.898 + n %% 977, 0.32663, 1018.7, (n %% 613) / 8.0, 83.675], true
      FROM (SELECT n, '2025-01-01Z'::timestamptz + n * %(step)s::interval AS moment
              FROM generate_series(0, %(count)s - 1) AS n) AS made
"""


def main() -> None:
    with service(api_processes=1, with_worker=True) as running:
        small = _measured(running, "Minutes", MINUTES, "1 minute", 10**9)
        large = _measured(running, "Seconds", MINUTES * TIMES, "6 seconds", 10**10)
        worker = next(pid for pid in descendants(running.process.pid) if "worker" in _command(pid))
        print(f"{TIMES} times the data: {large / small:.1f} times as long (goal: at most {TIME_GOAL})")
        print(f"worker's peak memory {peak_memory_mb(worker):.0f} MB")


def _measured(running: Service, name: str, count: int, step: str, first: int) -> float:
    """The best of two generations, each on a model and ledger of its own."""
    project = running.call("POST", "/projects", {"project": {"name": name}})
    types = [{"name": slug, "slug": slug, "value_type": "number"} for slug in SLUGS]
    body = {
        "name": "Reading", "slug": "reading", "expected_locations": "none", "reusable_in_batches": True,
        "data_point_types": types,
    }  # fmt: skip
    kind = running.call("POST", f"/projects/{project['id']}/event_types", {"event_type": body})
    values = {
        "project": project["numeric_id"],
        "type": kind["data_point_types"][0]["nexus_event_type_id"],
        "first": first,
        "count": count,
        "step": step,
    }
    with psycopg.connect(running.database_url, autocommit=True) as connection:
        connection.execute(LOAD, values)
        connection.execute("VACUUM ANALYZE events")
    taken = [_generate(running, project["id"], number) for number in range(2)]
    print(f"{count:,} events: {min(taken):.2f} s and {max(taken):.2f} s")
    return min(taken)


def _generate(running: Service, project: str, number: int) -> float:
    model = running.call("POST", "/models", {"model": {"project_id": project, "yaml": MODEL}})
    ledger = {"name": f"Energy {number}", "unit": "1", "model_id": model["id"]}
    made = running.call("POST", f"/projects/{project}/ledgers", {"ledger": ledger})
    asked = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2026-01-01T00:00:00Z"}
    task = running.call("POST", f"/ledgers/{made['id']}/batch_generations", asked)
    while task["state"] not in {"complete", "failed"}:
        time.sleep(POLL_SECONDS)
        task = running.call("GET", f"/async_tasks/{task['id']}")
    assert task["state"] == "complete", task
    created, finished = (datetime.fromisoformat(task[name]) for name in ("created_at", "finished_at"))
    return (finished - created).total_seconds()


def _command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")


if __name__ == "__main__":
    main()
