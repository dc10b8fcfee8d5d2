"""Paths of batches."""

from weighbridge.accounting.batches import actions, queries
from weighbridge.accounting.batches.records import (
    Batch,
    BatchDeletion,
    DeletionResult,
    InputDataPage,
    Lineage,
)
from weighbridge.accounting.ledgers.queries import ledger_to_read
from weighbridge.collection.tenancy.project import project_named
from weighbridge.db.listing import Page, list_request
from weighbridge.http.endpoint import Answer, ReadCall, WriteCall, delete, get, post
from weighbridge.platform.async_tasks.records import AsyncTask
from weighbridge.platform.queue.polling import accepted

_READ = "production_accounting:read"
_WRITE = "production_accounting:write"


@get("/batches", permission=_READ, returns=Page[Batch], listing=queries.BATCHES)
async def list_batches(call: ReadCall) -> Page[Batch]:
    """List the batches of all the account's ledgers."""
    return await queries.list_batches(call.tx, call.actor, list_request(call.query, queries.BATCHES))


@get("/projects/{project_id}/batches", permission=_READ, returns=Page[Batch], listing=queries.BATCHES)
async def list_project_batches(call: ReadCall) -> Page[Batch]:
    """List the batches of all the project's ledgers."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await queries.list_batches_of_project(call.tx, project, list_request(call.query, queries.BATCHES))


@get("/ledgers/{ledger_id}/batches", permission=_READ, returns=Page[Batch], listing=queries.LEDGER_BATCHES)
async def list_ledger_batches(call: ReadCall) -> Page[Batch]:
    """List the batches of one ledger."""
    key = ledger_to_read(call.tx, call.actor, call.path["ledger_id"])
    return await queries.list_ledger_batches(
        call.tx, key.project, key.key, list_request(call.query, queries.LEDGER_BATCHES)
    )


@get("/batches/{batch_id}", permission=_READ, returns=Batch)
async def get_batch(call: ReadCall) -> Batch:
    """Read one batch with the first rows of its input data."""
    return await queries.get_batch(call.tx, call.actor, call.path["batch_id"])


@get("/batches/{batch_id}/input_data", permission=_READ, returns=InputDataPage, listing=queries.INPUT_DATA)
async def list_input_data(call: ReadCall) -> InputDataPage:
    """List every value that a batch was made of, page by page."""
    return await queries.list_input_data(
        call.tx, call.actor, call.path["batch_id"], list_request(call.query, queries.INPUT_DATA)
    )


@get("/batches/{batch_id}/lineage", permission=_READ, returns=Lineage)
async def get_lineage(call: ReadCall) -> Lineage:
    """Show how a batch came about: every node's equation and value, down to the measurements."""
    return await queries.get_lineage(call.tx, call.actor, call.path["batch_id"])


@delete("/batches/{batch_id}", permission=_WRITE, returns=AsyncTask, status=202)
async def delete_batch(call: WriteCall) -> Answer:
    """Start undoing all that one batch posted; poll the task in the answer."""
    return accepted(await actions.delete_batch(call.tx, call.actor, call.path["batch_id"]))


@post(
    "/ledgers/{ledger_id}/batch_deletions",
    permission=_WRITE,
    body=BatchDeletion,
    returns=AsyncTask,
    status=202,
    task_results={"batch_deletion": DeletionResult},
)
async def create_batch_deletion(call: WriteCall, body: BatchDeletion) -> Answer:
    """Start undoing all that several batches of the ledger's project posted, together."""
    task = await actions.delete_batches(call.tx, call.actor, call.path["ledger_id"], body)
    return accepted(task)


ROUTES = [
    list_batches,
    list_project_batches,
    list_ledger_batches,
    get_batch,
    list_input_data,
    get_lineage,
    delete_batch,
    create_batch_deletion,
]
