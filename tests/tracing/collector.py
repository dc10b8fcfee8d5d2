"""A collector of spans on a loopback port, which also answers any other request and keeps its headers."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

WAIT_SECONDS = 30.0


@dataclass(frozen=True)
class Told:
    """One span as it came."""

    name: str
    trace: str
    id: str
    parent: str
    attributes: dict[str, Any]
    links: tuple[str, ...]
    is_error: bool


@dataclass
class Collector:
    """What came so far."""

    address: str
    spans: list[Told] = field(default_factory=list)
    raw: bytes = b""
    headers: list[dict[str, str]] = field(default_factory=list)

    def wait(self, found: Callable[[Told], bool]) -> Told:
        """The first span that fits, once it has come."""
        deadline = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < deadline:
            if fitting := [one for one in [*self.spans] if found(one)]:
                return fitting[0]
            time.sleep(0.01)
        raise AssertionError(f"no such span came, but {[one.name for one in self.spans]}")

    def below(self, above: Told) -> list[Told]:
        """The spans that are parts of one."""
        return [one for one in self.spans if one.parent == above.id]


@contextmanager
def collecting() -> Iterator[Collector]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.path == "/v1/traces":
                collector.raw += body
                collector.spans += _told(body)
            else:
                collector.headers.append({name.lower(): value for name, value in self.headers.items()})
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        collector = Collector(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield collector
        server.shutdown()
        thread.join()


def _told(body: bytes) -> Iterator[Told]:
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield Told(
                    span.name,
                    span.trace_id.hex(),
                    span.span_id.hex(),
                    span.parent_span_id.hex(),
                    {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in span.attributes},
                    tuple(link.span_id.hex() for link in span.links),
                    span.status.code == 2,
                )
