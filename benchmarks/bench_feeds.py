"""Files of data feeds against bulk ingest of the same events as ready bodies, in the same run.

The baseline are requests of 1,000 events with 5 values and a client reference over two connections, as in
`bench_ingest.py`, without the time that making the bodies takes. The figures are a CSV file and a workbook,
from the moment at which the worker takes the task up to its end, and how much memory the worker took.

    python benchmarks/bench_feeds.py [ROWS [ROWS OF THE WORKBOOK]]
"""

import csv
import gzip
import io
import json
import os
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from service import Service, descendants, now, peak_memory_mb, send, service, upload_file
from xlsxwriter import Workbook

ROWS = 1_000_000
ROWS_OF_WORKBOOK = 100_000
EVENTS_PER_REQUEST = 1_000
BODIES_AT_ONCE = 40
CONNECTIONS = 2
GOAL, GOAL_OF_WORKBOOK = 0.6, 1 / 3
START = datetime(2000, 1, 1, tzinfo=UTC)
SLUGS = ("energy", "flow", "pressure", "temperature", "moisture")


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    rows_of_workbook = int(sys.argv[2]) if len(sys.argv) > 2 else min(rows, ROWS_OF_WORKBOOK)
    os.environ |= {"WEIGHBRIDGE_REQUEST_BODY_BYTES": "1073741824", "WEIGHBRIDGE_REQUEST_BODY_SECONDS": "600"}
    with service(api_processes=1, with_worker=True) as running:
        ready = _over_http(running, _project(running, "Ready"), rows)
        print(f"ready bodies: {rows:,} events, {ready:,.0f} events/s")
        worker = next(pid for pid in descendants(running.process.pid) if _is_worker(pid))
        before = peak_memory_mb(worker)
        small = _fed(running, "Small", _gzipped(min(rows, 50_000)), "log.csv.gz")
        of_small = peak_memory_mb(worker)
        print(f"CSV: {min(rows, 50_000):,} rows, {small:,.0f} rows/s")
        fed = _fed(running, "File", _gzipped(rows), "log.csv.gz")
        of_large = peak_memory_mb(worker)
        print(f"CSV: {rows:,} rows, {fed:,.0f} rows/s, {fed / ready:.2f} of ready bodies (goal: {GOAL})")
        print(f"     the worker took {before:.0f} MB before, {of_small:.0f} MB after the small file and "
              f"{of_large:.0f} MB after the large one")  # fmt: skip
        sheet = _fed(running, "Workbook", _workbook(rows_of_workbook), "log.xlsx")
        print(
            f"XLSX: {rows_of_workbook:,} rows, {sheet:,.0f} rows/s, {sheet / fed:.2f} of CSV, "
            f"{sheet / ready:.2f} of ready bodies (goal: {GOAL_OF_WORKBOOK:.2f} of CSV)"
        )
        print(f"     the worker took {peak_memory_mb(worker):.0f} MB at most")


def _is_worker(pid: int) -> bool:
    return "weighbridge.worker" in Path(f"/proc/{pid}/cmdline").read_text()


def _project(running: Service, name: str) -> Any:
    project = running.call("POST", "/projects", {"project": {"name": name}})
    types = [{"name": slug, "slug": slug, "value_type": "number"} for slug in SLUGS]
    body = {"name": "Reading", "slug": "reading", "data_point_types": types, "expected_locations": "none"}
    kind = running.call("POST", f"/projects/{project['id']}/event_types", {"event_type": body})
    return project | {"event_type": kind["id"]}


def _values(index: int) -> tuple[str, ...]:
    return f"{11 + index % 89}.898", "0.32663", "1018.7", f"{index % 40}.25", f"{index % 997}.125"


def _over_http(running: Service, project: Any, rows: int) -> float:
    """The rate at which requests are answered, two at a time; making their bodies is not counted."""
    taken = 0.0
    for first in range(0, rows, BODIES_AT_ONCE * EVENTS_PER_REQUEST):
        bodies: Queue[bytes] = Queue()
        for start in range(first, min(rows, first + BODIES_AT_ONCE * EVENTS_PER_REQUEST), EVENTS_PER_REQUEST):
            bodies.put(_body(range(start, min(rows, start + EVENTS_PER_REQUEST))))
        threads = [
            threading.Thread(target=_send_all, args=(running, project["id"], bodies))
            for _ in range(CONNECTIONS)
        ]
        started = now()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        taken += now() - started
    return rows / taken


def _body(indexes: range) -> bytes:
    return json.dumps(
        {
            "events": [
                {
                    "event_type": "reading",
                    "start_time": _text(index),
                    "client_reference": f"feed-1:0123456789ab:{index}",
                    "data_points": [
                        {"slug": slug, "value": float(value)}
                        for slug, value in zip(SLUGS, _values(index), strict=True)
                    ],
                }
                for index in indexes
            ]
        }
    ).encode()


def _send_all(running: Service, project: str, bodies: "Queue[bytes]") -> None:
    connection = running.connect()
    while True:
        try:
            body = bodies.get_nowait()
        except Empty:
            return
        status, answer = send(connection, running.token, "POST", f"/projects/{project}/events", body)
        assert status == 201, answer[:500]


def _text(index: int) -> str:
    return (START + timedelta(minutes=index)).isoformat().replace("+00:00", "Z")


def _gzipped(rows: int) -> bytes:
    packed = io.BytesIO()
    with gzip.open(packed, "wt", compresslevel=1, newline="") as text:
        writer = csv.writer(text)
        writer.writerow(["start_time", *SLUGS])
        writer.writerows([_text(index), *_values(index)] for index in range(rows))
    return packed.getvalue()


def _workbook(rows: int) -> bytes:
    packed = io.BytesIO()
    with Workbook(packed, {"constant_memory": True, "in_memory": False}) as book:
        sheet = book.add_worksheet("Log")
        sheet.write_row(0, 0, ["start_time", *SLUGS])
        for index in range(rows):
            sheet.write_row(index + 1, 0, [_text(index), *map(float, _values(index))])
    return packed.getvalue()


def _fed(running: Service, name: str, content: bytes, file_name: str) -> float:
    """The rate at which the worker stores the rows of a file."""
    project = _project(running, name)
    feeds = f"/projects/{project['id']}/data_feeds"
    body = {"data_feed": {"name": "Log", "event_type_id": project["event_type"]}}
    feed = running.call("POST", feeds, body)
    upload = upload_file(running, f"{feeds}/{feed['id']}/uploads", content, file_name)
    path = f"{feeds}/{feed['id']}/uploads/{upload['id']}"
    while running.call("GET", path)["state"] in {"pending", "running"}:
        time.sleep(0.2)
    found = running.call("GET", path)
    assert found["state"] == "complete", found["error_message"]
    assert found["stored"] == found["rows"], found
    task = running.call("GET", f"/async_tasks/{found['async_task_id']}")
    began, ended = (datetime.fromisoformat(task[name]) for name in ("started_at", "finished_at"))
    return found["rows"] / (ended - began).total_seconds()


if __name__ == "__main__":
    main()
