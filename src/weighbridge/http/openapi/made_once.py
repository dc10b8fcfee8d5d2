"""What takes seconds to make and never changes: made in a thread when somebody first asks, and then kept.

Invariant: it is made once, however many ask at the same time; who asks meanwhile waits.
"""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

Made = TypeVar("Made")


class MadeOnce(Generic[Made]):
    """Something that is made when it is first asked for; for one event loop."""

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._making: asyncio.Future[Made] | None = None

    async def get(self) -> Made:
        """What was made."""
        if self._making is None:
            self._making = asyncio.ensure_future(asyncio.to_thread(self._make))
        return await asyncio.shield(self._making)
