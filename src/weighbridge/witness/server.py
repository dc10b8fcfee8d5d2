"""How a witness is asked: `POST /add-checkpoint` over HTTP, with limits on everything that a stranger sends.

A witness serves plain HTTP; put a proxy with TLS in front of it where others reach it.

Invariants: no body beyond the limit is read; so many connections at a time are served, fewer of one address
unless it is that of this machine, and others are closed; none lasts longer than `CONNECTION_SECONDS`.
"""

import sys
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from socket import AF_INET, AF_INET6, SHUT_RDWR, socket
from threading import Lock, Timer
from typing import Any, Final, cast

from weighbridge.errors import Refusal
from weighbridge.witness.judgement import TEXT_TYPE, Witness, WitnessAnswer
from weighbridge.witness.state import BrokenStateError

PATH: Final = "/add-checkpoint"
BODY_BYTES_MAX: Final = 131_072
"""A head with a proof and many signatures; 63 hashes take 3 kB."""

SECONDS: Final = 10.0
"""How long a client may send nothing."""

CONNECTION_SECONDS: Final = 15.0
"""How long a connection lasts, however busy it is: who sends slowly holds a place no longer."""

LENGTH_DIGITS_MAX: Final = 9
AT_ONCE_MAX: Final = 64
OF_ADDRESS_MAX: Final = 16
BACKLOG: Final = 128


class WitnessServer(ThreadingHTTPServer):
    """A witness that listens."""

    daemon_threads = True
    request_queue_size = BACKLOG

    def __init__(self, address: tuple[str, int], witness: Witness) -> None:
        self.witness = witness
        self.address_family = AF_INET6 if ":" in address[0] else AF_INET
        self._open: Counter[str] = Counter()
        self._counting = Lock()
        super().__init__(address, _Handler)

    def process_request(self, request: socket | tuple[bytes, socket], client_address: Any) -> None:
        """Take a connection unless too many are open."""
        if self._take(client_address[0]):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: socket | tuple[bytes, socket], client_address: Any) -> None:
        """Serve a connection for a while at most, and let another one come."""
        ending = Timer(CONNECTION_SECONDS, _end, (request,))
        ending.daemon = True
        ending.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            ending.cancel()
            with self._counting:
                self._open[client_address[0]] -= 1
                self._open += Counter()  # which leaves out those with none

    def _take(self, address: str) -> bool:
        """Have a place for a connection of an address, if there is one."""
        most = AT_ONCE_MAX if ip_address(address.partition("%")[0]).is_loopback else OF_ADDRESS_MAX
        with self._counting:
            if self._open.total() >= AT_ONCE_MAX or self._open[address] >= most:
                return False
            self._open[address] += 1
            return True

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that went away."""


def _is_length(text: str) -> bool:
    """Whether a header says a length that is read."""
    return (
        text.isascii() and text.isdecimal() and len(text) <= LENGTH_DIGITS_MAX and int(text) <= BODY_BYTES_MAX
    )


def _end(connection: socket) -> None:
    """Have a connection end for whoever reads or writes it."""
    with suppress(OSError):
        connection.shutdown(SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "weighbridge-witness"
    sys_version = ""
    timeout = SECONDS

    def do_POST(self) -> None:
        """Answer a submission."""
        length = self.headers.get("Content-Length", "")
        if self.path != PATH:
            self.close_connection = True
            self._answer(WitnessAnswer(404, "The path is /add-checkpoint.\n"))
        elif not _is_length(length) or self.headers.get("Transfer-Encoding") is not None:
            self.close_connection = True
            self._answer(WitnessAnswer(400, f"A body has a length of at most {BODY_BYTES_MAX:,} bytes.\n"))
        else:
            self._answer(self._judge(self.rfile.read(int(length))))

    def _judge(self, body: bytes) -> WitnessAnswer:
        witness = cast("WitnessServer", self.server).witness
        try:
            return witness.judge(body)
        except Refusal as error:
            self._log(f"broken: {error}")
            return WitnessAnswer(500, "The witness cannot read the list of the logs that it knows.\n")
        except (BrokenStateError, OSError) as error:
            self._log(f"broken: {error}")
            return WitnessAnswer(500, "The witness cannot read or store its state.\n")

    def _answer(self, answer: WitnessAnswer) -> None:
        content = answer.content.encode()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self._log(f"{answer.status} {answer.origin[:200]!r}")

    def do_GET(self) -> None:
        """Say that there is nothing to read; what a request of the kind has below its head is left unread."""
        self.close_connection = True
        self._answer(WitnessAnswer(404, "The path is /add-checkpoint, with POST.\n", TEXT_TYPE))

    def _log(self, text: str) -> None:
        now = datetime.fromtimestamp(cast("WitnessServer", self.server).witness.now(), UTC)
        sys.stderr.write(f"{now.isoformat()} {text}\n")
        sys.stderr.flush()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
        """Leave the library's own lines out."""
