"""Which values feed the windows of a series: those of operating slots that are captured and valid, or a
person's, as far as the window's `where` holds for them.

Members are numbered from 0 in the order of time. What a slot's window holds is a stretch of numbers, so it
costs nothing to say and is read only when the slot's method asks. What no window will ask for is forgotten,
so memory holds the longest window and not the series.

Invariants: a slot is no member of its own window; a window is the same whenever it is asked for, as long as
nothing before it changes.

An example: hours of 10, 14, a gap of two, 12, and the window of the last two members. The members are
0: 10, 1: 14, 2: 12. Both slots of the gap have the members 0 to 2 exclusive; 12 came after them.
"""

from bisect import bisect_left
from collections.abc import Sequence
from datetime import datetime, tzinfo
from decimal import Decimal
from typing import NamedTuple

from weighbridge.core.rule.windows.window import Calendar, Extent, Rolling, Window


class MemberRange(NamedTuple):
    """Members by their numbers, from the first on and before the last."""

    first: int
    last: int | None
    """None while members of the period may still come."""


class WindowMembers:
    """The members of one window as the slots of a series pass."""

    def __init__(self, window: Window, zone: tzinfo) -> None:
        self._window = window
        self._zone = zone
        self._starts: list[datetime] = []
        self._values: list[Decimal] = []
        self._forgotten = 0

    def enter(self, start: datetime, value: Decimal) -> None:
        """A slot later than all before feeds the window."""
        self._starts.append(start)
        self._values.append(value)

    def before(self, moment: datetime) -> MemberRange:
        """The window of a slot that starts then, behind all that entered."""
        entered = self._forgotten + len(self._values)
        match self._window:
            case Rolling(members=count, duration=duration):
                latest = self._forgotten if count is None else max(entered - count, self._forgotten)
                youngest = self._forgotten if duration is None else self._at(moment - duration)
                return MemberRange(max(latest, youngest), entered)
            case Calendar() as window:
                first = self._at(window.opening(window.period(moment, self._zone), self._zone))
                return MemberRange(first, None if window.extent is Extent.WHOLE_PERIOD else entered)

    def known_from(self, moment: datetime) -> datetime | None:
        """From when on the window of a slot that starts then cannot grow; None when it cannot any more."""
        match self._window:
            case Calendar(extent=Extent.WHOLE_PERIOD) as window:
                return window.period(moment, self._zone).end
        return None

    def resolved(self, members: MemberRange, moment: datetime) -> MemberRange:
        """The window of a slot that starts then, with its end; all members of its period have entered."""
        if members.last is not None:
            return members
        end = self.known_from(moment)
        assert end is not None  # noqa: S101 - only a window of whole periods leaves its end open
        return MemberRange(members.first, self._at(end))

    def values(self, members: MemberRange) -> Sequence[Decimal]:
        """The values of resolved members, in order of time."""
        assert members.last is not None  # noqa: S101 - it was resolved
        return self._values[members.first - self._forgotten : members.last - self._forgotten]

    def forget(self, first: int) -> None:
        """Nobody will ask for members before this number."""
        if first > self._forgotten:
            del self._starts[: first - self._forgotten]
            del self._values[: first - self._forgotten]
            self._forgotten = first

    def _at(self, moment: datetime) -> int:
        """The number of the first member that starts at the moment or later."""
        return self._forgotten + bisect_left(self._starts, moment)
