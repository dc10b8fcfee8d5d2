"""Feedstocks: the raw materials of a project, by which events are tagged and batches partitioned.

Permission: data collection.
"""

from typing import Final

from msgspec import Struct

from weighbridge.collection.named_records.nouns import FEEDSTOCKS
from weighbridge.collection.records.projects import Feedstock
from weighbridge.db.lists.listing import Page
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, delete, get, patch, post

_PATH: Final = "/projects/{project_id}/feedstocks"
_ONE: Final = _PATH + "/{feedstock_id}"
_EXAMPLE: Final = {"feedstock": {"name": "Forest residues"}}


@get(
    "/feedstocks",
    permission="data_collection:read",
    returns=Page[Feedstock],
    listing=FEEDSTOCKS.listing,
    spans_projects=True,
)
async def list_feedstocks(call: ReadCall) -> Page[Feedstock]:
    """List the feedstocks of all projects of the account."""
    return await FEEDSTOCKS.list_of_account(call)


@get(_PATH, permission="data_collection:read", returns=Page[Feedstock], listing=FEEDSTOCKS.listing)
async def list_feedstocks_of_project(call: ReadCall) -> Page[Feedstock]:
    """List a project's feedstocks."""
    return await FEEDSTOCKS.list_of_project(call)


@post(
    _PATH,
    permission="data_collection:write",
    body=FEEDSTOCKS.bodies.new_body,
    returns=Feedstock,
    example=_EXAMPLE,
)
async def create_feedstock(call: WriteCall, body: Struct) -> Feedstock:
    """Create a feedstock."""
    return await FEEDSTOCKS.create(call, body)


@get(_ONE, permission="data_collection:read", returns=Feedstock)
async def get_feedstock(call: ReadCall) -> Feedstock:
    """Read one feedstock."""
    return await FEEDSTOCKS.get(call)


@patch(_ONE, permission="data_collection:write", body=FEEDSTOCKS.bodies.change_body, returns=Feedstock)
async def update_feedstock(call: WriteCall, body: Struct) -> Feedstock:
    """Change a feedstock; its name is fixed once batches were made of its events."""
    return await FEEDSTOCKS.update(call, body)


@delete(_ONE, permission="data_collection:write")
async def delete_feedstock(call: WriteCall) -> None:
    """Remove a feedstock that no event and no batch names."""
    await FEEDSTOCKS.delete(call)


ROUTES = [
    list_feedstocks,
    list_feedstocks_of_project,
    create_feedstock,
    get_feedstock,
    update_feedstock,
    delete_feedstock,
]
