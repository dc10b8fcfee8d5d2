"""Paths of locations."""

from weighbridge.collection.locations import actions, queries
from weighbridge.collection.locations.records import Location, LocationChangeBody, NewLocationBody
from weighbridge.collection.tenancy.project import project_named, project_to_read
from weighbridge.core.identity import ids
from weighbridge.db.listing import Page, list_request
from weighbridge.http.endpoint import ReadCall, WriteCall, delete, get, patch, post

_PATH = "/projects/{project_id}/locations"
_ONE = _PATH + "/{location_id}"


@get("/locations", permission="data_collection:read", returns=Page[Location], listing=queries.LOCATIONS)
async def list_locations_of_account(call: ReadCall) -> Page[Location]:
    """List the locations of all projects of the account."""
    return await queries.list_locations_of_account(
        call.tx, call.actor, list_request(call.query, queries.LOCATIONS)
    )


@get(_PATH, permission="data_collection:read", returns=Page[Location], listing=queries.LOCATIONS)
async def list_locations(call: ReadCall) -> Page[Location]:
    """List a project's locations; events name them by id."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    return await queries.list_locations(call.tx, project, list_request(call.query, queries.LOCATIONS))


@post(
    _PATH,
    permission="data_collection:write",
    body=NewLocationBody,
    returns=Location,
    example={"location": {"name": "North yard"}},
)
async def create_location(call: WriteCall, body: NewLocationBody) -> Location:
    """Create a location."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await actions.create_location(call.tx, call.actor, project, body.location)


@get(_ONE, permission="data_collection:read", returns=Location)
async def get_location(call: ReadCall) -> Location:
    """Read one location."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    number = ids.number("location", call.path["location_id"], project)
    return await queries.get_location(call.tx, project, number)


@patch(_ONE, permission="data_collection:write", body=LocationChangeBody, returns=Location)
async def update_location(call: WriteCall, body: LocationChangeBody) -> Location:
    """Change a location; its name is fixed once batches were made of its events."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    named = call.path["location_id"]
    return await actions.update_location(call.tx, call.actor, project, named, body.location)


@delete(_ONE, permission="data_collection:write")
async def delete_location(call: WriteCall) -> None:
    """Remove a location that no event names."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    await actions.delete_location(call.tx, call.actor, project, call.path["location_id"])


ROUTES = [
    list_locations_of_account,
    list_locations,
    create_location,
    get_location,
    update_location,
    delete_location,
]
