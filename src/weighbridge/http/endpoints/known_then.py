"""Readings as they were known at a row of the audit log, by `as_of` or by a cursor that keeps it.

`as_of` is a number of the account's audit log or a time. The answer names the row in the headers
`As-Of-Number` and `As-Of-Time`, and its cursors begin with the number, so a list that is walked by cursor
stays at the row without `as_of`.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any, Final

from msgspec import structs

from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Database
from weighbridge.db.known_then import AS_OF, KnownThen
from weighbridge.errors import Gone, Malformed
from weighbridge.http.caller import WebRequest, authenticate_caller, shares
from weighbridge.http.endpoints.computing import execute_request
from weighbridge.http.endpoints.response_modes import FORMAT, MODE
from weighbridge.http.messages.operation import Answer, ReadCall, build_call, read_query

_MARK: Final = "."
"""What separates the number of the row from the rest of a cursor; no cursor has one of its own."""

Query = Sequence[tuple[str, str]]


class LookingBack(StrEnum):
    """When a request reads what was known at a row of the audit log."""

    ASKED = "asked"
    """When its query names one."""
    ASKED_OR_BEFORE = "asked_or_before"
    """The same; it takes `as_of` itself where that is a time before versions were kept."""
    ALWAYS = "always"
    """Always, by default at the newest."""


def is_looking_back(request: WebRequest, looks_back: LookingBack) -> bool:
    """Whether a request reads what was known at a row, which its query names or a cursor in it."""
    return looks_back is LookingBack.ALWAYS or any(
        name == AS_OF or (name == "cursor" and _MARK in value)
        for name, value in request.query_params.multi_items()
    )


def read_as_of(query: Query) -> tuple[str | None, tuple[tuple[str, str], ...]]:
    """The row that a query names, and the query without it; Malformed where it names several."""
    named = [value for name, value in query if name == AS_OF]
    rest: list[tuple[str, str]] = []
    of_cursor: list[str] = []
    for name, value in query:
        if name == "cursor" and _MARK in value:
            number, _, value = value.partition(_MARK)  # noqa: PLW2901
            of_cursor.append(number)
        if name != AS_OF:
            rest.append((name, value))
    if len(set(named)) > 1 or len(set(of_cursor)) > 1:
        raise Malformed([Problem(f"{AS_OF} is given with several values; give it once.", AS_OF, "conflict")])
    if modes := [name for name, _ in rest if name in {MODE, FORMAT}]:
        message = f"{modes[0]} does not go with {AS_OF}: what was known then is read page by page."
        raise Malformed([Problem(message, modes[0], "conflict")])
    return next(iter([*of_cursor, *named]), None), tuple(rest)


async def answer_known_then(
    request: WebRequest,
    permission: str,
    function: Callable[[ReadCall], Awaitable[Any]],
    looks_back: LookingBack,
) -> Any:
    """What a request reads, as it was known at the row that its query names, or at the newest row."""
    actor = await authenticate_caller(request, permission)
    query = read_query(request)
    text, rest = read_as_of(query)

    async def work(database_: Database) -> Any:
        try:
            then = await _find(request, database_, actor, text, query)
        except Gone:
            if looks_back is not LookingBack.ASKED_OR_BEFORE or text is None or text.isdecimal():
                raise
            async with database_.read() as tx:
                return await function(build_call(request, tx, actor))
        async with database_.read() as tx:
            tx.look_back(then)
            try:
                answer = await function(replace(build_call(request, tx, actor), query=rest))
            finally:
                await tx.settle()
        return _with_row(answer, then)

    async with shares(request).request(actor.account_id):
        request.scope["state"]["account"] = actor.account_id
        return await execute_request(request, actor, work, computes=False)


async def _find(
    request: WebRequest, database: Database, actor: Actor, text: str | None, query: Query
) -> KnownThen:
    """The row that the text means; Malformed where `as_of` means another one than the cursor."""
    then: KnownThen = await request.app.state.find_known_then(database, actor, text)
    for value in {value for name, value in query if name == AS_OF and value != text}:
        named: KnownThen = await request.app.state.find_known_then(database, actor, value)
        if named.number != then.number:
            message = (
                f"The cursor was written for row {then.number} of the audit log, and {AS_OF} means row "
                f"{named.number}. Leave {AS_OF} out, or begin the list anew."
            )
            raise Malformed([Problem(message, "cursor", "conflict")])
    return then


def _with_row(answer: Any, then: KnownThen) -> Answer:
    """The answer with the row in its headers, and in the cursor where a list goes on."""
    headers = {"As-Of-Number": str(then.number)}
    if then.known_at is not None:
        headers["As-Of-Time"] = then.known_at.text
    if isinstance(answer, Answer):
        answer, headers = answer.record, {**answer.headers, **headers}
    info = getattr(answer, "info", None)
    if info is not None and getattr(info, "next_cursor", None):
        info = structs.replace(info, next_cursor=f"{then.number}{_MARK}{info.next_cursor}")
        answer = structs.replace(answer, info=info)
    return Answer(answer, headers)
