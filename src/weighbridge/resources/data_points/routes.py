"""Paths of data points."""

from weighbridge.db.listing import Page, wanted
from weighbridge.http.endpoint import ReadCall, get
from weighbridge.resources.data_points import queries
from weighbridge.resources.data_points.records import DataPoint
from weighbridge.resources.projects.queries import project_named

_PATH = "/projects/{project_id}/data_points"
_OF_EVENT = "/projects/{project_id}/events/{event_id}/data_points"


@get(_PATH, permission="data_collection:read", returns=Page[DataPoint], listing=queries.DATA_POINTS)
async def list_data_points(call: ReadCall) -> Page[DataPoint]:
    """List a project's data points, in time order."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await queries.list_data_points(call.tx, project, wanted(call.query, queries.DATA_POINTS))


@get(_PATH + "/{data_point_id}", permission="data_collection:read", returns=DataPoint)
async def get_data_point(call: ReadCall) -> DataPoint:
    """Read one data point."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await queries.get_data_point(call.tx, project, call.path["data_point_id"])


@get(_OF_EVENT, permission="data_collection:read", returns=Page[DataPoint], listing=queries.EVENT_DATA_POINTS)
async def list_event_data_points(call: ReadCall) -> Page[DataPoint]:
    """List an event's data points, in the order of the event type's."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    asked = wanted(call.query, queries.EVENT_DATA_POINTS)
    return await queries.list_event_data_points(call.tx, project, call.path["event_id"], asked)


@get(_OF_EVENT + "/{data_point_id}", permission="data_collection:read", returns=DataPoint)
async def get_event_data_point(call: ReadCall) -> DataPoint:
    """Read one data point of an event."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    event, point = call.path["event_id"], call.path["data_point_id"]
    return await queries.get_event_data_point(call.tx, project, event, point)


ROUTES = [list_data_points, get_data_point, list_event_data_points, get_event_data_point]
