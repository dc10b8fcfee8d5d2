"""Who opens connections and says nothing, or reads no answer, keeps them for a while and nothing else."""

import http.client
import resource
import socket
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.durability.processes import until
from tests.durability.real_service import Service

CLIENTS = 1_200
"""More than one process once took in all."""

HEADER_SECONDS = 1
STALLED_SECONDS = 1
GRACE_SECONDS = 10
"""How much later than its deadline a connection may be closed on a busy machine."""

ESTABLISHED = "01"
BEGINNINGS = {
    "nothing": b"",
    "the beginning of HTTP/2": b"PRI * HTT",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "half of the headers": b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-More: ",
    "a request, and then nothing": b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
}
"""What a client sends before it falls silent."""


@pytest.fixture(scope="module")
def service(shared_folder, shared_dir):
    """A service of one process that waits a second for headers, and as long for readers."""
    running = Service(
        shared_dir,
        None,
        log=shared_folder / "stderr",
        options=("--no-worker",),
        WEIGHBRIDGE_REQUEST_HEADER_SECONDS=str(HEADER_SECONDS),
        WEIGHBRIDGE_ANSWER_STALLED_SECONDS=str(STALLED_SECONDS),
    )
    yield running
    running.close()


@pytest.fixture
def open_files():
    """Room for the connections of this test."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < CLIENTS * 2:
        pytest.skip(f"this process may open {hard} files only")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, CLIENTS * 2), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def connected(service):
    parts = urlsplit(service.address)
    return socket.create_connection((parts.hostname, parts.port), timeout=HEADER_SECONDS + GRACE_SECONDS)


def healthz(service):
    parts = urlsplit(service.address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=GRACE_SECONDS)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status
    finally:
        connection.close()


def is_closed(connection):
    """Whether the service closes a connection, whatever it sent before."""
    try:
        while connection.recv(65_536):
            pass
    except ConnectionResetError:
        pass
    return True


@pytest.mark.usefixtures("open_files")
@pytest.mark.parametrize("beginning", BEGINNINGS.values(), ids=BEGINNINGS)
def test_silent_connections_are_closed_and_others_are_answered_meanwhile(service, beginning):
    with ExitStack() as clients:
        silent = [clients.enter_context(connected(service)) for _ in range(CLIENTS)]
        for connection in silent:
            connection.sendall(beginning)

        assert healthz(service) == 200
        started = time.monotonic()
        assert all(map(is_closed, silent))
        assert time.monotonic() - started < HEADER_SECONDS + GRACE_SECONDS


def test_headers_of_more_than_64_kilobytes_are_refused(service):
    with connected(service) as connection:
        head = b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: " + b"x" * 100_000
        connection.sendall(head)

        assert connection.recv(65_536).startswith(b"HTTP/1.1 431 ")


def waiting_to_be_sent(service):
    """What the service holds for each of its clients, in bytes, by the kernel's account."""
    port = f":{urlsplit(service.address).port:04X}"
    sockets = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()]
    held = [
        words[4].partition(":")[0] for words in sockets if words[1].endswith(port) and words[3] == ESTABLISHED
    ]
    return [int(number, 16) for number in held]


def test_an_answer_that_nobody_reads_is_given_up(service):
    parts = urlsplit(service.address)
    with socket.socket() as reader:
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        reader.connect((parts.hostname, parts.port))
        reader.sendall(b"GET /docs/assets/scalar.js HTTP/1.1\r\nHost: x\r\n\r\n")

        until(lambda: any(waiting_to_be_sent(service)), what="the answer waits for its reader")
        until(lambda: not any(waiting_to_be_sent(service)), what="the connection is closed")
