"""The reserve: a file on the disk of the embedded database whose room is given free when the disk is full.

A full disk must not keep anybody from revoking a token, nor the server from starting again; both need a few
pages. So the service keeps a file that it can do without, and makes it anew when there is room again.

Invariants: the reserve is never made where it would itself fill the disk.
"""

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

from weighbridge.db.embedded.location import recorded_home

FILE: Final = "reserve"
RESERVE_BYTES: Final = 32 * 1024 * 1024
"""Bytes of the reserve: two files of the server's log of changes."""

FREE_BYTES_MIN: Final = RESERVE_BYTES + 16 * 1024 * 1024
"""Bytes free on a disk below which it counts as full; more than the reserve gives."""

FREE_TIMES_MIN: Final = 4
"""How many times the reserve must be free before it is made."""


def keep(data_dir: Path) -> None:
    """Make the reserve when there is none and there is room for it many times over."""
    home = recorded_home(data_dir)
    file = home / FILE
    with suppress(OSError):
        if file.exists() or shutil.disk_usage(home).free < FREE_TIMES_MIN * RESERVE_BYTES:
            return
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            _fill(handle)
        finally:
            os.close(handle)


def release(data_dir: Path) -> bool:
    """Give the room of the reserve free; tells whether there was any."""
    try:
        (recorded_home(data_dir) / FILE).unlink()
    except OSError:
        return False
    return True


def is_disk_full(data_dir: Path) -> bool:
    """Whether the disk of the data directory, or of a cluster that lies elsewhere, has next to no room."""
    for folder in {data_dir, recorded_home(data_dir)}:
        with suppress(OSError):
            if shutil.disk_usage(folder).free < FREE_BYTES_MIN:
                return True
    return False


def _fill(handle: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(handle, 0, RESERVE_BYTES)
        return
    portion = bytes(1024 * 1024)
    for _ in range(RESERVE_BYTES // len(portion)):
        os.write(handle, portion)
