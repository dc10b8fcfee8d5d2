"""How long a request holds the event loop of a service: processor time between two ticks of that loop.

A busy machine makes no difference to processor time, but a core that is shared makes it longer, so the least
of some tries counts.
"""

import asyncio
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from tests.server import Server

from weighbridge.supervisor.loop_watch import HELD_SECONDS_MAX, VARIABLE

TRIES = 3

CLEAR_TIMES = 3.0
CLEAR_TIMES_REPEATED = 1.5
"""How far over the limit a hold is that is believed when it is seen once, and when it comes again.

Beside other work estimates of one hold lie up to a quarter apart, and where a machine lends its processors
to others the clock of a thread counts what they take.
"""

FRAMES_SHOWN = 18

KEPT = "loops"
"""Where in the folder of a run the processes keep what held their loops."""

HOLDS_KNOWN: dict[str, str] = {}
"""Functions that still hold a loop for long, each with the reason; the table may only shrink."""

Result = TypeVar("Result")


@contextmanager
def ticking(service: Server) -> Iterator[list[float]]:
    """Watch the loop of the service; gives a list of how long it was held, in seconds, longest last."""
    held: list[float] = []

    async def tick() -> None:
        last = time.thread_time()
        while True:
            await asyncio.sleep(0)
            now = time.thread_time()
            if now - last > 0.02:
                held.append(now - last)
            last = now
            await asyncio.sleep(0.001)

    watching = asyncio.run_coroutine_threadsafe(tick(), service._loop)
    try:
        yield held
    finally:
        watching.cancel()
        held.sort()


def tried(service: Server, send: Callable[[], Result]) -> tuple[Result, float]:
    """The answer, and the longest that the loop was held by the request, in seconds."""
    least = float("inf")
    for _ in range(TRIES):
        with ticking(service) as held:
            answer = send()
        least = min(least, held[-1] if held else 0.0)
        if least < HELD_SECONDS_MAX:
            break
    return answer, least


def watch_loops(folder: Path) -> None:
    """Have every process of this run watch its loops, and keep what holds one in the folder."""
    (folder / KEPT).mkdir()
    os.environ[VARIABLE] = str(folder / KEPT)


@dataclass(frozen=True, slots=True)
class HeldLoop:
    """A place that held a loop for long, where it did so for longest, and how often it did."""

    seconds: float
    times: int
    process: str
    stack: Sequence[str]

    @property
    def is_clear(self) -> bool:
        """Whether it fails the run: an estimate over the limit may be off, a second one hardly is."""
        times_over = CLEAR_TIMES_REPEATED if self.times > 1 else CLEAR_TIMES
        return self.seconds > times_over * HELD_SECONDS_MAX

    def __str__(self) -> str:
        said = "fails the run" if self.is_clear else "over the limit, not clearly"
        first = f"{self.seconds} s in {self.process}, {self.times} times: {said}"
        return "\n    ".join([first, *self.stack[-FRAMES_SHOWN:]])


def held_loops(folder: Path) -> list[HeldLoop]:
    """What held a loop for long in any process of the run of a folder: one for each place, longest first."""
    found: dict[str, HeldLoop] = {}
    for file in (folder / KEPT).glob("*.jsonl"):
        for line in map(json.loads, file.read_text().splitlines()):
            stack = line["stack"]
            if any(f":{name}:" in frame for frame in stack for name in HOLDS_KNOWN):
                continue
            ours = [one for one in stack if "weighbridge/" in one or "/tests/" in one]
            place = (ours or stack or ["?"])[-1].rpartition(":")[0]
            before = found.get(place)
            one = HeldLoop(line["seconds"], 1 + (before.times if before else 0), line["of"], stack)
            longest = one if before is None or one.seconds > before.seconds else before
            found[place] = replace(longest, times=one.times)
    return sorted(found.values(), key=lambda one: -one.seconds)
