"""Effects combine to the standard uncertainty of a result, to first order (JCGM 100:2008, clause 5).

An effect is one thing that makes values uncertain: the calibration of a meter, shared by all of its readings,
or what one value has for itself. A component is what an effect makes of a result when it changes by its
standard uncertainty: sensitivity coefficient times standard uncertainty, with its sign (5.1.3). What one
effect does through several inputs adds up before it is squared (5.2.2, note 1); different effects add in
squares, and in products where they are correlated (equation 16):

    u^2 = sum of c_e^2  +  2 sum of r_ef c_e c_f over pairs of effects

Readings that share nothing are never compared in pairs: a million of them are one component, whose square is
the sum of theirs.

A worked example: two loads of 20 t on one weighbridge, each read to 10 kg, whose calibration is known to
20 kg. The calibration makes 40 kg of the sum, the readings sqrt(2) x 10 kg: u = sqrt(1600 + 200) = 42.4 kg.

Invariants: the shares of a budget add up to 1 (to 34 digits); components of a part of an amount are that part
of its components, so what parts have adds up to what the whole has, effect by effect.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal
from enum import StrEnum
from typing import Any, Final, NamedTuple

from weighbridge.core.number import CONTEXT, EXACT, ZERO, exact_total, plain, total
from weighbridge.core.problem import Problem
from weighbridge.core.uncertainty.quantiles import find_coverage_factor

COVERAGE_PROBABILITY: Final = Decimal("0.95")
"""The coverage probability of an interval where none is asked for."""

CORRELATED_MAX: Final = 30
"""How many effects may be correlated with one another, directly or by others."""

_FREEDOM: Final = Context(prec=20)
"""The digits of degrees of freedom, which are an estimate themselves."""

_ROUNDING_OF_EIGENVALUES: Final = Decimal("1e-24")
"""What an eigenvalue may be below zero by the rounding of its computation alone."""


IN_OUTPUT: Final = " in "
"""Between the slug of an array and the output that its further effect is of; a slug has no space."""


class UncertaintyEffect(NamedTuple):
    """What names an effect: a name that values share, or what has it alone.

    A tuple, because sums over thousands of batches look up each of their effects.
    """

    name: str
    """The name that values give it; else the slug of a node, or a table and its column."""
    owner: str = ""
    """The model whose constant or the run whose input it is; empty for an effect that values name."""

    @property
    def family(self) -> str:
        """What effects have in common whose sizes rest on one estimate: of an array in several outputs."""
        return self.name.partition(IN_OUTPUT)[0] if self.owner else self.name

    def __str__(self) -> str:
        return f"{self.name} of {self.owner}" if self.owner else self.name


@dataclass(frozen=True, slots=True)
class Component:
    """What an effect makes of a result when it changes by its standard uncertainty, through each input.

    In the unit of the result, with signs.
    """

    by_input: Mapping[str, Decimal]
    degrees_of_freedom: Decimal | None = None
    """Those of the effect; None for infinitely many."""

    @property
    def change(self) -> Decimal:
        """The change of the result: what the inputs make of it, added."""
        return total(self.by_input.values())


Components = Mapping[UncertaintyEffect, Component]
"""The components of a result, by effect."""

Correlations = Mapping[frozenset[UncertaintyEffect], Decimal]
"""The correlation coefficients of pairs of effects; others are not correlated."""

NO_CORRELATIONS: Final[Correlations] = {}


def find_fewest_degrees(degrees: Iterable[Decimal | None]) -> Decimal | None:
    """Return the degrees of freedom of an effect of which several are stated: the fewest, in any order."""
    return min((one for one in degrees if one is not None), default=None)


def add_components(parts: Iterable[Components]) -> Components:
    """Return the components of a sum: an effect that several terms share adds up, input by input."""
    columns: dict[UncertaintyEffect, dict[str, list[Decimal]]] = {}
    degrees: dict[UncertaintyEffect, Decimal | None] = {}
    for part in parts:
        for effect, component in part.items():
            of_effect = (degrees.get(effect), component.degrees_of_freedom)
            degrees[effect] = find_fewest_degrees(of_effect)
            by_input = columns.setdefault(effect, {})
            for name, change in component.by_input.items():
                by_input.setdefault(name, []).append(change)
    return {
        effect: Component({name: total(changes) for name, changes in by_input.items()}, degrees[effect])
        for effect, by_input in columns.items()
    }


def multiply_components(components: Components, rate: Decimal) -> Components:
    """Return the components of something that changes with the result at a rate, which has a sign."""
    return {
        effect: Component(
            {name: CONTEXT.multiply(change, rate) for name, change in component.by_input.items()},
            component.degrees_of_freedom,
        )
        for effect, component in components.items()
    }


class FreedomReason(StrEnum):
    """Why a result has no number of degrees of freedom."""

    INFINITE = "infinite"
    """Every effect has infinitely many, or nothing is uncertain."""
    CORRELATED = "correlated"
    """Effects of finitely many are correlated, for which the Welch-Satterthwaite formula is not defined."""


@dataclass(frozen=True, slots=True)
class BudgetLine:
    """What one input contributes by one effect."""

    effect: UncertaintyEffect
    input: str
    change: Decimal
    """What one standard uncertainty of the effect makes of the result, through this input; with its sign."""
    share: Decimal
    """Its part of the variance; below zero where it makes up for others."""


@dataclass(frozen=True, slots=True)
class CombinedUncertainty:
    """The standard uncertainty of a result, and what it is made of."""

    standard_uncertainty: Decimal
    degrees_of_freedom: Decimal | None
    reason: FreedomReason | None
    """Why there are no degrees of freedom; None where there are."""
    budget: tuple[BudgetLine, ...] = ()
    """The largest share first."""

    def compute_coverage_factor(self, probability: Decimal = COVERAGE_PROBABILITY) -> Decimal:
        """Return the factor by which the standard uncertainty is multiplied for a coverage probability.

        By Student's t, or by the normal distribution without degrees of freedom (JCGM 100:2008, 6.3.3, G.3).
        """
        return find_coverage_factor(probability, self.degrees_of_freedom)

    def compute_expanded_uncertainty(self, probability: Decimal = COVERAGE_PROBABILITY) -> Decimal:
        """Return half the width of the interval about the result with a coverage probability."""
        return CONTEXT.multiply(self.standard_uncertainty, self.compute_coverage_factor(probability))


def combine(components: Components, correlations: Correlations = NO_CORRELATIONS) -> CombinedUncertainty:
    """Combine the components of a result (JCGM 100:2008, equation 16; G.2b for degrees of freedom)."""
    changes = {effect: component.change for effect, component in components.items()}
    partners = list_partners(changes.keys(), correlations)
    correlated_changes = _add_correlated(changes, partners)
    variance = exact_total(
        EXACT.multiply(change, correlated_changes[effect]) for effect, change in changes.items()
    )
    uncertainty = CONTEXT.sqrt(max(CONTEXT.plus(variance), ZERO))
    degrees, reason = _compute_degrees_of_freedom(components, changes, partners, uncertainty)
    lines = [
        BudgetLine(
            effect,
            name,
            change,
            CONTEXT.divide(EXACT.multiply(change, correlated_changes[effect]), variance)
            if variance
            else ZERO,
        )
        for effect, component in components.items()
        for name, change in component.by_input.items()
        if change
    ]
    lines.sort(key=lambda line: (-line.share.copy_abs(), line.effect, line.input))
    return CombinedUncertainty(uncertainty, degrees, reason, tuple(lines))


def compute_covariance(
    one: Components, other: Components, correlations: Correlations = NO_CORRELATIONS
) -> Decimal:
    """Return the covariance of two results, by the effects that they share or that are correlated."""
    changes = {effect: component.change for effect, component in one.items()}
    others = {effect: component.change for effect, component in other.items()}
    terms = [EXACT.multiply(change, others[effect]) for effect, change in changes.items() if effect in others]
    if correlations:
        terms += [
            EXACT.multiply(EXACT.multiply(change, other_change), coefficient)
            for effect, change in changes.items()
            for other_effect, other_change in others.items()
            if (coefficient := _find_coefficient(effect, other_effect, correlations))
        ]
    return total(terms)


def pool_independent(
    changes: Sequence[Decimal], degrees_of_freedom: Sequence[Decimal | None] = ()
) -> tuple[Decimal, Decimal | None]:
    """Pool changes that share nothing: the root of the sum of their squares, and its degrees of freedom.

    `degrees_of_freedom` are those of the changes, in their order; none for infinitely many of all.
    """
    square = exact_total(EXACT.multiply(change, change) for change in changes)
    pooled = CONTEXT.sqrt(CONTEXT.plus(square))
    if not pooled or not any(degrees_of_freedom):
        return pooled, None
    return pooled, _apply_welch_satterthwaite(pooled, changes, degrees_of_freedom)


Partners = Mapping[UncertaintyEffect, Sequence[tuple[UncertaintyEffect, Decimal]]]
"""By effect the others that it is correlated with, each with the coefficient."""


def list_partners(effects: Collection[UncertaintyEffect], correlations: Correlations) -> Partners:
    """List what each of some effects is correlated with among them, without comparing all pairs."""
    partners: dict[UncertaintyEffect, list[tuple[UncertaintyEffect, Decimal]]] = {}
    for pair, coefficient in correlations.items():
        if len(pair) > 1 and coefficient and all(effect in effects for effect in pair):
            one, other = sorted(pair)
            partners.setdefault(one, []).append((other, coefficient))
            partners.setdefault(other, []).append((one, coefficient))
    return partners


def _add_correlated(
    changes: Mapping[UncertaintyEffect, Decimal], partners: Partners
) -> Mapping[UncertaintyEffect, Decimal]:
    """For each effect the sum of all changes, each times its correlation with the effect's."""
    if not partners:
        return changes
    return {
        effect: exact_total(
            [
                change,
                *(EXACT.multiply(coefficient, changes[other]) for other, coefficient in partners[effect]),
            ]
        )
        if effect in partners
        else change
        for effect, change in changes.items()
    }


def _find_coefficient(
    effect: UncertaintyEffect, other: UncertaintyEffect, correlations: Correlations
) -> Decimal:
    """The correlation of two effects; an effect and itself are one, and no pair."""
    return ZERO if effect == other else correlations.get(frozenset((effect, other)), ZERO)


def _compute_degrees_of_freedom(
    components: Components,
    changes: Mapping[UncertaintyEffect, Decimal],
    partners: Partners,
    uncertainty: Decimal,
) -> tuple[Decimal | None, FreedomReason | None]:
    finite = [
        effect
        for effect, component in components.items()
        if component.degrees_of_freedom is not None and changes[effect]
    ]
    if not finite or not uncertainty:
        return None, FreedomReason.INFINITE
    if any(changes[other] for effect in finite for other, _ in partners.get(effect, ())):
        return None, FreedomReason.CORRELATED
    families: dict[tuple[str, str], list[UncertaintyEffect]] = {}
    for effect in finite:
        families.setdefault((effect.family, effect.owner), []).append(effect)
    degrees = _apply_welch_satterthwaite(
        uncertainty,
        [_pool([changes[effect] for effect in family]) for family in families.values()],
        [
            find_fewest_degrees(components[effect].degrees_of_freedom for effect in family)
            for family in families.values()
        ],
    )
    return degrees, None


def _pool(changes: Sequence[Decimal]) -> Decimal:
    """The root of the sum of squares; of one change itself."""
    return changes[0] if len(changes) == 1 else pool_independent(changes)[0]


def _apply_welch_satterthwaite(
    uncertainty: Decimal, changes: Sequence[Decimal], degrees: Sequence[Decimal | None]
) -> Decimal:
    """The effective degrees of freedom (JCGM 100:2008, equation G.2b)."""
    ratios = [
        (CONTEXT.divide(change, uncertainty), freedom)
        for change, freedom in zip(changes, degrees, strict=True)
    ]
    terms = [
        CONTEXT.divide(CONTEXT.power(ratio, Decimal(4)), freedom)
        for ratio, freedom in ratios
        if freedom is not None
    ]
    return _FREEDOM.divide(Decimal(1), total(terms)).normalize(_FREEDOM)


# What is known of one result: its components, and the correlations of their effects, which go with it
# wherever it is drawn.


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """How uncertain a result is."""

    components: Components = field(default_factory=dict)
    """In the unit of the result."""
    correlations: Correlations = field(default_factory=dict)

    def combine(self) -> CombinedUncertainty:
        """Combine the components to a standard uncertainty."""
        return combine(self.components, self.correlations)

    def take(self, part: Decimal, whole: Decimal) -> "Uncertainty":
        """Return the uncertainty of a part of the result, which has that part of each component."""
        return Uncertainty(
            {
                effect: Component(
                    {
                        name: CONTEXT.divide(CONTEXT.multiply(change, part), whole)
                        for name, change in component.by_input.items()
                    },
                    component.degrees_of_freedom,
                )
                for effect, component in self.components.items()
            },
            self.correlations,
        )

    def scale(self, rate: Decimal) -> "Uncertainty":
        """Return the uncertainty of something that changes with the result at a rate."""
        return (
            self if rate == 1 else Uncertainty(multiply_components(self.components, rate), self.correlations)
        )

    def leave_out(self, effects: Collection[UncertaintyEffect]) -> "Uncertainty":
        """Return the uncertainty that would be if some effects were zero: known exactly."""
        return Uncertainty(
            {effect: one for effect, one in self.components.items() if effect not in effects},
            {pair: one for pair, one in self.correlations.items() if pair.isdisjoint(effects)},
        )


CERTAIN: Final = Uncertainty()
"""The uncertainty of what nothing is stated of."""


def write_uncertainty(uncertainty: Uncertainty) -> dict[str, Any]:
    """Write an uncertainty as lists and texts of JSON, effects and inputs in order of name."""
    effects = sorted(uncertainty.components)
    places = {effect: place for place, effect in enumerate(effects)}
    pairs = {
        tuple(sorted(pair)): coefficient
        for pair, coefficient in uncertainty.correlations.items()
        if len(pair) > 1 and pair <= places.keys()
    }
    return {
        "components": [
            [
                effect.name,
                effect.owner,
                None
                if (freedom := uncertainty.components[effect].degrees_of_freedom) is None
                else plain(freedom),
                {
                    name: plain(change)
                    for name, change in sorted(uncertainty.components[effect].by_input.items())
                },
            ]
            for effect in effects
        ],
        "correlations": [
            [places[one], places[other], plain(coefficient)]
            for (one, other), coefficient in sorted(pairs.items())
        ],
    }


def hash_uncertainties(
    uncertainties: Mapping[str, Uncertainty], drawn: Sequence[Sequence[Uncertainty]] = ()
) -> bytes | None:
    """Return the SHA-256 of how uncertain the outputs of a run are; None where the model does not ask.

    What its draws carry counts, too, for a batch keeps it also where no output depends on it.
    """
    if not uncertainties:
        return None
    written: Any = {slug: write_uncertainty(one) for slug, one in sorted(uncertainties.items())}
    of_draws = [[write_uncertainty(one) for one in columns] for columns in drawn]
    if any(of_draws):
        written = [written, of_draws]
    return hashlib.sha256(json.dumps(written).encode()).digest()


def read_uncertainty(written: Mapping[str, Any]) -> Uncertainty:
    """Read what `write_uncertainty` wrote; ValueError for anything else."""
    try:
        return _read_uncertainty(written)
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError) as error:
        raise ValueError(f"an uncertainty is not of the form that it is kept in: {error!r}") from error


def _read_uncertainty(written: Mapping[str, Any]) -> Uncertainty:
    effects = [UncertaintyEffect(name, owner) for name, owner, _, _ in written["components"]]
    components = {
        effect: Component(
            {input_: Decimal(change) for input_, change in by_input.items()},
            None if freedom is None else Decimal(freedom),
        )
        for effect, (_, _, freedom, by_input) in zip(effects, written["components"], strict=True)
    }
    return Uncertainty(
        components,
        {frozenset((effects[one], effects[other])): Decimal(r) for one, other, r in written["correlations"]},
    )


class WrittenPart(NamedTuple):
    """A part of a result whose uncertainty was written."""

    written: Mapping[str, Any]
    part: Decimal
    """In the unit of what is written."""
    whole: Decimal
    """What the result came to, never zero; it may be in the unit of the sum, which then has its unit."""


def read_sum(parts: Iterable[WrittenPart]) -> Uncertainty:
    """Read the uncertainty of a sum of parts: what they share adds up, effect by effect.

    It is the sum of what `Uncertainty.take` gives of each, without an object for each component of thousands
    of batches. Where results state a correlation of the same two effects differently, the last one counts.
    """
    columns: dict[UncertaintyEffect, dict[str, list[Decimal]]] = {}
    degrees: dict[UncertaintyEffect, str | None] = {}
    correlations: dict[frozenset[UncertaintyEffect], Decimal] = {}
    multiply, divide = CONTEXT.multiply, CONTEXT.divide
    for written, part, whole in parts:
        effects = [UncertaintyEffect(name, owner) for name, owner, _, _ in written["components"]]
        is_whole = part == whole
        for effect, (_, _, freedom, changes) in zip(effects, written["components"], strict=True):
            degrees[effect] = freedom
            by_input = columns.get(effect)
            if by_input is None:
                by_input = columns[effect] = {}
            for name, text in changes.items():
                change = Decimal(text)
                taken = change if is_whole else divide(multiply(change, part), whole)
                by_input.setdefault(name, []).append(taken)
        for one, other, coefficient in written["correlations"]:
            correlations[frozenset((effects[one], effects[other]))] = Decimal(coefficient)
    plus = CONTEXT.plus  # most effects are of one batch alone
    components = {
        effect: Component(
            {
                name: plus(changes[0]) if len(changes) == 1 else total(changes)
                for name, changes in by_input.items()
            },
            None if (freedom := degrees[effect]) is None else Decimal(freedom),
        )
        for effect, by_input in columns.items()
    }
    return Uncertainty(components, correlations)


# Correlations that are stated for a group of effects must be those of some distribution: their matrix has no
# eigenvalue below zero (JCGM 101:2008, 6.4.8.4).


def list_correlation_problems(pairs: Sequence[tuple[str, str, Decimal]]) -> list[Problem]:
    """Say what is wrong with correlation coefficients: pairs of names, each with a number from -1 to 1."""
    problems = []
    known: set[frozenset[str]] = set()
    for index, (one, other, coefficient) in enumerate(pairs):
        pair, place = frozenset((one, other)), f"correlations.{index}"
        if one == other:
            problems.append(Problem(f"{one!r} is not correlated with itself.", place, "invalid"))
        elif pair in known:
            problems.append(
                Problem(f"The correlation of {one!r} and {other!r} is given twice.", place, "invalid")
            )
        known.add(pair)
        if not -1 <= coefficient <= 1:
            sentence = f"A correlation coefficient is from -1 to 1; here is {plain(coefficient)}."
            problems.append(Problem(sentence, f"{place}.coefficient", "invalid"))
    if problems:
        return problems
    coefficients = {frozenset((one, other)): coefficient for one, other, coefficient in pairs}
    for group in _list_groups(pairs):
        if len(group) > CORRELATED_MAX:
            sentence = (
                f"{len(group)} effects are correlated with one another; at most {CORRELATED_MAX} may be."
            )
            problems.append(Problem(sentence, "correlations", "limit"))
            continue
        smallest = find_smallest_eigenvalue(
            [
                [
                    Decimal(1) if one == other else coefficients.get(frozenset((one, other)), ZERO)
                    for other in group
                ]
                for one in group
            ]
        )
        if smallest < -_ROUNDING_OF_EIGENVALUES:
            problems.append(
                Problem(
                    f"The correlations of {', '.join(group)} contradict one another: the smallest eigenvalue"
                    f" of their matrix is {plain(round(smallest, 6))}, and none may be below zero.",
                    "correlations",
                    "invalid",
                )
            )
    return problems


def find_smallest_eigenvalue(matrix: Sequence[Sequence[Decimal]]) -> Decimal:
    """Return the smallest eigenvalue of a symmetric matrix, by Jacobi's rotations."""
    rows = [list(row) for row in matrix]
    size = len(rows)
    for _sweep in range(60):
        if not any(_rotate(rows, one, other) for one in range(size) for other in range(one + 1, size)):
            break
    return min(rows[index][index] for index in range(size))


def _rotate(rows: list[list[Decimal]], one: int, other: int) -> bool:
    """Make one pair of a symmetric matrix zero, in place; False where it is already."""
    context, pivot = CONTEXT, rows[one][other]
    if pivot.copy_abs() <= Decimal("1e-30"):
        return False
    theta = context.divide(context.subtract(rows[other][other], rows[one][one]), context.multiply(2, pivot))
    root = context.sqrt(context.add(context.multiply(theta, theta), 1))
    tangent = context.divide(
        Decimal(1).copy_sign(theta) if theta else Decimal(1), context.add(theta.copy_abs(), root)
    )
    cosine = context.divide(1, context.sqrt(context.add(context.multiply(tangent, tangent), 1)))
    sine = context.multiply(tangent, cosine)
    for index in range(len(rows)):
        left, right = rows[index][one], rows[index][other]
        rows[index][one] = context.subtract(context.multiply(cosine, left), context.multiply(sine, right))
        rows[index][other] = context.add(context.multiply(sine, left), context.multiply(cosine, right))
    for index in range(len(rows)):
        left, right = rows[one][index], rows[other][index]
        rows[one][index] = context.subtract(context.multiply(cosine, left), context.multiply(sine, right))
        rows[other][index] = context.add(context.multiply(sine, left), context.multiply(cosine, right))
    return True


def _list_groups(pairs: Sequence[tuple[str, str, Decimal]]) -> list[list[str]]:
    """The names that hang together by correlations that are not zero, each group in order of name."""
    groups: list[set[str]] = []
    for one, other, coefficient in pairs:
        if not coefficient:
            continue
        touched = [group for group in groups if one in group or other in group]
        groups = [group for group in groups if group not in touched]
        groups.append({one, other}.union(*touched))
    return [sorted(group) for group in groups]
