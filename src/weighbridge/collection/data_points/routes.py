"""Paths of data points."""

from weighbridge.collection.data_points import actions, queries
from weighbridge.collection.data_points.records import (
    Correction,
    DataPoint,
    DataPointChangeBody,
    NoOptions,
    OutputDataPointOfRun,
)
from weighbridge.collection.measurements.history import CORRECTIONS
from weighbridge.collection.tenancy.project import project_named, project_to_read
from weighbridge.db.listing import Page, list_request
from weighbridge.http.endpoint import ReadCall, WriteCall, get, patch, post

_PATH = "/projects/{project_id}/data_points"
_ONE = _PATH + "/{data_point_id}"
_OF_EVENT = "/projects/{project_id}/events/{event_id}/data_points"


@get(_PATH, permission="data_collection:read", returns=Page[DataPoint], listing=queries.DATA_POINTS)
async def list_data_points(call: ReadCall) -> Page[DataPoint]:
    """List a project's data points, in time order."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    return await queries.list_data_points(call.tx, project, list_request(call.query, queries.DATA_POINTS))


@get(_ONE, permission="data_collection:read", returns=DataPoint | OutputDataPointOfRun)
async def get_data_point(call: ReadCall) -> DataPoint | OutputDataPointOfRun:
    """Read one data point: a measured value of an event, or what an output of a model run came to."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    point = call.path["data_point_id"]
    if queries.is_output(point):
        return await queries.get_output(call.tx, project, point)
    return await queries.get_data_point(call.tx, project, point)


@patch(_ONE, permission="data_collection:write", body=DataPointChangeBody, returns=DataPoint)
async def correct_data_point(call: WriteCall, body: DataPointChangeBody) -> DataPoint:
    """Correct a data point: the new value counts from now on, the captured one stays beside it.

    The value that is held adds nothing. Batches that were made of the old value become stale.
    """
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    point = call.path["data_point_id"]
    return await actions.correct_data_point(call.tx, call.actor, project, point, body.data_point)


@post(
    _ONE + "/revert",
    permission="data_collection:write",
    body=NoOptions,
    returns=DataPoint,
    status=200,
)
async def revert_data_point(call: WriteCall, _: NoOptions) -> DataPoint:
    """Restore the captured value and revert every correction of a data point. The body may be left out.

    The corrections stay in the history. Reverting again changes nothing.
    """
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await actions.revert_data_point(call.tx, call.actor, project, call.path["data_point_id"])


@get(
    _ONE + "/corrections",
    permission="data_collection:read",
    returns=Page[Correction],
    listing=CORRECTIONS,
)
async def list_corrections(call: ReadCall) -> Page[Correction]:
    """List the corrections of a data point, those that were reverted included."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    request = list_request(call.query, CORRECTIONS)
    return await queries.list_corrections(call.tx, project, call.path["data_point_id"], request)


@get(
    "/projects/{project_id}/events/{event_id}/corrections",
    permission="data_collection:read",
    returns=Page[Correction],
    listing=CORRECTIONS,
)
async def list_event_corrections(call: ReadCall) -> Page[Correction]:
    """List the corrections of an event: those of its data points, and those of its own times and tags."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    request = list_request(call.query, CORRECTIONS)
    return await queries.list_event_corrections(call.tx, project, call.path["event_id"], request)


@get(_OF_EVENT, permission="data_collection:read", returns=Page[DataPoint], listing=queries.EVENT_DATA_POINTS)
async def list_event_data_points(call: ReadCall) -> Page[DataPoint]:
    """List an event's data points, in the order of the event type's."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    request = list_request(call.query, queries.EVENT_DATA_POINTS)
    return await queries.list_event_data_points(call.tx, project, call.path["event_id"], request)


@get(_OF_EVENT + "/{data_point_id}", permission="data_collection:read", returns=DataPoint)
async def get_event_data_point(call: ReadCall) -> DataPoint:
    """Read one data point of an event."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    event, point = call.path["event_id"], call.path["data_point_id"]
    return await queries.get_event_data_point(call.tx, project, event, point)


@patch(
    _OF_EVENT + "/{data_point_id}",
    permission="data_collection:write",
    body=DataPointChangeBody,
    returns=DataPoint,
)
async def correct_event_data_point(call: WriteCall, body: DataPointChangeBody) -> DataPoint:
    """Correct a data point of an event, as below its project."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    event, point = call.path["event_id"], call.path["data_point_id"]
    await queries.get_event_data_point(call.tx, project, event, point)
    return await actions.correct_data_point(call.tx, call.actor, project, point, body.data_point)


ROUTES = [
    list_data_points,
    get_data_point,
    correct_data_point,
    revert_data_point,
    list_corrections,
    list_event_corrections,
    list_event_data_points,
    get_event_data_point,
    correct_event_data_point,
]
