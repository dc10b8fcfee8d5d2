"""What traces cost: a list read over 4 connections, without traces, with 1 % and with all sent.

The collector is a thread of this program that takes all; where it is away, its port is closed. One API
process, rounds by turns; without traces it is asked twice, which shows what differences are noise.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from service import Line, Service, median, now, service

ROUNDS = 5
SECONDS = 1.0
CONNECTIONS = 4
PATH = "/projects"


class Taking(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def collector() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Taking) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1/traces"
        server.shutdown()


@contextmanager
def traced(url: str | None, percent: int) -> Iterator[Service]:
    told = {} if url is None else {"WEIGHBRIDGE_TRACES_URL": url, "WEIGHBRIDGE_TRACES_PERCENT": str(percent)}
    os.environ.update(told)
    with service() as running:
        for name in told:
            del os.environ[name]  # the next service is told what it is told
        yield running


def rate(running: Service) -> float:
    """Requests a second."""
    counts = [0] * CONNECTIONS
    until = now() + SECONDS

    def ask(place: int) -> None:
        line = Line(running, "GET", PATH, b"")
        while now() < until:
            status, _ = line.send()
            assert status == 200
            counts[place] += 1
        line.close()

    threads = [threading.Thread(target=ask, args=(place,)) for place in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / SECONDS


def main() -> None:
    with ExitStack() as open_, collector() as url:
        services = {
            "without traces": open_.enter_context(traced(None, 0)),
            "without traces, again": open_.enter_context(traced(None, 0)),
            "1 % sent": open_.enter_context(traced(url, 1)),
            "all sent": open_.enter_context(traced(url, 100)),
            "all, collector away": open_.enter_context(traced("http://127.0.0.1:9/v1/traces", 100)),
        }
        found: dict[str, list[float]] = {name: [] for name in services}
        for _ in range(ROUNDS):
            for name, running in services.items():
                found[name].append(rate(running))
    base = median(found["without traces"])
    for name, rates in found.items():
        print(f"{name:24} {median(rates):8.0f} requests a second  {median(rates) / base:6.2f}")


if __name__ == "__main__":
    main()
