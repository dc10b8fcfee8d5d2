"""A period says over which records a rule is evaluated: those that start in it.

It comes from a request, from the data that changed, or from the time for which a version is effective.

Invariants: a period of a request has an end behind its start; none begins before the year 1.
"""

from datetime import datetime
from typing import Final

from weighbridge.core.problem import Problem
from weighbridge.core.time.instant import Instant
from weighbridge.errors import Invalid
from weighbridge.quality.versions.stored_version import StoredVersion

Period = tuple[Instant, Instant | None]
"""From its start on and before its end; None has no end."""

EARLIEST: Final = Instant.of(Instant.fromisoformat("0001-01-01T00:00:00+00:00"))
"""No record starts before it."""


def requested_period(start_time: datetime, end_time: datetime) -> tuple[Instant, Instant]:
    """Start and end of a period; raise Invalid when the end is not behind the start."""
    start, end = Instant.of(start_time), Instant.of(end_time)
    if end <= start:
        said = f"end_time is {end.text}, which is not behind start_time."
        raise Invalid([Problem(said, "end_time", "invalid")])
    return start, end


def effective_period(version: StoredVersion, start: Instant | None, end: Instant | None) -> Period | None:
    """The part of a period in which the rule is effective; None when there is none."""
    first = version.effective_from if start is None else max(start, version.effective_from)
    ends = [moment for moment in (end, version.effective_to) if moment is not None]
    last = min(ends, default=None)
    return None if last is not None and last <= first else (first, last)
