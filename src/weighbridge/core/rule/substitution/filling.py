"""Filling takes the slots of one meter in their order, in one pass, and says what becomes of those that
need a value.

A gap is decided as a whole when it ends, for the method may depend on its whole length and on what stands
after it; with a window of whole periods it waits for the end of the period as well. A gap that has not ended
when the series does is decided as it stands, and its outcomes say so.

Invariants: what becomes of a slot depends on the series alone, not on the portions it comes in, nor on when a
value arrived or what a rule had put in before; outcomes come in the order of their slots; memory holds the
longest window and the gaps that are not decided.

An example, with a mean of before and after up to two slots and a maximum beyond, over all before:

    hour      1   2   3   4   5   6   7   8   9
    captured 10   -  14   -   -   -  12   -  20
    gap           1       3   3   3       1
    given        12      14  14  14      16

When 13 arrives late for hour 5 the gap of three becomes two of one: hour 4 has 13.5 and hour 6 has 12.5.
"""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from decimal import Decimal
from typing import Final, NamedTuple

from weighbridge.core.expression.value import Element, Fault
from weighbridge.core.halt import proceeding
from weighbridge.core.rule.substitution.availability import Availability
from weighbridge.core.rule.substitution.members import MemberRange, WindowMembers
from weighbridge.core.rule.substitution.methods import Computed, FromWindow, name_of
from weighbridge.core.rule.substitution.program import GapProgram, TierProgram
from weighbridge.core.rule.substitution.series import Absence, Absent, Border, Given, SeriesSlot, SlotOutcome
from weighbridge.core.rule.substitution.values import MethodInputs, statistic_of, value_for

_NO_TIER: Final = Absent(Absence.NO_TIER, "The condition of no tier is true.")
_SLOTS_BETWEEN_FORGETTING: Final = 1_024


class _WaitingSlot(NamedTuple):
    """A slot of a gap with what can be said of it before the gap has ended."""

    slot: SeriesSlot
    availability: Decimal
    ranges: tuple[MemberRange, ...]
    """What it has of each window."""


@dataclass(slots=True)
class _Gap:
    before: Border | None
    valid_before: int
    waiting: list[_WaitingSlot] = field(default_factory=list)
    after: Border | None = None
    known_from: datetime | None = None
    """From when on its windows cannot grow; None when they cannot any more."""


class Filling:
    """One pass of a program over the slots of one meter; the zone is that of the project's calendar.

    What becomes of slots that nobody asks for, by when they start, is not worked out.
    """

    def __init__(
        self, program: GapProgram, zone: tzinfo, is_asked: Callable[[datetime], bool] = lambda _: True
    ) -> None:
        self._program = program
        self._is_asked = is_asked
        self._availability = Availability(program.availability_slots)
        self._windows = [WindowMembers(one.window, zone) for one, _ in program.look_backs]
        self._index = {one: index for index, (one, _) in enumerate(program.look_backs)}
        self._before: Border | None = None
        self._gap: _Gap | None = None
        self._ended: deque[_Gap] = deque()
        self._passed = 0
        self._valid = 0

    def take(self, slots: Iterable[SeriesSlot]) -> list[SlotOutcome]:
        """Take the next slots in order; give what is decided by now.

        Raises ExpressionError when the conditions cost too much, or the windows hold too much.
        """
        outcomes: list[SlotOutcome] = []
        for slot in proceeding(slots):
            self._program.spend_on_slot()
            if self._ended:
                outcomes += self._decided(slot.start)
            if self._program.is_operating(slot):
                self._pass(slot)
                if self._ended:
                    outcomes += self._decided(slot.start)
        return outcomes

    def finish(self) -> list[SlotOutcome]:
        """Decide what is left as it stands, the gap that has not ended as well.

        Raises ExpressionError when the windows hold too much.
        """
        if self._gap is not None:
            self._ended.append(self._gap)
            self._gap = None
        return self._decided(None)

    def _pass(self, slot: SeriesSlot) -> None:
        """An operating slot passes."""
        self._availability.count(is_valid=slot.is_valid)
        value = slot.value
        if value is None or not slot.has_own:
            self._wait(slot)
        else:
            if self._program.is_border(slot):
                self._end_gap(Border(slot.start, value))
            for members, (_, where) in zip(self._windows, self._program.look_backs, strict=True):
                if where is None or where(slot) is True:
                    members.enter(slot.start, value)
        self._valid += slot.is_valid
        self._passed += 1
        if not self._passed % _SLOTS_BETWEEN_FORGETTING:
            self._forget(slot.start)

    def _wait(self, slot: SeriesSlot) -> None:
        if self._gap is None:
            self._gap = _Gap(self._before, self._valid)
        ranges = tuple(members.before(slot.start) for members in self._windows)
        self._gap.waiting.append(_WaitingSlot(slot, self._availability.share, ranges))

    def _end_gap(self, border: Border) -> None:
        gap, self._gap = self._gap, None
        self._before = border
        if gap is None:
            return
        gap.after = border
        last = gap.waiting[-1].slot.start
        ends = [end for members in self._windows if (end := members.known_from(last)) is not None]
        gap.known_from = max(ends, default=None)
        self._ended.append(gap)

    def _forget(self, moment: datetime) -> None:
        """Windows forget what neither a waiting slot nor a later one asks for."""
        oldest = self._ended[0] if self._ended else self._gap
        if oldest is None:
            needed = tuple(members.before(moment) for members in self._windows)
        else:
            needed = oldest.waiting[0].ranges
        for window, members in zip(self._windows, needed, strict=True):
            window.forget(members.first)

    def _decided(self, moment: datetime | None) -> list[SlotOutcome]:
        """The outcomes of the gaps whose windows are known at a moment; with none, of all."""
        outcomes: list[SlotOutcome] = []
        ended = self._ended
        while ended and (moment is None or ended[0].known_from is None or ended[0].known_from <= moment):
            outcomes += self._of_gap(ended.popleft())
        return outcomes

    def _of_gap(self, gap: _Gap) -> Iterable[SlotOutcome]:
        statistics: dict[tuple[FromWindow, MemberRange], Given | Absent] = {}
        for waiting in proceeding(gap.waiting):
            if not self._is_asked(waiting.slot.start):
                continue
            tier, number, wrong = self._tier(waiting, gap)
            found = wrong if tier is None else self._found(tier, waiting, gap, statistics)
            yield SlotOutcome(
                waiting.slot,
                found,
                None if tier is None else name_of(tier.method),
                number,
                None if tier is None else tier.code,
                waiting.availability if self._program.asks_availability else None,
                len(gap.waiting),
                gap.after is not None,
            )

    def _tier(self, waiting: _WaitingSlot, gap: _Gap) -> tuple[TierProgram | None, int | None, Absent]:
        """The first tier whose condition is true and its number, or why there is none."""
        around: list[Element] = [waiting.availability, Decimal(len(gap.waiting)), Decimal(gap.valid_before)]
        for number, tier in enumerate(self._program.tiers, start=1):
            verdict = True if tier.when is None else tier.when(around)
            if verdict is True:
                return tier, number, _NO_TIER
            if isinstance(verdict, Fault):
                return None, number, Absent(Absence.NO_RESULT, str(verdict.error))
        return None, None, _NO_TIER

    def _found(
        self,
        tier: TierProgram,
        waiting: _WaitingSlot,
        gap: _Gap,
        statistics: dict[tuple[FromWindow, MemberRange], Given | Absent],
    ) -> Given | Absent:
        """What the tier's method comes to, rounded; slots of a gap with the same members compute it once."""

        def from_window(method: FromWindow) -> Given | Absent:
            index = self._index[method.look_back]
            window = self._windows[index]
            members = window.resolved(waiting.ranges[index], waiting.slot.start)
            known = statistics.get((method, members))
            if known is None:
                values = window.values(members)
                self._program.spend_on_members(len(values))
                known = statistics[method, members] = statistic_of(method, values)
            return known

        def computed(method: Computed) -> Element:
            return self._program.computed[method.expression](waiting.slot)

        around = MethodInputs(waiting.slot, gap.before, gap.after, from_window, computed)
        return value_for(tier.method, around, self._program.rounding)


def fill(program: GapProgram, slots: Iterable[SeriesSlot], zone: tzinfo) -> list[SlotOutcome]:
    """What becomes of the slots of a whole series that need a value."""
    filling = Filling(program, zone)
    return [*filling.take(slots), *filling.finish()]
