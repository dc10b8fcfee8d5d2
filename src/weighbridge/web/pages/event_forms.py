"""Enter an event by hand, correct it, or void it.

Invariant: what is typed is stored once, because the form carries a client reference of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from secrets import token_hex
from typing import Any, Final
from urllib.parse import urlencode

from weighbridge.collection.event_types import get_event_type, list_event_types
from weighbridge.collection.events import create_events, get_event, update_event, void_event
from weighbridge.collection.records.data_points import DataPointType, EventType
from weighbridge.collection.records.events import Event, NewEvent
from weighbridge.core.problem import Problem
from weighbridge.errors import Conflict, Invalid, Malformed
from weighbridge.quality.review.impact import DRY_RUNS
from weighbridge.web.forms.choices import build_way_to_make, make_new_records
from weighbridge.web.forms.fields import (
    ANSWERS,
    FieldDeclaration,
    FormBody,
    FormField,
    fields_of,
    texts_of,
    usual_texts,
)
from weighbridge.web.forms.pages import MORE, form_view, typed_texts
from weighbridge.web.framework.page import action, form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.events import EVENT_PATH as ONE
from weighbridge.web.pages.events import event

# Typing in an event by hand, its values by what its type carries, and voiding one.
#
# What is typed is stored once: the form carries a client reference of its own, so that a form that is sent
# twice is refused the second time.


PATH: Final = "/projects/{project_id}/events/new"
_WRITE: Final = "data_collection:write"

NEXT: Final = "next"
"""The button that keeps an event and goes on to the next one."""

_TYPES: Final = (("page_size", "200"), ("sort", "name"))
VALUES: Final = "values"
"""The group of the values that were measured."""
_KINDS: Final = {"number": "number", "string": "line", "boolean": "answer"}
_REFERENCE: Final = "by-hand/"

_LOCATION: Final = FormField("id", "Location", "record", of="location")
LOCATIONS_OF: Final = {"none": 0, "one": 1, "two": 2}
"""How many locations an event names, by what its type expects."""

_WHEN: Final = (
    FieldDeclaration("start_time", "Start time", ""),
    FieldDeclaration("end_time", "End time", "empty: no duration"),
)
_TAGS: Final = (
    FieldDeclaration("asset_id", "Asset", "", of="asset"),
    FieldDeclaration("feedstock_id", "Feedstock", "", of="feedstock"),
)
_WORDS: Final = (
    FieldDeclaration("tracking_id", "Tracking ID", "such as LOT-7"),
    FieldDeclaration("notes", "Notes", "", kind="text"),
)
_CARRIED_ON: Final = ("asset_id", "feedstock_id", "tracking_id", "locations[0].id", "locations[1].id")
"""What the next event begins with as it was typed for this one."""


def event_fields(kind: EventType) -> list[FormField]:
    """The fields of an event of a type: when, its values with their units, and its tags."""
    values = FormField(VALUES, "Values", "group", fields=[_value(type_) for type_ in kind.data_point_types])
    lines = max(1, LOCATIONS_OF[kind.expected_locations])
    places = FormField("locations", "Locations", "rows", fields=(_LOCATION,), lines=lines)
    words = [
        replace(field, is_required=kind.requires_tracking_id) if field.name == "tracking_id" else field
        for field in fields_of(NewEvent, _WORDS)
    ]
    return [*fields_of(NewEvent, _WHEN), values, *fields_of(NewEvent, _TAGS), places, *words]


def _value(data_point_type: DataPointType) -> FormField:
    is_truth = data_point_type.value_type == "boolean"
    note = "" if data_point_type.required else "can be added later"
    return FormField(
        data_point_type.slug,
        data_point_type.name,
        _KINDS[data_point_type.value_type],
        unit=data_point_type.unit or "",
        choices=ANSWERS if is_truth else (),
        help=note,
    )


@page(PATH, permission=_WRITE)
async def new_event_page(visit: Visit) -> View:
    """What sort of event it is is chosen first, then what was measured is typed."""
    return await new_event(visit)


async def new_event(visit: Visit) -> View:
    """An event that is to be typed in; its form, once the type is chosen."""
    type_id = visit.text("event_type_id") or visit.asked("event_type_id")
    all_types = (await visit.ask(list_event_types, _TYPES)).data
    types = [event_type for event_type in all_types if event_type.rolled_up_from is None]
    path = visit.url("events")
    if not type_id and len(types) != 1:
        return view(
            "data/event_types.html", "New event", call=path, method="POST", crumbs=(("Events", path),),
            types=types, path=path, new_type=build_way_to_make(visit, "event_type", "event_type_id"),
        )  # fmt: skip
    kind: EventType = await visit.ask(get_event_type, event_type_id=type_id or types[0].id)
    fields = event_fields(kind)
    texts = usual_texts(fields) | {"start_time": visit.moments.field(visit.moments.now)} | dict(visit.query)
    sent_texts = typed_texts(visit)
    typed = [type_.slug for type_ in kind.data_point_types if sent_texts.get(f"{VALUES}.{type_.slug}")]
    reference = visit.text("client_reference") or f"{_REFERENCE}{token_hex(8)}"
    return await form_view(
        visit.refused(at_values(visit.problems, typed)), fields, texts, "event", f"New {kind.name.lower()}",
        template="data/event_form.html", call=path, method="POST", crumbs=(("Events", path),), kind=kind,
        action=f"{path}/new", back=path, is_new=True, reference=reference, next_button=NEXT,
    )  # fmt: skip


@form(PATH, permission=_WRITE, error_page=new_event)
async def make_event(visit: Visit) -> Any:
    """Keep the event; then its page, or the form of the next one."""
    if visit.text(MORE):
        return await new_event(visit)
    kind: EventType = await visit.ask(get_event_type, event_type_id=visit.text("event_type_id"))
    fields = event_fields(kind)
    visit = await make_new_records(visit, fields)
    texts, reading = typed_texts(visit), FormBody(visit.moments)
    body = reading.new(fields, texts)
    if reading.problems:
        raise Invalid(reading.problems)
    body |= {
        "event_type": kind.slug, "client_reference": texts.get("client_reference") or None,
        "data_points": points_of(body.pop(VALUES, None) or {}),
    }  # fmt: skip
    created_event: Event = await visit.do(create_events, {"event": body})
    missing = f" Missing: {', '.join(created_event.missing)}." if created_event.missing else ""
    home = visit.url("events")
    if not visit.text(NEXT):
        return Redirect(f"{home}/{created_event.id}", f"Event created.{missing}")
    carried_texts = [(name, texts[name]) for name in _CARRIED_ON if texts.get(name)]
    start = texts.get("end_time") or texts.get("start_time", "")
    query = urlencode([("event_type_id", kind.id), ("start_time", start), *carried_texts])
    return Redirect(
        f"{home}/new?{query}", f"Event {created_event.id} created.{missing} Enter the next event."
    )


def points_of(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The values that were typed, as the interface takes them."""
    return [{"slug": slug, "value": value} for slug, value in values.items() if value is not None]


def at_values(problems: Sequence[Problem], typed: Sequence[str]) -> tuple[Problem, ...]:
    """Problems of data points at the fields of their values, which were sent in the order of these slugs."""
    names = {
        f"event.data_points[{at}]{part}": f"{VALUES}.{slug}"
        for at, slug in enumerate(typed)
        for part in ("", ".value", ".slug")
    }
    return tuple(
        Problem(problem.message, names.get(problem.field or "", problem.field), problem.code, problem.records)
        for problem in problems
    )


# Correcting an event: times, tags, and first or other values; what would come of it is shown first.


_REASON: Final = FormField("reason", "Reason", "line", help="stored with each correction")


async def edit_event(visit: Visit) -> View:
    """An event as it is, to be typed over."""
    return await _show_correction(visit, None)


@page(f"{ONE}/impact", permission=_WRITE, computes=True, tries=True)
async def event_impact(visit: Visit) -> View:
    """What a correction would change; it is carried out, looked at and undone."""
    typed_visit = replace(visit, typed={name: (value,) for name, value in visit.query})
    if typed_visit.text(MORE):
        return await _show_correction(typed_visit, None)
    try:
        impact = await typed_visit.attempt(
            update_event, DRY_RUNS["update_event"], {"event": await _body(typed_visit)}
        )
    except (Invalid, Malformed, Conflict) as refusal:
        return await _show_correction(typed_visit.refused(refusal.problems), None)
    return await _show_correction(typed_visit, impact)


@form(f"{ONE}/edit", permission=_WRITE, error_page=edit_event)
async def correct_event(visit: Visit) -> Any:
    """Correct the event; the captured values remain stored."""
    if visit.text(MORE):
        return await _show_correction(visit, None)
    await visit.do(update_event, {"event": await _body(visit)})
    return Redirect(
        visit.url("events/{event_id}"),
        "Event corrected. Batches that use the earlier values are out of date.",
    )


async def _show_correction(visit: Visit, impact: Any) -> View:
    event_record, kind, fields = await _read_event(visit)
    event_url, events = visit.url("events/{event_id}"), visit.url("events")
    before, sent_texts = _current_texts(visit, event_record, fields), typed_texts(visit)
    names = {type_.slug: f"{VALUES}.{type_.slug}" for type_ in kind.data_point_types}
    typed = [
        slug for slug, name in names.items() if sent_texts.get(name) and sent_texts[name] != before.get(name)
    ]
    return await form_view(
        visit.refused(at_values(visit.problems, typed)),
        fields,
        before,
        "event",
        "Correct",
        template="data/event_change.html",
        call=event_url,
        method="PATCH",
        crumbs=(("Events", events), (event_record.event_type, event_url)),
        event=event_record,
        action=f"{event_url}/edit",
        back=event_url,
        is_new=True,
        impact=impact,
        previews=visit.may(DRY_RUNS["update_event"].permission),
        impact_path=f"{event_url}/impact",
    )


async def _body(visit: Visit) -> dict[str, Any]:
    """What was typed anew; Invalid where that is nothing, or takes away what was captured."""
    event_record, kind, fields = await _read_event(visit)
    visit = await make_new_records(visit, fields)
    reading, texts = FormBody(visit.moments), typed_texts(visit)
    body = reading.changed(fields, texts, _current_texts(visit, event_record, fields))
    values: Mapping[str, Any] = body.pop(VALUES, {})
    names = {type_.slug: type_.name for type_ in kind.data_point_types}
    reading.problems.extend(
        Problem(
            f"{names[slug]} must have a value, because one was captured. Correct the value instead.",
            f"{VALUES}.{slug}",
            "invalid",
        )
        for slug, value in values.items()
        if value is None and not texts.get(f"{VALUES}.{slug}")
    )
    reason = body.pop("reason", None)
    if not body and not values and not reading.problems:
        reading.problems.append(Problem("No changes to save. Change at least one field.", None, "required"))
    if reading.problems:
        raise Invalid(reading.problems)
    return body | {"reason": reason} | ({"data_points": points_of(values)} if values else {})


async def _read_event(visit: Visit) -> tuple[Event, EventType, list[FormField]]:
    event_record: Event = await visit.ask(get_event)
    kind: EventType = await visit.ask(get_event_type, event_type_id=event_record.event_type_id)
    fields = [
        replace(field, is_merged=field.name == VALUES)
        for field in event_fields(kind)
        if field.name != "notes"
    ]
    return event_record, kind, [*fields, _REASON]


def _current_texts(visit: Visit, event_record: Event, fields: list[FormField]) -> dict[str, str]:
    """The event as the texts of its fields; one without a length has no end, as it was sent."""
    record = {
        "start_time": event_record.start_time,
        "end_time": event_record.end_time if event_record.end_time != event_record.start_time else None,
        VALUES: {point.slug: point.value for point in event_record.data_points},
        "asset_id": event_record.asset.id if event_record.asset else None,
        "feedstock_id": event_record.feedstock.id if event_record.feedstock else None,
        "locations": event_record.locations,
        "tracking_id": event_record.tracking_id,
    }
    return texts_of(fields, record, visit.moments)


PAGES = [
    *new_event_page,
    *make_event,
    *action(
        f"{ONE}/void", void_event, permission=_WRITE, error_page=event, back="events",
        notice="Event voided. It is excluded from all calculations and remains in the audit log.",
    ),
    *page(f"{ONE}/edit", permission=_WRITE)(edit_event),
    *event_impact,
    *correct_event,
]  # fmt: skip
