"""Sampling: what a value may have been, trial by trial, as its statements say (JCGM 101:2008, 6 and 7.3).

A value x with several statements is x plus what each of them adds, drawn from the distribution that is
assigned to it (table 1):

    normal, u                       u z, with z from N(0, 1)                          6.4.7
    the same, nu degrees of freedom u t, with t from Student's t of nu                6.4.9
    rectangular, triangular, arcsine, half width a
                                    a r, with r the standard draw of the distribution 6.4.2, 6.4.5, 6.4.6
    lognormal, by percentiles       e^(m + s z) - x, with the logarithm's m and s     6.4.7 by the logarithm

Relative sizes are multiplied by x with its sign; relative percentiles are those of a factor of x. So the mean
of a lognormal value need not be x, nor its median: the statement says where it lies.

Degrees of freedom of other distributions than the normal one say how well their limits are known. The first
order uses them (JCGM 100:2008, G.4.2); the draws do not, for JCGM 101 asks for the inexactness of limits
itself (6.4.3). Fewer than 1 are refused: such a t has tails that no trials can show.

A statement that names an effect draws by that name, so all values that name it move by the same draw; one
without is independent, and draws by the name of its value. Correlated effects are normal (6.4.8).

Invariants: a draw depends on the seed, the name and the trial alone; a size of zero gives the value itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

import numpy as np

from weighbridge.core.number import CONTEXT
from weighbridge.core.uncertainty.correlation import CorrelatedEffects, factor_correlations
from weighbridge.core.uncertainty.draws import Column, draw_rectangular
from weighbridge.core.uncertainty.float_functions import exp
from weighbridge.core.uncertainty.inverse_distributions import STANDARD_DRAWS, invert_normal, invert_student
from weighbridge.core.uncertainty.statement import Distribution, Percentiles, UncertaintyStatement
from weighbridge.core.unit import Unit

DEGREES_OF_FREEDOM_MIN: Final = Decimal(1)
"""The fewest degrees of freedom of which trials draw Student's t."""


@dataclass(frozen=True, slots=True)
class UncertainValue:
    """What was stated of one value."""

    statements: tuple[UncertaintyStatement, ...]
    identity: str | None = None
    """By what its independent parts are drawn: the same for the same reading, constant or factor, in all runs
    and wherever it is read. None for the run, the node and its place there.
    """


@dataclass(frozen=True, slots=True)
class Mixture:
    """A standard normal draw that is made of those of several effects."""

    parts: tuple[tuple[str, float], ...]


Mixtures = Mapping[str, Mixture]
"""How correlated effects are drawn, by their names."""


def build_mixtures(groups: Sequence[CorrelatedEffects]) -> dict[str, Mixture]:
    """Say how each correlated effect is made of independent draws.

    Raises ValueError where an effect is in two groups, or no quantities can have the coefficients.
    """
    mixtures: dict[str, Mixture] = {}
    for group in groups:
        for name, row in zip(group.effects, factor_correlations(group), strict=True):
            if name in mixtures:
                raise ValueError(f"The effect {name!r} is in two groups of correlated effects.")
            parts = zip(group.effects, row, strict=True)
            mixtures[name] = Mixture(tuple((part, float(weight)) for part, weight in parts if weight))
    return mixtures


@dataclass(frozen=True, slots=True)
class BlockOfDraws:
    """The draws of some trials, one after another; each effect is drawn once."""

    seed: int
    first: int
    count: int
    mixtures: Mixtures = field(default_factory=dict)
    _standard: dict[tuple[str, Distribution, Decimal | None], Column] = field(default_factory=dict)
    _lognormal: dict[tuple[str, Percentiles], Column] = field(default_factory=dict)

    def draw_value(self, value: Decimal, unit: Unit, stated: UncertainValue, name: str) -> Column:
        """Draw a value in its unit; `name` is that of its node and place."""
        drawn = np.full(self.count, float(value))
        for index, statement in enumerate(stated.statements):
            own = f"value\n{stated.identity or name}\n{index}"
            key = own if statement.effect is None else f"effect\n{statement.effect}"
            drawn += self._draw_error(value, unit, statement, key)
        return drawn

    def _draw_error(self, value: Decimal, unit: Unit, statement: UncertaintyStatement, key: str) -> Column:
        size = statement.size
        if isinstance(size, Percentiles):
            scale = float(value) if statement.is_relative else float(statement.scale_to(unit))
            return scale * self._draw_lognormal(key, size) - float(value)
        draw = self._draw_standard(key, statement.distribution, statement.degrees_of_freedom)
        if statement.distribution is Distribution.NORMAL:
            return float(statement.compute_change(value, unit)) * draw
        scaled = CONTEXT.multiply(size, value if statement.is_relative else statement.scale_to(unit))
        return float(scaled) * draw

    def _draw_lognormal(self, key: str, size: Percentiles) -> Column:
        if (key, size) not in self._lognormal:
            draw = self._draw_standard(key, Distribution.LOGNORMAL, None)
            mean, deviation = float(size.logarithmic_mean), float(size.logarithmic_deviation)
            self._lognormal[key, size] = exp(mean + deviation * draw)
        return self._lognormal[key, size]

    def _draw_standard(self, key: str, distribution: Distribution, freedom: Decimal | None) -> Column:
        """The standard draw of an effect, or of a value by itself."""
        if distribution is not Distribution.NORMAL:
            freedom = None
        place = (key, distribution, freedom)
        if place not in self._standard:
            self._standard[place] = self._make_standard(key, distribution, freedom)
        return self._standard[place]

    def _make_standard(self, key: str, distribution: Distribution, freedom: Decimal | None) -> Column:
        mixture = self.mixtures.get(key.removeprefix("effect\n")) if key.startswith("effect\n") else None
        if mixture is not None:
            return self._mix(mixture)
        rectangular = draw_rectangular(self.seed, key, self.first, self.count)
        if freedom is not None:
            return invert_student(rectangular, freedom)
        return STANDARD_DRAWS[distribution](rectangular)

    def _mix(self, mixture: Mixture) -> Column:
        drawn = np.zeros(self.count)
        for name, weight in mixture.parts:
            drawn += weight * invert_normal(
                draw_rectangular(self.seed, f"effect\n{name}", self.first, self.count)
            )
        return drawn


def check_statement(statement: UncertaintyStatement, mixtures: Mixtures) -> str | None:
    """Say why a statement cannot be drawn from; None when it can."""
    freedom = statement.degrees_of_freedom
    is_normal = statement.distribution is Distribution.NORMAL
    if is_normal and freedom is not None and freedom < DEGREES_OF_FREEDOM_MIN:
        return f"has {freedom} degrees of freedom; trials need at least {DEGREES_OF_FREEDOM_MIN}"
    if statement.effect in mixtures and not (is_normal and freedom is None):
        return (
            f"names the correlated effect {statement.effect!r}; correlated effects are drawn from a joint"
            " normal distribution, so its distribution must be normal and without degrees of freedom"
        )
    return None
