"""Tells of a write that was refused to somebody the service knows; the answer is the same whether it can."""

from typing import NamedTuple

import structlog
from psycopg import Error
from psycopg_pool import PoolTimeout

from weighbridge.core.platform.permission import Actor
from weighbridge.errors import Refusal
from weighbridge.http.caller import WebRequest, database

log = structlog.get_logger()


class RefusedWrite(NamedTuple):
    """What was tried, and how it was refused."""

    operation: str
    status: int
    code: str
    method: str
    path: str


async def tell_of_refused_write(request: WebRequest, operation: str, refusal: Refusal) -> None:
    """Have the audit log know of the refusal of an operation that writes."""
    actor: Actor | None = request.scope["state"].get("actor")
    if actor is None or actor.token_id is None:
        return
    code = refusal.problems[0].code or refusal.code
    refused = RefusedWrite(operation, refusal.status, code, request.method, request.url.path)
    try:
        await request.app.state.count_refusal(database(request), actor, refused)
    except (Error, PoolTimeout) as error:
        log.warning("refusal_not_told", operation=operation, error=str(error))
