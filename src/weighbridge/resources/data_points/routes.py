"""Paths of data points."""

from weighbridge.db.listing import Page, wanted
from weighbridge.http.endpoint import ReadCall, get
from weighbridge.resources.data_points import queries
from weighbridge.resources.data_points.records import DataPoint
from weighbridge.resources.projects.queries import project_named


@get(
    "/projects/{project_id}/data_points",
    permission="data_collection:read",
    returns=Page[DataPoint],
    listing=queries.DATA_POINTS,
)
async def list_data_points(call: ReadCall) -> Page[DataPoint]:
    """List a project's data points, in time order."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await queries.list_data_points(call.tx, project, wanted(call.query, queries.DATA_POINTS))


ROUTES = [list_data_points]
