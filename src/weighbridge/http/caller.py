"""The caller of a request: the actor behind its token, within the limit and with the permission asked for."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from litestar import Request
from litestar.datastructures import State

from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Database, Read
from weighbridge.db.hosts.replica import Replica
from weighbridge.errors import Forbidden, TooManyRequests, Unauthorized
from weighbridge.http.access.address import client_address
from weighbridge.http.access.failures import FailedAuthentications, seconds_left
from weighbridge.http.admission.rate_limit import RateLimiter

if TYPE_CHECKING:
    from weighbridge.http.admission.shares import Shares
    from weighbridge.http.admission.twins import Twins

WebRequest = Request[Any, Any, State]
Result = TypeVar("Result")


def database(request: WebRequest) -> Database:
    """The database that the application was made with."""
    return cast("Database", request.app.state.database)


async def from_replica(request: WebRequest, read: Callable[[Read], Awaitable[Result]]) -> Result | None:
    """What is read of the replica; None where there is none, or it has to be read from the primary."""
    replica: Replica | None = request.app.state.replica
    if replica is None:
        return None
    return await replica.serve(database(request), read)


def shares(request: WebRequest) -> "Shares":
    """What each account may take of this process."""
    return cast("Shares", request.app.state.shares)


def twins(request: WebRequest) -> "Twins":
    """The idempotency keys that are under way in this process."""
    return cast("Twins", request.app.state.twins)


def token_of(request: WebRequest) -> str:
    """The token that the request carries; empty when it carries none."""
    header = request.headers.get("authorization", "").strip()
    scheme, _, rest = header.partition(" ")
    return rest.strip() if scheme.lower() == "bearer" else header


async def authenticated(request: WebRequest, permission: str) -> Actor:
    """The actor behind the token; refused when there is none or the permission is missing.

    Of a request that another process let through, that one has said who it is.
    """
    state = request.scope["state"]
    passed_on: Actor | None = state.get("actor")
    if passed_on is not None:
        return passed_on
    token = token_of(request)
    limiter: RateLimiter = request.app.state.limiter
    state["limit"] = limiter.untouched().headers
    if not token:
        raise Unauthorized(
            "The request carries no token; send it as Authorization: Bearer <token>.", "token_missing"
        )
    actor = state["actor"] = await _recognised(request, token)
    if actor.token_id is not None:
        allowance = await limiter.admit(database(request), actor.token_id)
        state["limit"] = allowance.headers
        if allowance.is_used_up:
            raise TooManyRequests(
                f"The token has made its {allowance.limit:,} requests of this minute.",
                retry_after_seconds=limiter.seconds_left(),
            )
    if not actor.may(permission):
        raise Forbidden(f"The token lacks the permission {permission}.", "permission_missing")
    return actor


async def _recognised(request: WebRequest, token: str) -> Actor:
    """Whom the token acts for; an address that tried too many others has to wait with unknown ones."""
    app, request_id = request.app.state, request.scope["state"]["request_id"]
    failures: FailedAuthentications = app.failures
    now = asyncio.get_running_loop().time()
    address = client_address(request.scope, app.proxies)
    if failures.is_used_up(address, now) and app.presume(database(request), token, request_id) is None:
        failures.refuse(address, request_id)
        raise TooManyRequests(
            [
                Problem(
                    "Too many tokens of this address were refused in this minute.", None, "too_many_failures"
                )
            ],
            retry_after_seconds=seconds_left(now),
        )
    try:
        actor: Actor = await app.authenticate(database(request), token, request_id)
    except Unauthorized as refusal:
        failures.count(address, refusal.problems[0].code or refusal.code, request_id, now)
        raise
    return actor
