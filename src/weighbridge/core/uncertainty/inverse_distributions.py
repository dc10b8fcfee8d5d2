"""Inverse distribution functions: a rectangular draw in (0, 1) becomes a draw of another distribution.

Each is monotonic in the rectangular draw, so values that share an effect move together whatever their
distributions are (JCGM 101:2008, 6.4 and C.2: a draw r of R(0, 1) gives G^-1(r)). The draws are standard:

    normal        mean 0, standard deviation 1                                  6.4.7
    rectangular   from -1 to 1                                                  6.4.2
    triangular    from -1 to 1, most often 0                                    6.4.5
    arcsine       from -1 to 1, most often at the ends                          6.4.6
    Student's t   mean 0, by its degrees of freedom                             6.4.9

The normal one is algorithm AS 241, PPND16 (M. J. Wichura, Applied Statistics 37, 1988, 477-484), with the
coefficients as published; with the functions of this package it is right to 8 ulp.

That of Student's t is made of the normal draw z: the tails of both fall alike in z^2 and in
w = nu ln(1 + t^2 / nu), so w / z^2 hardly changes. Chebyshev series in z^2 give it, made from quantiles of 30
digits, for degrees of freedom from 1 on; t then is right to 128 ulp.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from functools import lru_cache
from typing import Final

import numpy as np

from weighbridge.core.uncertainty.draws import Column
from weighbridge.core.uncertainty.float_functions import (
    evaluate_polynomial,
    exp_less_one,
    ln,
    sin_of_half_turns,
    square_root,
)
from weighbridge.core.uncertainty.quantiles import compute_normal_tail, student_quantile
from weighbridge.core.uncertainty.statement import Distribution

_CENTRAL_MAX: Final = 0.425
_TAIL_MAX: Final = 5.0
_CENTRAL: Final = (
    (
        3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
        4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3,
    ),
    (
        1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
        2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3,
    ),
)  # fmt: skip
_TAIL: Final = (
    (
        1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
        3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
        2.27238449892691845833e-2, 7.74545014278341407640e-4,
    ),
    (
        1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
        1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
        1.05075007164441684324e-9,
    ),
)  # fmt: skip
_FAR_TAIL: Final = (
    (
        6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
        2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
        2.71155556874348757815e-5, 2.01033439929228813265e-7,
    ),
    (
        1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
        7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
        2.04426310338993978564e-15,
    ),
)  # fmt: skip


def invert_normal(probabilities: Column) -> Column:
    """Return the values that a standard normal quantity stays below with these probabilities."""
    q = probabilities - 0.5
    result = q * _divide_polynomials(_CENTRAL, _CENTRAL_MAX * _CENTRAL_MAX - q * q)
    [outside] = np.nonzero(np.abs(q) > _CENTRAL_MAX)
    if outside.size:
        of_tail = probabilities[outside]
        r = square_root(-ln(np.minimum(of_tail, 1.0 - of_tail)))
        quantile = _divide_polynomials(_TAIL, r - 1.6)
        [far] = np.nonzero(r > _TAIL_MAX)
        if far.size:
            quantile[far] = _divide_polynomials(_FAR_TAIL, r[far] - _TAIL_MAX)
        result[outside] = np.copysign(quantile, q[outside])
    return result


def _divide_polynomials(fraction: tuple[tuple[float, ...], tuple[float, ...]], x: Column) -> Column:
    above, below = fraction
    return evaluate_polynomial(above, x) / evaluate_polynomial(below, x)


def invert_rectangular(probabilities: Column) -> Column:
    """Return values that are spread evenly from -1 to 1."""
    return 2.0 * probabilities - 1.0


def invert_triangular(probabilities: Column) -> Column:
    """Return values from -1 to 1 whose density falls evenly from 0 to both ends."""
    is_low = probabilities < 0.5
    smaller = np.where(is_low, probabilities, 1.0 - probabilities)
    distance = 1.0 - square_root(2.0 * smaller)
    return np.where(is_low, -distance, distance)


def invert_arcsine(probabilities: Column) -> Column:
    """Return values from -1 to 1 as a sine takes them over time."""
    return sin_of_half_turns(probabilities - 0.5)


def invert_student(probabilities: Column, degrees_of_freedom: Decimal) -> Column:
    """Return the values that Student's t stays below with these probabilities."""
    z = invert_normal(probabilities)
    series = build_student_series(degrees_of_freedom)
    square = z * z
    ratio = series.central.evaluate(square)
    [far] = np.nonzero(square > _SQUARE_CENTRAL)
    if far.size:
        ratio[far] = series.far.evaluate(square[far])
    freedom = float(degrees_of_freedom)
    return np.copysign(square_root(freedom * exp_less_one(square * ratio / freedom)), z)


STANDARD_DRAWS: Final[Mapping[Distribution, Callable[[Column], Column]]] = {
    Distribution.NORMAL: invert_normal,
    Distribution.LOGNORMAL: invert_normal,
    Distribution.RECTANGULAR: invert_rectangular,
    Distribution.TRIANGULAR: invert_triangular,
    Distribution.ARCSINE: invert_arcsine,
}
"""What a rectangular draw becomes; of a lognormal distribution its logarithm."""

# The series of Student's t. A draw has 53 bits, so no normal one is beyond 8.21, of which the square is 67.4.

_SQUARE_CENTRAL: Final = 12.0
_SQUARE_LARGEST: Final = 68.0
_TERMS: Final = ((Decimal(3), 20, 28), (Decimal(1), 28, 40))
"""Terms of the central and of the far series, from some degrees of freedom on."""
_WORK: Final = Context(prec=40)
_PI: Final = Decimal("3.141592653589793238462643383279502884197")


@dataclass(frozen=True, slots=True)
class ChebyshevSeries:
    """A function between two bounds as a sum of Chebyshev polynomials."""

    low: float
    high: float
    coefficients: tuple[float, ...]

    def evaluate(self, x: Column) -> Column:
        """Evaluate the series by Clenshaw's recurrence."""
        scaled = (x - 0.5 * (self.low + self.high)) * (2.0 / (self.high - self.low))
        doubled = scaled + scaled
        constant, *others = self.coefficients
        following, after = np.zeros_like(x), np.zeros_like(x)
        for coefficient in reversed(others):
            following, after = doubled * following - after + coefficient, following
        return scaled * following - after + constant


@dataclass(frozen=True, slots=True)
class StudentSeries:
    """How w / z^2 of Student's t depends on z^2, for some degrees of freedom."""

    central: ChebyshevSeries
    far: ChebyshevSeries


@lru_cache(maxsize=256)
def build_student_series(degrees_of_freedom: Decimal) -> StudentSeries:
    """Fit the series of Student's t to its quantiles."""

    def ratio_at(square: Decimal) -> Decimal:
        z = square.sqrt()
        t = student_quantile(1 - compute_normal_tail(z), degrees_of_freedom)
        return degrees_of_freedom * (1 + t * t / degrees_of_freedom).ln() / square

    central, far = next(terms for least, *terms in _TERMS if degrees_of_freedom >= least)
    return StudentSeries(
        fit_chebyshev(ratio_at, 0.0, _SQUARE_CENTRAL, central),
        fit_chebyshev(ratio_at, _SQUARE_CENTRAL, _SQUARE_LARGEST, far),
    )


def fit_chebyshev(
    function: Callable[[Decimal], Decimal], low: float, high: float, terms: int
) -> ChebyshevSeries:
    """Fit a series to a function at the zeros of the next Chebyshev polynomial, in decimals."""
    with localcontext(_WORK):
        middle, half = (Decimal(high) + Decimal(low)) / 2, (Decimal(high) - Decimal(low)) / 2
        cosines = [_compute_cosine(_PI * k / (2 * terms)) for k in range(4 * terms)]
        nodes = [2 * number + 1 for number in range(terms)]
        values = [function(middle + half * cosines[node]) for node in nodes]
        coefficients = [
            2
            * sum(v * cosines[order * node % (4 * terms)] for v, node in zip(values, nodes, strict=True))
            / terms
            for order in range(terms)
        ]
        return ChebyshevSeries(low, high, tuple(map(float, [coefficients[0] / 2, *coefficients[1:]])))


def _compute_cosine(angle: Decimal) -> Decimal:
    term = total = Decimal(1)
    number = 0
    while abs(term) > Decimal("1e-45"):
        term = -term * angle * angle / ((number + 1) * (number + 2))
        number += 2
        total += term
    return total
