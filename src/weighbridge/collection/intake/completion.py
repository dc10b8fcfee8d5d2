"""Determine what an update of an event completes and what it corrects.

The first value of a data point is a completion and becomes captured. A different value, time,
feedstock, asset or tracking ID is a correction. Notes, client reference and locations may be set and
replaced. Repeating what the event contains changes nothing.

Invariants: no captured value is replaced or removed. Null and blank values are rejected. An event keeps
its type.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from msgspec import UNSET

from weighbridge.collection.intake.checking import (
    EventProblems,
    EventSchema,
    EventVocabulary,
    bounded_text,
    check_stated,
    element,
    location_numbers,
    reference,
    refuse_name,
)
from weighbridge.collection.measurements.corrections import NewCorrection
from weighbridge.collection.measurements.event_records import (
    EventRow,
    is_to_come,
    stated_at,
    value_at,
    with_stated,
)
from weighbridge.collection.measurements.values import ValueColumn
from weighbridge.collection.records.events import REASON_LENGTH_MAX, EventChange, NewDataPoint
from weighbridge.collection.records.uncertainty import to_canonical
from weighbridge.core.collection.correction import CorrectionOrigin
from weighbridge.core.collection.custom_field import TEXT_LENGTH_MAX
from weighbridge.core.time.calendar import BeyondCalendarError, Instant

_ARRAYS: Final = {"number": "numbers", "string": "texts", "boolean": "booleans"}


@dataclass(slots=True)
class Changes:
    """The changes that an update makes to an event."""

    fields: dict[str, Any] = field(default_factory=dict)
    """Columns that are set: descriptive texts, and captured values that were missing."""
    corrections: list[NewCorrection] = field(default_factory=list)
    """Corrections, and completions, which record when a value arrived."""
    restated: list[int] = field(default_factory=list)
    """The positions of values that were there, and are known otherwise than before."""


def changes_of(
    row: EventRow, change: EventChange, vocabulary: EventVocabulary, problems: EventProblems
) -> Changes:
    """The requested changes that differ from the event; errors are added to the problems."""
    schema = vocabulary.schemas[row.slug]
    changes = Changes()
    if schema.rolled_up_from is not None:
        _refuse_of_rolled_up(row, change, schema, problems)
        if problems.collected:
            return changes
    for name, value in _texts(row, change, problems):
        changes.fields[name] = value
    if change.locations is not UNSET:
        numbers = [
            int(number)
            for number in location_numbers(change.locations, row.slug, schema, vocabulary, problems)
        ]
        if numbers != row.location_ids:
            changes.fields["location_ids"] = numbers
    bounded_text("reason", change.reason, REASON_LENGTH_MAX, problems)
    for name, value in _corrected_fields(row, change, vocabulary, problems):
        changes.corrections.append(
            NewCorrection(
                row.number, 0, value, CorrectionOrigin.MANUAL, field=name, reason=change.reason or None
            )
        )
    _change_values(row, change, schema, changes, problems)
    return changes


def _refuse_of_rolled_up(
    row: EventRow, change: EventChange, schema: EventSchema, problems: EventProblems
) -> None:
    """Of a rolled-up event its notes change and its values are corrected; the rest its readings say."""
    source = f"the event is rolled up from {schema.rolled_up_from!r}"
    fixed = (
        "start_time",
        "end_time",
        "tracking_id",
        "feedstock_id",
        "asset_id",
        "client_reference",
        "locations",
    )
    for name in fixed:
        if getattr(change, name) is not UNSET:
            problems.refuse(
                name, f"cannot be changed, for {source}; correct its readings instead.", "rolled_up"
            )
    for index, point in enumerate(change.data_points):
        column = schema.columns.get(point.slug)
        if column is not None and value_at(row, column.position) is None:
            message = f"is a first value for {point.slug!r}, but {source}; send its readings instead."
            problems.refuse(f"data_points[{index}].value", message, "rolled_up")


def _texts(row: EventRow, change: EventChange, problems: EventProblems) -> Iterator[tuple[str, str | None]]:
    """The descriptive texts, which may be set, replaced and cleared."""
    if change.notes is not UNSET and change.notes != row.notes:
        bounded_text("notes", change.notes, TEXT_LENGTH_MAX, problems)
        yield "notes", change.notes
    if change.client_reference is not UNSET and change.client_reference != row.client_reference:
        reference("client_reference", change.client_reference, problems)
        yield "client_reference", change.client_reference


def _corrected_fields(
    row: EventRow, change: EventChange, vocabulary: EventVocabulary, problems: EventProblems
) -> Iterator[tuple[str, Any]]:
    """Times and tags that differ from those that the event holds, as a correction keeps them."""
    if change.event_type is not UNSET and change.event_type != row.slug:
        problems.refuse(
            "event_type", f"is {change.event_type!r}; the event is of type {row.slug!r} and cannot change it."
        )
    yield from _times(row, change, problems)
    tracking_id = change.tracking_id
    if _is_new("tracking_id", tracking_id, row.tracking_id, problems) and isinstance(tracking_id, str):
        yield "tracking_id", reference("tracking_id", tracking_id, problems)
    for noun, friendly, numbers, stored_number in (
        ("feedstock", change.feedstock_id, vocabulary.feedstocks, row.feedstock),
        ("asset", change.asset_id, vocabulary.assets, row.asset),
    ):
        name = f"{noun}_id"
        if not _is_new(name, friendly, stored_number, problems):
            continue
        number = numbers.get(friendly) if isinstance(friendly, str) else None
        if number is None:
            problems.refuse(name, f"is {friendly!r}, which is no {noun} of the project.", "unknown")
        elif number != stored_number:
            yield name, number


def _is_new(name: str, sent: object, stored_value: object, problems: EventProblems) -> bool:
    """Whether something is asked for that the event may not hold yet."""
    if sent is UNSET or sent == stored_value:
        return False
    if sent is None:
        problems.refuse(name, "cannot be null; a value of an event can be corrected but not removed.")
        return False
    return True


def _times(row: EventRow, change: EventChange, problems: EventProblems) -> Iterator[tuple[str, str]]:
    """Start and end; a reading stays a reading when only its start is given."""
    start = _instant("start_time", change.start_time, row.start_time, problems)
    if change.end_time is None:
        problems.refuse("end_time", "is null; an event that is to be a reading ends at its start_time.")
    is_reading = row.start_time == row.end_time
    stored_end = start if is_reading and not isinstance(change.end_time, datetime) else row.end_time
    end = _instant("end_time", change.end_time, stored_end, problems)
    if end < start:
        problems.refuse("end_time", f"is {end.text}, before start_time, {start.text}.")
    if start != row.start_time:
        yield "start_time", start.text
    if end != row.end_time:
        yield "end_time", end.text


def _instant(name: str, sent: Any, stored_instant: Instant, problems: EventProblems) -> Instant:
    if not isinstance(sent, datetime):
        return stored_instant
    try:
        return Instant.of(sent)
    except BeyondCalendarError as error:
        problems.refuse(name, f"{error}.")
        return stored_instant


def _change_values(
    row: EventRow, change: EventChange, schema: EventSchema, changes: Changes, problems: EventProblems
) -> None:
    """Sort values into those that were missing and those that are corrected."""
    completed = set()
    for point, column in _readable(change.data_points, schema, problems):
        stored_value = value_at(row, column.position)
        is_first = is_to_come(row, column.position)
        _restate(row, point, column, changes, is_new=is_first)
        value = Decimal(point.value) if column.value_type == "number" else point.value
        if is_first:
            _capture(changes, row, column, value)
            completed.add(point.slug)
        elif stored_value == value:
            continue
        source = CorrectionOrigin.COMPLETION if is_first else CorrectionOrigin.MANUAL
        reason = None if is_first else change.reason or None
        changes.corrections.append(NewCorrection(row.number, column.position, value, source, reason=reason))
    lacks = any(is_to_come(row, schema.columns[slug].position) for slug in schema.required - completed)
    if completed and not lacks and not row.is_complete:
        changes.fields["is_complete"] = True


def _readable(
    points: Sequence[NewDataPoint], schema: EventSchema, problems: EventProblems
) -> Iterator[tuple[NewDataPoint, ValueColumn]]:
    """The values that the event type has a position for and that fit it."""
    slugs = set()
    for index, point in enumerate(points):
        column = schema.columns.get(point.slug)
        if column is None or point.slug in slugs:
            refuse_name(index, point, schema, problems)
            continue
        slugs.add(point.slug)
        before = len(problems.collected)
        element(index, point, column, problems)
        check_stated(index, point, schema, problems)
        if len(problems.collected) == before:
            yield point, column


def _restate(
    row: EventRow, point: NewDataPoint, column: ValueColumn, changes: Changes, *, is_new: bool
) -> None:
    """Say how well a value is known, where something else is stated than before."""
    sent = point.uncertainty
    if sent is UNSET:
        return
    stated = None if sent is None else to_canonical(sent)
    if stated == stated_at(row, column.position):
        return
    changes.fields["uncertainties"] = with_stated(
        changes.fields.get("uncertainties", row.uncertainties), column.position, stated
    )
    if not is_new:
        changes.restated.append(column.position)


def _capture(changes: Changes, row: EventRow, column: ValueColumn, value: Any) -> None:
    name = _ARRAYS[column.value_type]
    captured = getattr(row, f"captured_{name}")
    array = changes.fields.setdefault(name, [*(getattr(row, name) if captured is None else captured)])
    array += [None] * (column.position - len(array))
    array[column.position - 1] = value
