"""A substitution is what a rule fills gaps by: ordered tiers, and what may stand at a gap's borders.

A slot of a meter's series needs a value when the meter was operating and neither a valid value was captured
nor a person gave one. The slots that need one between two borders are a gap, however many slots stand
between in which the meter was not operating. A border is a slot with a value of its own that `border_where`
holds for.

For each slot of a gap the first tier whose `when` is true says the method. `when` reads

    availability()  the share of operating slots with a valid captured value, from 0 to 1, unrounded: of the
                    last `availability_slots` up to the slot and with it, or of all so far
    gap_slots()     how many slots of the gap need a value; the same for each of them
    valid_slots()   how many slots before the gap had a valid captured value

Invariants: a tier's number counts from 1; a condition that is undecided is not true, but a slot for which
`operating_where` is undecided, or that has no event to ask, was operating unless an outage was declared.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from weighbridge.core.expression import FUNCTIONS, Expression, Function, Language
from weighbridge.core.expression.functions.function import between
from weighbridge.core.expression.operation import Computing, TypedOperation, Typing
from weighbridge.core.expression.tree import FunctionCall
from weighbridge.core.quantity.number import round_to
from weighbridge.core.rule.functions import PLAIN_FUNCTIONS
from weighbridge.core.rule.substitution.methods import Conservative, SlotMethod

ROUNDINGS: Final = ("half_up", "half_even")
"""How a value in the middle is rounded: away from zero, or to the even digit."""


@dataclass(frozen=True, slots=True)
class ValueRounding:
    """To how many places after the point values are rounded (before it when negative), and which way."""

    places: int
    mode: str

    def of(self, value: Decimal) -> Decimal:
        """The value, rounded."""
        return round_to(value, self.places, self.mode)


@dataclass(frozen=True, slots=True)
class Tier:
    """A method, when it is taken, and the code by which a regime knows it."""

    method: SlotMethod
    when: Expression | None = None
    """Without one it is always taken."""
    when_text: str | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class GapFilling:
    """How a rule fills gaps, as it was read."""

    tiers: tuple[Tier, ...]
    border_where: Expression | None = None
    border_text: str | None = None
    operating_where: Expression | None = None
    operating_text: str | None = None
    availability_slots: int | None = None
    """Over how many operating slots availability is taken; None: over all so far."""
    rounding: ValueRounding | None = None
    conservative: Conservative = Conservative.HIGH
    is_tiered: bool = True
    """Whether it was written with tiers, and not as a single method."""


def _replaced(_at: Typing | Computing) -> None:
    raise AssertionError("what a tier looks at is replaced by what it came to before anything is evaluated")


def _row(name: str, doc: str, example: str) -> Function:
    operation = TypedOperation(_replaced, _replaced)  # type: ignore[arg-type] # neither is ever called
    return Function(name, "", between(0, 0), operation, doc, example)


TIER_FUNCTIONS: Final = (
    _row("availability", "The share of operating slots with a valid captured value, from 0 to 1.",
         "availability() >= 0.95"),
    _row("gap_slots", "How many slots of the whole gap need a value.", "gap_slots() <= 24"),
    _row("valid_slots", "How many slots before the gap had a valid captured value.", "valid_slots() > 720"),
)  # fmt: skip
"""What a tier's `when` may look at."""

TIER_CALLS: Final = tuple(FunctionCall(function.name, ()) for function in TIER_FUNCTIONS)
AVAILABILITY, GAP_SLOTS, VALID_SLOTS = TIER_CALLS

_PLAIN: Final = {name: FUNCTIONS[name] for name in PLAIN_FUNCTIONS}

SLOT_LANGUAGE: Final = Language(_PLAIN)
"""The language of conditions on one slot, and of computed values."""

TIER_LANGUAGE: Final = Language({**_PLAIN, **{function.name: function for function in TIER_FUNCTIONS}})
"""The language of a tier's `when`."""
