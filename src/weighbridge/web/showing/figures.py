"""Figures: thin gaps between thousands, decimals fainter, a real minus, the exact value behind.

The gaps are made by the stylesheet, not by characters, so whoever copies a figure copies its digits. Lists
show at most six significant digits; the exact number stands in the title, and is what is copied.

Invariants: no digit before the point is ever dropped of a number that is shown in full; a figure that shows
less than its number says so by its class, `rounded`.
"""

import re
from collections.abc import Iterable
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import Final

from markupsafe import Markup, escape

DIGITS_SHOWN: Final = 6
"""Significant digits of a figure in a list."""

WHOLE_DIGITS_MAX: Final = 15
"""Digits before the point up to which a list writes a number out; beyond, it has a power of ten."""

PLACES_ALIGNED_MAX: Final = 12
"""Decimal places up to which a column is aligned at the point."""

_WRITTEN: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?")
"""A number as records write it that may hold texts as well."""

_RAISED: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

MINUS: Final = "\N{MINUS SIGN}"


def figure(value: object, unit: str = "", *, places: int | None = None) -> Markup:
    """A number as a list shows it; with places, so many stand behind the point of its column."""
    number = _number(value)
    if number is None:
        return nothing()
    shown = rounded(number)
    whole = format(number, "f")
    if _is_long(shown):
        return _power(number, unit)
    return _written(format(shown, "f"), whole, unit, places=places)


def exact(value: object, unit: str = "") -> Markup:
    """A number with every digit, as its own record shows it."""
    number = _number(value)
    if number is None:
        return nothing()
    whole = format(number, "f")
    return _written(whole, whole, unit)


def brief(value: object, unit: str = "") -> str:
    """A number as a picture has room for it, in plain text; a unit of one is none. Empty of nothing."""
    number = _number(value)
    if number is None:
        return ""
    shown = rounded(number)
    text = format(shown, "f")
    if _is_long(shown):
        power = number.adjusted()
        digits = format(number.scaleb(-power).quantize(Decimal("0.00001"), ROUND_HALF_EVEN), "f")
        text = f"{digits}\u202f·\u202f10{str(power).translate(_RAISED)}"
    return f"{text.replace('-', MINUS)} {unit if unit != '1' else ''}".strip()


def amount(value: object, unit: str | None) -> Markup:
    """A number with its unit behind it, short."""
    number = _number(value)
    if number is None:
        return nothing()
    return Markup('{} <span class="unit">{}</span>').format(figure(number, unit or ""), unit or "")


def percent(share: object) -> Markup:
    """A share from 0 to 1 in percent, to a tenth; all of it only where nothing is lacking. Exact on hover."""
    number = _number(share)
    if number is None:
        return nothing()
    tenths = (number * 100).quantize(Decimal("0.1"), ROUND_FLOOR if number < 1 else ROUND_HALF_EVEN)
    shown = format(tenths.quantize(Decimal(1)) if tenths == tenths.to_integral_value() else tenths, "f")
    return Markup('<data class="fig" value="{}" title="{}">{}\u202f%</data>').format(
        f"{number:f}", f"{number * 100:f} %", shown.replace("-", MINUS)
    )


def percent_text(part: int, whole: int) -> str:
    """A part of a whole in percent, to a tenth, never all of it where anything lacks; empty of nothing."""
    if not whole:
        return ""
    tenths = part * 1000 // whole
    return f"{tenths // 10}.{tenths % 10}\N{NARROW NO-BREAK SPACE}%"


def nothing() -> Markup:
    """What stands where there is no number."""
    return Markup('<span class="none">–</span>')  # noqa: RUF001 - a dash, as in printed tables


def rounded(number: Decimal) -> Decimal:
    """The number with at most six significant digits, and all that stand before the point."""
    if not number:
        return number.normalize() if number.as_tuple().exponent else number
    places = DIGITS_SHOWN - 1 - number.adjusted()
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or -exponent <= max(places, 0):
        return number
    return number.quantize(Decimal(1).scaleb(-max(places, 0)), ROUND_HALF_EVEN)


def places_of(values: Iterable[object]) -> int:
    """How many places behind the point a column of figures needs."""
    numbers = [_number(value) for value in values]
    shown = [rounded(one) for one in numbers if one is not None]
    places = [len(format(one, "f").partition(".")[2]) for one in shown if not _is_long(one)]
    return min(max(places, default=0), PLACES_ALIGNED_MAX)


def grouped(digits: str, *, from_point: bool = False) -> list[str]:
    """Digits in groups of three, counted from the point."""
    if len(digits) <= 4 and not from_point:
        return [digits] if len(digits) < 4 else [digits[:1], digits[1:]]
    if from_point:
        return [digits[at : at + 3] for at in range(0, len(digits), 3)]
    first = len(digits) % 3
    groups = [digits[at : at + 3] for at in range(first, len(digits), 3)]
    return [digits[:first], *groups] if first else groups


def _number(value: object) -> Decimal | None:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, Decimal):
        return value
    is_written = isinstance(value, str) and _WRITTEN.fullmatch(value)
    return Decimal(value) if isinstance(value, int | str) and (is_written or isinstance(value, int)) else None


def is_figure(value: object) -> bool:
    """Whether a value is a number, or the text of one as the interface writes it."""
    return _number(value) is not None


def _is_long(number: Decimal) -> bool:
    return bool(number) and number.adjusted() >= WHOLE_DIGITS_MAX


def _written(text: str, whole: str, unit: str, *, places: int | None = None) -> Markup:
    digits, _, fraction = text.removeprefix("-").partition(".")
    sign = MINUS if text.startswith("-") else ""
    parts = _gapped(grouped(digits))
    kept = Markup("")
    if fraction or places:
        behind = Markup(".{}").format(_gapped(grouped(fraction, from_point=True))) if fraction else ""
        held = f" p{places}" if places else ""
        kept = Markup('<b class="dec{}">{}</b>').format(held, behind)
    said = f"{whole} {unit}".strip()
    is_rounded = Decimal(text) != Decimal(whole)
    return Markup('<data class="fig{}{}" value="{}" title="{}"{}>{}{}{}</data>').format(
        " rounded" if is_rounded else "", " minus" if sign else "", whole, said,
        Markup(' tabindex="0"') if is_rounded else "", sign, parts, kept,
    )  # fmt: skip


def _power(number: Decimal, unit: str) -> Markup:
    power = number.adjusted()
    digits = format(number.scaleb(-power).quantize(Decimal("0.00001"), ROUND_HALF_EVEN), "f")
    said = f"{number:f} {unit}".strip()
    return Markup(
        '<data class="fig rounded" value="{}" title="{}" tabindex="0">{}\u202f·\u202f10<sup>{}</sup></data>'
    ).format(f"{number:f}", said, digits.replace("-", MINUS), power)


def _gapped(groups: list[str]) -> Markup:
    return Markup("").join(
        escape(group) if at == 0 else Markup("<i>{}</i>").format(group) for at, group in enumerate(groups)
    )
