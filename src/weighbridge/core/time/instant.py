"""An instant is a moment in UTC to the millisecond; an interval is a half-open stretch of time.

Invariants: an instant is never naive and carries no finer digits than milliseconds; an interval
`[start, end)` has `start <= end`. A reading is an interval of zero length.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Self

MILLISECOND: Final = timedelta(milliseconds=1)
"""The shortest time that a value tells apart."""


class BeyondCalendarError(ValueError, OverflowError):
    """A moment has no place in the calendar of UTC, which begins with the year 1 and ends with 9999."""

    def __init__(self, moment: datetime) -> None:
        super().__init__(f"is {moment.isoformat()}, which in UTC is outside the years 1 to 9999")


def write_wire_moment(read: str) -> str:
    """The wire form of a moment of UTC as the database writes it, `2025-01-01 00:00:00.12+00`."""
    if read[19] == "+":
        return f"{read[:10]}T{read[11:19]}.000Z"
    return f"{read[:10]}T{read[11:-3][:12]:0<12}Z"


class Instant(datetime):
    """A datetime that is known to be UTC and whole milliseconds, and is written as such."""

    read_as: str | None = None
    """The text that the moment was read from, `2025-01-01 00:00:00.12+00`, which is sooner written anew."""

    @classmethod
    def read(cls, text: str) -> Self:
        """Read a moment of UTC as the database writes it."""
        moment = cls.fromisoformat(text)
        moment.read_as = text
        return moment

    @classmethod
    def of(cls, moment: datetime) -> Self:
        """Take a moment with any offset; finer digits than milliseconds are cut off.

        Raises ValueError for a naive datetime, because without an offset it names no moment, and
        BeyondCalendarError for one that UTC has no year for.
        """
        if moment.tzinfo is None:
            raise ValueError("a time needs an offset or Z")
        try:
            utc = moment.astimezone(UTC)
        except OverflowError:
            raise BeyondCalendarError(moment) from None
        return cls(
            utc.year, utc.month, utc.day, utc.hour, utc.minute, utc.second,
            utc.microsecond // 1000 * 1000, UTC,
        )  # fmt: skip

    @property
    def text(self) -> str:
        """The wire form, `2025-01-01T00:00:00.000Z`."""
        if self.read_as is None:
            return self.isoformat(timespec="milliseconds")[:23] + "Z"
        return write_wire_moment(self.read_as)


@dataclass(frozen=True, slots=True, order=True)
class Interval:
    """The instants from start on and before end; of zero length, the reading at start."""

    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError(f"an interval cannot end at {self.end} before it starts at {self.start}")

    @property
    def is_reading(self) -> bool:
        return self.start == self.end

    @property
    def bounds(self) -> tuple[datetime, datetime]:
        """Its start and its end."""
        return self.start, self.end

    @property
    def milliseconds(self) -> int:
        """How long it lasts."""
        return (self.end - self.start) // MILLISECOND

    def holds(self, other: "Interval") -> bool:
        """Whether the other lies inside: a reading at this end is outside, a stretch may end with this."""
        if other.is_reading:
            return self.start <= other.start < self.end
        return self.start <= other.start and other.end <= self.end

    def touches(self, other: "Interval") -> bool:
        """Whether the two have at least one instant in common."""
        if self.is_reading and other.is_reading:
            return self.start == other.start
        if other.is_reading:
            return self.holds(other)
        if self.is_reading:
            return other.holds(self)
        return self.start < other.end and other.start < self.end

    def overlap(self, other: "Interval") -> "Interval | None":
        """The stretch both have in common, or None."""
        start, end = max(self.start, other.start), min(self.end, other.end)
        return Interval(start, end) if start < end else None
