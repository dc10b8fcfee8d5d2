"""Locations: the places of a project that its events name.

A location that events name is not removed. Permission: data collection.
"""

from typing import Final

from msgspec import Struct

from weighbridge.collection.named_records.nouns import LOCATIONS
from weighbridge.collection.records.projects import Location
from weighbridge.db.lists.listing import Page
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, delete, get, patch, post

_PATH: Final = "/projects/{project_id}/locations"
_ONE: Final = _PATH + "/{location_id}"
_EXAMPLE: Final = {"location": {"name": "North yard"}}


@get(
    "/locations",
    permission="data_collection:read",
    returns=Page[Location],
    listing=LOCATIONS.listing,
    spans_projects=True,
)
async def list_locations_of_account(call: ReadCall) -> Page[Location]:
    """List the locations of all projects of the account."""
    return await LOCATIONS.list_of_account(call)


@get(_PATH, permission="data_collection:read", returns=Page[Location], listing=LOCATIONS.listing)
async def list_locations(call: ReadCall) -> Page[Location]:
    """List a project's locations; events name them by id."""
    return await LOCATIONS.list_of_project(call)


@post(
    _PATH,
    permission="data_collection:write",
    body=LOCATIONS.bodies.new_body,
    returns=Location,
    example=_EXAMPLE,
)
async def create_location(call: WriteCall, body: Struct) -> Location:
    """Create a location."""
    return await LOCATIONS.create(call, body)


@get(_ONE, permission="data_collection:read", returns=Location)
async def get_location(call: ReadCall) -> Location:
    """Read one location."""
    return await LOCATIONS.get(call)


@patch(_ONE, permission="data_collection:write", body=LOCATIONS.bodies.change_body, returns=Location)
async def update_location(call: WriteCall, body: Struct) -> Location:
    """Change a location; its name is fixed once batches were made of its events."""
    return await LOCATIONS.update(call, body)


@delete(_ONE, permission="data_collection:write")
async def delete_location(call: WriteCall) -> None:
    """Remove a location that no event names."""
    await LOCATIONS.delete(call)


ROUTES = [
    list_locations_of_account,
    list_locations,
    create_location,
    get_location,
    update_location,
    delete_location,
]
