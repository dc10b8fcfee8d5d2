"""The check of a proof bundle against `weighbridge verify` of the same batches.

A plant weighs trucks: `--batches` hours of `--events` weighings each, one value to a weighing, one batch to
an hour; 1,000 by 1,000 by default, a million data points. One report takes all of them. Checking reads the
file, verifies every digest, signature and proof, that it is byte for byte what its parts make, and computes
every batch again; verify does so from the database. Baseline: verify. Printed besides: the making of the
bundle, and the most memory that checking held.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
from service import Service, median, now, service

BATCHES = 1000
EVENTS = 1000
ROUNDS = 3
RATIO_GOAL = 3.0
MEMORY_GOAL = 500.0

MODEL = """
name: Weighings
cadence: hourly
partition_type: time
primary_output: net
nodes:
  - slug: gross
    input: {event_type: weighing, data_point_type: weight, aggregate: sum}
    unit: t
  - slug: trucks
    input: {event_type: weighing, data_point_type: weight, aggregate: count}
    unit: "1"
  - slug: tare
    constant: 0.0125
    unit: t
  - slug: net
    formula: gross - trucks * tare
    unit: t
    output: true
"""
FIRST = datetime(2024, 1, 1, tzinfo=UTC)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batches", type=int, default=BATCHES)
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="wb-") as folder, service(with_worker=True) as running:
        file = Path(folder, "bundle.zip")
        report = make(running, asked.batches, asked.events)
        took, memory = ran(running, "bundle", "make", report, "--output", str(file))
        key = said(running, "audit", "key").strip()
        print(
            f"made in {took:.1f} s, at most {memory:.0f} MB; {file.stat().st_size / 1e6:.1f} MB", flush=True
        )
        ratios, most = [], 0.0
        for number in range(asked.rounds):
            verified, _ = ran(running, "verify")
            checked, memory = ran(running, "bundle", "check", str(file), "--key", key)
            ratios.append(checked / verified)
            most = max(most, memory)
            times = f"verify {verified:.1f} s, check {checked:.1f} s"
            print(f"round {number + 1}: {times}, {memory:.0f} MB; ratio {ratios[-1]:.2f}", flush=True)
    points = asked.batches * asked.events
    ratio = median(ratios)
    print(f"{asked.batches:,} batches over {points:,} data points: ratio {ratio:.2f}, {most:.0f} MB")
    print(f"goal: at most {RATIO_GOAL}, and below {MEMORY_GOAL:.0f} MB")
    assert ratio <= RATIO_GOAL
    assert most < MEMORY_GOAL


def make(running: Service, batches: int, events: int) -> str:
    """Have the service make the batches and a report that takes all of them; gives its id."""
    project = running.call("POST", "/projects", {"project": {"name": "Bench"}})
    body = {
        "name": "weighing", "slug": "weighing", "expected_locations": "none",
        "data_point_types": [{"name": "weight", "slug": "weight", "value_type": "number", "unit": "t"}],
    }  # fmt: skip
    kind = running.call("POST", f"/projects/{project['id']}/event_types", {"event_type": body})
    number = int(kind["data_point_types"][0]["nexus_event_type_id"])
    load(running.database_url, project["numeric_id"], number, batches, events)
    model = running.call("POST", "/models", {"model": {"project_id": project["id"], "yaml": MODEL}})
    named = {"ledger": {"name": "Net", "unit": "t", "model_id": model["id"]}}
    ledger = running.call("POST", f"/projects/{project['id']}/ledgers", named)
    end = FIRST + timedelta(hours=batches)
    times = {"start_time": text(FIRST), "end_time": text(end)}
    task = running.call("POST", f"/ledgers/{ledger['id']}/batch_generations", times)
    while task["state"] not in {"complete", "failed"}:
        time.sleep(0.2)
        task = running.call("GET", f"/async_tasks/{task['id']}")
    assert task["state"] == "complete", task
    made = task["result"]["batches"]
    assert len(made) == batches, len(made)
    body = {"name": "All", "report_type": "bench", "project_id": project["id"], "batch_ids": made}
    return str(running.call("POST", "/reports", {"report": body})["id"])


def load(url: str, project: int, kind: int, batches: int, events: int) -> None:
    """Put the weighings straight into the table."""
    with psycopg.connect(url, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO events (project_id, id, event_type_id, start_time, end_time, numbers, is_complete)
            SELECT %(project)s, 1000000000 + batch * %(events)s + event, %(kind)s, at, at,
                   ARRAY[20 + (batch * 31 + event * 7) %% 977 / 8.0], true
              FROM generate_series(0, %(batches)s - 1) AS batch, generate_series(0, %(events)s - 1) AS event,
                   LATERAL (SELECT %(first)s + batch * interval '1 hour'
                                 + event * interval '3590 seconds' / %(events)s AS at) AS placed
            """,
            {"project": project, "kind": kind, "batches": batches, "events": events, "first": FIRST},
        )
        cursor.execute("VACUUM ANALYZE events")


def ran(running: Service, *words: str) -> tuple[float, float]:
    """Run a command; gives the seconds that it took and the most memory that it held, in MB."""
    command = [str(Path(sys.executable).with_name("weighbridge")), *words]
    if words[:2] != ("bundle", "check"):
        command += ["--data-dir", str(running.data_dir)]
    started = now()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.stdout is not None
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, out.decode()
    return now() - started, usage.ru_maxrss / 1024


def said(running: Service, *words: str) -> str:
    """What a command prints."""
    command = [
        str(Path(sys.executable).with_name("weighbridge")),
        *words,
        "--data-dir",
        str(running.data_dir),
    ]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def text(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


if __name__ == "__main__":
    main()
