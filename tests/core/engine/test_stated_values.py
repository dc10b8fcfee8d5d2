"""What values state comes to the uncertainty of their aggregate, in whatever groups they come; beside GTC."""

import itertools
import random
from decimal import Decimal

import GTC
import pytest

from weighbridge.core.engine.stated_values import (
    RatedValue,
    StatedClass,
    add_moments,
    compute_aggregate_components,
    compute_moments,
    compute_rated_components,
)
from weighbridge.core.model import Aggregate, Input
from weighbridge.core.uncertainty.effects import combine
from weighbridge.core.uncertainty.statement import build_statement
from weighbridge.core.unit import parse_unit

T = parse_unit("t")
KG = parse_unit("kg")
STATEMENTS = [
    {"standard": "0.3"}, {"relative_standard": "0.02"}, {"standard": "0.1", "effect": "scale"},
    {"relative_standard": "0.01", "effect": "scale"}, {"standard": "200", "unit": "kg"},
]  # fmt: skip


def stated(fields):
    statement, problems = build_statement(
        {key: Decimal(text) if key.endswith("standard") else text for key, text in fields.items()}
    )
    assert not problems
    return statement


def reference(value, fields, shared):
    """A value as GTC has it; those that name an effect share one error."""
    size = float(fields.get("standard", fields.get("relative_standard")))
    size = size / 1000 if fields.get("unit") == "kg" else size
    rate = float(value) if "relative_standard" in fields else 1.0
    return float(value) + rate * size * (shared if "effect" in fields else GTC.ureal(0, 1))


@pytest.mark.parametrize("weight", [None, "mass"])
@pytest.mark.parametrize("aggregate", [Aggregate.SUM, Aggregate.AVERAGE])
def test_sums_and_averages_of_mixed_statements_agree_with_gtc(aggregate, weight):
    if weight and aggregate is Aggregate.SUM:
        aggregate = Aggregate.AVERAGE
    chance = random.Random(5)  # noqa: S311 - the same numbers each time
    for _ in range(60):
        shared, by_class, values, weights = GTC.ureal(0, 1), {}, [], []
        for index in range(chance.randint(1, 7)):
            fields, weighing = chance.choice(STATEMENTS), {"relative_standard": "0.05"}
            value = Decimal(chance.randint(-40, 90)) / 4
            mass = Decimal(chance.randint(1, 60)) / 8
            of_class = StatedClass("run", (stated(fields),), (stated(weighing),) if weight else ())
            moments = compute_moments([(value, mass)])
            # Half of them come one by one, the rest together: grouping does not show.
            by_class = (
                add_moments(by_class, {of_class: moments})
                if index % 2
                else add_moments({of_class: moments}, by_class)
            )
            values.append(reference(value, fields, shared))
            weights.append(reference(mass, weighing, shared) if weight else 1.0)
        body = Input("load", "mass", aggregate, weight)
        found = combine(compute_aggregate_components("mass", body, by_class, T, KG))
        total = sum(value * mass for value, mass in zip(values, weights, strict=True))
        expected = total if aggregate is Aggregate.SUM else total / sum(weights)
        assert float(found.standard_uncertainty) == pytest.approx(
            GTC.uncertainty(expected), rel=1e-9, abs=1e-12
        )


def test_sums_and_single_values_come_to_the_same():
    chance = random.Random(6)  # noqa: S311 - the same numbers each time
    values = [Decimal(chance.randint(-500, 900)) / 7 for _ in range(50)]
    classes = [StatedClass("run", (stated(chance.choice(STATEMENTS)),)) for _ in values]
    by_class = {}
    for value, of_class in zip(values, classes, strict=True):
        by_class = add_moments(by_class, {of_class: compute_moments([(value, None)])})

    summed = combine(
        compute_aggregate_components("mass", Input("load", "mass", Aggregate.SUM), by_class, T, KG)
    )
    rated = [RatedValue(Decimal(1), value, of_class) for value, of_class in zip(values, classes, strict=True)]
    single = combine(compute_rated_components("mass", rated, T))

    assert abs(summed.standard_uncertainty - single.standard_uncertainty) < Decimal("1e-28")


TIED = [
    {"standard": "0.1", "effect": "scale"}, {"standard": "0.3", "effect": "scale"}, {"standard": "0.2"},
]  # fmt: skip


@pytest.mark.parametrize("aggregate", [Aggregate.MIN, Aggregate.MAX])
@pytest.mark.parametrize("order", list(itertools.permutations(TIED)))
def test_of_equal_readings_the_least_well_known_one_is_the_extreme(aggregate, order):
    """A least value of equals has no derivative: it changes with one of them, and an effect counts once."""
    other = Decimal(9) if aggregate is Aggregate.MIN else Decimal(1)
    by_class = {StatedClass("run", (stated({"standard": "7"}),)): compute_moments([(other, None)])}
    for fields in order:
        of_class = StatedClass("run", (stated(fields),))
        by_class = add_moments(by_class, {of_class: compute_moments([(Decimal(5), None)])})

    [component] = compute_aggregate_components(
        "mass", Input("load", "mass", aggregate), by_class, T, KG
    ).items()

    effect, found = component
    assert (effect.name, found.change) == ("scale", Decimal("0.3"))


def test_equals_that_are_known_as_well_give_the_same_extreme_in_any_order():
    """What an owner or an effect is called decides, where nothing else does."""
    found = set()
    classes = [
        StatedClass(owner, (stated({"standard": "0.3"} | named),))
        for owner in ("first", "second")
        for named in ({}, {"effect": "a"}, {"effect": "b"})
    ]
    for order in itertools.permutations(classes):
        by_class = {of_class: compute_moments([(Decimal(5), None)]) for of_class in order}
        body = Input("load", "mass", Aggregate.MAX)
        [effect] = compute_aggregate_components("mass", body, by_class, T, KG)
        found.add(effect)
    assert len(found) == 1
