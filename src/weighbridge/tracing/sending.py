"""Where spans go: OpenTelemetry's own sampling, queue and sending, loaded in processes that are told to.

The setting or OpenTelemetry's standard variables name the collector (OTEL_EXPORTER_OTLP_ENDPOINT and those
beside it); OTEL_TRACES_SAMPLER stands before the setting that says how many requests are traced.
"""

import asyncio
import logging
import os
import threading
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import structlog

from weighbridge import __version__
from weighbridge.tracing import spans

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
async def traced(process: str, url: str | None, percent: int) -> AsyncIterator[None]:
    """Send spans as long as the block lasts, if this process is told to."""
    if not is_wanted(url):
        yield
        return
    try:
        provider = _provider(process, url, percent)
    except ImportError as error:
        log.warning("traces_unavailable", error=str(error))
        yield
        return
    spans.use(_OpenTelemetry(provider))
    try:
        yield
    finally:
        spans.use(None)
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
            result, said = SpanExportResult.FAILURE, str(error)
        else:
            said = "the collector did not take them"
        if result is not SpanExportResult.SUCCESS:
            self._lost += len(spans)
            if time.monotonic() - self._told > TELL_SECONDS:
                log.warning("traces_not_sent", lost=self._lost, error=said)
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
        carrier = {} if traceparent is None else {spans.TRACEPARENT: traceparent}
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
        return carrier.get(spans.TRACEPARENT)
