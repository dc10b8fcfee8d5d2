"""Summaries of trials: by hand for few values, in decimals, whatever their order, beside first order."""

import dataclasses
from decimal import Decimal
from random import Random

import numpy as np
import pytest

from weighbridge.core.uncertainty.trial_summary import (
    CoverageInterval,
    compare_with_first_order,
    find_numerical_tolerance,
    summarise,
)

COUNT = 1_000


def squares():
    """The squares of 1 to 1,000: skewed, so that the shortest interval is not the symmetric one."""
    return np.array([float(number * number) for number in range(1, COUNT + 1)])


def test_mean_and_deviation_are_those_of_the_values():
    found = summarise(squares()).distributed

    assert found.mean == Decimal("333833.5")
    assert found.standard_uncertainty == pytest.approx(Decimal("298571.0506"), abs=Decimal("0.0001"))


def test_a_symmetric_interval_leaves_as_many_values_on_each_side():
    # M = 1000 and q = 950: r = 25, from the 25th value to the 975th.
    assert summarise(squares()).distributed.symmetric == CoverageInterval(
        Decimal("625.0"), Decimal("950625.0")
    )


def test_the_shortest_interval_begins_where_values_lie_densest():
    assert summarise(squares()).distributed.shortest == CoverageInterval(Decimal("1.0"), Decimal("904401.0"))


def test_a_summary_does_not_depend_on_the_order_of_trials():
    mixed = squares()
    Random(3).shuffle(mixed)  # noqa: S311 - no secrets

    assert summarise(mixed) == summarise(squares())


def test_a_histogram_counts_every_trial():
    found = summarise(squares(), bins=10).distributed.histogram

    assert found.low == 1
    assert found.high == 1_000_000
    assert found.counts[0] == 316
    assert sum(found.counts) == COUNT


def test_values_that_are_all_alike_have_an_interval_of_no_length():
    found = summarise(np.full(COUNT, 2.5)).distributed

    assert found.standard_uncertainty == 0
    assert found.shortest == CoverageInterval(Decimal("2.5"), Decimal("2.5"))
    assert sum(found.histogram.counts) == COUNT


def test_trials_without_a_result_are_counted_and_no_others_are_taken_instead():
    values = squares()
    values[[3, 7]] = np.nan, np.inf

    found = summarise(values)

    assert (found.trials, found.without_result, found.distributed) == (COUNT, 2, None)


def test_floats_end_at_a_summary():
    def leaves(value):
        if dataclasses.is_dataclass(value):
            return [
                leaf for field in dataclasses.fields(value) for leaf in leaves(getattr(value, field.name))
            ]
        return [leaf for one in value for leaf in leaves(one)] if isinstance(value, tuple) else [value]

    assert {type(leaf) for leaf in leaves(summarise(squares()))} == {Decimal, int}


@pytest.mark.parametrize(("count", "probability"), [(99, "0.95"), (1000, "1"), (1000, "0.9999"), (1000, "0")])
def test_an_interval_that_trials_cannot_show_is_refused(count, probability):
    with pytest.raises(ValueError, match="A summary needs 100 to 10000000 trials"):
        summarise(np.zeros(count), Decimal(probability))


@pytest.mark.parametrize(
    ("standard_uncertainty", "digits", "tolerance"),
    [
        ("0.00035", 2, "0.000005"),
        ("2", 1, "0.5"),
        ("10.1", 2, "0.5"),
        ("0.0754", 2, "0.0005"),
        ("0.0996", 2, "0.005"),
        ("0", 2, "0"),
    ],
)
def test_the_numerical_tolerance_is_half_of_the_last_digit(standard_uncertainty, digits, tolerance):
    """JCGM 101:2008, 7.9.2, whose first example is 0.000 35 = 35e-5."""
    assert find_numerical_tolerance(Decimal(standard_uncertainty), digits) == Decimal(tolerance)


def distributed(low, high, sampling_error="0.001"):
    """What trials came to, as far as first order is compared with it."""
    found = summarise(squares()).distributed
    interval = CoverageInterval(Decimal(low), Decimal(high))
    return dataclasses.replace(found, symmetric=interval, sampling_error=Decimal(sampling_error))


def test_first_order_passes_within_the_tolerance_and_no_further():
    trials = distributed("-3.92", "3.92")

    near = compare_with_first_order(Decimal(0), Decimal("2.0"), Decimal("3.95"), trials)
    far = compare_with_first_order(Decimal(0), Decimal("2.0"), Decimal("3.98"), trials)

    assert (near.low_difference, near.high_difference, near.tolerance) == (
        Decimal("0.03"), Decimal("0.03"), Decimal("0.05"),
    )  # fmt: skip
    assert near.is_passed is True
    assert far.is_passed is False


@pytest.mark.parametrize("expanded", ["3.95", "3.98"])
def test_first_order_is_undecided_where_sampling_reaches_over_the_tolerance(expanded):
    trials = distributed("-3.92", "3.92", sampling_error="0.011")

    found = compare_with_first_order(Decimal(0), Decimal("2.0"), Decimal(expanded), trials)

    assert found.is_passed is None


def test_the_sampling_error_is_what_the_ends_of_other_trials_scatter_by():
    """Of a normal distribution: sqrt(P (1 - P) / M) over the density at the end, 0.0584."""
    generator = np.random.default_rng(5)
    found = [summarise(generator.standard_normal(20_000)).distributed for _ in range(200)]

    scatter = np.std([float(one.symmetric.high) for one in found])
    errors = [float(one.sampling_error) for one in found]

    assert np.mean(errors) == pytest.approx((0.025 * 0.975 / 20_000) ** 0.5 / 0.0584, rel=0.15)
    assert scatter == pytest.approx(np.mean(errors), rel=0.25)


def test_no_exact_first_order_is_called_wrong_by_few_trials():
    """Of a normal quantity first order is exact: 200 runs of 20,000 trials call it wrong once in a while."""
    generator = np.random.default_rng(7)
    expanded = Decimal("1.959964")
    verdicts = [
        compare_with_first_order(
            Decimal(0), Decimal(1), expanded, summarise(generator.standard_normal(20_000)).distributed
        ).is_passed
        for _ in range(200)
    ]

    assert verdicts.count(False) <= 10
