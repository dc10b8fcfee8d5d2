"""The pace of a backup: it works half of the time, however much there is to do.

Standing back behind other processes is not enough where the processors of a machine are threads of fewer
cores: whatever runs on the one slows the other, at any priority. What counts there is how long it runs.

Invariant: for each second of a processor that is worked, one is rested.
"""

import time
from collections.abc import Callable
from typing import Final

REST_PER_WORK: Final = 1.0
"""Seconds that are rested for each second of a processor that was worked."""

STRETCH_SECONDS: Final = 0.05
"""How long is worked without a rest, in seconds of a processor: short beside an answer to a full request."""


class BackupPace:
    """Keeps the pace of one process; `worked` gives its seconds of a processor, `rest` lets some pass."""

    def __init__(
        self, worked: Callable[[], float] = time.process_time, rest: Callable[[float], None] = time.sleep
    ) -> None:
        self._worked = worked
        self._rest = rest
        self._rested_at = worked()

    def keep(self) -> None:
        """Rest, if enough was worked since the last rest."""
        stretch = self._worked() - self._rested_at
        if stretch >= STRETCH_SECONDS:
            self._rest(stretch * REST_PER_WORK)
            self._rested_at = self._worked()
