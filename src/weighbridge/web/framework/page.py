"""A page is a plain function after a path; this is what all of them share.

`page` shows, `form` takes what was typed. Both find who has signed in, check a permission, open one
transaction and render what the function gives. An error of a form shows its page again, with what was
typed.

Invariant: no file is stored before the form has shown that one of our own pages sent it.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import quote, unquote_to_bytes

from litestar.handlers import HTTPRouteHandler

from weighbridge.concurrency import Turns, compute_in_thread
from weighbridge.core.platform.permission import ANY
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Database, Read
from weighbridge.errors import (
    Conflict,
    Forbidden,
    Invalid,
    Malformed,
    Refusal,
    TooLarge,
    UnsupportedMediaType,
)
from weighbridge.http.caller import WebRequest, admit_stranger, from_replica, shares
from weighbridge.http.endpoints.computing import execute_request, hand_over_when_long
from weighbridge.http.endpoints.links import hash_link
from weighbridge.http.messages import body as upload
from weighbridge.http.messages.body import Form
from weighbridge.http.messages.operation import AttachmentReply, Operation, framework_path
from weighbridge.platform.records.accounts import Person
from weighbridge.web.framework.listing import JSON, ListQuery, as_data, suffix_of
from weighbridge.web.framework.rendering import rendered
from weighbridge.web.framework.responses import Sendable, moved_to
from weighbridge.web.framework.session import FIELD, person_of, refuse_foreign, refuse_without_word, secret_of
from weighbridge.web.framework.visit import Frame, Redirect, View, Visit, frame_of

# A form on its way in: the fields that were typed, and the file that came with them, if the form takes one.
#
# Invariant: no file is put into the store before the form has shown that one of our own pages sent it, and
# none stays there when what it is for is refused.


FIELDS_MAX: Final = 5_000
"""Fields of a form, at most."""

OPEN_FIELDS_MAX: Final = 20
"""Fields of a form that anybody may send, at most."""

OPEN_FORM_BYTES_MAX: Final = 16_384
"""Bytes of a form that anybody may send, at most: an address to come back to is the longest of its texts."""

_PIECE: Final = 4_096
"""Bytes of a text that are decoded before others get their turn."""

Typed = Mapping[str, tuple[str, ...]]


@asynccontextmanager
async def arrived_form(
    request: WebRequest, account: int, secret: str, takes: upload.Form | None
) -> AsyncIterator[tuple[Typed, Any]]:
    """What was typed, and what became of the file beside it; Forbidden without the word of the session."""
    kind = request.headers.get("content-type", "")
    if takes is None or not upload.is_form(kind):
        typed = await typed_of(request)
        refuse_without_word(request, secret, "".join(typed.get(FIELD, ())))
        yield typed, None
        return
    with_word = replace(takes, texts={**takes.texts, FIELD: "The word of the session."})
    async with upload.read(with_word, kind, request.stream(), account) as arrived:
        refuse_without_word(request, secret, arrived.texts.get(FIELD, ""))
        texts = {name: text for name, text in arrived.texts.items() if name != FIELD}
        state, without = request.app.state, replace(arrived, texts=texts)
        async with upload.received(takes, state.files, without, state.places_of_files) as file:
            yield {name: (text,) for name, text in texts.items()}, file


async def typed_of(request: WebRequest, fields_max: int = FIELDS_MAX) -> dict[str, tuple[str, ...]]:
    """What was typed into a form, by the names of its fields; Malformed for more fields than it may have."""
    body, turns = await request.body(), Turns()
    if body.count(b"&") >= fields_max:
        raise Malformed(f"The form has more fields than it takes, which are {fields_max:,}.")
    typed: dict[str, list[str]] = {}
    for pair in filter(None, body.split(b"&")):
        await turns.next()
        named, _, text = pair.partition(b"=")
        name, value = await _decoded(named, turns), await _decoded(text, turns)
        if "\x00" in value:
            raise Malformed([Problem(f"{name} holds a NUL character, which no text may.", name, "invalid")])
        typed.setdefault(name, []).append(value.replace("\r\n", "\n"))
    return {name: tuple(values) for name, values in typed.items()}


async def _decoded(text: bytes, turns: Turns) -> str:
    """A name or a value as it was typed: a long one is decoded in pieces, none of which cuts an escape."""
    text = text.replace(b"+", b" ")
    pieces, start = [], 0
    while start < len(text):
        end = start + _PIECE
        cut = text.rfind(b"%", end - 2, end)
        end = end if cut < 0 else cut
        pieces.append(unquote_to_bytes(text[start:end]))
        start = end
        await turns.next()
    try:
        return b"".join(pieces).decode()
    except UnicodeDecodeError:
        raise Malformed("The form cannot be read.") from None


# A page is a plain function behind a path; this is what all of them share.
#
# `page` shows, `form` takes what was typed. Both find who has signed in, ask for a permission, open one
# transaction (reading or writing), and render what the function gives. A refusal of a form shows its page
# again, with what was typed and what is wrong with it. A page that is told of an operation (`of`) also
# answers `.json`, and a list `.csv`, with what the operation gives.


Sent = Sendable | AttachmentReply
"""What goes out: a page, or a file as the interface sends it."""

Shown = Awaitable[View | Redirect | Sent]
PageFunction = Callable[[Visit], Shown]

IN_PROJECT: Final = "/projects/{project_id}"
"""What the path of a page of a project begins with."""

FORM_BYTES_MAX: Final = 2_000_000
"""Bytes of what is typed into a form, at most; a model document is the longest of them."""

FIELDS_AT_ONCE: Final = 100
"""Fields of a form up to which its page is made at once; that of a longer one is made in a thread."""

CHARACTERS_AT_ONCE: Final = 100_000
"""Characters of a form up to which its page is made at once."""

_SHOWN_AGAIN: Final = (Invalid, Malformed, Conflict, TooLarge, UnsupportedMediaType)
"""Refusals of what was typed, which show the form again; others have a page of their own."""


def page(
    path: str, *, permission: str = ANY, of: HTTPRouteHandler | None = None, computes: bool = False,
    tries: bool = False, everywhere: bool = False, asked: Callable[[Visit], ListQuery] | None = None,
) -> Callable[[PageFunction], list[HTTPRouteHandler]]:  # fmt: skip
    """Serve a page that reads; with the operation that gives the same data, as `.json` and `.csv` too.

    `asked` makes the query of that operation of the page's own, where the two differ.
    One that computes is carried out apart from all other requests. One that tries may change what it likes to
    see what comes of it: that is undone. One that stands everywhere is there below each project as well, so
    that whoever is in one stays there.
    """

    def decorate(function: PageFunction) -> list[HTTPRouteHandler]:
        operation = _operation("GET", path, function, permission, computes=computes)

        async def handler(request: WebRequest) -> Sent:
            person = await _person(request, permission)
            if person is None:
                return moved_to(sign_in_address(request))
            suffix = suffix_of(request.url.path) if of is not None else ""

            async def show(visit: Visit) -> Any:
                return await (
                    as_data(visit, of, suffix, asked) if of is not None and suffix else function(visit)
                )

            opening = Database.trial if tries else Database.read
            of_replica = not (tries or computes or of is None or of.opt["operation"].listing is None)
            return await _carried_out(
                request, person, opening, show, computes=computes, of_replica=of_replica
            )

        suffixes = [""] if of is None or path.endswith("}") else ["", JSON, ".csv"]
        suffixes = suffixes[:2] if of is not None and of.opt["operation"].listing is None else suffixes
        paths = [path, f"{IN_PROJECT}{path}"] if everywhere else [path]
        return [
            _routed(operation, handler, one + suffix, has_data=of is not None)
            for one in paths
            for suffix in suffixes
        ]

    return decorate


def form(
    path: str,
    *,
    permission: str = ANY,
    again: PageFunction,
    computes: bool = False,
    asks: bool = False,
    everywhere: bool = False,
    takes: Form | None = None,
) -> Callable[[PageFunction], list[HTTPRouteHandler]]:
    """Serve a function that does what was typed into a form, and as a rule says where to go on (`Moved`).

    What it refuses is shown by the page `again`, whose visit has what was typed and the problems. One that
    only asks stores nothing: it reads one snapshot. One that takes a file finds it in the visit.
    """
    opening = Database.read if asks else Database.write

    def decorate(function: PageFunction) -> list[HTTPRouteHandler]:
        operation = _operation("POST", path, function, permission, computes=computes)

        async def handler(request: WebRequest) -> Sent:
            refuse_foreign(request)
            person = await _person(request, permission)
            if person is None:
                return moved_to("/sign_in")
            typed: Typed = {}
            try:
                account = person.actor.account_id
                async with arrived_form(request, account, secret_of(request), takes) as (typed, file):
                    return await _carried_out(
                        request, person, opening, function, typed=typed, file=file, computes=computes
                    )
            except _SHOWN_AGAIN as refusal:
                return await _carried_out(request, person, Database.read, again, typed=typed, refusal=refusal)

        paths = [path, f"{IN_PROJECT}{path}"] if everywhere else [path]
        bytes_max = FORM_BYTES_MAX if takes is None else takes.body_bytes_max
        return [_routed(operation, handler, one, bytes_max) for one in paths]

    return decorate


def open_page(
    method: Any, path: str, *, query: Mapping[str, str] = MappingProxyType({})
) -> Callable[[Callable[[WebRequest], Awaitable[Sent]]], list[HTTPRouteHandler]]:
    """Serve something to whoever asks, signed in or not; it opens what it needs itself.

    `query` names the parameters of an address that is a link.
    """
    is_link = bool(query)

    def decorate(function: Callable[[WebRequest], Awaitable[Sent]]) -> list[HTTPRouteHandler]:
        async def handler(request: WebRequest) -> Sent:
            if method == "POST":
                refuse_foreign(request)
            async with admit_stranger(request, hash_link(request) if is_link else None):
                return await function(request)

        return [
            _routed(_operation(method, path, function, ANY, query=query), handler, path, OPEN_FORM_BYTES_MAX)
        ]

    return decorate


def sign_in_address(request: WebRequest) -> str:
    """Where somebody signs in who asked for a page, and comes back to it."""
    asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return "/sign_in" if asked == "/" else f"/sign_in?next={quote(asked, safe='/')}"


async def _person(request: WebRequest, permission: str) -> Person | None:
    """Who has signed in, and may; the process that computes for another one looks again."""
    person = await person_of(request)
    request.scope["state"]["person"] = person
    if person is not None:
        request.scope["state"]["account"] = person.actor.account_id
        request.scope["state"]["actor"] = person.actor
        if not person.actor.may(permission):
            said = f"You lack the permission {permission}; whoever administers the account gives it."
            raise Forbidden(said, "permission_missing")
    return person


async def _carried_out(
    request: WebRequest,
    person: Person,
    opening: Callable[[Database], Any],
    function: Callable[[Visit], Awaitable[Any]],
    *,
    typed: Mapping[str, tuple[str, ...]] | None = None,
    file: Any = None,
    refusal: Refusal | None = None,
    computes: bool = False,
    of_replica: bool = False,
) -> Sent:
    """What a function of a page gives, in a transaction of its own, as it goes out.

    With `of_replica` that is one on the replica, where there is one.
    """
    path = {name: _plain(str(value)) for name, value in request.path_params.items()}

    async def visited(tx: Read) -> tuple[Visit, Any]:
        frame: Frame = await frame_of(tx, person.actor, path.get("project_id"))
        request.scope["state"]["frame"] = frame
        query = tuple(request.query_params.multi_items())
        problems = refusal.problems if refusal else ()
        visit = Visit(tx, person, request, frame, path, query, typed or {}, problems, file)
        shown = await function(visit)
        await tx.settle()
        return visit, shown

    async def work(opened: Database) -> Sent:
        found = await from_replica(request, visited) if of_replica else None
        if found is None:
            async with opening(opened) as tx:
                found = await visited(tx)
        visit, shown = found
        if isinstance(shown, Sendable | AttachmentReply):
            return shown
        status = refusal.status if refusal else 0
        if _is_long(visit.typed, shown):
            return await compute_in_thread(None, rendered, visit, shown, status)
        return rendered(visit, shown, status)

    async with shares(request).request(person.actor.account_id):
        return await execute_request(request, person.actor, work, computes=computes)


def _is_long(typed: Mapping[str, tuple[str, ...]], shown: View | Redirect) -> bool:
    """Whether a page, in which what was typed is shown again, takes so long that it is made in a thread."""
    characters = sum(len(value) for values in typed.values() for value in values)
    fields = max(len(typed), shown.field_count if isinstance(shown, View) else 0)
    return fields > FIELDS_AT_ONCE or characters > CHARACTERS_AT_ONCE


def _plain(text: str) -> str:
    """The last part of a record's path without the ending that asks for data."""
    return text.removesuffix(JSON)


def _operation(
    method: Any, path: str, function: Callable[..., Any], permission: str, *, computes: bool = False,
    query: Mapping[str, str] = MappingProxyType({}),
) -> Operation:  # fmt: skip
    return Operation(
        method=method, path=path, name=f"page_{function.__name__}", module=function.__module__,
        summary=function.__doc__ or "", permission=permission, returns=None, status=200, computes=computes,
        only_asks=method == "GET", query=query, body=None if method == "GET" else bytes,
    )  # fmt: skip


def _routed(
    operation: Operation,
    handler: Callable[[WebRequest], Awaitable[Sent]],
    path: str,
    bytes_max: int = FORM_BYTES_MAX,
    *,
    has_data: bool = False,
) -> HTTPRouteHandler:
    handed_over = hand_over_when_long(operation, handler) if operation.computes else handler

    async def named(request: WebRequest) -> Sent:
        request.scope["state"]["operation"] = operation.name
        if operation.computes and await _person(request, operation.permission) is None:
            return moved_to(sign_in_address(request))
        return await handed_over(request)  # type: ignore[return-value] # what is passed on is a reply too

    named.__name__ = operation.name
    named.__annotations__ = {"request": WebRequest, "return": Sendable}
    return HTTPRouteHandler(
        framework_path(path),
        http_method=operation.method,
        status_code=200,
        include_in_schema=False,
        request_max_body_size=bytes_max,
        opt={"page": operation, "has_data": has_data},
    )(named)
