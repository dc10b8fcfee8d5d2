"""What cells cost: a second cell beside the first one, and one of many cells beside the only one.

All plants have the same data. They are asked in turns, so that a busy machine slows all alike; a figure is
the time of so many requests of a kind, or of a task up to its end. The ratio is that of the medians of the
baseline and of ours: above 1 ours is quicker.

    python benchmarks/bench_cells.py [ROUNDS]
"""

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from beside_another import Plant, Work, arrange, generate_month, post_many, post_one, read_events
from service import Service, median, service

from weighbridge.db.cell_creation import add_cell
from weighbridge.db.embedded.instance import attach_server
from weighbridge.supervisor.startup import migrate_cell

ROUNDS = 7
GOAL = 0.97
GOAL_OF_MANY = 0.9
MANY = 50
"""Cells that lie in one database; in all but one of them nothing is due."""
SEES_CELLS_SECONDS = 12
"""A process looks for cells every five seconds; then it opens its connections."""

WORKS: dict[str, Work] = {
    "200 single POSTs of an event": post_one,
    "10 POSTs of 672 events": post_many,
    "200 pages of 20 events": read_events,
    "a generation of 28 slots": generate_month,
}


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    with service(with_worker=True) as one, service(with_worker=True) as many:
        only, first = arrange(one, str(one.data_dir)), arrange(many, str(many.data_dir))
        _add_cell(many, "second")
        second = arrange(_in_cell(many, "second"), str(many.data_dir))
        _compare("in a second cell beside the first one", first, second, rounds, GOAL)
        for number in range(MANY - 2):
            _add_cell(many, f"more_{number}")
        time.sleep(SEES_CELLS_SECONDS)
        _compare(f"in one of {MANY} cells beside the only one", only, second, rounds, GOAL_OF_MANY)


def _compare(what: str, baseline: Plant, ours: Plant, rounds: int, goal: float) -> None:
    taken: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in WORKS}
    for number in range(rounds + 1):
        baseline.round = ours.round = baseline.round + 1
        for name, work in WORKS.items():
            for plant, found in zip((baseline, ours), taken[name], strict=True):
                seconds = _seconds(work, plant)
                if number:  # the first round finds nothing prepared
                    found.append(seconds)
    for name, (others, mine) in taken.items():
        figures = f"{median(mine):.3f} s, baseline {median(others):.3f} s"
        print(f"{name} {what}: {figures}, ratio {median(others) / median(mine):.2f} (goal: {goal})")


def _seconds(work: Work, plant: Plant) -> float:
    began = time.perf_counter()
    work(plant)
    return time.perf_counter() - began


def _add_cell(running: Service, name: str) -> None:
    """Make a cell at once: no process writes accounts or addresses meanwhile."""
    with attach_server(running.data_dir) as cluster:
        add_cell(cluster.urls, name, migrate_cell, wait=lambda _: None)


def _in_cell(running: Service, name: str) -> Service:
    """The same service, by a token of a new account in a cell."""
    program = [str(Path(sys.executable).parent / "weighbridge")]
    folder = ["--data-dir", str(running.data_dir)]
    time.sleep(SEES_CELLS_SECONDS)
    subprocess.run([*program, "account", "create", "--name", name, "--cell", name, *folder], check=True)
    words = ["token", "create", "--name", "bench", "--all", "--account", name]
    made = subprocess.run([*program, *words, *folder], check=True, capture_output=True, text=True)
    return replace(running, token=made.stdout.strip())


if __name__ == "__main__":
    main()
