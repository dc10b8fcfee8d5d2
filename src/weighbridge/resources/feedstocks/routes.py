"""Paths of feedstocks."""

from weighbridge.db.listing import Page, wanted
from weighbridge.http.endpoint import ReadCall, WriteCall, get, post
from weighbridge.resources.feedstocks import actions, queries
from weighbridge.resources.feedstocks.records import Feedstock, NewFeedstockBody
from weighbridge.resources.projects.queries import project_named

_PATH = "/projects/{project_id}/feedstocks"


@get("/feedstocks", permission="data_collection:read", returns=Page[Feedstock], listing=queries.FEEDSTOCKS)
async def list_feedstocks(call: ReadCall) -> Page[Feedstock]:
    """List the feedstocks of all projects of the account."""
    return await queries.list_feedstocks(call.tx, call.actor, wanted(call.query, queries.FEEDSTOCKS))


@get(_PATH, permission="data_collection:read", returns=Page[Feedstock], listing=queries.FEEDSTOCKS)
async def list_feedstocks_of_project(call: ReadCall) -> Page[Feedstock]:
    """List a project's feedstocks."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await queries.list_feedstocks_of_project(call.tx, project, wanted(call.query, queries.FEEDSTOCKS))


@post(_PATH, permission="data_collection:write", body=NewFeedstockBody, returns=Feedstock)
async def create_feedstock(call: WriteCall, body: NewFeedstockBody) -> Feedstock:
    """Create a feedstock."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await actions.create_feedstock(call.tx, call.actor, project, body.feedstock)


ROUTES = [list_feedstocks, list_feedstocks_of_project, create_feedstock]
