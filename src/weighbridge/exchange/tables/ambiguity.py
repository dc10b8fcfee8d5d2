"""What a sample leaves open: the order of day and month, the decimal mark, and the zone of its times.

Invariants: a reading is open only if another one fits every row that was looked at as well; what is open is
never decided here. A file whose columns are parted by commas is not asked for a point, and a number of four
digits or more without a mark shows that the file separates no thousands.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

import msgspec

from weighbridge.collection.records.data_points import EventType
from weighbridge.core.collection.data_feed import COUNTED_FORMATS, ThousandsSeparator
from weighbridge.exchange.records.data_feeds import FeedColumn
from weighbridge.exchange.tables.columns import TIME_FIELDS
from weighbridge.exchange.tables.sample import TIME_FORMATS, FileSample, list_times_of, parse_times

EXAMPLES_MAX: Final = 3
"""Cells of a sample that show what an answer means."""

_MARKED: Final = re.compile(r"[+-]?\d+([.,])\d+")
_THOUSANDS: Final = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}")
"""A number that may have a decimal mark or a thousands separator."""

_LONG_INTEGER: Final = re.compile(r"[+-]?\d{4,}")


class SampleAmbiguity(msgspec.Struct, frozen=True):
    """What the first rows of a file do not decide."""

    time_columns: list[str]
    """The columns whose cells were read as times."""
    times: list[str] = []
    """Some of these cells, first one that the formats read differently."""
    formats: list[str] = []
    """The formats that read all of them, where there are several."""
    lacks_offset: bool = False
    """Whether a time says nothing of its zone."""
    numbers: list[str] = []
    """Some numbers, where the mark in them may be a decimal mark or a thousands separator."""


def find_ambiguity(
    sample: FileSample, columns: Sequence[FeedColumn], event_type: EventType
) -> SampleAmbiguity:
    """Find what the rows of a sample leave open, where columns give this."""
    times = list_times_of(sample, columns)
    formats = list_time_formats(times)
    is_told = sample.is_workbook or sample.thousands_separator != ThousandsSeparator.NONE
    numbers = [] if is_told else _list_numbers(sample, columns, event_type)
    return SampleAmbiguity(
        [column.column for column in columns if column.field in TIME_FIELDS],
        choose_examples(times, formats),
        formats if len(formats) > 1 else [],
        lacks_offset(times, formats),
        [*dict.fromkeys(numbers)][:EXAMPLES_MAX] if is_mark_open(numbers, sample.delimiter) else [],
    )


def list_time_formats(times: Sequence[str]) -> list[str]:
    """The formats that read every time; none for times in ISO 8601, which are read in one way only."""
    if counted := [form for form in COUNTED_FORMATS if times and parse_times(times, form)]:
        return counted
    if not times or parse_times(times, None):
        return []
    return [time_format for time_format in TIME_FORMATS if parse_times(times, time_format)]


def choose_examples(times: Sequence[str], formats: Sequence[str]) -> list[str]:
    """Some of the times, first those that the formats read differently."""
    distinct = [*dict.fromkeys(times)]
    return sorted(distinct, key=lambda time: len(_list_readings(time, formats)) < 2)[:EXAMPLES_MAX]


def lacks_offset(times: Sequence[str], formats: Sequence[str]) -> bool:
    """Whether any of the times has no offset."""
    moments = parse_times(times, formats[0] if formats else None)
    return any(moment.tzinfo is None for moment in moments)


def is_mark_open(numbers: Sequence[str], delimiter: str) -> bool:
    """Whether the only mark of all numbers may separate decimals or thousands."""
    marked = [number for number in numbers if _MARKED.fullmatch(number)]
    marks = {mark for number in marked for mark in ".," if mark in number}
    return (
        len(marks) == 1
        and not (delimiter == "," and "." in marks)
        and all(map(_THOUSANDS.fullmatch, marked))
        and not any(map(_LONG_INTEGER.fullmatch, numbers))
    )


def _list_readings(time: str, formats: Sequence[str]) -> set[datetime]:
    return {moment for time_format in formats for moment in parse_times([time], time_format)}


def _list_numbers(sample: FileSample, columns: Sequence[FeedColumn], event_type: EventType) -> list[str]:
    """The cells of the columns of numbers; where none is known, of all that give no time."""
    numeric = {point.slug for point in event_type.data_point_types if point.value_type == "number"}
    chosen = {column.column for column in columns if column.field in numeric}
    times = {column.column for column in columns if column.field in TIME_FIELDS}
    return [
        cell
        for index, name in enumerate(sample.header)
        if (name in chosen if chosen else name not in times)
        for cell in sample.column(index)
    ]
