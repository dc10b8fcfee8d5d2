"""What goes over the wire to a database: the messages of the protocol that wait for an answer, counted."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from psycopg.conninfo import conninfo_to_dict, make_conninfo

_ASKS = b"QS"
_ASKED = tuple(bytes([kind]) for kind in _ASKS)
"""What makes the server answer: a simple query, and the end of statements that were sent together."""


@dataclass
class Wire:
    """The URL of a database over a wire that is counted, and how often the server was asked so far."""

    url: str
    besides: bytes | None = None
    messages: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, kinds: bytes) -> None:
        """Count messages by the bytes that say what they are."""
        with self._lock:
            self.messages += sum(kind in _ASKS for kind in kinds)


@contextmanager
def counted(url: str, *, besides: bytes | None = None) -> Iterator[Wire]:
    """A wire to the database of a URL, which hands everything on as it comes.

    What is asked `besides`, by a part of its statement, is not counted: the clock says how often that is.
    """
    given = conninfo_to_dict(url)
    there = str(given["host"]), int(given.get("port") or 5432)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        conninfo = make_conninfo(url, host="127.0.0.1", port=port, sslmode="disable", gssencmode="disable")
        wire = Wire(conninfo, besides)
        accepting = threading.Thread(target=_accept, args=(listening, there, wire), daemon=True)
        accepting.start()
        yield wire
        listening.shutdown(socket.SHUT_RDWR)
        accepting.join()


def _connect(host: str, port: int) -> socket.socket:
    """A connection to a database, which may be in a folder of this machine."""
    if not host.startswith("/"):
        return socket.create_connection((host, port))
    server = socket.socket(socket.AF_UNIX)
    server.connect(f"{host}/.s.PGSQL.{port}")
    return server


def _accept(listening: socket.socket, there: tuple[str, int], wire: Wire) -> None:
    with suppress(OSError):
        while True:
            client, _ = listening.accept()
            server = _connect(*there)
            threading.Thread(target=_ask, args=(client, server, wire), daemon=True).start()
            threading.Thread(target=_answer, args=(server, client), daemon=True).start()


def _ask(client: socket.socket, server: socket.socket, wire: Wire) -> None:
    """Hand on what the client says, and count it; its first packet has no kind, only a length."""
    held, is_started, is_besides = b"", False, False
    with client, server, suppress(OSError):
        while said := client.recv(65_536):
            held += said
            kinds = b""
            while len(held) >= 5:
                head = 1 if is_started else 0
                end = head + int.from_bytes(held[head : head + 4])
                if len(held) < end:
                    break
                is_besides |= wire.besides is not None and wire.besides in held[:end]
                if held[:head] in _ASKED and is_besides:
                    is_besides = False
                else:
                    kinds += held[:head]
                held, is_started = held[end:], True
            wire.count(kinds)
            server.sendall(said)


def _answer(server: socket.socket, client: socket.socket) -> None:
    with suppress(OSError):
        while said := server.recv(65_536):
            client.sendall(said)
        client.shutdown(socket.SHUT_RDWR)
