"""A program is a substitution made ready to fill gaps: methods turned, conditions made functions.

It finds how far a change of a series reaches: which slots it may change, and from where they have to be read
again. A change touches the whole gap that it lies in, and what looks back at it: windows, and tiers that ask
for availability or for how many slots were valid. What looks back by counting has no bound in time.

Invariants: a program has no state but what is left of its budget; the values of a slot's row are in the
order of `names`; windows that hold the same are one; what becomes of a slot outside of what is affected is
what it was; a pass that begins where `find_reading_start` says finds the same for the slots from `first` on
as one over the whole series.

Filling takes the slots of one meter in their order, in one pass, and decides those that need a value.

A gap is decided as a whole when it ends, because the method may depend on its whole length and on the values
after it; with a window of whole periods it waits for the end of the period as well. A gap that has not ended
when the series does is decided as it is, and its outcomes say so.

The windows of a series hold the values of operating slots that are captured and valid, or a person's, as far
as the window's `where` is true for them; `windows` says which a slot's window holds.

Availability is the share of operating slots with a valid captured value, up to a slot and with it: over the
last so many operating slots, or over all while there are fewer (40 CFR 75.32, equations 8 and 9, with 8,760
hours). What a person or a rule put in counts as not captured, and slots in which the meter was not operating
count neither way. Availability of a period is the same of all operating slots of the calendar's period that
holds the slot, so the slots of a gap wait for its end.

Invariants: what becomes of a slot depends on the series alone, not on the portions it comes in, nor on when
a value arrived or what a rule had put in before; outcomes come in the order of their slots; memory holds the
longest window and the gaps that are not decided; a slot is no member of its own window, and a window is the
same whenever it is asked for; availability is divided once, to 34 digits, so that 8,322 of 8,760 hours are
0.95 and 8,321 are less.

An example, with a mean of before and after up to two slots and a maximum beyond, over all before:

    hour      1   2   3   4   5   6   7   8   9
    captured 10   -  14   -   -   -  12   -  20
    gap           1       3   3   3       1
    given        12      14  14  14      16

When 13 arrives late for hour 5 the gap of three becomes two of one: hour 4 has 13.5 and hour 6 has 12.5.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from decimal import Decimal
from typing import Final, NamedTuple

from weighbridge.core.expression import Budget, Expression, Position
from weighbridge.core.expression.compiler import compile_row
from weighbridge.core.expression.tree import FunctionCall, Name, names, walk
from weighbridge.core.expression.value import Element, Fault, Scalar
from weighbridge.core.halt import proceeding
from weighbridge.core.number import CONTEXT
from weighbridge.core.rule.definition import PERIODS, Calendar, Extent
from weighbridge.core.rule.evaluation import COST_MAX, COST_OF_RECORD_MAX, compute_cost
from weighbridge.core.rule.substitution.definition import (
    AVAILABILITY,
    PERIOD_CALLS,
    TIER_CALLS,
    VALID_SLOTS,
    Computed,
    Conservative,
    FromWindow,
    GapFilling,
    SlotMethod,
    ValueRounding,
    list_parts,
    mirror_method,
    name_of,
)
from weighbridge.core.rule.substitution.values import (
    NOT_ALIKE,
    PENDING,
    Absence,
    Border,
    FoundValue,
    MethodInputs,
    NoValue,
    SeriesSlot,
    SlotOutcome,
    compute_value,
    compute_window_statistic,
)
from weighbridge.core.rule.substitution.windows import (
    GapSpan,
    GapWindow,
    LookBack,
    MemberRange,
    SameMembers,
    SeenMembers,
    counts_after,
    find_affected_by_window,
    find_window_end,
    find_window_reach,
)
from weighbridge.core.time.calendar import Interval, find_slot
from weighbridge.core.uncertainty.statement import UncertaintyStatement

START: Final = Position()
"""The field of an error about costs: several texts share one budget."""

SlotTest = Callable[[SeriesSlot], Element]
"""A condition on a slot, or a value computed from it; None when it is undecided or has none."""

TierTest = Callable[[Sequence[Element]], Element]
"""A tier's `when`, over what `_AROUND` lists."""


@dataclass(frozen=True, slots=True)
class TierProgram:
    """A tier made ready."""

    method: SlotMethod
    when: TierTest | None
    code: str | None
    statement: UncertaintyStatement | None = None


class WindowProgram(NamedTuple):
    """A window, with what it asks of a slot."""

    look_back: LookBack
    where: SlotTest | None
    same: SlotTest | None


@dataclass(frozen=True, slots=True)
class GapProgram:
    """What to do for each slot of a series."""

    names: tuple[Name, ...]
    tiers: tuple[TierProgram, ...]
    border_where: SlotTest | None
    operating_where: SlotTest | None
    look_backs: tuple[WindowProgram, ...]
    computed: dict[Expression, SlotTest]
    availability_slots: int | None
    asks_availability: bool
    """Whether a tier looks at it."""
    asks_history: bool
    """Whether a tier looks at how many slots were valid, however long ago."""
    periods: tuple[str, ...]
    """The periods of the calendar whose availability tiers look at."""
    rounding: ValueRounding | None
    budget: Budget

    cost: int
    """What the conditions of a slot cost, but for texts that are matched."""

    def spend_on_slot(self) -> None:
        """Count what a slot costs; ExpressionError when conditions have cost too much."""
        self.budget.limit += COST_OF_RECORD_MAX
        self.budget.spend(self.cost, START)

    def spend_on_members(self, count: int) -> None:
        """Count what looking at the members of a window costs; ExpressionError when it is too much."""
        self.budget.spend(count, START)

    @property
    def windows(self) -> tuple[GapWindow, ...]:
        """All that slots look at beyond their gap and that is bounded by time or by a number of values."""
        periods = (Calendar(unit, extent=Extent.WHOLE_PERIOD) for unit in self.periods)
        return (*(one.look_back.window for one in self.look_backs), *periods)

    def is_operating(self, slot: SeriesSlot) -> bool:
        """Whether the meter was operating; undecided, or without an event to ask, it was unless out."""
        if slot.is_out:
            return False
        if self.operating_where is None or slot.row is None:
            return True
        return self.operating_where(slot) is not False

    def is_border(self, slot: SeriesSlot) -> bool:
        """Whether an operating slot may be a border of a gap."""
        return slot.has_own and (self.border_where is None or self.border_where(slot) is True)


def list_names(filling: GapFilling) -> tuple[Name, ...]:
    """Everything that its conditions and expressions read of a slot, each once, in the order of a row."""
    return tuple(dict.fromkeys(name for tree in list_trees(filling) for name in names(tree)))


def list_trees(filling: GapFilling) -> Iterable[Expression]:
    """The conditions on slots and the computed values; not what tiers look at."""
    if filling.border_where is not None:
        yield filling.border_where
    if filling.operating_where is not None:
        yield filling.operating_where
    for part in _list_methods(filling):
        match part:
            case FromWindow(look_back=LookBack(where=where, same=same)):
                yield from (tree for tree in (where, same) if tree is not None)
            case Computed(expression=expression):
                yield expression


def compile_filling(filling: GapFilling, budget: Budget | None = None) -> GapProgram:
    """Make a substitution that was checked ready to fill the gaps of one or more series."""
    read_names = list_names(filling)
    budget_left = budget or Budget(COST_MAX)

    def spend(states: int) -> None:
        budget_left.spend(states, START)

    indexes: dict[Expression, int] = {name: index for index, name in enumerate(read_names)}
    no_values: tuple[Scalar | None, ...] = (None,) * len(read_names)

    def on_slot(tree: Expression) -> SlotTest:
        compiled = compile_row(tree, indexes, spend)
        return lambda slot: compiled(no_values if slot.row is None else slot.row)

    def tested(tree: Expression | None) -> SlotTest | None:
        return None if tree is None else on_slot(tree)

    turn = mirror_method if filling.conservative is Conservative.LOW else _keep_method
    parts = tuple(_list_methods(filling))
    condition_nodes = {node for tier in filling.tiers if tier.when is not None for node in walk(tier.when)}
    look_backs = dict.fromkeys(part.look_back for part in parts if isinstance(part, FromWindow))
    return GapProgram(
        read_names,
        tuple(
            TierProgram(
                turn(tier.method),
                None if tier.when is None else compile_row(tier.when, _AROUND),
                tier.code,
                tier.statement,
            )
            for tier in filling.tiers
        ),
        tested(filling.border_where),
        tested(filling.operating_where),
        tuple(WindowProgram(back, tested(back.where), tested(back.same)) for back in look_backs),
        {part.expression: on_slot(part.expression) for part in parts if isinstance(part, Computed)},
        filling.availability_slots,
        AVAILABILITY in condition_nodes,
        not condition_nodes.isdisjoint((AVAILABILITY, VALID_SLOTS)),
        tuple(unit for unit, call in PERIOD_CALLS.items() if call in condition_nodes),
        filling.rounding,
        budget_left,
        sum(compute_cost(node) for tree in list_trees(filling) for node in walk(tree)),
    )


_FACTS: Final[tuple[FunctionCall, ...]] = (*TIER_CALLS, *PERIOD_CALLS.values())
_AROUND: Final[dict[Expression, int]] = {call: index for index, call in enumerate(_FACTS)}


def _keep_method(method: SlotMethod) -> SlotMethod:
    return method


def _list_methods(filling: GapFilling) -> Iterable[SlotMethod]:
    for tier in filling.tiers:
        yield from list_parts(tier.method)


def find_affected_slots(
    program: GapProgram, window: Interval, changed: Interval, zone: tzinfo
) -> tuple[datetime, datetime | None]:
    """From when and until when slots start that a change may change; None: to the end of the series.

    `window` reaches from the last border before what the change touches to the first one behind it
    (`windows.widen_change`), or to where the series begins and ends.
    """
    start, ends = window.start, [window.end]
    counts = program.asks_history
    for one in program.windows:
        reached = find_affected_by_window(one, changed, zone)
        if reached is None:
            counts = True
            continue
        first, last = reached
        start = start if first is None else min(start, first)
        ends.append(last)
    return start, None if counts else max(ends)


def find_reading_start(
    program: GapProgram, border: datetime, first: datetime, zone: tzinfo
) -> datetime | None:
    """From when on a series is read to fill the slots from `first` on; None: from its beginning.

    `border` is the last one before `first`.
    """
    starts = [find_window_reach(window, border, zone) for window in program.windows]
    if program.asks_history or None in starts:
        return None
    return min([border, first, *(start for start in starts if start is not None)])


_NO_TIER: Final = NoValue(Absence.NO_TIER, "The condition of no tier is true.")
_SLOTS_BETWEEN_FORGETTING: Final = 1_024


class Availability:
    """The running share of one series."""

    def __init__(self, slots: int | None) -> None:
        self._slots = slots
        self._last: deque[bool] = deque()
        self._operating = 0
        self._valid = 0

    def count(self, *, is_valid: bool) -> None:
        """The next operating slot passes."""
        self._operating += 1
        self._valid += is_valid
        if self._slots is None:
            return
        self._last.append(is_valid)
        if self._operating > self._slots:
            self._operating -= 1
            self._valid -= self._last.popleft()

    @property
    def share(self) -> Decimal:
        """Return the current share, from 0 to 1; at least one slot has passed."""
        return CONTEXT.divide(Decimal(self._valid), Decimal(self._operating))


class PeriodAvailability:
    """The shares of one series in consecutive periods of the calendar."""

    def __init__(self, unit: str, zone: tzinfo) -> None:
        self._cadence = PERIODS[unit]
        self._zone = zone
        self._periods: list[Interval] = []
        self._operating: list[int] = []
        self._valid: list[int] = []

    def count(self, start: datetime, *, is_valid: bool) -> None:
        """The next operating slot passes."""
        if not self._periods or start >= self._periods[-1].end:
            self._periods.append(find_slot(self._cadence, start, self._zone))
            self._operating.append(0)
            self._valid.append(0)
        self._operating[-1] += 1
        self._valid[-1] += is_valid

    def share(self, moment: datetime) -> Decimal:
        """Return the share of the period of a slot that has passed, as far as its slots have."""
        index = bisect_right(self._periods, moment, key=_get_start) - 1
        return CONTEXT.divide(Decimal(self._valid[index]), Decimal(self._operating[index]))

    def forget(self, moment: datetime) -> None:
        """Forget the periods that end by a moment, the latest one excepted."""
        while len(self._periods) > 1 and self._periods[0].end <= moment:
            del self._periods[0], self._operating[0], self._valid[0]


def _get_start(period: Interval) -> datetime:
    return period.start


class _WaitingSlot(NamedTuple):
    """A slot of a gap with what can be said of it before the gap has ended."""

    slot: SeriesSlot
    availability: Decimal
    seen: tuple[SeenMembers | None, ...]
    """What it has of each window; None where `same` of the window gives nothing for it."""


@dataclass(slots=True)
class _Gap:
    before: Border | None
    valid_before: int
    waiting: list[_WaitingSlot] = field(default_factory=list)
    after: Border | None = None
    known_from: datetime | None = None
    """From when on its windows cannot grow, as far as they are bounded in time; None when they cannot now."""

    @property
    def span(self) -> GapSpan:
        """From its first slot to its last one."""
        return GapSpan(self.waiting[0].slot.start, self.waiting[-1].slot.start, self.after is not None)


_Statistics = dict[tuple[FromWindow, Element, tuple[MemberRange, ...]], FoundValue | NoValue]
"""What methods came to over the same members, so that the slots of a gap compute it once."""


def _is_known(value: Element) -> bool:
    return value is not None and not isinstance(value, Fault)


class Filling:
    """One pass of a program over the slots of one meter; the zone is that of the project's calendar.

    Outcomes of slots outside the requested start times are not calculated.
    """

    def __init__(
        self, program: GapProgram, zone: tzinfo, is_asked: Callable[[datetime], bool] = lambda _: True
    ) -> None:
        self._program = program
        self._is_asked = is_asked
        self._availability = Availability(program.availability_slots)
        self._zone = zone
        self._periods = {unit: PeriodAvailability(unit, zone) for unit in program.periods}
        self._windows = [SameMembers(one.look_back, zone) for one in program.look_backs]
        # Most windows have no `same`; what enters these is not asked for it.
        self._fed = tuple(
            (window.of(None) if one.same is None else None, window, one.where, one.same)
            for window, one in zip(self._windows, program.look_backs, strict=True)
        )
        self._index = {one.look_back: index for index, one in enumerate(program.look_backs)}
        self._counts_after = any(counts_after(one.look_back.window) for one in program.look_backs)
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
        """Decide the remaining slots, including a gap that has not ended.

        Raises ExpressionError when the windows hold too much.
        """
        if self._gap is not None:
            self._ended.append(self._gap)
            self._gap = None
        return self._decided(None)

    def _pass(self, slot: SeriesSlot) -> None:
        """An operating slot passes."""
        self._availability.count(is_valid=slot.is_valid)
        if self._periods:
            for period in self._periods.values():
                period.count(slot.start, is_valid=slot.is_valid)
        value = slot.value
        if value is None or not slot.has_own:
            self._wait(slot)
        else:
            if self._program.is_border(slot):
                self._end_gap(Border(slot.start, value, slot.key))
            for alone, window, where, same in self._fed:
                if where is not None and where(slot) is not True:
                    continue
                if alone is not None:
                    alone.enter(slot.start, value, slot.key)
                elif same is not None and _is_known(common := same(slot)):
                    window.of(common).enter(slot.start, value, slot.key)
        self._valid += slot.is_valid
        self._passed += 1
        if not self._passed % _SLOTS_BETWEEN_FORGETTING:
            self._forget(slot.start)

    def _wait(self, slot: SeriesSlot) -> None:
        if self._gap is None:
            self._gap = _Gap(self._before, self._valid)
        seen = tuple(
            self._see(members, one, slot)
            for members, one in zip(self._windows, self._program.look_backs, strict=True)
        )
        self._gap.waiting.append(_WaitingSlot(slot, self._availability.share, seen))

    def _see(self, members: SameMembers, window: WindowProgram, slot: SeriesSlot) -> SeenMembers | None:
        common = None if window.same is None else window.same(slot)
        if window.same is not None and not _is_known(common):
            return None
        return SeenMembers(common, members.of(common).before(slot.start))

    def _end_gap(self, border: Border) -> None:
        gap, self._gap = self._gap, None
        self._before = border
        if gap is None:
            return
        gap.after = border
        last = gap.span.last
        ends = [find_window_end(one, last, self._zone) for one in self._program.windows]
        gap.known_from = max((end for end in ends if end is not None), default=None)
        self._ended.append(gap)

    def _forget(self, moment: datetime) -> None:
        """Windows forget what neither a waiting slot nor a later one asks for."""
        oldest = self._ended[0] if self._ended else self._gap
        first = moment if oldest is None else oldest.span.first
        for window in self._windows:
            window.forget(first)
        for period in self._periods.values():
            period.forget(first)

    def _decided(self, moment: datetime | None) -> list[SlotOutcome]:
        """The outcomes of the gaps whose windows are known at a moment; with none, of all."""
        outcomes: list[SlotOutcome] = []
        ended_gaps = self._ended
        while ended_gaps and (moment is None or self._is_settled(ended_gaps[0], moment)):
            outcomes += self._of_gap(ended_gaps.popleft())
        return outcomes

    def _is_settled(self, gap: _Gap, moment: datetime) -> bool:
        """Whether the windows of an ended gap cannot grow from a moment on."""
        if gap.known_from is not None and gap.known_from > moment:
            return False
        if not self._counts_after:
            return True
        last = gap.span.last
        return all(
            members.of(seen.same).is_full_after(last)
            for waiting_slot in gap.waiting
            for members, seen in zip(self._windows, waiting_slot.seen, strict=True)
            if seen is not None
        )

    def _of_gap(self, gap: _Gap) -> Iterable[SlotOutcome]:
        statistics: _Statistics = {}
        for waiting_slot in proceeding(gap.waiting):
            if not self._is_asked(waiting_slot.slot.start):
                continue
            tier, number, wrong = self._tier(waiting_slot, gap)
            outcome = wrong if tier is None else self._found(tier, waiting_slot, gap, statistics)
            yield SlotOutcome(
                waiting_slot.slot,
                outcome,
                None if tier is None else name_of(tier.method),
                number,
                None if tier is None else tier.code,
                self._report_availability(waiting_slot),
                len(gap.waiting),
                gap.after is not None,
                None if tier is None else tier.statement,
            )

    def _report_availability(self, waiting_slot: _WaitingSlot) -> Decimal | None:
        """The share that tiers ask for: up to the slot, or else of the first period that they name."""
        if self._program.asks_availability:
            return waiting_slot.availability
        period = next(iter(self._periods.values()), None)
        return None if period is None else period.share(waiting_slot.slot.start)

    def _tier(self, waiting_slot: _WaitingSlot, gap: _Gap) -> tuple[TierProgram | None, int | None, NoValue]:
        """The first tier whose condition is true and its number, or why there is none."""
        periods = self._periods
        start = waiting_slot.slot.start
        facts: list[Element] = [
            waiting_slot.availability,
            Decimal(len(gap.waiting)),
            Decimal(gap.valid_before),
            *(periods[unit].share(start) if unit in periods else None for unit in PERIOD_CALLS),
        ]
        for number, tier in enumerate(self._program.tiers, start=1):
            verdict = True if tier.when is None else tier.when(facts)
            if verdict is True:
                return tier, number, _NO_TIER
            if isinstance(verdict, Fault):
                return None, number, NoValue(Absence.NO_RESULT, str(verdict.error))
        return None, None, _NO_TIER

    def _found(
        self,
        tier: TierProgram,
        waiting_slot: _WaitingSlot,
        gap: _Gap,
        statistics: _Statistics,
    ) -> FoundValue | NoValue:
        """What the tier's method comes to, rounded; slots of a gap with the same members compute it once."""

        def from_window(method: FromWindow) -> FoundValue | NoValue:
            index = self._index[method.look_back]
            seen = waiting_slot.seen[index]
            if seen is None:
                return NOT_ALIKE
            window = self._windows[index].of(seen.same)
            members = window.resolve(seen.members, waiting_slot.slot.start, gap.span)
            if members is None:
                return PENDING
            statistic = statistics.get((method, seen.same, members))
            if statistic is None:
                values = window.values(members)
                self._program.spend_on_members(len(values))
                statistic = compute_window_statistic(method, values, window.keys(members))
                statistics[method, seen.same, members] = statistic
            return statistic

        def computed(method: Computed) -> Element:
            return self._program.computed[method.expression](waiting_slot.slot)

        inputs = MethodInputs(waiting_slot.slot, gap.before, gap.after, from_window, computed, self._zone)
        return compute_value(tier.method, inputs, self._program.rounding)


def fill(program: GapProgram, slots: Iterable[SeriesSlot], zone: tzinfo) -> list[SlotOutcome]:
    """What becomes of the slots of a whole series that need a value."""
    filling = Filling(program, zone)
    return [*filling.take(slots), *filling.finish()]
