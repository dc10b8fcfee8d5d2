"""A unit is what a number counts: pint's units, plus tags in braces such as `t{CO2e}`.

A tag is a dimension of its own, so `t{wet}` and `t{dry}` do not mix and `kg{CH4} * kg{CO2e}/kg{CH4}`
is `kg{CO2e}`. `%` is one hundredth. The meanings of single names are in a table (`unit_table.py`); the text
of a unit is read by the few rules below.

Invariants: a factor is an exact rational; a conversion rounds at most once, and not at all when the
result fits a number; only degC and degF have an offset, and only alone.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

from weighbridge.core.identity import find_nearest
from weighbridge.core.number import CONTEXT, EXACT, shorten

# The table of single units: what each name means, with or without a prefix.
#
# It is made of the definitions of pint (`tools/unit_table.py`), and read as pint reads a name: the whole
# name first, then each prefix before each unit, then the same with an `s` at the end. To have pint itself
# read them would take a third of a second of each process.
#
# Invariants: a name always means the same; a factor is an exact rational.


Meaning = tuple[tuple[tuple[str, int], ...], Fraction, Fraction]
"""Dimensions, the factor to base units, the offset of zero."""

_PLURAL: Final = "s"


@dataclass(frozen=True, slots=True)
class UnitTable:
    """The lines of the table by their names; a unit without a factor, such as dB, has no other fields."""

    prefixes: dict[str, str]
    units: dict[str, tuple[str, ...]]


def find_meaning(name: str) -> Meaning | None:
    """What a name means; None where it means nothing, or nothing that has a factor."""
    table = _read_unit_table()
    name = name.replace("°", "degree")
    if name in table.units:
        return _parse_meaning(table.units[name])
    for ending in ("", _PLURAL):
        for prefix in ("", *table.prefixes):
            if name.startswith(prefix) and name.endswith(ending):
                stem = name[len(prefix) :].removesuffix(ending)
                is_letter = bool(ending) and len(stem) == 1
                if stem in table.units and not is_letter:
                    return _scale_meaning(table.prefixes.get(prefix), table.units[stem])
    return None


def _scale_meaning(scale: str | None, line: tuple[str, ...]) -> Meaning | None:
    meaning = _parse_meaning(line)
    if scale is None or meaning is None:
        return meaning
    dimensions, factor, offset = meaning
    return None if offset else (dimensions, factor * Fraction(scale), offset)


def _parse_meaning(line: tuple[str, ...]) -> Meaning | None:
    factor, offset, dimensions = line
    if not factor:
        return None
    powers = (part.split("^") for part in dimensions.split())
    return tuple((name, int(power)) for name, power in powers), Fraction(factor), Fraction(offset)


@cache
def _read_unit_table() -> UnitTable:
    text = files("weighbridge.core").joinpath("units.tsv").read_text(encoding="utf-8")
    prefixes: dict[str, str] = {}
    units: dict[str, tuple[str, ...]] = {}
    for names, *columns in (line.split("\t") for line in text.splitlines()):
        if names.endswith("-"):
            prefixes[names[:-1]] = columns[0]
        else:
            units.update(dict.fromkeys(names.split(" "), tuple(columns)))
    return UnitTable(prefixes, units)


TEXT_MAX: Final = 120
"""The longest unit text."""

EXPONENT_MAX: Final = 64
"""The largest power of one unit, also in the middle of a formula."""

Dimensions = tuple[tuple[str, int], ...]
Parts = tuple[tuple[str, int], ...]


class UnitError(ValueError):
    """A text is no unit, or two units do not fit; the message is a full sentence."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit as written and what it means: base value = number * factor + offset."""

    text: str
    parts: Parts
    dimensions: Dimensions
    factor: Fraction
    offset: Fraction = Fraction(0)

    @property
    def is_dimensionless(self) -> bool:
        return not self.dimensions

    @property
    def is_absolute(self) -> bool:
        """Whether zero means nothing of it; degC and degF count from elsewhere."""
        return not self.offset

    def __str__(self) -> str:
        return self.text or "1"


ONE: Final = Unit("", (), (), Fraction(1))
"""The unit of a plain number."""

_OWN_UNITS: Final = {"%": ("percent", 1), "mmBtu": ("Btu", 10**6)}
"""Symbols in addition to pint's: the pint unit they mean, and how many of it."""

_MISLEADING: Final = {
    "kt": "which pint reads as knot; write 1000 t as 'kilotonne', or 'knot'",
    "ton": "which may be three things; write 't' (1000 kg), 'short_ton' or 'long_ton'",
    "Nm": "which some read as newton metre and some as normal metre; write 'N*m' or 'm^3{normal}'",
    "bbl": "which pint reads as a dry barrel; write 'oil_bbl' (42 gallons) or 'dry_barrel'",
    "pH": "which pint reads as picohenry; a pH value has no unit, so leave the unit empty",
}
"""Symbols that pint knows and that mean something else in this field."""

_LARGEST: Final = Fraction(10**1000)
_SMALLEST: Final = 1 / _LARGEST
_SUPERSCRIPTS: Final = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_LETTERS: Final = "A-Za-zµμ°Ω_"
_TOKEN: Final = re.compile(
    rf"\s*(?:(?P<name>[{_LETTERS}][{_LETTERS}0-9]*|%)?(?P<tag>\{{[^{{}}]*\}})?(?P<raised>[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?"
    r"(?:\s*(?:\^|\*\*)\s*(?P<power>[+-]?\d{1,3}))?)"
)
_TAG: Final = re.compile(r"\w[\w .+-]{0,39}")
_TRAILING_DIGITS: Final = re.compile(r"(.*?)(\d{1,2})")
_GLUED_GAS: Final = re.compile(r"(k?g|Mt|t|tonnes?|lb)_?(CO2e?q?|CH4|N2O|C)")


@lru_cache(maxsize=4096)
def parse_unit(text: str) -> Unit:
    """Read a unit such as `kg{CO2e}/kWh`; an empty text, `1` and `dimensionless` are the plain number."""
    if len(text) > TEXT_MAX:
        raise UnitError(f"The unit {shorten(text)!r} is longer than {TEXT_MAX} characters.")
    stripped = text.strip()
    if stripped in {"", "1", "dimensionless"}:
        return ONE
    return _build_unit(_UnitReader(stripped).parts(), stripped)


def are_compatible(a: Unit, b: Unit) -> bool:
    """Whether numbers of one unit can be converted to the other."""
    return a.dimensions == b.dimensions


def find_factor(source: Unit, target: Unit) -> Fraction:
    """How many of the target make one of the source."""
    _require_compatible(source, target)
    if not (source.is_absolute and target.is_absolute):
        raise UnitError(f"Between {source} and {target} lies more than a factor.")
    return source.factor / target.factor


def convert(value: Decimal, source: Unit, target: Unit) -> Decimal:
    """Convert a number, exactly when the result fits 34 digits and rounded once when it does not."""
    slope, shift, divisor = find_conversion(source, target)
    return convert_by(value, slope, shift, divisor)


Conversion = tuple[Decimal, Decimal, Decimal]


@lru_cache(maxsize=4096)
def find_conversion(source: Unit, target: Unit) -> Conversion:
    """Whole numbers (slope, shift, divisor) with target = (source * slope + shift) / divisor."""
    _require_compatible(source, target)
    slope = source.factor / target.factor
    shift = (source.offset - target.offset) / target.factor
    divisor = slope.denominator * shift.denominator
    return Decimal(int(slope * divisor)), Decimal(int(shift * divisor)), Decimal(divisor)


def convert_by(value: Decimal, slope: Decimal, shift: Decimal, divisor: Decimal) -> Decimal:
    """Apply a conversion to one number."""
    return CONTEXT.divide(EXACT.add(EXACT.multiply(value, slope), shift), divisor)


def find_slope(source: Unit, target: Unit) -> Decimal:
    """How fast a number in the target unit changes with that in the source unit."""
    if source is target or source.factor == target.factor:
        return Decimal(1)
    rise, _, divisor = find_conversion(source, target)
    return CONTEXT.divide(rise, divisor)


@lru_cache(maxsize=4096)
def multiply(a: Unit, b: Unit) -> Unit:
    """The unit of a product."""
    return _build_unit((*_find_absolute_parts(a), *_find_absolute_parts(b)))


@lru_cache(maxsize=4096)
def divide(a: Unit, b: Unit) -> Unit:
    """The unit of a quotient."""
    return _build_unit(
        (*_find_absolute_parts(a), *((symbol, -power) for symbol, power in _find_absolute_parts(b)))
    )


@lru_cache(maxsize=4096)
def power(unit: Unit, exponent: int) -> Unit:
    """The unit of a whole power."""
    return _build_unit(tuple((symbol, power * exponent) for symbol, power in _find_absolute_parts(unit)))


def square_root(unit: Unit) -> Unit:
    """The unit whose square is the given one."""
    if any(power % 2 for _, power in unit.parts):
        raise UnitError(f"The square root of {unit} has no unit; only even powers have one.")
    return _build_unit(tuple((symbol, power // 2) for symbol, power in unit.parts))


def find_absolute(unit: Unit) -> Unit:
    """The unit that arithmetic uses: kelvin for degC and degF, otherwise the unit itself."""
    return unit if unit.is_absolute else parse_unit("K")


def _find_absolute_parts(unit: Unit) -> Parts:
    return find_absolute(unit).parts


def _require_compatible(source: Unit, target: Unit) -> None:
    if not are_compatible(source, target):
        raise UnitError(f"{source} cannot be converted to {target}.")


class _UnitReader:
    """Reads the text of a unit from left to right: factors with powers, `*`, `/` and parentheses."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def parts(self) -> Parts:
        parts = self._product()
        if self.position < len(self.text):
            raise self._refusal()
        return parts

    def _product(self) -> Parts:
        parts = [*self._factor()]
        while operator := self._take("*·/"):
            sign = -1 if operator == "/" else 1
            parts += [(symbol, sign * power) for symbol, power in self._factor()]
        return tuple(parts)

    def _factor(self) -> Parts:
        if self._take("("):
            parts = self._product()
            if not self._take(")"):
                raise self._refusal()
            return parts
        if self._take("1"):
            return ()
        match = _TOKEN.match(self.text, self.position)
        if match is None or not (match["name"] or match["tag"]):
            raise self._refusal()
        self.position = match.end()
        name, exponent = self._name_and_exponent(match["name"] or "")
        for exponent_text in (match["raised"], match["power"]):
            exponent *= int(exponent_text.translate(_SUPERSCRIPTS)) if exponent_text else 1
        return ((name + self._tag(match["tag"]), exponent),)

    def _name_and_exponent(self, name: str) -> tuple[str, int]:
        """Take `m3` apart, unless the whole is a unit of its own or the rest is none."""
        digits = _TRAILING_DIGITS.fullmatch(name)
        if (
            digits is None
            or _find_tagless_meaning(name) is not None
            or _find_tagless_meaning(digits[1]) is None
        ):
            return name, 1
        return digits[1], int(digits[2])

    def _tag(self, tag: str | None) -> str:
        if tag is None:
            return ""
        inner = tag[1:-1].strip()
        if not _TAG.fullmatch(inner):
            raise UnitError(
                f"In the unit {self.text!r} the tag {tag} is not a word of at most 40 letters, digits,"
                " spaces and . _ + -."
            )
        return "{" + inner + "}"

    def _take(self, characters: str) -> str:
        while self.text[self.position : self.position + 1].isspace():
            self.position += 1
        character = self.text[self.position : self.position + 1]
        if not character or character not in characters:
            return ""
        self.position += 1
        return character

    def _refusal(self) -> UnitError:
        unread_text = self.text[self.position :].strip()
        fact = f"found {unread_text!r}" if unread_text else "the text ends"
        return UnitError(
            f"In the unit {self.text!r}, expected a unit name, a tag in braces, *, /, ^ with a whole number"
            f" or parentheses, but {fact}."
        )


def _build_unit(parts: Iterable[tuple[str, int]], written: str | None = None) -> Unit:
    """Combine symbols and powers into one unit; equal symbols are gathered and may cancel."""
    exponents: dict[str, int] = {}
    for symbol, exponent in parts:
        exponents[symbol] = exponents.get(symbol, 0) + exponent
    exponents = {symbol: exponent for symbol, exponent in exponents.items() if exponent}
    dimensions: dict[str, int] = {}
    value = Fraction(1)
    for symbol, exponent in exponents.items():
        if abs(exponent) > EXPONENT_MAX:
            raise UnitError(f"The power {exponent} of the unit {symbol} is beyond {EXPONENT_MAX}.")
        single = _build_single_unit(symbol)
        if not single.is_absolute and exponents != {symbol: 1}:
            raise UnitError(f"{symbol} is allowed only alone; in a larger unit write K or delta_{symbol}.")
        value *= single.factor**exponent
        if not _SMALLEST < value < _LARGEST:
            raise UnitError(
                f"The unit {shorten(written or symbol)!r} is larger or smaller than anything measured."
            )
        for name, own_exponent in single.dimensions:
            dimensions[name] = dimensions.get(name, 0) + own_exponent * exponent
    offset = _build_single_unit(next(iter(exponents))).offset if len(exponents) == 1 else Fraction(0)
    text = _write_parts(exponents) if written is None else written
    dimensions_kept = tuple(sorted((name, exponent) for name, exponent in dimensions.items() if exponent))
    return Unit(text, tuple(exponents.items()), dimensions_kept, value, offset)


@cache
def _build_single_unit(symbol: str) -> Unit:
    """The unit of one symbol, a name with or without a tag."""
    name, brace, tag = symbol.partition("{")
    tagged: Dimensions = ((brace + tag, 1),) if brace else ()
    if not name:
        return Unit(symbol, ((symbol, 1),), tagged, Fraction(1))
    if name in _MISLEADING:
        raise UnitError(f"{name!r} is not accepted as a unit, for it is a name {_MISLEADING[name]}.")
    meaning = _find_tagless_meaning(name)
    if meaning is None:
        raise UnitError(_explain_unknown(name))
    dimensions, value, offset = meaning
    return Unit(symbol, ((symbol, 1),), tuple(sorted((*dimensions, *tagged))), value, offset)


def _explain_unknown(name: str) -> str:
    if glued := _GLUED_GAS.fullmatch(name):
        return f"{name!r} is not a known unit; what is counted goes in braces: {glued[1]}{{{glued[2]}}}."
    close = find_common_unit(name)
    return f"{shorten(name)!r} is not a known unit" + (
        f"; write {close!r} if that is meant." if close else "."
    )


COMMON: Final = (
    "t", "kg", "g", "Mt", "t{CO2e}", "kg{CO2e}", "kg{CO2e}/kWh", "kg{CO2e}/t", "m^3", "L", "kWh", "MWh",
    "GWh", "Wh", "kW", "MW", "kJ", "MJ", "GJ", "degC", "K", "bar", "kPa", "Pa", "h", "min", "s", "day", "m",
    "km", "mol", "%",
)  # fmt: skip
"""The units that plants measure in most, as forms offer them."""

_WORDS: Final = {
    **{symbol.casefold(): symbol for symbol in COMMON},
    "celsius": "degC", "centigrade": "degC", "tons": "t", "hrs": "h", "mins": "min", "kgs": "kg",
    "cubic metres": "m^3", "cubic meters": "m^3", "t co2e": "t{CO2e}", "kg co2e": "kg{CO2e}",
}  # fmt: skip
"""What people write in place of a symbol, in small letters."""


def find_common_unit(name: str) -> str | None:
    """A common unit that an unknown name may stand for: by its letters, whatever their case, or nearly so."""
    if symbol := _WORDS.get(name.casefold()):
        return symbol
    # Short names are near to everything.
    return find_nearest(name, _COMPARED) if len(name) >= NEAR_LETTERS_MIN else None


NEAR_LETTERS_MIN: Final = 4
_COMPARED: Final = (
    "tonne", "tonnes", "kilogram", "gram", "litre", "liter", "hour", "minute", "second", "metre", "meter",
    "kilometre", "joule", "megajoule", "watt", "kilowatt", "percent", "kelvin", "pascal", "mole",
)  # fmt: skip


@lru_cache(maxsize=4096)
def _find_tagless_meaning(name: str) -> Meaning | None:
    """What a name means without a tag: dimensions, factor to base units, offset."""
    known, count = _OWN_UNITS.get(name, (name, 1))
    meaning = find_meaning(known)
    return meaning and (meaning[0], meaning[1] * count, meaning[2])


def _write_parts(parts: dict[str, int]) -> str:
    above = [(symbol, exponent) for symbol, exponent in parts.items() if exponent > 0]
    below = [(symbol, -exponent) for symbol, exponent in parts.items() if exponent < 0]
    head = "*".join(map(_write_power, above)) or ("1" if below else "")
    return head + "".join("/" + _write_power(part) for part in below)


def _write_power(part: tuple[str, int]) -> str:
    symbol, exponent = part
    return symbol if exponent == 1 else f"{symbol}^{exponent}"
