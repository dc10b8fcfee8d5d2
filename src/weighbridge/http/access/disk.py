"""What an API process knows of the disks that it needs: whether one is full, and the reserve that remains.

Of the disk of an external database nothing can be asked; that it is full is known for a while after it said
so to a write.
"""

import asyncio
from pathlib import Path
from typing import Final

from weighbridge.db.embedded import reserve

REMEMBERED_SECONDS: Final = 60.0
"""How long a write that found a disk full counts as news of it."""


class Disk:
    """The disks of one service."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._found_full: float | None = None

    def fill(self) -> None:
        """Remember that a write found a disk full."""
        self._found_full = asyncio.get_running_loop().time()

    def is_full(self) -> bool:
        """Whether a disk has no room, as far as is known."""
        found = self._found_full
        if found is not None and asyncio.get_running_loop().time() - found < REMEMBERED_SECONDS:
            return True
        return reserve.is_disk_full(self._data_dir)

    def release(self) -> bool:
        """Give the room of the reserve free; tells whether there was any."""
        return reserve.release(self._data_dir)
