"""The agent's clock: the one place where the agent asks what time it is.

The machine's clock dates what arrives; it never dates a reading that has a time of its own.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

_MICROSECOND: Final = timedelta(microseconds=1)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def now() -> datetime:
    """What this machine holds for the time, in UTC."""
    return datetime.now(UTC)


def microseconds(moment: datetime) -> int:
    """Microseconds since 1970."""
    return (moment - _EPOCH) // _MICROSECOND


def moment_of(number: int) -> datetime:
    """The moment so many microseconds after 1970."""
    return _EPOCH + number * _MICROSECOND


def text_of(moment: datetime) -> str:
    """A moment in UTC with every digit that it has: `2025-01-01T00:00:00Z`, `2025-01-01T00:00:00.25Z`."""
    utc = moment.astimezone(UTC)
    fraction = f".{utc.microsecond:06}".rstrip("0") if utc.microsecond else ""
    return f"{utc:%Y-%m-%dT%H:%M:%S}".rjust(19, "0") + f"{fraction}Z"
