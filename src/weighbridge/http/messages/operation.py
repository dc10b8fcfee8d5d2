"""An operation is what an endpoint promises; a call is one request on its way through it.

The OpenAPI document, the router and the tests are derived from `Operation`. A `Call` has the caller,
the transaction, the query and the body. `report_refused_write` reports a rejected write to the audit
log.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO, Final, Generic, Literal, NamedTuple, Protocol, TypeVar, cast
from urllib.parse import quote, unquote_to_bytes

import structlog
from psycopg import Error
from psycopg_pool import PoolTimeout

from weighbridge.core.identity import did_you_mean, few_suggestions
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read, Write
from weighbridge.db.known_then import AS_OF
from weighbridge.errors import Forbidden, Malformed, Refusal, TooManyRequests
from weighbridge.http import idempotency, wire
from weighbridge.http.caller import WebRequest, database
from weighbridge.http.messages import body as upload
from weighbridge.http.messages.asgi import RequestScope, Send
from weighbridge.http.messages.body import BODY_BYTES_MAX, may_be_left_out
from weighbridge.http.wire import Encode
from weighbridge.settings import Settings

# An answer in JSON on its way out: status, headers, and the bytes of the body.
#
# The framework's own response works out for every request what is known here beforehand.
#
# Invariants: a response with a body states its length and type; one without states neither.


_TYPE: Final = (b"content-type", wire.MEDIA_TYPE.encode())


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer; the framework calls it to have it sent."""

    status: int
    content: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    async def __call__(self, _scope: object, _receive: object, send: Send) -> None:
        """Send it, as an application of its own (ASGI)."""
        headers = [(name.lower().encode(), value.encode()) for name, value in self.headers.items()]
        if self.content:
            headers += [_TYPE, (b"content-length", str(len(self.content)).encode())]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.content})


# An attachment is an answer that is a file: something to keep, never a page.
#
# Whatever the file holds, a browser saves it and does not show it: it is sent as an attachment under a name
# with the extension of its type, its type is not guessed at, and were it shown all the same it would be in
# a sandbox without scripts, styles or a way out.


log = structlog.get_logger()

CHUNK_BYTES: Final = 262_144

DOWNLOADS_OF_ACCOUNT_MAX: Final = 4
"""Files that one process sends to one account at the same time."""

DOWNLOADS_MAX: Final = 32
"""Files that one process sends at the same time."""

RETRY_AFTER_SECONDS: Final = 2

HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cache-Control": "private",
}
_PLAIN: Final = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 !#$&'()+,-.=@[]^_`{}~"
)
_UNQUOTED: Final = "!#$&+-.^_`|~"

Spool = SpooledTemporaryFile[bytes]


class Files(Protocol):
    """Where the files that are sent are kept; the application is made with one."""

    async def get(self, key: str, size: int, sha256: bytes) -> Spool:
        """Read all of a file; refuse when it is not the one of this size and digest."""

    async def put_file(self, key: str, file: Path | BinaryIO) -> None:
        """Write a file of any length."""

    async def delete(self, key: str) -> None:
        """Remove a file, if it is there."""


@dataclass(slots=True)
class Downloads:
    """The files that one process is sending, by account; a file is held from its first byte to its last."""

    stalled_seconds: int
    """How long a reader may take nothing of a file."""
    _running: dict[int, int] = field(default_factory=dict)

    @contextmanager
    def one_of(self, account: int) -> Iterator[None]:
        """Count a download of an account while the block lasts; refuse one too many."""
        running = self._running.get(account, 0)
        if running >= DOWNLOADS_OF_ACCOUNT_MAX or sum(self._running.values()) >= DOWNLOADS_MAX:
            owner = "The account" if running >= DOWNLOADS_OF_ACCOUNT_MAX else "The service"
            message = f"{owner} is sending as many files as it can at once; ask again when one has arrived."
            raise TooManyRequests(
                [Problem(message, None, "too_many_downloads")], retry_after_seconds=RETRY_AFTER_SECONDS
            )
        self._running[account] = running + 1
        try:
            yield
        finally:
            self._running[account] -= 1
            if not self._running[account]:
                del self._running[account]


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file to send; `read` gives all of it, once it is known to be the right one."""

    name: str
    media_type: str
    size: int
    read: Callable[[], Awaitable[Spool]]

    def reply(self, downloads: Downloads, account: int) -> "AttachmentReply":
        """The answer with the file."""
        return AttachmentReply(self, downloads, account)


@dataclass(frozen=True, slots=True)
class AttachmentReply:
    """A file on its way out; the framework calls it to have it sent.

    A reader who takes nothing for too long is left: the file is let go, and the connection ends before the
    file does, so that nobody takes a part for the whole.
    """

    attachment: Attachment
    downloads: Downloads
    account: int

    async def __call__(self, scope: RequestScope, _receive: object, send: Send) -> None:
        """Send it, as an application of its own (ASGI)."""
        with self.downloads.one_of(self.account), await self.attachment.read() as spool:
            headers = {
                **HEADERS,
                "Content-Type": self.attachment.media_type,
                "Content-Length": str(self.attachment.size),
                "Content-Disposition": disposition(self.attachment.name),
            }
            encoded = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
            await send({"type": "http.response.start", "status": 200, "headers": encoded})
            try:
                while chunk := spool.read(CHUNK_BYTES):
                    async with asyncio.timeout(self.downloads.stalled_seconds):
                        await send({"type": "http.response.body", "body": chunk, "more_body": True})
            except TimeoutError:
                log.warning("answer_stalled", path=scope["path"])
                return
            await send({"type": "http.response.body", "body": b"", "more_body": False})


def disposition(name: str) -> str:
    """The header that has a file saved under its name, for old readers and for new ones (RFC 6266)."""
    plain = "".join(character if character in _PLAIN else "_" for character in name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe=_UNQUOTED)}"


# Records a rejected write of a known caller; the answer is the same whether it can.


class RefusedWrite(NamedTuple):
    """What was tried, and how it was refused."""

    operation: str
    status: int
    code: str
    method: str
    path: str


async def report_refused_write(request: WebRequest, operation: str, refusal: Refusal) -> None:
    """Have the audit log know of the refusal of an operation that writes."""
    actor: Actor | None = request.scope["state"].get("actor")
    if actor is None or actor.token_id is None:
        return
    code = refusal.problems[0].code or refusal.code
    refused_write = RefusedWrite(operation, refusal.status, code, request.method, request.url.path)
    try:
        await request.app.state.count_refusal(database(request), actor, refused_write)
    except (Error, PoolTimeout) as error:
        log.warning("refusal_not_told", operation=operation, error=str(error))


# An operation is what an endpoint promises: the OpenAPI document, the router and the tests go by it.


HttpMethod = Literal["GET", "POST", "PATCH", "DELETE"]
Sent = Reply | AttachmentReply
"""What a handler answers with: a record as a reply, a file as it is read."""

Handler = Callable[[WebRequest], Awaitable[Sent]] | Callable[[WebRequest], Awaitable[Reply]]


REFUSALS_TOLD: Final = frozenset({Forbidden.status})
"""The statuses of rejections in the audit log, unless an operation names its own."""


@dataclass(frozen=True, slots=True)
class Operation:
    """What an endpoint promises, for the OpenAPI document."""

    method: HttpMethod
    path: str
    name: str
    module: str
    summary: str
    permission: str
    returns: Any
    status: int
    body: Any = None
    listing: Any = None
    example: Any = None
    examples: Mapping[str, tuple[str, Any]] = field(default_factory=dict)
    """Several bodies by a short name, each with what it asks for."""
    headers: Mapping[str, str] = field(default_factory=dict)
    form: upload.Form | None = None
    """The form that may come in place of JSON."""
    text: str | None = None
    """The media type of the text that it takes in place of JSON."""
    body_bytes_max: int | None = BODY_BYTES_MAX
    """The longest body in addition to a form, in bytes; None is the limit of the service."""
    sends: tuple[str, ...] = ()
    """The media types of the files that it answers with in place of JSON."""
    query: Mapping[str, str] = field(default_factory=dict)
    """The meaning of each required parameter of the query."""
    moments: Mapping[str, str] = field(default_factory=dict)
    """The meaning of each optional time of the query."""
    options: Mapping[str, str] = field(default_factory=dict)
    """The meaning of each optional text of the query."""
    switches: Mapping[str, str] = field(default_factory=dict)
    """The meaning of each optional flag of the query."""
    function: Callable[..., Awaitable[Any]] | None = field(default=None, repr=False)
    """What carries a request out, once all that requests share is done."""
    streams: bool = False
    """Whether it also answers with a stream of events, when that is asked for."""
    computes: bool = False
    """Whether it is carried out apart from all other requests."""
    only_asks: bool = False
    """Whether it changes nothing, though it is sent by POST."""
    task_results: Mapping[str, type[Any]] = field(default_factory=dict)
    """What the tasks come to that it begins or shows, by the type of task."""
    refuses: tuple[type[Refusal], ...] = ()
    """Refusals of this operation that others do not have."""
    refusals_told: frozenset[int] = REFUSALS_TOLD
    """The statuses of rejections that the audit log has, if this writes."""
    spans_projects: bool = False
    """Whether it sees to it itself that an actor reaches only the projects that are theirs.

    Its path names none, and what it shows or writes may be of several projects, or shared by all of them.
    """
    looks_back: bool = False
    """Whether it also reads what was known at a row of the audit log, by `as_of`."""

    @property
    def writes(self) -> bool:
        """Whether it stores something; a question that comes with a body needs to read alone."""
        return self.method != "GET" and not self.permission.endswith(":read")

    @property
    def is_question(self) -> bool:
        """Whether nothing comes of it but the answer, so that it may be carried out twice."""
        return self.only_asks or self.method == "GET"

    @property
    def may_lack_body(self) -> bool:
        """Whether a request without a body asks for something all the same."""
        return may_be_left_out(self.body)

    def unclear_switches(self, query: Iterable[tuple[str, str]]) -> list[Problem]:
        """The switches in a query that say neither true nor false."""
        values_given: dict[str, list[str]] = {name: [] for name in self.switches}
        for name, value in query:
            if name in values_given:
                values_given[name].append(value)
        return [
            Problem(
                f"{name} is {', '.join(map(repr, values))}; it takes true or false, once.", name, "invalid"
            )
            for name, values in values_given.items()
            if values not in ([], ["false"], ["true"])
        ]


def framework_path(path: str) -> str:
    """A path with braces around the names of its parameters, as the framework writes it."""
    parts = path.split("/")
    return "/".join(f"{{{part[1:-1]}:str}}" if part.startswith("{") else part for part in parts)


@dataclass(frozen=True, slots=True, eq=False)
class Endpoint:
    """What is behind one method and path: what it promises, and what carries a request out."""

    operation: Operation
    handler: Callable[[WebRequest], Awaitable[Sent]]


def route(operation: Operation, handler: Handler) -> Endpoint:
    """The endpoint of an operation, whose refused writes the audit log has."""

    async def named(request: WebRequest) -> Sent:
        request.scope["state"]["operation"] = operation.name
        with few_suggestions():
            try:
                return await handler(request)
            except Refusal as refusal:
                if operation.writes and refusal.status in operation.refusals_told:
                    await report_refused_write(request, operation.name, refusal)
                raise

    named.__name__ = operation.name
    return Endpoint(operation, named)


# A call is one request on its way through an endpoint: who calls, in which transaction, with what.


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


def build_call(request: WebRequest, tx: Transaction, actor: Actor) -> Call[Transaction]:
    """The call that a request makes."""
    path = cast("Mapping[str, str]", request.path_params)
    state = request.app.state
    return Call(tx, actor, path, read_query(request), state.files, state.settings)


def read_query(request: WebRequest) -> tuple[tuple[str, str], ...]:
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
        known_names = [*operation.query, *operation.options, *operation.moments, *operation.switches]
        known_names += [AS_OF] if operation.looks_back else []
        allowed_parameters = f"takes {', '.join(known_names)}" if known_names else "takes none"
        unknown = [name for name in dict.fromkeys(name for name, _ in query) if name not in known_names]
        if problems := [
            Problem(
                f"{name} is not a parameter of this request{did_you_mean(name, known_names, index)}, "
                f"which {allowed_parameters}.",
                name,
                "unknown",
            )
            for index, name in enumerate(unknown)
        ]:
            raise Malformed(problems)
    if unclear := operation.unclear_switches(query):
        raise Malformed(unclear)
    return query


def build_response(request: WebRequest, answer: Any, status: int) -> Reply:
    """The answer on its way out, with its headers where it has any."""
    headers: Mapping[str, str] = {}
    if isinstance(answer, Answer):
        answer, headers = answer.record, answer.headers
    encode: Encode = request.app.state.encode
    return Reply(status, encode(answer), headers)


def replay_answer(stored_answer: idempotency.StoredAnswer) -> Reply:
    """The answer that a request with the same idempotency key had."""
    headers = {**stored_answer.headers, idempotency.REPLAYED_HEADER: "true"}
    return Reply(stored_answer.status, stored_answer.answer, headers)
