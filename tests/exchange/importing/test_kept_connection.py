"""A connection that the service closed while nothing was sent is opened again, and nothing is sent twice."""

import socket
import threading
from http.client import HTTPConnection

import pytest

from weighbridge.exchange.importing.kept_connection import reopened

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@pytest.fixture
def closing():
    """A service that answers one request of each connection and then closes it; gives what it received."""
    received, closed = [], threading.Semaphore(0)
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                received.append(connection.recv(65_536))
                connection.sendall(ANSWER)
            closed.release()

    threading.Thread(target=serve, daemon=True).start()
    yield listener.getsockname()[1], received, closed
    listener.close()


def test_a_closed_connection_is_opened_again(closing):
    port, received, closed = closing
    connection = HTTPConnection("127.0.0.1", port, timeout=10)

    for _ in range(3):
        reopened(connection).request("GET", "/")
        assert connection.getresponse().read() == b"ok"
        assert closed.acquire(timeout=10)
    connection.close()

    assert len(received) == 3


def test_an_open_connection_is_kept():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        connection = HTTPConnection("127.0.0.1", listener.getsockname()[1], timeout=10)
        connection.connect()
        before = connection.sock

        assert reopened(connection).sock is before
        connection.close()
