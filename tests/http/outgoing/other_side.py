"""The other side of outgoing requests: a server on a socket of this machine that does what a test says."""

import socket
import threading
from contextlib import contextmanager, suppress

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class OtherSide:
    """A server that answers each connection in the same way, and keeps what it received."""

    def __init__(self, answer, context=None):
        self.answer = answer
        self.context = context
        self.received = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self):
        self._socket.close()

    def _serve(self):
        with suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                threading.Thread(target=self._one, args=(connection,), daemon=True).start()

    def _one(self, connection):
        with suppress(OSError), connection:
            if self.context is None:
                self._talk(connection)
            else:
                with self.context.wrap_socket(connection, server_side=True) as wrapped:
                    self._talk(wrapped)

    def _talk(self, connection):
        head = b""
        while b"\r\n\r\n" not in head:
            if not (part := connection.recv(65_536)):
                return
            head += part
        self.received.append(head.decode())
        if callable(self.answer):
            self.answer(connection)
        else:
            connection.sendall(self.answer)


@contextmanager
def other_side(answer=OK, context=None):
    side = OtherSide(answer, context)
    try:
        yield side
    finally:
        side.close()
