"""How long anybody waits while an account moves to another cell, beside the same requests before.

An account of so many events is moved while one caller stores events and another reads a page of them, one
request after the other; a refusal with `Retry-After` is sent again at once, and what it took counts as one
request. A caller of another account of the same cell does the same. The figures are the longest times of a
request, in seconds, in the 20 seconds before the move and during it.

    python benchmarks/bench_account_move.py [EVENTS]
"""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from beside_another import Plant, arrange
from service import Service, service

from weighbridge.db.cell_creation import add_cell
from weighbridge.db.embedded.instance import attach_server
from weighbridge.supervisor.startup import migrate_cell

EVENTS = 1_000_000
EACH = 10_000
QUIET_SECONDS = 20
GOAL_SECONDS = 5.0


def main() -> None:
    events = int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS
    with service(with_worker=True) as running:
        with attach_server(running.data_dir) as cluster:
            add_cell(cluster.urls, "north", migrate_cell, wait=lambda _: None)
        time.sleep(QUIET_SECONDS)
        number, mine = _in_account(running, "moving")
        plant = arrange(mine, str(running.data_dir))
        bystander = arrange(_in_account(running, "staying")[1], str(running.data_dir))
        for _ in range(events // EACH):
            plant.call("POST", f"/projects/{plant.project}/events", {"events": [_event()] * EACH})
        with _asking(plant, bystander) as longest:
            time.sleep(QUIET_SECONDS)
        before = dict(longest)
        began = time.monotonic()
        with _asking(plant, bystander) as longest:
            moved = _weighbridge(running, "account", "move", number, "--to", "north", "--json")
            time.sleep(2)
        print(f"moving {events:,} events: {time.monotonic() - began:.1f} s; {moved.strip()}")
        for name, seconds in longest.items():
            print(f"longest {name}: {seconds:.2f} s, baseline {before[name]:.2f} s (goal: {GOAL_SECONDS})")


@contextmanager
def _asking(plant: Plant, bystander: Plant) -> Iterator[dict[str, float]]:
    longest: dict[str, float] = {}
    ended = threading.Event()
    path, other = (f"/projects/{one.project}/events" for one in (plant, bystander))
    kinds: dict[str, Callable[[], Any]] = {
        "write of the account": lambda: _patiently(plant, "POST", path, {"event": _event()}),
        "read of the account": lambda: _patiently(plant, "GET", f"{path}?page_size=20"),
        "write of a bystander": lambda: _patiently(bystander, "POST", other, {"event": _event()}),
    }

    def repeat(name: str, ask: Callable[[], Any]) -> None:
        while not ended.is_set():
            began = time.monotonic()
            ask()
            longest[name] = max(longest.get(name, 0.0), time.monotonic() - began)

    threads = [threading.Thread(target=repeat, args=kind) for kind in kinds.items()]
    for thread in threads:
        thread.start()
    try:
        yield longest
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def _patiently(plant: Plant, method: str, path: str, body: Any = None) -> Any:
    while True:
        try:
            return plant.call(method, path, body)
        except AssertionError as refusal:
            if "moving" not in str(refusal):
                raise


def _event() -> dict[str, Any]:
    return {
        "event_type": "delivery",
        "start_time": "2025-01-05T00:00:00Z",
        "data_points": [{"slug": "mass", "value": 12.5}],
    }


def _weighbridge(running: Service, *words: str) -> str:
    program = str(Path(sys.executable).parent / "weighbridge")
    done = subprocess.run(
        [program, *words, "--data-dir", str(running.data_dir)], check=True, capture_output=True, text=True
    )
    return done.stdout


def _in_account(running: Service, name: str) -> tuple[str, Service]:
    """A new account in the first cell: its number, and the same service by a token of it."""
    made = json.loads(_weighbridge(running, "account", "create", "--name", name, "--cell", "first", "--json"))
    token = _weighbridge(running, "token", "create", "--name", "bench", "--all", "--account", name)
    return str(made["id"]), replace(running, token=token.strip())


if __name__ == "__main__":
    main()
