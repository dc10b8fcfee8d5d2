"""Windows of methods that fill gaps: which values of a series a statistic is taken of.

A rolling or a calendar window is seen from the slot that is filled (`core/rule/definition`). A window around
the gap is the same for all slots of the gap: it holds values before the first of them, values behind the
last, or both. By a duration these start at most so much earlier than the first slot, or later than the last
one; by a number they are the nearest so many. With `same`, an expression on an event, a window holds only
values whose events give what the slot's event gives, such as the load range of that very hour; a number
counts these alone.

The members of a series are numbered from 0 in the order of time, apart for each value of `same`. What a
slot's window holds is one or two ranges of numbers, so it costs nothing to say and is read only when the
slot's method asks. What no window will ask for is forgotten.

An example, with `{"kind": "around_gap", "before": {"members": 1}, "after": {"members": 2}}`:

    hour      1   2   3   4   5   6   7
    captured 10  14   -   -  20  22  30
    members      14           20  22

Invariants: what a window holds depends on the series alone, not on when values arrived; a slot of the gap is
no member; behind a gap that has not ended a window is not known.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from decimal import Decimal
from typing import Any, Final, NamedTuple

from weighbridge.core.expression import Expression, ExpressionError, Position
from weighbridge.core.expression.value import Element
from weighbridge.core.problem import Problem
from weighbridge.core.rule.definition import (
    MEMBERS_MAX,
    Calendar,
    Extent,
    FieldReader,
    Rolling,
    Window,
    find_affected,
    reach,
    read_duration,
    read_where,
    read_window,
    write_duration,
    write_window,
)
from weighbridge.core.time.calendar import MILLISECOND, Interval

AROUND_GAP: Final = "around_gap"
"""The kind of a window around the gap, as it is written."""

SAME_MAX: Final = 100
"""Different values that `same` may give over one series; load ranges are ten or twenty."""


@dataclass(frozen=True, slots=True)
class Side:
    """The values on one side of a gap: of a stretch of time, the nearest so many, or what is in both."""

    duration: timedelta | None = None
    members: int | None = None

    @property
    def is_counted(self) -> bool:
        """Whether it has no bound in time."""
        return self.duration is None


@dataclass(frozen=True, slots=True)
class AroundGap:
    """The values before and behind a gap; at least one side is there."""

    before: Side | None = None
    after: Side | None = None
    where: str | None = None


GapWindow = Window | AroundGap
"""A window of a method that fills gaps."""


@dataclass(frozen=True, slots=True)
class LookBack:
    """The members that a statistic is taken of: those of a window that a condition holds for."""

    window: GapWindow
    where: Expression | None = None
    same: Expression | None = None
    """What members have in common with the slot that is filled."""
    same_text: str | None = None


def read_gap_window(mapping: Mapping[str, Any], path: str) -> tuple[GapWindow | None, list[Problem]]:
    """Read a window as it is written in JSON, without `same`; None with everything that is wrong with it."""
    if mapping.get("kind") != AROUND_GAP:
        window, problems = read_window(mapping, path, allows_both=True)
        for problem in problems:
            if problem.field == f"{path}.kind":
                message = f"{path}.kind is rolling, trailing, calendar or {AROUND_GAP}."
                return None, [Problem(message, problem.field, problem.code)]
        return window, problems
    reader = FieldReader(mapping, path)
    reader.take("kind")
    before, after = _read_side(reader, "before"), _read_side(reader, "after")
    if before is None and after is None and not reader.problems:
        reader.refuse("before", "or window.after says which values a window around a gap holds")
    where = read_where(reader)
    reader.refuse_the_rest(f"is no part of a window of the kind {AROUND_GAP}")
    return (None if reader.problems else AroundGap(before, after, where)), reader.problems


def _read_side(reader: FieldReader, name: str) -> Side | None:
    inner = reader.inside(name)
    if inner is None:
        return None
    duration, members = inner.take("duration"), inner.take("members")
    if duration is None and members is None:
        inner.refuse("duration", f"or {name}.members says how far the window reaches, or both")
    side = Side(
        None if duration is None else read_duration(inner, duration),
        None if members is None else inner.check_whole("members", members, MEMBERS_MAX),
    )
    inner.refuse_the_rest("is no part of a side of a gap")
    return side


def write_look_back(look_back: LookBack) -> dict[str, Any]:
    """Write a window, with `same`, in the one form that it is answered and stored in."""
    window = look_back.window
    if not isinstance(window, AroundGap):
        form = write_window(window)
    else:
        sides = {"before": window.before, "after": window.after}
        form = {"kind": AROUND_GAP} | {
            name: _write_side(side) for name, side in sides.items() if side is not None
        }
        if window.where is not None:
            form["where"] = window.where
    return form if look_back.same_text is None else {**form, "same": look_back.same_text}


def _write_side(side: Side) -> dict[str, Any]:
    form: dict[str, Any] = {} if side.members is None else {"members": side.members}
    return form if side.duration is None else form | {"duration": write_duration(side.duration)}


def find_window_reach(window: GapWindow, border: datetime, zone: tzinfo) -> datetime | None:
    """Where the earliest member starts of a gap that begins after a border; None: unknown."""
    if not isinstance(window, AroundGap):
        return reach(window, border, zone)
    if window.before is None:
        return border
    return None if window.before.duration is None else border - window.before.duration


def widen_change(windows: Iterable[GapWindow], changed: Interval) -> Interval:
    """Where gaps lie, or end, whose windows around them may hold what a change changes.

    What a window counts without a bound in time is not in it.
    """
    start, end = changed.start, changed.end
    for window in windows:
        if isinstance(window, AroundGap):
            before, after = window.before, window.after
            if after is not None and after.duration is not None:
                start = min(start, changed.start - after.duration)
            if before is not None and before.duration is not None:
                end = max(end, changed.end + before.duration)
    return Interval(start, end)


def counts_members(window: GapWindow) -> bool:
    """Whether a window has a number of members and no bound in time."""
    match window:
        case Rolling(duration=None):
            return True
        case AroundGap(before=before, after=after):
            return any(side is not None and side.is_counted for side in (before, after))
    return False


def counts_after(window: GapWindow) -> bool:
    """Whether a window holds so many values behind the gap, without a bound in time."""
    return isinstance(window, AroundGap) and window.after is not None and window.after.is_counted


def find_affected_by_window(
    window: GapWindow, changed: Interval, zone: tzinfo
) -> tuple[datetime | None, datetime] | None:
    """From when and until when slots start whose window may hold what changed; None: to the end of all.

    The start is None where only slots behind the change are affected. Gaps that a window around them looks
    from are found by `widen_change`.
    """
    if isinstance(window, AroundGap):
        return None if counts_members(window) else (None, changed.end)
    reached = find_affected(window, changed, zone)
    if reached is None:
        return None
    return (None if isinstance(window, Rolling) else reached.start), reached.end


def find_window_end(window: GapWindow, last: datetime, zone: tzinfo) -> datetime | None:
    """From when on the window of a gap whose last slot starts then cannot grow; None where it cannot now.

    What has no bound in time is asked of `WindowMembers.is_full_after`.
    """
    match window:
        case Calendar(extent=Extent.WHOLE_PERIOD):
            return window.period(last, zone).end
        case AroundGap(after=Side(duration=timedelta() as duration)):
            return last + duration + MILLISECOND
    return None


class MemberRange(NamedTuple):
    """Members by their numbers, from the first on and before the last."""

    first: int
    last: int | None
    """None while members of the period, or behind the gap, may still come."""


class GapSpan(NamedTuple):
    """The slots of a gap, by when they start."""

    first: datetime
    last: datetime
    has_ended: bool


class WindowMembers:
    """The members of one window as the slots of a series pass."""

    def __init__(self, window: GapWindow, zone: tzinfo) -> None:
        self._window = window
        self._zone = zone
        self._starts: list[datetime] = []
        self._values: list[Decimal] = []
        self._keys: list[int | None] = []
        self._forgotten = 0

    def enter(self, start: datetime, value: Decimal, key: int | None = None) -> None:
        """A slot later than all before feeds the window."""
        self._starts.append(start)
        self._values.append(value)
        self._keys.append(key)

    def before(self, moment: datetime) -> MemberRange:
        """The window of a slot that starts then, behind all that entered."""
        entered = self._forgotten + len(self._values)
        first = self._find_first(moment, entered)
        match self._window:
            case AroundGap() | Calendar(extent=Extent.WHOLE_PERIOD):
                return MemberRange(first, None)
        return MemberRange(first, entered)

    def _find_first(self, moment: datetime, entered: int) -> int:
        """The number of the earliest member of a slot that starts then, when so many had entered."""
        match self._window:
            case (
                Rolling(members=count, duration=duration)
                | AroundGap(before=Side(members=count, duration=duration))
            ):
                latest = self._forgotten if count is None else max(entered - count, self._forgotten)
                youngest = self._forgotten if duration is None else self._at(moment - duration)
                return max(latest, youngest)
            case Calendar() as window:
                return self._at(window.opening(window.period(moment, self._zone), self._zone))
        return entered

    def is_full_after(self, last: datetime) -> bool:
        """Whether so many members came behind a slot as the window counts there without a bound in time."""
        match self._window:
            case AroundGap(after=Side(duration=None, members=int(count))):
                return len(self._starts) - bisect_right(self._starts, last) >= count
        return True

    def resolve(
        self, members: MemberRange, moment: datetime, span: GapSpan
    ) -> tuple[MemberRange, ...] | None:
        """The window of a slot that starts then, with its end; None while what is behind the gap is to come.

        All members of its period have entered.
        """
        match self._window:
            case AroundGap() as window:
                return self._resolve_around(window, span)
            case Calendar(extent=Extent.WHOLE_PERIOD) as window:
                end = window.period(moment, self._zone).end
                return (MemberRange(members.first, self._at(end)),)
        return (members,)

    def _resolve_around(self, window: AroundGap, span: GapSpan) -> tuple[MemberRange, ...] | None:
        ranges: list[MemberRange] = []
        if window.before is not None:
            last = self._at(span.first)
            ranges.append(MemberRange(self._find_first(span.first, last), last))
        if window.after is not None:
            if not span.has_ended or not self.is_full_after(span.last):
                return None
            duration, count = window.after.duration, window.after.members
            first = self._forgotten + bisect_right(self._starts, span.last)
            end = self._forgotten + len(self._starts)
            if duration is not None:
                end = self._forgotten + bisect_right(self._starts, span.last + duration)
            ranges.append(MemberRange(first, end if count is None else min(end, first + count)))
        return tuple(ranges)

    def values(self, members: Sequence[MemberRange]) -> Sequence[Decimal]:
        """The values of resolved members, in order of time."""
        return [value for one in members for value in self._values[self._slice(one)]]

    def keys(self, members: Sequence[MemberRange]) -> Sequence[int | None]:
        """What the readings of resolved members are named by, in the same order."""
        return [key for one in members for key in self._keys[self._slice(one)]]

    def _slice(self, members: MemberRange) -> slice:
        assert members.last is not None  # noqa: S101 - it was resolved
        return slice(members.first - self._forgotten, members.last - self._forgotten)

    def forget(self, moment: datetime) -> None:
        """Forget the members that no slot from this moment on asks for."""
        first = self._find_first(moment, self._at(moment))
        if first > self._forgotten:
            del self._starts[: first - self._forgotten]
            del self._values[: first - self._forgotten]
            del self._keys[: first - self._forgotten]
            self._forgotten = first

    def _at(self, moment: datetime) -> int:
        """The number of the first member that starts at the moment or later."""
        return self._forgotten + bisect_left(self._starts, moment)


class SeenMembers(NamedTuple):
    """What a slot has of a window: what members have in common with it, and which they are."""

    same: Element
    members: MemberRange


class SameMembers:
    """The members of one window, apart for each value of `same`; without one they are all together."""

    def __init__(self, look_back: LookBack, zone: tzinfo) -> None:
        self._look_back = look_back
        self._zone = zone
        self._by_value: dict[Element, WindowMembers] = {}

    def of(self, same: Element) -> WindowMembers:
        """The members that have this in common; raises ExpressionError where there are too many values."""
        members = self._by_value.get(same)
        if members is None:
            if len(self._by_value) == SAME_MAX:
                message = f"`same` of a window gives more than {SAME_MAX} different values."
                raise ExpressionError(message, Position())
            members = self._by_value[same] = WindowMembers(self._look_back.window, self._zone)
        return members

    def forget(self, moment: datetime) -> None:
        """Forget the members that no slot from this moment on asks for."""
        for members in self._by_value.values():
            members.forget(moment)
