"""What a worker holds after hundreds of tasks: it may not grow with the number that it has carried out.

A plant reads its meter every hour. Each round writes more readings and has ten tasks carried out: three
generations, three exports, a file of a feed, a bundle, a submission and a run of a rule. The figure is the
resident memory of the worker alone (what it shares with nobody) each 50 tasks. Every kind of task needs
memory that was not needed before, so the goal is of the later half: at most so much more for each task.

    python benchmarks/worker_memory.py [TASKS]
"""

import csv
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from service import Service, now, service

from weighbridge.supervisor.child import bytes_held

TASKS = 800
TOLD_EVERY = 50
GOAL_KB_PER_TASK = 25.0
DAYS = 7
HOURS = 24 * DAYS
ROWS_OF_FILE = 100
FORMATS = ("csv", "parquet", "xlsx")
FIRST = datetime(2025, 1, 1, tzinfo=UTC)
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
    tasks = int(sys.argv[1]) if len(sys.argv) > 1 else TASKS
    with service() as running, _worker(running) as worker:
        plant = Plant(running)
        held = [(0, _megabytes(worker))]
        started = now()
        for done in plant.carried_out(tasks):
            if done % TOLD_EVERY == 0:
                held.append((done, _megabytes(worker)))
                print(f"{done:4} tasks: {held[-1][1]:.0f} MB, {now() - started:.0f} s", flush=True)
        later = held[len(held) // 2 :]
        per_task = 1024 * (later[-1][1] - later[0][1]) / (later[-1][0] - later[0][0])
        print(f"{held[0][1]:.0f} MB before the first task, {held[-1][1]:.0f} MB after {held[-1][0]}")
        print(f"{per_task:.1f} kB more for each task of the later half (goal: at most {GOAL_KB_PER_TASK})")
        assert per_task <= GOAL_KB_PER_TASK


class Plant:
    """A project with a meter, a model and its ledger, a feed and a rule."""

    def __init__(self, running: Service) -> None:
        self._running = running
        project = running.call("POST", "/projects", {"project": {"name": "Plant"}})["id"]
        self._path, self._project = f"/projects/{project}", project
        points = [{"name": "energy", "slug": "energy", "value_type": "number", "unit": "kWh"}]
        kind = {
            "name": "Reading", "slug": "reading", "expected_locations": "none", "reusable_in_batches": True,
            "data_point_types": points,
        }  # fmt: skip
        made = running.call("POST", f"{self._path}/event_types", {"event_type": kind})
        model = running.call("POST", "/models", {"model": {"project_id": project, "yaml": MODEL}})["id"]
        ledger = {"ledger": {"name": "Energy", "unit": "kWh", "model_id": model}}
        self._ledger = running.call("POST", f"{self._path}/ledgers", ledger)["id"]
        feed = {"data_feed": {"name": "Log", "event_type_id": made["id"], "time_zone": "UTC"}}
        self._feed = running.call("POST", f"{self._path}/data_feeds", feed)["id"]
        rule = {"name": "High", "expression": "{{energy}} > 970", "effective_from": "2020-01-01T00:00:00Z"}
        self._rule = running.call("POST", f"{self._path}/rules", {"rule": rule})["id"]
        self._read(range(HOURS))
        self._hours = HOURS

    def carried_out(self, tasks: int) -> Iterator[int]:
        """Have so many tasks carried out, one after the other; yields how many are."""
        done = 0
        while done < tasks:
            for task in self._round(done):
                self._await(task)
                done += 1
                yield done

    def _round(self, number: int) -> Iterator[Any]:
        times = {"start_time": _text(0), "end_time": _text(HOURS)}
        for later in range(3):
            day = (number + later) % DAYS
            self._read(range(self._hours, self._hours + 4), day)
            self._hours += 4
            yield self._running.call("POST", f"/ledgers/{self._ledger}/batch_generations", times)
        for one in FORMATS:
            asked = f"{self._path}/data_points?response_mode=summary_with_export&export_format={one}"
            export = self._running.call("GET", asked)["export"]["id"]
            yield self._running.call("GET", f"/exports/{export}")
        yield self._uploaded(number)
        report = self._report(number)
        yield self._running.call("POST", f"/reports/{report}/bundle", {})
        yield self._running.call("POST", f"/reports/{report}/submit", {})
        yield self._running.call("POST", f"/rules/{self._rule}/rule_runs", times)

    def _read(self, hours: range, day: int | None = None) -> None:
        events = [
            {
                "event_type": "reading",
                "start_time": _text(hour if day is None else day * 24, minutes=hour % 59),
                "data_points": [{"slug": "energy", "value": hour * 37 % 977}],
            }
            for hour in hours
        ]
        self._running.call("POST", f"{self._path}/events", {"events": events})

    def _report(self, number: int) -> str:
        batches = self._running.call("GET", f"/ledgers/{self._ledger}/batches?page_size=100")["data"]
        free = [one for one in batches if one["ledger_balance"] > 1]
        shares = [{"batch_id": one["id"], "amount": 1} for one in free]
        said = {"name": f"Report {number}", "report_type": "bench", "project_id": self._project}
        made: str = self._running.call("POST", "/reports", {"report": said | {"batches": shares}})["id"]
        return made

    def _uploaded(self, number: int) -> Any:
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(["start_time", "energy"])
        hours = range(HOURS + number * ROWS_OF_FILE, HOURS + (number + 1) * ROWS_OF_FILE)
        writer.writerows([_text(hour), hour * 31 % 977] for hour in hours)
        path = f"/api/v1{self._path}/data_feeds/{self._feed}/uploads"
        return _posted_file(self._running, path, text.getvalue().encode())

    def _await(self, said: Any) -> None:
        number = said.get("async_task_id", said["id"])
        task = self._running.call("GET", f"/async_tasks/{number}")
        while task["state"] not in {"complete", "failed"}:
            time.sleep(0.02)
            task = self._running.call("GET", f"/async_tasks/{number}")
        assert task["state"] == "complete", task


def _posted_file(running: Service, path: str, content: bytes) -> Any:
    head = b'--limit\r\nContent-Disposition: form-data; name="file"; filename="log.csv"\r\n\r\n'
    connection = running.connect()
    kind = "multipart/form-data; boundary=limit"
    headers = {"Authorization": f"Bearer {running.token}", "Content-Type": kind}
    connection.request("POST", path, body=head + content + b"\r\n--limit--\r\n", headers=headers)
    response = connection.getresponse()
    answer = response.read()
    connection.close()
    assert response.status == 202, answer
    return json.loads(answer)


@contextmanager
def _worker(running: Service) -> Iterator[int]:
    """A worker that stands back behind nobody; gives its process."""
    command = [Path(sys.executable).with_name("weighbridge"), "worker", "--data-dir", running.data_dir]
    started = subprocess.Popen(command, env=os.environ | {"WEIGHBRIDGE_LOG_LEVEL": "warning"})
    try:
        yield started.pid
    finally:
        started.terminate()
        started.wait(60)


def _megabytes(pid: int) -> float:
    held = bytes_held(pid)
    assert held is not None, "the worker has ended"
    return held / 1_048_576


def _text(hours: int, *, minutes: int = 0) -> str:
    return (FIRST + timedelta(hours=hours, minutes=minutes)).isoformat().replace("+00:00", "Z")


if __name__ == "__main__":
    main()
