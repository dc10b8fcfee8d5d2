"""Quantiles of the normal distribution and of Student's t: what makes a coverage factor of a probability.

Both are solved by Halley's method from the distribution function, in decimals of 60 digits, and rounded to
30. The normal one is a power series (Abramowitz and Stegun, 26.2.11), beyond 5 deviations a continued
fraction (26.2.14). That of Student's t is the incomplete beta function by its continued fraction (26.5.8),
for degrees of freedom that need not be whole (JCGM 100:2008, G.4.1).

Invariants: the same digits on every machine; a quantile grows with the probability, and is antisymmetric
about one half.
"""

from decimal import Context, Decimal, localcontext
from functools import lru_cache
from typing import Final, NamedTuple

_DIGITS: Final = 30
_WORK: Final = Context(prec=2 * _DIGITS, Emin=-100_000, Emax=100_000)
_COARSE: Final = Context(prec=25, Emin=-100_000, Emax=100_000)
"""The digits that a quantile is first looked for with."""
_ROUNDED: Final = Context(prec=_DIGITS)
_NEAR: Final = Decimal("1e-20")
_ENOUGH: Final = Decimal(1).scaleb(-_DIGITS - 10)
_CUBED: Final = Decimal("1e-15")
"""How small a step leaves only one that is smaller than is enough."""
_STEPS_MAX: Final = 10_000
_HALF: Final = Decimal("0.5")
_PI: Final = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628621")
_SERIES_MAX: Final = Decimal(5)
"""From where the tail of the normal distribution is computed by itself, so that it keeps its digits."""
_SHIFT: Final = 40
"""From where Stirling's series has enough digits."""
_BERNOULLI: Final = tuple(
    _WORK.divide(Decimal(numerator), Decimal(denominator))
    for numerator, denominator in (
        (1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510), (43867, 798),
        (-174611, 330), (854513, 138), (-236364091, 2730), (8553103, 6), (-23749461029, 870),
        (8615841276005, 14322), (-7709321041217, 510), (2577687858367, 6),
    )
)  # fmt: skip
"""The Bernoulli numbers B2, B4, … of Stirling's series (Abramowitz and Stegun, 6.1.40)."""


@lru_cache(maxsize=1024)
def normal_quantile(probability: Decimal) -> Decimal:
    """Return the value that a standard normal quantity stays below with a probability, to 30 digits.

    Raises ValueError unless the probability is above 0 and below 1.
    """
    _require_probability(probability)
    with localcontext(_WORK):
        if probability < _HALF:
            return -normal_quantile(1 - probability)
        if probability == _HALF:
            return Decimal(0)
        tail = 1 - probability
        quantile = _guess_normal_quantile(tail)
        for _ in range(_STEPS_MAX):
            density = (-quantile * quantile / 2).exp() / (2 * _PI).sqrt()
            step = (compute_normal_tail(quantile) - tail) / density
            # Halley's correction: the density falls as the quantity times itself.
            step /= 1 - quantile * step / 2
            quantile += step
            if abs(step) <= _ENOUGH * max(Decimal(1), quantile):
                return _ROUNDED.plus(quantile)
    raise ArithmeticError(f"no quantile of the normal distribution for {probability}")


@lru_cache(maxsize=4096)
def student_quantile(probability: Decimal, degrees_of_freedom: Decimal | None) -> Decimal:
    """Return the value that Student's t stays below with a probability, to 30 digits.

    `degrees_of_freedom` is above 0, None for infinitely many. Raises ValueError outside these.
    """
    if degrees_of_freedom is None:
        return normal_quantile(probability)
    _require_probability(probability)
    if degrees_of_freedom <= 0:
        raise ValueError(f"Degrees of freedom are above 0; here are {degrees_of_freedom}.")
    with localcontext(_WORK):
        if probability < _HALF:
            return -student_quantile(1 - probability, degrees_of_freedom)
        if probability == _HALF:
            return Decimal(0)
        return _ROUNDED.plus(_solve_student(1 - probability, degrees_of_freedom))


def find_coverage_factor(probability: Decimal, degrees_of_freedom: Decimal | None) -> Decimal:
    """Return the factor of a standard uncertainty whose interval has a probability (6.3.3, G.3.2)."""
    with localcontext(_WORK):
        upper = (1 + probability) / 2
    return student_quantile(upper, degrees_of_freedom)


def _solve_student(tail: Decimal, freedom: Decimal) -> Decimal:
    """Find where the upper tail of Student's t has a probability, by Halley's method between two bounds.

    First with few digits, so that one evaluation with all of them is enough in most cases.
    """
    normal = normal_quantile(1 - tail)
    log_factor = _log_gamma((freedom + 1) / 2) - _log_gamma(freedom / 2) - (freedom * _PI).ln() / 2
    student = _Student(tail, freedom, log_factor)
    with localcontext(_COARSE):
        near = student.solve(_guess_student_quantile(+normal, +freedom), _NEAR)
    return student.solve(near, _ENOUGH)


class _Student(NamedTuple):
    """Student's t with an upper tail."""

    tail: Decimal
    freedom: Decimal
    log_factor: Decimal

    def solve(self, guess: Decimal, enough: Decimal) -> Decimal:
        """Find where the tail begins, to so small a part, in the digits of the context."""
        low, high = Decimal(0), None
        quantile = guess if guess > 0 else Decimal(1)
        for _ in range(_STEPS_MAX):
            excess = _compute_student_tail(quantile, self.freedom, enough) - self.tail
            if excess > 0:
                low = quantile
            else:
                high = quantile
            step = self._find_step(quantile, excess)
            following = quantile + step
            if not low <= following or (high is not None and following > high):
                following = 2 * quantile if high is None else (low + high) / 2
            elif abs(step) <= _CUBED * max(Decimal(1), quantile):
                # The next step would be as small as the third power of this one.
                return following
            if abs(following - quantile) <= enough * max(Decimal(1), quantile):
                return following
            quantile = following
        raise ArithmeticError(f"no quantile of Student's t for {self.tail} and {self.freedom}")

    def _find_step(self, quantile: Decimal, excess: Decimal) -> Decimal:
        """Halley's step: that of Newton, corrected by how fast the density falls."""
        square = quantile * quantile
        log_density = self.log_factor - (self.freedom + 1) / 2 * (1 + square / self.freedom).ln()
        step = excess / log_density.exp()
        correction = 1 - step * (self.freedom + 1) * quantile / (2 * (self.freedom + square))
        return step / correction if correction > _HALF else step


def _guess_student_quantile(normal: Decimal, freedom: Decimal) -> Decimal:
    """A first guess by that of the normal distribution (Abramowitz and Stegun, 26.7.5)."""
    square = normal * normal
    first = normal * (square + 1) / 4
    second = normal * ((5 * square + 16) * square + 3) / 96
    third = normal * (((3 * square + 19) * square + 17) * square - 15) / 384
    return normal + (first + (second + third / freedom) / freedom) / freedom


def compute_normal_tail(value: Decimal) -> Decimal:
    """The probability that a standard normal quantity is above a value that is not negative."""
    density = (-value * value / 2).exp() / (2 * _PI).sqrt()
    if value > _SERIES_MAX:
        return density * _compute_mills_ratio(value)
    term = total = value
    for number in range(3, _STEPS_MAX, 2):
        term = term * value * value / number
        total += term
        if term <= _ENOUGH * total:
            break
    return _HALF - density * total


def _compute_mills_ratio(value: Decimal) -> Decimal:
    """The continued fraction 1/(x + 1/(x + 2/(x + 3/(x + …)))), from the inside."""
    fraction = value
    for number in range(600, 0, -1):
        fraction = value + number / fraction
    return 1 / fraction


def _guess_normal_quantile(tail: Decimal) -> Decimal:
    """A first guess, to four digits (Abramowitz and Stegun, 26.2.23)."""
    root = (-2 * tail.ln()).sqrt()
    above = Decimal("2.515517") + root * (Decimal("0.802853") + root * Decimal("0.010328"))
    below = 1 + root * (Decimal("1.432788") + root * (Decimal("0.189269") + root * Decimal("0.001308")))
    return max(Decimal(0), root - above / below)


def _compute_student_tail(value: Decimal, freedom: Decimal, enough: Decimal) -> Decimal:
    """The probability that Student's t is above a value that is not negative."""
    if not value:
        return _HALF
    square = value * value
    whole = freedom + square
    return _compute_beta((freedom / whole, square / whole), freedom / 2, _HALF, enough) / 2


def _compute_beta(parts: tuple[Decimal, Decimal], a: Decimal, b: Decimal, enough: Decimal) -> Decimal:
    """The regularized incomplete beta function of x, where `parts` are x and 1 - x."""
    x, rest = parts
    if x > (a + 1) / (a + b + 2):
        return 1 - _compute_beta((rest, x), b, a, enough)
    log_front = _log_gamma(a + b) - _log_gamma(a) - _log_gamma(b) + a * x.ln() + b * rest.ln()
    return log_front.exp() / a * _compute_beta_fraction(x, a, b, enough)


def _compute_beta_fraction(x: Decimal, a: Decimal, b: Decimal, enough: Decimal) -> Decimal:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c = Decimal(1)
    d = 1 / (1 - (a + b) * x / (a + 1))
    fraction = d
    for number in range(1, _STEPS_MAX):
        m = Decimal(number)
        for part in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + part * d)
            c = 1 + part / c
            fraction *= c * d
        if abs(c * d - 1) <= enough:
            return fraction
    raise ArithmeticError("the continued fraction of the incomplete beta function does not end")


@lru_cache(maxsize=256)
def _log_gamma(value: Decimal) -> Decimal:
    """The logarithm of the gamma function of a number above 0, by Stirling's series, with all digits."""
    with localcontext(_WORK):
        return _compute_log_gamma(value)


def _compute_log_gamma(value: Decimal) -> Decimal:
    product = Decimal(1)
    while value < _SHIFT:
        product *= value
        value += 1
    total = (value - _HALF) * value.ln() - value + (2 * _PI).ln() / 2
    power = value
    for number, bernoulli in enumerate(_BERNOULLI, 1):
        total += bernoulli / (2 * number * (2 * number - 1) * power)
        power *= value * value
    return total - product.ln()


def _require_probability(probability: Decimal) -> None:
    if not 0 < probability < 1:
        raise ValueError(f"A probability is above 0 and below 1; here is {probability}.")
