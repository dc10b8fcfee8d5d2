"""A call is one request on its way through an endpoint: who calls, in which transaction, with what."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast
from urllib.parse import unquote_to_bytes

from weighbridge.core.identity.suggestion import did_you_mean
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Malformed
from weighbridge.http import idempotency
from weighbridge.http.attachment import Files
from weighbridge.http.caller import WebRequest
from weighbridge.http.operation import Operation
from weighbridge.http.reply import Reply
from weighbridge.http.wire import Encode
from weighbridge.settings import Settings

Transaction = TypeVar("Transaction", bound=Read)


@dataclass(frozen=True, slots=True)
class Call(Generic[Transaction]):
    """One request on its way: who calls, in which transaction, with which path and query."""

    tx: Transaction
    actor: Actor
    path: Mapping[str, str]
    query: tuple[tuple[str, str], ...]
    files: Files
    settings: Settings


ReadCall = Call[Read]
WriteCall = Call[Write]


@dataclass(frozen=True, slots=True)
class Answer:
    """A record with headers of its own, where an endpoint sends any."""

    record: Any
    headers: Mapping[str, str]


def call_of(request: WebRequest, tx: Transaction, actor: Actor) -> Call[Transaction]:
    """The call that a request makes."""
    path = cast("Mapping[str, str]", request.path_params)
    state = request.app.state
    return Call(tx, actor, path, query_of(request), state.files, state.settings)


def query_of(request: WebRequest) -> tuple[tuple[str, str], ...]:
    """The query; a list says by itself what it does not take, and of others it is said here."""
    raw: bytes = request.scope["query_string"]
    if not raw:
        return ()
    try:
        unquote_to_bytes(raw).decode()
    except UnicodeDecodeError:
        raise Malformed("The query is not UTF-8.") from None
    query = tuple(request.query_params.multi_items())
    opt = request.route_handler.opt
    operation: Operation = opt["operation"] if "operation" in opt else opt["page"]
    if operation.listing is None:
        takes = [*operation.query, *operation.options, *operation.moments, *operation.switches]
        said = f"takes {', '.join(takes)}" if takes else "takes none"
        unknown = [name for name in dict.fromkeys(name for name, _ in query) if name not in takes]
        if problems := [
            Problem(
                f"{name} is not a parameter of this request{did_you_mean(name, takes, index)}, which {said}.",
                name,
                "unknown",
            )
            for index, name in enumerate(unknown)
        ]:
            raise Malformed(problems)
    if unclear := operation.unclear_switches(query):
        raise Malformed(unclear)
    return query


def response_of(request: WebRequest, answer: Any, status: int) -> Reply:
    """The answer on its way out, with its headers where it has any."""
    headers: Mapping[str, str] = {}
    if isinstance(answer, Answer):
        answer, headers = answer.record, answer.headers
    encode: Encode = request.app.state.encode
    return Reply(status, encode(answer), headers)


def replayed(stored: idempotency.StoredAnswer) -> Reply:
    """The answer that a request with the same idempotency key had."""
    headers = {**stored.headers, idempotency.REPLAYED_HEADER: "true"}
    return Reply(stored.status, stored.answer, headers)
