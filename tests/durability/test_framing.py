"""What a proxy in front of the service could read differently is refused by the service, in one sentence."""

import json
import socket
from urllib.parse import urlsplit

import pytest
from tests.durability.real_service import Service
from tests.durability.remote import token_of

BODY = b"POST /api/v1/projects HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"

REFUSED = {
    "two hosts": (
        b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "The request names 2 hosts; it takes one header Host.",
    ),
    "no host": (
        b"GET /healthz HTTP/1.1\r\n\r\n",
        "The request names no host; it takes one header Host.",
    ),
    "an empty host": (
        b"GET /healthz HTTP/1.1\r\nHost:\r\n\r\n",
        "The request names no host; it takes one header Host.",
    ),
    "a packed body": (
        BODY + b"Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "The transfer encoding is gzip, chunked; this service takes chunked alone, or none.",
    ),
    "chunks of chunks": (
        BODY + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "The transfer encoding is chunked, chunked; this service takes chunked alone, or none.",
    ),
}

UNREADABLE_CHUNKS = {
    "no length": b"ZZ\r\n{}\r\n0\r\n\r\n",
    "a chunk longer than it says": b"2\r\n{}XX0\r\n\r\n",
    "no carriage return": b"2\n{}\n0\n\n",
}


@pytest.fixture(scope="module")
def service(shared_folder, shared_dir):
    token = token_of(shared_dir)
    running = Service(shared_dir, token, log=shared_folder / "stderr", options=("--no-worker",))
    yield running
    running.close()


def answered(service, request):
    """The status and the body of the answer to these bytes, after which the connection is closed."""
    parts = urlsplit(service.address)
    with socket.create_connection((parts.hostname, parts.port), timeout=30) as connection:
        connection.sendall(request)
        received = b""
        while chunk := connection.recv(65_536):
            received += chunk
    head, _, body = received.partition(b"\r\n\r\n")
    return int(head.split(b" ", 2)[1]), json.loads(body)


@pytest.mark.parametrize(("request_bytes", "said"), REFUSED.values(), ids=REFUSED)
def test_what_could_be_read_in_two_ways_is_refused_and_the_connection_closed(service, request_bytes, said):
    status, body = answered(service, request_bytes)

    assert (status, body["errors"]) == (400, [{"message": said, "code": "malformed"}])


def test_a_request_of_http_1_0_needs_no_host(service):
    assert answered(service, b"GET /healthz HTTP/1.0\r\n\r\n") == (200, {"status": "ok"})


@pytest.mark.parametrize("chunks", UNREADABLE_CHUNKS.values(), ids=UNREADABLE_CHUNKS)
def test_chunks_that_cannot_be_read_are_the_mistake_of_the_client(service, chunks):
    head = (
        BODY + b"Authorization: Bearer " + service.token.encode() + b"\r\nTransfer-Encoding: chunked\r\n\r\n"
    )

    status, body = answered(service, head + chunks)

    assert status == 400
    assert body["errors"][0]["message"] == (
        "The body ends before its end, or is divided into chunks that cannot be read."
    )
