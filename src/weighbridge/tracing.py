"""Traces by OpenTelemetry: spans of what the service does, and where they are sent.

Spans come first and know no library; `trace_process` loads OpenTelemetry in a process that is told where to
send them, and nowhere else. In all other processes each function asks one question and does nothing.

Invariants: no span holds a token, a body, a value of a statement or the path of a URL that a user gave;
a collector that does not answer delays no request, for what does not fit the queue is dropped and
counted.
"""

import asyncio
import logging
import os
import re
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from functools import lru_cache, wraps
from types import TracebackType
from typing import Any, Final, ParamSpec, Protocol, TypeVar

import structlog

from weighbridge import __version__

# Spans of what the service does. While no trace is sent, each function asks one question and does nothing.
#
# The parent of a span is what was under way when it began, in its task or thread; a request and a task
# begin anew, as part of the trace of whoever asked (W3C traceparent), or with a link to the request that
# queued it. Transactions that belong to none of them, as those that a worker makes each second, have no
# span.


Opened = TypeVar("Opened")
Told = ParamSpec("Told")

TRACEPARENT: Final = "traceparent"
_PROBES: Final = frozenset({"/healthz", "/readyz"})
"""What proxies ask again and again, which is nobody's question."""
_PROJECT: Final = re.compile(r"/projects/(prj_[0-9a-f]{24})")
_WORDS: Final = re.compile(r"\b(SELECT|COPY|BEGIN|COMMIT|SET|SAVEPOINT|ROLLBACK|RELEASE)\b")
_TABLE: Final = re.compile(r"\b(?:FROM|INTO|UPDATE|COPY|JOIN)\s+([a-z_][a-z0-9_]{0,62})\b(?!\()")
_CHANGES: Final = re.compile(r"\b(INSERT INTO|UPDATE|DELETE FROM)\s+([a-z_][a-z0-9_]{0,62})\b")


class Tracing(Protocol):
    """What makes spans, where any are made."""

    def begin(self, name: str, kind: str, attributes: Mapping[str, Any], *, parent: str | None = None) -> Any:
        """Begin a span as a part of what is under way, or of the trace of a traceparent."""

    def begin_linked(self, name: str, attributes: Mapping[str, Any], *, link: str | None) -> Any:
        """Begin a trace, with a link to the span of a traceparent."""

    def end(self, begun: Any, attributes: Mapping[str, Any], error: BaseException | None) -> None:
        """End a span."""

    def traceparent(self) -> str | None:
        """What is under way, for others to go on from."""


class _Current:
    """What makes spans in this process; None in most."""

    tracing: Tracing | None = None


def use(tracing: Tracing | None) -> None:
    """Make spans from now on, or none."""
    _Current.tracing = tracing


def is_on() -> bool:
    """Whether spans are made."""
    return _Current.tracing is not None


def begin_request(scope: Mapping[str, Any], request_id: str) -> Any:
    """Begin the span of a request by what ASGI says of it; None where none is made."""
    tracing = _Current.tracing
    if tracing is None or scope["path"] in _PROBES:
        return None
    parent = next((value for name, value in scope["headers"] if name == b"traceparent"), b"").decode(
        "latin-1"
    )
    attributes = {"http.request.method": scope["method"], "weighbridge.request_id": request_id}
    if found := _PROJECT.search(scope["path"]):
        attributes["weighbridge.project_id"] = found[1]
    return tracing.begin(scope["method"], "server", attributes, parent=parent or None)


def end_request(begun: Any, scope: Mapping[str, Any], operation: str, status: int) -> None:
    """End the span of a request, which is called for its operation and tells whose it was."""
    tracing = _Current.tracing
    if tracing is None or begun is None:
        return
    attributes: dict[str, Any] = {"http.response.status_code": status, "weighbridge.operation": operation}
    actor, account = scope["state"].get("actor"), scope["state"].get("account")
    if actor is not None or account is not None:
        attributes["weighbridge.account_id"] = account if actor is None else actor.account_id
    tracing.end(begun, attributes, None)


@contextmanager
def span(name: str, kind: str = "internal", **attributes: Any) -> Iterator[None]:
    """A span as long as the block lasts; names of attributes have _ for the dots of OpenTelemetry."""
    tracing = _Current.tracing
    if tracing is None:
        yield
        return
    yield from _held(tracing, tracing.begin(name, kind, _dotted(attributes)))


class TaskAttempt(Protocol):
    """What is told of an attempt at a task."""

    @property
    def task_id(self) -> int: ...
    @property
    def number(self) -> int: ...
    @property
    def type(self) -> str: ...
    @property
    def account_id(self) -> int: ...
    @property
    def request_id(self) -> str: ...


@contextmanager
def task_span(attempt: TaskAttempt, queued_by: str | None) -> Iterator[None]:
    """The span of an attempt at a task, linked to the request that queued it."""
    tracing = _Current.tracing
    if tracing is None:
        yield
        return
    told = {
        "weighbridge.task_id": attempt.task_id,
        "weighbridge.attempt": attempt.number,
        "weighbridge.account_id": attempt.account_id,
        "weighbridge.request_id": attempt.request_id,
    }
    yield from _held(tracing, tracing.begin_linked(attempt.type, told, link=queued_by))


def _held(tracing: Tracing, begun: Any) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        tracing.end(begun, {}, error)
        raise
    tracing.end(begun, {}, None)


def _dotted(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {name.replace("__", "."): value for name, value in attributes.items() if value is not None}


def traceparent() -> dict[str, str]:
    """What is under way, as the header by which others go on from it; empty where no span is made."""
    tracing = _Current.tracing
    value = None if tracing is None else tracing.traceparent()
    return {} if value is None else {TRACEPARENT: value}


@contextmanager
def message_span(statements: Iterable[str]) -> Iterator[None]:
    """The span of statements that go out together, called for the first that is no BEGIN."""
    names = [name_of(statement) for statement in statements]
    telling = [name for name in names if name not in {"BEGIN", "COMMIT"}] or names or ["message"]
    with span(telling[0], "client", db__system__name="postgresql", db__query__summary="; ".join(names)):
        yield


@lru_cache(maxsize=4_096)
def name_of(statement: str) -> str:
    """What a statement does to which table, such as SELECT events; never a value of it."""
    if change := _CHANGES.search(statement):
        return f"{change[1].split()[0]} {change[2]}"
    word = _WORDS.search(statement)
    if word is None:
        return "statement"
    table = _TABLE.search(statement)
    return f"{word[1]} {table[1]}" if table else word[1]


def transaction(
    opening: Callable[Told, AbstractAsyncContextManager[Opened]],
) -> Callable[Told, AbstractAsyncContextManager[Opened]]:
    """A function that opens a transaction, each in a span of its own: the wait for its connection too."""
    name = opening.__name__

    @wraps(opening)
    def opened(*given: Told.args, **named: Told.kwargs) -> AbstractAsyncContextManager[Opened]:
        tracing = _Current.tracing
        if tracing is None:
            return opening(*given, **named)
        return _Within(tracing, name, opening(*given, **named))

    return opened


def trace_opened_transaction(
    opening: Callable[Told, AsyncIterator[Opened]],
) -> Callable[Told, AbstractAsyncContextManager[Opened]]:
    """As `transaction`, of a function that yields it."""
    return transaction(asynccontextmanager(opening))


class _Within(AbstractAsyncContextManager[Opened]):
    """Ends the span when the transaction has ended, however it did."""

    def __init__(self, tracing: Tracing, name: str, opened: AbstractAsyncContextManager[Opened]) -> None:
        self._tracing = tracing
        self._begun = tracing.begin(name, "internal", {"db.system.name": "postgresql"})
        self._opened = opened

    async def __aenter__(self) -> Opened:
        try:
            return await self._opened.__aenter__()
        except BaseException as error:
            self._tracing.end(self._begun, {}, error)
            raise

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        try:
            swallowed = await self._opened.__aexit__(kind, error, trace)
        except BaseException as raised:
            self._tracing.end(self._begun, {}, raised)
            raise
        self._tracing.end(self._begun, {}, error)
        return swallowed


# Where spans go: OpenTelemetry's own sampling, queue and sending, loaded in processes that are told to.
#
# The setting or OpenTelemetry's standard variables name the collector (OTEL_EXPORTER_OTLP_ENDPOINT and
# those beside it); OTEL_TRACES_SAMPLER stands before the setting that says how many requests are traced.


ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
"""The standard variables, any of which has a process send traces."""

SEND_SECONDS: Final = 3
"""How long the collector may take for what is sent at a time."""

LEAVE_SECONDS: Final = 3.0
"""How long a process that ends waits for its last spans to be taken."""

TELL_SECONDS: Final = 60.0
"""How often the log tells of spans that were let go."""

_OF_THEIR_OWN: Final = frozenset({"server", "call"})
"""What may begin a trace; what a process does again and again by itself is nobody's question."""

log = structlog.get_logger()


def is_wanted(url: str | None, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether this process is told to send traces."""
    if environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return False
    return bool(url or any(environ.get(name, "").strip() for name in ENDPOINTS))


@asynccontextmanager
async def trace_process(process: str, url: str | None, percent: int) -> AsyncIterator[None]:
    """Send spans as long as the block lasts, if this process is told to."""
    if not is_wanted(url):
        yield
        return
    try:
        provider = await asyncio.to_thread(_provider, process, url, percent)
    except ImportError as error:
        log.warning("traces_unavailable", error=str(error))
        yield
        return
    use(_OpenTelemetry(provider))
    try:
        yield
    finally:
        use(None)
        leaving = threading.Thread(target=provider.shutdown, daemon=True)
        leaving.start()
        await asyncio.to_thread(leaving.join, LEAVE_SECONDS)


def _provider(process: str, url: str | None, percent: int) -> Any:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider, sampling  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)  # `_Telling` says it once a minute
    told = {"service.name": "weighbridge", "service.version": __version__, "weighbridge.process": process}
    if name := os.environ.get("OTEL_SERVICE_NAME"):
        told["service.name"] = name
    by_setting = sampling.ParentBasedTraceIdRatio(percent / 100)
    provider = TracerProvider(
        resource=Resource.create(told),
        sampler=None if os.environ.get("OTEL_TRACES_SAMPLER") else by_setting,
        shutdown_on_exit=False,
    )
    exporter = OTLPSpanExporter(endpoint=url, timeout=SEND_SECONDS)
    provider.add_span_processor(BatchSpanProcessor(_Telling(exporter)))  # type: ignore[arg-type]
    return provider


class _Telling:
    """Sends by another exporter, and tells the log what was lost, once in a while."""

    def __init__(self, exporter: Any) -> None:
        self._exporter = exporter
        self._lost = 0
        self._told = float("-inf")

    def export(self, spans: Sequence[Any]) -> Any:
        """Send spans; what is not taken is let go."""
        from opentelemetry.sdk.trace.export import SpanExportResult  # noqa: PLC0415

        try:
            result = self._exporter.export(spans)
        except Exception as error:  # noqa: BLE001 - nothing of a collector's ends the thread that sends
            result, message = SpanExportResult.FAILURE, str(error)
        else:
            message = "the collector did not take them"
        if result is not SpanExportResult.SUCCESS:
            self._lost += len(spans)
            if time.monotonic() - self._told > TELL_SECONDS:
                log.warning("traces_not_sent", lost=self._lost, error=message)
                self._lost, self._told = 0, time.monotonic()
        return result

    def shutdown(self) -> None:
        """Send nothing any more."""
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Nothing is kept here."""
        return bool(self._exporter.force_flush(timeout_millis))


class _OpenTelemetry:
    """Makes spans by OpenTelemetry; what is begun is a span and how to get back to what was before it."""

    def __init__(self, provider: Any) -> None:
        from opentelemetry import context, trace  # noqa: PLC0415
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415

        self._context, self._trace = context, trace
        self._tracer = provider.get_tracer("weighbridge", __version__)
        self._propagator = TraceContextTextMapPropagator()
        self._kinds = {
            "server": trace.SpanKind.SERVER,
            "call": trace.SpanKind.CLIENT,
            "client": trace.SpanKind.CLIENT,
            "internal": trace.SpanKind.INTERNAL,
        }

    def begin(self, name: str, kind: str, attributes: Mapping[str, Any], *, parent: str | None = None) -> Any:
        under_way = self._trace.get_current_span().get_span_context()
        if kind not in _OF_THEIR_OWN and not under_way.trace_flags.sampled:
            return None  # nothing is under way, or what is not kept
        above = self._of(parent) if kind == "server" else None
        return self._entered(
            self._tracer.start_span(name, context=above, kind=self._kinds[kind], attributes=attributes)
        )

    def begin_linked(self, name: str, attributes: Mapping[str, Any], *, link: str | None) -> Any:
        queued = self._trace.get_current_span(self._of(link)).get_span_context()
        links = [self._trace.Link(queued)] if queued.is_valid else []
        consumer = self._trace.SpanKind.CONSUMER
        return self._entered(
            self._tracer.start_span(
                name, context=self._context.Context(), kind=consumer, attributes=attributes, links=links
            )
        )

    def _of(self, traceparent: str | None) -> Any:
        carrier = {} if traceparent is None else {TRACEPARENT: traceparent}
        return self._propagator.extract(carrier, self._context.Context())

    def _entered(self, span: Any) -> tuple[Any, Any]:
        return span, self._context.attach(self._trace.set_span_in_context(span))

    def end(self, begun: Any, attributes: Mapping[str, Any], error: BaseException | None) -> None:
        if begun is None:
            return
        span, before = begun
        self._context.detach(before)
        span.set_attributes(attributes)
        if operation := attributes.get("weighbridge.operation"):
            span.update_name(str(operation))
        if error is not None:
            span.set_attribute("error.type", type(error).__qualname__)
        if error is not None or int(attributes.get("http.response.status_code", 0)) >= 500:
            span.set_status(self._trace.StatusCode.ERROR)
        span.end()

    def traceparent(self) -> str | None:
        carrier: dict[str, str] = {}
        self._propagator.inject(carrier)
        return carrier.get(TRACEPARENT)
