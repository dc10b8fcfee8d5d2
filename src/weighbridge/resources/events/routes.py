"""Paths of events."""

from weighbridge.db.listing import Page, wanted
from weighbridge.http.endpoint import ReadCall, WriteCall, get, post
from weighbridge.resources.events import actions, queries
from weighbridge.resources.events.records import Event, EventReceipts, NewEventsBody
from weighbridge.resources.projects.queries import project_named

_PATH = "/projects/{project_id}/events"


@get(_PATH, permission="data_collection:read", returns=Page[Event], listing=queries.EVENTS)
async def list_events(call: ReadCall) -> Page[Event]:
    """List a project's events with their data points."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await queries.list_events(call.tx, project, wanted(call.query, queries.EVENTS))


@post(_PATH, permission="data_collection:write", body=NewEventsBody, returns=Event | EventReceipts)
async def create_events(call: WriteCall, body: NewEventsBody) -> Event | EventReceipts:
    """Store one event, or up to 10,000 of which all or none are stored."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await actions.create_events(call.tx, call.actor, project, body)


@get(_PATH + "/{event_id}", permission="data_collection:read", returns=Event)
async def get_event(call: ReadCall) -> Event:
    """Read one event."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await queries.get_event(call.tx, project, call.path["event_id"])


ROUTES = [list_events, create_events, get_event]
