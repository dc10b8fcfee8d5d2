"""A place is the right to compute: whoever asks for one waits for it without holding anything else.

Invariant: a request whose turn does not come soon is refused; what is computed raises what it raises.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from weighbridge.http.admission.shares import WAIT_SECONDS, busy
from weighbridge.places import FairPlaces


class Places:
    """The places of one event loop."""

    def __init__(self, places: int, *, wait_seconds: float = WAIT_SECONDS) -> None:
        self._places = FairPlaces(places)
        self._wait_seconds = wait_seconds

    @asynccontextmanager
    async def of(self, account: int) -> AsyncIterator[None]:
        """Wait for a place of an account and hold it; TooManyRequests when its turn does not come soon."""
        async with AsyncExitStack() as held:
            try:
                await held.enter_async_context(self._places.of(account, wait_seconds=self._wait_seconds))
            except TimeoutError:
                raise busy(
                    "The account has other things computed just now, and this request has waited "
                    f"{self._wait_seconds:g} seconds."
                ) from None
            yield
