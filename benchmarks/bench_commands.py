"""What commands take: the list of all, and some that act in a database, next to Python without a program.

All run in turns, so that what else the machine does falls on each of them. The figures are the processor time
of the process (PostgreSQL runs apart from it) and the time by the clock.

    python benchmarks/bench_commands.py [ROUNDS]
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from service import median, now

from weighbridge.db.embedded import instance

ROUNDS = 7
TOKEN = ("--name", "bench", "--permission", "data_collection:read")
GOAL_SECONDS = 0.15
COMMANDS = {
    "python -c pass": ("-c", "pass"),
    "--help": ("-m", "weighbridge", "--help"),
    "account --help": ("-m", "weighbridge", "account", "--help"),
    "events list --help": ("-m", "weighbridge", "events", "list", "--help"),
    "cells list": ("-m", "weighbridge", "cells", "list"),
    "token create": (
        "-m",
        "weighbridge",
        "token",
        "create",
        "--name",
        "bench",
        "--permission",
        "data_collection:read",
    ),
    "verify": ("-m", "weighbridge", "verify"),
    "import of the service": ("-c", "import weighbridge.app"),
}


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in COMMANDS}
    with (
        tempfile.TemporaryDirectory(prefix="weighbridge-bench-") as folder,
        instance.server(Path(folder)) as url,
    ):
        environment = os.environ | {"WEIGHBRIDGE_DATABASE_URL": url}
        _run(("-m", "weighbridge", "migrate"), environment)
        for _ in range(rounds):
            for name, words in COMMANDS.items():
                taken[name].append(_run(words, environment))
    for name, pairs in taken.items():
        cpu, clock = (median([*one]) for one in zip(*pairs, strict=True))
        print(f"command: {name}: processor time {cpu * 1000:.0f} ms, by the clock {clock * 1000:.0f} ms")
    print(f"         (goal of --help: {GOAL_SECONDS * 1000:.0f} ms, on a free processor)")


def _run(words: tuple[str, ...], environment: dict[str, str]) -> tuple[float, float]:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), now()
    subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, now() - began


if __name__ == "__main__":
    main()
