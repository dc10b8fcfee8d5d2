"""Paths of ledgers."""

from weighbridge.db.listing import Page, wanted
from weighbridge.http.endpoint import ReadCall, WriteCall, get, post
from weighbridge.resources.ledgers import actions, queries, required_inputs
from weighbridge.resources.ledgers.records import Ledger, NewLedgerBody
from weighbridge.resources.ledgers.required_inputs import RequiredInputs


@get("/ledgers", permission="production_accounting:read", returns=Page[Ledger], listing=queries.LEDGERS)
async def list_ledgers(call: ReadCall) -> Page[Ledger]:
    """List the account's ledgers."""
    return await queries.list_ledgers(call.tx, call.actor, wanted(call.query, queries.LEDGERS))


@post("/ledgers", permission="production_accounting:write", body=NewLedgerBody, returns=Ledger)
async def create_ledger(call: WriteCall, body: NewLedgerBody) -> Ledger:
    """Create a ledger of the project that the body names."""
    return await actions.create_ledger(call.tx, call.actor, body.ledger, None)


@post(
    "/projects/{project_id}/ledgers",
    permission="production_accounting:write",
    body=NewLedgerBody,
    returns=Ledger,
)
async def create_ledger_of_project(call: WriteCall, body: NewLedgerBody) -> Ledger:
    """Create a ledger of the project in the path."""
    return await actions.create_ledger(call.tx, call.actor, body.ledger, call.path["project_id"])


@get("/ledgers/{ledger_id}", permission="production_accounting:read", returns=Ledger)
async def get_ledger(call: ReadCall) -> Ledger:
    """Read one ledger."""
    return await queries.get_ledger(call.tx, call.actor, call.path["ledger_id"])


@get("/ledgers/{ledger_id}/required_inputs", permission="production_accounting:read", returns=RequiredInputs)
async def list_required_inputs(call: ReadCall) -> RequiredInputs:
    """List the inputs that the ledger's model needs."""
    return RequiredInputs(
        await required_inputs.list_required_inputs(call.tx, call.actor, call.path["ledger_id"])
    )


ROUTES = [list_ledgers, create_ledger, create_ledger_of_project, get_ledger, list_required_inputs]
