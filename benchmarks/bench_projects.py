"""The cost of one project as the number of projects grows from 10 over 100 to 1,000.

All projects are alike: an event type, a location, an automatic rule, a model with a ledger, and 1,000 events
loaded; a worker runs beside. At each number of projects, the same work is done in twenty projects spread over
all there are: 500 events in one request, a month's generation, pages of events, batches and ledgers of the
project. Pages of what the account has are shown too, without a goal: they grow until there are a thousand
rows to count, and those of batches with the projects that have some. The figure is the slowest of the quicker
quarter, as what a busy machine adds is no cost of the projects; the baseline is that of ten projects. What is
done while nobody asks for anything is measured too: the processor time of all processes, the database's among
them, in ten seconds.

    python benchmarks/bench_projects.py [PROJECTS ...]
"""

import json
import os
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
from service import Service, descendants, now, send, service

SIZES = (10, 100, 1000)
EVENTS = 1000
EVENTS_PER_REQUEST = 500
SAMPLED = 20
WARM = 3
IDLE_SECONDS = 10
POLL_SECONDS = 0.01
GOAL = 1.2
START = datetime(2025, 1, 1, tzinfo=UTC)
MODEL = """
name: Deliveries
cadence: monthly
partition_type: time
primary_output: delivered
nodes:
  - slug: mass
    input: {event_type: reading, data_point_type: mass, aggregate: sum}
    unit: ""
  - slug: delivered
    formula: mass * 0.98
    unit: ""
    output: true
"""
LOAD = """
    INSERT INTO events (project_id, id, event_type_id, start_time, end_time, location_ids, numbers,
                        is_complete)
    SELECT %(project)s, %(first)s + n, %(type)s, moment, moment + interval '30 minutes',
           ARRAY[(SELECT min(id) FROM locations WHERE project_id = %(project)s)], ARRAY[11.898 + n %% 977],
           true
      FROM (SELECT n, '2025-01-01Z'::timestamptz + n * interval '30 minutes' AS moment
              FROM generate_series(0, %(count)s - 1) AS n) AS made
"""


@dataclass(frozen=True)
class Plant:
    """One of the projects."""

    id: str
    ledger: str
    place: str


def main() -> None:
    sizes = [int(one) for one in sys.argv[1:]] or list(SIZES)
    measured: dict[int, dict[str, float]] = {}
    with service(api_processes=1, with_worker=True) as running:
        plants: list[Plant] = []
        for size in sizes:
            started = now()
            while len(plants) < size:
                plants.append(_plant(running, len(plants)))
            with psycopg.connect(running.database_url, autocommit=True) as connection:
                connection.execute("ANALYZE")
            print(
                f"{size} projects of {EVENTS} events, the last of them made in {now() - started:.0f} s",
                flush=True,
            )
            if not measured:
                _measured(running, plants, turn=0)  # whatever is done for the first time is done now
            measured[size] = _measured(running, plants, turn=len(measured) + 1)
            for name, figure in measured[size].items():
                ratio = figure / measured[sizes[0]][name]
                print(f"{size} projects: {name}: {figure:.2f} ms, ratio {ratio:.2f}", flush=True)
    last, first = measured[sizes[-1]], measured[sizes[0]]
    worst = max((last[name] / first[name], name) for name in last if not name.startswith("account"))
    print(
        f"from {sizes[0]} to {sizes[-1]} projects: worst ratio {worst[0]:.2f}, {worst[1]} "
        f"(goal: at most {GOAL})"
    )


def _plant(running: Service, number: int) -> Plant:
    project = running.call("POST", "/projects", {"project": {"name": f"Plant {number}"}})
    inside = f"/projects/{project['id']}"
    kind = running.call("POST", f"{inside}/event_types", {"event_type": {
        "name": "Reading", "slug": "reading", "reusable_in_batches": True,
        "data_point_types": [{"name": "Mass", "slug": "mass", "value_type": "number"}]}})  # fmt: skip
    place = running.call("POST", f"{inside}/locations", {"location": {"name": "Scale"}})
    running.call("POST", f"{inside}/rules", {"rule": {
        "name": "Heavy", "expression": "{{mass}} > 100000", "effective_from": "2025-01-01T00:00:00Z",
        "evaluation": "automatic"}})  # fmt: skip
    model = running.call("POST", "/models", {"model": {"project_id": project["id"], "yaml": MODEL}})
    ledger = {"name": "Deliveries", "unit": "1", "model_id": model["id"]}
    made = running.call("POST", f"{inside}/ledgers", {"ledger": ledger})
    values = {
        "project": project["numeric_id"], "first": 10**9 + number * EVENTS, "count": EVENTS,
        "type": kind["data_point_types"][0]["nexus_event_type_id"],
    }  # fmt: skip
    with psycopg.connect(running.database_url, autocommit=True) as connection:
        connection.execute(LOAD, values)
    return Plant(project["id"], made["id"], place["id"])


def _measured(running: Service, plants: list[Plant], turn: int) -> dict[str, float]:
    """Milliseconds of each piece of work in one project, of the quicker quarter of those asked."""
    step = max(1, len(plants) // SAMPLED)
    chosen = (plants[::step] * SAMPLED)[:SAMPLED]
    connection = running.connect()

    def asked(method: str, path: str, body: Any = None) -> tuple[float, Any]:
        content = None if body is None else json.dumps(body).encode()
        started = now()
        status, answer = send(connection, running.token, method, path, content)
        taken = now() - started
        assert status < 300, answer
        return taken, json.loads(answer)

    for plant in chosen[:WARM]:
        for path in _pages(plant).values():
            asked("GET", path)
    found: dict[str, list[float]] = {}
    for place, plant in enumerate(chosen):
        moment = START + timedelta(days=31 + (turn * SAMPLED + place) * 20)
        found.setdefault("ingest of 500 events", []).append(
            asked("POST", f"/projects/{plant.id}/events", {"events": _events(plant, moment)})[0]
        )
    _settled(running)
    for place, plant in enumerate(chosen):
        found.setdefault("generation of a month", []).append(_generation(asked, plant, turn, place))
    for _ in range(WARM):
        for plant in chosen:
            for name, path in _pages(plant).items():
                found.setdefault(name, []).append(asked("GET", path)[0])
    return {name: sorted(values)[len(values) // 4] * 1000 for name, values in found.items()} | {
        "processors while idle, per second": _idle(running) * 1000
    }


def _pages(plant: Plant) -> dict[str, str]:
    inside = f"/projects/{plant.id}"
    return {
        "page of events": f"{inside}/events?sort=-start_time",
        "page of events of a type": f"{inside}/events?filter[slug]=reading",
        "page of data points": f"{inside}/data_points?slug=mass",
        "page of batches": f"{inside}/batches",
        "page of ledgers": f"{inside}/ledgers",
        "page of rule results": f"{inside}/rule_results",
        "account: page of batches": "/batches",
        "account: page of projects": "/projects",
        "account: page of the audit log": "/audit_log",
        "account: page of changes": "/changes?page_size=20",
    }


def _events(plant: Plant, moment: datetime) -> list[dict[str, Any]]:
    def text(minutes: int) -> str:
        return (moment + timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")

    return [
        {
            "event_type": "reading", "start_time": text(index), "end_time": text(index + 1),
            "locations": [{"id": plant.place}], "data_points": [{"slug": "mass", "value": 11.5 + index}],
        }
        for index in range(EVENTS_PER_REQUEST)
    ]  # fmt: skip


def _generation(asked: Any, plant: Plant, turn: int, place: int) -> float:
    """From the start of the worker's attempt to the end of the task, as the database has it.

    Every turn asks for a month in which this project has nothing yet but 500 events.
    """
    first = START + timedelta(days=31 + (turn * SAMPLED + place) * 20)
    month = first.replace(day=1, hour=0, minute=0)
    after = (month + timedelta(days=32)).replace(day=1)
    body = {"start_time": f"{month:%Y-%m-%dT00:00:00Z}", "end_time": f"{after:%Y-%m-%dT00:00:00Z}"}
    _, task = asked("POST", f"/ledgers/{plant.ledger}/batch_generations", body)
    while task["state"] not in {"complete", "failed"}:
        time.sleep(POLL_SECONDS)
        _, task = asked("GET", f"/async_tasks/{task['id']}")
    assert task["state"] == "complete", task
    assert task["result"]["created"] == 1, task
    created, finished = (datetime.fromisoformat(task[name]) for name in ("created_at", "finished_at"))
    return (finished - created).total_seconds()


def _settled(running: Service) -> None:
    """Wait until automatic rules have looked at all that was written."""
    with psycopg.connect(running.database_url, autocommit=True) as connection:
        while connection.execute("SELECT FROM rule_dirty_ranges LIMIT 1").fetchone() is not None:
            time.sleep(0.1)


def _idle(running: Service) -> float:
    """Seconds of processors that the service and its database take in a second without requests."""
    before = _processor_seconds(running)
    time.sleep(IDLE_SECONDS)
    return (_processor_seconds(running) - before) / IDLE_SECONDS


def _processor_seconds(running: Service) -> float:
    ticks = 0
    database = [int(file.read_text().split()[0]) for file in running.data_dir.rglob("postmaster.pid")]
    for pid in (one for first in {running.process.pid, *database} for one in (first, *descendants(first))):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
