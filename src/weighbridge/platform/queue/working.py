"""Working on the queue without end: when the database was lost, a worker begins again once it is back.

The queue's own worker ends when its connection is lost for longer than a moment, as while one host of the
database takes over from another. What was in hand then passes to whoever finds its lease run out.
"""

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Final

AGAIN_SECONDS: Final = 1
"""How soon a worker begins again whose work on the queue has ended."""

_log: Final = logging.getLogger(__name__)


@asynccontextmanager
async def told_to_stop() -> AsyncIterator[asyncio.Event]:
    """Within, SIGTERM and SIGINT set the event."""
    loop, stopping = asyncio.get_running_loop(), asyncio.Event()
    numbers = (signal.SIGTERM, signal.SIGINT)
    for number in numbers:
        loop.add_signal_handler(number, stopping.set)
    try:
        yield stopping
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


async def keep_working(run: Callable[[], Coroutine[Any, Any, None]], stopping: asyncio.Event) -> None:
    """Work on the queue, again and again, until told to stop; then finish what is in hand."""
    telling = asyncio.create_task(stopping.wait())
    try:
        while not stopping.is_set():
            running = asyncio.create_task(run())
            try:
                await asyncio.wait([running, telling], return_when=asyncio.FIRST_COMPLETED)
            finally:
                if not running.done():
                    running.cancel()  # by which the queue's worker is asked to finish
                    await asyncio.wait([running])
            if not stopping.is_set():
                error = running.exception()
                _log.warning("The work on the queue ended, and begins again: %s", error or "")
                await asyncio.wait([telling], timeout=AGAIN_SECONDS)
    finally:
        telling.cancel()
