"""A memory: rows as one process last read them, so that a statement can name them without asking first.

It saves the question and never the answer: a statement that uses a remembered row says in its own text what
has to hold of that row still, and does nothing when that is not so. Nobody need tell a memory of a change.

Invariants: what is remembered is never handed out as current; a memory belongs to one database and takes a
bounded room, in which what was used last stays longest.
"""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Any, Final

ROOM_MAX: Final = 20_000
"""What a process remembers at most: a plain row counts as one, one with parts as one more for each part."""


class Memory:
    """What one process remembers of one database."""

    def __init__(self, room: int = ROOM_MAX) -> None:
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._room = room

    def keep(self, name: Hashable, row: Any, parts: int = 0) -> None:
        """Remember a row, and forget what was not used for longest if there is no room left."""
        self.forget(name)
        self._kept[name] = row, 1 + parts
        self._room -= 1 + parts
        while self._room < 0:
            _, (_, taken) = self._kept.popitem(last=False)
            self._room += taken

    def recall(self, name: Hashable) -> Any:
        """The row as it was when it was kept; None when it is not remembered."""
        entry = self._kept.get(name)
        if entry is None:
            return None
        self._kept.move_to_end(name)
        return entry[0]

    def forget(self, name: Hashable) -> None:
        """Remember a row no longer."""
        entry = self._kept.pop(name, None)
        if entry is not None:
            self._room += entry[1]
