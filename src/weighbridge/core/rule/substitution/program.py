"""A program is a substitution made ready to fill gaps: methods turned, conditions made functions.

It tells how far a change of a series reaches: which slots it may change, and from where they have to be read
again. A change touches the whole gap that it lies in, and what looks back at it: windows, and tiers that ask
for availability or for how many slots were valid. What looks back by counting has no bound in time.

Invariants: a program has no state but what is left of its budget; the values of a slot's row stand in the
order of `names`; windows that hold the same are one; what becomes of a slot outside of what is affected is
what it was; a pass that begins where `needed_from` says finds the same for the slots from `first` on as one
over the whole series.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Final

from weighbridge.core.expression import Budget, Expression, Position
from weighbridge.core.expression.compiler import compiled_row
from weighbridge.core.expression.tree import Name, names, walk
from weighbridge.core.expression.value import Element, Scalar
from weighbridge.core.rule.evaluation import COST_MAX, COST_OF_RECORD_MAX, cost_of
from weighbridge.core.rule.substitution.definition import (
    AVAILABILITY,
    TIER_CALLS,
    VALID_SLOTS,
    Computed,
    Conservative,
    FromWindow,
    GapFilling,
    LookBack,
    SlotMethod,
    ValueRounding,
    parts_of,
    turned,
)
from weighbridge.core.rule.substitution.series import SeriesSlot
from weighbridge.core.rule.window import Rolling, affected, reach
from weighbridge.core.time.instant import Interval

START: Final = Position()
"""Where what costs too much is said to stand: several texts share one budget."""

SlotTest = Callable[[SeriesSlot], Element]
"""A condition on a slot, or a value computed from it; None when it is undecided or has none."""

TierTest = Callable[[Sequence[Element]], Element]
"""A tier's `when`, over availability, gap slots and valid slots."""


@dataclass(frozen=True, slots=True)
class TierProgram:
    """A tier made ready."""

    method: SlotMethod
    when: TierTest | None
    code: str | None


@dataclass(frozen=True, slots=True)
class GapProgram:
    """What to do for each slot of a series."""

    names: tuple[Name, ...]
    tiers: tuple[TierProgram, ...]
    border_where: SlotTest | None
    operating_where: SlotTest | None
    look_backs: tuple[tuple[LookBack, SlotTest | None], ...]
    """The windows, with what they ask of a slot."""
    computed: dict[Expression, SlotTest]
    availability_slots: int | None
    asks_availability: bool
    """Whether a tier looks at it."""
    asks_history: bool
    """Whether a tier looks at how many slots were valid, however long ago."""
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

    def is_operating(self, slot: SeriesSlot) -> bool:
        """Whether the meter was operating; undecided, or without an event to ask, it was unless out."""
        if slot.is_out:
            return False
        if self.operating_where is None or slot.row is None:
            return True
        return self.operating_where(slot) is not False

    def is_border(self, slot: SeriesSlot) -> bool:
        """Whether an operating slot may stand before or after a gap."""
        return slot.has_own and (self.border_where is None or self.border_where(slot) is True)


def names_of(filling: GapFilling) -> tuple[Name, ...]:
    """Everything that its conditions and expressions read of a slot, each once, in the order of a row."""
    return tuple(dict.fromkeys(name for tree in trees_of(filling) for name in names(tree)))


def trees_of(filling: GapFilling) -> Iterable[Expression]:
    """The conditions on slots and the computed values; not what tiers look at."""
    if filling.border_where is not None:
        yield filling.border_where
    if filling.operating_where is not None:
        yield filling.operating_where
    for part in _parts(filling):
        match part:
            case FromWindow(look_back=LookBack(where=where)) if where is not None:
                yield where
            case Computed(expression=expression):
                yield expression


def gap_program(filling: GapFilling, budget: Budget | None = None) -> GapProgram:
    """Make a substitution that was checked ready to fill the gaps of one or more series."""
    read = names_of(filling)
    allowed = budget or Budget(COST_MAX)

    def spend(states: int) -> None:
        allowed.spend(states, START)

    indexes: dict[Expression, int] = {name: index for index, name in enumerate(read)}
    nothing: tuple[Scalar | None, ...] = (None,) * len(read)

    def on_slot(tree: Expression) -> SlotTest:
        computed = compiled_row(tree, indexes, spend)
        return lambda slot: computed(nothing if slot.row is None else slot.row)

    def tested(tree: Expression | None) -> SlotTest | None:
        return None if tree is None else on_slot(tree)

    turn = turned if filling.conservative is Conservative.LOW else _as_it_is
    parts = tuple(_parts(filling))
    asked = {node for tier in filling.tiers if tier.when is not None for node in walk(tier.when)}
    look_backs = dict.fromkeys(part.look_back for part in parts if isinstance(part, FromWindow))
    return GapProgram(
        read,
        tuple(
            TierProgram(
                turn(tier.method), None if tier.when is None else compiled_row(tier.when, _AROUND), tier.code
            )
            for tier in filling.tiers
        ),
        tested(filling.border_where),
        tested(filling.operating_where),
        tuple((one, tested(one.where)) for one in look_backs),
        {part.expression: on_slot(part.expression) for part in parts if isinstance(part, Computed)},
        filling.availability_slots,
        AVAILABILITY in asked,
        not asked.isdisjoint((AVAILABILITY, VALID_SLOTS)),
        filling.rounding,
        allowed,
        sum(cost_of(node) for tree in trees_of(filling) for node in walk(tree)),
    )


_AROUND: Final[dict[Expression, int]] = {call: index for index, call in enumerate(TIER_CALLS)}


def _as_it_is(method: SlotMethod) -> SlotMethod:
    return method


def _parts(filling: GapFilling) -> Iterable[SlotMethod]:
    for tier in filling.tiers:
        yield from parts_of(tier.method)


def affected_slots(
    program: GapProgram, around: Interval, changed: Interval, zone: tzinfo
) -> tuple[datetime, datetime | None]:
    """From when and until when slots start that a change may change; None: to the end of the series.

    `around` reaches from the last border before the change to the first one behind it, or to where the series
    begins and ends.
    """
    start, ends = around.start, [around.end]
    counts = program.asks_history
    for look_back, _ in program.look_backs:
        reached = affected(look_back.window, changed, zone)
        if reached is None:
            counts = True
        elif isinstance(look_back.window, Rolling):
            ends.append(reached.end)
        else:
            start = min(start, reached.start)
            ends.append(reached.end)
    return start, None if counts else max(ends)


def needed_from(program: GapProgram, border: datetime, first: datetime, zone: tzinfo) -> datetime | None:
    """From when on a series is read to fill the slots from `first` on; None: from its beginning.

    `border` is the last one before `first`.
    """
    starts = [reach(look_back.window, border, zone) for look_back, _ in program.look_backs]
    if program.asks_history or None in starts:
        return None
    return min([border, first, *(start for start in starts if start is not None)])
