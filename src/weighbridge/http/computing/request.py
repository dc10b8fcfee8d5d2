"""Where the work of a request is carried out: among all others, or apart from them when it computes."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Database
from weighbridge.db.threads import computing_for
from weighbridge.http.caller import WebRequest, database, shares
from weighbridge.http.computing.loop import ComputingLoop

Result = TypeVar("Result")


async def carried_out(
    request: WebRequest, actor: Actor, work: Callable[[Database], Awaitable[Result]], *, computes: bool
) -> Result:
    """Carry out the work of a request whose body was read and which is counted among those of its account.

    It waits for the account's turn: to have something computed, or to take a connection. TooManyRequests when
    that does not come soon, Unavailable when it computes for too long.
    """
    account = actor.account_id
    if not computes:
        async with shares(request).connection(account):
            with computing_for(account):
                return await work(database(request))
    computing: ComputingLoop = request.app.state.computing
    return await computing.carry_out(account, work, request.receive)
