"""What cells cost: a second cell beside the first one, and one of many cells beside the only one.

All plants have the same data. They are asked in turns, so that a busy machine slows all alike; a figure is
the time of so many requests of a kind, or of a task up to its end. The ratio is that of the medians of the
baseline and of ours: above 1 ours is quicker.

    python benchmarks/bench_cells.py [ROUNDS] [--citus COMMAND]

COMMAND starts and stops a Citus cluster, as that of `make test-citus` does. Then a cell on a node is measured
beside the first cell of the same installation, which lies on the coordinator in plain tables, and beside the
only cell of a service on its embedded database.
"""

import argparse
import contextlib
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from beside_another import Plant, Work, arrange, generate_month, post_many, post_one, read_events
from service import Service, median, service, started

from weighbridge.db.cell_creation import add_cell
from weighbridge.db.embedded.instance import attach_server
from weighbridge.supervisor.startup import migrate_cell

ROUNDS = 7
GOAL = 0.97
GOAL_OF_MANY = 0.9
MANY = 50
"""Cells that lie in one database; in all but one of them nothing is due."""
LOOKS_SECONDS = 0.01
"""Between two looks at a task: a figure is a time, so it must not be one of a few steps."""
SEES_CELLS_SECONDS = 12
"""A process looks for cells every five seconds; then it opens its connections."""

WORKS: dict[str, Work] = {
    "200 single POSTs of an event": post_one,
    "10 POSTs of 672 events": post_many,
    "200 pages of 20 events": read_events,
    "a generation of 28 slots": generate_month,
}


GOALS_ON_A_NODE = dict(zip(WORKS, (0.6, 0.8, 0.6, 0.8), strict=True))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("rounds", type=int, nargs="?", default=ROUNDS)
    parser.add_argument("--citus", metavar="COMMAND")
    given = parser.parse_args()
    if given.citus:
        _compare_on_a_node(given.citus, given.rounds)
        return
    rounds = given.rounds
    with service(with_worker=True) as one, service(with_worker=True) as many:
        only, first = arrange(one, str(one.data_dir)), arrange(many, str(many.data_dir))
        _add_cell(many, "second")
        second = arrange(_in_cell(many, "second"), str(many.data_dir))
        _compare("in a second cell beside the first one", first, second, rounds, _goals(GOAL))
        for number in range(MANY - 2):
            _add_cell(many, f"more_{number}")
        another = arrange(_in_cell(many, "more_0"), str(many.data_dir))  # the second one has data by now
        what = f"in one of {MANY} cells beside the only one"
        _compare(what, only, another, rounds, _goals(GOAL_OF_MANY))


def _goals(goal: float) -> dict[str, float]:
    return dict.fromkeys(WORKS, goal)


def _compare_on_a_node(command: str, rounds: int) -> None:
    with _cluster(command) as (coordinator, node), service(with_worker=True) as plain:
        only = arrange(plain, str(plain.data_dir))
        with (
            _environment({"WEIGHBRIDGE_DATABASE_URL": coordinator}),
            tempfile.TemporaryDirectory(prefix="weighbridge-bench-") as folder,
            started(Path(sys.executable).parent, folder, api_processes=1, with_worker=True) as running,
        ):
            first = arrange(running, folder)
            goals = GOALS_ON_A_NODE
            there = _add_on_a_node(running, "north", node)
            _compare("on a node beside plain tables of the coordinator", first, there, rounds, goals)
            another = _add_on_a_node(running, "south", node)
            _compare("on a node beside an embedded database", only, another, rounds, goals)


def _add_on_a_node(running: Service, name: str, node: str) -> Plant:
    """A plant without data in a new cell."""
    _run(running, "cells", "add", name, "--node", node)
    return arrange(_in_cell(running, name), str(running.data_dir))


@contextlib.contextmanager
def _cluster(command: str) -> Iterator[tuple[str, str]]:
    """A cluster that a command starts: the URL of its coordinator, and the address of its first node."""
    words = shlex.split(command)
    with tempfile.TemporaryDirectory(prefix="weighbridge-bench-") as folder:
        place = Path(folder, "cluster")
        Path(folder).chmod(0o755)  # its servers may run as somebody else
        printed = subprocess.run(
            [*words, "start", place, "--port", "9870", "--python", sys.executable],
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
        try:
            coordinator, worker, *_ = (line.split()[1] for line in printed.splitlines())
            yield coordinator, worker.rpartition("@")[2].partition("/")[0]
        finally:
            subprocess.run([*words, "stop", place], check=True)


@contextlib.contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """The variables of the processes that are started meanwhile."""
    os.environ.update(variables)
    try:
        yield
    finally:
        for name in variables:
            del os.environ[name]


def _compare(what: str, baseline: Plant, ours: Plant, rounds: int, goals: Mapping[str, float]) -> None:
    taken: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in WORKS}
    baseline.asks_every = ours.asks_every = LOOKS_SECONDS
    for number in range(rounds + 1):
        baseline.round = ours.round = baseline.round + 1
        for name, work in WORKS.items():
            pairs = list(zip((baseline, ours), taken[name], strict=True))
            for plant, found in pairs[:: 1 if number % 2 else -1]:  # what one leaves to do slows the other
                seconds = _seconds(work, plant)
                if number:  # the first round finds nothing prepared
                    found.append(seconds)
    for name, (others, mine) in taken.items():
        figures = f"{median(mine):.3f} s, baseline {median(others):.3f} s"
        print(f"{name} {what}: {figures}, ratio {median(others) / median(mine):.2f} (goal: {goals[name]})")


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
    time.sleep(SEES_CELLS_SECONDS)
    _run(running, "account", "create", "--name", name, "--cell", name)
    token = _run(running, "token", "create", "--name", "bench", "--all", "--account", name)
    return replace(running, token=token)


def _run(running: Service, *words: str) -> str:
    """Run a command beside the service; gives what it printed."""
    program = [str(Path(sys.executable).parent / "weighbridge"), *words, "--data-dir", str(running.data_dir)]
    return subprocess.run(program, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    main()
