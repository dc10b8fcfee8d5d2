"""Completion: what an update adds to an event that it lacks, and what it corrects of what was captured.

A first value for a data point is a completion: it becomes captured. Another value for one that the event
holds, other times, another feedstock, asset or tracking id are corrections. Notes, client reference and
locations are neither: they may be set and replaced. What is sent as the event holds it changes nothing.

Invariants: no captured value is replaced or taken away; null and blank correct nothing, they are refused;
an event keeps its type.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from msgspec import UNSET

from weighbridge.collection.data_points.records import REASON_LENGTH_MAX
from weighbridge.collection.events.records import TEXT_LENGTH_MAX, EventChange, NewDataPoint
from weighbridge.collection.intake.checking import (
    EventProblems,
    EventSchema,
    Vocabulary,
    bounded_text,
    element,
    location_numbers,
    reference,
    refuse_name,
)
from weighbridge.collection.measurements.corrections import NewCorrection
from weighbridge.collection.measurements.event_row import EventRow, value_at
from weighbridge.collection.measurements.value import ValueColumn
from weighbridge.core.collection.correction import Origin
from weighbridge.core.time.instant import Instant

_ARRAYS: Final = {"number": "numbers", "string": "texts", "boolean": "booleans"}


@dataclass(slots=True)
class Changes:
    """What an update does to an event."""

    fields: dict[str, Any] = field(default_factory=dict)
    """Columns that are set: texts beside the measurements, and captured values that were missing."""
    corrections: list[NewCorrection] = field(default_factory=list)
    """Corrections, and the completions that say when a value came."""


def changes_of(row: EventRow, asked: EventChange, known: Vocabulary, place: EventProblems) -> Changes:
    """What the caller asks for that is not so yet; what is wrong is noted in the place."""
    template = known.templates[row.slug]
    changes = Changes()
    for name, value in _texts(row, asked, place):
        changes.fields[name] = value
    if asked.locations is not UNSET:
        numbers = [
            int(number) for number in location_numbers(asked.locations, row.slug, template, known, place)
        ]
        if numbers != row.location_ids:
            changes.fields["location_ids"] = numbers
    bounded_text("reason", asked.reason, REASON_LENGTH_MAX, place)
    for name, value in _corrected_fields(row, asked, known, place):
        changes.corrections.append(
            NewCorrection(row.number, 0, value, Origin.MANUAL, field=name, reason=asked.reason or None)
        )
    _change_values(row, asked, template, changes, place)
    return changes


def _texts(row: EventRow, asked: EventChange, place: EventProblems) -> Iterator[tuple[str, str | None]]:
    """The texts beside the measurements, which may be set, replaced and cleared."""
    if asked.notes is not UNSET and asked.notes != row.notes:
        bounded_text("notes", asked.notes, TEXT_LENGTH_MAX, place)
        yield "notes", asked.notes
    if asked.client_reference is not UNSET and asked.client_reference != row.client_reference:
        reference("client_reference", asked.client_reference, place)
        yield "client_reference", asked.client_reference


def _corrected_fields(
    row: EventRow, asked: EventChange, known: Vocabulary, place: EventProblems
) -> Iterator[tuple[str, Any]]:
    """Times and tags that differ from those that the event holds, as a correction keeps them."""
    if asked.event_type is not UNSET and asked.event_type != row.slug:
        place.refuse(
            "event_type", f"is {asked.event_type!r}; the event is of type {row.slug!r} and stays so."
        )
    yield from _times(row, asked, place)
    tracking_id = asked.tracking_id
    if _is_new("tracking_id", tracking_id, row.tracking_id, place) and isinstance(tracking_id, str):
        yield "tracking_id", reference("tracking_id", tracking_id, place)
    for noun, friendly, numbers, held in (
        ("feedstock", asked.feedstock_id, known.feedstocks, row.feedstock),
        ("asset", asked.asset_id, known.assets, row.asset),
    ):
        name = f"{noun}_id"
        if not _is_new(name, friendly, held, place):
            continue
        number = numbers.get(friendly) if isinstance(friendly, str) else None
        if number is None:
            place.refuse(name, f"is {friendly!r}, which is no {noun} of the project.", "unknown")
        elif number != held:
            yield name, number


def _is_new(name: str, asked: object, held: object, place: EventProblems) -> bool:
    """Whether something is asked for that the event may not hold yet."""
    if asked is UNSET or asked == held:
        return False
    if asked is None:
        place.refuse(name, "is null; what an event has is corrected to something else, not taken away.")
        return False
    return True


def _times(row: EventRow, asked: EventChange, place: EventProblems) -> Iterator[tuple[str, str]]:
    """Start and end; a reading stays a reading when only its start is given."""
    start = _instant("start_time", asked.start_time, row.start_time, place)
    if asked.end_time is None:
        place.refuse("end_time", "is null; an event that is to be a reading ends at its start_time.")
    is_reading = row.start_time == row.end_time
    held = start if is_reading and not isinstance(asked.end_time, datetime) else row.end_time
    end = _instant("end_time", asked.end_time, held, place)
    if end < start:
        place.refuse("end_time", f"is {end.text}, before start_time, {start.text}.")
    if start != row.start_time:
        yield "start_time", start.text
    if end != row.end_time:
        yield "end_time", end.text


def _instant(name: str, asked: Any, held: Instant, place: EventProblems) -> Instant:
    if not isinstance(asked, datetime):
        return held
    try:
        return Instant.of(asked)
    except OverflowError:
        place.refuse(name, f"is {asked.isoformat()}, which in UTC is outside the years 1 to 9999.")
        return held


def _change_values(
    row: EventRow, asked: EventChange, template: EventSchema, changes: Changes, place: EventProblems
) -> None:
    """Sort values into those that were missing and those that are corrected."""
    completed = set()
    for point, slot in _readable(asked.data_points, template, place):
        held = value_at(row, slot.position)
        value = Decimal(point.value) if slot.value_type == "number" else point.value
        if held is None:
            _capture(changes, row, slot, value)
            completed.add(point.slug)
        elif held == value:
            continue
        source = Origin.COMPLETION if held is None else Origin.MANUAL
        reason = None if held is None else asked.reason or None
        changes.corrections.append(NewCorrection(row.number, slot.position, value, source, reason=reason))
    lacks = any(
        value_at(row, template.slots[slug].position) is None for slug in template.required - completed
    )
    if completed and not lacks and not row.is_complete:
        changes.fields["is_complete"] = True


def _readable(
    points: Sequence[NewDataPoint], template: EventSchema, place: EventProblems
) -> Iterator[tuple[NewDataPoint, ValueColumn]]:
    """The values that the event type has a place for and that fit it."""
    seen = set()
    for index, point in enumerate(points):
        slot = template.slots.get(point.slug)
        if slot is None or point.slug in seen:
            refuse_name(index, point, template, place)
            continue
        seen.add(point.slug)
        found = len(place.problems)
        element(index, point, slot, place)
        if len(place.problems) == found:
            yield point, slot


def _capture(changes: Changes, row: EventRow, slot: ValueColumn, value: Any) -> None:
    name = _ARRAYS[slot.value_type]
    captured = getattr(row, f"captured_{name}")
    array = changes.fields.setdefault(name, [*(getattr(row, name) if captured is None else captured)])
    array += [None] * (slot.position - len(array))
    array[slot.position - 1] = value
