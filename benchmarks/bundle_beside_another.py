"""What a bundle takes to be made and checked, beside the same of another checkout, in one run.

Both services run at once and have the same weighings, a thousand to a batch, and a report of all of them.
Each makes the bundle of its report by its own command, and checks it by its own, in turns, so that a busy
machine slows both alike; a first round, in which Python compiles, is not counted. A figure is the time of a
command by the clock. The ratio is that of our median to the other's: below 1 this checkout is faster.

    python benchmarks/bundle_beside_another.py CHECKOUT [--events EVENTS] [--rounds ROUNDS]

CHECKOUT is the folder of another version in which `make setup` was run.
"""

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from bench_bundle_proofs import EVENTS, make
from service import median, now, started

ROUNDS = 3
GOAL = 1.2
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


@dataclass
class Plant:
    """A service of a checkout, the report of its weighings, and the seconds that its commands took."""

    programs: Path
    folder: Path
    report: str
    key: str
    making: list[float] = field(default_factory=list)
    checking: list[float] = field(default_factory=list)

    def run_round(self) -> None:
        """Make the bundle, and check it."""
        file = str(self.folder / "report.bundle.zip")
        folder = "--data-dir", str(self.folder)
        self.making.append(self._timed("bundle", "make", self.report, "--output", file, *folder))
        self.checking.append(self._timed("bundle", "check", file, "--key", self.key))

    def _timed(self, *words: str) -> float:
        began = now()
        command = [str(self.programs / "weighbridge"), *words]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
        return now() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    asked = parser.parse_args()
    with contextlib.ExitStack() as running:
        ours = _start(running, Path(sys.executable).parent, asked.events)
        other = _start(running, asked.checkout.resolve() / ".venv/bin", asked.events)
        for number in range(asked.rounds + 1):
            for plant in (ours, other):
                plant.run_round()
            print(f"round {number} of {asked.rounds}", file=sys.stderr)
    making, checking = (
        [plant.making[1:] for plant in (ours, other)],
        [plant.checking[1:] for plant in (ours, other)],
    )
    _compare("make", *making)
    _compare("check", *checking)
    both = [list(map(sum, zip(*pair, strict=True))) for pair in zip(making, checking, strict=True)]
    _compare(f"{asked.events:,} events, make and check", *both)


def _start(running: contextlib.ExitStack, programs: Path, events: int) -> Plant:
    """Start the service of a checkout, and have it store the weighings."""
    folder = running.enter_context(tempfile.TemporaryDirectory(prefix="weighbridge-bench-"))
    service = running.enter_context(started(programs, folder, api_processes=1, with_worker=True))
    report = make(service, events)
    command = [str(programs / "weighbridge"), "audit", "key", "--data-dir", folder]
    key = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    return Plant(programs, Path(folder), report, key)


def _compare(name: str, ours: list[float], others: list[float]) -> None:
    mine, theirs = median(ours), median(others)
    print(f"{name}: {mine:.2f} s, the other {theirs:.2f} s, ratio {mine / theirs:.2f} (goal: at most {GOAL})")


if __name__ == "__main__":
    main()
