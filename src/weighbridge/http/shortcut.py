"""A shortcut carries a small request out in one statement, by what the process remembers of it.

It succeeds or nothing has happened: where anything is unknown, refused or in doubt, the request is done the
long way from its start, which looks at everything. So a shortcut has no refusals of its own, and who is
refused hears the same as ever.

Invariants: the statement itself asks whether the token still stands, and stores nothing otherwise; a
request that carries an idempotency key takes the long way; a request counts once against the limit.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Database
from weighbridge.errors import Malformed
from weighbridge.http import idempotency, wire
from weighbridge.http.caller import WebRequest, authenticated, database, shares, token_of
from weighbridge.http.rate_limits import RateLimiter

SHORT_BODY_BYTES_MAX: Final = 16_384
"""Bytes of a body that may take the shortcut; a larger one is read only once."""


@dataclass(frozen=True, slots=True)
class Presumption:
    """Whom a token acted for when last looked at, and the parameters that ask whether it still does."""

    actor: Actor
    token_id: int
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ShortCall:
    """One request on its way: who calls if the token still stands, in which database, with which path."""

    database: Database
    presumed: Presumption
    path: Mapping[str, str]


Shortcut = Callable[[ShortCall, Any], Awaitable[Any]]
"""Gives the record of the answer, or None when the long way has to be taken."""


async def by_shortcut(request: WebRequest, permission: str, body: type[Any], shortcut: Shortcut) -> Any:
    """The record of the answer; None when nothing has been done and the long way has to be taken."""
    presumed = _presumed(request, permission) if _is_short(request) else None
    if presumed is None:
        return None
    try:
        arrived = wire.decode(await _body_of(request, permission), body)
    except Malformed:
        return None
    limiter: RateLimiter = request.app.state.limiter
    allowance = limiter.admit_unshared(presumed.token_id)
    if allowance is None:
        return None
    record = None
    try:
        async with shares(request).turn(presumed.actor.account_id):
            request.scope["state"]["account"] = presumed.actor.account_id
            record = await shortcut(ShortCall(database(request), presumed, _path_of(request)), arrived)
    finally:
        if record is None:
            limiter.take_back(presumed.token_id, allowance)
    request.scope["state"]["limit"] = allowance.headers
    return record


def _presumed(request: WebRequest, permission: str) -> Presumption | None:
    """Whom the request's token acted for when last looked at, if that one may do this."""
    token = token_of(request)
    if not token:
        return None
    presumed: Presumption | None = request.app.state.presume(
        database(request), token, request.scope["state"]["request_id"]
    )
    return presumed if presumed is not None and presumed.actor.may(permission) else None


def _is_short(request: WebRequest) -> bool:
    """Whether the request is small JSON without a key."""
    headers = request.headers
    length = headers.get("content-length", "")
    return (
        length.isdecimal()
        and int(length) <= SHORT_BODY_BYTES_MAX
        and headers.get("content-type", "").partition(";")[0].strip().lower() == wire.MEDIA_TYPE
        and idempotency.HEADER not in headers
        and "content-encoding" not in headers
        and not request.scope["query_string"]
    )


async def _body_of(request: WebRequest, permission: str) -> bytes:
    try:
        return await request.body()
    except Exception:
        await authenticated(request, permission)  # who is refused anyway hears of that
        raise


def _path_of(request: WebRequest) -> Mapping[str, str]:
    return cast("Mapping[str, str]", request.path_params)
