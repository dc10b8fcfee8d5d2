"""A place is the right to be carried out: whoever asks for one waits for it without holding anything else.

Invariant: a request whose turn does not come soon is refused; what is computed raises what it raises.
"""

from collections.abc import AsyncIterator, Hashable
from contextlib import AsyncExitStack, asynccontextmanager

from weighbridge.http.admission.shares import ACCOUNT_BUSY, WAIT_SECONDS, busy
from weighbridge.places import FairPlaces


class Places:
    """The places of one event loop."""

    def __init__(
        self,
        places: int,
        *,
        share: int | None = None,
        wait_seconds: float = WAIT_SECONDS,
        occupied: str = "The account has other things computed just now",
        code: str = ACCOUNT_BUSY,
    ) -> None:
        """`share` is how many an account may hold, half of all when it is not said; `occupied` is what a
        request hears whose turn does not come, as the message begins.
        """
        self._places = FairPlaces(places, share=share)
        self._wait_seconds = wait_seconds
        self._refused = f"{occupied}, and this request has waited {wait_seconds:g} seconds.", code

    @asynccontextmanager
    async def of(self, account: Hashable) -> AsyncIterator[None]:
        """Wait for a place of an account and hold it; TooManyRequests when its turn does not come soon."""
        async with AsyncExitStack() as held:
            try:
                await held.enter_async_context(self._places.of(account, wait_seconds=self._wait_seconds))
            except TimeoutError:
                raise busy(*self._refused) from None
            yield
