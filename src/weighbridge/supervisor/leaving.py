"""The end of a process: what it is told before it has to finish, and how it goes when nothing is left to do.

A request that waits, or a stream, would keep an API process from its end for as long as it may take to stop.
So the process is told beforehand that it is about to stop, by a signal that others ignore, and ends those
itself.
"""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final

LEAVING: Final = signal.SIGURG
"""The signal that says that a process is about to stop; whoever does not listen for it ignores it."""


def when_told_to_leave(work: Callable[[], object]) -> None:
    """Do something on this event loop when the process is told that it is about to stop."""
    with suppress(ValueError, RuntimeError):  # a loop beside the main thread hears no signals
        asyncio.get_running_loop().add_signal_handler(LEAVING, work)


def leave(code: int = 0) -> None:
    """End the process before the interpreter takes itself apart, with what it said written.

    Threads that would still want it then abort the process, or are waited for.
    """
    logging.shutdown()
    sys.stderr.flush()
    os._exit(code)
