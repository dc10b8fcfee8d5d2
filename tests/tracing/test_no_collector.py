"""A collector that is away costs nobody anything; without one no span is made."""

import socket
import time

import pytest

from weighbridge import tracing as spans
from weighbridge.tracing import LEAVE_SECONDS, trace_process


@pytest.fixture
def nobody():
    """An address at which connections are taken up and nothing is ever answered."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        yield f"http://127.0.0.1:{silent.getsockname()[1]}/v1/traces"


def test_requests_are_answered_while_the_collector_is_silent_and_the_process_ends_in_time(
    server, api, nobody
):
    tracing = trace_process("api", nobody, 100)
    server.run(tracing.__aenter__())
    try:
        started = time.monotonic()
        for _ in range(200):
            api.get("/projects").expect(200)
        seconds = time.monotonic() - started
    finally:
        leaving = time.monotonic()
        server.run(tracing.__aexit__(None, None, None))
        left = time.monotonic() - leaving

    assert seconds < 20
    assert left < LEAVE_SECONDS + 2


def test_without_a_collector_there_is_no_span_and_a_transaction_is_what_it_was():
    opened = object()

    @spans.transaction
    def read():
        return opened

    assert not spans.is_on()
    assert read() is opened
    assert spans.begin_request({}, "id") is None
    assert spans.traceparent() == {}
