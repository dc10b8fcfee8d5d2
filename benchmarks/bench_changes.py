"""How soon a change is told, while a thousand events a second come in, and what its writer pays for webhooks.

LATENCY: two API processes and a worker; a writer for each of 4 connections sends 10 events at a time, on a
schedule that does not wait for slow answers, 1,000 events a second together. One consumer waits by
`GET /changes?wait=30`, one listens to a stream, and a receiver of webhooks is told. The latency of an event
begins when its request was sent, which is before its commit, and ends when the consumer has read it; so it is
more than what passes from the commit. Named bound: 250 ms at p99 for both consumers.

WRITERS: single events over one connection, with no webhook and with 10,000 that have to be told, 100 of them
of the writer's account, all at receivers that nobody serves. Named bound: 0.9 of the rate without them, with
the worker stopped, so that it is the write that is measured; what a worker takes of the same two cores beside
it is printed as well.
"""

import json
import os
import signal
import socket
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import psycopg
from service import Line, Service, descendants, median, send, service

WRITERS = 4
EVENTS_OF_REQUEST = 10
EVENTS_PER_SECOND = 1_000
SECONDS = 15
WARM_SECONDS = 2
BOUND_MS = 250
HOOKS = 10_000
ACCOUNTS = 100
ROUNDS = 5
ROUND_SECONDS = 2
GOAL_OF_WRITERS = 0.9
START = "2025-01-01T00:00:00Z"


class Moments:
    """When each event was sent, answered and told to each consumer."""

    def __init__(self) -> None:
        self.sent: dict[str, float] = {}
        self.answered: dict[str, float] = {}
        self.told: dict[str, dict[str, float]] = {"waiting": {}, "stream": {}, "webhook": {}}
        self.done = threading.Event()


def main() -> None:
    os.environ["WEIGHBRIDGE_OUTGOING_NETWORKS"] = "127.0.0.0/8"
    os.environ["WEIGHBRIDGE_COMPUTING_PROCESSES"] = "0"
    with service(api_processes=2, with_worker=True) as running:
        path, event = _plant(running)
        _latency(running, path, event)
        _writers(running, path, event)


def _plant(running: Service) -> tuple[str, dict[str, Any]]:
    project = running.call("POST", "/projects", {"project": {"name": "Bench"}})
    types = [{"name": slug, "slug": slug, "value_type": "number"} for slug in ("energy", "flow")]
    event_type = {"name": "Reading", "slug": "reading", "data_point_types": types}
    running.call("POST", f"/projects/{project['id']}/event_types", {"event_type": event_type})
    place = running.call("POST", f"/projects/{project['id']}/locations", {"location": {"name": "Stack"}})
    values = [{"slug": slug, "value": 11.898} for slug in ("energy", "flow")]
    event = {"event_type": "reading", "start_time": START, "data_points": values}
    return f"/projects/{project['id']}/events", event | {"locations": [{"id": place["id"]}]}


def _latency(running: Service, path: str, event: dict[str, Any]) -> None:
    moments = Moments()
    begins = time.monotonic() + 1
    with _receiver(moments) as url:
        running.call("POST", "/webhooks", {"webhook": {"url": url, "change_types": ["event"]}})
        consumers = [
            threading.Thread(target=follow, args=(running, moments), daemon=True)
            for follow in (_wait, _listen)
        ]
        writers = [
            threading.Thread(target=_write, args=(running, path, event, begins + index / 100, moments))
            for index in range(WRITERS)
        ]
        for thread in (*consumers, *writers):
            thread.start()
        for thread in writers:
            thread.join()
        deadline = time.monotonic() + 30
        while any(len(told) < len(moments.sent) for told in moments.told.values()):
            assert time.monotonic() < deadline, {name: len(told) for name, told in moments.told.items()}
            time.sleep(0.05)
        moments.done.set()
    rate = len(moments.sent) / (max(moments.answered.values()) - min(moments.sent.values()))
    print(f"{len(moments.sent):,} events came in, {rate:,.0f} a second")
    warm = min(moments.sent.values()) + WARM_SECONDS
    for name, told in moments.told.items():
        bound = BOUND_MS if name != "webhook" else None
        _tell(name, [(told[one] - sent) * 1000 for one, sent in moments.sent.items() if sent > warm], bound)
        after = [(told[one] - at) * 1000 for one, at in moments.answered.items() if at > warm]
        _tell(f"{name}, from the writer's answer", after, None)


def _tell(name: str, milliseconds: list[float], bound: int | None) -> None:
    found = sorted(milliseconds)
    p50, p99, worst = found[len(found) // 2], found[int(len(found) * 0.99)], found[-1]
    said = f"told to {name}: p50 {p50:.0f} ms, p99 {p99:.0f} ms, worst {worst:.0f} ms"
    if bound is not None:
        said += f"   bound {bound} ms at p99: {'met' if p99 <= bound else 'MISSED'}"
    print(said)


def _write(running: Service, path: str, event: dict[str, Any], begins: float, moments: Moments) -> None:
    body = json.dumps({"events": [event] * EVENTS_OF_REQUEST}).encode()
    line = Line(running, "POST", path, body)
    pause = EVENTS_OF_REQUEST * WRITERS / EVENTS_PER_SECOND
    for index in range(int(SECONDS / pause)):
        due = begins + index * pause
        time.sleep(max(0.0, due - time.monotonic()))
        status, answer = line.send()
        now = time.monotonic()
        assert status == 201, answer
        for made in json.loads(answer)["data"]:
            moments.answered[made["id"]] = now
            moments.sent[made["id"]] = due
    line.close()


def _wait(running: Service, moments: Moments) -> None:
    connection = running.connect()
    query = "/changes?kind=event&page_size=1000"
    cursor = json.loads(send(connection, running.token, "GET", query + "&after=latest", None)[1])["cursor"]
    while not moments.done.is_set():
        _, answer = send(connection, running.token, "GET", f"{query}&wait=5&after={cursor}", None)
        now = time.monotonic()
        page = json.loads(answer)
        cursor = page["cursor"]
        for change in page["data"]:
            moments.told["waiting"][change["id"]] = now


def _listen(running: Service, moments: Moments) -> None:
    connection = socket.create_connection((running.host, running.port))
    head = (
        f"GET /api/v1/changes?kind=event HTTP/1.1\r\nHost: {running.host}:{running.port}\r\n"
        f"Authorization: Bearer {running.token}\r\nAccept: text/event-stream\r\n\r\n"
    )
    connection.sendall(head.encode())
    left = b""
    while not moments.done.is_set():
        received = connection.recv(262_144)
        now = time.monotonic()
        *lines, left = (left + received).split(b"\n")
        for line in lines:
            if line.startswith(b"data: "):
                moments.told["stream"][json.loads(line[6:])["id"]] = now


@contextmanager
def _receiver(moments: Moments) -> Any:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["content-length"]))
            now = time.monotonic()
            for one in json.loads(content)["data"]["ids"]:
                moments.told["webhook"][one] = now
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()


def _writers(running: Service, path: str, event: dict[str, Any]) -> None:
    with psycopg.connect(running.database_url, autocommit=True) as connection:
        connection.execute("DELETE FROM webhooks")
        worker = _worker_of(running.process.pid)
        os.kill(worker, signal.SIGSTOP)
        try:
            without = median([_rate(running, path, event) for _ in range(ROUNDS)])
            _hooks(connection)
            with_hooks = median([_rate(running, path, event) for _ in range(ROUNDS)])
        finally:
            os.kill(worker, signal.SIGCONT)
        beside = median([_rate(running, path, event) for _ in range(ROUNDS)])
    ratio = with_hooks / without
    print(f"writes: {without:,.0f}/s without webhooks, {with_hooks:,.0f}/s with {HOOKS:,}")
    print(
        f"with them: {ratio:.2f}   bound {GOAL_OF_WRITERS}: {'met' if ratio >= GOAL_OF_WRITERS else 'MISSED'}"
    )
    print(f"beside a worker that delivers to all of them on the same cores: {beside:,.0f}/s")


def _rate(running: Service, path: str, event: dict[str, Any]) -> float:
    line = Line(running, "POST", path, json.dumps({"event": event}).encode())
    begun, count = time.monotonic(), 0
    while time.monotonic() - begun < ROUND_SECONDS:
        status, answer = line.send()
        assert status == 201, answer
        count += 1
    line.close()
    return count / (time.monotonic() - begun)


def _hooks(connection: psycopg.Connection[Any]) -> None:
    connection.execute(
        "INSERT INTO accounts (name) SELECT 'a' || n FROM generate_series(2, %s) n", (ACCOUNTS,)
    )
    connection.execute(
        "INSERT INTO users (account_id, email, name) SELECT id, 'a@a', 'a' FROM accounts a"
        " WHERE NOT EXISTS (SELECT FROM users u WHERE u.account_id = a.id)"
    )
    connection.execute(
        "INSERT INTO webhooks (account_id, url, change_types, task_types, user_id)"
        " SELECT u.account_id, 'http://127.0.0.1:1/', '{event}', '{}', min(u.id)"
        "   FROM users u CROSS JOIN generate_series(1, %s) GROUP BY u.account_id, generate_series",
        (HOOKS // ACCOUNTS,),
    )
    connection.execute(
        "INSERT INTO webhook_lanes (webhook_id, next_number) SELECT w.id, 1 + coalesce("
        "(SELECT max(number) FROM changes c WHERE c.account_id = w.account_id), 0) FROM webhooks w"
    )
    connection.execute("ANALYZE webhooks, webhook_lanes")


def _worker_of(supervisor: int) -> int:
    for child in descendants(supervisor):
        with suppress(OSError):
            if Path(f"/proc/{child}/cmdline").read_text().rstrip("\0").endswith("worker"):
                return child
    raise AssertionError("the service has a worker")


if __name__ == "__main__":
    main()
