"""The HTTP side of a rehearsal registry.

    POST /submissions                  take a report, by its Idempotency-Key
    GET  /submissions                  all that was received
    GET  /submissions/{key}            one of them: 200, or 404 for a key that it does not know
    GET  /submissions/{key}/content    the bytes that were received
    POST /submissions/{key}/decision   {"status": "accepted" or "rejected", "reason": …}

Invariant: a request is answered as its report's behaviour says, and otherwise at once.
"""

import json
import socket
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import urlsplit

from weighbridge.demo.rehearsal.behaviour import ACCEPTED, REJECTED, RegistryBehaviour, behaviour_for
from weighbridge.demo.rehearsal.received import OtherContentError, ReceivedReports

CONTENT_BYTES_MAX: Final = 67_108_864
"""Bytes of a report that a rehearsal registry takes."""

READ_SECONDS: Final = 60


class RehearsalServer(ThreadingHTTPServer):
    """A rehearsal registry on an address; port 0 takes a free one."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], received: ReceivedReports, token: str | None = None) -> None:
        super().__init__(address, RehearsalRequest)
        self.received = received
        self.token = token

    @property
    def address(self) -> str:
        """Where reports are posted."""
        host, port = self.server_address[:2]
        return f"http://{host!s}:{port}/submissions"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error of a registry."""


class RehearsalRequest(BaseHTTPRequestHandler):
    """One request to a rehearsal registry."""

    server: RehearsalServer
    protocol_version = "HTTP/1.1"
    timeout = READ_SECONDS

    def do_GET(self) -> None:
        """Show what was received."""
        received = self.server.received
        now = received.clock()
        if not self._may():
            return
        match self._path():
            case () | ("submissions",):
                self._answer(HTTPStatus.OK, {"data": [one.shown(now) for one in received.all()]})
            case ("submissions", key) if (found := received.find(key)) is not None:
                self._answer(HTTPStatus.OK, found.shown(now))
            case ("submissions", key, "content") if (found := received.find(key)) is not None:
                self._send(HTTPStatus.OK, found.media_type, found.content)
            case _:
                self._answer(HTTPStatus.NOT_FOUND, {"message": "Nothing is known under this address."})

    def do_POST(self) -> None:
        """Take a report, or a decision on one."""
        content = self._content()
        if content is None or not self._may():
            return
        match self._path():
            case ("submissions",):
                self._take(content)
            case ("submissions", key, "decision"):
                self._decide(key, content)
            case _:
                self._answer(HTTPStatus.NOT_FOUND, {"message": "Nothing is taken at this address."})

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as the base class has it
        """Say nothing of requests: what was received can be asked for."""

    def _take(self, content: bytes) -> None:
        key = self.headers.get("Idempotency-Key", "")
        if not key or "/" in key:
            self._answer(HTTPStatus.BAD_REQUEST, {"message": "A report needs an Idempotency-Key."})
            return
        received = self.server.received
        behaviour = behaviour_for(content, received.usual)
        before = received.tried(key)
        if before < behaviour.drop:
            self._hang_up()
        elif before < behaviour.drop + behaviour.fail:
            self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, {"message": "It fails, as it was told to."})
        elif behaviour.refuse is not None:
            self._answer(HTTPStatus.UNPROCESSABLE_ENTITY, {"message": behaviour.refuse})
        else:
            self._keep(key, content, before - behaviour.drop - behaviour.fail, behaviour)

    def _keep(self, key: str, content: bytes, before: int, behaviour: RegistryBehaviour) -> None:
        media_type = self.headers.get("Content-Type", "application/octet-stream")
        try:
            report, is_new = self.server.received.receive(key, media_type, content)
        except OtherContentError:
            self._answer(HTTPStatus.CONFLICT, {"message": "Something else was received under this key."})
            return
        time.sleep(behaviour.delay_seconds)
        if before < behaviour.lose:
            self._hang_up()
        elif before < behaviour.lose + behaviour.fail_after:
            self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, {"message": "It fails, as it was told to."})
        else:
            self._answer(
                HTTPStatus.CREATED if is_new else HTTPStatus.OK, report.shown(self.server.received.clock())
            )

    def _decide(self, key: str, content: bytes) -> None:
        try:
            said = json.loads(content)
            status, reason = said["status"], said.get("reason")
        except (ValueError, TypeError, KeyError, AttributeError):
            status, reason = None, None
        if status not in {ACCEPTED, REJECTED} or not isinstance(reason, str | None):
            message = f"A decision has a status of {ACCEPTED} or {REJECTED}, and may have a reason."
            self._answer(HTTPStatus.BAD_REQUEST, {"message": message})
        elif (report := self.server.received.decide(key, status, reason)) is None:
            self._answer(HTTPStatus.NOT_FOUND, {"message": "Nothing is known under this key."})
        else:
            self._answer(HTTPStatus.OK, report.shown(self.server.received.clock()))

    def _path(self) -> tuple[str, ...]:
        return tuple(filter(None, urlsplit(self.path).path.split("/")))

    def _may(self) -> bool:
        """Whether the caller has proved who it is, where that is asked for."""
        token = self.server.token
        if token is None or self.headers.get("Authorization") == f"Bearer {token}":
            return True
        self._answer(HTTPStatus.UNAUTHORIZED, {"message": "The token is not the one of this registry."})
        return False

    def _content(self) -> bytes | None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > CONTENT_BYTES_MAX:
            self.close_connection = True
            self._answer(HTTPStatus.LENGTH_REQUIRED, {"message": "A body says how long it is, up to 64 MB."})
            return None
        return self.rfile.read(int(length))

    def _hang_up(self) -> None:
        """End the connection without an answer."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _answer(self, status: HTTPStatus, body: dict[str, Any]) -> None:
        self._send(status, "application/json", json.dumps(body).encode())

    def _send(self, status: HTTPStatus, media_type: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
