"""What the service takes for each kind of work, beside the service of another checkout, in one run.

Both services run at once, each with its own processes and PostgreSQL, and are asked in turns, so that a busy
machine slows both alike. A figure is the processor time of all processes of a service, PostgreSQL included,
for so many requests of a kind, or for a task up to its end. The ratio is that of the other's median to ours:
above 1 this checkout takes less. Sizes of what is stored are the same in both at every moment.

    python benchmarks/beside_another.py CHECKOUT [ROUNDS]

CHECKOUT is the folder of another version in which `make setup` was run.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from service import Line, Service, descendants, median, started, upload_file

ROUNDS = 5
GOAL = 0.97
TICKS = os.sysconf("SC_CLK_TCK")
REST_SECONDS = 15
"""A service has its sandboxes ready by then, and rounds that run when it starts are over."""
SETTLE_SECONDS = 0.3
READS = 200
POSTS = 200
BULKS = 10
MODEL = """
name: Mass
cadence: daily
partition_type: time
primary_output: mass
nodes:
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
  - slug: kept
    formula: mass * 0.95
    unit: t
    output: true
"""
FEED_ROWS = 5000
HOURS = 24 * 28
FIRST = datetime(2025, 1, 1, tzinfo=UTC)


@dataclass
class Plant:
    """A service, a project of it, and what its works have made there."""

    running: Service
    folder: str
    project: str
    ledger: str = ""
    rule: str = ""
    event: str = ""
    feed: int = 0
    round: int = 0
    asks_every: float = 0.25
    """Seconds between two looks at a task: rarely enough that looking is no work beside it."""
    batches: list[str] = field(default_factory=list)

    def call(self, method: str, path: str, body: Any = None) -> Any:
        return self.running.call(method, path, body)

    def finish(self, task: Any) -> Any:
        """Wait for a task; gives its result."""
        while task["state"] not in {"complete", "failed"}:
            time.sleep(self.asks_every)
            task = self.call("GET", f"/async_tasks/{task['id']}")
        assert task["state"] == "complete", task
        return task["result"]

    def cpu_seconds(self) -> float:
        """What all processes of the service have used so far, those that ended included."""
        pids = (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())
        named = filter(self._is_ours, pids)
        roots = {self.running.process.pid, *named}
        return sum(map(_used, roots | {one for root in roots for one in _below(root)}))

    def _is_ours(self, pid: int) -> bool:
        try:
            return self.folder in Path(f"/proc/{pid}/cmdline").read_text()
        except OSError:
            return False


def _below(pid: int) -> list[int]:
    try:
        return descendants(pid)
    except OSError:
        return []


def _used(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / TICKS


Work = Callable[[Plant], None]


def post_one(plant: Plant) -> None:
    _repeat(plant, "POST", f"/projects/{plant.project}/events", {"event": _delivery(0)}, POSTS)


def post_many(plant: Plant) -> None:
    body = {"events": [_delivery(hour) for hour in range(HOURS)]}
    for _ in range(BULKS):
        plant.call("POST", f"/projects/{plant.project}/events", body)


def post_with_references(plant: Plant) -> None:
    for _ in range(BULKS):
        events = [_delivery(hour) | {"client_reference": str(uuid.uuid4())} for hour in range(HOURS)]
        plant.call("POST", f"/projects/{plant.project}/events", {"events": events})


def read_events(plant: Plant) -> None:
    _repeat(plant, "GET", f"/projects/{plant.project}/events?page_size=20", None, READS)


def read_data_points(plant: Plant) -> None:
    _repeat(plant, "GET", f"/projects/{plant.project}/data_points?page_size=20", None, READS)


def read_one_event(plant: Plant) -> None:
    _repeat(plant, "GET", f"/projects/{plant.project}/events/{plant.event}", None, READS)


def read_projects(plant: Plant) -> None:
    _repeat(plant, "GET", "/projects", None, READS)


def read_batches(plant: Plant) -> None:
    _repeat(plant, "GET", f"/ledgers/{plant.ledger}/batches?page_size=20", None, READS)


def refuse_name(plant: Plant) -> None:
    body = {"feedstock": {"name": ""}}
    _repeat(plant, "POST", f"/projects/{plant.project}/feedstocks", body, READS, expected=422)


def generate_small(plant: Plant) -> None:
    for _ in range(5):
        plant.call("POST", f"/projects/{plant.project}/events", {"event": _delivery(0)})
        plant.finish(plant.call("POST", f"/ledgers/{plant.ledger}/batch_generations", _period(1)))


def generate_month(plant: Plant) -> None:
    plant.call(
        "POST", f"/projects/{plant.project}/events", {"events": [_delivery(24 * n) for n in range(28)]}
    )
    plant.finish(plant.call("POST", f"/ledgers/{plant.ledger}/batch_generations", _period(28)))


def run_rule(plant: Plant) -> None:
    plant.finish(plant.call("POST", f"/rules/{plant.rule}/rule_runs", _period(28)))


def read_file(plant: Plant) -> None:
    rows = "".join(
        f"{_text(FIRST - timedelta(days=400 * plant.round, minutes=row))},{row % 97}.25\n"
        for row in range(FEED_ROWS)
    )
    path = f"/projects/{plant.project}/data_feeds/{plant.feed}/uploads"
    upload = upload_file(plant.running, path, f"start_time,mass\n{rows}".encode(), f"log-{plant.round}.csv")
    while upload["state"] not in {"complete", "failed"}:
        time.sleep(0.25)
        upload = plant.call("GET", f"{path}/{upload['id']}")
    assert upload["stored"] == FEED_ROWS, upload


def make_report(plant: Plant) -> None:
    made = plant.call("GET", f"/ledgers/{plant.ledger}/batches?page_size=200")["data"]
    free = [one["id"] for one in made]
    report = {"name": "All", "report_type": "bench", "project_id": plant.project, "batch_ids": free}
    report_id = plant.call("POST", "/reports", {"report": report})["id"]
    plant.call("GET", f"/reports/{report_id}")
    _repeat(plant, "DELETE", f"/reports/{report_id}", None, 1)


def verify(plant: Plant) -> None:
    program = plant.running.process.args[0]  # type: ignore[index]
    subprocess.run([program, "verify", "--data-dir", plant.folder], check=True, stdout=subprocess.DEVNULL)


WORKS: dict[str, Work] = {
    f"{POSTS} single POSTs of an event": post_one,
    f"{BULKS} POSTs of {HOURS} events": post_many,
    f"{BULKS} POSTs of {HOURS} events with references": post_with_references,
    f"{READS} pages of 20 events": read_events,
    f"{READS} pages of 20 data points": read_data_points,
    f"{READS} reads of one event": read_one_event,
    f"{READS} lists of projects": read_projects,
    f"{READS} pages of batches": read_batches,
    f"{READS} refused names": refuse_name,
    "5 generations of one slot": generate_small,
    "a generation of 28 slots": generate_month,
    "a rule over 28 days": run_rule,
    f"a file of {FEED_ROWS} rows": read_file,
    "a report made, read, deleted": make_report,
    "verify": verify,
}


def main() -> None:
    ours, theirs = Path(sys.executable).parent, Path(sys.argv[1]).resolve() / ".venv" / "bin"
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS
    with _plant(ours) as this, _plant(theirs) as other:
        time.sleep(REST_SECONDS)
        used: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in WORKS}
        for number in range(1, rounds + 1):
            this.round = other.round = number
            for name, work in WORKS.items():
                for plant, found in zip((this, other), used[name], strict=True):
                    found.append(_cost(plant, work))
            print(f"round {number} of {rounds}", file=sys.stderr)
    for name, (mine, others) in used.items():
        ratio = median(others) / median(mine)
        figures = f"{median(mine):.2f} s, the other {median(others):.2f} s"
        print(f"{name}: {figures}, ratio {ratio:.2f} (goal: {GOAL})")


def _cost(plant: Plant, work: Work) -> float:
    """The processor time of a work, less what the service uses anyhow in as much time."""
    time.sleep(SETTLE_SECONDS)
    before = plant.cpu_seconds()
    work(plant)
    time.sleep(SETTLE_SECONDS)
    return plant.cpu_seconds() - before


@contextlib.contextmanager
def _plant(programs: Path) -> Iterator[Plant]:
    with (
        tempfile.TemporaryDirectory(prefix="weighbridge-bench-") as folder,
        started(programs, folder, api_processes=1, with_worker=True) as running,
    ):
        yield arrange(running, folder)


def arrange(running: Service, folder: str) -> Plant:
    """A project with a month of hourly deliveries, a ledger, a rule and a feed."""
    plant = Plant(running, folder, running.call("POST", "/projects", {"project": {"name": "Bench"}})["id"])
    body = {
        "name": "Delivery", "slug": "delivery", "expected_locations": "none",
        "data_point_types": [{"name": "mass", "slug": "mass", "value_type": "number", "unit": "t"}],
    }  # fmt: skip
    kind = plant.call("POST", f"/projects/{plant.project}/event_types", {"event_type": body})
    made = plant.call("POST", f"/projects/{plant.project}/events", {"event": _delivery(0)})
    plant.event = made["id"]
    post_many(plant)
    model = plant.call("POST", "/models", {"model": {"project_id": plant.project, "yaml": MODEL}})["id"]
    ledger = {"ledger": {"name": "Kept", "unit": "t", "model_id": model}}
    plant.ledger = plant.call("POST", f"/projects/{plant.project}/ledgers", ledger)["id"]
    plant.finish(plant.call("POST", f"/ledgers/{plant.ledger}/batch_generations", _period(28)))
    rule = {
        "name": "Weighed", "expression": "{{mass}} > 1", "data_point": "mass", "evaluation": "on_demand",
        "effective_from": "2020-01-01T00:00:00Z",
    }  # fmt: skip
    plant.rule = plant.call("POST", f"/projects/{plant.project}/rules", {"rule": rule})["id"]
    columns = [{"column": "start_time", "field": "start_time"}, {"column": "mass", "field": "mass"}]
    feed = {"data_feed": {"name": "Scale", "event_type_id": kind["id"], "columns": columns}}
    plant.feed = plant.call("POST", f"/projects/{plant.project}/data_feeds", feed)["id"]
    return plant


def _delivery(hour: int) -> dict[str, Any]:
    return {
        "event_type": "delivery",
        "start_time": _text(FIRST + timedelta(hours=hour)),
        "data_points": [{"slug": "mass", "value": 11.898 + hour}],
    }


def _period(days: int) -> dict[str, str]:
    return {"start_time": _text(FIRST), "end_time": _text(FIRST + timedelta(days=days))}


def _text(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _repeat(plant: Plant, method: str, path: str, body: Any, times: int, *, expected: int = 0) -> None:
    line = Line(plant.running, method, path, b"" if body is None else json.dumps(body).encode())
    for _ in range(times):
        status, answer = line.send()
        assert status == expected if expected else status < 400, answer
    line.close()


if __name__ == "__main__":
    main()
