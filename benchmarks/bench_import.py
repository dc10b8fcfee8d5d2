"""Importing a real data set over HTTP: the peak memory of importer and server against fixed limits, and the
rate against the same rows posted as ready bodies.

The data set (36,733 hourly readings of 11 sensors) is looked for in the folder that WEIGHBRIDGE_SENSOR_DATA
names, or in ../shared/data; without it there is nothing to measure.
"""

import csv
import gzip
import json
import os
import resource
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from service import Service, descendants, now, peak_memory_mb, send, service

NAME = "gas-turbine-hourly.csv.gz"
ROOT = Path(__file__).parents[1]
MEMORY_GOAL_MB = 300
START = datetime(2011, 1, 1, tzinfo=UTC)
BATCH = 1000


def main() -> None:
    file = Path(os.environ.get("WEIGHBRIDGE_SENSOR_DATA", ROOT.parent / "shared" / "data")) / NAME
    if not file.exists():
        print(f"import: {NAME} is not there, so nothing was measured")
        return
    with gzip.open(file, "rt") as text:
        columns, *rows = csv.reader(text)
    with service(api_processes=1, with_worker=True) as running:
        project = running.call("POST", "/projects", {"project": {"name": "Turbine"}})
        types = [{"name": column, "value_type": "number"} for column in columns]
        body = {"name": "Hour", "slug": "hour", "expected_locations": "one", "data_point_types": types}
        kind = running.call("POST", f"/projects/{project['id']}/event_types", {"event_type": body})
        place = running.call("POST", f"/projects/{project['id']}/locations", {"location": {"name": "Stack"}})
        slugs = [one["slug"] for one in kind["data_point_types"]]

        ready = _post_ready(running, project["id"], place["id"], slugs, rows)
        started = now()
        _import(running, file, project["id"], place["id"])
        imported = now() - started
        importer = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        server = max(peak_memory_mb(pid) for pid in descendants(running.process.pid) if _is_api(pid))
    print(
        f"import: {len(rows) / imported:,.0f} rows/s, {imported / ready:.2f} times the time of ready bodies"
    )
    print(f"import: peak memory of the importer {importer:.0f} MB, of the server {server:.0f} MB")
    print(f"        (goal: below {MEMORY_GOAL_MB} MB each)")


def _is_api(pid: int) -> bool:
    return "supervisor.api" in Path(f"/proc/{pid}/cmdline").read_text()


def _import(running: Service, file: Path, project: str, place: str) -> None:
    command = Path(sys.executable).with_name("weighbridge")
    arguments = [
        command, "import", file, "--project", project, "--event-type", "hour", "--location", place,
        "--start", "2011-01-01T00:00:00Z", "--every", "1h",
        "--url", f"http://{running.host}:{running.port}", "--token", running.token, "--json",
    ]  # fmt: skip
    ran = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def _post_ready(running: Service, project: str, place: str, slugs: list[str], rows: list[list[str]]) -> float:
    bodies = []
    for offset in range(0, len(rows), BATCH):
        events = [
            {
                "event_type": "hour",
                "start_time": (START + timedelta(hours=offset + index)).isoformat(),
                "end_time": (START + timedelta(hours=offset + index + 1)).isoformat(),
                "locations": [{"id": place}],
                "data_points": [{"slug": s, "value": float(v)} for s, v in zip(slugs, row, strict=True)],
            }
            for index, row in enumerate(rows[offset : offset + BATCH])
        ]
        bodies.append(json.dumps({"events": events}).encode())
    connection = running.connect()
    started = now()
    for body in bodies:
        status, answer = send(connection, running.token, "POST", f"/projects/{project}/events", body)
        assert status == 201, answer
    return now() - started


if __name__ == "__main__":
    main()
