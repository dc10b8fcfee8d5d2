"""Paths of event types."""

from weighbridge.collection.event_types import actions, queries
from weighbridge.collection.event_types.records import EventType, EventTypeChangeBody, NewEventTypeBody
from weighbridge.collection.tenancy.project import project_named, project_to_read
from weighbridge.db.listing import Page, list_request
from weighbridge.http.endpoint import ReadCall, WriteCall, delete, get, patch, post

_PATH = "/projects/{project_id}/event_types"
_ONE = _PATH + "/{event_type_id}"


@get(_PATH, permission="data_collection:read", returns=Page[EventType], listing=queries.EVENT_TYPES)
async def list_event_types(call: ReadCall) -> Page[EventType]:
    """List a project's event types; their slugs are what events are posted with."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    return await queries.list_event_types(call.tx, project, list_request(call.query, queries.EVENT_TYPES))


@post(
    _PATH,
    permission="data_collection:write",
    body=NewEventTypeBody,
    returns=EventType,
    example={
        "event_type": {
            "name": "Kiln temperature",
            "cadence_amount": 1,
            "cadence_unit": "hour",
            "expected_locations": "none",
            "data_point_types": [{"name": "Temperature", "value_type": "number", "unit": "degC"}],
        }
    },
)
async def create_event_type(call: WriteCall, body: NewEventTypeBody) -> EventType:
    """Create an event type with its data point types."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await actions.create_event_type(call.tx, call.actor, project, body.event_type)


@get(_ONE, permission="data_collection:read", returns=EventType)
async def get_event_type(call: ReadCall) -> EventType:
    """Read one event type by its friendly id."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    return await queries.get_event_type(call.tx, project, call.path["event_type_id"])


@patch(_ONE, permission="data_collection:write", body=EventTypeChangeBody, returns=EventType)
async def update_event_type(call: WriteCall, body: EventTypeChangeBody) -> EventType:
    """Change an event type; the meaning of the values that events carry is fixed.

    `data_point_types`, where it is sent, lists all that the event type is to have: those it has by their
    slugs, new ones with name and value type. One that events carry can be renamed and made required or
    not, and cannot be left out. What becomes required holds for events stored from then on.
    """
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    named = call.path["event_type_id"]
    return await actions.update_event_type(call.tx, call.actor, project, named, body.event_type)


@delete(_ONE, permission="data_collection:write")
async def delete_event_type(call: WriteCall) -> None:
    """Remove an event type that has no events."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    await actions.delete_event_type(call.tx, call.actor, project, call.path["event_type_id"])


ROUTES = [list_event_types, create_event_type, get_event_type, update_event_type, delete_event_type]
