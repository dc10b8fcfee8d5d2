"""Kept connections to one address, over which requests go out and whole answers come back.

It speaks as much of HTTP/1.1 as a service that is well behaved needs: the client of httpx takes eight times
the work for each request, that of the standard library twice.
"""

import select
import socket
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

PIECE_BYTES = 65_536
_WITH_BODY = {"PATCH", "POST", "PUT"}
_WITHOUT_ANSWERED_BODY = {204, 304}


@dataclass(frozen=True, slots=True)
class Head:
    """The head of an answer."""

    status: int
    fields: list[tuple[str, str]]

    def value(self, name: str) -> str:
        """A field of which there is one; empty without it."""
        return next((value for key, value in self.fields if key.lower() == name), "")


class Connections:
    """Connections to one address; one that the service has closed in the meantime is made anew."""

    def __init__(self, host: str, port: int, seconds: float) -> None:
        self._address = host, port
        self._seconds = seconds
        self._idle: list[_Connection] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        while self._idle:
            self._idle.pop().close()

    def send(
        self, method: str, target: str, content: bytes | None, headers: Mapping[str, str]
    ) -> tuple[Head, bytes]:
        """Send a request and read the whole answer, also one that comes before all is sent."""
        connection = self._open()
        try:
            is_sent = False
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.send(_request(self._address, method, target, content, headers))
                is_sent = True
            head, body, is_kept = connection.answer(method)
        except BaseException:
            connection.close()
            raise
        if is_kept and is_sent:
            self._idle.append(connection)
        else:
            connection.close()
        return head, body

    def _open(self) -> "_Connection":
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:  # asking first whether there is one would race with other threads
                return _Connection(self._address, self._seconds)
            if connection.is_quiet:
                return connection
            connection.close()


def _request(
    address: tuple[str, int], method: str, target: str, content: bytes | None, headers: Mapping[str, str]
) -> bytes:
    fields = {"host": f"{address[0]}:{address[1]}", "accept-encoding": "identity"}
    if "transfer-encoding" not in headers and (content is not None or method in _WITH_BODY):
        fields["content-length"] = str(len(content or b""))
    fields |= headers
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
    return "\r\n".join(lines).encode("latin-1") + (content or b"")


class _Connection:
    """One connection, with what came of an answer and is not read yet."""

    def __init__(self, address: tuple[str, int], seconds: float) -> None:
        self._socket = socket.create_connection(address, seconds)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._held = b""

    @property
    def is_quiet(self) -> bool:
        """Whether nothing came that nobody asked for, such as that the service closes."""
        waiting = select.poll()  # `select.select` refuses file numbers above 1,023
        waiting.register(self._socket, select.POLLIN)
        return not waiting.poll(0)

    def close(self) -> None:
        self._socket.close()

    def send(self, request: bytes) -> None:
        self._socket.sendall(request)

    def answer(self, method: str) -> tuple[Head, bytes, bool]:
        """The head and the body of an answer, and whether the connection is kept."""
        head = self._head()
        while head.status == 100:
            head = self._head()
        is_kept = head.value("connection").lower() != "close"
        if method == "HEAD" or head.status in _WITHOUT_ANSWERED_BODY:
            return head, b"", is_kept
        if head.value("transfer-encoding").lower() == "chunked":
            return head, b"".join(self._chunks()), is_kept
        if length := head.value("content-length"):
            return head, self._exactly(int(length)), is_kept
        return head, b"".join(self._rest()), False

    def _head(self) -> Head:
        while (end := self._held.find(b"\r\n\r\n")) < 0:
            self._receive()
        first, *lines = self._held[:end].decode("latin-1").split("\r\n")
        self._held = self._held[end + 4 :]
        fields = [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines)]
        return Head(int(first.split(" ", 2)[1]), fields)

    def _chunks(self) -> Iterable[bytes]:
        while size := int(self._line().partition(b";")[0], 16):
            yield self._exactly(size)
            self._line()
        while self._line():
            pass

    def _line(self) -> bytes:
        while (end := self._held.find(b"\r\n")) < 0:
            self._receive()
        line, self._held = self._held[:end], self._held[end + 2 :]
        return line

    def _exactly(self, size: int) -> bytes:
        pieces, missing = [self._held[:size]], size - len(self._held)
        self._held = self._held[size:]
        while missing > 0:
            piece = self._piece(min(missing, PIECE_BYTES))
            missing -= len(piece)
            pieces.append(piece)
        return b"".join(pieces)

    def _rest(self) -> Iterable[bytes]:
        yield self._held
        while piece := self._socket.recv(PIECE_BYTES):
            yield piece

    def _receive(self) -> None:
        self._held += self._piece(PIECE_BYTES)

    def _piece(self, size: int) -> bytes:
        piece = self._socket.recv(size)
        if not piece:
            raise ConnectionError("the service closed the connection within an answer")
        return piece
