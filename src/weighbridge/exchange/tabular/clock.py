"""The clock of an import: how a row comes by its times, from its columns or by counting from a start.

Invariants: a time without an offset is read in a named time zone or refused; a local time that the zone
skips is refused, and so is one that it has twice, unless the caller vouches that the rows are in order: then
each is later than the one before it, or refused. What comes out is in UTC.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import shorten
from weighbridge.errors import Invalid
from weighbridge.exchange.tabular.cell import CellError, ReadyCell

STEPS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
"""The letters of `--every`; a day is 24 hours."""

Disambiguation = Callable[[datetime, datetime], datetime]
"""Says which of two moments a local time means that comes twice, the earlier or the later."""

DURATION: Final = re.compile(r"([1-9][0-9]{0,6})([smhd])")
"""A length of time as options and data feeds write it."""


@dataclass(frozen=True, slots=True)
class Clock:
    """With a start, rows are counted from it; without one, their times stand in columns."""

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
    """Read the options that speak of times; raise with every problem."""
    problems: list[Problem] = []
    zone = _zone(time_zone, problems)
    step = _step(every, problems)
    begin = None
    if start is not None:
        try:
            begin = read_moment(start, zone)
        except CellError as error:
            problems.append(Problem(f"--start {error}.", "start", "invalid"))
    if problems:
        raise Invalid(problems)
    return Clock(zone, time_format, begin, step, readings, in_order)


def check_clock(clock: Clock, fields: Collection[str]) -> list[Problem]:
    """Check that rows get exactly one start and at most one end."""
    problems = []
    if clock.start is None and "start_time" not in fields:
        problems.append("Rows have no times: map a column to start_time, or give --start and --every.")
    if clock.start is not None and "start_time" in fields:
        problems.append("A column gives start_time and --start is given too; leave one of them out.")
    if clock.start is not None and clock.every is None:
        problems.append("--start needs --every, the time from one row to the next.")
    if "end_time" in fields and clock.every is not None:
        problems.append("A column gives end_time and --every is given too; leave one of them out.")
    if "end_time" in fields and clock.is_reading:
        problems.append("A column gives end_time, but --readings have no length; leave one of them out.")
    if clock.is_reading and clock.every is not None and clock.start is None:
        problems.append("--every gives rows with a start_time their length, but --readings have none.")
    if clock.is_in_order and clock.start is not None:
        problems.append("--in-order is for times that stand in columns; with --start rows are counted.")
    return [Problem(sentence, "start_time", "invalid") for sentence in problems]


def read_moment(
    text: str, zone: ZoneInfo | None, time_format: str | None = None, choice: Disambiguation | None = None
) -> datetime:
    """Read a time, by default in ISO 8601; one without an offset is local to the zone."""
    try:
        moment = _parsed(text, time_format)
        return (_local(moment, text, zone, choice) if moment.tzinfo is None else moment).astimezone(UTC)
    except OverflowError:
        raise CellError(f"{shorten(text)!r} lies outside the years 1 to 9999") from None
    except CellError:
        raise
    except ValueError:
        example = f"of the form {time_format}" if time_format else "such as 2025-01-31T06:00:00Z"
        raise CellError(f"{shorten(text)!r} is not a time {example}") from None


def times_of_row(
    clock: Clock, index: int, start: str, end: str, last: datetime | None = None
) -> tuple[datetime, datetime | None]:
    """Find the times of a row from its index among the rows and its cells; no end makes a reading.

    `last` is the start of the row before it.
    """
    if clock.start is not None and clock.every is not None:
        begin = _later(clock.start, index * clock.every)
        return begin, None if clock.is_reading else _later(begin, clock.every)
    if not start:
        raise CellError("start_time is missing")
    begin = _moment_in(
        "start_time", start, clock, lambda one, other: one if last is None or one > last else other
    )
    if clock.is_in_order and last is not None and begin <= last:
        raise CellError(f"start_time: {shorten(start)!r} is not later than the row before it")
    if clock.every is not None:
        return begin, _later(begin, clock.every)
    if not end:
        return begin, None
    return begin, _moment_in("end_time", end, clock, lambda one, other: one if one >= begin else other)


def _parsed(text: str, time_format: str | None) -> datetime:
    if time_format is None:
        return datetime.fromisoformat(text)
    return datetime.strptime(text, time_format)  # noqa: DTZ007 - the caller adds the zone


def _later(moment: datetime, time: timedelta) -> datetime:
    try:
        return moment + time
    except OverflowError:
        raise CellError("its time would lie past the year 9999") from None


def _moment_in(field: str, text: str, clock: Clock, choice: Disambiguation) -> datetime:
    time_format = None if isinstance(text, ReadyCell) else clock.time_format
    try:
        return read_moment(text, clock.zone, time_format, choice if clock.is_in_order else None)
    except CellError as error:
        raise CellError(f"{field}: {error}") from None


def _local(moment: datetime, text: str, zone: ZoneInfo | None, choice: Disambiguation | None) -> datetime:
    if zone is None:
        raise CellError(f"{shorten(text)!r} has no offset; name its zone with --time-zone")
    first = moment.replace(tzinfo=zone, fold=0)
    second = first.replace(fold=1)
    before, after = first.utcoffset(), second.utcoffset()
    assert before is not None  # noqa: S101 - a zone of the IANA list has offsets
    assert after is not None  # noqa: S101 - as above
    if before < after:
        raise CellError(f"{shorten(text)!r} does not exist in {zone.key}: the clocks go forward then")
    if before > after:
        if choice is not None:
            # In UTC, for times of one zone are compared by what their clocks show.
            return choice(first.astimezone(UTC), second.astimezone(UTC))
        raise CellError(
            f"{shorten(text)!r} comes twice in {zone.key}, where the clocks go back then; "
            "give its offset, or say --in-order when the rows are in the order of their times"
        )
    return first


def _zone(name: str | None, problems: list[Problem]) -> ZoneInfo | None:
    if name is None:
        return None
    if name not in available_timezones():
        problems.append(
            Problem(
                f"--time-zone {name!r} is not on the IANA list, such as Europe/Istanbul or UTC.",
                "time_zone",
                "invalid",
            )
        )
        return None
    return ZoneInfo(name)


def _step(text: str | None, problems: list[Problem]) -> timedelta | None:
    if text is None:
        return None
    match = DURATION.fullmatch(text)
    if match is None:
        problems.append(
            Problem(
                f"--every is {text!r}; it takes a whole number with s, m, h or d, such as 15m or 1h.",
                "every",
                "invalid",
            )
        )
        return None
    return timedelta(**{STEPS[match[2]]: int(match[1])})
