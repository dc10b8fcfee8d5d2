"""The uncertainty of an input: what its values state, brought to what they come to together.

Values that state the same are a class, of which a few sums are kept, however many values it has; the sums of
any grouping add up. Of a sum, an average, a least or a greatest value the components follow from these sums;
of aggregates that go by order or by time, from how fast they change with each value.

With a stated part s of each value v, or a stated size s, the component of a class of independent values is

    sum                s sqrt(sum of v^2)                    s sqrt(n)
    average            the same / n
    weighted average   s sqrt(sum of v^2 w^2) / W            s sqrt(sum of w^2) / W
    its weights        s sqrt(sum of w^2 (v - A)^2) / W      s sqrt(sum of (v - A)^2) / W

and of a class that shares an effect the same sums of first powers, with their signs. `A` is the average and
`W` the sum of all weights. All values of a statement rest on one estimate of its size, so the component has
the statement's degrees of freedom.

A least or greatest value changes with the reading that has it. Where several have it, there is no derivative:
it changes with one of them, the one that is least well known, whatever their order.

Invariants: sums are exact, so neither the order of values nor their grouping shows in a component.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

from weighbridge.core.engine.reading_families import PointRead
from weighbridge.core.ledger.allocation import (
    Contributions,
    add_contributions,
    multiply_contributions,
)
from weighbridge.core.model import Aggregate, Input
from weighbridge.core.number import CONTEXT, EXACT, ZERO, exact_total, total
from weighbridge.core.uncertainty.effects import (
    Component,
    Components,
    UncertaintyEffect,
    add_components,
    find_fewest_degrees,
    multiply_components,
    pool_independent,
)
from weighbridge.core.uncertainty.statement import UncertaintyStatement
from weighbridge.core.unit import Unit


@dataclass(frozen=True, slots=True)
class Basis:
    """What an amount rests on: the sources of its values, and the effects that make it uncertain."""

    contributions: Contributions = field(default_factory=dict)
    """In the absolute unit of the amount's unit."""
    components: Components = field(default_factory=dict)
    """In the amount's unit."""
    rated: "tuple[RatedPart, ...]" = ()
    """The readings that others may rest on too, whose own errors the components leave out."""


NO_BASIS: Final = Basis()


def add_bases(bases: Sequence[Basis]) -> Basis:
    """Return what a sum rests on."""
    if len(bases) == 1:
        return bases[0]
    return Basis(
        add_contributions([basis.contributions for basis in bases]),
        add_components([basis.components for basis in bases if basis.components]),
        tuple(part for basis in bases for part in basis.rated),
    )


def multiply_basis(basis: Basis, rate: Decimal) -> Basis:
    """Return what something rests on that changes with the amount at a rate."""
    return Basis(
        multiply_contributions(basis.contributions, rate),
        multiply_components(basis.components, rate),
        scale_parts(basis.rated, rate),
    )


def scale_parts(parts: "Iterable[RatedPart]", rate: Decimal) -> "tuple[RatedPart, ...]":
    """Return the rates of something that changes with the amount at a rate."""
    return tuple(replace(part, rate=CONTEXT.multiply(part.rate, rate)) for part in parts)


@dataclass(frozen=True, slots=True)
class StatedClass:
    """Values that state the same, and whose own effects belong to the same owner."""

    owner: str
    """The run, or the group of data that several runs share."""
    statements: tuple[UncertaintyStatement, ...]
    weight_statements: tuple[UncertaintyStatement, ...] = ()


@dataclass(frozen=True, slots=True)
class Moments:
    """Sums over the values v of a class, and their weights w."""

    count: int = 0
    total: Decimal = ZERO
    square: Decimal = ZERO
    weight: Decimal = ZERO
    weighted: Decimal = ZERO
    """Sum of v w."""
    weight_square: Decimal = ZERO
    cross: Decimal = ZERO
    """Sum of v w^2."""
    weighted_square: Decimal = ZERO
    """Sum of v^2 w^2."""
    rate: Decimal = ZERO
    """Sum of the rates k at which the aggregate changes with readings by values that rules put in for others,
    before it is divided; with o, its rate by the reading itself."""
    rated: Decimal = ZERO
    """Sum of k v."""
    rate_square: Decimal = ZERO
    """Sum of k (k + 2 o): what (o + k)^2 is more than o^2."""
    rated_square: Decimal = ZERO
    """Sum of k (k + 2 o) v^2."""
    least: Decimal | None = None
    greatest: Decimal | None = None

    def plus(self, other: "Moments") -> "Moments":
        """The sums over the values of both."""
        lows = [low for low in (self.least, other.least) if low is not None]
        highs = [high for high in (self.greatest, other.greatest) if high is not None]
        sums = {name: EXACT.add(getattr(self, name), getattr(other, name)) for name in _SUMS}
        return Moments(
            count=self.count + other.count,
            least=min(lows, default=None),
            greatest=max(highs, default=None),
            **sums,
        )


_SUMS: Final = (
    "total", "square", "weight", "weighted", "weight_square", "cross", "weighted_square",
    "rate", "rated", "rate_square", "rated_square",
)  # fmt: skip

MomentsByClass = Mapping[StatedClass, Moments]
"""The sums of each class of values."""

NO_MOMENTS: Final[MomentsByClass] = {}


def compute_moments(values: Iterable[tuple[Decimal, Decimal | None]]) -> Moments:
    """Compute the sums over values with their weights, None where there is none."""
    pairs = [(value, ZERO if weight is None else weight) for value, weight in values]
    numbers = [value for value, _ in pairs]
    products = [EXACT.multiply(value, weight) for value, weight in pairs]
    return Moments(
        count=len(pairs),
        total=exact_total(numbers),
        square=exact_total(EXACT.multiply(value, value) for value in numbers),
        weight=exact_total(weight for _, weight in pairs),
        weighted=exact_total(products),
        weight_square=exact_total(EXACT.multiply(weight, weight) for _, weight in pairs),
        cross=exact_total(
            EXACT.multiply(product, weight) for product, (_, weight) in zip(products, pairs, strict=True)
        ),
        weighted_square=exact_total(EXACT.multiply(product, product) for product in products),
        least=min(numbers, default=None),
        greatest=max(numbers, default=None),
    )


def add_moments(one: MomentsByClass, other: MomentsByClass) -> MomentsByClass:
    """Add the sums of each class."""
    if not one or not other:
        return one or other
    added = dict(one)
    for stated, moments in other.items():
        added[stated] = added[stated].plus(moments) if stated in added else moments
    return added


def sum_moments(by_class: MomentsByClass) -> Moments:
    """Return the sums over the values of all classes."""
    whole = Moments()
    for moments in by_class.values():
        whole = whole.plus(moments)
    return whole


@dataclass(frozen=True, slots=True)
class OwnErrorNames:
    """What names the effect of what values have for themselves, and what of it is left out."""

    effect: str
    is_of_others: bool = False
    """Whether it is found reading by reading, with what other inputs have of the same values."""
    are_weights_of_others: bool = False


def compute_aggregate_components(
    slug: str,
    body: Input,
    by_class: MomentsByClass,
    unit: Unit,
    weight_unit: Unit,
    names: OwnErrorNames | None = None,
) -> Components:
    """Compute the components of an aggregate of values, by their sums; in the unit of the data."""
    whole, names = sum_moments(by_class), names or OwnErrorNames(slug)
    builder = ComponentBuilder(slug, names.effect)
    for stated, moments in keep_extreme(body, by_class, unit).items():
        for statement in stated.statements:
            if statement.effect is None and names.is_of_others:
                continue
            first, second = sum_changes(body, moments, whole, is_relative=statement.is_relative)
            builder.add(statement, stated.owner, unit, first, second)
        for statement in stated.weight_statements if body.weight else ():
            if statement.effect is None and names.are_weights_of_others:
                continue
            first, second = _sum_weights(moments, whole, is_relative=statement.is_relative)
            builder.add(statement, f"{stated.owner} {body.weight}", weight_unit, first, second)
    return builder.build()


def sum_changes(
    body: Input, moments: Moments, whole: Moments, *, is_relative: bool
) -> tuple[Decimal, Decimal]:
    """The sum of the changes of an aggregate with each value of a class, and the sum of their squares.

    Of a least or greatest value, the class is that of the reading that has it (`keep_extreme`).
    """
    match body.aggregate:
        case Aggregate.MIN | Aggregate.MAX:
            value = find_extreme(body.aggregate, moments)
            if value is None:
                return ZERO, ZERO
            change = value if is_relative else Decimal(1)
            return change, EXACT.multiply(change, change)
        case Aggregate.COUNT:
            return ZERO, ZERO
    if body.weight is not None:
        first, second = (
            (moments.weighted, moments.weighted_square)
            if is_relative
            else (moments.weight, moments.weight_square)
        )
        return _divide(*_add_rates(moments, first, second, is_relative=is_relative), whole.weight)
    first, second = (
        (moments.total, moments.square) if is_relative else (Decimal(moments.count), Decimal(moments.count))
    )
    divisor = Decimal(whole.count) if body.aggregate is Aggregate.AVERAGE else Decimal(1)
    return _divide(*_add_rates(moments, first, second, is_relative=is_relative), divisor)


EXTREMES: Final = frozenset({Aggregate.MIN, Aggregate.MAX})
"""The aggregates that change with one of their values alone."""


def find_extreme(aggregate: Aggregate, moments: Moments) -> Decimal | None:
    """Return the least or the greatest of values, whichever the aggregate is; None of no values."""
    return moments.least if aggregate is Aggregate.MIN else moments.greatest


def keep_extreme(body: Input, by_class: MomentsByClass, unit: Unit) -> MomentsByClass:
    """Return the classes that an aggregate changes with: of a least or greatest value the one that has it."""
    if body.aggregate not in EXTREMES or len(by_class) < 2:
        return by_class
    extreme = find_extreme(body.aggregate, sum_moments(by_class))
    holding = [stated for stated, sums in by_class.items() if find_extreme(body.aggregate, sums) == extreme]
    if extreme is None or not holding:
        return NO_MOMENTS
    least_known = find_least_known(holding, extreme, unit)
    return {least_known: by_class[least_known]}


def find_least_known(classes: Collection[StatedClass], value: Decimal, unit: Unit) -> StatedClass:
    """Return the class whose reading of a value has the largest standard uncertainty.

    Where several have that, how it is made up and whose it is decide, so that their order does not.
    """
    return max(classes, key=lambda stated: _weigh_class(stated, value, unit))


def _weigh_class(
    stated: StatedClass, value: Decimal, unit: Unit
) -> tuple[Decimal, Sequence[tuple[str, Decimal, Decimal]], str]:
    changes = []
    for statement in stated.statements:
        size = CONTEXT.multiply(statement.standard_size, statement.scale_to(unit))
        change = CONTEXT.multiply(size, value).copy_abs() if statement.is_relative else size
        freedom = statement.degrees_of_freedom
        changes.append((statement.effect or "", change, ZERO if freedom is None else freedom))
    variance = exact_total(EXACT.multiply(change, change) for _, change, _ in changes)
    return variance, changes, stated.owner


def _add_rates(
    moments: Moments, first: Decimal, second: Decimal, *, is_relative: bool
) -> tuple[Decimal, Decimal]:
    """Both sums, with what readings add that values were put in for others from."""
    if is_relative:
        return EXACT.add(first, moments.rated), EXACT.add(second, moments.rated_square)
    return EXACT.add(first, moments.rate), EXACT.add(second, moments.rate_square)


LINEAR: Final = frozenset({Aggregate.SUM, Aggregate.AVERAGE})
"""The aggregates that change with each of their values at a rate of its own."""


@dataclass(frozen=True, slots=True)
class RatedReading:
    """A reading that values rest on which a rule put in, and the rate of an aggregate by these."""

    key: int
    """Which reading it is."""
    rate: Decimal
    value: Decimal
    stated: StatedClass


def compute_filled_moments(
    readings: Iterable[RatedReading], own_rates: Mapping[int, Decimal]
) -> MomentsByClass:
    """Compute what values that rules put in add to the sums of captured ones.

    `own_rates` are those of readings that are values of the aggregate themselves.
    """
    rates: dict[tuple[int, StatedClass, Decimal], Decimal] = {}
    for reading in readings:
        key = reading.key, reading.stated, reading.value
        rates[key] = EXACT.add(rates.get(key, ZERO), reading.rate)
    by_class: dict[StatedClass, Moments] = {}
    for (number, stated, value), rate in rates.items():
        doubled = EXACT.multiply(Decimal(2), own_rates.get(number, ZERO))
        square = EXACT.multiply(rate, EXACT.add(rate, doubled))
        moments = Moments(
            rate=rate,
            rated=EXACT.multiply(rate, value),
            rate_square=square,
            rated_square=EXACT.multiply(square, EXACT.multiply(value, value)),
        )
        by_class[stated] = by_class.get(stated, Moments()).plus(moments)
    return by_class


def _sum_weights(moments: Moments, whole: Moments, *, is_relative: bool) -> tuple[Decimal, Decimal]:
    """The same of the changes of a weighted average with each weight of a class."""
    if not whole.weight:
        return ZERO, ZERO
    average = CONTEXT.divide(whole.weighted, whole.weight)
    squared = EXACT.multiply(average, average)
    doubled = EXACT.multiply(Decimal(2), average)
    if is_relative:
        first = EXACT.subtract(moments.weighted, EXACT.multiply(average, moments.weight))
        terms = (moments.weighted_square, moments.cross, moments.weight_square)
    else:
        first = EXACT.subtract(moments.total, EXACT.multiply(average, Decimal(moments.count)))
        terms = (moments.square, moments.total, Decimal(moments.count))
    second = EXACT.add(
        EXACT.subtract(terms[0], EXACT.multiply(doubled, terms[1])), EXACT.multiply(squared, terms[2])
    )
    return _divide(first, second, whole.weight)


def _divide(first: Decimal, second: Decimal, divisor: Decimal) -> tuple[Decimal, Decimal]:
    """Both sums, divided by what the changes are divided by."""
    if not divisor:
        return ZERO, ZERO
    return CONTEXT.divide(first, divisor), CONTEXT.divide(second, EXACT.multiply(divisor, divisor))


@dataclass(frozen=True, slots=True)
class RatedValue:
    """A value, in the unit of the data, and how fast something changes with it."""

    rate: Decimal
    value: Decimal
    stated: StatedClass
    reading: int | None = None
    """Which reading it is, where it may occur several times: by itself, and by values that rest on it."""


@dataclass(frozen=True, slots=True)
class RatedPart:
    """Readings with which something changes, each at its own rate times that of all."""

    read: PointRead
    values: tuple[RatedValue, ...]
    unit: Unit
    """Of the data."""
    rate: Decimal = Decimal(1)


@dataclass(frozen=True, slots=True)
class OwnErrors:
    """The errors that values of one owner have for themselves, where something changes with them."""

    change: Decimal
    """The root of the sum of their squares."""
    degrees_of_freedom: Decimal | None
    by_statement: Mapping[tuple[StatedClass, int], tuple[Decimal, Mapping[int, Decimal]]]
    """By class and place of the statement its size, and by reading the change per size."""

    @property
    def by_reading(self) -> Mapping[tuple[int, int], tuple[Decimal, Decimal]]:
        """By reading and place of the statement the size, and the change per size."""
        return {
            (reading, place): (size, change)
            for (_, place), (size, changes) in self.by_statement.items()
            for reading, change in changes.items()
        }


def rate_errors(
    slug: str, values: Iterable[RatedValue], unit: Unit
) -> tuple[Components, Mapping[str, OwnErrors]]:
    """What values make of something by effects that they name, and by owner what they have for themselves.

    Each value is a reading, and the rates are per unit of the data.
    """
    by_class: dict[StatedClass, list[RatedValue]] = {}
    for value in _join_readings(values):
        by_class.setdefault(value.stated, []).append(value)
    builder = ComponentBuilder(slug)
    by_owner: dict[str, dict[tuple[StatedClass, int], tuple[Decimal, Mapping[int, Decimal]]]] = {}
    for stated, some in by_class.items():
        for place, statement in enumerate(stated.statements):
            changes = {
                value.reading or 0: EXACT.multiply(value.rate, value.value)
                if statement.is_relative
                else value.rate
                for value in some
            }
            squares = exact_total(EXACT.multiply(change, change) for change in changes.values())
            builder.add(statement, stated.owner, unit, total(changes.values()), squares)
            if statement.effect is None:
                size = CONTEXT.multiply(statement.standard_size, statement.scale_to(unit))
                by_owner.setdefault(stated.owner, {})[stated, place] = size, changes
    components = builder.build()
    own = {}
    for owner, by_statement in by_owner.items():
        pooled = components.get(UncertaintyEffect(slug, owner), Component({}))
        own[owner] = OwnErrors(pooled.change, pooled.degrees_of_freedom, by_statement)
    return {effect: one for effect, one in components.items() if not effect.owner}, own


def compute_rated_components(slug: str, values: Iterable[RatedValue], unit: Unit) -> Components:
    """Compute the components of something that changes with single values, at rates per unit of the data."""
    by_class: dict[StatedClass, list[tuple[Decimal, Decimal]]] = {}
    for value in _join_readings(values):
        by_class.setdefault(value.stated, []).append((value.rate, EXACT.multiply(value.rate, value.value)))
    builder = ComponentBuilder(slug)
    for stated, changes in by_class.items():
        for statement in stated.statements:
            column = [relative if statement.is_relative else absolute for absolute, relative in changes]
            squares = exact_total(EXACT.multiply(change, change) for change in column)
            builder.add(statement, stated.owner, unit, total(column), squares)
    return builder.build()


def _join_readings(values: Iterable[RatedValue]) -> Iterable[RatedValue]:
    """The values, each reading once, with the sum of its rates."""
    joined: dict[tuple[int, StatedClass], RatedValue] = {}
    for value in values:
        if value.reading is None:
            yield value
            continue
        key = value.reading, value.stated
        known = joined.get(key)
        joined[key] = value if known is None else replace(known, rate=EXACT.add(known.rate, value.rate))
    yield from joined.values()


class ComponentBuilder:
    """Collects what statements make of a result through one input, and pools what is independent."""

    def __init__(self, slug: str, own: str | None = None) -> None:
        self._slug = slug
        self._own_name = slug if own is None else own
        self._shared: dict[str, list[Decimal]] = {}
        self._freedom: dict[str, Decimal | None] = {}
        self._own: dict[str, list[tuple[Decimal, Decimal | None]]] = {}

    def add(
        self, statement: UncertaintyStatement, owner: str, unit: Unit, first: Decimal, second: Decimal
    ) -> None:
        """Add a statement of values that change the result by `first` together, in squares by `second`.

        Both are per size of the statement, in the unit of the values.
        """
        size = CONTEXT.multiply(statement.standard_size, statement.scale_to(unit))
        if statement.effect is None:
            change = CONTEXT.multiply(size, CONTEXT.sqrt(max(CONTEXT.plus(second), ZERO)))
            self._own.setdefault(owner, []).append((change, statement.degrees_of_freedom))
        else:
            self._shared.setdefault(statement.effect, []).append(CONTEXT.multiply(size, first))
            of_effect = (self._freedom.get(statement.effect), statement.degrees_of_freedom)
            self._freedom[statement.effect] = find_fewest_degrees(of_effect)

    def build(self) -> Components:
        """Return the components; what changes nothing is left out."""
        components: dict[UncertaintyEffect, Component] = {}
        for name, changes in self._shared.items():
            if change := total(changes):
                components[UncertaintyEffect(name)] = Component({self._slug: change}, self._freedom[name])
        for owner, parts in self._own.items():
            change, freedom = pool_independent(*map(list, zip(*parts, strict=True)))
            if change:
                components[UncertaintyEffect(self._own_name, owner)] = Component(
                    {self._slug: change}, freedom
                )
        return components
