"""Which computing processes a service has, and where they listen.

Invariants: their sockets lie in a folder that only the user of the service can enter.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from weighbridge.errors import Refusal
from weighbridge.settings import Settings
from weighbridge.supervisor.child import ChildProgram

SOCKETS_VARIABLE: Final = "COMPUTING_SOCKETS"
"""Tells an API process where its computing processes listen; paths, separated as in PATH."""

APPLICATION: Final = "weighbridge.app:create_computing"

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
    command = (sys.executable, "-m", "weighbridge.supervisor.computing.process", APPLICATION)
    return [
        ChildProgram(
            name, (*command, str(folder / name)), variables, must_become_ready=True, stops_last=True,
            bytes_max=settings.computing_megabytes * _MEGABYTE,
        )
        for name in names
    ]  # fmt: skip


def sockets_of(programs: list[ChildProgram]) -> str:
    """Where they listen, as a variable tells it."""
    return os.pathsep.join(program.command[-1] for program in programs)
