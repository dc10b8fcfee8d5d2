"""Paths of models."""

from weighbridge.db.listing import Page, wanted
from weighbridge.http.endpoint import ReadCall, WriteCall, get, post
from weighbridge.resources.models import actions, queries
from weighbridge.resources.models.records import Model, NewModelBody


@get("/models", permission="production_accounting:read", returns=Page[Model], listing=queries.MODELS)
async def list_models(call: ReadCall) -> Page[Model]:
    """List the account's models, every version of each."""
    return await queries.list_models(call.tx, call.actor, wanted(call.query, queries.MODELS))


@post("/models", permission="production_accounting:write", body=NewModelBody, returns=Model)
async def create_model(call: WriteCall, body: NewModelBody) -> Model:
    """Create a model from its YAML document, which is checked whole: units, names, its own cases."""
    return await actions.create_model(call.tx, call.actor, body.model)


@get("/models/{model_id}", permission="production_accounting:read", returns=Model)
async def get_model(call: ReadCall) -> Model:
    """Read one version of a model."""
    return await queries.get_model(call.tx, call.actor, call.path["model_id"])


ROUTES = [list_models, create_model, get_model]
