"""Paths of event types."""

from weighbridge.db.listing import Page, wanted
from weighbridge.http.endpoint import ReadCall, WriteCall, get, post
from weighbridge.resources.event_types import actions, queries
from weighbridge.resources.event_types.records import EventType, NewEventTypeBody
from weighbridge.resources.projects.queries import project_named

_PATH = "/projects/{project_id}/event_types"


@get(_PATH, permission="data_collection:read", returns=Page[EventType], listing=queries.EVENT_TYPES)
async def list_event_types(call: ReadCall) -> Page[EventType]:
    """List a project's event types; their slugs are what events are posted with."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await queries.list_event_types(call.tx, project, wanted(call.query, queries.EVENT_TYPES))


@post(_PATH, permission="data_collection:write", body=NewEventTypeBody, returns=EventType)
async def create_event_type(call: WriteCall, body: NewEventTypeBody) -> EventType:
    """Create an event type with its data point types."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await actions.create_event_type(call.tx, call.actor, project, body.event_type)


@get(_PATH + "/{event_type_id}", permission="data_collection:read", returns=EventType)
async def get_event_type(call: ReadCall) -> EventType:
    """Read one event type by its friendly id."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await queries.get_event_type(call.tx, project, call.path["event_type_id"])


ROUTES = [list_event_types, create_event_type, get_event_type]
