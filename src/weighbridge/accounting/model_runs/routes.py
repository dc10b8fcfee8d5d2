"""Paths of model runs."""

from weighbridge.accounting.model_runs import actions, queries
from weighbridge.accounting.model_runs.records import ModelRun, NewModelRunBody
from weighbridge.db.listing import Page, list_request
from weighbridge.http.endpoint import ReadCall, WriteCall, delete, get, post
from weighbridge.modelling.versions.stored import owned_model

_READ = "production_accounting:read"
_WRITE = "production_accounting:write"
_OF_MODEL = "/models/{model_id}/model_runs"
_ONE = "/model_runs/{model_run_id}"


@get(_OF_MODEL, permission=_READ, returns=Page[ModelRun], listing=queries.MODEL_RUNS)
async def list_model_runs(call: ReadCall) -> Page[ModelRun]:
    """List the runs of one version of a model: those that stand alone, and those behind its batches."""
    kept = await owned_model(call.tx, call.actor, call.path["model_id"])
    return await queries.list_model_runs(call.tx, kept.id, list_request(call.query, queries.MODEL_RUNS))


@post(
    _OF_MODEL,
    permission=_WRITE,
    body=NewModelRunBody,
    returns=ModelRun,
    example={
        "model_run": {
            "start_time": "2025-01-01T00:00:00Z",
            "end_time": "2025-02-01T00:00:00Z",
            "data_point_ids": ["in_8a8a3be3654d96b1a9c04f14"],
        }
    },
    computes=True,
)
async def create_model_run(call: WriteCall, body: NewModelRunBody) -> ModelRun:
    """Evaluate one version of a model at once over the data points that are named; it credits no ledger.

    The period is computed as generation computes a slot, with the data points that are named and no others:
    the same digits, and the same sentences where data are missing, do not match or do not cover the period.
    Weights, and texts that are joined on, come from the same event. The run has the partition that all its
    events share, and draws nothing. Data points that cannot count are refused; an evaluation that fails, as
    by a division by zero, is kept as a run whose state is `failed`.
    """
    return await actions.create_model_run(call.tx, call.actor, call.path["model_id"], body.model_run)


@get(_ONE, permission=_READ, returns=ModelRun)
async def get_model_run(call: ReadCall) -> ModelRun:
    """Read one run with the value of every node; that behind a batch has the batch's values."""
    return await queries.get_model_run(call.tx, call.actor, call.path["model_run_id"])


@delete(_ONE, permission=_WRITE)
async def delete_model_run(call: WriteCall) -> None:
    """Delete a run that stands alone; 422 with every blocker and its records for one behind a batch."""
    await actions.delete_model_run(call.tx, call.actor, call.path["model_run_id"])


ROUTES = [list_model_runs, create_model_run, get_model_run, delete_model_run]
