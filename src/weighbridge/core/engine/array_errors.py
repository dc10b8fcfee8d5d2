"""The errors that elements of an array have for themselves, as several outputs of a run have them.

Each output has the errors of the same readings, at rates of its own: a sum has all alike, a heaviest load one
of them. So two outputs share a part, and neither all nor nothing. The first output has its errors as one
effect. Each further one has of the effects of those before what they have in common, and the rest as an
effect of its own: the columns of the Cholesky factor of their covariances, as many as there are outputs and
not as there are readings.

A worked example: of two loads with the errors a and b, each of 3 kg, one output is the sum, the other the
first load. The sum has sqrt(9 + 9) = 4.24 kg of an effect; the first load has 9 / 4.24 = 2.12 kg of it, and
sqrt(9 - 4.5) = 2.12 kg of another. Together they are 3 kg, and the covariance is 9 kg^2, that of a.

Invariants: the squares of what an output has add up to its variance, to the last digits; an output whose
errors are those of one before at other rates has no effect of its own.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from weighbridge.core.engine.stated_values import OwnErrors, RatedValue, rate_errors
from weighbridge.core.number import CONTEXT, EXACT, ZERO, exact_total, total
from weighbridge.core.uncertainty.effects import (
    IN_OUTPUT,
    Component,
    Components,
    UncertaintyEffect,
    add_components,
)
from weighbridge.core.unit import Unit

_NEGLIGIBLE: Final = Decimal("1e-24")
"""What part of a variance is left by rounding alone where nothing is left."""


@dataclass(frozen=True, slots=True)
class _OutputErrors:
    """The errors of an output that made an effect of its own, and what it has of each effect up to it."""

    effect: UncertaintyEffect
    errors: OwnErrors
    columns: tuple[Decimal, ...]


class ArrayErrors:
    """The own errors of arrays, output after output of a run."""

    def __init__(self) -> None:
        self._bases: dict[tuple[str, str], list[_OutputErrors]] = {}

    def split(self, slug: str, output: str, values: Iterable[RatedValue], unit: Unit) -> Components:
        """Return what the elements of an array make of an output, at rates per unit of the data."""
        shared, own = rate_errors(slug, values, unit)
        return add_components(
            [shared, *(self._split_own(slug, output, owner, errors) for owner, errors in own.items())]
        )

    def _split_own(self, slug: str, output: str, owner: str, errors: OwnErrors) -> Components:
        if not errors.change:
            return {}
        bases = self._bases.setdefault((slug, owner), [])
        columns: list[Decimal] = []
        for basis in bases:
            known = total(
                CONTEXT.multiply(one, other) for one, other in zip(columns, basis.columns, strict=False)
            )
            common = CONTEXT.subtract(_find_covariance(errors, basis.errors), known)
            columns.append(CONTEXT.divide(common, basis.columns[-1]))
        effects = [basis.effect for basis in bases]
        whole = EXACT.multiply(errors.change, errors.change)
        rest = CONTEXT.subtract(whole, exact_total(EXACT.multiply(one, one) for one in columns))
        if rest > CONTEXT.multiply(whole, _NEGLIGIBLE):
            pivot = CONTEXT.sqrt(rest) if bases else errors.change
            name = f"{slug}{IN_OUTPUT}{output}" if bases else slug
            effects.append(UncertaintyEffect(name, owner))
            columns.append(pivot)
            bases.append(_OutputErrors(effects[-1], errors, tuple(columns)))
        elif len(columns) == 1:
            # All of it is one effect, to the last digit.
            columns = [errors.change.copy_sign(columns[0])]
        return {
            effect: Component({slug: change}, errors.degrees_of_freedom)
            for effect, change in zip(effects, columns, strict=True)
            if change
        }


def _find_covariance(one: OwnErrors, other: OwnErrors) -> Decimal:
    """The covariance of two outputs by the errors of the same readings."""
    terms = []
    for key, (size, changes) in one.by_statement.items():
        size_of_other, changes_of_other = other.by_statement.get(key, (ZERO, {}))
        products = exact_total(
            EXACT.multiply(change, changes_of_other[reading])
            for reading, change in changes.items()
            if reading in changes_of_other
        )
        terms.append(CONTEXT.multiply(CONTEXT.multiply(size, size_of_other), products))
    return total(terms)
