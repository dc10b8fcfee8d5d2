"""Paths of events."""

from decimal import Decimal
from typing import Final

from weighbridge.collection.events import actions, queries
from weighbridge.collection.events.records import Event, EventChangeBody, EventReceipts, NewEventsBody
from weighbridge.collection.intake.shortcut import store_event
from weighbridge.collection.tenancy.project import project_named, project_number, project_to_read
from weighbridge.db.listing import Page, list_request
from weighbridge.http.endpoint import ReadCall, WriteCall, delete, get, patch, post

_PATH = "/projects/{project_id}/events"
_ONE = _PATH + "/{event_id}"

_QUARTER: Final = {
    "event_type": "meter-reading",
    "start_time": "2025-01-31T06:00:00+01:00",
    "end_time": "2025-01-31T06:15:00+01:00",
    "client_reference": "meter-7/2025-01-31T06:00",
    "data_points": [{"slug": "energy", "value": Decimal("12.50")}],
}
_NEXT: Final = {
    "start_time": "2025-01-31T06:15:00+01:00",
    "end_time": "2025-01-31T06:30:00+01:00",
    "client_reference": "meter-7/2025-01-31T06:15",
}
EXAMPLES: Final = {
    "one": ("One event; the answer is its record.", {"event": _QUARTER}),
    "many": (
        "Many events, all stored or none; the answer has the id of each.",
        {"events": [_QUARTER, _QUARTER | _NEXT]},
    ),
}


@get(_PATH, permission="data_collection:read", returns=Page[Event], listing=queries.EVENTS)
async def list_events(call: ReadCall) -> Page[Event]:
    """List a project's events with their data points."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    return await queries.list_events(call.tx, project, list_request(call.query, queries.EVENTS))


@post(
    _PATH,
    permission="data_collection:write",
    body=NewEventsBody,
    body_bytes_max=None,
    returns=Event | EventReceipts,
    examples=EXAMPLES,
    shortcut=store_event,
)
async def create_events(call: WriteCall, body: NewEventsBody) -> Event | EventReceipts:
    """Store one event, or up to 10,000 of which all or none are stored."""
    project = project_number(call.path["project_id"])
    return await actions.create_events(call.tx, call.actor, project, body)


@get(_ONE, permission="data_collection:read", returns=Event)
async def get_event(call: ReadCall) -> Event:
    """Read one event."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    return await queries.get_event(call.tx, project, call.path["event_id"])


@patch(_ONE, permission="data_collection:write", body=EventChangeBody, returns=Event)
async def update_event(call: WriteCall, body: EventChangeBody) -> Event:
    """Complete an event (first values, notes, client reference, locations), or correct what it holds.

    Another value, time, feedstock, asset or tracking id is a correction: it counts from now on, and what was
    captured stays beside it; what is held adds nothing. A reading stays one when only `start_time` is sent.
    Null clears notes and client reference; `locations` replaces the set.
    """
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await actions.update_event(call.tx, call.actor, project, call.path["event_id"], body.event)


@delete(_ONE, permission="data_collection:write")
async def void_event(call: WriteCall) -> None:
    """Void an event that no batch was made of.

    It disappears from the data, stays stored for the audit, and keeps its client reference.
    """
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    await actions.void_event(call.tx, call.actor, project, call.path["event_id"])


ROUTES = [list_events, create_events, get_event, update_event, void_event]
