"""Series by hand, and what rules fill their gaps with.

A series is a text with a word for each hour: `12.5` a captured value, `-` nothing, `!9` a captured value that
is not valid, `m300` a person's value, `off` an hour in which the meter was not operating.
"""

from datetime import timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from tests.core.rule.records import at

from weighbridge.core.expression import PLAIN, TEXT
from weighbridge.core.rule import Vocabulary
from weighbridge.core.rule.substitution import (
    FoundValue,
    SeriesSlot,
    check_filling,
    compile_filling,
    fill,
    read_filling,
)

START = "2025-01-01T00:00:00Z"
HOUR = Vocabulary("stack hour", {"so2": PLAIN, "load": PLAIN, "code": TEXT}, has_cadence=True)
SO2 = "so2"


def hour(number, word, row=None, *, start=START):
    """One hour of a series; `about` is its number, counted from 1."""
    moment = at(start) + timedelta(hours=number - 1)
    if word in {"-", "off"}:
        return SeriesSlot(moment, is_out=word == "off", row=row, about=number)
    value = Decimal(word.lstrip("!m"))
    return SeriesSlot(
        moment,
        value,
        is_valid=word[0] not in "!m",
        is_manual=word[0] == "m",
        row=row,
        about=number,
    )


def hours(words, start=START):
    """A series of hours, from a text or a list of words."""
    parts = words.split() if isinstance(words, str) else words
    return [hour(number, str(word), start=start) for number, word in enumerate(parts, start=1)]


def program_of(given):
    filling, problems = read_filling(given)
    assert filling is not None, problems
    assert check_filling(filling, HOUR, SO2) == []
    return compile_filling(filling)


def outcomes(given, series, zone="UTC"):
    """What becomes of each hour that needs a value, by its number."""
    slots = hours(series) if isinstance(series, str) else series
    return {one.slot.about: one for one in fill(program_of(given), slots, ZoneInfo(zone))}


def filled(given, series, zone="UTC"):
    """The value of each hour that needs one, by its number, or the reason why there is none."""
    return {
        number: one.result.value if isinstance(one.result, FoundValue) else one.result.reason.value
        for number, one in outcomes(given, series, zone).items()
    }


def numbers(**values):
    """Expected values by their hours: `numbers(h2="12")`."""
    return {
        int(name.removeprefix("h")): Decimal(value) if value[0].isdigit() or value[0] == "-" else value
        for name, value in values.items()
    }
