"""A call of the interface: what is sent and received, how values travel, and what can go wrong.

A call is repeated where that is safe. Each kind of failure is a class that a program can tell apart.

Invariant: whatever the service refuses comes with its status, its sentences and its request id.
"""

import os
import random
import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Literal, TypeVar
from urllib.parse import quote, unquote, urlsplit
from uuid import uuid4

import httpx2 as http
import msgspec


class ErrorItem(msgspec.Struct, frozen=True, kw_only=True):
    """One problem: a sentence for people, a code for programs, and the field that it is about."""

    message: str
    code: str | None = None
    field: str | None = None
    records: list[str] = []
    type: str | None = None
    id: Any = None


class WeighbridgeError(Exception):
    """Anything that this client raises on purpose."""


class Unreachable(WeighbridgeError):
    """The service did not answer, however often it was asked; what was sent may have arrived."""


class UnreadableAnswer(WeighbridgeError):
    """Something answered that does not speak the service's interface."""


class Refused(WeighbridgeError):
    """The service refused the call; `errors` says all that is wrong with it."""

    def __init__(self, status: int, errors: list[ErrorItem], request_id: str | None) -> None:
        self.status = status
        self.errors = errors
        self.request_id = request_id
        told = " ".join(f"{each.field}: {each.message}" if each.field else each.message for each in errors)
        super().__init__(f"{status} {told}" + (f" (request {request_id})" if request_id else ""))


class BadRequest(Refused):
    """400: the request has a wrong shape, or a parameter that the operation does not take."""


class Unauthenticated(Refused):
    """401: there is no token, or it is not known, has expired or was revoked."""


class Forbidden(Refused):
    """403: the token lacks the permission, or the account the feature."""


class NotFound(Refused):
    """404: the record is not there, or not the account's."""


class Conflict(Refused):
    """409: the records are in a state that does not allow it."""


class Invalid(Refused):
    """422: a rule of the domain is broken; nothing was stored."""


class RateLimited(Refused):
    """429: a limit of requests or a quota is used up."""


class Failed(Refused):
    """5xx: the service could not do it."""


class TaskFailed(WeighbridgeError):
    """A task that was waited for has failed; `task` is its record."""

    def __init__(self, task: Any) -> None:
        self.task = task
        super().__init__(f"Task {task.id} ({task.type}) failed: {task.error_message}")


class TaskTimeout(WeighbridgeError):
    """A task that was waited for had not ended in time; it goes on."""


class _Body(msgspec.Struct):
    kinds: ClassVar[dict[int, type[Refused]]] = {
        400: BadRequest,
        401: Unauthenticated,
        403: Forbidden,
        404: NotFound,
        409: Conflict,
        422: Invalid,
        429: RateLimited,
    }
    errors: list[ErrorItem]
    request_id: str | None = None


def refusal(status: int, content: bytes) -> WeighbridgeError:
    """The error that an answer stands for which is no success."""
    try:
        body = msgspec.json.decode(content, type=_Body)
    except msgspec.DecodeError:
        shown = content[:200].decode(errors="replace")
        return UnreadableAnswer(f"The answer has status {status} and no errors of the service: {shown!r}")
    return _Body.kinds.get(status, Failed if status >= 500 else Refused)(status, body.errors, body.request_id)


# A call: what is sent and what comes back, as a value that says nothing of how it travels.
#
# Each operation of the interface is a function that makes a call; the client for programs that wait and the
# one for programs that await carry out the same calls.


T = TypeVar("T")
PREFIX: Final = "/api/v1"
Method = Literal["GET", "POST", "PATCH", "DELETE"]


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One call. `kind` is what the answer is read as: a record, `str`, `bytes` or None."""

    method: Method
    path: str
    kind: type[T] | Any
    query: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    content_type: str | None = None
    takes_key: bool = False
    """Whether the operation takes an Idempotency-Key, by which it may be sent again."""
    key: str | None = None

    @property
    def repeatable(self) -> bool:
        """Whether the call may be sent again when nobody knows whether it arrived."""
        return self.method == "GET" or self.takes_key


def call(
    method: Method,
    path: str,
    kind: Any,
    *,
    names: Mapping[str, Any] | None = None,
    query: Mapping[str, Any] | None = None,
    body: Mapping[str, Any] | None = None,
    text: str | None = None,
    takes_key: bool = False,
    key: str | None = None,
) -> Call[Any]:
    """The call of an operation. `names` fill the path, what is None is left out, `text` is CSV."""
    for name, value in (names or {}).items():
        path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
    content, content_type = None, None
    if body is not None:
        content, content_type = encode_body(body), "application/json"
    elif text is not None:
        content, content_type = text.encode(), "text/csv; charset=utf-8"
    return Call(
        method,
        PREFIX + path,
        kind,
        tuple(
            (name, format_query_value(value)) for name, value in (query or {}).items() if value is not None
        ),
        content,
        content_type,
        takes_key,
        key,
    )


# What travels: times, decimals and values of more than one type, the same in requests and answers.
#
# Invariant: no number becomes a binary float on its way, in either direction.


if TYPE_CHECKING:
    Value = Decimal | int | str | bool | None
    """A value of a data point: a number, a text, true or false."""
else:
    Value = Any

Time = datetime | str
"""A moment in a request: a time with an offset, or a text that names one."""

_PLAIN: Final = frozenset({str, Decimal, int, bool, datetime, type(None)})
_encoder: Final = msgspec.json.Encoder(decimal_format="number")


def encode_body(body: Mapping[str, Any]) -> bytes:
    """The body as JSON, decimals as numbers with every digit.

    Raises TypeError for a binary float, which has no exact digits to send: give a Decimal.
    """
    given = _without_unset(body)
    _refuse_floats(given)
    return _encoder.encode(given)


def read(answer: bytes, kind: Any) -> Any:
    """The record that an answer holds; fields that this client does not know are left out.

    Raises msgspec.DecodeError and msgspec.ValidationError where the answer is no such record.
    """
    return _reader(kind).decode(answer)


@cache
def _reader(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind, float_hook=Decimal)


def _without_unset(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body without what was left out, which stands in it and in the record that it wraps."""
    return {
        key: _without_unset(value) if isinstance(value, dict) else value
        for key, value in body.items()
        if value is not msgspec.UNSET
    }


def _refuse_floats(value: Any) -> None:
    """Go through all that is sent without copying any of it: bodies have tens of thousands of values."""
    rest = [value]
    while rest:
        one = rest.pop()
        for each in one.values() if isinstance(one, Mapping) else one:
            kind = type(each)
            if kind in _PLAIN:
                continue
            if isinstance(each, float):
                message = (
                    f"{each!r} is a binary float; send Decimal('{each!r}') if that is what was measured."
                )
                raise TypeError(message)
            if isinstance(each, Mapping | list | tuple):
                rest.append(each)


def format_query_value(value: Any) -> str:
    """A parameter of a query as the service reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return ",".join(format_query_value(each) for each in value)
    return str(value)


# How a call is carried out: sent, sent again where that is safe, and its answer read.
#
# A flow is a generator that asks for one thing at a time, to send a request or to pause, and is told what
# came of it. What runs a flow decides how it waits: `Client` blocks, `AsyncClient` awaits. The rules
# stand here.
#
# Invariant: a request that may have arrived is sent again only where that has no second effect: a reading
# one, or one with an idempotency key, which stays the same through all attempts.


ATTEMPTS_MAX: Final = 8
"""How often a call is sent at most."""
PAUSE_SECONDS_MAX: Final = 60.0
"""The longest pause between two attempts, unless the service asks for a longer one."""
FIRST_PAUSE_SECONDS: Final = 0.5
BUSY: Final = frozenset({408, 429, 502, 503, 504})
"""Answers after which the same request may succeed later."""
IN_PROGRESS: Final = 409
"""With `Retry-After`: the first request of the same key is still under way."""


@dataclass(frozen=True, slots=True)
class Send:
    """Asks for a request to be sent."""

    call: Call[Any]


@dataclass(frozen=True, slots=True)
class Pause:
    """Asks for time to pass, until a call is sent again or until a task is looked at again."""

    seconds: float
    is_retry: bool


@dataclass(frozen=True, slots=True)
class Received:
    """What came back: `status` 0 stands for no answer, with the reason in `content`."""

    status: int
    content: bytes
    retry_after: str | None = None
    name: str | None = None
    """What a file is called, of an answer that is one."""

    @property
    def success(self) -> bool:
        """Whether the service did what it was asked."""
        return 200 <= self.status < 300


_NOTHING: Final = Received(0, b"nothing was said of what came back")

Flow = Generator[Send | Pause, Received | None, T]


def execute_call(call: Call[T]) -> Flow[T]:
    """Execute a call and give its result.

    Raises Refused for what the service refuses, Unreachable when it does not answer.
    """
    answer = yield from answer_call(call)
    return _read(call, answer)


def answer_call(call: Call[T]) -> Flow[Received]:
    """Execute a call and give what came back; raises as `execute_call` does."""
    if call.takes_key and call.key is None:
        call = replace(call, key=str(uuid4()))
    for attempt in count(1):
        answer = (yield Send(call)) or _NOTHING
        if answer.success:
            return answer
        if attempt == ATTEMPTS_MAX or not _worth_repeating(call, answer):
            break
        yield Pause(_pause(attempt, answer.retry_after), is_retry=True)
    if answer.status == 0:
        reason = answer.content.decode()
        raise Unreachable(f"{call.method} {call.path} was not answered: {reason}")
    raise refusal(answer.status, answer.content)


def _worth_repeating(call: Call[Any], answer: Received) -> bool:
    if answer.status == 429:
        return answer.retry_after is not None
    if answer.status == IN_PROGRESS:
        return call.takes_key and answer.retry_after is not None
    return call.repeatable and (answer.status == 0 or answer.status in BUSY)


def _pause(attempt: int, retry_after: str | None) -> float:
    """Seconds: as many as the service asks for, else twice as many each time; spread, so callers part."""
    asked = float(retry_after) if retry_after is not None and retry_after.isdecimal() else None
    grown = min(FIRST_PAUSE_SECONDS * 2 ** (attempt - 1), PAUSE_SECONDS_MAX)
    return (grown if asked is None else max(asked, FIRST_PAUSE_SECONDS)) * random.uniform(1, 1.25)  # noqa: S311


def _read(call: Call[T], answer: Received) -> T:
    if call.kind is None:
        return None  # type: ignore[return-value]
    if call.kind is bytes:
        return answer.content  # type: ignore[return-value]
    if call.kind is str:
        return answer.content.decode()  # type: ignore[return-value]
    try:
        record: T = read(answer.content, call.kind)
    except msgspec.DecodeError as error:
        raise UnreadableAnswer(
            f"{call.method} {call.path} was answered with something else than expected: {error}"
        ) from error
    return record


# What both clients know of the service: where it is, who calls, and what a call looks like as a request.


TIMEOUT_SECONDS: Final = 120.0
ADDRESS_VARIABLE: Final = "WEIGHBRIDGE_URL"
TOKEN_VARIABLE: Final = "WEIGHBRIDGE_TOKEN"  # noqa: S105 - the name of a variable
TOKEN_FILE_VARIABLE: Final = "WEIGHBRIDGE_TOKEN_FILE"  # noqa: S105
DEFAULT_ADDRESS: Final = "http://127.0.0.1:8080"


def settings(address: str | None, token: str | None, timeout: float) -> dict[str, Any]:
    """How the HTTP client is made. What is None comes from the environment.

    Raises ValueError when no token is named anywhere, or the address is none.
    """
    address = address or os.environ.get(ADDRESS_VARIABLE) or DEFAULT_ADDRESS
    if not is_address(address):
        message = f"{address!r} is no address of a service, such as {DEFAULT_ADDRESS}."
        raise ValueError(message)
    token = token or os.environ.get(TOKEN_VARIABLE) or _token_of_file()
    if not token:
        message = (
            f"No token: give one as `token`, in the variable {TOKEN_VARIABLE}, or name a file with one in "
            f"{TOKEN_FILE_VARIABLE}."
        )
        raise ValueError(message)
    return {
        "base_url": address.rstrip("/").removesuffix("/api/v1"),
        "headers": {"Authorization": f"Bearer {token.strip()}", "User-Agent": "weighbridge-client"},
        "timeout": timeout,
        "follow_redirects": False,
    }


def is_address(text: str) -> bool:
    """Whether a text is the address of a service: http or https, a host, and a port that there can be."""
    try:
        address = urlsplit(text)
        return address.scheme in {"http", "https"} and bool(address.hostname) and address.port != 0
    except ValueError:
        return False


def build_request(call: Call[Any]) -> dict[str, Any]:
    """The call as arguments of a request."""
    headers = {}
    if call.content_type is not None:
        headers["Content-Type"] = call.content_type
    if call.key is not None:
        headers["Idempotency-Key"] = call.key
    return {
        "method": call.method,
        "url": call.path,
        "params": call.query or None,
        "content": call.body,
        "headers": headers,
    }


def read_answer(response: http.Response) -> Received:
    """What came back."""
    headers = response.headers
    named = _NAMED.search(headers.get("Content-Disposition", ""))
    name = unquote(named[1]) if named else None
    return Received(response.status_code, response.content, headers.get("Retry-After"), name)


_NAMED: Final = re.compile(r"filename\*=UTF-8''([^;]+)")
"""The name of a file in the form of RFC 8187, which the service always gives."""


def no_answer(error: http.TransportError) -> Received:
    """Stands for an answer that did not come."""
    return Received(0, f"{type(error).__name__}: {error}".encode())


def _token_of_file() -> str | None:
    path = os.environ.get(TOKEN_FILE_VARIABLE)
    return Path(path).read_text() if path else None
