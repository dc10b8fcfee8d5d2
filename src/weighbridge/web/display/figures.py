"""Write what the interface gives as a page shows it: words, figures, times and periods; pure functions.

Figures have thin gaps between thousands, made by the stylesheet, and their exact value in the title.
Times are in the project's zone, with UTC in the title.

Invariants: no digit before the point is dropped of a number that is shown in full; a figure that shows
less than its number tells the exact one.
"""

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import Final
from zoneinfo import ZoneInfo

from markupsafe import Markup, escape

from weighbridge.core.time.cadence import find_slot
from weighbridge.core.time.instant import MILLISECOND, Instant

# Words for people: names of codes, plurals, short ids.


_LETTERS_SHOWN: Final = 4
"""Letters of an id that stand in a list, behind its prefix; all of it is copied and shown on hover."""


def short_id(text: str) -> str:
    """An id as a list shows it, `evt_3f2a…`."""
    prefix, separator, rest = text.partition("_")
    if not separator or len(rest) <= _LETTERS_SHOWN + 2:
        return text
    return f"{prefix}_{rest[:_LETTERS_SHOWN]}…"


def spoken(code: object) -> str:
    """A code as words: `waits_for_approval` is waits for approval."""
    return str(code).replace("_", " ").replace("-", " ")


def plural(count: int, one: str, many: str = "") -> str:
    """A number with its noun: 1 batch, 2 batches."""
    return f"{count:,}".replace(",", "\u202f") + f" {noun(count, one, many)}"


def noun(count: int, one: str, many: str = "") -> str:
    """A noun, or a verb, as it stands behind a number: batch behind 1, batches behind any other."""
    return one if count == 1 else many or f"{one}s"


# Figures: thin gaps between thousands, decimals fainter, a real minus, the exact value behind.
#
# The gaps are made by the stylesheet, not by characters, so whoever copies a figure copies its digits.
# Lists show at most six significant digits; the exact number stands in the title, and is what is copied.
#
# Invariants: no digit before the point is ever dropped of a number that is shown in full; a figure that
# shows less than its number says so by its class, `rounded`.


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


# Times and periods in the project's zone, with UTC behind: 12 Mar 2025 14:05; March 2025.
#
# Records of lists hold times as the texts that go on the wire; those are shown like any other.


MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip

_DASH: Final = "\N{EN DASH}"


Shown = Instant | datetime | str
"""A time as a record holds it: a moment, or its text on the wire."""


class Moments:
    """Writes times in one zone, as seen from now."""

    def __init__(self, zone: str, now: Instant) -> None:
        self.zone = zone
        self._zone = ZoneInfo(zone)
        self.now = now

    def __call__(self, shown: Shown | None) -> Markup:
        """A moment: date and time, with seconds where it has any; milliseconds stand behind it, with UTC."""
        if shown is None:
            return nothing()
        moment = moment_of(shown)
        local = moment.astimezone(self._zone)
        clock = f"{local:%H:%M:%S}" if local.second or local.microsecond else f"{local:%H:%M}"
        return Markup('<time datetime="{}" title="{} · {}">{}</time>').format(
            moment.text, _utc(moment), self.zone, f"{day_of(local)} {clock}"
        )

    def day(self, shown: Shown | None) -> Markup:
        """The day of a moment."""
        if shown is None:
            return nothing()
        moment = moment_of(shown)
        local = moment.astimezone(self._zone)
        return Markup('<time datetime="{}" title="{} · {}">{}</time>').format(
            moment.text, _utc(moment), self.zone, day_of(local)
        )

    def span(self, began: Shown, ended: Shown | None) -> Markup:
        """A stretch of time: a period as people say it, or from when to when."""
        start, end = moment_of(began), None if ended is None else moment_of(ended)
        if end is None or end == start:
            return self(start)
        first, last = start.astimezone(self._zone), end.astimezone(self._zone)
        said = period_of(first, last)
        if said is None:
            if first.date() == last.date():
                said = f"{day_of(first)} {clock_of(first)}{_DASH}{clock_of(last)}"
            else:
                said = f"{day_of(first)} {clock_of(first)} {_DASH} {day_of(last)} {clock_of(last)}"
        return Markup('<time datetime="{}" title="{} to {} · {}">{}</time>').format(
            f"{start.text}/{end.text}", _utc(start), _utc(end), self.zone, said
        )

    def local(self, shown: Shown) -> datetime:
        """A moment by the clock on the project's wall."""
        return moment_of(shown).astimezone(self._zone)

    def field(self, shown: Shown | None) -> str:
        """A moment as a field for date and time takes it, in the zone."""
        return "" if shown is None else f"{moment_of(shown).astimezone(self._zone):%Y-%m-%dT%H:%M}"

    def typed(self, text: str) -> Instant | None:
        """What was typed into such a field; None for other texts. Of an hour that comes twice, the first.

        A time with an offset is that moment, whatever the zone.
        """
        try:
            read = datetime.fromisoformat(text)
            return Instant.of(read if read.tzinfo else read.replace(tzinfo=self._zone))
        except (ValueError, OverflowError):
            return None

    def is_skipped(self, text: str) -> bool:
        """Whether a time that can be read never comes in the zone, for the clocks are put forward over it."""
        read = datetime.fromisoformat(text)
        if read.tzinfo:
            return False
        return (
            read.replace(tzinfo=self._zone).astimezone(UTC).astimezone(self._zone).replace(tzinfo=None)
            != read
        )


def moment_of(shown: Shown) -> Instant:
    """The moment of a record's time; ValueError for a text that is none."""
    if isinstance(shown, Instant):
        return shown
    return Instant.of(shown if isinstance(shown, datetime) else datetime.fromisoformat(shown))


def day_of(moment: datetime | date) -> str:
    """12 Mar 2025."""
    return f"{moment.day} {MONTHS[moment.month - 1][:3]} {moment.year}"


def clock_of(moment: datetime) -> str:
    """14:05, with seconds and milliseconds where there are any."""
    text = f"{moment:%H:%M}"
    if moment.second or moment.microsecond:
        text += f":{moment.second:02d}"
    if moment.microsecond:
        text += f".{moment.microsecond // 1000:03d}"
    return text


def period_of(first: datetime, last: datetime) -> str | None:
    """A year, a quarter, a month, a day or a run of whole months or days as people say it; else None."""
    if clock_of(first) != "00:00" or clock_of(last) != "00:00":
        return None
    begins, ends = first.date(), last.date()
    months = (ends.year - begins.year) * 12 + ends.month - begins.month
    if begins.day == ends.day == 1 and months > 0:
        if months == 12 and begins.month == 1:
            return str(begins.year)
        if months == 3 and begins.month % 3 == 1:
            return f"Q{(begins.month + 2) // 3} {begins.year}"
        name = f"{MONTHS[begins.month - 1]} {begins.year}"
        if months == 1:
            return name
        until = ends - timedelta(days=1)
        return f"{name} {_DASH} {MONTHS[until.month - 1]} {until.year}"
    until = ends - timedelta(days=1)
    return day_of(begins) if until == begins else f"{day_of(begins)} {_DASH} {day_of(until)}"


def _utc(moment: Instant) -> str:
    return f"{moment.text[:10]} {moment.text[11:23].removesuffix('.000')} UTC"


# The months that a chart shows, by the clock on the project's wall.


YEAR = 12
"""Months that a chart shows unless it is said."""


def months_until(moment: Instant, zone: str, count: int = YEAR) -> list[Instant]:
    """The edges of so many whole months, the last of which holds the moment just before this one."""
    wall = ZoneInfo(zone)
    slot = find_slot("monthly", moment - MILLISECOND, wall)
    edges = [slot.end, slot.start]
    for _ in range(count - 1):
        edges.append(find_slot("monthly", edges[-1] - MILLISECOND, wall).start)
    return [Instant.of(edge) for edge in reversed(edges)]


def month_of(moment: Instant, zone: str) -> str:
    """March 2025."""
    local = moment.astimezone(ZoneInfo(zone))
    return f"{MONTHS[local.month - 1]} {local.year}"
