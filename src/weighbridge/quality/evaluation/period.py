"""The period that a request names, over which a rule is evaluated or tried out."""

from datetime import datetime

from weighbridge.core.problem import Problem
from weighbridge.core.time.instant import Instant
from weighbridge.errors import Invalid


def asked_period(start_time: datetime, end_time: datetime) -> tuple[Instant, Instant]:
    """Start and end of a period; raise Invalid when the end is not behind the start."""
    try:
        start, end = Instant.of(start_time), Instant.of(end_time)
    except OverflowError:
        said = "A time of the period is, in UTC, outside the years 1 to 9999."
        raise Invalid([Problem(said, "start_time", "invalid")]) from None
    if end <= start:
        said = f"end_time is {end.text}, which is not behind start_time."
        raise Invalid([Problem(said, "end_time", "invalid")])
    return start, end
