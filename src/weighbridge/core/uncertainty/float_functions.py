"""Functions of binary floats that give the same bits on every machine.

They are made of what IEEE 754 defines to the last bit: + - * / and the square root, rounding to a whole
number, comparison, and taking off or putting on an exponent. NumPy does these element by element, and never
joins two of them into one rounding. Its own `exp`, `log`, `power`, `sum` and `mean` differ from machine to
machine in their last bits and are not used.

    exp             k = x / ln 2 rounded, then the power series of e^r for |r| <= ln 2 / 2; 1 ulp
    ln              x = 2^k (1 + f), then the series in s = f / (2 + f) for |s| <= 0.172; 1 ulp
    log10           ln x / ln 10; 2 ulp
    power           whole powers by squaring, n ulp; else e^(y ln x), 1 + |y ln x| ulp
    sin_of_half_turns   the series of sine or cosine within an eighth of a turn; 2 ulp

The series are those of Taylor; each has so many terms that what is cut off is below 2^-56 of the result. The
arrangement of `ln` and `exp` around a rounded k is the usual one (W. J. Cody and W. Waite, Software Manual
for the Elementary Functions, 1980).

Invariant: what is outside a function's domain, or has a NaN as an operand, gives a NaN and nothing else does.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import numpy as np

from weighbridge.core.uncertainty.draws import Column

NO_RESULT: Final = math.nan
"""In place of a number: an operation has no result in this trial."""

_LN_2_HIGH: Final = float.fromhex("0x1.62e42fee00000p-1")
"""The first 32 bits of ln 2, so that a multiple by a whole number below 2^20 is exact."""
_LN_2_LOW: Final = float.fromhex("0x1.a39ef35793c76p-33")
_LN_10: Final = float.fromhex("0x1.26bb1bbb55516p+1")
_PI: Final = math.pi
_ROOT_OF_HALF: Final = float.fromhex("0x1.6a09e667f3bcdp-1")
_EXPONENT_LARGEST: Final = 800.0
"""From where e^x is beyond all floats, or too small for any."""


def _invert(*divisors: int) -> tuple[float, ...]:
    """The nearest floats to fractions with these divisors."""
    return tuple(float(Fraction(1, divisor)) for divisor in divisors)


_OF_LN: Final = tuple(float(Fraction(2, number)) for number in range(3, 27, 2))
_OF_EXP: Final = _invert(*(math.factorial(number) for number in range(2, 16)))
_OF_SINE: Final = _invert(*((-1) ** (number // 2) * math.factorial(number) for number in range(3, 21, 2)))
_OF_COSINE: Final = _invert(*((-1) ** (number // 2) * math.factorial(number) for number in range(2, 20, 2)))


def evaluate_polynomial(coefficients: Sequence[float], x: Column) -> Column:
    """Evaluate a polynomial, its constant first, by Horner's rule."""
    *others, highest = coefficients
    result = np.full_like(x, highest)
    for coefficient in reversed(others):
        np.multiply(result, x, out=result)
        np.add(result, coefficient, out=result)
    return result


def exp(x: Column) -> Column:
    """E to the power x; infinite where that is beyond all floats."""
    less_one, power_of_two = _reduce_exp(x)
    return np.ldexp(1.0 + less_one, power_of_two)


def exp_less_one(x: Column) -> Column:
    """E to the power x less one, also where that is small."""
    less_one, power_of_two = _reduce_exp(x)
    return np.where(power_of_two == 0, less_one, np.ldexp(1.0 + less_one, power_of_two) - 1.0)


def _reduce_exp(x: Column) -> tuple[Column, Column]:
    """Return e^r - 1 and k, where x = k ln 2 + r."""
    within = np.minimum(np.maximum(x, -_EXPONENT_LARGEST), _EXPONENT_LARGEST)
    k = np.rint(within * (1.0 / (_LN_2_HIGH + _LN_2_LOW)))
    high, low = within - k * _LN_2_HIGH, k * _LN_2_LOW
    r = high - low
    beyond_first = r * r * evaluate_polynomial(_OF_EXP, r)
    return high - (low - beyond_first), np.where(np.isnan(k), 0.0, k).astype(np.int32)


def ln(x: Column) -> Column:
    """The natural logarithm of numbers above zero."""
    mantissa, exponent = np.frexp(x)
    is_low = mantissa < _ROOT_OF_HALF
    f = np.where(is_low, mantissa + mantissa, mantissa) - 1.0
    k = exponent.astype(np.float64) - is_low
    s = f / (2.0 + f)
    z = s * s
    half_square = 0.5 * f * f
    beyond = s * (half_square + z * evaluate_polynomial(_OF_LN, z)) + k * _LN_2_LOW
    result = k * _LN_2_HIGH - ((half_square - beyond) - f)
    return np.where(x > 0.0, result, NO_RESULT)


def log10(x: Column) -> Column:
    """The logarithm to base 10 of numbers above zero."""
    return ln(x) / _LN_10


def square_root(x: Column) -> Column:
    """The square root, as IEEE 754 defines it, of numbers not below zero."""
    return np.sqrt(x)


def raise_whole(base: Column, exponent: int) -> Column:
    """Raise to a whole power; zero has none with an exponent that is not above zero."""
    result, square, remaining = np.ones_like(base), base, abs(exponent)
    while remaining:
        if remaining % 2:
            result = result * square
        square, remaining = square * square, remaining // 2
    raised = 1.0 / result if exponent < 0 else result
    return (
        raised if exponent > 0 else np.where(base == 0.0, NO_RESULT, np.where(np.isnan(base), base, raised))
    )


def raise_any(base: Column, exponent: Column) -> Column:
    """Raise to any power; with a fraction as its exponent only what is not below zero."""
    if exponent.size == 1 and float(exponent.flat[0]).is_integer():
        return raise_whole(base, int(exponent.flat[0]))
    magnitude = exp(exponent * ln(np.abs(base)))
    is_whole = np.rint(exponent) == exponent
    is_odd = np.rint(exponent / 2.0) * 2.0 != exponent
    of_negative = np.where(is_whole, np.where(is_odd, -magnitude, magnitude), NO_RESULT)
    of_zero = np.where(exponent > 0.0, 0.0, NO_RESULT)
    return np.where(base < 0.0, of_negative, np.where(base == 0.0, of_zero, magnitude))


def sin_of_half_turns(turns: Column) -> Column:
    """The sine of so many half turns, from -1/2 to 1/2."""
    distance = np.abs(turns)
    is_steep = distance <= 0.25
    angle = np.where(is_steep, distance, 0.5 - distance) * _PI
    square = angle * angle
    sine = angle + angle * square * evaluate_polynomial(_OF_SINE, square)
    cosine = 1.0 + square * evaluate_polynomial(_OF_COSINE, square)
    return np.copysign(np.where(is_steep, sine, cosine), turns)


def sum_rows(rows: Column) -> Column:
    """Add the rows of a column of elements, by halves: the same order of additions on every machine.

    The error grows with the logarithm of the number of rows.
    """
    if not len(rows):
        return np.zeros(rows.shape[1:])
    while len(rows) > 1:
        half = len(rows) // 2
        paired = rows[:half] + rows[half : 2 * half]
        rows = np.concatenate((paired, rows[2 * half :])) if len(rows) % 2 else paired
    return rows.reshape(rows.shape[1:])
