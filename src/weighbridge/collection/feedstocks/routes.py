"""Paths of feedstocks."""

from weighbridge.collection.feedstocks import actions, queries
from weighbridge.collection.feedstocks.records import Feedstock, FeedstockChangeBody, NewFeedstockBody
from weighbridge.collection.tenancy.project import project_named, project_to_read
from weighbridge.core.identity import ids
from weighbridge.db.listing import Page, list_request
from weighbridge.http.endpoint import ReadCall, WriteCall, delete, get, patch, post

_PATH = "/projects/{project_id}/feedstocks"
_ONE = _PATH + "/{feedstock_id}"


@get("/feedstocks", permission="data_collection:read", returns=Page[Feedstock], listing=queries.FEEDSTOCKS)
async def list_feedstocks(call: ReadCall) -> Page[Feedstock]:
    """List the feedstocks of all projects of the account."""
    return await queries.list_feedstocks(call.tx, call.actor, list_request(call.query, queries.FEEDSTOCKS))


@get(_PATH, permission="data_collection:read", returns=Page[Feedstock], listing=queries.FEEDSTOCKS)
async def list_feedstocks_of_project(call: ReadCall) -> Page[Feedstock]:
    """List a project's feedstocks."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    return await queries.list_feedstocks_of_project(
        call.tx, project, list_request(call.query, queries.FEEDSTOCKS)
    )


@post(
    _PATH,
    permission="data_collection:write",
    body=NewFeedstockBody,
    returns=Feedstock,
    example={"feedstock": {"name": "Forest residues"}},
)
async def create_feedstock(call: WriteCall, body: NewFeedstockBody) -> Feedstock:
    """Create a feedstock."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await actions.create_feedstock(call.tx, call.actor, project, body.feedstock)


@get(_ONE, permission="data_collection:read", returns=Feedstock)
async def get_feedstock(call: ReadCall) -> Feedstock:
    """Read one feedstock."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    number = ids.number("feedstock", call.path["feedstock_id"], project)
    return await queries.get_feedstock(call.tx, project, number)


@patch(_ONE, permission="data_collection:write", body=FeedstockChangeBody, returns=Feedstock)
async def update_feedstock(call: WriteCall, body: FeedstockChangeBody) -> Feedstock:
    """Change a feedstock; its name is fixed once batches were made of its events."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    named = call.path["feedstock_id"]
    return await actions.update_feedstock(call.tx, call.actor, project, named, body.feedstock)


@delete(_ONE, permission="data_collection:write")
async def delete_feedstock(call: WriteCall) -> None:
    """Remove a feedstock that no event and no batch names."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    await actions.delete_feedstock(call.tx, call.actor, project, call.path["feedstock_id"])


ROUTES = [
    list_feedstocks,
    list_feedstocks_of_project,
    create_feedstock,
    get_feedstock,
    update_feedstock,
    delete_feedstock,
]
