"""A statement says how well one value is known: its standard uncertainty, or what gives it.

A certificate states a half width with a coverage factor, a data sheet the limits of an interval, an analysis
a standard deviation, a study two percentiles. Each is a Type B evaluation of a standard uncertainty
(JCGM 100:2008, 4.3), by the distribution that is assumed:

    normal         half width / coverage factor          4.3.3
    rectangular    half width / sqrt(3)                  4.3.7
    triangular     half width / sqrt(6)                  4.3.9, note 2 of F.2.3.3
    arcsine        half width / sqrt(2)                  F.2.3.5; JCGM 101:2008, 6.4.6
    lognormal      of the percentiles that are given     JCGM 101:2008, 6.4 by its logarithm

An absolute size is in the unit of the value, or in one that converts to it; a relative size is a part of the
value, so 0.005 is half a percent.

A worked example: a certificate says U = 40 kg with k = 2: the standard uncertainty of every value is 20 kg.

Invariants: a standard uncertainty is never negative; a statement that was built is complete.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from weighbridge.core.number import CONTEXT, plain, shorten
from weighbridge.core.problem import Problem
from weighbridge.core.uncertainty.quantiles import normal_quantile
from weighbridge.core.unit import Unit, UnitError, are_compatible, find_slope, parse_unit


class Distribution(StrEnum):
    """What is assumed of the values that a quantity may have."""

    NORMAL = "normal"
    RECTANGULAR = "rectangular"
    TRIANGULAR = "triangular"
    ARCSINE = "arcsine"
    LOGNORMAL = "lognormal"


SIZES: Final = (
    "standard",
    "relative_standard",
    "half_width",
    "relative_half_width",
    "percentiles",
    "relative_percentiles",
)
"""The keys of a statement that give its size; it has exactly one of them."""

PERCENTILE_KEYS: Final = ("low", "high", "probability")
"""The keys of percentiles: two values, and the probability that the quantity lies between them."""

STATEMENT_KEYS: Final = (
    *SIZES,
    "distribution",
    "coverage_factor",
    "degrees_of_freedom",
    "unit",
    "effect",
    "source",
)
"""The keys of a statement, in requests and in the documents of models."""

EFFECT_LENGTH_MAX: Final = 100
"""How long the name of an effect may be."""

SOURCE_LENGTH_MAX: Final = 500
"""How long the source of a statement may be."""

DEGREES_OF_FREEDOM_MAX: Final = Decimal(1_000_000)
"""More degrees of freedom than that cannot be distinguished from infinitely many."""

_WIDTH_DIVISORS: Final = {
    Distribution.RECTANGULAR: CONTEXT.sqrt(Decimal(3)),
    Distribution.TRIANGULAR: CONTEXT.sqrt(Decimal(6)),
    Distribution.ARCSINE: CONTEXT.sqrt(Decimal(2)),
}
"""By what the half width of an interval is divided to give the standard uncertainty."""


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Two values between which a quantity lies with a probability, with equal tails outside."""

    low: Decimal
    high: Decimal
    probability: Decimal

    @property
    def logarithmic_deviation(self) -> Decimal:
        """The standard deviation of the logarithm, when that is normal."""
        upper = CONTEXT.divide(CONTEXT.add(Decimal(1), self.probability), Decimal(2))
        ratio = CONTEXT.ln(CONTEXT.divide(self.high, self.low))
        return CONTEXT.divide(ratio, CONTEXT.multiply(Decimal(2), normal_quantile(upper)))

    @property
    def logarithmic_mean(self) -> Decimal:
        """The mean of the logarithm: that of the median."""
        return CONTEXT.divide(CONTEXT.ln(CONTEXT.multiply(self.low, self.high)), Decimal(2))

    @property
    def deviation(self) -> Decimal:
        """The standard deviation of the lognormal distribution with these percentiles."""
        variance = CONTEXT.power(self.logarithmic_deviation, Decimal(2))
        spread = CONTEXT.sqrt(CONTEXT.subtract(CONTEXT.exp(variance), Decimal(1)))
        half = CONTEXT.divide(variance, Decimal(2))
        return CONTEXT.multiply(CONTEXT.exp(CONTEXT.add(self.logarithmic_mean, half)), spread)


@dataclass(frozen=True, slots=True)
class UncertaintyStatement:
    """How well a value is known, as somebody stated it."""

    distribution: Distribution
    size: Decimal | Percentiles
    """A standard uncertainty, the half width of an interval, or percentiles."""
    is_half_width: bool = False
    is_relative: bool = False
    """Whether the size is a part of the value, rather than in a unit."""
    coverage_factor: Decimal | None = None
    """By what a half width is divided, when the distribution is normal."""
    degrees_of_freedom: Decimal | None = None
    """How well the uncertainty itself is known (JCGM 100:2008, G.4); None for infinitely many."""
    unit: Unit | None = None
    """The unit of an absolute size; None for that of the value."""
    effect: str | None = None
    """The name of what all values that name it share: their errors are one, and fully correlated."""
    source: str | None = None
    """Where the statement is from, such as the number of a certificate."""

    @property
    def standard_size(self) -> Decimal:
        """The standard uncertainty: in the unit of the statement, or as a part of the value."""
        if isinstance(self.size, Percentiles):
            return self.size.deviation
        if not self.is_half_width:
            return self.size
        if self.distribution is Distribution.NORMAL:
            return CONTEXT.divide(self.size, self.coverage_factor or Decimal(1))
        return CONTEXT.divide(self.size, _WIDTH_DIVISORS[self.distribution])

    def scale_to(self, unit: Unit) -> Decimal:
        """By what an absolute size is multiplied to be in the unit of the value; 1 for a relative one."""
        if self.is_relative or self.unit is None:
            return Decimal(1)
        return find_slope(self.unit, unit)

    def compute_change(self, value: Decimal, unit: Unit) -> Decimal:
        """The change of a value, with its sign, by one standard deviation of what makes it uncertain.

        Relative changes have the sign of the value: what reads 1 % too much reads -5 as -5.05. Values that
        share an effect all change by this at once. In the unit of the value.
        """
        size = self.standard_size
        return CONTEXT.multiply(size, value if self.is_relative else self.scale_to(unit))

    def standard_uncertainty(self, value: Decimal, unit: Unit) -> Decimal:
        """The standard uncertainty of a value, in its unit."""
        return self.compute_change(value, unit).copy_abs()


Statements = tuple[UncertaintyStatement, ...]
"""What is stated of one value: what it has for itself, and what it shares with others."""


def build_statement(
    fields: Mapping[str, Any], value_unit: Unit | None = None
) -> tuple[UncertaintyStatement | None, tuple[Problem, ...]]:
    """Build a statement of the fields that a request or a document gives; else say all that is wrong with it.

    Numbers are decimals, `percentiles` a mapping, everything else texts; a field that is None is not given.
    `value_unit` is the unit of the values that the statement is about, where it is known.
    """
    given = {key: value for key, value in fields.items() if value is not None}
    problems = [*_list_key_problems(given), *_list_size_problems(given), *_list_shape_problems(given)]
    unit, unit_problems = _read_unit(given, value_unit)
    problems += unit_problems
    if problems:
        return None, tuple(problems)
    [size_key] = [key for key in SIZES if key in given]
    is_of_percentiles = size_key.endswith("percentiles")
    distribution = Distribution.LOGNORMAL if is_of_percentiles else Distribution.NORMAL
    return (
        UncertaintyStatement(
            distribution=Distribution(given.get("distribution", distribution)),
            size=Percentiles(**given[size_key]) if is_of_percentiles else given[size_key],
            is_half_width=size_key.endswith("half_width"),
            is_relative=size_key.startswith("relative_"),
            coverage_factor=given.get("coverage_factor"),
            degrees_of_freedom=given.get("degrees_of_freedom"),
            unit=unit,
            effect=given.get("effect"),
            source=given.get("source"),
        ),
        (),
    )


def list_fields(statement: UncertaintyStatement) -> dict[str, Any]:
    """Return the fields that the statement is built of, as `build_statement` takes them."""
    size: Decimal | dict[str, Decimal]
    if isinstance(statement.size, Percentiles):
        key = "percentiles"
        size = {name: getattr(statement.size, name) for name in PERCENTILE_KEYS}
    else:
        key, size = "half_width" if statement.is_half_width else "standard", statement.size
    default = Distribution.LOGNORMAL if key == "percentiles" else Distribution.NORMAL
    fields = {
        f"relative_{key}" if statement.is_relative else key: size,
        "distribution": None if statement.distribution is default else str(statement.distribution),
        "coverage_factor": statement.coverage_factor,
        "degrees_of_freedom": statement.degrees_of_freedom,
        "unit": None if statement.unit is None else statement.unit.text,
        "effect": statement.effect,
        "source": statement.source,
    }
    return {name: value for name, value in fields.items() if value is not None}


def write_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Write the fields of a statement as texts of JSON, without those that are not given."""
    return {
        name: write_fields(value) if isinstance(value, Mapping) else _write_field(value)
        for name, value in fields.items()
        if value is not None
    }


def _write_field(value: Any) -> str:
    return plain(Decimal(value)) if isinstance(value, Decimal | int) else str(value)


def read_fields(written: Mapping[str, Any]) -> dict[str, Any]:
    """Read what `write_fields` wrote, as `build_statement` takes it; ValueError for what is no number."""
    return {
        name: value
        if name in _TEXTS
        else {part: _read_number(text) for part, text in value.items()}
        if isinstance(value, Mapping)
        else _read_number(value)
        for name, value in written.items()
    }


_TEXTS: Final = ("distribution", "unit", "effect", "source")


def _read_number(text: Any) -> Decimal:
    try:
        return Decimal(text)
    except (ArithmeticError, TypeError) as error:
        raise ValueError(f"{text!r} in a statement of uncertainty is no number") from error


def _list_key_problems(given: Mapping[str, Any]) -> Iterator[Problem]:
    for key in given:
        if key not in STATEMENT_KEYS:
            allowed = ", ".join(STATEMENT_KEYS)
            yield Problem(f"There is no key {shorten(key)!r}; allowed are {allowed}.", key, "unknown_key")
    sizes = [key for key in SIZES if key in given]
    if len(sizes) != 1:
        fact = f"it has {' and '.join(sizes)}" if sizes else "it has none"
        yield Problem(
            f"An uncertainty needs exactly one of {', '.join(SIZES)}; {fact}.",
            sizes[1] if sizes else None,
            "required" if not sizes else "invalid",
        )
    for key, length in (("effect", EFFECT_LENGTH_MAX), ("source", SOURCE_LENGTH_MAX)):
        text = given.get(key, "text")
        if not isinstance(text, str) or not text.strip() or len(text) > length:
            yield Problem(f"{key} must be a text of 1 to {length} characters.", key, "invalid")


def _list_size_problems(given: Mapping[str, Any]) -> Iterator[Problem]:
    for key in SIZES:
        if key not in given:
            continue
        size = given[key]
        if key.endswith("percentiles"):
            yield from _list_percentile_problems(key, size)
        elif not isinstance(size, Decimal):
            yield Problem(f"{key} must be a decimal number.", key, "invalid")
        elif size < 0:
            yield Problem(f"{key} must not be negative; here is {plain(size)}.", key, "invalid")
    for key, largest in (("coverage_factor", Decimal(100)), ("degrees_of_freedom", DEGREES_OF_FREEDOM_MAX)):
        number = given.get(key)
        if number is not None and not (isinstance(number, Decimal) and 0 < number <= largest):
            shown = plain(number) if isinstance(number, Decimal) else shorten(repr(number))
            yield Problem(
                f"{key} must be above 0 and at most {plain(largest)}; here is {shown}.", key, "invalid"
            )


def _list_percentile_problems(key: str, size: Any) -> Iterator[Problem]:
    if not isinstance(size, Mapping) or {*size} != {*PERCENTILE_KEYS}:
        yield Problem(f"{key} needs the keys {', '.join(PERCENTILE_KEYS)}, and no others.", key, "invalid")
        return
    numbers = [size[name] for name in PERCENTILE_KEYS]
    if not all(isinstance(number, Decimal) for number in numbers):
        yield Problem(f"The values of {key} must be decimal numbers.", key, "invalid")
        return
    low, high, probability = numbers
    if not 0 < low < high:
        yield Problem(
            f"The low of {key} must be above 0 and below the high; here are {plain(low)} and {plain(high)}.",
            f"{key}.low",
            "invalid",
        )
    if not 0 < probability < 1:
        yield Problem(
            f"The probability of {key} must be above 0 and below 1, such as 0.95; here is"
            f" {plain(probability)}.",
            f"{key}.probability",
            "invalid",
        )


def _list_shape_problems(given: Mapping[str, Any]) -> Iterator[Problem]:
    """What does not go together: a distribution with a size that it does not have."""
    names = [str(distribution) for distribution in Distribution]
    name = given.get("distribution")
    if name is not None and name not in names:
        yield Problem(
            f"distribution must be one of {', '.join(names)}; here is {shorten(repr(name))}.",
            "distribution",
            "invalid",
        )
        return
    is_of_percentiles = "percentiles" in given or "relative_percentiles" in given
    is_half_width = "half_width" in given or "relative_half_width" in given
    if name is not None and is_of_percentiles is not (name == Distribution.LOGNORMAL):
        yield Problem(
            "Percentiles are of distribution: lognormal, which needs them; for others give a standard"
            " uncertainty or a half width.",
            "distribution",
            "invalid",
        )
    if name in _WIDTH_DIVISORS and not is_half_width:
        yield Problem(f"distribution: {name} needs a half_width.", "distribution", "invalid")
    is_normal = name in (None, Distribution.NORMAL)
    if is_half_width and is_normal and "coverage_factor" not in given:
        yield Problem(
            "The half width of a normal distribution needs its coverage_factor, such as 2; for limits that"
            " are not exceeded give a distribution: rectangular, triangular or arcsine.",
            "coverage_factor",
            "required",
        )
    if "coverage_factor" in given and not (is_half_width and is_normal):
        yield Problem(
            "coverage_factor belongs to the half width of a normal distribution.",
            "coverage_factor",
            "invalid",
        )
    if "degrees_of_freedom" in given and is_of_percentiles:
        yield Problem("Percentiles have no degrees_of_freedom.", "degrees_of_freedom", "invalid")


def _read_unit(given: Mapping[str, Any], value_unit: Unit | None) -> tuple[Unit | None, Sequence[Problem]]:
    text = given.get("unit")
    is_relative = any(key.startswith("relative_") for key in given)
    if is_relative and value_unit is not None and not value_unit.is_absolute:
        sentence = f"A value in {value_unit} has no relative uncertainty; give it in {value_unit} or K."
        return None, [Problem(sentence, None, "invalid")]
    if text is None:
        return None, ()
    if is_relative:
        return None, [
            Problem("A relative uncertainty is a part of the value and has no unit.", "unit", "unit")
        ]
    try:
        unit = parse_unit(text)
    except (UnitError, TypeError) as error:
        return None, [Problem(str(error), "unit", "unit")]
    if value_unit is not None and not are_compatible(unit, value_unit):
        sentence = f"An uncertainty in {unit} cannot be converted to {value_unit}, the unit of the value."
        return None, [Problem(sentence, "unit", "unit")]
    return unit, ()
