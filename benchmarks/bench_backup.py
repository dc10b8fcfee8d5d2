"""What a backup under load costs ingest: bulk ingest alone, and while the service backs itself up.

Requests of 1,000 events over two connections, as in `bench_ingest`; the service has 300,000 events already.
Rounds take turns: without a backup; while whole backups are taken one after the other and the log is shipped
each second. The goal is of the latter, which is far more than a service does in a day.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench_ingest import EVENTS_PER_REQUEST, REQUESTS, SLUGS, _body, _over_http
from service import START_SECONDS, Service, median, now, service

ROUNDS = 3
REPEATS = 4
GOAL = 0.8
FILLED_REQUESTS = 300


def main() -> None:
    with service(api_processes=1) as running, tempfile.TemporaryDirectory(prefix="wb-backup-") as place:
        project = running.call("POST", "/projects", {"project": {"name": "Bench"}})
        types = [{"name": slug, "slug": slug, "value_type": "number"} for slug in SLUGS]
        event_type = {"name": "Reading", "slug": "reading", "data_point_types": types}
        running.call("POST", f"/projects/{project['id']}/event_types", {"event_type": event_type})
        stack = running.call("POST", f"/projects/{project['id']}/locations", {"location": {"name": "Stack"}})
        bodies = [_body(request, stack["id"]) for request in range(REQUESTS)]
        for _ in range(FILLED_REQUESTS // REQUESTS):
            _over_http(running, project["id"], bodies)
        shares = []
        for number in range(ROUNDS):
            alone = _over_http(running, project["id"], bodies * REPEATS)
            beside, taken = _while_backed_up(running, project["id"], bodies, Path(place))
            shares.append(beside / alone)
            print(
                f"round {number + 1}: alone {alone:,.0f} events/s, while backed up {beside:,.0f} events/s"
                f" ({taken} whole backups), share {beside / alone:.2f}"
            )
        kept = sum(file.stat().st_size for file in Path(place).rglob("*") if file.is_file())
        print(
            f"backups of {FILLED_REQUESTS * EVENTS_PER_REQUEST:,} events and more take {kept / 1e6:,.0f} MB"
        )
    print(f"backup: median share {median(shares):.2f} of ingest without one (goal: at least {GOAL})")


def _while_backed_up(running: Service, project: str, bodies: list[bytes], place: Path) -> tuple[float, int]:
    """The rate while backups are taken, and how many were."""
    command = [sys.executable, "-m", "weighbridge", "backup"]
    data_dir = ["--data-dir", str(running.data_dir)]
    again = "import subprocess, sys\nwhile True: subprocess.run(sys.argv[1:], check=True)"
    before, begun = _manifests(place), time.time()
    beside = [
        subprocess.Popen(
            [sys.executable, "-c", again, *command, str(place / "whole"), *data_dir],
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        ),
        subprocess.Popen(
            [*command, str(place / "log"), *data_dir, "--follow"],
            stderr=subprocess.DEVNULL,
            env=os.environ | {"WEIGHBRIDGE_BACKUP_SECONDS": "1"},
            start_new_session=True,
        ),
    ]
    try:
        _await_reach(place, begun)
        rate = _over_http(running, project, bodies * REPEATS)
    finally:
        for one in beside:
            os.killpg(one.pid, signal.SIGTERM)
            one.wait()
    return rate, _manifests(place) - before


def _await_reach(place: Path, begun: float) -> None:
    """Wait until the log was shipped since: a service that backs itself up has begun long before."""
    deadline = now() + START_SECONDS
    while not any(one.stat().st_mtime > begun for one in (place / "log" / "wal").glob("reach-*")):
        assert now() < deadline, "nothing is shipped"
        time.sleep(0.1)


def _manifests(place: Path) -> int:
    return len([*place.glob("*/backups/*/manifest.json")])


if __name__ == "__main__":
    main()
