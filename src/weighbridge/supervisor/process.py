"""What a process of the service does for itself: signs of life, its end with its parent, its priority.

Invariants: a process that never gave a sign of life is not judged; after `die_with_parent` returns, the
death of the parent ends this process too.
"""

import asyncio
import ctypes
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import structlog

from weighbridge.errors import Refusal
from weighbridge.settings import Settings
from weighbridge.supervisor.loop_watch import loop_watched

# Signs of life: they find a process that hangs, and not only one that died.
#
# A process touches a file of its own every second from the loop that does its work; the supervisor looks
# whether the file was touched. It counts its own looks, not the time, so that a machine that slept does not
# wake to find all processes frozen.
#
# Invariants: a process that never gave a sign of life is not judged.


HEARTBEAT_VARIABLE: Final = "HEARTBEAT_OF_PROCESS"
BEAT_SECONDS: Final = 1.0
LOOK_SECONDS: Final = 1.0
NEVER: Final = 0


@asynccontextmanager
async def beating() -> AsyncIterator[None]:
    """Give signs of life as long as the block lasts, where a supervisor asks for them.

    The loop that does the work is watched as well, where somebody asks for that.
    """
    path = os.environ.get(HEARTBEAT_VARIABLE)
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
    """When the file was touched; NEVER for a file that was removed."""
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
    file = os.environ.get(HEARTBEAT_VARIABLE)
    return Path(file).name.removeprefix("heartbeat-") if file else otherwise


# A child that must not outlive its parent, however the parent dies.
#
# Invariants: after `die_with_parent` returns, the death of the parent ends this process too, so the port
# and the database connections of a killed service are free at once.


log = structlog.get_logger("weighbridge.supervisor")

PARENT_VARIABLE = "SUPERVISED_BY_PROCESS"
SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of <sys/prctl.h>
WATCH_SECONDS = 0.2


def look_at_root(settings: Settings) -> None:
    """Warn of a service that runs as root, or refuse it, as the settings say."""
    if os.geteuid() != 0:
        return
    if settings.root == "refuse":
        raise Refusal(
            "The service was started as root, which WEIGHBRIDGE_ROOT=refuse does not allow; start it as a"
            " user of its own."
        )
    log.warning("running_as_root", remedy="start the service as a user of its own that owns the data folder")


def die_with_supervisor() -> None:
    """Tie this process to the supervisor that started it; without one, do nothing."""
    parent = os.environ.get(PARENT_VARIABLE)
    if parent is not None:
        die_with_parent(int(parent))


def die_with_parent(parent: int) -> None:
    """Tie this process to its parent, and end at once when the parent is gone already."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SET_DEATH_SIGNAL, signal.SIGKILL)
    else:
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    if os.getppid() != parent:
        os._exit(1)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(WATCH_SECONDS)
    os._exit(1)


# The end of a process: what it is told before it has to finish, and how it goes when nothing is left to do.
#
# A request that waits, or a stream, would keep an API process from its end for as long as it may take to
# stop. So the process is told beforehand that it is about to stop, by a signal that others ignore, and ends
# those itself.


LEAVING: Final = signal.SIGURG
"""The signal that announces that a process is about to stop; it is ignored by default."""


def when_told_to_leave(work: Callable[[], object]) -> None:
    """Call a function on this event loop when the process is about to stop."""
    with suppress(ValueError, RuntimeError):  # a loop beside the main thread hears no signals
        asyncio.get_running_loop().add_signal_handler(LEAVING, work)


def leave(code: int = 0) -> None:
    """End the process before the interpreter takes itself apart, with what it said written.

    Threads that would still want it then abort the process, or are waited for.
    """
    logging.shutdown()
    sys.stderr.flush()
    os._exit(code)


# What a process is, for itself and for who looks at it.


@cache
def load_application(target: str) -> Any:
    """Make the application that `module:function` names, once in a process and those forked from it."""
    module, _, factory = target.partition(":")
    return getattr(import_module(module), factory)()


def show_command(command: Sequence[str]) -> None:
    """Have `ps` show a command in the place of the one by which this process was started, as far as it fits.

    Linux reads it in the memory of the process. Elsewhere nothing changes.
    """
    try:
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return
    start, end = (int(fields[number]) for number in _ARGUMENTS)
    room = end - start
    if room > 0:  # the last byte stays zero, by which Linux knows that there are words
        text = b"\0".join(map(os.fsencode, command))[: room - 1]
        ctypes.memmove(start, text.ljust(room, b"\0"), room)


_ARGUMENTS: Final = (45, 46)
"""Where arg_start and arg_end are among the fields of /proc/PID/stat after the name (proc(5))."""


# A process that stands back has the processor only as far as those that answer leave it.
#
# On a machine with fewer processors than processes at work, everything that computes would otherwise delay
# each answer by the turn of another.


OF_COMPUTING: Final = 10
"""How far a process stands back that computes for requests, on the scale of `nice`: to a tenth."""

OF_WORKER: Final = 5
"""How far a worker yields to the processes of one service: to a third."""

OF_BACKUP: Final = 15
"""How far a backup stands back, whoever takes it: what it reads and packs comes after all other work."""

_OF_SESSION: Final = Path("/proc/self/autogroup")
"""Where Linux divides the processor by sessions before it divides it by processes, each child has its own."""


def stand_back(niceness: int) -> None:
    """Lower the priority of this thread, and of the processes it starts."""
    os.nice(niceness)
    with suppress(OSError):
        _OF_SESSION.write_text(str(niceness))
