"""Paths of outages."""

from weighbridge.collection.outages import actions, queries
from weighbridge.collection.outages.records import NewOutageBody, Outage, OutageChangeBody
from weighbridge.collection.tenancy.project import project_named, project_to_read
from weighbridge.db.listing import Page, list_request
from weighbridge.http.endpoint import ReadCall, WriteCall, delete, get, patch, post

_PATH = "/projects/{project_id}/outages"
_ONE = _PATH + "/{outage_id}"


@get(_PATH, permission="data_collection:read", returns=Page[Outage], listing=queries.OUTAGES)
async def list_outages(call: ReadCall) -> Page[Outage]:
    """List a project's outages: when nothing was expected of which meter, and why."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    return await queries.list_outages(call.tx, project, list_request(call.query, queries.OUTAGES))


@post(
    _PATH,
    permission="data_collection:write",
    body=NewOutageBody,
    returns=Outage,
    example={
        "outage": {
            "reason": "Maintenance of the kiln",
            "start_time": "2025-02-20T00:00:00Z",
            "end_time": "2025-02-22T00:00:00Z",
        }
    },
)
async def create_outage(call: WriteCall, body: NewOutageBody) -> Outage:
    """Declare an outage of an asset, of a location, of all meters of an event type, or of the project.

    Capture rates expect nothing in the slots that outages cover as a whole. An asset or a location with an
    event type is out for the events of that type only. Without `end_time` it lasts until one is sent.
    """
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await actions.create_outage(call.tx, call.actor, project, body.outage)


@get(_ONE, permission="data_collection:read", returns=Outage)
async def get_outage(call: ReadCall) -> Outage:
    """Read one outage."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    return await queries.get_outage(call.tx, project, call.path["outage_id"])


@patch(_ONE, permission="data_collection:write", body=OutageChangeBody, returns=Outage)
async def update_outage(call: WriteCall, body: OutageChangeBody) -> Outage:
    """Change an outage, for example say when it ended; the audit log keeps what it said before."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await actions.update_outage(call.tx, call.actor, project, call.path["outage_id"], body.outage)


@delete(_ONE, permission="data_collection:write")
async def delete_outage(call: WriteCall) -> None:
    """Remove an outage, so that measurements are expected in its time again."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    await actions.delete_outage(call.tx, call.actor, project, call.path["outage_id"])


ROUTES = [list_outages, create_outage, get_outage, update_outage, delete_outage]
