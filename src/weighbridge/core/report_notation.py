"""How a form wants a value written: its decimals and how they are rounded, its codes, its dates.

A notation stands beside the field that it is for: `{"$value": "report.amount", "$decimals": 2, "$rounding":
"half_up"}` writes 1.005 as `1.01`, and says that 0.005 was added.

Invariants: no number is rounded unless the form says to how many decimals and how; a text that a list of
codes does not have is never written.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, Final

from weighbridge.core.number import DIGITS_MAX, PLACES_MAX, ROUNDING_MODES, round_to, shorten
from weighbridge.core.report_fields import FieldKind
from weighbridge.core.report_parts import Notation, WrittenAs

CODES_MAX: Final = 1_000
"""Codes of one list."""

PATTERN_CHARACTERS_MAX: Final = 100
"""Characters of a pattern of dates."""

NOTATION_KEYS: Final = ("$decimals", "$rounding", "$codes", "$pattern")
"""What a field may have beside it for how it is written."""

_OF_MOMENTS: Final[Mapping[str, Callable[[datetime], str]]] = {
    "YYYY": lambda moment: f"{moment.year:04}",
    "YY": lambda moment: f"{moment.year % 100:02}",
    "MM": lambda moment: f"{moment.month:02}",
    "DD": lambda moment: f"{moment.day:02}",
    "Q": lambda moment: str((moment.month + 2) // 3),
    "hh": lambda moment: f"{moment.hour:02}",
    "mm": lambda moment: f"{moment.minute:02}",
    "ss": lambda moment: f"{moment.second:02}",
}
"""The parts of a pattern, in braces."""

_BRACES: Final = re.compile(r"\{([^{}]*)\}")
_WITH_PATTERN: Final = (WrittenAs.TEXT, WrittenAs.DATE, WrittenAs.LAST_DATE)

Tell = Callable[[str, str], None]
"""Names a flaw by its place."""


def read_codes(node: Any, place: str, tell: Tell) -> Mapping[str, str] | None:
    """A list of codes, by the texts that they stand for; None where it is none."""
    is_list = isinstance(node, dict) and 1 <= len(node) <= CODES_MAX
    if is_list and all(isinstance(code, str) and code for code in node.values()):
        return {**node}
    tell(place, f"is an object of 1 to {CODES_MAX:,} of your texts and the code of each, which is a text.")
    return None


def read_notation(
    node: Mapping[str, Any],
    kind: FieldKind,
    lists: Mapping[str, Mapping[str, str]],
    place: str,
    tell: Tell,
) -> Notation:
    """The notation beside a field of a kind; `lists` are the lists of codes that the mapping names."""
    decimals, rounding = _read_rounding(node, kind, place, tell)
    return Notation(
        decimals, rounding, _read_list(node, kind, lists, place, tell), _read_pattern(node, kind, place, tell)
    )


def _read_rounding(
    node: Mapping[str, Any], kind: FieldKind, place: str, tell: Tell
) -> tuple[int | None, str]:
    if "$decimals" not in node:
        if "$rounding" in node:
            tell(f"{place}.$rounding", "is for numbers with $decimals.")
        return None, "half_even"
    decimals, rounding = node["$decimals"], node.get("$rounding")
    if kind not in {FieldKind.NUMBER, FieldKind.VALUE}:
        tell(f"{place}.$decimals", "is for numbers.")
    elif not _is_whole(decimals) or not 0 <= decimals <= PLACES_MAX:
        tell(f"{place}.$decimals", f"is a whole number from 0 to {PLACES_MAX}.")
    elif rounding not in ROUNDING_MODES:
        known = ", ".join(ROUNDING_MODES)
        tell(f"{place}.$rounding", f"says how the form rounds, by one of {known}.")
    else:
        return int(decimals), str(rounding)
    return None, "half_even"


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool) and value == int(value)


def _read_list(
    node: Mapping[str, Any],
    kind: FieldKind,
    lists: Mapping[str, Mapping[str, str]],
    place: str,
    tell: Tell,
) -> Mapping[str, str] | None:
    if "$codes" not in node:
        return None
    named, place = node["$codes"], f"{place}.$codes"
    if kind not in {FieldKind.TEXT, FieldKind.VALUE}:
        tell(place, "is for texts.")
        return None
    if not isinstance(named, str):
        return read_codes(named, place, tell)
    if named not in lists:
        has = f"it has {', '.join(lists)}" if lists else "it has none"
        tell(place, f"is {shorten(repr(named))}, which is no list in the mapping's codes; {has}.")
    return lists.get(named)


def _read_pattern(node: Mapping[str, Any], kind: FieldKind, place: str, tell: Tell) -> str | None:
    if "$pattern" not in node:
        return None
    pattern, place = node["$pattern"], f"{place}.$pattern"
    if kind is not FieldKind.MOMENT or node.get("$as", WrittenAs.TEXT) not in _WITH_PATTERN:
        tell(place, f"is for timestamps that are written as {', '.join(_WITH_PATTERN)}.")
    elif not isinstance(pattern, str) or not 1 <= len(pattern) <= PATTERN_CHARACTERS_MAX:
        tell(
            place,
            f"is a text of at most {PATTERN_CHARACTERS_MAX} characters, such as {{MM}}/{{DD}}/{{YYYY}}.",
        )
    elif unknown := [part for part in _BRACES.findall(pattern) if part not in _OF_MOMENTS]:
        known = ", ".join(f"{{{one}}}" for one in _OF_MOMENTS)
        tell(place, f"has {{{shorten(unknown[0])}}}; its parts are {known}.")
    elif set(_BRACES.sub("", pattern)) & {"{", "}"}:
        tell(place, "has a brace without its other one.")
    else:
        return pattern
    return None


def write_pattern(pattern: str, moment: datetime) -> str:
    """A moment, in the time zone that it is in, as a pattern says: `Q{Q}` gives `Q1` in February."""
    return _BRACES.sub(lambda part: _OF_MOMENTS[part[1]](moment), pattern)


def round_number(value: Decimal, notation: Notation) -> Decimal:
    """A number with exactly the decimals of a notation; the value itself where it says none."""
    if notation.decimals is None:
        return value
    rounded = round_to(value, notation.decimals, notation.rounding)
    written = rounded.quantize(Decimal(1).scaleb(-notation.decimals), context=_WIDE)
    return written or written.copy_abs()


def divide_number(value: Decimal, by: Decimal, factor: Fraction) -> Decimal:
    """A quotient times a factor, to so many digits that rounding it for a form rounds it once."""
    quotient = Fraction(value) / Fraction(by) * factor
    return _QUOTIENT.divide(Decimal(quotient.numerator), Decimal(quotient.denominator))


_WIDE: Final = Context(prec=1_000)
_QUOTIENT: Final = Context(prec=4 * DIGITS_MAX)
