"""What a unit, a time zone or a cadence means while somebody types it, and what may be meant instead.

A browser with scripts fetches the answer below the field. Without scripts, a form that is sent says the same.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.core.number import CONTEXT, plain
from weighbridge.core.time.calendar import find_time_zones, time_zone_names
from weighbridge.core.unit import (
    COMMON,
    Unit,
    UnitError,
    are_compatible,
    find_common_unit,
    find_factor,
    parse_unit,
)
from weighbridge.web.display.figures import TimeFormat, format_clock, format_day, unit_text
from weighbridge.web.framework.page import page
from weighbridge.web.framework.visit import View, Visit, view


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What is said below a field."""

    words: str
    is_wrong: bool = False
    offered: tuple[str, ...] = ()
    """What may be meant; a click takes it over."""


NOTHING_TO_SAY: Final = Suggestion("")


def suggest_unit(text: str) -> Suggestion:
    """Say what a unit means by a common one, or which may be meant."""
    if not text.strip() or text.strip() in COMMON:
        return NOTHING_TO_SAY
    try:
        unit = parse_unit(text)
    except UnitError as error:
        close = find_common_unit(text.strip())
        return Suggestion(str(error), is_wrong=True, offered=(close,) if close else ())
    for symbol in COMMON:
        factor = _factor_between(unit, parse_unit(symbol))
        if factor == 1:
            return Suggestion(f"The same as {unit_text(symbol)}.", offered=(symbol,))
    return _describe_by_common(text, unit)


def _describe_by_common(text: str, unit: Unit) -> Suggestion:
    for symbol in COMMON:
        factor = _factor_between(unit, parse_unit(symbol))
        if factor is not None:
            amount = plain(CONTEXT.divide(factor.numerator, factor.denominator))
            return Suggestion(f"1 {unit_text(text.strip())} = {amount} {unit_text(symbol)}".strip() + ".")
    return NOTHING_TO_SAY


def _factor_between(unit: Unit, common: Unit) -> Fraction | None:
    """How many of a common unit one unit is; None where they do not mix or have different zeros."""
    if not are_compatible(unit, common) or unit.is_absolute != common.is_absolute or unit.offset:
        return None
    try:
        return find_factor(unit, common)
    except UnitError:
        return None


def suggest_time_zone(text: str, now: TimeFormat) -> Suggestion:
    """Say what time it is in a zone, or which zones may be meant."""
    name = text.strip()
    if not name:
        return NOTHING_TO_SAY
    if name in time_zone_names():
        local = TimeFormat(name, now.now).local(now.now)
        return Suggestion(f"It is {format_day(local)}, {format_clock(local)[:5]} there.")
    offered = find_time_zones(name)
    words = "Which of these is meant?" if offered else "No time zone of the IANA list has this name."
    return Suggestion(words, is_wrong=True, offered=offered)


_SECONDS_OF_DAY: Final = 86_400
_UNIT_SECONDS: Final[Mapping[str, int]] = MappingProxyType(
    {"minute": 60, "hour": 3_600, "day": _SECONDS_OF_DAY, "week": 604_800}
)
"""Units of a cadence that have the same length wherever the clocks are not changed."""


def suggest_cadence(amount: str, unit: str) -> Suggestion:
    """Say how many events a cadence expects in a day or a year."""
    seconds = _UNIT_SECONDS.get(unit)
    if not amount.strip() or seconds is None:
        return NOTHING_TO_SAY
    if not amount.strip().isascii() or not amount.strip().isdigit() or not int(amount[:9]) > 0:
        return Suggestion("A cadence is a whole number of units, such as 15 minutes.", is_wrong=True)
    step = int(amount[:9]) * seconds
    if step <= _SECONDS_OF_DAY:
        count = Fraction(_SECONDS_OF_DAY, step)
        about = "" if count.denominator == 1 else "about "
        return Suggestion(f"{about}{round(count)} expected a day.")
    return Suggestion(f"about {round(Fraction(365 * _SECONDS_OF_DAY, step))} expected a year.")


_SUGGESTED: Final[Mapping[str, Callable[[Visit], Suggestion]]] = MappingProxyType(
    {
        "unit": lambda visit: suggest_unit(visit.asked("text")),
        "time_zone": lambda visit: suggest_time_zone(visit.asked("text"), visit.moments),
        "cadence": lambda visit: suggest_cadence(visit.asked("text"), visit.asked("cadence_unit")),
    }
)
"""By kind of field, what is said of what was typed."""


@page("/suggestions")
async def suggestions(visit: Visit) -> View:
    """What is typed in one field means."""
    suggest = _SUGGESTED.get(visit.asked("kind"))
    return view(
        "forms/suggestion.html", "Suggestions",
        suggestion=suggest(visit) if suggest else NOTHING_TO_SAY,
    )  # fmt: skip


PAGES: Final[list[HTTPRouteHandler]] = [*suggestions]
