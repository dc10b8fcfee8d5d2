"""A process that stands back has the processor only as far as those that answer leave it.

On a machine with fewer processors than processes at work, everything that computes would otherwise delay each
answer by the turn of another.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

OF_COMPUTING: Final = 10
"""How far a process stands back that computes for requests, on the scale of `nice`: to a tenth."""

OF_WORKER: Final = 5
"""How far a worker stands back beside the processes of one service: to a third."""

OF_BACKUP: Final = 15
"""How far a backup stands back, whoever takes it: what it reads and packs comes after all other work."""

_OF_SESSION: Final = Path("/proc/self/autogroup")
"""Where Linux divides the processor by sessions before it divides it by processes, each child has its own."""


def stand_back(niceness: int) -> None:
    """Let this thread, and what it starts, stand back behind those that answer."""
    os.nice(niceness)
    with suppress(OSError):
        _OF_SESSION.write_text(str(niceness))
