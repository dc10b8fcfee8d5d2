"""Completion: an update adds to an event what it lacks, and never rewrites what was captured.

A first value for a data point, notes, a client reference and the set of locations may be given. Times,
type, feedstock, asset, tracking id and the values that the event holds may be repeated; another value for
one of them would be a correction, and is refused.

Invariants: every value of the event as it was stands in the event as it is wanted.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

import msgspec
from msgspec import UNSET

from weighbridge.core.number import plain
from weighbridge.resources.assets.queries import asset_id
from weighbridge.resources.events.intake import (
    Known,
    Place,
    Slot,
    Template,
    bounded_text,
    element,
    location_numbers,
    reference,
    refuse_name,
)
from weighbridge.resources.events.queries import EventRow, value_at
from weighbridge.resources.events.records import TEXT_LENGTH_MAX, EventChange, NewDataPoint
from weighbridge.resources.feedstocks.queries import feedstock_id

CORRECTION: Final = "correction_not_available"
_ARRAYS: Final = {"number": "numbers", "string": "texts", "boolean": "booleans"}


def completed(row: EventRow, asked: EventChange, known: Known, place: Place) -> EventRow:
    """The event as the caller wants it; what is wrong is noted in the place."""
    template = known.templates[row.slug]
    _refuse_corrections(row, asked, place)
    fields: dict[str, Any] = dict(_fields(row, asked, place))
    if asked.locations is not UNSET:
        numbers = location_numbers(asked.locations, row.slug, template, known, place)
        fields["location_ids"] = [int(number) for number in numbers]
    fields |= _values(row, asked.data_points, template, place)
    wanted = msgspec.structs.replace(row, **fields)
    lacks = any(value_at(wanted, template.slots[slug].position) is None for slug in template.required)
    return msgspec.structs.replace(wanted, is_complete=row.is_complete or not lacks)


def _fields(row: EventRow, asked: EventChange, place: Place) -> Iterator[tuple[str, str | None]]:
    """The texts beside the measurements, which may be set, replaced and cleared."""
    if asked.notes is not UNSET:
        bounded_text("notes", asked.notes, TEXT_LENGTH_MAX, place)
        yield "notes", asked.notes
    if asked.client_reference is not UNSET:
        if asked.client_reference != row.client_reference:
            reference("client_reference", asked.client_reference, place)
        yield "client_reference", asked.client_reference


def _refuse_corrections(row: EventRow, asked: EventChange, place: Place) -> None:
    start = row.start_time if asked.start_time is UNSET else asked.start_time
    feedstock = None if row.feedstock is None else feedstock_id(row.project, row.feedstock)
    asset = None if row.asset is None else asset_id(row.project, row.asset)
    captured: tuple[tuple[str, Any, Any], ...] = (
        ("event_type", row.slug, asked.event_type),
        ("start_time", row.start_time, asked.start_time),
        ("end_time", row.end_time, start if asked.end_time is None else asked.end_time),
        ("tracking_id", row.tracking_id, asked.tracking_id),
        ("feedstock_id", feedstock, asked.feedstock_id),
        ("asset_id", asset, asked.asset_id),
    )
    for name, held, wanted in captured:
        if wanted is not UNSET and _stored(wanted) != held:
            place.refuse(name, _captured(wanted, held), CORRECTION)


def _values(
    row: EventRow, points: Sequence[NewDataPoint], template: Template, place: Place
) -> dict[str, list[Any]]:
    """The arrays that gain a first value."""
    arrays: dict[str, list[Any]] = {}
    seen = set()
    for index, point in enumerate(points):
        slot = template.slots.get(point.slug)
        if slot is None or point.slug in seen:
            refuse_name(index, point, template, place)
            continue
        seen.add(point.slug)
        found = len(place.problems)
        element(index, point, slot, place)
        if len(place.problems) > found:
            continue
        held = value_at(row, slot.position)
        if held is None:
            _set(arrays, row, slot, point.value)
        elif held != point.value:
            said = _captured(point.value, held)
            place.refuse(f"data_points[{index}].value", f"of {point.slug!r} {said}", CORRECTION)
    return arrays


def _set(arrays: dict[str, list[Any]], row: EventRow, slot: Slot, value: Any) -> None:
    name = _ARRAYS[slot.value_type]
    array = arrays.setdefault(name, [*getattr(row, name)])
    array += [None] * (slot.position - len(array))
    array[slot.position - 1] = Decimal(value) if slot.value_type == "number" else value


def _stored(value: Any) -> Any:
    """A time as it is kept, to the millisecond."""
    return (
        value.replace(microsecond=value.microsecond // 1000 * 1000) if isinstance(value, datetime) else value
    )


def _captured(wanted: Any, held: Any) -> str:
    return (
        f"is {_shown(wanted)}, but the event was captured with {_shown(held)}; "
        "what was captured can only be corrected, not replaced."
    )


def _shown(value: Any) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return str(value).lower()
        case int() | Decimal():
            return plain(Decimal(value))
        case datetime():
            return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return repr(value)
