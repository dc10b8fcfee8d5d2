"""How long a request holds the event loop of a service: processor time between two ticks of that loop.

A busy machine makes no difference to processor time, but a core that is shared makes it longer, so the least
of some tries counts.
"""

import asyncio
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from tests.server import Server

from weighbridge.supervisor.observing.loop_watch import HELD_SECONDS_MAX, VARIABLE

TRIES = 3

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
    kept = folder / "loops"
    kept.mkdir()
    os.environ[VARIABLE] = str(kept)


def held_loops() -> list[str]:
    """What held a loop for long in any process of this run: a paragraph for each place, the longest first."""
    worst: dict[str, tuple[float, dict[str, Any]]] = {}
    for file in Path(os.environ[VARIABLE]).glob("*.jsonl"):
        for line in file.read_text().splitlines():
            found = json.loads(line)
            ours = [one for one in found["stack"] if "weighbridge/" in one or "/tests/" in one]
            place = (ours or found["stack"] or ["?"])[-1]
            if not _is_known(found["stack"]) and found["seconds"] > worst.get(place, (0.0,))[0]:
                worst[place] = (found["seconds"], found)
    found_last = sorted(worst.values(), key=lambda one: -one[0])
    return [
        "\n    ".join([f"{seconds} s in {one['of']}:", *one["stack"][-18:]]) for seconds, one in found_last
    ]


def _is_known(stack: list[str]) -> bool:
    return any(f":{name}:" in frame for frame in stack for name in HOLDS_KNOWN)
