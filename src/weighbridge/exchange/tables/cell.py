"""A cell is the text of one value, read as the number, the yes or no, the text or the time that it says.

The clock of a file says which times a row may mean, by its columns or by counting from the first row.

Invariants: a number is taken to the last digit or refused; nothing is guessed, neither a thousands separator
nor a word for zero; no number and no time is ever a binary float. A time without an offset is read in a named
time zone or refused; a local time that the zone skips is refused, and so is one that it has twice, unless the
length of its row, a column of offsets or, where the caller vouches that they are in order, the rows around it
decide: then both moments are given, and `rows.py` chooses. Times come out in UTC.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from weighbridge.core.collection.data_feed import (
    EPOCHS,
    SERIALS,
    AboveLimit,
    BelowLimit,
    DecimalMark,
    ThousandsSeparator,
)
from weighbridge.core.number import DIGITS_MAX, NumberError, limit_number, parse_decimal, shorten
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import time_zone_names
from weighbridge.errors import Invalid

TRUE_WORDS: Final = frozenset({"true", "yes", "1"})
FALSE_WORDS: Final = frozenset({"false", "no", "0"})

_QUICK_NUMBER: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


class ReadyCell(str):
    """A value as a workbook stores it: a number with a point, or a time in ISO 8601."""

    __slots__ = ()


class CellError(ValueError):
    """A cell does not fit its column; the message continues a sentence after the column."""


_GROUPS: Final = {
    ThousandsSeparator.POINT: ".",
    ThousandsSeparator.COMMA: ",",
    ThousandsSeparator.SPACE: " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}\N{FIGURE SPACE}",
    ThousandsSeparator.APOSTROPHE: "'\N{RIGHT SINGLE QUOTATION MARK}",
}
"""The characters that each separator may be."""

_MINUS: Final = "\N{MINUS SIGN}"
_GROUPED: Final = re.compile(r"[+-]?(?:[0-9]{1,3}(?: [0-9]{3})+|[0-9]{1,2}(?: [0-9]{2})+ [0-9]{3})")
"""Groups of three digits, or as in India of two before the last three; a blank for each separator."""


@dataclass(frozen=True, slots=True)
class NumberForm:
    """How numbers are written where they are texts."""

    decimal_comma: bool = False
    thousands: str = ThousandsSeparator.NONE

    @classmethod
    def of(cls, decimal_mark: str, thousands: str) -> "NumberForm":
        """The form that a feed says."""
        is_comma = decimal_mark == DecimalMark.COMMA
        return cls(is_comma, thousands) if is_comma or thousands != ThousandsSeparator.NONE else POINTS


POINTS: Final = NumberForm()
"""Numbers with decimal points and no separators."""


@dataclass(frozen=True, slots=True)
class MissingMarks:
    """The cells that say that there is no value; a mark that is a number, such as -9999, is one however it is
    written: -9999.0 says the same, and `nan` is one in any case.
    """

    texts: frozenset[str] = frozenset({""})
    numbers: frozenset[Decimal] = frozenset()
    has_nan: bool = False

    @classmethod
    def of(cls, texts: Iterable[str], form: NumberForm = POINTS) -> "MissingMarks":
        """The marks as a file has them; an empty cell is always one."""
        marks = frozenset(text.strip() for text in texts) | {""}
        return cls(marks, frozenset(_read_numbers(marks, form)), any(map(is_nan, marks)))

    def includes(self, text: str) -> bool:
        """Whether a text is a mark; one that is a number is only known once it is read."""
        return text in self.texts or (self.has_nan and is_nan(text))


def is_nan(text: str) -> bool:
    """Whether a text is the word of programs for what is no number."""
    return len(text) == 3 and text.lower() == "nan"


def _read_numbers(texts: Iterable[str], form: NumberForm) -> Iterable[Decimal]:
    for text in texts:
        # A mark may be written in any way, independent of the file.
        for possible in {form, POINTS, NumberForm(decimal_comma=True)}:
            try:
                yield read_number(text, possible)
            except CellError:
                continue


def read_number(text: str, form: NumberForm = POINTS) -> Decimal:
    """Read a number as a file writes it: with its decimal mark, perhaps separators and a minus behind it."""
    if form is POINTS and len(text) <= DIGITS_MAX and _QUICK_NUMBER.fullmatch(text):
        return Decimal(text)
    original_text = text
    if not isinstance(text, ReadyCell):
        text = _normalize_number(text, form)
    try:
        return parse_decimal(text)
    except NumberError as error:
        raise CellError(_build_clause(error, original_text)) from None


def _normalize_number(text: str, form: NumberForm) -> str:
    """The number as it is written with a decimal point and nothing else."""
    if form.thousands != ThousandsSeparator.NONE:
        mark = "," if form.decimal_comma else "."
        whole, point, decimals = text.partition(mark)
        text = _remove_separators(text, whole, _GROUPS[ThousandsSeparator(form.thousands)]) + point + decimals
    if form.decimal_comma:
        if "." in text:
            raise CellError(f"{shorten(text)!r} has a point, but the file has decimal commas")
        text = text.replace(",", ".", 1)
    if text.startswith(_MINUS):
        text = f"-{text[1:]}"
    elif text.endswith("-") and text[:1].isdigit():
        text = f"-{text[:-1]}"  # as SAP writes what is less than nothing
    return text


def _remove_separators(text: str, whole: str, separators: str) -> str:
    if not any(separator in whole for separator in separators):
        return whole
    blanked = whole.translate({ord(separator): " " for separator in separators})
    sign_less = f"-{blanked[1:]}" if blanked.startswith(_MINUS) else blanked.removesuffix("-")
    if not _GROUPED.fullmatch(sign_less):
        raise CellError(f"{shorten(text)!r} has digits in other groups than thousands")
    return blanked.replace(" ", "")


_LIMITS: Final = {"<": "<", ">": ">", "\N{LESS-THAN OR EQUAL TO}": "<", "\N{GREATER-THAN OR EQUAL TO}": ">"}


@dataclass(frozen=True, slots=True)
class LimitRule:
    """What values are that a laboratory or an instrument only bounds, such as `<0.05` and `>1000`."""

    below: str = BelowLimit.REFUSE
    above: str = AboveLimit.REFUSE


def is_limit(text: str) -> bool:
    """Whether a cell bounds a value in place of giving it."""
    return text[:1] in _LIMITS


def read_limit(text: str, form: NumberForm, rule: LimitRule) -> Decimal:
    """The value by the rule for a cell such as `<0.05`; the cell itself is kept as a flag."""
    limit = read_number(text[1:].removeprefix("=").strip(), form)
    is_below = _LIMITS[text[0]] == "<"
    word, name = (rule.below, "below_limit") if is_below else (rule.above, "above_limit")
    if word == BelowLimit.REFUSE:
        raise CellError(
            f"{shorten(text)!r} is only a limit of the value; {name} of the data feed says what it is"
        )
    if word == BelowLimit.ZERO:
        return Decimal(0)
    return limit_number(limit / 2) if word == BelowLimit.HALF else limit


def read_boolean(text: str) -> bool:
    """Read a yes or no."""
    word = text.lower()
    if word in TRUE_WORDS:
        return True
    if word in FALSE_WORDS:
        return False
    raise CellError(f"{shorten(text)!r} is neither true, yes, 1 nor false, no, 0")


def _build_clause(error: NumberError, text: str) -> str:
    sentence = str(error).rstrip(".")
    if not sentence.endswith("is not a decimal number"):
        return sentence
    hint = "; for decimal commas there is decimal_mark" if re.fullmatch(r"-?\d+,\d+", text) else ""
    return f"{shorten(text)!r} is not a decimal number{hint}"


STEPS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
"""The letters of a duration; a day is 24 hours."""

Moments = tuple[datetime, ...]
"""What a time may mean: one moment, or the earlier and the later one of a local time that comes twice."""

_ANY_TIME: Final = datetime(2001, 12, 23, 14, 15, 16, 171_819, tzinfo=UTC)

DURATION: Final = re.compile(r"([1-9][0-9]{0,6})([smhd])")
"""A length of time as options and data feeds write it."""


@dataclass(frozen=True, slots=True)
class Clock:
    """With a start, rows are counted from it; without one, their times are in columns."""

    zone: ZoneInfo | None = None
    time_format: str | None = None
    start: datetime | None = None
    every: timedelta | None = None
    is_reading: bool = False
    is_in_order: bool = False
    """Each row is later than the one before it."""
    after: datetime | None = None
    """When the last row of the files before this one begins, where files are in order too."""


def read_clock(
    *,
    time_zone: str | None = None,
    time_format: str | None = None,
    start: str | None = None,
    every: str | None = None,
    readings: bool = False,
    in_order: bool = False,
    after: datetime | None = None,
) -> Clock:
    """Read the settings that speak of times; raise with every problem."""
    problems: list[Problem] = []
    zone = _read_zone(time_zone, problems)
    step = _read_step(every, problems)
    begin = None
    if start is not None:
        try:
            begin = read_moment(start, zone)
        except CellError as error:
            problems.append(Problem(f"The start_time of the first row: {error}.", "start_time", "invalid"))
    if problems:
        raise Invalid(problems)
    return Clock(zone, time_format, begin, step, readings, in_order, after)


def check_clock(clock: Clock, fields: Collection[str]) -> list[Problem]:
    """Check that rows get exactly one start and at most one end."""
    problems = []
    has_start, has_end = "start_time" in fields, "end_time" in fields
    if clock.start is None and not has_start:
        problems.append(
            "No column gives start_time. Name the column that does, or the time of the first row."
        )
    if clock.start is not None and has_start:
        problems.append("A column gives start_time, and the first row has one too; leave one of them out.")
    if clock.start is not None and clock.every is None:
        problems.append("Rows are counted from the start_time of the first, and need a duration.")
    if has_end and clock.every is not None and clock.start is not None:
        problems.append("A column gives end_time, and rows are counted; leave one of them out.")
    if has_end and clock.is_reading:
        problems.append("A column gives end_time, but readings have no length; leave one of them out.")
    if clock.is_reading and clock.every is not None and clock.start is None:
        problems.append("A duration gives rows with a start_time their length, but readings have none.")
    if "utc_offset" in fields and clock.start is not None:
        problems.append("A column gives utc_offset, but rows are counted from the first; leave it out.")
    if clock.is_in_order and clock.start is not None:
        problems.append("rows_in_order is for times that columns give; rows are counted from the first.")
    return [Problem(sentence, "start_time", "invalid") for sentence in problems]


class PossibleTimes(NamedTuple):
    """The moments at which a row may begin and end; a reading has no end."""

    starts: Moments
    ends: Moments = ()


def read_moment(text: str, zone: ZoneInfo | None, time_format: str | None = None) -> datetime:
    """Read a time, by default in ISO 8601; one without an offset is local to the zone."""
    return _choose_only(text, list_moments(text, zone, time_format), zone)


def _choose_only(text: str, moments: Moments, zone: ZoneInfo | None) -> datetime:
    if len(moments) > 1:
        assert zone is not None, "only a zone has a time twice"  # noqa: S101
        raise CellError(
            f"{shorten(text)!r} comes twice in {zone.key}, where the clocks go back then; "
            "give its offset, or let rows_in_order be true when the rows are in the order of their times"
        )
    return moments[0]


def list_moments(
    text: str, zone: ZoneInfo | None, time_format: str | None = None, offset: str = ""
) -> Moments:
    """The moments that a time may mean: two of them for a local time that its zone has twice.

    An offset of a column of its own decides, whether it is a number of hours or a word of the zone.
    """
    try:
        moment = _parse(text, time_format)
        if moment.tzinfo is not None:
            return (moment.astimezone(UTC),)
        if offset:
            return (apply_offset(moment, offset, text, zone),)
        return _localize(moment, text, zone)
    except OverflowError:
        raise CellError(f"{shorten(text)!r} is outside the years 1 to 9999") from None
    except CellError:
        raise
    except (ValueError, re.error):  # a form that names a part twice makes no pattern
        example = f"of the form {time_format}" if time_format else "such as 2025-01-31T06:00:00Z"
        raise CellError(f"{shorten(text)!r} is not a time {example}") from None


def list_times(clock: Clock, index: int, start: str, end: str, offset: str = "") -> PossibleTimes:
    """The times that a row may have by its index among the rows and its cells.

    Raises CellError where its cells give no times.
    """
    if clock.start is not None and clock.every is not None:
        begin = _add_time(clock.start, index * clock.every)
        return PossibleTimes((begin,), () if clock.is_reading else (_add_time(begin, clock.every),))
    if not start:
        raise CellError("start_time is missing")
    begins = _read_moments("start_time", start, clock, offset)
    if not end:
        return PossibleTimes(_decide("start_time", start, begins, clock))
    ends = _read_moments("end_time", end, clock, "" if clock.zone else offset)
    if len(ends) > 1 and offset:
        # The clocks may go back between start and end: then the offset is that of the start alone.
        own = _read_moments("end_time", end, clock, offset)
        ends = own if own[0] > begins[0] else tuple(moment for moment in ends if moment > begins[0]) or ends
    if clock.every is not None:
        begins, ends = _match_length(clock, start, end, begins, ends)
    else:
        # A start after every end is excluded, where another is not.
        begins = tuple(moment for moment in begins if moment <= ends[-1]) or begins
    return PossibleTimes(_decide("start_time", start, begins, clock), _decide("end_time", end, ends, clock))


def _match_length(
    clock: Clock, start: str, end: str, begins: Moments, ends: Moments
) -> tuple[Moments, Moments]:
    """Which moments leave a row as long as every row is; a row of another length is refused."""
    pairs = [(begin, stop) for begin in begins for stop in ends if stop - begin == clock.every]
    if not pairs:
        minutes = (ends[0] - begins[0]) / timedelta(minutes=1)
        raise CellError(
            f"end_time: from {shorten(start)!r} to {shorten(end)!r} are {minutes:g} minutes, but duration of "
            "the data feed says otherwise"
        )
    return tuple(dict.fromkeys(begin for begin, _ in pairs)), tuple(dict.fromkeys(stop for _, stop in pairs))


def _decide(field: str, text: str, moments: Moments, clock: Clock) -> Moments:
    """The moments, of which there is one unless rows around decide."""
    if clock.is_in_order:
        return moments
    try:
        return (_choose_only(text, moments, clock.zone),)
    except CellError as error:
        raise CellError(f"{field}: {error}") from None


def add_length(clock: Clock, begin: datetime) -> datetime | None:
    """When a row ends that lasts as long as the clock says; None where the clock says nothing."""
    return None if clock.every is None or clock.is_reading else _add_time(begin, clock.every)


_END_OF_DAY: Final = (
    re.compile(r"(?<![0-9])24(?=[:.]00(?:[:.]00(?:[.,]0{1,9})?)?(?![0-9]))"),
    re.compile(r"(?<=[0-9]{8})24(?=00(?:00)?$)|(?<= )24(?=00$)"),
)
"""The hour of a midnight that ends a day, with marks between its parts and without."""


def _parse(text: str, time_format: str | None) -> datetime:
    if time_format in EPOCHS or time_format in SERIALS:
        return parse_counted(text, str(time_format))
    return parse_form(text, time_format)


def parse_form(text: str, time_format: str | None) -> datetime:
    """A time of a form, or in ISO 8601; 24:00 is the midnight that ends its day. ValueError elsewhere."""
    try:
        return _parse_plain(text, time_format)
    except ValueError:
        for hour in _END_OF_DAY:
            other, count = hour.subn("00", text)
            if count == 1:
                return _parse_plain(other, time_format) + timedelta(days=1)
        raise


def _parse_plain(text: str, time_format: str | None) -> datetime:
    if time_format is None:
        return datetime.fromisoformat(text)
    return datetime.strptime(text, time_format)  # noqa: DTZ007 - the caller adds the zone


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_MICROSECONDS: Final = Decimal(86_400_000_000)
_MICROSECOND: Final = Decimal(1)
_COUNTED: Final = re.compile(r"-?[0-9]{1,20}(?:[.,][0-9]{1,20})?")


def parse_counted(text: str, time_format: str) -> datetime:
    """A time that is a number, of seconds since 1970 or of days as in a spreadsheet, rounded to microseconds.

    ValueError where it is none. Days have no zone; the milliseconds of a spreadsheet are what it shows.
    """
    if not _COUNTED.fullmatch(text):
        raise ValueError(text)
    number = Decimal(text.replace(",", "."))
    if time_format in EPOCHS:
        micros = (number.scaleb(6 - EPOCHS[time_format])).quantize(_MICROSECOND, ROUND_HALF_EVEN)
        return _EPOCH + timedelta(microseconds=int(micros))
    is_1904 = SERIALS[time_format]
    if number < (0 if is_1904 else 61):
        raise ValueError(text)
    epoch = datetime(1904, 1, 1) if is_1904 else datetime(1899, 12, 30)  # noqa: DTZ001 - the caller adds the zone
    millis = (number * _DAY_MICROSECONDS / 1000).quantize(_MICROSECOND, ROUND_HALF_EVEN)
    return epoch + timedelta(milliseconds=int(millis))


_OFFSET: Final = re.compile(r"(?:UTC|GMT)?([+-])([0-9]{1,2})(?::?([0-9]{2}))?", re.IGNORECASE)
_SUMMER_WORDS: Final = frozenset({"1", "dst", "summer", "s", "sommerzeit", "sz", "mesz", "true", "yes"})
_WINTER_WORDS: Final = frozenset(
    {"0", "std", "standard", "winter", "w", "winterzeit", "normalzeit", "wz", "mez", "false", "no"}
)
"""Words for daylight saving time and standard time, beside the abbreviations of the zone itself."""


def apply_offset(moment: datetime, offset: str, text: str, zone: ZoneInfo | None) -> datetime:
    """The moment of a local time with an offset of its own, such as `+02:00`, `CEST` or `summer`.

    CellError where the offset is none, or where the zone never has this time with it.
    """
    if offset.upper() in {"Z", "UTC", "GMT"}:
        return moment.replace(tzinfo=UTC)
    if match := _OFFSET.fullmatch(offset):
        length = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
        return (moment - length if match[1] == "+" else moment + length).replace(tzinfo=UTC)
    word = offset.casefold()
    if zone is None:
        raise CellError(
            f"utc_offset is {shorten(offset)!r}, a word of a zone; the data feed has no time_zone"
        )
    fitting = {
        local.astimezone(UTC)
        for local in (moment.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
        if _exists(local, zone) and _is_named(local, word)
    }
    if len(fitting) != 1:
        raise CellError(
            f"utc_offset is {shorten(offset)!r}, with which {zone.key} does not have {shorten(text)!r}; "
            "it takes an offset such as +02:00, or a word such as CEST, DST or STD"
        )
    return fitting.pop()


def _exists(local: datetime, zone: ZoneInfo) -> bool:
    """Whether the zone has a local time: it comes back from UTC as it was."""
    return local.astimezone(UTC).astimezone(zone).replace(tzinfo=None) == local.replace(tzinfo=None)


def _is_named(local: datetime, word: str) -> bool:
    is_summer = bool(local.dst())
    known = (local.tzname() or "").casefold(), *(_SUMMER_WORDS if is_summer else _WINTER_WORDS)
    return word in known


def _add_time(moment: datetime, time: timedelta) -> datetime:
    try:
        return moment + time
    except OverflowError:
        raise CellError("its time would lie past the year 9999") from None


_NUMBER_CELL: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


def _read_moments(field: str, text: str, clock: Clock, offset: str) -> Moments:
    # A date of a workbook is read already; a number of one is what the form says.
    is_read = isinstance(text, ReadyCell) and not _NUMBER_CELL.fullmatch(text)
    try:
        return list_moments(text, clock.zone, None if is_read else clock.time_format, offset)
    except CellError as error:
        raise CellError(f"{field}: {error}") from None


def _localize(moment: datetime, text: str, zone: ZoneInfo | None) -> Moments:
    if zone is None:
        message = f"{shorten(text)!r} has no offset, such as Z or +01:00; the data feed has no time_zone"
        raise CellError(message)
    first = moment.replace(tzinfo=zone, fold=0)
    second = first.replace(fold=1)
    before, after = first.utcoffset(), second.utcoffset()
    assert before is not None  # noqa: S101 - a zone of the IANA list has offsets
    assert after is not None  # noqa: S101 - as above
    if before < after:
        raise CellError(f"{shorten(text)!r} does not exist in {zone.key}: the clocks go forward then")
    if before > after:
        return first.astimezone(UTC), second.astimezone(UTC)
    return (first.astimezone(UTC),)


def is_time_format(time_format: str) -> bool:
    """Whether times can be read by a form: what it writes it reads again."""
    if time_format in EPOCHS or time_format in SERIALS:
        return True
    try:
        datetime.strptime(_ANY_TIME.strftime(time_format), time_format)  # noqa: DTZ007 - only whether it can
    except (ValueError, re.error):
        return False
    return "%" in time_format


def _read_zone(name: str | None, problems: list[Problem]) -> ZoneInfo | None:
    if name is None:
        return None
    if name not in time_zone_names():
        problems.append(
            Problem(
                f"time_zone is {name!r}, which is not on the IANA list, such as Europe/Istanbul or UTC.",
                "time_zone",
                "invalid",
            )
        )
        return None
    return ZoneInfo(name)


def _read_step(text: str | None, problems: list[Problem]) -> timedelta | None:
    if text is None:
        return None
    match = DURATION.fullmatch(text)
    if match is None:
        problems.append(
            Problem(
                f"duration is {text!r}; it takes a whole number with s, m, h or d, such as 15m or 1h.",
                "duration",
                "invalid",
            )
        )
        return None
    return timedelta(**{STEPS[match[2]]: int(match[1])})
