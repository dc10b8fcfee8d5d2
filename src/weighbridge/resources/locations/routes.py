"""Paths of locations."""

from weighbridge.db.listing import Page, wanted
from weighbridge.http.endpoint import ReadCall, WriteCall, get, post
from weighbridge.resources.locations import actions, queries
from weighbridge.resources.locations.records import Location, NewLocationBody
from weighbridge.resources.projects.queries import project_named

_PATH = "/projects/{project_id}/locations"


@get(_PATH, permission="data_collection:read", returns=Page[Location], listing=queries.LOCATIONS)
async def list_locations(call: ReadCall) -> Page[Location]:
    """List a project's locations; events name them by id."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await queries.list_locations(call.tx, project, wanted(call.query, queries.LOCATIONS))


@post(_PATH, permission="data_collection:write", body=NewLocationBody, returns=Location)
async def create_location(call: WriteCall, body: NewLocationBody) -> Location:
    """Create a location."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await actions.create_location(call.tx, call.actor, project, body.location)


ROUTES = [list_locations, create_location]
