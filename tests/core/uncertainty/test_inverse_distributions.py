"""Inverse distribution functions are as accurate as they say, and rise with the probability."""

import math
from decimal import Decimal
from random import Random

import numpy as np
import pytest

from weighbridge.core.uncertainty.draws import draw_rectangular
from weighbridge.core.uncertainty.inverse_distributions import (
    STANDARD_DRAWS,
    invert_arcsine,
    invert_normal,
    invert_rectangular,
    invert_student,
    invert_triangular,
)
from weighbridge.core.uncertainty.quantiles import normal_quantile, student_quantile

NUMBERS = Random(11)  # noqa: S311 - no secrets
LEAST = 2.0**-53
TRIALS = 200_000


def probabilities(count):
    """Some in the middle, some in the tails, and the outermost that are drawn."""
    tails = [2.0 ** -NUMBERS.uniform(1, 53) for _ in range(count)]
    return [
        *(NUMBERS.random() for _ in range(count)),
        *tails,
        1 - tails[0],
        LEAST,
        1 - LEAST,
        0.5 + LEAST * 2,
    ]


def count_ulps(found, exact):
    return max(
        abs(Decimal(float(value)) - truth) / Decimal(math.ulp(float(truth)))
        for value, truth in zip(found, exact, strict=True)
    )


def test_the_normal_one_is_right_to_8_ulp():
    tried = probabilities(100)

    found = invert_normal(np.array(tried))

    assert count_ulps(found, [normal_quantile(Decimal(probability)) for probability in tried]) <= 8


@pytest.mark.parametrize("freedom", ["1", "3", "18"])
def test_that_of_student_is_right_to_128_ulp(freedom):
    tried, degrees = probabilities(6), Decimal(freedom)

    found = invert_student(np.array(tried), degrees)

    exact = [student_quantile(Decimal(probability), degrees) for probability in tried]
    assert count_ulps(found, exact) <= 128


def test_those_of_limits_reach_from_end_to_end():
    tried = np.array([LEAST, 0.125, 0.25, 0.5, 0.75, 0.875, 1 - LEAST])

    assert list(np.round(invert_rectangular(tried), 12)) == [-1, -0.75, -0.5, 0, 0.5, 0.75, 1]
    assert list(np.round(invert_triangular(tried), 7)) == [-1, -0.5, -0.2928932, 0, 0.2928932, 0.5, 1]
    assert list(np.round(invert_arcsine(tried), 7)) == [
        -1,
        -0.9238795,
        -0.7071068,
        0,
        0.7071068,
        0.9238795,
        1,
    ]


@pytest.mark.parametrize("distribution", STANDARD_DRAWS)
def test_each_rises_and_is_antisymmetric(distribution):
    below = np.sort(draw_rectangular(3, "any", 0, 2_000)) / 2
    invert = STANDARD_DRAWS[distribution]

    drawn = invert(below)

    assert (np.diff(drawn) >= 0).all()
    assert list(-invert(1 - below)) == pytest.approx(list(drawn), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(
    ("invert", "deviation"),
    [
        (invert_normal, 1),
        (invert_rectangular, 3**-0.5),
        (invert_triangular, 6**-0.5),
        (invert_arcsine, 2**-0.5),
        (lambda drawn: invert_student(drawn, Decimal(10)), 1.25**0.5),
    ],
)
def test_draws_have_the_deviation_of_their_distribution(invert, deviation):
    drawn = invert(draw_rectangular(5, "any", 0, TRIALS))

    assert float(drawn.mean()) == pytest.approx(0, abs=4 * deviation / TRIALS**0.5)
    assert float(drawn.std()) == pytest.approx(deviation, rel=0.01)
