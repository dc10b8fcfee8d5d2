"""How long to wait after a failure: ever longer, with chance, and never less than the other side asks for."""

from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

FIRST_SECONDS: Final = 0.5
DOUBLINGS_MAX: Final = 16


def pause_seconds(
    failures: int, longest: float, retry_after: float | None, chance: Callable[[], float]
) -> float:
    """Seconds to wait after so many failures in a row; `chance` gives a number from 0 up to 1.

    Half of the pause is left to chance, so that agents that were cut off together do not return together.
    """
    whole: float = min(FIRST_SECONDS * 2 ** min(failures - 1, DOUBLINGS_MAX), longest)
    return max(whole * (0.5 + chance() / 2), retry_after or 0.0)


def retry_after_seconds(header: str | None, now: datetime) -> float | None:
    """What a header Retry-After asks for, a number of seconds or a date; None where it asks for nothing."""
    if header is None:
        return None
    text = header.strip()
    if text.isascii() and text.isdecimal():
        return float(text[:9])
    moment = http_date(text)
    return None if moment is None else max((moment - now).total_seconds(), 0.0)


def http_date(text: str) -> datetime | None:
    """A date as HTTP writes it; None where it is none."""
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
