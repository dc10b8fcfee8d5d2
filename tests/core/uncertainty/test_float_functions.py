"""The functions of floats are as accurate as they say, against decimals of 60 digits."""

import math
from decimal import Context, Decimal, localcontext
from random import Random

import numpy as np
import pytest

from weighbridge.core.uncertainty import float_functions
from weighbridge.core.uncertainty.float_functions import (
    exp,
    exp_less_one,
    ln,
    log10,
    raise_any,
    raise_whole,
    sin_of_half_turns,
    square_root,
    sum_rows,
)

WORK = Context(prec=60, Emin=-10_000, Emax=10_000)
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628621")
NUMBERS = Random(7)  # noqa: S311 - no secrets


@pytest.fixture(autouse=True)
def silent():
    with np.errstate(all="ignore"):
        yield


def spread(low, high, count=400):
    return [NUMBERS.uniform(low, high) for _ in range(count)]


def sine(angle):
    term = total = angle
    number = 1
    while abs(term) > Decimal("1e-50"):
        number += 2
        term = -term * angle * angle / (number * (number - 1))
        total += term
    return total


def count_ulps(function, exact, arguments):
    """The greatest error of a function, in units of the last place of what is exact."""
    found = function(np.array(arguments))
    with localcontext(WORK):
        return max(
            abs(Decimal(float(value)) - (truth := exact(Decimal(argument)))) / Decimal(math.ulp(float(truth)))
            for value, argument in zip(found, arguments, strict=True)
        )


def test_exp_is_right_to_1_ulp():
    arguments = [*spread(-700, 700), *spread(-1, 1), *spread(-1e-5, 1e-5), 0.0, 709.78, 1e-300]

    assert count_ulps(exp, Decimal.exp, arguments) <= 1


def test_exp_less_one_keeps_its_digits_near_zero():
    arguments = [*spread(-40, 700), *spread(-1, 1), *spread(-1e-5, 1e-5)]

    assert count_ulps(exp_less_one, lambda x: x.exp() - 1, arguments) <= 4


def test_ln_is_right_to_1_ulp():
    arguments = [*map(math.exp, spread(-700, 700)), *spread(0.5, 2), *spread(1 - 1e-5, 1 + 1e-5), 5e-324]

    assert count_ulps(ln, Decimal.ln, arguments) <= 1


def test_log10_is_right_to_3_ulp():
    assert count_ulps(log10, Decimal.log10, [*map(math.exp, spread(-700, 700)), *spread(0.5, 2)]) <= 3


def test_the_sine_is_right_to_2_ulp():
    assert count_ulps(sin_of_half_turns, lambda turns: sine(turns * PI), [*spread(-0.5, 0.5), 0.25, 0.5]) <= 2


def test_the_square_root_is_that_of_ieee():
    assert count_ulps(square_root, Decimal.sqrt, spread(0, 1e6)) <= Decimal("0.5")


@pytest.mark.parametrize("exponent", [2, 3, 10, 64, -1, -7])
def test_a_whole_power_is_right_to_its_exponent(exponent):
    found = count_ulps(lambda base: raise_whole(base, exponent), lambda x: x**exponent, spread(0.5, 2))

    assert found <= abs(exponent) + 1


@pytest.mark.parametrize("exponent", [0.5, 2.5, -3.25, 60.1])
def test_any_power_is_right_to_its_logarithm(exponent):
    bases = spread(0.1, 10)
    largest = max(abs(exponent * math.log(base)) for base in bases)

    found = count_ulps(lambda x: raise_any(x, np.array([exponent])), lambda x: x ** Decimal(exponent), bases)

    assert found <= 2 + 2 * largest


def test_what_has_no_result_is_no_number():
    nothing = float("nan")
    outside = [
        *ln(np.array([0.0, -1.0, nothing])),
        *square_root(np.array([-1.0])),
        *raise_whole(np.array([0.0, nothing]), 0),
        *raise_whole(np.array([0.0]), -1)[:0],
        *raise_any(np.array([-2.0, 0.0, nothing]), np.array([0.5, -1.5, 2.5])),
        *exp(np.array([nothing])),
    ]

    assert np.isnan(outside).all()


def test_exponents_may_differ_from_trial_to_trial():
    found = raise_any(np.array([-2.0, 3.0, 0.0, 4.0]), np.array([3.0, 2.0, 2.5, 0.5]))

    assert list(np.round(found, 12)) == [-8.0, 9.0, 0.0, 2.0]


def test_rows_are_added_by_halves():
    rows = np.array([[1e16], [1.0], [-1e16], [1.0], [0.5]])

    assert list(sum_rows(rows)) == [((1e16 - 1e16) + (1.0 + 1.0)) + 0.5]
    assert list(sum_rows(rows[:0])) == [0.0]


def test_constants_are_those_of_60_digits():
    with localcontext(WORK):
        ln_2 = Decimal(2).ln()
        high, low = Decimal(float_functions._LN_2_HIGH), Decimal(float_functions._LN_2_LOW)

        assert float(ln_2 - high) == float_functions._LN_2_LOW
        assert abs(high + low - ln_2) < Decimal("1e-25")
        assert float(Decimal(10).ln()) == float_functions._LN_10
        assert float(Decimal("0.5").sqrt()) == float_functions._ROOT_OF_HALF
        assert float(PI) == float_functions._PI
