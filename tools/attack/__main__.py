"""Attack a service of one's own in every way of the table, and say what a bystander saw.

    python -m tools.attack [--seconds N] [--only TEXT]

For each attack stands what somebody with another account saw meanwhile: median and 99th percentile of the
times of small requests, how many failed, what the service held in memory, and how soon after the end all was
as before. Beside the first stands the same without any attack. The program ends with 1 when an attack was
felt more than it may be.
"""

import json
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass
from typing import Annotated, Final, Self

from cyclopts import App, Parameter

from tools.attack.attacks import ATTACKS, Attack
from tools.attack.plant import Plant, plant, until_it_says

SLOWER_MAX: Final = 3.0
FELT_MS: Final = 50.0
"""A 99th percentile up to this is quick, however quick it was alone."""
MEMORY_MB_MAX: Final = 1_024.0
RECOVERY_SECONDS_MAX: Final = 5.0
WATCH_SECONDS: Final = 0.1

app = App(help=__doc__, help_format="plaintext")


@dataclass(frozen=True, slots=True)
class Seen:
    """What a bystander saw; times are in milliseconds."""

    median: float
    slow: float
    failures: tuple[str, ...]

    def __str__(self) -> str:
        return f"p50 {self.median:,.1f} ms, p99 {self.slow:,.1f} ms, {len(self.failures)} failures"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one attack."""

    name: str
    alone: Seen
    seen: Seen
    megabytes: float
    recovery: float

    @property
    def faults(self) -> list[str]:
        bound = max(SLOWER_MAX * self.alone.slow, FELT_MS)
        checks = (
            (self.seen.slow > bound, f"p99 above {bound:,.0f} ms"),
            (bool(self.seen.failures), f"requests failed: {' / '.join(sorted({*self.seen.failures})[:3])}"),
            (self.megabytes > MEMORY_MB_MAX, f"memory above {MEMORY_MB_MAX:,.0f} MB"),
            (self.recovery > RECOVERY_SECONDS_MAX, f"no recovery within {RECOVERY_SECONDS_MAX:.0f} s"),
        )
        return [said for is_fault, said in checks if is_fault]

    def __str__(self) -> str:
        verdict = "; ".join(self.faults) or "held"
        return (
            f"{self.name}: {self.seen}, memory {self.megabytes:,.0f} MB, "
            f"recovered in {self.recovery:.1f} s: {verdict}"
        )


@app.default
def main(
    *,
    seconds: Annotated[float, Parameter(help="How long each attack goes on.")] = 10.0,
    only: Annotated[
        str, Parameter(help="A part of the names of the attacks to try; all when not given.")
    ] = "",
) -> None:
    """Go through the table of attacks."""
    with plant() as running:
        see(running, seconds / 2)  # what is compiled, planned and remembered first is not to count
        alone = see(running, seconds)
        print(f"alone: {alone}, memory {running.megabytes():,.0f} MB", flush=True)
        outcomes = []
        for attack in ATTACKS:
            if only in attack.name:
                outcomes.append(carry_out(running, attack, alone, seconds))
                print(outcomes[-1], flush=True)
    felt = [outcome.name for outcome in outcomes if outcome.faults]
    print(f"{len(outcomes) - len(felt)} of {len(outcomes)} attacks held")
    sys.exit(1 if felt else 0)


def carry_out(running: Plant, attack: Attack, alone: Seen, seconds: float) -> Outcome:
    """Attack for so long, and see what a bystander sees meanwhile, and how long it feels the attack."""
    seen, most = attacked(running, attack, seconds)
    return Outcome(attack.name, alone, seen, most, _recovery(running, alone))


def attacked(running: Plant, attack: Attack, seconds: float) -> tuple[Seen, float]:
    """Attack for so long; what a bystander sees meanwhile, and the most that the service holds in memory."""
    running = running.with_new_tokens()
    attacker = subprocess.Popen(
        [sys.executable, "-m", "tools.attack.attacker", running.host, str(running.port), attack.name,
         json.dumps(asdict(running.attacker))],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with attacker:
        try:
            until_it_says(attacker, "begun")
            with _Watch(running) as watch:
                seen = see(running, seconds)
        finally:
            attacker.communicate("")
    return seen, watch.most


def see(running: Plant, seconds: float) -> Seen:
    """What a bystander sees in so many seconds, from a process of its own."""
    member = running.bystander
    said = subprocess.run(
        [sys.executable, "-m", "tools.attack.bystander", running.host, str(running.port), member.token,
         member.ids["project"], str(seconds)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    found = json.loads(said.stdout)
    times = sorted(found["times"]) or [float("inf")]
    return Seen(times[len(times) // 2], times[len(times) * 99 // 100], tuple(found["failures"]))


def _recovery(running: Plant, alone: Seen) -> float:
    """How many seconds it takes until a bystander sees what it saw before, for a second."""
    ended = time.monotonic()
    while (elapsed := time.monotonic() - ended) < 2 * RECOVERY_SECONDS_MAX:
        seen = see(running, 1.0)
        if not seen.failures and seen.median <= max(SLOWER_MAX * alone.median, FELT_MS):
            return elapsed
    return time.monotonic() - ended


class _Watch:
    """Keeps the most that the service held in memory."""

    def __init__(self, running: Plant) -> None:
        self.most = 0.0
        self._running = running
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(WATCH_SECONDS):
            self.most = max(self.most, self._running.megabytes())


if __name__ == "__main__":
    app()
