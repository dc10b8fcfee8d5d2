"""A link is an address that is its own key: whoever has it may have what is behind it, while it lasts.

Links that name nothing count as failures of the client's address, as unknown tokens do, so that nobody tries
them all.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, cast

from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read
from weighbridge.errors import NotFound, TooManyRequests
from weighbridge.http.access.address import client_address
from weighbridge.http.access.failures import FailedAuthentications, seconds_left
from weighbridge.http.access.strangers import admitted
from weighbridge.http.attachment import Attachment, AttachmentReply, Files
from weighbridge.http.call import query_of
from weighbridge.http.caller import WebRequest, database

UNKNOWN: Final = "link_unknown"
"""The reason that is counted for a link that names nothing."""


@dataclass(frozen=True, slots=True)
class LinkCall:
    """One request by a link: what stands in its address, and the transaction to look it up in."""

    tx: Read
    path: Mapping[str, str]
    query: Mapping[str, str]
    files: Files
    operation: str
    request_id: str


@dataclass(frozen=True, slots=True)
class Linked:
    """What is behind a link, and whose it is."""

    account: int
    attachment: Attachment


async def linked(request: WebRequest, function: Callable[[LinkCall], Awaitable[Linked]]) -> AttachmentReply:
    """The file behind the link of a request; NotFound where there is none (any more)."""
    async with admitted(request), guarded(request), database(request).read() as tx:
        found = await function(link_call(request, tx))
    return found.attachment.reply(request.app.state.downloads, found.account)


def link_call(request: WebRequest, tx: Read) -> LinkCall:
    """A request by a link, to be looked up in a transaction."""
    state = request.scope["state"]
    return LinkCall(
        tx,
        cast("Mapping[str, str]", request.path_params),
        dict(query_of(request)),
        request.app.state.files,
        state["operation"],
        state["request_id"],
    )


@asynccontextmanager
async def guarded(request: WebRequest) -> AsyncIterator[None]:
    """Count a link that names nothing as a failure of the client's address; refuse one that had too many."""
    app, request_id = request.app.state, request.scope["state"]["request_id"]
    failures: FailedAuthentications = app.failures
    address, now = client_address(request.scope, app.proxies), asyncio.get_running_loop().time()
    if failures.is_used_up(address, now):
        failures.refuse(address, request_id)
        said = "Too many links or tokens of this address were refused in this minute."
        raise TooManyRequests(
            [Problem(said, None, "too_many_failures")], retry_after_seconds=seconds_left(now)
        )
    try:
        yield
    except NotFound:
        failures.count(address, UNKNOWN, request_id, now)
        raise
