"""Paths of methodologies."""

from weighbridge.db.listing import Page, list_request
from weighbridge.http.endpoint import ReadCall, WriteCall, get, post
from weighbridge.reporting.methodologies import actions, queries
from weighbridge.reporting.methodologies.records import Methodology, NewMethodologyBody


@get(
    "/methodologies",
    permission="production_accounting:read",
    returns=Page[Methodology],
    listing=queries.METHODOLOGIES,
)
async def list_methodologies(call: ReadCall) -> Page[Methodology]:
    """List the account's methodologies."""
    request = list_request(call.query, queries.METHODOLOGIES)
    return await queries.list_methodologies(call.tx, call.actor, request)


@get("/methodologies/{methodology_id}", permission="production_accounting:read", returns=Methodology)
async def get_methodology(call: ReadCall) -> Methodology:
    """Read one methodology."""
    return await queries.get_methodology(call.tx, call.actor, call.path["methodology_id"])


@post(
    "/methodologies",
    permission="production_accounting:write",
    body=NewMethodologyBody,
    returns=Methodology,
    example={
        "methodology": {
            "name": "Biochar carbon removal",
            "version": "2.1",
            "report_type": "quarterly",
            "submission_requirements": ["no_open_alerts"],
        }
    },
)
async def create_methodology(call: WriteCall, body: NewMethodologyBody) -> Methodology:
    """Create a methodology, once by name and version; it never changes."""
    return await actions.create_methodology(call.tx, call.actor, body.methodology)


ROUTES = [list_methodologies, get_methodology, create_methodology]
