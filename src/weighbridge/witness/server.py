"""How a witness is asked: `POST /add-checkpoint` over HTTP, with limits on everything that a stranger sends.

A witness serves plain HTTP; put a proxy with TLS in front of it where others reach it.

Invariants: no body beyond the limit is read; so many requests at a time are judged, and others are closed.
"""

import sys
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import socket
from threading import BoundedSemaphore
from typing import Any, Final, cast

from weighbridge.errors import Refusal
from weighbridge.witness.judgement import TEXT_TYPE, Witness, WitnessAnswer
from weighbridge.witness.state import BrokenStateError

PATH: Final = "/add-checkpoint"
BODY_BYTES_MAX: Final = 131_072
"""A head with a proof and many signatures; 63 hashes take 3 kB."""

SECONDS: Final = 10.0
"""How long a client may send nothing."""

AT_ONCE_MAX: Final = 64


class WitnessServer(ThreadingHTTPServer):
    """A witness that listens."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], witness: Witness) -> None:
        self.witness = witness
        self._free = BoundedSemaphore(AT_ONCE_MAX)
        super().__init__(address, _Handler)

    def process_request(self, request: socket | tuple[bytes, socket], client_address: Any) -> None:
        """Take a connection unless too many are open."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: socket | tuple[bytes, socket], client_address: Any) -> None:
        """Serve a connection, and let another one come."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that went away."""


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
        elif not (length.isascii() and length.isdecimal()) or int(length) > BODY_BYTES_MAX:
            self.close_connection = True
            self._answer(WitnessAnswer(400, f"A body has a length of at most {BODY_BYTES_MAX:,} bytes.\n"))
        else:
            self._answer(self._judge(self.rfile.read(int(length))))

    def _judge(self, body: bytes) -> WitnessAnswer:
        witness = cast("WitnessServer", self.server).witness
        try:
            return witness.judge(body)
        except (BrokenStateError, Refusal, OSError) as error:
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
        """Say that there is nothing to read."""
        self._answer(WitnessAnswer(404, "The path is /add-checkpoint, with POST.\n", TEXT_TYPE))

    def _log(self, text: str) -> None:
        now = datetime.fromtimestamp(cast("WitnessServer", self.server).witness.now(), UTC)
        sys.stderr.write(f"{now.isoformat()} {text}\n")
        sys.stderr.flush()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
        """Leave the library's own lines out."""
