"""Serve what a link opens: an address that is its own key, for as long as it lasts.

`by_link` is the decorator of links whose uses are not logged, `by_logged_link` of those whose uses are, and
`by_writing_link` of operations that change something by such a link.

Invariants: a link that names nothing counts as a failure of the client's address; a logged use is
stored before anything is shown.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, Generic, TypeVar, cast

from weighbridge.core.platform.cell import Cell, read_account
from weighbridge.core.platform.permission import LINK
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Gone, NotFound, Refusal, TooManyRequests
from weighbridge.http.caller import (
    WebRequest,
    admit_stranger,
    cell_of,
    cells,
    confirm_cell,
    database,
    shares,
)
from weighbridge.http.endpoints.endpoint import (
    build_route,
)
from weighbridge.http.limits import FailedAuthentications, Together, client_address, seconds_left
from weighbridge.http.messages.body import receive_body
from weighbridge.http.messages.operation import (
    Attachment,
    AttachmentReply,
    Endpoint,
    Files,
    Reply,
    build_response,
    read_query,
)
from weighbridge.settings import Settings

# A link is an address that is its own key: anyone who has it may read its target while it is valid.
#
# Links that name nothing count as failures of the client's address, as unknown tokens do, so that nobody
# tries them all.


KEY: Final = "key"
"""The parameter that makes an address a secret."""

UNKNOWN: Final = "link_unknown"
"""The reason that is counted for a link that names nothing."""


@dataclass(frozen=True, slots=True)
class LinkCall:
    """One request by a link: the parts of its URL, and the transaction to look it up in."""

    tx: Read
    path: Mapping[str, str]
    query: Mapping[str, str]
    files: Files
    settings: Settings
    operation: str
    request_id: str


@dataclass(frozen=True, slots=True)
class Linked:
    """What is behind a link, and whose it is."""

    account: int
    attachment: Attachment


async def find_linked_file(
    request: WebRequest, function: Callable[[LinkCall], Awaitable[Linked]]
) -> AttachmentReply:
    """The file behind the link of a request; NotFound where there is none (any more)."""
    async with admit_stranger(request), count_unknown_links(request), _open_cell(request) as tx:
        linked_file = await function(link_call(request, tx))
    return linked_file.attachment.reply(request.app.state.downloads, linked_file.account)


def link_call(request: WebRequest, tx: Read) -> LinkCall:
    """A request by a link, to be looked up in a transaction."""
    state = request.scope["state"]
    return LinkCall(
        tx,
        cast("Mapping[str, str]", request.path_params),
        dict(read_query(request)),
        request.app.state.files,
        request.app.state.settings,
        state["operation"],
        state["request_id"],
    )


@asynccontextmanager
async def _open_cell(request: WebRequest) -> AsyncIterator[Read]:
    """A transaction in the cell of the account that the link's key names."""
    await confirm_cell(request, await _account_of(request))
    async with database(request).read() as tx:
        yield tx


async def _account_of(request: WebRequest) -> int | None:
    """The account of a link: that which its key names, or one that has moved since the key was made."""
    key = request.query_params.get(KEY, "")
    account = read_account(key)
    if account is None:
        account = await cells(request).find_of_secret(sha256(key.rpartition(".")[2].encode()).digest())
    return account


@asynccontextmanager
async def count_unknown_links(request: WebRequest) -> AsyncIterator[None]:
    """Count a link that names nothing as a failure of the client's address; refuse one that had too many."""
    app, request_id = request.app.state, request.scope["state"]["request_id"]
    failures: FailedAuthentications = app.failures
    address, now = client_address(request.scope, app.proxies), asyncio.get_running_loop().time()
    if failures.is_used_up(address, now):
        failures.refuse(address, request_id)
        message = "Too many links or tokens of this address were refused in this minute."
        raise TooManyRequests(
            [Problem(message, None, "too_many_failures")], retry_after_seconds=seconds_left(now)
        )
    try:
        yield
    except NotFound:
        failures.count(address, UNKNOWN, request_id, now)
        raise


# Serve the target of a link whose uses are logged: a record, or a file.
#
# Who follows such a link is known by the link alone, so its use is stored before anything is shown. A link
# that has ended says so to its holder, and that is a use too.


LinkTarget = TypeVar("LinkTarget")


@dataclass(frozen=True, slots=True)
class LinkEntry(Generic[LinkTarget]):
    """What a link opens: whose it is, what its use leaves, and why it is refused if it has ended."""

    account: int
    use: object
    """What its use leaves, which is stored with that of others who wait."""
    refusal: Refusal | None
    behind: LinkTarget


async def open_link(
    request: WebRequest, enter: Callable[[LinkCall], Awaitable[LinkEntry[LinkTarget]]]
) -> LinkEntry[LinkTarget]:
    """What the link of a request opens, once its use is stored; raises what it is refused by."""
    async with count_unknown_links(request), _open_cell(request) as tx:
        entry = await enter(link_call(request, tx))
    uses: Together[Cell, object] = request.app.state.link_uses
    await uses.store(cell_of(request), entry.use)
    if entry.refusal is not None:
        raise entry.refusal
    return entry


def hash_link(request: WebRequest) -> int:
    """Replaces the query that makes a URL a link, of any length."""
    return hash(bytes(request.scope["query_string"]))


def by_logged_link(
    path: str,
    *,
    enter: Callable[[LinkCall], Awaitable[LinkEntry[LinkTarget]]],
    query: Mapping[str, str],
    returns: Any = None,
    sends: tuple[str, ...] = (),
    refuses: tuple[type[Refusal], ...] = (),
) -> Callable[[Callable[[Read, LinkTarget], Awaitable[Any]]], Endpoint]:
    """Serve a function that reads what a link opens, without a token; it may give an attachment.

    `enter` finds what is behind the address, NotFound where there is no such link.
    """

    def decorate(function: Callable[[Read, LinkTarget], Awaitable[Any]]) -> Endpoint:
        async def handler(request: WebRequest) -> Reply | AttachmentReply:
            async with admit_stranger(request, hash_link(request)):
                entry = await open_link(request, enter)
                request.scope["state"]["account"] = entry.account
                async with shares(request).request(entry.account), database(request).read() as tx:
                    answer = await function(tx, entry.behind)
                    await tx.settle()
            if isinstance(answer, Attachment):
                return answer.reply(request.app.state.downloads, entry.account)
            return build_response(request, answer, 200)

        return build_route(
            "GET", path, function, handler, permission=LINK, returns=returns, status=200, sends=sends,
            query=query, refuses=(Gone, *refuses),
        )  # fmt: skip

    return decorate


def by_writing_link(
    path: str,
    *,
    enter: Callable[[LinkCall], Awaitable[LinkEntry[LinkTarget]]],
    query: Mapping[str, str],
    body: type[Any],
    returns: Any,
    status: int = 201,
    example: Any = None,
    refuses: tuple[type[Refusal], ...] = (),
) -> Callable[[Callable[[Write, LinkTarget, Any], Awaitable[Any]]], Endpoint]:
    """Serve a function that writes what the body asks for, by what a link opens, without a token.

    The use of the link is stored before the body is read, so it stays known whatever comes of the request.
    """

    def decorate(function: Callable[[Write, LinkTarget, Any], Awaitable[Any]]) -> Endpoint:
        async def handler(request: WebRequest) -> Reply:
            async with admit_stranger(request, hash_link(request)):
                entry = await open_link(request, enter)
                request.scope["state"]["account"] = entry.account
                async with (
                    receive_body(request, entry.account, body, None, None) as (decoded_body, _),
                    shares(request).request(entry.account),
                    database(request).write() as tx,
                ):
                    answer = await function(tx, entry.behind, decoded_body)
            return build_response(request, answer, status)

        return build_route(
            "POST", path, function, handler, permission=LINK, returns=returns, status=status, body=body,
            query=query, example=example, refuses=(Gone, *refuses),
        )  # fmt: skip

    return decorate


def by_link(
    path: str, *, query: Mapping[str, str], sends: tuple[str, ...]
) -> Callable[[Callable[[LinkCall], Awaitable[Linked]]], Endpoint]:
    """Serve a file by its URL, without a token; the function returns the file and its account."""

    def decorate(function: Callable[[LinkCall], Awaitable[Linked]]) -> Endpoint:
        async def handler(request: WebRequest) -> AttachmentReply:
            return await find_linked_file(request, function)

        return build_route(
            "GET",
            path,
            function,
            handler,
            permission=LINK,
            returns=None,
            status=200,
            sends=sends,
            query=query,
        )

    return decorate
