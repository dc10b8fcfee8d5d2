"""A webhook tells an address of changes; here is how long it tries, and when it gives up.

Invariants: a delivery is tried at most as often as the schedule says, and asking for one again adds one
attempt; whatever a receiver asks for, the next attempt comes within the longest pause of the schedule.
"""

from datetime import timedelta
from enum import StrEnum
from typing import Final

MINUTE: Final = 60
HOUR: Final = 60 * MINUTE

PAUSES_SECONDS: Final = (
    5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR,
)  # fmt: skip
"""How long a delivery waits after each failed attempt; after the last one it has failed.

The schedule that the Standard Webhooks specification suggests: ten attempts in three days and three hours.
"""

DELIVERY_ATTEMPTS_MAX: Final = len(PAUSES_SECONDS) + 1
"""Attempts at one delivery, those aside that somebody asks for."""

FAILING_DAYS_MAX: Final = 5
"""Days for which every attempt at a webhook may fail before it is disabled."""

GONE: Final = 410
"""The status by which a receiver says that it wants no more, for which a webhook is disabled at once."""


class DeliveryState(StrEnum):
    """How a delivery stands."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


def is_taken(status: int | None) -> bool:
    """Whether a receiver has taken a delivery; a redirect is followed by nobody."""
    return status is not None and 200 <= status < 300


def pause_after(attempts: int, *, retry_after_seconds: int | None = None) -> timedelta | None:
    """How long a delivery waits after so many failed attempts; None when there is no other one.

    A receiver that asks for a longer pause has it, up to the longest of the schedule.
    """
    if attempts >= DELIVERY_ATTEMPTS_MAX:
        return None
    longest = max(PAUSES_SECONDS)
    asked = min(retry_after_seconds or 0, longest)
    return timedelta(seconds=max(PAUSES_SECONDS[attempts - 1], asked))


def read_retry_after(text: str | None) -> int | None:
    """The seconds of a Retry-After header; None for a date or anything else."""
    digits_max = 9
    if text is None or not text.isascii() or not text.isdecimal() or len(text) > digits_max:
        return None
    return int(text)
