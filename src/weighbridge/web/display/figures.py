"""Write what the interface gives as a page shows it: words, figures, times and periods; pure functions.

Figures have thin gaps between thousands, made by the stylesheet, and their exact value in the title.
Times are in the project's zone, with UTC in the title.

Invariants: no digit before the point is dropped of a number that is shown in full; a figure that shows
less than its number has the exact one in its title.
"""

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from typing import Final
from zoneinfo import ZoneInfo

from markupsafe import Markup, escape

from weighbridge.core.number import round_to
from weighbridge.core.time.calendar import MILLISECOND, Instant, find_slot

# Words: codes as words, plurals, short IDs.


_LETTERS_SHOWN: Final = 4
"""Letters of an ID in a list, after its prefix; the complete ID is copied and shown on hover."""


def shorten_id(text: str) -> str:
    """Shorten an ID for a list: `evt_3f2a…`."""
    prefix, separator, random_part = text.partition("_")
    if not separator or len(random_part) <= _LETTERS_SHOWN + 2:
        return text
    return f"{prefix}_{random_part[:_LETTERS_SHOWN]}…"


def initials(name: str) -> str:
    """Return the initials of a person: of the first and the last name."""
    words = name.split()
    return "".join(word[0] for word in dict.fromkeys((*words[:1], *words[-1:]))).upper()


def humanize(code: object) -> str:
    """Return a code as words: `waits_for_approval` is waits for approval."""
    return str(code).replace("_", " ").replace("-", " ")


def plural(count: int, singular: str, plural_word: str = "") -> str:
    """Return a number with its noun: 1 batch, 2 batches."""
    return f"{count:,}".replace(",", "\u202f") + f" {noun(count, singular, plural_word)}"


def noun(count: int, singular: str, plural_word: str = "") -> str:
    """Return the singular of a noun or a verb for 1, and the plural for other numbers."""
    return singular if count == 1 else plural_word or f"{singular}s"


# Figures: thin gaps between thousands, decimals fainter, a real minus.
#
# The stylesheet makes the gaps, so that copied figures contain only digits. Lists show at most six
# significant digits; the exact number is in the title, and is what is copied. A figure that shows less than
# its number has the class `rounded`.


DIGITS_SHOWN: Final = 6
"""Significant digits of a figure in a list."""

WHOLE_DIGITS_MAX: Final = 15
"""Digits before the point up to which a list writes a number out; beyond, it has a power of ten."""

PLACES_ALIGNED_MAX: Final = 12
"""Decimal places up to which a column is aligned at the point."""

_WRITTEN: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?")
"""A number as records write it that may hold texts as well."""

_RAISED: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

MINUS: Final = "\N{MINUS SIGN}"


def figure(
    value: object, unit: str = "", *, places: int | None = None, whole: bool = False, shown: int | None = None
) -> Markup:
    """Write a number for a list; with the decimal places of its column.

    A column with a total is written whole, with all digits, so that what is shown adds up. An amount of a
    ledger that says to how many decimals is rounded to these.
    """
    number = _number(value)
    if number is None:
        return nothing()
    rounded = number if whole else round_figure(number) if shown is None else _at_most(number, shown)
    full_text = format(number, "f")
    if _needs_power(rounded):
        return _render_power(number, unit)
    return _render_number(format(rounded, "f"), full_text, unit, places=places)


def exact(value: object, unit: str = "") -> Markup:
    """Write a number with every digit, for its own record."""
    number = _number(value)
    if number is None:
        return nothing()
    full_text = format(number, "f")
    return _render_number(full_text, full_text, unit)


def brief(value: object, unit: str = "") -> str:
    """Write a number as short plain text for a picture, without the unit 1; empty for None."""
    number = _number(value)
    if number is None:
        return ""
    rounded = round_figure(number)
    text = format(rounded, "f")
    if _needs_power(rounded):
        power = number.adjusted()
        digits = format(number.scaleb(-power).quantize(Decimal("0.00001"), ROUND_HALF_EVEN), "f")
        text = f"{digits}\u202f·\u202f10{str(power).translate(_RAISED)}"
    return f"{text.replace('-', MINUS)} {unit_text(unit)}".strip()


_TAG: Final = re.compile(r"\{([^{}]*)\}")
_EXPONENT: Final = re.compile(r"\^(-?[0-9]+)")
_DEGREE: Final = re.compile(r"\bdeg([CF])\b")
_LOWERED: Final = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_FORMULAS: Final = frozenset({"CO2e", "CO2", "CH4", "N2O", "H2", "H2O", "NH3", "NO2", "SO2", "O2", "CaCO3"})
"""Chemical formulas; their digits are lowered, while those of any other tag, such as a lot, are not."""


def unit_text(unit: str | None) -> str:
    """Write a unit as people do: `t{CO2e}` is t CO₂e, `m^3` is m³, and a number without a unit has none."""
    if not unit or unit == "1":
        return ""
    tagged = _TAG.sub(lambda found: f" {_lower_digits(found[1])}", unit).strip()
    raised = _EXPONENT.sub(lambda found: found[1].translate(_RAISED), tagged)
    return _DEGREE.sub(r"°\1", raised).replace("*", "·")


def _lower_digits(tag: str) -> str:
    return tag.translate(_LOWERED) if tag in _FORMULAS else tag


def amount(value: object, unit: str | None) -> Markup:
    """Write a number with its unit, short."""
    number = _number(value)
    if number is None:
        return nothing()
    return Markup('{} <span class="unit">{}</span>').format(figure(number, unit or ""), unit_text(unit))


def percent(share: object) -> Markup:
    """Write a share in percent, rounded down to a tenth below 1, with the exact value on hover."""
    number = _number(share)
    if number is None:
        return nothing()
    return _write_percent(number, ROUND_FLOOR if number < 1 else ROUND_HALF_EVEN)


def percent_of_variance(share: Decimal) -> Markup:
    """Write the share of a contribution in percent, to the nearest tenth, with the exact value on hover."""
    return _write_percent(share, ROUND_HALF_EVEN)


def _write_percent(number: Decimal, rounding: str) -> Markup:
    tenths = (number * 100).quantize(Decimal("0.1"), rounding)
    percent_figure = format(
        tenths.quantize(Decimal(1)) if tenths == tenths.to_integral_value() else tenths, "f"
    )
    return Markup('<data class="fig" value="{}" title="{}">{}\u202f%</data>').format(
        f"{number:f}", f"{number * 100:f} %", percent_figure.replace("-", MINUS)
    )


def uncertain(value: object) -> Markup:
    """Write an uncertainty with two significant digits (JCGM 100:2008, 7.2.6), the exact value on hover."""
    number = _number(value)
    if number is None:
        return nothing()
    rounded = number
    if number:
        place = Decimal(1).scaleb(number.adjusted() - 1)
        rounded = (number / place).quantize(Decimal(1), ROUND_HALF_EVEN) * place
    return Markup('<data class="fig" value="{}" title="{}">{}</data>').format(
        f"{number:f}", f"{number:f}", f"{rounded:f}".replace("-", MINUS)
    )


def within(value: object, uncertainty: object) -> Markup:
    """Write a number to the place of the second digit of its uncertainty, the exact value on hover."""
    number, spread = _number(value), _number(uncertainty)
    if number is None:
        return nothing()
    shown = round_to(number, 1 - spread.adjusted()) if spread else number
    return Markup('<data class="fig" value="{}" title="{}">{}</data>').format(
        f"{number:f}", f"{number:f}", f"{shown:f}".replace("-", MINUS)
    )


def percent_change(before: object, after: object) -> Markup:
    """Write by how much a number changes, in percent of its size before, to a tenth; a dash from nothing."""
    first, second = _number(before), _number(after)
    if not first or second is None:
        return nothing()
    tenths = round((Fraction(second) - Fraction(first)) * 1000 / abs(Fraction(first)))
    sign = MINUS if tenths < 0 else "+" if tenths else ""
    title = f"from {first:f} to {second:f}"
    return Markup('<span title="{}">{}{}.{}\u202f%</span>').format(
        title, sign, _join_groups(group_digits(str(abs(tenths) // 10))), abs(tenths) % 10
    )


def percent_text(part: int, total: int) -> str:
    """Return a part of a whole in percent, rounded down to a tenth; empty for an empty whole."""
    if not total:
        return ""
    tenths = part * 1000 // total
    return f"{tenths // 10}.{tenths % 10}\N{NARROW NO-BREAK SPACE}%"


def nothing() -> Markup:
    """Return the dash that means no value."""
    return Markup('<span class="none">–</span>')  # noqa: RUF001 - a dash, as in printed tables


def round_figure(number: Decimal) -> Decimal:
    """Round a number to six significant digits, keeping all digits before the point."""
    if not number:
        return number.normalize() if number.as_tuple().exponent else number
    places = DIGITS_SHOWN - 1 - number.adjusted()
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or -exponent <= max(places, 0):
        return number
    return number.quantize(Decimal(1).scaleb(-max(places, 0)), ROUND_HALF_EVEN)


def _at_most(number: Decimal, places: int) -> Decimal:
    """A number with at most so many decimals; one with fewer stays as it is."""
    exponent = number.as_tuple().exponent
    return round_to(number, places) if isinstance(exponent, int) and -exponent > places else number


def places_of(values: Iterable[object], *, whole: bool = False) -> int:
    """Return how many decimal places a column of figures needs."""
    numbers = [_number(value) for value in values]
    rounded_numbers = [number if whole else round_figure(number) for number in numbers if number is not None]
    places = [
        len(format(rounded_number, "f").partition(".")[2])
        for rounded_number in rounded_numbers
        if not _needs_power(rounded_number)
    ]
    return min(max(places, default=0), PLACES_ALIGNED_MAX)


def group_digits(digits: str, *, from_point: bool = False) -> list[str]:
    """Group digits by three, from the point."""
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


def _needs_power(number: Decimal) -> bool:
    return bool(number) and number.adjusted() >= WHOLE_DIGITS_MAX


def _render_number(text: str, full_text: str, unit: str, *, places: int | None = None) -> Markup:
    digits, _, fraction = text.removeprefix("-").partition(".")
    sign = MINUS if text.startswith("-") else ""
    parts = _join_groups(group_digits(digits))
    decimals = Markup("")
    if fraction or places:
        decimal_digits = (
            Markup(".{}").format(_join_groups(group_digits(fraction, from_point=True))) if fraction else ""
        )
        width = f" p{places}" if places else ""
        decimals = Markup('<b class="dec{}">{}</b>').format(width, decimal_digits)
    title = f"{full_text} {unit}".strip()
    is_rounded = Decimal(text) != Decimal(full_text)
    return Markup('<data class="fig{}{}" value="{}" title="{}"{}>{}{}{}</data>').format(
        " rounded" if is_rounded else "", " minus" if sign else "", full_text, title,
        Markup(' tabindex="0"') if is_rounded else "", sign, parts, decimals,
    )  # fmt: skip


def _render_power(number: Decimal, unit: str) -> Markup:
    power = number.adjusted()
    digits = format(number.scaleb(-power).quantize(Decimal("0.00001"), ROUND_HALF_EVEN), "f")
    title = f"{number:f} {unit}".strip()
    return Markup(
        '<data class="fig rounded" value="{}" title="{}" tabindex="0">{}\u202f·\u202f10<sup>{}</sup></data>'
    ).format(f"{number:f}", title, digits.replace("-", MINUS), power)


def _join_groups(groups: list[str]) -> Markup:
    return Markup("").join(
        escape(group) if at == 0 else Markup("<i>{}</i>").format(group) for at, group in enumerate(groups)
    )


# Times and periods in the project's zone, with UTC in the title: 12 Mar 2025 14:05; March 2025.


MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip

_DASH: Final = "\N{EN DASH}"


TimeValue = Instant | datetime | str
"""A time as records have it: an instant, or its text in JSON."""


_DAY: Final = timedelta(days=1)

SOON: Final = timedelta(days=30)
"""How long before its end what holds until then is pointed out."""


class TimeFormat:
    """Writes times in one zone, as seen from now."""

    def __init__(self, zone: str, now: Instant) -> None:
        self.zone = zone
        self._zone = ZoneInfo(zone)
        self.now = now

    def __call__(self, time: TimeValue | None) -> Markup:
        """Write an instant: date and time, with seconds if there are any, and UTC in the title."""
        if time is None:
            return nothing()
        moment = to_instant(time)
        local = moment.astimezone(self._zone)
        clock = f"{local:%H:%M:%S}" if local.second or local.microsecond else f"{local:%H:%M}"
        return Markup('<time datetime="{}" title="{} · {}">{}</time>').format(
            moment.text, _utc(moment), self.zone, f"{format_day(local)} {clock}"
        )

    def expiry(self, time: TimeValue) -> Markup:
        """Write the instant until when something holds, and whether it is over or in how many days it is."""
        ahead = to_instant(time) - self.now
        days = -(-ahead // _DAY)
        words = "expired" if days <= 0 else f"expires in {plural(days, 'day')}"
        tone = "short" if days <= 0 else "waits" if ahead <= SOON else "quiet"
        return Markup('{} <span class="state {}">{}</span>').format(self(time), tone, words)

    def day(self, time: TimeValue | None) -> Markup:
        """Write the day of an instant."""
        if time is None:
            return nothing()
        moment = to_instant(time)
        local = moment.astimezone(self._zone)
        return Markup('<time datetime="{}" title="{} · {}">{}</time>').format(
            moment.text, _utc(moment), self.zone, format_day(local)
        )

    def span(self, start_time: TimeValue, end_time: TimeValue | None) -> Markup:
        """Write a time interval: a calendar period by its name, or start and end."""
        start, end = to_instant(start_time), None if end_time is None else to_instant(end_time)
        if end is None or end == start:
            return self(start)
        first, last = start.astimezone(self._zone), end.astimezone(self._zone)
        text = format_period(first, last)
        if text is None:
            if first.date() == last.date():
                text = f"{format_day(first)} {format_clock(first)}{_DASH}{format_clock(last)}"
            else:
                begin, until = (
                    f"{format_day(local_time)} {format_clock(local_time)}" for local_time in (first, last)
                )
                text = f"{begin} {_DASH} {until}"
        return Markup('<time datetime="{}" title="{} to {} · {}">{}</time>').format(
            f"{start.text}/{end.text}", _utc(start), _utc(end), self.zone, text
        )

    def local(self, time: TimeValue) -> datetime:
        """Return an instant in the project's zone."""
        return to_instant(time).astimezone(self._zone)

    def field(self, time: TimeValue | None) -> str:
        """Return an instant as the value of a date and time field."""
        return "" if time is None else f"{to_instant(time).astimezone(self._zone):%Y-%m-%dT%H:%M}"

    def typed(self, text: str) -> Instant | None:
        """Read a date and time field; None for other texts. Of an hour that occurs twice, the first is meant.

        A time with an offset is that instant in any zone.
        """
        try:
            local_time = datetime.fromisoformat(text)
            return Instant.of(local_time if local_time.tzinfo else local_time.replace(tzinfo=self._zone))
        except (ValueError, OverflowError):
            return None

    def is_skipped(self, text: str) -> bool:
        """Whether a time does not exist in the zone, because the clocks are set forward over it."""
        local_time = datetime.fromisoformat(text)
        if local_time.tzinfo:
            return False
        return (
            local_time.replace(tzinfo=self._zone).astimezone(UTC).astimezone(self._zone).replace(tzinfo=None)
            != local_time
        )


def to_instant(time: TimeValue) -> Instant:
    """Return the instant of a record's time; ValueError for other texts."""
    if isinstance(time, Instant):
        return time
    return Instant.of(time if isinstance(time, datetime) else datetime.fromisoformat(time))


def format_day(moment: datetime | date) -> str:
    """12 Mar 2025."""
    return f"{moment.day} {MONTHS[moment.month - 1][:3]} {moment.year}"


def format_clock(moment: datetime) -> str:
    """14:05, with seconds and milliseconds where there are any."""
    text = f"{moment:%H:%M}"
    if moment.second or moment.microsecond:
        text += f":{moment.second:02d}"
    if moment.microsecond:
        text += f".{moment.microsecond // 1000:03d}"
    return text


def format_period(first: datetime, last: datetime) -> str | None:
    """Return the name of a year, quarter, month, day, or several months or days; None for other intervals."""
    if format_clock(first) != "00:00" or format_clock(last) != "00:00":
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
    return format_day(begins) if until == begins else f"{format_day(begins)} {_DASH} {format_day(until)}"


def _utc(moment: Instant) -> str:
    return f"{moment.text[:10]} {moment.text[11:23].removesuffix('.000')} UTC"


# The months of a chart, in the project's zone.


YEAR = 12
"""Months that a chart shows by default."""


def months_until(moment: Instant, zone: str, count: int = YEAR) -> list[Instant]:
    """Return the edges of some whole months; the last one contains the time just before an instant."""
    wall = ZoneInfo(zone)
    slot = find_slot("monthly", moment - MILLISECOND, wall)
    edges = [slot.end, slot.start]
    for _ in range(count - 1):
        edges.append(find_slot("monthly", edges[-1] - MILLISECOND, wall).start)
    return [Instant.of(edge) for edge in reversed(edges)]


def format_month(moment: Instant, zone: str) -> str:
    """March 2025."""
    local = moment.astimezone(ZoneInfo(zone))
    return f"{MONTHS[local.month - 1]} {local.year}"
