"""An operation is what an endpoint promises: the OpenAPI document, the router and the tests go by it."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from litestar.handlers import HTTPRouteHandler

from weighbridge.core.identity.suggestion import few_suggestions
from weighbridge.core.problem import Problem
from weighbridge.errors import Forbidden, Refusal
from weighbridge.http import wire
from weighbridge.http.access.refused_write import tell_of_refused_write
from weighbridge.http.arrival import upload
from weighbridge.http.arrival.body import BODY_BYTES_MAX, may_be_left_out
from weighbridge.http.attachment import AttachmentReply
from weighbridge.http.caller import WebRequest
from weighbridge.http.reply import Reply

HttpMethod = Literal["GET", "POST", "PATCH", "DELETE"]
Sent = Reply | AttachmentReply
"""What a handler answers with: a record as a reply, a file as it is read."""

Handler = Callable[[WebRequest], Awaitable[Sent]] | Callable[[WebRequest], Awaitable[Reply]]


REFUSALS_TOLD: Final = frozenset({Forbidden.status})
"""The statuses of refusals that the audit log tells of, unless an operation names its own."""


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
    """The longest body that it takes beside a form, in bytes; None is as long as the service takes any."""
    sends: tuple[str, ...] = ()
    """The media types of the files that it answers with in place of JSON."""
    query: Mapping[str, str] = field(default_factory=dict)
    """What each parameter means that must stand in the query."""
    moments: Mapping[str, str] = field(default_factory=dict)
    """What each time means that may stand in the query."""
    options: Mapping[str, str] = field(default_factory=dict)
    """What each text means that may stand in the query."""
    switches: Mapping[str, str] = field(default_factory=dict)
    """What each true or false means that may stand in the query."""
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
    """The statuses of refusals that the audit log tells of, where this writes."""

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
        given: dict[str, list[str]] = {name: [] for name in self.switches}
        for name, value in query:
            if name in given:
                given[name].append(value)
        return [
            Problem(
                f"{name} is {', '.join(map(repr, values))}; it takes true or false, once.", name, "invalid"
            )
            for name, values in given.items()
            if values not in ([], ["false"], ["true"])
        ]


def framework_path(path: str) -> str:
    """A path with braces around the names of its parameters, as the framework writes it."""
    parts = path.split("/")
    return "/".join(f"{{{part[1:-1]}:str}}" if part.startswith("{") else part for part in parts)


def route(operation: Operation, handler: Handler) -> HTTPRouteHandler:
    """The framework's handler of an operation."""

    async def named(request: WebRequest) -> Sent:
        request.scope["state"]["operation"] = operation.name
        with few_suggestions():
            try:
                return await handler(request)
            except Refusal as refusal:
                if operation.writes and refusal.status in operation.refusals_told:
                    await tell_of_refused_write(request, operation.name, refusal)
                raise

    named.__name__ = operation.name
    named.__annotations__ = {"request": WebRequest, "return": Reply}
    return HTTPRouteHandler(
        framework_path(operation.path),
        http_method=operation.method,
        status_code=200,  # each response says its own; the framework allows no 204 with a response class
        media_type=wire.MEDIA_TYPE,
        operation_id=f"{operation.name}",
        include_in_schema=False,
        opt={"operation": operation},
    )(named)


def bounded(handler: HTTPRouteHandler, most: int) -> HTTPRouteHandler:
    """The handler of a service that reads so many bytes of any body at most; a form has its own bound."""
    operation: Operation | None = handler.opt.get("operation")
    if operation is None:
        return handler
    made = copy(handler)
    if operation.form is not None:
        made.request_max_body_size = operation.form.body_bytes_max
    elif operation.body_bytes_max is not None:
        made.request_max_body_size = min(operation.body_bytes_max, most)
    return made
