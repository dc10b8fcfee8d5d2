"""Endpoints that say what would come of a change: it is made, looked at, and undone.

Each is carried out apart from all other requests, in a transaction that is never committed
(`Database.trial`). A question of its own is an `attempt`; `with_dry_runs` has a request that changes records
answer what its change would come to, when it carries `dry_run=true`.

Invariants: a dry run is refused for all that the request itself would be refused for, in the same words; it
stores nothing, an answer under an Idempotency-Key neither.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Database
from weighbridge.errors import Forbidden
from weighbridge.http.caller import WebRequest, authenticate_caller
from weighbridge.http.endpoints.computing import execute_request, hand_over_when_long
from weighbridge.http.endpoints.endpoint import (
    answer_question,
    answer_reading,
    build_route,
    receive_request,
    refuse_outside_calendar,
)
from weighbridge.http.messages.body import BODY_BYTES_MAX
from weighbridge.http.messages.operation import (
    Endpoint,
    Handler,
    Operation,
    Reply,
    Sent,
    WriteCall,
    build_call,
    build_response,
    route,
)

DRY_RUN: Final = "dry_run"
"""The switch in the query that asks for a dry run."""

_MEANING: Final = (
    "Whether to make no change and answer what it would come to. Refused is what the request itself is "
    "refused for; nothing is stored, and an Idempotency-Key is not looked at."
)


def attempt(
    path: str, *, permission: str, returns: Any
) -> Callable[[Callable[[WriteCall], Awaitable[Any]]], Endpoint]:
    """Serve a function that says what would come of a change; it is undone."""

    def decorate(function: Callable[[WriteCall], Awaitable[Any]]) -> Endpoint:
        async def handler(request: WebRequest) -> Reply:
            async def read(tx: Any, actor: Actor) -> Any:
                return await function(build_call(request, tx, actor))

            answer = await answer_reading(request, permission, read, computes=True, tries=True)
            return build_response(request, answer, 200)

        return build_route(
            "GET", path, function, handler, permission=permission, returns=returns, status=200, computes=True
        )

    return decorate


def attempt_with_body(
    path: str,
    *,
    permission: str,
    body: type[Any],
    returns: Any,
    example: Any = None,
    body_bytes_max: int | None = BODY_BYTES_MAX,
    spans_projects: bool = False,
) -> Callable[[Callable[[WriteCall, Any], Awaitable[Any]]], Endpoint]:
    """Serve a function that says what would come of a change which a body describes; it is undone."""

    def decorate(function: Callable[[WriteCall, Any], Awaitable[Any]]) -> Endpoint:
        async def handler(request: WebRequest) -> Reply:
            return await answer_question(request, permission, body, Database.trial, function)

        return build_route(
            "POST", path, function, handler, permission=permission, returns=returns, status=200, body=body,
            example=example, body_bytes_max=body_bytes_max, computes=True, only_asks=True,
            spans_projects=spans_projects,
        )  # fmt: skip

    return decorate


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a request answers that is to change nothing: by whom it may be asked, and how it is found out."""

    permission: str
    """The permission that the token needs in addition to that of the request."""
    returns: type[Any]
    look: Callable[[WriteCall, Callable[[], Awaitable[Any]]], Awaitable[Any]]
    """Given the call and the change, makes the change and says what comes of it; all is undone."""


def with_dry_runs(routes: Sequence[Endpoint], dry_runs: Mapping[str, DryRun]) -> list[Endpoint]:
    """The routes of a noun, with the dry runs that there are, by the names of their operations."""
    names = [endpoint.operation.name for endpoint in routes]
    return [
        _with_dry_run(endpoint, dry_runs[name]) if name in dry_runs else endpoint
        for name, endpoint in zip(names, routes, strict=True)
    ]


def _with_dry_run(endpoint: Endpoint, dry_run: DryRun) -> Endpoint:
    """The same endpoint, which makes a dry run of a request that asks for one."""
    operation = endpoint.operation
    promised = replace(
        operation,
        returns=operation.returns | dry_run.returns,
        switches={**operation.switches, DRY_RUN: _MEANING},
        summary=f"{operation.summary}\n\nA dry run needs `{dry_run.permission}` as well.",
    )

    async def tried(request: WebRequest) -> Reply:
        return await _try_change(request, promised, dry_run)

    looked_at: Handler = hand_over_when_long(replace(promised, computes=True, only_asks=True), tried)

    async def either(request: WebRequest) -> Sent:
        if request.query_params.getall(DRY_RUN, []) == ["true"]:
            return await looked_at(request)
        return await endpoint.handler(request)

    return route(promised, either)


async def _try_change(request: WebRequest, operation: Operation, dry_run: DryRun) -> Reply:
    """What a request would come to."""
    assert operation.function is not None, "an endpoint has a function"  # noqa: S101
    change = operation.function
    actor = await authenticate_caller(request, operation.permission)
    if not actor.may(dry_run.permission):
        message = f"The token lacks the permission {dry_run.permission}, which a dry run needs."
        raise Forbidden(message, "permission_missing")
    async with receive_request(request, actor, operation.body) as (decoded_body, _):

        async def work(database_: Database) -> Reply:
            async with database_.trial() as tx:
                call = build_call(request, tx, actor)
                looking = dry_run.look(call, partial(change, call, decoded_body))
                return build_response(request, await refuse_outside_calendar(looking, decoded_body), 200)

        return await execute_request(request, actor, work, computes=True)
