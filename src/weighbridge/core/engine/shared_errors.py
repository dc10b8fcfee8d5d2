"""The errors that readings have for themselves, where several inputs or outputs of a run rest on them.

Each has the errors of the same readings, at rates of its own: a sum has all alike, a greatest value one of
them. So two share a part, and neither all nor nothing. The first has its errors as one effect. Each further
one has of the effects of those before what they have in common, and the rest as an effect of its own: the
columns of the Cholesky factor of their covariances, as many as there are inputs, or outputs of an array, and
not as there are readings.

A worked example: of two loads with the errors a and b, each of 3 kg, one input is the sum, another the first
load. The sum has sqrt(9 + 9) = 4.24 kg of an effect; the first load has 9 / 4.24 = 2.12 kg of it, and
sqrt(9 - 4.5) = 2.12 kg of another. Together they are 3 kg, and the covariance is 9 kg^2, that of a.

Readings of totalisers end one slot and begin the next. What they have alone belongs to both, so a reading
that a totaliser counts is an effect by itself for all inputs of its family.

Invariants: the squares of what an input or an output has add up to its variance, to the last digits; one
whose errors are those of one before at other rates has no effect of its own.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from weighbridge.core.engine.reading_families import PointRead, ReadingFamilies, ReadingFamily
from weighbridge.core.engine.stated_values import OwnErrors, RatedPart, RatedValue, rate_errors
from weighbridge.core.number import CONTEXT, EXACT, exact_total, total
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
class _FamilyBasis:
    """Errors that made an effect of their own, and what they have of each effect up to it."""

    effect: UncertaintyEffect
    errors: OwnErrors
    columns: tuple[Decimal, ...]


class SharedErrors:
    """The own errors of readings, input after input and output after output of a run."""

    def __init__(self, families: ReadingFamilies, counted: Mapping[int, str]) -> None:
        """`counted` are the owners of readings that totalisers count."""
        self._families, self._counted = families, counted
        self._bases: dict[tuple[PointRead, str], list[_FamilyBasis]] = {}

    def split_parts(self, parts: Sequence[RatedPart]) -> Components:
        """Return the own errors of what an input of one number reads, at the rates of its readings."""
        by_read: dict[PointRead, list[RatedPart]] = {}
        for part in parts:
            by_read.setdefault(part.read, []).append(part)
        return add_components(self._split_read(read, of_read) for read, of_read in by_read.items())

    def _split_read(self, read: PointRead, parts: Sequence[RatedPart]) -> Components:
        values = [
            value if part.rate == 1 else replace(value, rate=CONTEXT.multiply(value.rate, part.rate))
            for part in parts
            for value in part.values
        ]
        label = read.node if read.weight is None else f"{read.node} {read.weight}"
        _, own = self._rate(read.node, self._families.get(read), values, parts[0].unit)
        return add_components(
            [self._split_own(read, read.node, label, owner, errors) for owner, errors in own.items()]
        )

    def split_array(self, slug: str, output: str, values: Iterable[RatedValue], unit: Unit) -> Components:
        """Return what the elements of an array make of an output, at rates per unit of the data."""
        read = PointRead(slug)
        family = self._families.get(read)
        label = output if family is None or family.name == read else f"{slug} {output}"
        shared, own = self._rate(slug, family, values, unit)
        return add_components(
            [shared, *(self._split_own(read, slug, label, owner, errors) for owner, errors in own.items())]
        )

    def _rate(
        self, slug: str, family: ReadingFamily | None, values: Iterable[RatedValue], unit: Unit
    ) -> tuple[Components, Mapping[str, OwnErrors]]:
        if family is not None and self._counted:
            values = [self._own_counted(value) for value in values]
        return rate_errors(slug, values, unit)

    def _own_counted(self, value: RatedValue) -> RatedValue:
        owner = None if value.reading is None else self._counted.get(value.reading)
        return value if owner is None else replace(value, stated=replace(value.stated, owner=owner))

    def _split_own(self, read: PointRead, slug: str, label: str, owner: str, errors: OwnErrors) -> Components:
        if not errors.change:
            return {}
        family = self._families.get(read)
        name = read if family is None else family.name
        bases = self._bases.setdefault((name, owner), [])
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
            effects.append(_name_effect(name, owner, label if bases else None))
            columns.append(pivot)
            bases.append(_FamilyBasis(effects[-1], errors, tuple(columns)))
        elif len(columns) == 1:
            # All of it is one effect, to the last digit.
            columns = [errors.change.copy_sign(columns[0])]
        return {
            effect: Component({slug: change}, errors.degrees_of_freedom)
            for effect, change in zip(effects, columns, strict=True)
            if change
        }


def _name_effect(name: PointRead, owner: str, label: str | None) -> UncertaintyEffect:
    """The effect of a family's readings; with a label, what one of its inputs has besides."""
    return UncertaintyEffect(
        name.node if label is None else f"{name.node}{IN_OUTPUT}{label}",
        owner if name.weight is None else f"{owner} {name.weight}",
    )


def _find_covariance(one: OwnErrors, other: OwnErrors) -> Decimal:
    """The covariance of two by the errors of the same readings."""
    terms = []
    of_other = other.by_reading
    for (_, place), (size, changes) in one.by_statement.items():
        products: dict[Decimal, list[Decimal]] = {}
        for reading, change in changes.items():
            found = of_other.get((reading, place))
            if found is not None:
                size_of_other, change_of_other = found
                products.setdefault(size_of_other, []).append(EXACT.multiply(change, change_of_other))
        terms += [
            CONTEXT.multiply(CONTEXT.multiply(size, size_of_other), exact_total(of_size))
            for size_of_other, of_size in products.items()
        ]
    return total(terms)
