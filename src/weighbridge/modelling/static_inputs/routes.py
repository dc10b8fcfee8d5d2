"""Paths of static inputs."""

from decimal import Decimal

from weighbridge.collection.tenancy.project import project_named
from weighbridge.db.listing import Page, list_request
from weighbridge.http.endpoint import ReadCall, WriteCall, get, post
from weighbridge.modelling.static_inputs import actions, queries
from weighbridge.modelling.static_inputs.queries import STATIC_INPUTS
from weighbridge.modelling.static_inputs.records import NewStaticInputBody, StaticInput

_PATH = "/projects/{project_id}/static_inputs"


@get(_PATH, permission="data_collection:read", returns=Page[StaticInput], listing=STATIC_INPUTS)
async def list_static_inputs(call: ReadCall) -> Page[StaticInput]:
    """List a project's static inputs, those that newer ones have superseded too."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await queries.list_static_inputs(call.tx, project, list_request(call.query, STATIC_INPUTS))


@post(
    _PATH,
    permission="data_collection:write",
    body=NewStaticInputBody,
    returns=StaticInput,
    example={
        "static_input": {
            "slug": "grid-factor",
            "value": Decimal("0.38"),
            "unit": "kg{CO2e}/kWh",
            "effective_from": "2025-01-01T00:00:00Z",
        }
    },
)
async def create_static_input(call: WriteCall, body: NewStaticInputBody) -> StaticInput:
    """Add a value that holds from a moment on.

    It may be a value of one asset, feedstock or location. Nothing is replaced: a value that holds from a
    later moment supersedes the earlier ones of the same slug and keys. Units of a slug must fit one another.
    """
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await actions.create_static_input(call.tx, call.actor, project, body.static_input)


@get(_PATH + "/{static_input_id}", permission="data_collection:read", returns=StaticInput)
async def get_static_input(call: ReadCall) -> StaticInput:
    """Read one static input."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await queries.get_static_input(call.tx, project, call.path["static_input_id"])


ROUTES = [list_static_inputs, create_static_input, get_static_input]
