"""Paths of generation: hung below the ledger whose batches are made."""

from weighbridge.accounting.batch_generations import actions, queries
from weighbridge.accounting.batch_generations.records import (
    GenerationResult,
    NewGeneration,
    Preview,
    UpdatedBatch,
    UpdatedInputs,
)
from weighbridge.http.arrival.body import LONG_BODY_BYTES_MAX
from weighbridge.http.endpoint import Answer, ReadCall, WriteCall, ask, patch, post
from weighbridge.platform.async_tasks.records import AsyncTask
from weighbridge.platform.queue.polling import accepted, poll

_EXAMPLE = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-12-31T23:59:59Z"}


@ask(
    "/ledgers/{ledger_id}/generate_preview",
    permission="production_accounting:read",
    body=NewGeneration,
    body_bytes_max=LONG_BODY_BYTES_MAX,
    returns=Preview,
    of_one_snapshot=True,
    example=_EXAMPLE,
)
async def generate_preview(call: ReadCall, body: NewGeneration) -> Preview:
    """Say how many batches generation would create, without creating any."""
    return await queries.preview(call.tx, call.actor, call.path["ledger_id"], body)


@post(
    "/ledgers/{ledger_id}/batch_generations",
    permission="production_accounting:write",
    body=NewGeneration,
    body_bytes_max=LONG_BODY_BYTES_MAX,
    returns=AsyncTask,
    status=202,
    task_results={"batch_generation": GenerationResult},
    example=_EXAMPLE,
    computes=True,
)
async def create_batch_generation(call: WriteCall, body: NewGeneration) -> Answer:
    """Start generating batches on a ledger; poll the task in the answer."""
    return accepted(await actions.start(call.tx, call.actor, call.path["ledger_id"], body))


@patch(
    "/ledgers/{ledger_id}/batches/{batch_id}/update_inputs",
    permission="production_accounting:write",
    body=UpdatedInputs,
    body_bytes_max=LONG_BODY_BYTES_MAX,
    returns=UpdatedBatch,
    example={"data_point_ids": [], "skipped_data_point_type_ids": []},
    computes=True,
)
async def update_inputs(call: WriteCall, body: UpdatedInputs) -> Answer:
    """Start computing a batch again with other inputs; `processing` until the task in `Location` ends."""
    batch, task = await actions.update_inputs(
        call.tx, call.actor, call.path["ledger_id"], call.path["batch_id"], body
    )
    return Answer(batch, poll(task))


ROUTES = [generate_preview, create_batch_generation, update_inputs]
