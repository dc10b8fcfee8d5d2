"""Child processes that are kept running, and the compute processes that a service has.

Invariants: each child leads a process group of its own, so that nothing of a child survives it; after
`keep_running` returns the child has ended; the sockets of compute processes are in a folder that only
the user of the service can enter.
"""

import asyncio
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from weighbridge.errors import Refusal
from weighbridge.settings import Settings
from weighbridge.supervisor import process as heartbeat
from weighbridge.supervisor.forking import ChildProcess, ProcessTemplate, start_anew
from weighbridge.supervisor.process import LEAVING

# How much memory a process takes, where the system tells.


def bytes_held(number: int) -> int | None:
    """Bytes of memory that a process holds by itself; None where the system does not report it."""
    try:
        _, resident, shared, *_ = Path(f"/proc/{number}/statm").read_text().split()
    except (OSError, ValueError):
        return None
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")


# A child process that is kept running: started again when it dies or freezes, ended in order at the end.
#
# Invariants: each child leads a process group of its own, so that a terminal's interrupt reaches the
# supervisor alone and nothing of a child survives it; after `keep_running` returns the child has ended.


RESTART_SECONDS_FIRST = 0.1
RESTART_SECONDS_LAST = 10.0
STEADY_SECONDS = 30.0  # a child that lived so long starts again at the first delay
LOOK_SECONDS = 0.5  # between two looks at the memory of a child

STARTS: Counter[str] = Counter()
"""How often each child was started since this process began, for the page of counters."""

log = structlog.get_logger("weighbridge.supervisor")


@dataclass(frozen=True, slots=True)
class ChildProgram:
    """A program to run as a child."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    must_become_ready: bool = False
    heartbeat: Path | None = None
    """The file of its signs of life, if it is to give any."""
    bytes_max: int | None = None
    """How much memory it may take, if that is bounded."""
    is_forked: bool = False
    """Whether the template of the service may fork it: its command is then `python -m MODULE …`."""
    stops_last: bool = False
    """Whether it serves the others, and ends when none of them is left."""


@dataclass(frozen=True, slots=True)
class Phases:
    """The moments of the service's life that its parts wait for."""

    ready: asyncio.Event
    stopping: asyncio.Event
    hurrying: asyncio.Event
    stop_seconds: int
    frozen_seconds: int


async def keep_running(
    program: ChildProgram, phases: Phases, template: ProcessTemplate | None = None
) -> None:
    """Run the program until the service stops; the template forks it where there is one."""
    delay = RESTART_SECONDS_FIRST
    while not phases.stopping.is_set():
        born = time.monotonic()
        process = await _start(program, template)
        try:
            await _first(
                process.wait(), phases.stopping.wait(), _freezes(program, process, phases),
                _grows(program, process),
            )  # fmt: skip
        finally:
            await _end(program, process, phases)
        if phases.stopping.is_set():
            return
        if program.must_become_ready and not phases.ready.is_set():
            raise Refusal(
                f"The {program.name} process ended with code {process.returncode} before it was ready."
            )
        lived = time.monotonic() - born
        delay = RESTART_SECONDS_FIRST if lived > STEADY_SECONDS else delay
        log.error("process_died", process=program.name, exit_code=process.returncode, restart_seconds=delay)
        await wait_for_event(phases.stopping, within_seconds=delay)
        delay = min(delay * 2, RESTART_SECONDS_LAST)


async def wait_for_event(event: asyncio.Event, *, within_seconds: float) -> bool:
    """Wait for the event, and tell whether it came in time."""
    with suppress(TimeoutError):
        async with asyncio.timeout(within_seconds):
            await event.wait()
    return event.is_set()


async def _freezes(program: ChildProgram, process: ChildProcess, phases: Phases) -> None:
    """Wait until the child gives no sign of life any more, and end it then: it would not end by itself."""
    if program.heartbeat is None:
        await asyncio.Event().wait()
        return
    await heartbeat.ends(program.heartbeat, phases.frozen_seconds)
    log.error("process_frozen", process=program.name, pid=process.pid, silent_seconds=phases.frozen_seconds)
    _signal_group(process, signal.SIGKILL)
    await process.wait()


async def _grows(program: ChildProgram, process: ChildProcess) -> None:
    """Wait until the child takes more memory than it may, and end it then: nothing else bounds it."""
    resident_bytes: int | None = 0
    while (
        program.bytes_max is not None and resident_bytes is not None and resident_bytes <= program.bytes_max
    ):
        await asyncio.sleep(LOOK_SECONDS)
        resident_bytes = bytes_held(process.pid)
    if program.bytes_max is None or resident_bytes is None:
        await asyncio.Event().wait()
    log.error("process_too_large", process=program.name, pid=process.pid, bytes=resident_bytes)
    _signal_group(process, signal.SIGKILL)
    await process.wait()


async def _start(program: ChildProgram, template: ProcessTemplate | None) -> ChildProcess:
    environment = dict(program.environment)
    if program.heartbeat is not None:
        heartbeat.reset(program.heartbeat)
        environment[heartbeat.HEARTBEAT_VARIABLE] = str(program.heartbeat)
    process: ChildProcess | None = None
    if template is not None and program.is_forked:
        process = await template.fork(program.command, environment)
    if process is None:
        process = await start_anew(program.command, environment)
    STARTS[program.name] += 1
    log.info("process_started", process=program.name, pid=process.pid)
    return process


async def _end(program: ChildProgram, process: ChildProcess, phases: Phases) -> None:
    """Let the child finish what it does within the bound, then end all of its group."""
    if process.returncode is None:
        _signal_group(process, LEAVING, to_leader_alone=True)
        _signal_group(process, signal.SIGTERM, to_leader_alone=True)
        patience = asyncio.sleep(phases.stop_seconds)
        await _first(process.wait(), phases.hurrying.wait(), patience)
        if process.returncode is None:
            log.warning("process_killed", process=program.name, after_seconds=phases.stop_seconds)
    _signal_group(process, signal.SIGKILL)
    await process.wait()


def _signal_group(process: ChildProcess, number: signal.Signals, *, to_leader_alone: bool = False) -> None:
    with suppress(ProcessLookupError):
        if to_leader_alone:
            process.send_signal(number)
        else:
            os.killpg(process.pid, number)


async def _first(*awaitables: object) -> None:
    tasks = [asyncio.ensure_future(awaitable) for awaitable in awaitables]  # type: ignore[call-overload]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


# Which computing processes a service has, and where they listen.
#
# Invariants: their sockets lie in a folder that only the user of the service can enter.


SOCKETS_VARIABLE: Final = "COMPUTING_SOCKETS"
"""Tells an API process where its computing processes listen; paths, separated as in PATH."""

COMPUTING_APPLICATION: Final = "weighbridge.app:create_computing"

SOCKET_PATH_BYTES_MAX: Final = 100
"""The longest path that every system takes for a socket, in bytes."""

_MEGABYTE: Final = 1_000_000


def computing_programs(settings: Settings, variables: Mapping[str, str], folder: Path) -> list[ChildProgram]:
    """The computing processes, listening in a folder; a Refusal where its path is too long for that."""
    if settings.computing_processes and len(bytes(folder)) > SOCKET_PATH_BYTES_MAX - len("/computing-64"):
        raise Refusal(
            f"The folder for temporary files has a path that is too long for sockets: {folder}. Let TMPDIR"
            " name a folder with a shorter path, or set WEIGHBRIDGE_COMPUTING_PROCESSES=0."
        )
    names = [f"computing-{number}" for number in range(1, settings.computing_processes + 1)]
    command = (sys.executable, "-m", "weighbridge.supervisor.compute_process", COMPUTING_APPLICATION)
    return [
        ChildProgram(
            name, (*command, str(folder / name)), variables,
            must_become_ready=True, is_forked=True, stops_last=True,
            bytes_max=settings.computing_megabytes * _MEGABYTE,
        )
        for name in names
    ]  # fmt: skip


def sockets_of(programs: list[ChildProgram]) -> str:
    """Where they listen, as a variable tells it."""
    return os.pathsep.join(program.command[-1] for program in programs)
