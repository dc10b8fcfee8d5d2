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
from msgspec import structs

from weighbridge.concurrency import Turns, compute_in_thread
from weighbridge.core.platform.permission import ANY
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Database, Read
from weighbridge.errors import (
    Conflict,
    Invalid,
    Malformed,
    Refusal,
    TooLarge,
    UnsupportedMediaType,
)
from weighbridge.http.caller import WebRequest, admit_asking_stranger, admit_stranger, from_replica, shares
from weighbridge.http.endpoints.computing import execute_request, hand_over_when_long
from weighbridge.http.endpoints.framework import ServedRequest
from weighbridge.http.endpoints.links import hash_link
from weighbridge.http.messages import body as upload
from weighbridge.http.messages.body import Form
from weighbridge.http.messages.operation import AttachmentReply, Endpoint, Operation, framework_path
from weighbridge.platform.records import Person
from weighbridge.web.framework.listing import JSON, ListQuery, data_suffix, drop_blanks, render_data
from weighbridge.web.framework.rendering import render_page
from weighbridge.web.framework.responses import Sendable, redirect_to
from weighbridge.web.framework.visit import (
    FIELD,
    Frame,
    Redirect,
    View,
    Visit,
    admit_person,
    check_csrf_token,
    check_same_origin,
    read_frame,
    read_person,
    read_session_secret,
)

# Reading a form: its fields and its file.
#
# Invariant: a file is stored only after the CSRF token was checked, and is deleted if the form is rejected.


FIELDS_MAX: Final = 5_000
"""Fields of a form, at most."""

OPEN_FIELDS_MAX: Final = 20
"""Fields of a form that is accepted without a session, at most."""

OPEN_FORM_BYTES_MAX: Final = 16_384
"""Bytes of a form that is accepted without a session, at most; its longest text is the URL to return to."""

_PIECE: Final = 4_096
"""Bytes of a text that are decoded before other requests run."""

FormTexts = Mapping[str, tuple[str, ...]]


@asynccontextmanager
async def read_form(
    request: WebRequest, account: int, secret: str, upload_form: upload.Form | None
) -> AsyncIterator[tuple[FormTexts, Any]]:
    """Read the fields of a form and store its file; Forbidden without the CSRF token of the session."""
    kind = request.headers.get("content-type", "")
    if upload_form is None or not upload.is_form(kind):
        typed = await read_fields(request)
        check_csrf_token(request, secret, "".join(typed.get(FIELD, ())))
        yield typed, None
        return
    with_word = replace(upload_form, texts={**upload_form.texts, FIELD: "The CSRF token of the session."})
    async with upload.read(with_word, kind, request.stream(), account) as received:
        check_csrf_token(request, secret, received.texts.get(FIELD, ""))
        texts = {name: text for name, text in received.texts.items() if name != FIELD}
        state, received_texts = request.app.state, replace(received, texts=texts)
        async with upload.received(upload_form, state.files, received_texts, state.places_of_files) as file:
            yield {name: (text,) for name, text in texts.items()}, file


async def read_fields(request: WebRequest, fields_max: int = FIELDS_MAX) -> dict[str, tuple[str, ...]]:
    """Read the fields of a form, each with its values; Malformed for too many fields."""
    body, turns = await request.body(), Turns()
    if body.count(b"&") >= fields_max:
        raise Malformed(f"The form must have at most {fields_max:,} fields.")
    typed: dict[str, list[str]] = {}
    for pair in filter(None, body.split(b"&")):
        await turns.next()
        name_bytes, _, text = pair.partition(b"=")
        name, value = await _decode(name_bytes, turns), await _decode(text, turns)
        if "\x00" in value:
            raise Malformed([Problem(f"{name} must not contain a NUL character.", name, "invalid")])
        typed.setdefault(name, []).append(value.replace("\r\n", "\n"))
    return {name: tuple(values) for name, values in typed.items()}


async def _decode(text: bytes, turns: Turns) -> str:
    """Decode a name or a value; a long one in pieces, none of which cuts an escape."""
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
        raise Malformed("The form must be encoded as UTF-8.") from None


# Declarations of pages: `page` shows, `form` executes what was typed, `action` and `download` are buttons and
# files of operations. `open_page` needs no session.


PageResponse = Sendable | AttachmentReply
"""A response: a page, or a file as the interface sends it."""

PageResult = Awaitable[View | Redirect | PageResponse]
PageFunction = Callable[[Visit], PageResult]

IN_PROJECT: Final = "/projects/{project_id}"
"""The prefix of the paths of a project's pages."""

FORM_BYTES_MAX: Final = 2_000_000
"""Bytes of a form, at most; a model document is the longest text."""

FIELDS_AT_ONCE: Final = 100
"""Fields of a form up to which its page is rendered on the loop; a longer one is rendered in a thread."""

CHARACTERS_AT_ONCE: Final = 100_000
"""Characters of a form up to which its page is rendered on the loop."""

_SHOWN_AGAIN: Final = (Invalid, Malformed, Conflict, TooLarge, UnsupportedMediaType)
"""Errors that show the form again; other errors have a page of their own."""


def page(
    path: str, *, permission: str = ANY, of: Endpoint | None = None, computes: bool = False,
    tries: bool = False, everywhere: bool = False, query_of: Callable[[Visit], ListQuery] | None = None,
) -> Callable[[PageFunction], list[HTTPRouteHandler]]:  # fmt: skip
    """Serve a page that reads; with `of`, the operation that gives the same data, as `.json` and `.csv` too.

    `asked` builds the query of that operation if it differs from the query of the page. A page that computes
    runs apart from all other requests. A page that tries runs in a transaction that is rolled back. A page
    that is everywhere also exists below each project, so that people stay in their project.
    """

    def decorate(function: PageFunction) -> list[HTTPRouteHandler]:
        operation = _operation("GET", path, function, permission, computes=computes)

        async def handler(request: WebRequest) -> PageResponse:
            person = await _person(request, permission)
            if person is None:
                return redirect_to(sign_in_url(request))
            suffix = data_suffix(request.url.path) if of is not None else ""

            async def show(visit: Visit) -> Any:
                return await (
                    render_data(visit, of, suffix, query_of) if of is not None and suffix else function(visit)
                )

            opening = Database.trial if tries else Database.read
            of_replica = not (tries or computes or of is None or of.operation.listing is None)
            return await _execute_page(
                request, person, opening, show, computes=computes, of_replica=of_replica
            )

        suffixes = [""] if of is None or path.endswith("}") else ["", JSON, ".csv"]
        suffixes = suffixes[:2] if of is not None and of.operation.listing is None else suffixes
        paths = [path, f"{IN_PROJECT}{path}"] if everywhere else [path]
        return [
            _build_route(operation, handler, page_path + suffix, has_data=of is not None)
            for page_path in paths
            for suffix in suffixes
        ]

    return decorate


def form(
    path: str,
    *,
    permission: str = ANY,
    error_page: PageFunction,
    computes: bool = False,
    asks: bool = False,
    everywhere: bool = False,
    upload_form: Form | None = None,
) -> Callable[[PageFunction], list[HTTPRouteHandler]]:
    """Serve a function that executes a form and usually redirects (`Redirect`).

    Errors are shown by the page `error_page`, whose visit has the typed texts and the problems. A form that
    only asks stores nothing: it reads one snapshot. A form that takes a file finds it in the visit.
    """
    opening = Database.read if asks else Database.write

    def decorate(function: PageFunction) -> list[HTTPRouteHandler]:
        operation = _operation("POST", path, function, permission, computes=computes)

        async def handler(request: WebRequest) -> PageResponse:
            check_same_origin(request)
            person = await _person(request, permission)
            if person is None:
                return redirect_to("/sign_in")
            typed: FormTexts = {}
            try:
                account = person.actor.account_id
                async with read_form(request, account, read_session_secret(request), upload_form) as (
                    typed,
                    file,
                ):
                    return await _execute_page(
                        request, person, opening, function, typed=typed, file=file, computes=computes
                    )
            except _SHOWN_AGAIN as refusal:
                return await _execute_page(
                    request, person, Database.read, error_page, typed=typed, refusal=refusal
                )

        paths = [path, f"{IN_PROJECT}{path}"] if everywhere else [path]
        bytes_max = FORM_BYTES_MAX if upload_form is None else upload_form.body_bytes_max
        return [_build_route(operation, handler, page_path, bytes_max) for page_path in paths]

    return decorate


def action(
    path: str, endpoint: Endpoint, *, permission: str = ANY, error_page: PageFunction,
    back: str, notice: str, everywhere: bool = False,
) -> list[HTTPRouteHandler]:  # fmt: skip
    """Serve a button that executes an operation without fields, goes back (`Visit.url`) and reports it."""

    async def execute(visit: Visit) -> Redirect:
        await visit.do(endpoint, {})
        return Redirect(visit.url(back), notice)

    _name_after(execute, endpoint)
    return form(path, permission=permission, error_page=error_page, everywhere=everywhere)(execute)


def download(
    path: str, endpoint: Endpoint, *, permission: str, everywhere: bool = False
) -> list[HTTPRouteHandler]:
    """Serve the file of an operation."""

    async def send_file(visit: Visit) -> AttachmentReply:
        attachment = await visit.ask(endpoint, drop_blanks(visit.query))
        reply: AttachmentReply = attachment.reply(visit.request.app.state.downloads, visit.actor.account_id)
        return reply

    _name_after(send_file, endpoint)
    return page(path, permission=permission, everywhere=everywhere)(send_file)


def _name_after(function: Callable[..., Any], endpoint: Endpoint) -> None:
    operation = endpoint.operation
    function.__name__, function.__doc__ = operation.name, operation.summary


def open_page(
    method: Any,
    path: str,
    *,
    query: Mapping[str, str] = MappingProxyType({}),
    is_from_elsewhere: bool = False,
    asks_provider: bool = False,
) -> Callable[[Callable[[WebRequest], Awaitable[PageResponse]]], list[HTTPRouteHandler]]:
    """Serve a page that needs no session; it opens its own transactions.

    `query` names the parameters of a link that grants access. A form that is sent from elsewhere is one of
    another service, which shows by its content whose it is. A page that asks an identity provider waits among
    such pages alone.
    """
    is_link = bool(query)

    def decorate(function: Callable[[WebRequest], Awaitable[PageResponse]]) -> list[HTTPRouteHandler]:
        async def handler(request: WebRequest) -> PageResponse:
            if method == "POST" and not is_from_elsewhere:
                check_same_origin(request)
            link = hash_link(request) if is_link else None
            admission = admit_asking_stranger(request) if asks_provider else admit_stranger(request, link)
            async with admission:
                return await function(request)

        return [
            _build_route(
                _operation(method, path, function, ANY, query=query), handler, path, OPEN_FORM_BYTES_MAX
            )
        ]

    return decorate


def sign_in_url(request: WebRequest) -> str:
    """Return the URL to sign in at and to return from to the requested page."""
    requested_url = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return "/sign_in" if requested_url == "/" else f"/sign_in?next={quote(requested_url, safe='/')}"


async def _person(request: WebRequest, permission: str) -> Person | None:
    """Return the person of the session; None without one, Forbidden without the permission."""
    person = await read_person(request)
    request.scope["state"]["person"] = person
    if person is not None:
        request.scope["state"]["account"] = person.actor.account_id
        request.scope["state"]["actor"] = person.actor
        admitted = admit_person(person.actor, permission, _path_of(request), spans_projects=True)
        if admitted is not person.actor:
            person = structs.replace(person, actor=admitted)
            request.scope["state"] |= {"person": person, "actor": admitted}
    return person


def _path_of(request: WebRequest) -> dict[str, str]:
    return {name: _strip_suffix(str(value)) for name, value in request.path_params.items()}


async def _execute_page(
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
) -> PageResponse:
    """Execute the function of a page in a transaction of its own, and render its result.

    With `of_replica` the transaction is on the replica, if there is one.
    """
    path = _path_of(request)

    async def visited(tx: Read) -> tuple[Visit, Any]:
        frame: Frame = await read_frame(tx, person.actor, path.get("project_id"))
        request.scope["state"]["frame"] = frame
        query = tuple(request.query_params.multi_items())
        problems = refusal.problems if refusal else ()
        visit = Visit(tx, person, request, frame, path, query, typed or {}, problems, file)
        view = await function(visit)
        await tx.settle()
        return visit, view

    async def work(opened: Database) -> PageResponse:
        answer = await from_replica(request, visited) if of_replica else None
        if answer is None:
            async with opening(opened) as tx:
                answer = await visited(tx)
        visit, view = answer
        if isinstance(view, Sendable | AttachmentReply):
            return view
        status = refusal.status if refusal else 0
        if _is_long(visit.typed, view):
            return await compute_in_thread(None, render_page, visit, view, status)
        return render_page(visit, view, status)

    async with shares(request).request(person.actor.account_id):
        return await execute_request(request, person.actor, work, computes=computes)


def _is_long(typed: Mapping[str, tuple[str, ...]], view: View | Redirect) -> bool:
    """Whether rendering a page with the typed texts takes so long that a thread does it."""
    characters = sum(len(value) for values in typed.values() for value in values)
    fields = max(len(typed), view.field_count if isinstance(view, View) else 0)
    return fields > FIELDS_AT_ONCE or characters > CHARACTERS_AT_ONCE


def _strip_suffix(text: str) -> str:
    """Return a path parameter without the suffix that requests data."""
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


def _build_route(
    operation: Operation,
    handler: Callable[[WebRequest], Awaitable[PageResponse]],
    path: str,
    bytes_max: int = FORM_BYTES_MAX,
    *,
    has_data: bool = False,
) -> HTTPRouteHandler:
    handed_over = hand_over_when_long(operation, handler) if operation.computes else handler

    async def named(request: WebRequest) -> PageResponse:
        request.scope["state"]["operation"] = operation.name
        if operation.computes and await _person(request, operation.permission) is None:
            return redirect_to(sign_in_url(request))
        return await handed_over(request)  # type: ignore[return-value] # what is passed on is a reply too

    named.__name__ = operation.name
    named.__annotations__ = {"request": ServedRequest, "return": Sendable}
    return HTTPRouteHandler(
        framework_path(path),
        http_method=operation.method,
        status_code=200,
        include_in_schema=False,
        request_max_body_size=bytes_max,
        opt={"page": operation, "has_data": has_data},
    )(named)
