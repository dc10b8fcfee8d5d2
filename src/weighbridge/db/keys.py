"""Event keys: taken from the database in blocks, counted on in the process, so no row needs a round trip.

Invariants: no key is given out twice, in any process, ever; a key that is taken and not used is lost,
which harms nothing.
"""

from collections.abc import Sequence
from typing import Any, Final, Protocol

BLOCK_SIZE: Final = 4096


class Asks(Protocol):
    """A transaction that answers a statement with rows."""

    async def tuples(self, statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]: ...


class KeyBlocks:
    """The keys that this process may still give out."""

    def __init__(self) -> None:
        self._left = range(0)

    def take_held(self) -> int | None:
        """Give out one key if that needs no question to the database."""
        if not self._left:
            return None
        key, self._left = self._left[0], self._left[1:]
        return key

    async def take(self, tx: Asks, count: int) -> list[int]:
        """Give out keys, fetching as many blocks as are needed in one statement."""
        keys = list(self._left[:count])
        self._left = self._left[count:]
        missing = count - len(keys)
        if missing:
            blocks = await tx.tuples(
                "SELECT nextval('event_key_blocks') FROM generate_series(1, %s)", (-(-missing // BLOCK_SIZE),)
            )
            for (block,) in blocks:
                fresh = range(block * BLOCK_SIZE, (block + 1) * BLOCK_SIZE)
                keys.extend(fresh[:missing])
                self._left = max(self._left, fresh[missing:], key=len)
                missing = max(0, missing - BLOCK_SIZE)
        return keys
