"""Signs of life: a process that lives and does nothing any more is found, and not only one that died.

A process touches a file of its own every second from the loop that does its work; the supervisor looks
whether the file was touched. It counts its own looks, not the time, so that a machine that slept does not
wake to find all processes frozen.

Invariants: a process that never gave a sign of life is not judged.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from weighbridge.supervisor.observing.loop_watch import loop_watched

VARIABLE: Final = "HEARTBEAT_OF_PROCESS"
BEAT_SECONDS: Final = 1.0
LOOK_SECONDS: Final = 1.0
NEVER: Final = 0


@asynccontextmanager
async def beating() -> AsyncIterator[None]:
    """Give signs of life as long as the block lasts, where a supervisor asks for them.

    The loop that does the work is watched as well, where somebody asks for that.
    """
    path = os.environ.get(VARIABLE)
    task = asyncio.create_task(_beat(Path(path))) if path else None
    try:
        async with loop_watched():
            yield
    finally:
        if task is not None:
            task.cancel()


def reset(path: Path) -> None:
    """Make the file of a process that has given no sign of life yet."""
    path.touch(mode=0o600)
    os.utime(path, ns=(NEVER, NEVER))


async def ends(path: Path, seconds: int) -> None:
    """Wait until a process that gave signs of life has given none for so long."""
    last, silent = NEVER, 0.0
    while last == NEVER or silent < seconds:
        await asyncio.sleep(LOOK_SECONDS)
        beat = _last_beat(path)
        silent = silent + LOOK_SECONDS if beat == last else 0.0
        last = beat


def _last_beat(path: Path) -> int:
    """When the file was touched; a file that somebody removed tells nothing."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return NEVER


async def _beat(path: Path) -> None:
    while True:
        with suppress(OSError):
            os.utime(path)
        await asyncio.sleep(BEAT_SECONDS)


def known_as(otherwise: str) -> str:
    """What the supervisor calls this process, such as api-1; the other name where it has no supervisor."""
    file = os.environ.get(VARIABLE)
    return Path(file).name.removeprefix("heartbeat-") if file else otherwise
