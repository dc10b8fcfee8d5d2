"""Which effects matter: what each alone, and which few together, make of how uncertain a result is.

Two questions are answered of one result, whose expanded uncertainty is U = k u (JCGM 100:2008, 6.2.1):

    what moves it by as much as T?     effects whose combined uncertainty, times k, reaches T (ISO 14064-3)
    what would halve it?               effects without which u is at most half of what it is

Effects combine in squares, and with their correlations (equation 16). The coverage factor k is that of the
whole result, so that what single effects make of U adds in squares to U, and no effect needs a factor of
its own. The effects are chosen one by one: always the one that adds most to the variance of those that
are chosen, or takes most from the variance of those that are left. Where effects are not correlated, that is
the order of their squares and the choice has as few effects as possible; where they are, fewer might do.

Invariant: the order does not depend on that in which effects were given.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from heapq import heapify, heappop, heappush
from typing import Final

from weighbridge.core.number import CONTEXT, EXACT, ZERO
from weighbridge.core.uncertainty.effects import (
    CombinedUncertainty,
    Uncertainty,
    UncertaintyEffect,
    list_partners,
)

HALF: Final = Decimal("0.5")
"""The part of a standard uncertainty that is looked for."""


@dataclass(frozen=True, slots=True)
class ChosenEffects:
    """Effects that reach together what was asked for, in the order in which they were chosen."""

    effects: tuple[UncertaintyEffect, ...]
    standard_uncertainty: Decimal
    """What they make of the result together, or what is left without them."""
    is_fewest: bool
    """Whether no fewer effects would do: certain where none of the result's effects are correlated."""


def find_moving_effects(
    uncertainty: Uncertainty, coverage_factor: Decimal, threshold: Decimal
) -> ChosenEffects | None:
    """Find few effects that move a result together by a threshold, in its unit.

    None where no effects do. The threshold is above zero.
    """
    chosen: list[UncertaintyEffect] = []
    variance = ZERO
    for effect, gain in _order_by_gain(uncertainty, is_left_out=False):
        if gain <= 0:
            break
        chosen.append(effect)
        variance = EXACT.add(variance, gain)
        together = CONTEXT.sqrt(CONTEXT.plus(variance))
        if CONTEXT.multiply(coverage_factor, together) >= threshold:
            return ChosenEffects(tuple(chosen), together, _are_independent(uncertainty))
    return None


def find_halving_effects(uncertainty: Uncertainty, part: Decimal = HALF) -> ChosenEffects | None:
    """Find few effects without which the standard uncertainty is at most a part of what it is.

    None of a result that is certain.
    """
    whole = uncertainty.combine().standard_uncertainty
    if not whole:
        return None
    wanted = CONTEXT.multiply(whole, part)
    left_out: list[UncertaintyEffect] = []
    variance = EXACT.multiply(whole, whole)
    for effect, gain in _order_by_gain(uncertainty, is_left_out=True):
        left_out.append(effect)
        variance = EXACT.subtract(variance, gain)
        left = CONTEXT.sqrt(max(CONTEXT.plus(variance), ZERO))
        if left <= wanted:
            return ChosenEffects(tuple(left_out), left, _are_independent(uncertainty))
    return ChosenEffects(tuple(left_out), ZERO, _are_independent(uncertainty))


def list_reductions(
    uncertainty: Uncertainty, count: int
) -> list[tuple[UncertaintyEffect, CombinedUncertainty]]:
    """List for the effects that take most from the variance what is left with each of them at zero.

    `count` of them at most, those that leave least uncertainty first.
    """
    gains = _compute_first_gains(uncertainty, is_left_out=True)
    effects = sorted(gains, key=lambda effect: (gains[effect].copy_negate(), effect))[:count]
    return [(effect, uncertainty.leave_out({effect}).combine()) for effect in effects]


def compute_own_uncertainty(uncertainty: Uncertainty, effect: UncertaintyEffect) -> Decimal:
    """Return the standard uncertainty that a result would have by one of its effects alone."""
    return uncertainty.components[effect].change.copy_abs()


def _are_independent(uncertainty: Uncertainty) -> bool:
    return not list_partners(uncertainty.components.keys(), uncertainty.correlations)


def _compute_first_gains(uncertainty: Uncertainty, *, is_left_out: bool) -> dict[UncertaintyEffect, Decimal]:
    """What each effect alone adds to the variance of nothing, or takes from the variance of all."""
    changes = {effect: one.change for effect, one in uncertainty.components.items()}
    gains = {effect: EXACT.multiply(change, change) for effect, change in changes.items()}
    if is_left_out:
        for effect, partners in list_partners(changes.keys(), uncertainty.correlations).items():
            for other, coefficient in partners:
                gains[effect] = EXACT.add(gains[effect], _cross(changes[effect], changes[other], coefficient))
    return gains


def _cross(change: Decimal, other_change: Decimal, coefficient: Decimal) -> Decimal:
    """What the correlation of two effects makes of the variance."""
    return EXACT.multiply(EXACT.multiply(2, coefficient), EXACT.multiply(change, other_change))


def _order_by_gain(
    uncertainty: Uncertainty, *, is_left_out: bool
) -> Iterator[tuple[UncertaintyEffect, Decimal]]:
    """Yield effects, always the one with the largest gain after those before it, with that gain.

    A gain is what an effect adds to the variance of those that were yielded or, of those that are left out,
    what it takes from the variance of the rest. Each choice changes the gains of its partners alone.
    """
    changes = {effect: one.change for effect, one in uncertainty.components.items()}
    partners = list_partners(changes.keys(), uncertainty.correlations)
    gains = _compute_first_gains(uncertainty, is_left_out=is_left_out)
    heap = [(gain.copy_negate(), effect) for effect, gain in gains.items()]
    heapify(heap)
    while heap:
        loss, effect = heappop(heap)
        gain = loss.copy_negate()
        if gains.get(effect) != gain:
            continue  # its gain has changed since, and stands in the heap again
        del gains[effect]
        yield effect, gain
        for other, coefficient in partners.get(effect, ()):
            if other in gains:
                cross = _cross(changes[effect], changes[other], coefficient)
                gains[other] = (EXACT.subtract if is_left_out else EXACT.add)(gains[other], cross)
                heappush(heap, (gains[other].copy_negate(), other))


def compute_reach(
    uncertainty: Uncertainty, coverage_factor: Decimal
) -> Sequence[tuple[UncertaintyEffect, Decimal]]:
    """Compute by how much each effect alone can move a result, in its unit, the largest first."""
    reach = [
        (effect, CONTEXT.multiply(coverage_factor, compute_own_uncertainty(uncertainty, effect)))
        for effect in uncertainty.components
    ]
    return sorted(reach, key=lambda one: (one[1].copy_negate(), one[0]))
