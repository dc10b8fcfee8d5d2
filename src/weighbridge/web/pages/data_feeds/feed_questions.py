"""What the form of a feed asks about a sample: which format, which mark, which zone; and what comes of it.

The sample is stored nowhere, so the form carries its first rows, and what they leave open, from one request
to the next.

Invariant: nothing is chosen for a person; an open question has no answer until somebody gives one, and a feed
is not saved before.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from weighbridge.collection.records.data_points import EventType
from weighbridge.core.collection.data_feed import ThousandsSeparator
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant, time_zone_names
from weighbridge.errors import Invalid
from weighbridge.exchange.records.data_feeds import DATA_FEED_BODIES, DataFeed, FeedColumn
from weighbridge.exchange.tables.ambiguity import SampleAmbiguity, find_ambiguity
from weighbridge.exchange.tables.cell import CellError, read_moment
from weighbridge.exchange.tables.columns import TIME_FIELDS
from weighbridge.exchange.tables.preview import PreviewedRow, list_lacking, preview_rows
from weighbridge.exchange.tables.sample import FileSample, parse_times
from weighbridge.web.display.figures import MONTHS, format_clock

CARRIED_ROWS_MAX: Final = 5
"""Rows of a sample that the form carries and shows as events."""

CARRIED_CHARACTERS_MAX: Final = 50_000
"""Characters of the carried rows, all together."""

TYPED: Final = "typed"
"""The answer that what stands in the field below holds."""

_THIN: Final = "\N{NARROW NO-BREAK SPACE}"


class CarriedSample(msgspec.Struct, frozen=True):
    """What the form carries of a sample."""

    name: str
    header: list[str]
    header_line: int
    rows: list[list[str]]
    units: list[str]
    delimiter: str
    is_workbook: bool
    ambiguity: SampleAmbiguity

    @property
    def text(self) -> str:
        """As the form carries it."""
        return msgspec.json.encode(self).decode()


@dataclass(frozen=True, slots=True)
class Alternative:
    """An answer, and some cells of the sample as they are read by it."""

    value: str
    words: str
    readings: list[tuple[str, Instant | str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SampleQuestion:
    """A question that the form asks; `field` is what an answer fills in."""

    field: str
    title: str
    sentence: str
    alternatives: list[Alternative]

    @property
    def name(self) -> str:
        """How the radio buttons are called."""
        return f"answer_{self.field}"


def carry_sample(sample: FileSample, columns: Sequence[FeedColumn], event_type: EventType) -> CarriedSample:
    """The first rows of a sample, as many as a form may carry, with what the sample leaves open."""
    rows: list[list[str]] = []
    left = CARRIED_CHARACTERS_MAX - sum(map(len, sample.header))
    for row in sample.rows[:CARRIED_ROWS_MAX]:
        left -= sum(map(len, row)) + len(row)
        if left < 0:
            break
        rows.append([*map(str, row)])
    return CarriedSample(
        sample.name, sample.header, sample.header_line, rows, sample.units, sample.delimiter,
        sample.is_workbook, find_ambiguity(sample, columns, event_type),
    )  # fmt: skip


def read_carried(text: str) -> CarriedSample | None:
    """What the form carried; None without a sample, or where somebody has changed it."""
    try:
        return msgspec.json.decode(text, type=CarriedSample) if text else None
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None


def find_open(
    carried: CarriedSample, columns: Sequence[FeedColumn], event_type: EventType
) -> SampleAmbiguity:
    """What is open where columns give this; of columns that were chosen since, by the carried rows."""
    times = [column.column for column in columns if column.field in TIME_FIELDS]
    if times == carried.ambiguity.time_columns:
        return carried.ambiguity
    sample = FileSample(
        carried.name, carried.header, carried.rows, "", carried.delimiter, "", carried.header_line,
        carried.is_workbook,
    )  # fmt: skip
    return find_ambiguity(sample, columns, event_type)


def list_questions(
    ambiguity: SampleAmbiguity, zone: str, time_format: str | None, *, is_format_chosen: bool
) -> list[SampleQuestion]:
    """What the form asks, for a project in a zone; None as format is ISO 8601."""
    questions = []
    if ambiguity.formats:
        questions.append(_ask_format(ambiguity))
    if ambiguity.lacks_offset:
        questions.append(_ask_zone(ambiguity, zone, time_format, is_format_chosen=is_format_chosen))
    if ambiguity.numbers:
        questions.append(_ask_mark(ambiguity.numbers))
    return questions


def check_answers(questions: Sequence[SampleQuestion], typed: Mapping[str, Sequence[str]]) -> None:
    """Raise Invalid with every question that has no answer."""
    problems = []
    for question in questions:
        answer = "".join(typed.get(question.name, ())[:1])
        below = "".join(typed.get(question.field, ())[:1]).strip()
        if answer not in {alternative.value for alternative in question.alternatives}:
            text = f"{question.title}: the sample does not decide it. Select one of the answers."
            problems.append(Problem(text, question.name, "required"))
        elif answer == TYPED and not below:
            text = f"{question.title}: type it in the field below, or select another answer."
            problems.append(Problem(text, question.name, "required"))
    if problems:
        raise Invalid(problems)


def list_answers(typed: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The fields that answers fill in."""
    fields = ("time_format", "time_zone", "decimal_mark")
    answers = {name: "".join(typed.get(f"answer_{name}", ())[:1]) for name in fields}
    given = {name: answer for name, answer in answers.items() if answer and answer != TYPED}
    if mark := given.get("decimal_mark"):
        # An answer that has two marks says the separator too.
        given |= {"decimal_mark": mark[:1], "thousands_separator": mark[1:] or ThousandsSeparator.NONE}
    return given


def build_preview(
    carried: CarriedSample, body: Mapping[str, object], event_type: EventType, new_locations: int
) -> tuple[list[PreviewedRow], list[str]]:
    """The carried rows as events, and the sentences that say what all of them lack or why they are none."""
    given = {name: value for name, value in body.items() if value not in (None, "")}
    names = {"name": "Sample", "event_type_id": event_type.id}
    try:
        new = msgspec.convert({"data_feed": names | given}, DATA_FEED_BODIES.new_body)
        feed: DataFeed = DATA_FEED_BODIES.created(new)
        rows = preview_rows(carried.header, carried.rows, feed, event_type, carried.units)
        return rows, list_lacking(
            carried.header, feed, event_type, carried.units, new_locations=new_locations
        )
    except Invalid as refusal:
        return [], [problem.message for problem in refusal.problems]
    except (msgspec.ValidationError, ValueError) as error:
        return [], [f"The settings cannot be read: {error}."]


def _ask_format(ambiguity: SampleAmbiguity) -> SampleQuestion:
    readings: dict[str, list[tuple[str, datetime]]] = {
        time_format: [
            (time, moment) for time in ambiguity.times for moment in parse_times([time], time_format)
        ]
        for time_format in ambiguity.formats
    }
    example = ambiguity.times[0]
    days = [*dict.fromkeys(_write_day(moments[0][1]) for moments in readings.values())]
    sentence = (
        f"{example} may be {', '.join(days[:-1])} or {days[-1]}. Which is it?"
        if len(days) > 1
        else f"{example} can be read in several ways, which agree in these rows alone. Which is right?"
    )
    alternatives = [
        Alternative(
            time_format, f"{_name_order(time_format)} ({time_format})",
            [(time, f"{_write_day(moment)} {format_clock(moment)}") for time, moment in moments],
        )
        for time_format, moments in readings.items()
    ]  # fmt: skip
    typed = Alternative(TYPED, "Another format, typed below as the time format")
    return SampleQuestion("time_format", "Order of day and month", sentence, [*alternatives, typed])


def _ask_zone(
    ambiguity: SampleAmbiguity, zone: str, time_format: str | None, *, is_format_chosen: bool
) -> SampleQuestion:
    fixed = _find_standard_time(zone)
    summer = ", with daylight saving time" if fixed else ""
    names = {zone: f"{zone}, the time zone of the project{summer}"}
    if fixed:
        names[fixed] = f"Standard time all year, as many control systems log it ({fixed})"
    names.setdefault("UTC", "UTC")
    times = ambiguity.times if is_format_chosen else []
    alternatives = [
        Alternative(name, words, [*_read_in_zone(times, name, time_format)]) for name, words in names.items()
    ]
    typed = Alternative(TYPED, "Another time zone, typed below as the time zone")
    sentence = f"Times such as {ambiguity.times[0]} have no offset. In which time zone are they?"
    return SampleQuestion("time_zone", "Time zone of the file", sentence, [*alternatives, typed])


def _ask_mark(numbers: Sequence[str]) -> SampleQuestion:
    example = numbers[0]
    mark = "," if "," in example else "."
    word, other = ("comma", ".") if mark == "," else ("point", ",")
    as_decimals = [(number, number.replace(mark, ".")) for number in numbers]
    as_thousands = [(number, number.replace(mark, _THIN)) for number in numbers]
    sentence = f"{example} may be {as_decimals[0][1]} or {as_thousands[0][1]}. What is the {word}?"
    alternatives = [
        Alternative(mark, "The decimal mark", [*as_decimals]),
        Alternative(f"{other}{mark}", "A thousands separator", [*as_thousands]),
    ]
    return SampleQuestion("decimal_mark", "Decimal mark", sentence, alternatives)


def _read_in_zone(
    times: Sequence[str], zone: str, time_format: str | None
) -> Iterator[tuple[str, Instant | str]]:
    for time in times:
        try:
            yield time, Instant.of(read_moment(time, ZoneInfo(zone), time_format))
        except CellError as error:
            yield time, f"{error}."


def _find_standard_time(zone: str) -> str | None:
    """The zone that has the standard time of another all year, where that has another time in summer."""
    year = datetime(2025, 1, 1, tzinfo=ZoneInfo(zone))
    offsets = {year.replace(month=month).utcoffset() for month in (1, 7)} - {None}
    hours, rest = divmod(min(offset.total_seconds() for offset in offsets if offset is not None), 3600)
    name = f"Etc/GMT{-int(hours):+d}" if hours else "UTC"
    return name if len(offsets) > 1 and not rest and name in time_zone_names() else None


def _write_day(moment: datetime) -> str:
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}"


_PARTS: Final = {"d": "day", "m": "month", "y": "year", "Y": "year"}


def _name_order(time_format: str) -> str:
    letters = [letter for before, letter in pairwise(time_format) if before == "%"]
    words = ", ".join(_PARTS[letter] for letter in letters if letter in _PARTS)
    return f"{words[:1].upper()}{words[1:]}"
