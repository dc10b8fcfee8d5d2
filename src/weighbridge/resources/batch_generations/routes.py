"""Paths of generation: hung below the ledger whose batches are made."""

from weighbridge.http.endpoint import Answer, WriteCall, post
from weighbridge.resources.async_tasks.records import AsyncTask
from weighbridge.resources.batch_generations import actions
from weighbridge.resources.batch_generations.records import NewGeneration, Preview

POLL_AFTER_SECONDS = 2

_EXAMPLE = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-12-31T23:59:59Z"}


@post(
    "/ledgers/{ledger_id}/generate_preview",
    permission="production_accounting:read",
    body=NewGeneration,
    returns=Preview,
    status=200,
    example=_EXAMPLE,
)
async def generate_preview(call: WriteCall, body: NewGeneration) -> Preview:
    """Say how many batches generation would create, without creating any."""
    return await actions.preview(call.tx, call.actor, call.path["ledger_id"], body)


@post(
    "/ledgers/{ledger_id}/batch_generations",
    permission="production_accounting:write",
    body=NewGeneration,
    returns=AsyncTask,
    status=202,
    example=_EXAMPLE,
)
async def create_batch_generation(call: WriteCall, body: NewGeneration) -> Answer:
    """Start generating batches on a ledger; poll the task in the answer."""
    task = await actions.start(call.tx, call.actor, call.path["ledger_id"], body)
    return Answer(
        task, {"Location": f"/api/v1/async_tasks/{task.id}", "Retry-After": str(POLL_AFTER_SECONDS)}
    )


ROUTES = [generate_preview, create_batch_generation]
