"""Turns: long work on the event loop gives way to other requests every few milliseconds.

A thread would not help: most of this work is in calls that hold the interpreter's lock, so the loop would
wait for it all the same, and hand the lock back and forth besides.
"""

import asyncio
from time import monotonic
from typing import Final

TURN_SECONDS: Final = 0.005
"""How long one request works before others get their turn, when none of its steps takes longer."""


class Turns:
    """The turns of one piece of work, which says between its steps that it can give way."""

    def __init__(self) -> None:
        self._ends = monotonic() + TURN_SECONDS

    async def next(self) -> None:
        """Give way when the turn is over."""
        if monotonic() >= self._ends:
            await asyncio.sleep(0)
            self._ends = monotonic() + TURN_SECONDS
