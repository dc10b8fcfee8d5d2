"""Receivers of webhooks: servers on this machine that keep what they are sent and answer as they are told."""

import json
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DEADLINE_SECONDS = 30.0
LOCAL = ("127.0.0.0/8",)
"""The networks that a service has to be told of before it sends anything to receivers."""


@dataclass(frozen=True)
class Received:
    """One request as it came."""

    path: str
    headers: dict
    content: bytes
    at: float

    @property
    def event(self):
        return json.loads(self.content)

    @property
    def ids(self):
        return self.event["data"]["ids"]


class _QuietServer(ThreadingHTTPServer):
    """A server that says nothing of senders that were killed."""

    def handle_error(self, *_):
        pass


class Receiver:
    """A server that answers each request by a function: a status, or a status, headers and a body."""

    def __init__(self, answer=lambda _: 200):
        self.received = []
        self.answer = answer
        self._changed = threading.Condition()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                content = self.rfile.read(int(self.headers["content-length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                came = Received(self.path, headers, content, time.time())
                with receiver._changed:
                    receiver.received.append(came)
                    receiver._changed.notify_all()
                answer = receiver.answer(came)
                status, more, body = answer if isinstance(answer, tuple) else (answer, {}, b"")
                self.send_response(status)
                for name, value in more.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = _QuietServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/hooks"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def ids(self):
        """The ids of all records that were told of, in the order in which that came."""
        return [one for came in self.received for one in came.ids]

    def until(self, condition, what):
        """Wait until what was received meets a condition."""
        with self._changed:
            assert self._changed.wait_for(lambda: condition(self.received), DEADLINE_SECONDS), what

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def receiver(answer=lambda _: 200):
    """A receiver, as long as the block lasts."""
    made = Receiver(answer)
    try:
        yield made
    finally:
        made.close()
