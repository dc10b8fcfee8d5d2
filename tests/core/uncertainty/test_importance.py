"""Which effects move a result by a threshold, and without which it would be known twice as well."""

import random
from decimal import Decimal
from itertools import combinations

from weighbridge.core.uncertainty.effects import Component, Uncertainty, UncertaintyEffect
from weighbridge.core.uncertainty.importance import (
    compute_reach,
    find_halving_effects,
    find_moving_effects,
    list_reductions,
)

TWO = Decimal(2)


def known(correlations=(), **changes):
    return Uncertainty(
        {UncertaintyEffect(name): Component({name: Decimal(change)}) for name, change in changes.items()},
        {
            frozenset((UncertaintyEffect(one), UncertaintyEffect(other))): Decimal(coefficient)
            for one, other, coefficient in correlations
        },
    )


def names(chosen):
    return [effect.name for effect in chosen.effects]


def test_each_effect_alone_reaches_as_far_as_the_coverage_factor_carries_it():
    reach = compute_reach(known(scale=3, oven=-4), TWO)

    assert [(effect.name, amount) for effect, amount in reach] == [("oven", 8), ("scale", 6)]


def test_the_largest_effects_that_reach_a_threshold_together_are_the_fewest():
    found = find_moving_effects(known(scale=3, oven=4, other=1), TWO, Decimal(10))

    assert (names(found), found.standard_uncertainty, found.is_fewest) == (["oven", "scale"], 5, True)
    assert find_moving_effects(known(scale=3, oven=4), TWO, Decimal("10.01")) is None


def test_effects_that_make_up_for_one_another_are_chosen_apart():
    uncertainty = known([("a", "b", "-1")], a=5, b=5, c=3)

    found = find_moving_effects(uncertainty, TWO, Decimal(11))

    # a and b cancel, so what moves the result besides one of them is c.
    assert (names(found), found.is_fewest) == (["a", "c"], False)


def test_effects_that_go_together_reach_further():
    uncertainty = known([("b", "c", "1")], a=5, b=4, c=4)

    found = find_moving_effects(uncertainty, Decimal(1), Decimal(9))

    assert names(found) == ["a", "b", "c"]
    assert find_moving_effects(uncertainty, Decimal(1), Decimal(10)) is None


def test_without_its_largest_effects_a_result_is_known_twice_as_well():
    found = find_halving_effects(known(scale=12, oven=4, other=3))

    assert (names(found), found.standard_uncertainty, found.is_fewest) == (["scale"], 5, True)


def test_a_result_of_equal_effects_needs_most_of_them_to_be_perfect():
    found = find_halving_effects(known(a=1, b=1, c=1, d=1))

    assert (names(found), found.standard_uncertainty) == (["a", "b", "c"], 1)


def test_nothing_halves_what_is_certain():
    assert find_halving_effects(known()) is None
    assert find_halving_effects(known(a=0)) is None


def test_what_is_left_without_an_effect_leaves_its_correlations_out():
    [(first, without), *_] = list_reductions(known([("a", "b", "0.5")], a=4, b=3), 2)

    assert (first.name, without.standard_uncertainty) == ("a", 3)


def test_the_choice_has_as_few_independent_effects_as_any():
    random_source = random.Random(5)  # noqa: S311 - the same numbers each time
    for _ in range(50):
        changes = {f"x{number}": random_source.randint(1, 9) for number in range(6)}
        uncertainty = known(**changes)
        threshold = Decimal(random_source.randint(2, 20))
        found = find_moving_effects(uncertainty, Decimal(1), threshold)
        fewest = next(
            (
                count
                for count in range(1, 7)
                for some in combinations(changes.values(), count)
                if Decimal(sum(change * change for change in some)) >= threshold * threshold
            ),
            None,
        )
        assert (None if found is None else len(found.effects)) == fewest
