"""The uncertainty of a report's sum: what batches share adds up with its correlations, as GTC computes it."""

import random
from decimal import Decimal

import GTC
import pytest

from weighbridge.core.report_uncertainty import IncludedUncertainty, list_unknown, sum_included
from weighbridge.core.uncertainty.effects import (
    Component,
    Uncertainty,
    UncertaintyEffect,
    WrittenPart,
    add_components,
    read_sum,
    read_uncertainty,
    write_uncertainty,
)

SHARED = [UncertaintyEffect(name) for name in ("scale", "oven")]


def written(components, correlations=(), probability="0.95"):
    uncertainty = Uncertainty(
        {effect: Component({"mass": Decimal(change)}) for effect, change in components.items()},
        {frozenset(pair): Decimal(coefficient) for *pair, coefficient in correlations},
    )
    return {**write_uncertainty(uncertainty), "coverage_probability": probability}


def included(batch, amount, total, kept, slope="1"):
    return IncludedUncertainty(batch, Decimal(amount), Decimal(total), Decimal(slope), kept)


def test_sums_of_what_shares_correlated_effects_agree_with_gtc():
    random_source = random.Random(11)  # noqa: S311 - the same numbers each time
    for _ in range(100):
        count = random_source.randint(1, 6)
        scale, oven = (GTC.ureal(0, 1, independent=False) for _ in SHARED)
        GTC.set_correlation(0.4, scale, oven)
        reference, amounts = 0, []
        for batch in range(count):
            own = UncertaintyEffect("reading", f"month {batch}")
            changes = [round(random_source.uniform(-3, 3), 6) for _ in range(3)]
            taken, total = round(random_source.uniform(0.1, 5), 3), round(random_source.uniform(5, 9), 3)
            effects = dict(zip((*SHARED, own), map(str, changes), strict=True))
            kept = written(effects, [(*SHARED, "0.4")])
            amounts.append(included(batch, str(taken), str(total), kept))
            parts = [change * taken / total for change in changes]
            reference += parts[0] * scale + parts[1] * oven + parts[2] * GTC.ureal(0, 1)
        combined = sum_included(amounts).uncertainty.combine()
        assert float(combined.standard_uncertainty) == pytest.approx(reference.u, rel=1e-10)


def test_a_sum_that_is_read_is_the_sum_of_what_is_taken():
    kept = [
        written({SHARED[0]: "0.7", UncertaintyEffect("own", str(number)): "0.11"}, [(*SHARED, "0.5")])
        for number in range(3)
    ]
    third = Decimal(1) / 3
    taken = [read_uncertainty(one).take(third, Decimal(7)) for one in kept]

    found = read_sum(WrittenPart(one, third, Decimal(7)) for one in kept)

    assert found.components == add_components(one.components for one in taken)


def test_all_parts_of_a_run_have_all_of_its_uncertainty():
    kept = written({SHARED[0]: "0.3"})
    parts = [included(number, amount, 10, kept) for number, amount in enumerate((2, 3, 5))]

    summed = sum_included(parts)

    assert summed.uncertainty.combine().standard_uncertainty == Decimal("0.3")
    assert summed.total == 10


def test_an_output_in_another_unit_is_brought_to_that_of_the_ledger():
    kept = written({SHARED[0]: "300"})

    summed = sum_included([included(1, 5, 10, kept, slope="0.001")])

    assert summed.uncertainty.combine().standard_uncertainty == Decimal("0.15")


def test_one_batch_of_unknown_uncertainty_leaves_the_sum_unknown():
    known, nothing = included(1, 5, 10, written({})), included(2, 5, 10, None)
    of_zero = included(3, 5, 0, written({}))

    assert sum_included([known, nothing, of_zero]) is None
    assert list_unknown([known, nothing, of_zero]) == [2, 3]
    assert sum_included([]) is None


def test_the_largest_probability_of_the_models_counts():
    amounts = [included(1, 5, 10, written({})), included(2, 5, 10, written({}, probability="0.99"))]

    summed = sum_included(amounts)

    assert (summed.coverage_probability, summed.is_probability_shared) == (Decimal("0.99"), False)
