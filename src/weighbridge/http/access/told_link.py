"""Serve what a link opens whose uses are told of: a record, or a file.

Who follows such a link is known by the link alone, so its use is stored before anything is shown. A link that
has ended says so to whoever has it, and that is a use too.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from litestar.handlers import HTTPRouteHandler

from weighbridge.core.platform.permission import LINK
from weighbridge.db.engine import Read
from weighbridge.errors import Gone, Refusal
from weighbridge.http.access.linked import LinkCall, guarded, link_call
from weighbridge.http.access.strangers import admitted
from weighbridge.http.admission.together import Together
from weighbridge.http.attachment import Attachment, AttachmentReply
from weighbridge.http.call import response_of
from weighbridge.http.caller import WebRequest, database, shares
from weighbridge.http.endpoint import routed
from weighbridge.http.reply import Reply

Behind = TypeVar("Behind")


@dataclass(frozen=True, slots=True)
class LinkEntry(Generic[Behind]):
    """What a link opens: whose it is, what its use leaves, and why it is refused if it has ended."""

    account: int
    use: object
    """What its use leaves, which is stored with that of others who wait."""
    refusal: Refusal | None
    behind: Behind


async def let_in(
    request: WebRequest, enter: Callable[[LinkCall], Awaitable[LinkEntry[Behind]]]
) -> LinkEntry[Behind]:
    """What the link of a request opens, once its use is stored; raises what it is refused by."""
    async with guarded(request), database(request).read() as tx:
        entry = await enter(link_call(request, tx))
    uses: Together[object] = request.app.state.link_uses
    await uses.store(entry.use)
    if entry.refusal is not None:
        raise entry.refusal
    return entry


def link_in(request: WebRequest) -> int:
    """Stands for the query that makes an address a link, however long that is."""
    return hash(bytes(request.scope["query_string"]))


def by_told_link(
    path: str,
    *,
    enter: Callable[[LinkCall], Awaitable[LinkEntry[Behind]]],
    query: Mapping[str, str],
    returns: Any = None,
    sends: tuple[str, ...] = (),
) -> Callable[[Callable[[Read, Behind], Awaitable[Any]]], HTTPRouteHandler]:
    """Serve a function that reads what a link opens, without a token; it may give an attachment.

    `enter` finds what is behind the address, NotFound where there is no such link.
    """

    def decorate(function: Callable[[Read, Behind], Awaitable[Any]]) -> HTTPRouteHandler:
        async def handler(request: WebRequest) -> Reply | AttachmentReply:
            async with admitted(request, link_in(request)):
                entry = await let_in(request, enter)
                async with shares(request).request(entry.account), database(request).read() as tx:
                    answer = await function(tx, entry.behind)
                    await tx.settle()
            if isinstance(answer, Attachment):
                return answer.reply(request.app.state.downloads, entry.account)
            return response_of(request, answer, 200)

        return routed(
            "GET", path, function, handler, permission=LINK, returns=returns, status=200, sends=sends,
            query=query, refuses=(Gone,),
        )  # fmt: skip

    return decorate
