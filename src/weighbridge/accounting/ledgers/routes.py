"""Paths of ledgers."""

from typing import Final

from weighbridge.accounting.ledgers import actions, queries
from weighbridge.accounting.ledgers.records import (
    Deficits,
    Ledger,
    LedgerChangeBody,
    NewLedgerBody,
    NewLedgerOfAccountBody,
    RequiredInputs,
)
from weighbridge.collection.tenancy.project import project_named
from weighbridge.db.listing import Page
from weighbridge.http.endpoint import ReadCall, WriteCall, delete, get, patch, post

_MOMENTS: Final = {
    queries.AS_OF: "Balance and deficit by what had been posted at this time; without it, by now.",
    queries.EFFECTIVE_AT: (
        "What was produced and drawn up to this moment, which ends the slots and periods that it closes; "
        "without it, everything."
    ),
}


@get(
    "/ledgers",
    permission="production_accounting:read",
    returns=Page[Ledger],
    listing=queries.LEDGERS,
    moments=_MOMENTS,
)
async def list_ledgers(call: ReadCall) -> Page[Ledger]:
    """List the account's ledgers, with what they hold and are short of, now or at named times."""
    return await queries.list_ledgers(call.tx, call.actor, call.query)


@get(
    "/projects/{project_id}/ledgers",
    permission="production_accounting:read",
    returns=Page[Ledger],
    listing=queries.LEDGERS,
    moments=_MOMENTS,
)
async def list_project_ledgers(call: ReadCall) -> Page[Ledger]:
    """List the ledgers of a project, with what they hold and are short of, now or at named times."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await queries.list_ledgers_of_project(call.tx, project, call.query)


@post("/ledgers", permission="production_accounting:write", body=NewLedgerOfAccountBody, returns=Ledger)
async def create_ledger(call: WriteCall, body: NewLedgerOfAccountBody) -> Ledger:
    """Create a ledger of the project that the body names."""
    return await actions.create_ledger(call.tx, call.actor, body.ledger, body.ledger.project_id)


@post(
    "/projects/{project_id}/ledgers",
    permission="production_accounting:write",
    body=NewLedgerBody,
    returns=Ledger,
)
async def create_ledger_of_project(call: WriteCall, body: NewLedgerBody) -> Ledger:
    """Create a ledger of the project in the path."""
    return await actions.create_ledger(call.tx, call.actor, body.ledger, call.path["project_id"])


@get(
    "/ledgers/{ledger_id}",
    permission="production_accounting:read",
    returns=Ledger,
    moments=_MOMENTS,
)
async def get_ledger(call: ReadCall) -> Ledger:
    """Read one ledger, with what it holds and is short of, now or at named times."""
    return await queries.get_ledger_then(call.tx, call.actor, call.path["ledger_id"], call.query)


@patch(
    "/ledgers/{ledger_id}",
    permission="production_accounting:write",
    body=LedgerChangeBody,
    returns=Ledger,
    example={"ledger": {"name": "Stored carbon"}},
)
async def update_ledger(call: WriteCall, body: LedgerChangeBody) -> Ledger:
    """Change a ledger's name or asset category, or give it a model while it has none.

    A ledger that has a model keeps it; system ledgers cannot be changed.
    """
    return await actions.update_ledger(call.tx, call.actor, call.path["ledger_id"], body.ledger)


@delete("/ledgers/{ledger_id}", permission="production_accounting:write")
async def delete_ledger(call: WriteCall) -> None:
    """Remove a ledger to which nothing was ever posted."""
    await actions.delete_ledger(call.tx, call.actor, call.path["ledger_id"])


@get("/ledgers/{ledger_id}/required_inputs", permission="production_accounting:read", returns=RequiredInputs)
async def list_required_inputs(call: ReadCall) -> RequiredInputs:
    """List the inputs that the ledger's model needs."""
    return await queries.list_required_inputs(call.tx, call.actor, call.path["ledger_id"])


@get("/ledgers/{ledger_id}/deficits", permission="production_accounting:read", returns=Deficits)
async def list_deficits(call: ReadCall) -> Deficits:
    """List the times in which more was drawn from the ledger than it had produced, by partition and slot."""
    return await queries.list_deficits(call.tx, call.actor, call.path["ledger_id"])


ROUTES = [
    list_ledgers,
    list_project_ledgers,
    create_ledger,
    create_ledger_of_project,
    get_ledger,
    update_ledger,
    delete_ledger,
    list_required_inputs,
    list_deficits,
]
