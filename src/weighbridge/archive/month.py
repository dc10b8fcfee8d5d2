"""Calendar months in UTC: the pieces in which events are archived, by their start."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Self

from weighbridge.errors import Refusal

SETTLES_AFTER: Final = timedelta(days=7)
"""How long a month must have been over before it is archived: late data mostly come within days."""

_FORM: Final = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])")


@dataclass(frozen=True, slots=True, order=True)
class CalendarMonth:
    """A month of a year; it begins at its first instant in UTC."""

    year: int
    month: int

    @classmethod
    def read(cls, text: str, option: str) -> Self:
        """Read `2025-12`; raises Refusal, which names the option."""
        found = _FORM.fullmatch(text)
        if found is None or found[1] == "0000":
            raise Refusal(f"{option} is {text!r}; it takes a month such as 2025-12.")
        return cls(int(found[1]), int(found[2]))

    @classmethod
    def of(cls, moment: datetime) -> Self:
        """The month that a moment lies in."""
        there = moment.astimezone(UTC)
        return cls(there.year, there.month)

    @property
    def text(self) -> str:
        """The month as it is written: 2025-12."""
        return f"{self.year:04d}-{self.month:02d}"

    @property
    def start(self) -> datetime:
        """Its first instant."""
        return datetime(self.year, self.month, 1, tzinfo=UTC)

    @property
    def end(self) -> datetime:
        """The first instant that is not in it any more."""
        return self.next.start

    @property
    def next(self) -> "CalendarMonth":
        """The month behind it."""
        return CalendarMonth(self.year + self.month // 12, self.month % 12 + 1)

    def refuse_unsettled(self, now: datetime) -> None:
        """Raise Refusal unless the month has been over for long enough."""
        if now < self.end + SETTLES_AFTER:
            settled = self.end + SETTLES_AFTER
            raise Refusal(
                f"{self.text} cannot be archived yet: it may be from {settled:%Y-%m-%d} on, when it has been"
                f" over for {SETTLES_AFTER.days} days."
            )
