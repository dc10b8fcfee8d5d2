"""A chain of runs that were posted, as trials repeat it: what they were read of, and what they draw.

These are values alone: who reads a chain needs nothing that computes in floats.

Invariants: a run comes after those that it draws from; what a draw takes is a part of its source's run.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from weighbridge.core.engine.input_reads import TrialBasis
from weighbridge.core.engine.slot_computation import Measures, StaticValue
from weighbridge.core.model import Amount, PreparedModel
from weighbridge.core.number import ZERO
from weighbridge.core.time.calendar import Interval

POOLED_FROM: Final = 1_000
"""From so many readings on a sum or an average of them is drawn at once."""


class ChainError(Exception):
    """Why a chain cannot be repeated, as a sentence."""


@dataclass(frozen=True, slots=True)
class DrawnRun:
    """What a draw takes of a run: a part of its amount, and what travels along."""

    run: str
    """The name of the run."""
    output: str
    part: Decimal
    """What was drawn of what the run came to, as a part of 1, in the units of the drawing node and of the
    output: `a / Q` times the slopes between them.
    """
    attributes: tuple[tuple[str, Decimal], ...] = ()
    """The outputs that travel along, and the slope from the unit of each to that of the draw."""
    discount: Decimal = ZERO
    """What the part is more than what was drawn, in the unit of the node: its part of a discount."""


@dataclass(frozen=True, slots=True)
class ChainRun:
    """A run that was posted, with all that trials repeat it by."""

    name: str
    program: PreparedModel
    slot: Interval
    amounts: Mapping[str, Amount]
    basis: TrialBasis
    measures: Measures
    statics: Mapping[int, StaticValue]
    owner: str
    """Whose the errors are that its inputs have for themselves."""
    sources: Mapping[str, tuple[DrawnRun | None, ...]]
    """By node, for each of its draws; None for what is certain, such as a draw from an instrument."""


@dataclass(frozen=True, slots=True)
class ChainTerm:
    """What the result of a chain has of a run."""

    run: str
    output: str
    factor: Decimal
