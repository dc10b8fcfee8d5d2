"""Who sends half a body and waits keeps a connection, for a while, and nothing else."""

import socket
import time
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest
from tests.durability.real_service import Service
from tests.durability.remote import token_of

CLIENTS = 200
BODY_SECONDS = 2
GRACE_SECONDS = 5
"""How much later than its deadline a connection may be closed on a busy machine."""


@pytest.fixture
def service(migrated_dir, folder):
    """A service that waits two seconds for a body, and has room for those of all clients of one account."""
    running = Service(
        migrated_dir,
        token_of(migrated_dir),
        log=folder / "stderr",
        options=("--no-worker",),
        WEIGHBRIDGE_REQUEST_BODY_SECONDS=str(BODY_SECONDS),
        WEIGHBRIDGE_ACCOUNT_REQUESTS=str(2 * CLIENTS),
    )
    yield running
    running.close()


def half_sent(service):
    """A connection on which half a request has arrived."""
    parts = urlsplit(service.address)
    connection = socket.create_connection((parts.hostname, parts.port), timeout=BODY_SECONDS + GRACE_SECONDS)
    connection.sendall(
        b"POST /api/v1/projects HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        b"Content-Length: 1000\r\nAuthorization: Bearer " + service.token.encode() + b'\r\n\r\n{"project"'
    )
    return connection


def ending(connection):
    """All that the service sends until it closes the connection."""
    received = b""
    try:
        while chunk := connection.recv(65_536):
            received += chunk
    except ConnectionResetError:
        pass
    return received


def test_bodies_that_never_end_are_given_up_while_others_are_served(service):
    with ExitStack() as clients:
        halves = [clients.enter_context(half_sent(service)) for _ in range(CLIENTS)]
        started = time.monotonic()

        names = [
            service.call("POST", "/projects", {"project": {"name": f"Plant {n}"}})["name"] for n in range(20)
        ]
        served_after = time.monotonic() - started
        endings = [ending(half) for half in halves]
        closed_after = time.monotonic() - started

    assert names == [f"Plant {n}" for n in range(20)]
    assert served_after < BODY_SECONDS + GRACE_SECONDS
    assert closed_after < BODY_SECONDS + GRACE_SECONDS
    assert all(b" 408 " in one.partition(b"\r\n")[0] for one in endings)
    assert service.call("GET", "/projects")["info"]["total_items"] == 20
