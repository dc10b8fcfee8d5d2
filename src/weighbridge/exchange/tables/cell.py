"""A cell is the text of one value, read as the number, the yes or no, the text or the time that it says.

The clock of a file says which times a row may mean, by its columns or by counting from the first row.

Invariants: a number is taken to the last digit or refused; nothing is guessed, neither a thousands separator
nor a word for zero. A time without an offset is read in a named time zone or refused; a local time that the
zone skips is refused, and so is one that it has twice, unless the caller vouches that the rows are in order:
then both moments are given, and `dating.py` decides between them. Times come out in UTC.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from weighbridge.core.number import DIGITS_MAX, NumberError, parse_decimal, shorten
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


@dataclass(frozen=True, slots=True)
class MissingMarks:
    """The cells that say that there is no value; a mark that is a number, such as -9999, is one however it is
    written: -9999.0 says the same.
    """

    texts: frozenset[str] = frozenset({""})
    numbers: frozenset[Decimal] = frozenset()

    @classmethod
    def of(cls, texts: Iterable[str], *, decimal_comma: bool = False) -> "MissingMarks":
        """The marks as a file has them; an empty cell is always one."""
        marks = frozenset(text.strip() for text in texts) | {""}
        return cls(marks, frozenset(_read_numbers(marks, decimal_comma=decimal_comma)))


def _read_numbers(texts: Iterable[str], *, decimal_comma: bool) -> Iterable[Decimal]:
    for text in texts:
        # A mark may be written in either way, independent of the file.
        for comma in {decimal_comma, False}:
            try:
                yield read_number(text, decimal_comma=comma)
            except CellError:
                continue


def read_number(text: str, *, decimal_comma: bool = False) -> Decimal:
    """Read a number with a decimal point, or with a decimal comma."""
    original_text = text
    if decimal_comma and not isinstance(text, ReadyCell):
        if "." in text:
            raise CellError(f"{shorten(text)!r} has a point, but the file has decimal commas")
        text = text.replace(",", ".", 1)
    if len(text) <= DIGITS_MAX and _QUICK_NUMBER.fullmatch(text):
        return Decimal(text)
    try:
        return parse_decimal(text)
    except NumberError as error:
        raise CellError(_build_clause(error, original_text)) from None


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


def read_clock(
    *,
    time_zone: str | None = None,
    time_format: str | None = None,
    start: str | None = None,
    every: str | None = None,
    readings: bool = False,
    in_order: bool = False,
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
    return Clock(zone, time_format, begin, step, readings, in_order)


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
    if has_end and clock.every is not None:
        problems.append("A column gives end_time, and there is a duration; leave one of them out.")
    if has_end and clock.is_reading:
        problems.append("A column gives end_time, but readings have no length; leave one of them out.")
    if clock.is_reading and clock.every is not None and clock.start is None:
        problems.append("A duration gives rows with a start_time their length, but readings have none.")
    if clock.is_in_order and clock.start is not None:
        problems.append("rows_in_order is for times that columns give; rows are counted from the first.")
    return [Problem(sentence, "start_time", "invalid") for sentence in problems]


class PossibleTimes(NamedTuple):
    """The moments at which a row may begin and end; a reading has no end."""

    starts: Moments
    ends: Moments = ()


def read_moment(text: str, zone: ZoneInfo | None, time_format: str | None = None) -> datetime:
    """Read a time, by default in ISO 8601; one without an offset is local to the zone."""
    moments = list_moments(text, zone, time_format)
    if len(moments) > 1:
        assert zone is not None, "only a zone has a time twice"  # noqa: S101
        raise CellError(
            f"{shorten(text)!r} comes twice in {zone.key}, where the clocks go back then; "
            "give its offset, or let rows_in_order be true when the rows are in the order of their times"
        )
    return moments[0]


def list_moments(text: str, zone: ZoneInfo | None, time_format: str | None = None) -> Moments:
    """The moments that a time may mean: two of them for a local time that its zone has twice."""
    try:
        moment = _parse(text, time_format)
        if moment.tzinfo is not None:
            return (moment.astimezone(UTC),)
        return _localize(moment, text, zone)
    except OverflowError:
        raise CellError(f"{shorten(text)!r} is outside the years 1 to 9999") from None
    except CellError:
        raise
    except (ValueError, re.error):  # a form that names a part twice makes no pattern
        example = f"of the form {time_format}" if time_format else "such as 2025-01-31T06:00:00Z"
        raise CellError(f"{shorten(text)!r} is not a time {example}") from None


def list_times(clock: Clock, index: int, start: str, end: str) -> PossibleTimes:
    """The times that a row may have by its index among the rows and its cells.

    Raises CellError where its cells give no times.
    """
    if clock.start is not None and clock.every is not None:
        begin = _add_time(clock.start, index * clock.every)
        return PossibleTimes((begin,), () if clock.is_reading else (_add_time(begin, clock.every),))
    if not start:
        raise CellError("start_time is missing")
    begins = _read_moments("start_time", start, clock)
    if clock.every is not None or not end:
        return PossibleTimes(begins)
    ends = _read_moments("end_time", end, clock)
    # A start after every end is excluded, where another is not.
    return PossibleTimes(tuple(moment for moment in begins if moment <= ends[-1]) or begins, ends)


def add_length(clock: Clock, begin: datetime) -> datetime | None:
    """When a row ends that lasts as long as the clock says; None where the clock says nothing."""
    return None if clock.every is None or clock.is_reading else _add_time(begin, clock.every)


def _parse(text: str, time_format: str | None) -> datetime:
    if time_format is None:
        return datetime.fromisoformat(text)
    return datetime.strptime(text, time_format)  # noqa: DTZ007 - the caller adds the zone


def _add_time(moment: datetime, time: timedelta) -> datetime:
    try:
        return moment + time
    except OverflowError:
        raise CellError("its time would lie past the year 9999") from None


def _read_moments(field: str, text: str, clock: Clock) -> Moments:
    time_format = None if isinstance(text, ReadyCell) else clock.time_format
    try:
        if clock.is_in_order:
            return list_moments(text, clock.zone, time_format)
        return (read_moment(text, clock.zone, time_format),)
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
