"""The folder in which the API processes of one service add up what they count.

Each service has one of its own, below the folder for temporary files, and holds a lock in it as long as it
lives. A service that was killed leaves its folder, and the next one that starts here removes it.

Invariants: a folder whose service lives is never removed by another.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Final

VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
"""Tells the folder to prometheus-client, which has this name for it."""

_PREFIX: Final = "weighbridge-metrics-"
_LOCK: Final = "lock"


@contextmanager
def counters() -> Iterator[str]:
    """Make the folder, for as long as the block lasts."""
    _remove_what_is_left()
    with TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True) as folder:
        made = Path(folder, "made")
        lock = os.open(made, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            made.rename(made.with_name(_LOCK))  # only now: nobody meets it without its lock
            yield folder
        finally:
            os.close(lock)


def _remove_what_is_left() -> None:
    for folder in Path(gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)
