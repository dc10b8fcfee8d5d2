"""Intake: check new events against their types and write them as rows of COPY text.

This is the hot path of collection: a few microseconds for each event. The quick test of a number (a
short text without an exponent) accepts only what the full rule in `core.number` accepts too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from weighbridge.core import ids
from weighbridge.core.number import DIGITS_MAX, NumberError, limited
from weighbridge.core.problem import Problem
from weighbridge.resources.events.records import (
    LOCATIONS_MAX,
    REFERENCE_LENGTH_MAX,
    TEXT_LENGTH_MAX,
    EventReceipt,
    NewDataPoint,
    NewEvent,
)

PROBLEMS_MAX: Final = 100
"""Problems named in one refusal; a caller who sent 10,000 bad rows learns enough from these."""

COPY_EVENTS: Final = """
    COPY events (project_id, id, event_type_id, start_time, end_time, tracking_id, feedstock_id,
                 client_reference, notes, location_ids, numbers, texts, booleans, is_complete) FROM STDIN
"""

_EVENT: Final = ids.PREFIXES["event"]
_KEY_STEP: Final = 1 << ids.PROJECT_BITS
_ESCAPES: Final = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_NULL: Final = "\\N"


@dataclass(frozen=True, slots=True)
class Slot:
    """Where the values of one data point type stand in its events."""

    position: int
    value_type: str


@dataclass(frozen=True, slots=True)
class Template:
    """What intake knows of an event type."""

    number: int
    slots: Mapping[str, Slot]
    width: int
    required: frozenset[str]
    locations_min: int
    requires_tracking_id: bool


@dataclass(frozen=True, slots=True)
class Known:
    """The records of the project that the events of a request may name, by the ids they are named with."""

    project: int
    templates: Mapping[str, Template]
    locations: Mapping[str, int]
    feedstocks: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Intake:
    """Rows ready for COPY with the receipts for their senders; the rows are void when there are problems."""

    rows: list[str]
    receipts: list[EventReceipt]
    problems: list[Problem]


def take_in(events: Sequence[NewEvent], keys: Sequence[int], known: Known, prefix: str) -> Intake:
    """Check every event and write its row; problems name the field as `events[3].data_points[0].value`."""
    intake = Intake([], [], [])
    packed_project = ids.packed(known.project, 0)
    for index, (event, key) in enumerate(zip(events, keys, strict=True)):
        template = known.templates.get(event.event_type)
        field = f"{prefix}[{index}]" if prefix == "events" else prefix
        if template is None:
            intake.problems.append(_unknown_type(event.event_type, known, field))
        else:
            friendly = ids.make_packed(_EVENT, packed_project + key * _KEY_STEP)
            _take_in_one(intake, event, key, template, known, field, friendly)
        if len(intake.problems) > PROBLEMS_MAX:
            break
    return intake


def _take_in_one(
    intake: Intake, event: NewEvent, key: int, template: Template, known: Known, field: str, friendly: str
) -> None:
    problems = intake.problems
    end_time = event.end_time or event.start_time
    if end_time < event.start_time:
        problems.append(
            Problem(f"{field}.end_time is before start_time.", f"{field}.end_time", "invalid")
        )
    numbers, texts, booleans, missing = _values(event.data_points, template, field, problems)
    places = _places(event, template, known, field, problems)
    intake.rows.append(
        f"{known.project}\t{key}\t{template.number}\t{_time(event.start_time)}\t{_time(end_time)}\t"
        f"{_reference(event.tracking_id, field, 'tracking_id', problems)}\t"
        f"{_feedstock(event.feedstock_id, known, field, problems)}\t"
        f"{_reference(event.client_reference, field, 'client_reference', problems)}\t"
        f"{_text(event.notes, TEXT_LENGTH_MAX, field, 'notes', problems)}\t"
        f"{places}\t{numbers}\t{texts}\t{booleans}\t{'f' if missing else 't'}\n"
    )
    if template.requires_tracking_id and event.tracking_id is None:
        problems.append(
            Problem(
                f"{field}.tracking_id is missing; events of type {event.event_type!r} need one.",
                f"{field}.tracking_id",
                "required",
            )
        )
    if missing:
        intake.receipts.append(EventReceipt(friendly, "incomplete", missing))
    else:
        intake.receipts.append(EventReceipt(friendly, "complete"))


def _values(
    points: Sequence[NewDataPoint], template: Template, field: str, problems: list[Problem]
) -> tuple[str, str, str, list[str]]:
    """The three arrays as COPY text, and the slugs of required values that are missing."""
    slots = template.slots
    numbers: list[str] = ["NULL"] * template.width
    texts: list[str] | None = None
    booleans: list[str] | None = None
    seen = set()
    for index, point in enumerate(points):
        slug, value = point.slug, point.value
        slot = slots.get(slug)
        if slot is None or slug in seen:
            problems.append(_misnamed(slug, template, f"{field}.data_points[{index}]", again=slot is not None))
            continue
        seen.add(slug)
        kind = type(value)
        if slot.value_type == "number" and (kind is Decimal or kind is int):
            text = str(value)
            if len(text) > DIGITS_MAX or "E" in text:
                problems += _out_of_limits(Decimal(value), slug, f"{field}.data_points[{index}]")
            numbers[slot.position - 1] = text
        elif slot.value_type == "string" and kind is str and value.strip():
            texts = texts or ["NULL"] * template.width
            texts[slot.position - 1] = _array_text(value, f"{field}.data_points[{index}]", slug, problems)
        elif slot.value_type == "boolean" and kind is bool:
            booleans = booleans or ["NULL"] * template.width
            booleans[slot.position - 1] = "t" if value else "f"
        else:
            problems.append(_wrong_type(slug, value, slot, f"{field}.data_points[{index}]"))
    missing = [] if template.required <= seen else [slug for slug in slots if slug in template.required - seen]
    return _array(numbers), _array(texts), _array(booleans), missing


def _array(items: list[str] | None) -> str:
    return "{" + ",".join(items) + "}" if items else "{}"


def _array_text(value: str, field: str, slug: str, problems: list[Problem]) -> str:
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    complaint = _text_problem(value, TEXT_LENGTH_MAX)
    if complaint:
        problems.append(_bad_value(slug, complaint, field))
        return "NULL"
    return f'"{quoted}"'.translate(_ESCAPES)


def _places(
    event: NewEvent, template: Template, known: Known, field: str, problems: list[Problem]
) -> str:
    numbers = []
    for index, place in enumerate(event.locations):
        number = known.locations.get(place.id)
        if number is None:
            name = f"{field}.locations[{index}].id"
            problems.append(Problem(f"{name} is {place.id!r}, which is no location of the project.", name, "unknown"))
        else:
            numbers.append(str(number))
    count = len(event.locations)
    if not template.locations_min <= count <= LOCATIONS_MAX:
        problems.append(
            Problem(
                f"{field}.locations names {count}; events of type {event.event_type!r} name "
                f"{template.locations_min} to {LOCATIONS_MAX}.",
                f"{field}.locations",
                "invalid",
            )
        )
    return "{" + ",".join(numbers) + "}"


def _feedstock(friendly: str | None, known: Known, field: str, problems: list[Problem]) -> str:
    if friendly is None:
        return _NULL
    number = known.feedstocks.get(friendly)
    if number is None:
        name = f"{field}.feedstock_id"
        problems.append(Problem(f"{name} is {friendly!r}, which is no feedstock of the project.", name, "unknown"))
    return str(number)


def _reference(value: str | None, field: str, name: str, problems: list[Problem]) -> str:
    if value is None:
        return _NULL
    if not value.strip():
        problems.append(Problem(f"{field}.{name} is blank; leave it out instead.", f"{field}.{name}", "invalid"))
    return _text(value, REFERENCE_LENGTH_MAX, field, name, problems)


def _text(value: str | None, longest: int, field: str, name: str, problems: list[Problem]) -> str:
    if value is None:
        return _NULL
    if complaint := _text_problem(value, longest):
        problems.append(Problem(f"{field}.{name} {complaint}.", f"{field}.{name}", "invalid"))
    return value.translate(_ESCAPES)


def _text_problem(value: str, longest: int) -> str | None:
    if len(value) > longest:
        return f"has {len(value)} characters; allowed are {longest}"
    if "\x00" in value:
        return "holds a NUL character, which no text may"
    return None


def _time(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")


def _unknown_type(slug: str, known: Known, field: str) -> Problem:
    return Problem(
        f"{field}.event_type is {slug!r}, which is no event type of the project.", f"{field}.event_type", "unknown"
    )


def _misnamed(slug: str, template: Template, field: str, *, again: bool) -> Problem:
    if again:
        return Problem(f"{field}.slug is {slug!r} a second time in the event.", f"{field}.slug", "invalid")
    allowed = ", ".join(template.slots) or "none"
    return Problem(
        f"{field}.slug is {slug!r}; the event type has the data points {allowed}.", f"{field}.slug", "unknown"
    )


def _bad_value(slug: str, complaint: str, field: str) -> Problem:
    return Problem(f"{field}.value of {slug!r} {complaint}.", f"{field}.value", "invalid")


def _out_of_limits(value: Decimal, slug: str, field: str) -> list[Problem]:
    try:
        limited(value)
    except NumberError as error:
        return [Problem(f"{field}.value of {slug!r}: {error}", f"{field}.value", "invalid")]
    return []


def _wrong_type(slug: str, value: Any, slot: Slot, field: str) -> Problem:
    shown = "null" if value is None else "blank" if value == "" else f"a {type(value).__name__}"
    return Problem(f"{field}.value of {slug!r} is {shown}; it takes a {slot.value_type}.", f"{field}.value", "invalid")
