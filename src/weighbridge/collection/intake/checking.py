"""Check new events against their types and convert them to rows of the database.

This is the hot path of collection: a few microseconds for each event. The quick test of a number (a
short text without an exponent) accepts only what the full rule in `core.number` accepts too.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import MAXYEAR, MINYEAR, UTC, datetime
from decimal import Decimal
from typing import Final

import msgspec

from weighbridge.collection.measurements.values import ValueColumn
from weighbridge.collection.records.data_points import DATA_POINT_TYPES_MAX
from weighbridge.collection.records.events import (
    LOCATIONS_MAX,
    REFERENCE_LENGTH_MAX,
    EventReceipt,
    LocationRef,
    NewDataPoint,
    NewEvent,
)
from weighbridge.collection.records.uncertainty import (
    StatedUncertainty,
    find_problems,
    find_unit,
    to_canonical,
)
from weighbridge.core import identity
from weighbridge.core.collection.correction import ESCAPES, NULL, write_utc
from weighbridge.core.collection.custom_field import TEXT_LENGTH_MAX
from weighbridge.core.identity import explain_unseen
from weighbridge.core.number import DIGITS_MAX, NumberError, limit_number, shorten
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import BeyondCalendarError, Instant
from weighbridge.db.statements import canonical

PROBLEMS_MAX: Final = 100
"""Problems named in one refusal; a caller who sent 10,000 bad rows learns enough from these."""

EventTexts = tuple[int, int, int, str, str, str | None, str | None, str | None, str | None, str | None,
            str, str, str, str, str]  # fmt: skip
"""An event in the texts that the database reads its columns from."""

EVENT_COLUMNS: Final = (
    "project_id", "id", "event_type_id", "start_time", "end_time", "tracking_id", "feedstock_id", "asset_id",
    "client_reference", "notes", "location_ids", "numbers", "texts", "booleans", "is_complete",
)  # fmt: skip
INSERT_EVENT: Final = (
    f"INSERT INTO events ({', '.join(EVENT_COLUMNS)}) VALUES ({', '.join(['%s'] * len(EVENT_COLUMNS))})"
)

STATED_COLUMNS: Final = (*EVENT_COLUMNS, "uncertainties")
"""The columns of events of which it is stated how well single values are known."""
INSERT_STATED_EVENT: Final = (
    f"INSERT INTO events ({', '.join(STATED_COLUMNS)}) VALUES ({', '.join(['%s'] * len(STATED_COLUMNS))})"
)

_encode: Final = msgspec.json.Encoder().encode
_EVENT: Final = identity.PREFIXES["event"]
_KEY_STEP: Final = 1 << identity.PROJECT_BITS
_NO_VALUES: Final = "{}"


@dataclass(frozen=True, slots=True)
class EventSchema:
    """The schema that intake checks the events of a type against."""

    number: int
    columns: Mapping[str, ValueColumn]
    width: int
    required: frozenset[str]
    locations_min: int
    requires_tracking_id: bool
    rolled_up_from: str | None = None
    """The slug of the event type whose readings its events are rolled up from; no caller writes them."""
    units: Mapping[str, str | None] = field(default_factory=dict)
    """The units of its numbers, by slug."""


@dataclass(frozen=True, slots=True)
class EventVocabulary:
    """The records of the project that the events of a request may name, by the ids they are named with."""

    project: int
    schemas: Mapping[str, EventSchema]
    locations: Mapping[str, int]
    feedstocks: Mapping[str, int]
    assets: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EventProblems:
    """The problems of one event of a request, by its position there; names of fields are made when needed."""

    prefix: str
    index: int
    collected: list[Problem]

    def refuse(
        self, name: str, message: str, code: str = "invalid", *, records: tuple[str, ...] = ()
    ) -> None:
        """Note a problem of a field of the event; the message continues the field's name."""
        path = self.path_of(name)
        self.collected.append(Problem(f"{path} {message}", path, code, records))

    def path_of(self, name: str) -> str:
        """The path of a field of the event in the request."""
        event = f"{self.prefix}[{self.index}]" if self.prefix == "events" else self.prefix
        return f"{event}.{name}"


Stated = Mapping[str, StatedUncertainty]
"""How well values of an event are known, by the positions of those of which it is stated, as texts."""


@dataclass(frozen=True, slots=True)
class Intake:
    """Rows of new events with the receipts for their senders; the rows are void when there are problems."""

    rows: list[EventTexts]
    receipts: list[EventReceipt]
    problems: list[Problem]
    stated: dict[int, Stated] = field(default_factory=dict)
    """What is stated of single values, by the key of the event; few events have any."""


def take_in(
    events: Sequence[NewEvent],
    keys: Sequence[int],
    vocabulary: EventVocabulary,
    prefix: str,
    *,
    before: int = 0,
) -> Intake:
    """Check every event and write its row; problems name the field as `events[3].data_points[0].value`.

    `before` is how many events of the request come before these.
    """
    intake = Intake([], [], [])
    first = identity.packed(vocabulary.project, 0)
    for index, (event, key) in enumerate(zip(events, keys, strict=True), before):
        problems = EventProblems(prefix, index, intake.problems)
        schema = vocabulary.schemas.get(event.event_type)
        if schema is None:
            problems.refuse(
                "event_type", f"is {event.event_type!r}, which is no event type of the project.", "unknown"
            )
        elif schema.rolled_up_from is not None:
            problems.refuse(
                "event_type", said_of_rolled_up(event.event_type, schema.rolled_up_from), "rolled_up"
            )
        else:
            row, missing, stated = _row(key, event, schema, vocabulary, problems)
            friendly = identity.make_packed(_EVENT, first + key * _KEY_STEP)
            intake.rows.append(row)
            if stated:
                intake.stated[key] = stated
            intake.receipts.append(EventReceipt(friendly, "incomplete" if missing else "complete", missing))
        if len(intake.problems) > PROBLEMS_MAX:
            break
    return intake


def said_of_rolled_up(event_type: str, source: str) -> str:
    """Why callers cannot write a rolled-up event, and what to write; continues a field's name."""
    return (
        f"is {event_type!r}, whose events the service rolls up from {source!r}; "
        f"send or correct those of {source!r} instead."
    )


def copy_text(rows: Iterable[EventTexts]) -> str:
    """Rows in the text format of COPY."""
    return "".join([copy_row(row) for row in rows])


def copy_row(row: EventTexts) -> str:
    """An event in the text format of COPY: the line of its leaf, and whether it is complete."""
    (
        project, key, event_type, start, end, tracking_id, feedstock, asset, client_reference, notes,
        locations, numbers, texts, booleans, complete,
    ) = row  # fmt: skip
    return (
        f"{project}\t{key}\t{event_type}\t{start}\t{end}\t"
        f"{NULL if tracking_id is None else tracking_id.translate(ESCAPES)}\t"
        f"{feedstock or NULL}\t{asset or NULL}\t"
        f"{NULL if client_reference is None else client_reference.translate(ESCAPES)}\t"
        f"{NULL if notes is None else notes.translate(ESCAPES)}\t"
        f"{locations}\t{numbers}\t{texts if texts == _NO_VALUES else texts.translate(ESCAPES)}\t"
        f"{booleans}\t{complete}\n"
    )


def add_stated(text: str, stated: Stated | None) -> str:
    """An event in the text format of COPY with what is stated of its values behind the other columns."""
    column = NULL if stated is None else canonical(stated).decode().translate(ESCAPES)
    return f"{text[:-1]}\t{column}\n"


def _row(
    key: int, event: NewEvent, schema: EventSchema, vocabulary: EventVocabulary, problems: EventProblems
) -> tuple[EventTexts, list[str], Stated]:
    """The columns of an event, the slugs of required values that it lacks, and what is stated of values."""
    end_time = event.end_time or event.start_time
    if end_time < event.start_time:
        start = event.start_time.isoformat()
        problems.refuse("end_time", f"is {end_time.isoformat()}, before start_time, {start}.")
    if schema.requires_tracking_id and event.tracking_id is None:
        problems.refuse(
            "tracking_id", f"is missing; events of type {event.event_type!r} need one.", "required"
        )
    stated: dict[str, StatedUncertainty] = {}
    numbers, texts, booleans, missing = _values(event.data_points, schema, problems, stated)
    locations = location_numbers(event.locations, event.event_type, schema, vocabulary, problems)
    row = (
        vocabulary.project,
        key,
        schema.number,
        _time("start_time", event.start_time, problems),
        _time("end_time", end_time, problems),
        reference("tracking_id", event.tracking_id, problems),
        _tag("feedstock", event.feedstock_id, vocabulary.feedstocks, problems),
        _tag("asset", event.asset_id, vocabulary.assets, problems),
        reference("client_reference", event.client_reference, problems),
        bounded_text("notes", event.notes, TEXT_LENGTH_MAX, problems),
        f"{{{','.join(locations)}}}",
        numbers,
        texts,
        booleans,
        "f" if missing else "t",
    )
    return row, missing, stated


def _values(
    points: Sequence[NewDataPoint],
    schema: EventSchema,
    problems: EventProblems,
    stated: dict[str, StatedUncertainty],
) -> tuple[str, str, str, list[str]]:
    """The three arrays as the database reads them, and the slugs of required values that are missing.

    Null for a data point that is not required means the same as omitting it. What is stated of how well
    values are known is added to `stated`.
    """
    columns = schema.columns
    arrays: dict[str, list[str]] = {}
    slugs = set()
    if len(points) > DATA_POINT_TYPES_MAX:
        message = f"holds {len(points):,} values; an event has at most {DATA_POINT_TYPES_MAX:,}."
        problems.refuse("data_points", message)
        return _NO_VALUES, _NO_VALUES, _NO_VALUES, []
    for index, point in enumerate(points):
        column = columns.get(point.slug)
        if column is None or point.slug in slugs:
            refuse_name(index, point, schema, problems)
            continue
        slugs.add(point.slug)
        if point.uncertainty:
            check_stated(index, point, schema, problems)
            stated[str(column.position)] = to_canonical(point.uncertainty)
        if point.value is None and point.slug not in schema.required:
            continue
        array = arrays.get(column.value_type)
        if array is None:
            array = arrays[column.value_type] = ["NULL"] * schema.width
        array[column.position - 1] = element(index, point, column, problems)
    lacking = schema.required - slugs
    missing = [slug for slug in columns if slug in lacking] if lacking else []
    return _array(arrays.get("number")), _array(arrays.get("string")), _array(arrays.get("boolean")), missing


def element(index: int, point: NewDataPoint, column: ValueColumn, problems: EventProblems) -> str:
    """One value as an element of an array."""
    value, kind = point.value, type(point.value)
    if column.value_type == "number" and (kind is Decimal or kind is int):
        text = str(value)
        if len(text) > DIGITS_MAX or "E" in text or text[0] == "-":
            text = _unusual_number(index, point, text, problems)
        return text
    if column.value_type == "string" and kind is str and value.strip():
        if complaint := _text_problem(value, TEXT_LENGTH_MAX):
            problems.refuse(f"data_points[{index}].value", f"of {point.slug!r} {complaint}.")
        quoted: str = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{quoted}"'
    if column.value_type == "boolean" and kind is bool:
        return "t" if value else "f"
    message = f"of {point.slug!r} is {_format_json(value)}; it takes a {column.value_type}."
    problems.refuse(f"data_points[{index}].value", message)
    return "NULL"


def check_stated(index: int, point: NewDataPoint, schema: EventSchema, problems: EventProblems) -> None:
    """Refuse a statement of how well a value is known that fits neither the value nor itself."""
    field, stated = f"data_points[{index}].uncertainty", point.uncertainty
    if not stated:
        return
    if schema.columns[point.slug].value_type != "number":
        problems.refuse(field, f"is stated of {point.slug!r}, which is no number; only a number has one.")
    elif point.value is None:
        problems.refuse(field, f"is stated of {point.slug!r}, which has no value in the event.")
    else:
        unit = find_unit(schema.units.get(point.slug))
        problems.collected.extend(find_problems(stated, problems.path_of(field), unit))


def _format_json(value: object) -> str:
    """A value of JSON as a message names it."""
    match value:
        case None | bool():
            return "null" if value is None else f"the boolean {str(value).lower()}"
        case str():
            return f"the string {shorten(value)!r}" if value.strip() else "blank"
        case list() | dict():
            return "a list" if isinstance(value, list) else "an object"
        case _:
            return f"the number {shorten(str(value))}"


def _array(items: list[str] | None) -> str:
    return "{" + ",".join(items) + "}" if items else _NO_VALUES


def _unusual_number(index: int, point: NewDataPoint, text: str, problems: EventProblems) -> str:
    """A number as the database gives it back: without exponent, and zero without a sign."""
    number = Decimal(point.value)
    try:
        limit_number(number)
    except NumberError as error:
        problems.refuse(f"data_points[{index}].value", f"of {point.slug!r} is out of limits: {error}")
        return text
    return format(number or number.copy_abs(), "f")


def refuse_name(index: int, point: NewDataPoint, schema: EventSchema, problems: EventProblems) -> None:
    """Refuse a value for a data point that the event type lacks, or that has a value in the request."""
    name = f"data_points[{index}].slug"
    if point.slug in schema.columns:
        problems.refuse(name, f"is {point.slug!r} a second time in the event.")
        return
    allowed = ", ".join(schema.columns) or "none"
    problems.refuse(name, f"is {point.slug!r}; the event type has the data points {allowed}.", "unknown")


def location_numbers(
    locations: Sequence[LocationRef],
    event_type: str,
    schema: EventSchema,
    vocabulary: EventVocabulary,
    problems: EventProblems,
) -> list[str]:
    """The numbers of the locations that an event names."""
    numbers: list[str] = []
    count = len(locations)
    for index, ref in enumerate(locations if count <= LOCATIONS_MAX else ()):
        number = vocabulary.locations.get(ref.id)
        if number is None:
            refused = f"is {ref.id!r}, which is no location of the project."
            problems.refuse(f"locations[{index}].id", refused, "unknown")
        elif str(number) in numbers:
            problems.refuse(f"locations[{index}].id", f"names {ref.id!r} a second time.")
        else:
            numbers.append(str(number))
    if not schema.locations_min <= count <= LOCATIONS_MAX:
        problems.refuse(
            "locations",
            f"must name {schema.locations_min} to {LOCATIONS_MAX} for events of type {event_type!r},"
            f" but names {count}.",
        )
    return numbers


def _tag(
    noun: str, friendly: str | None, vocabulary: Mapping[str, int], problems: EventProblems
) -> str | None:
    if friendly is None:
        return None
    number = vocabulary.get(friendly)
    if number is None:
        problems.refuse(f"{noun}_id", f"is {friendly!r}, which is no {noun} of the project.", "unknown")
    return str(number)


def reference(name: str, value: str | None, problems: EventProblems) -> str | None:
    """A tracking id or client reference."""
    if value is None:
        return None
    if not value.strip():
        problems.refuse(name, "is blank; leave it out instead.")
    if unseen := explain_unseen(value):
        problems.refuse(name, f"{unseen}.")
        return value
    return bounded_text(name, value, REFERENCE_LENGTH_MAX, problems)


def bounded_text(name: str, value: str | None, longest: int, problems: EventProblems) -> str | None:
    """A text of at most so many characters."""
    if value is None:
        return None
    if complaint := _text_problem(value, longest):
        problems.refuse(name, f"{complaint}.")
    return value


def _text_problem(value: str, longest: int) -> str | None:
    if len(value) > longest:
        return f"has {len(value)} characters; allowed are {longest}"
    if "\x00" in value:
        return "holds a NUL character, which no text may"
    return None


def _time(name: str, moment: datetime, problems: EventProblems) -> str:
    if not MINYEAR < moment.year < MAXYEAR:
        try:
            Instant.of(moment)
        except BeyondCalendarError as error:
            problems.refuse(name, f"{error}.")
            return moment.isoformat()
    if moment.tzinfo is UTC and moment.microsecond % 1000 == 0:
        return _encode(moment)[1:-1].decode()  # quicker, and the same text
    return write_utc(moment)
