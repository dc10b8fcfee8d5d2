"""The service beside a conventional one of the same job, in one run and on one PostgreSQL server.

The peer is `peer_service.py`: FastAPI and the async ORM of SQLAlchemy, one process, 16 connections.
Ours is one API process with its tokens, audit rows and checks. Both hold the same events; the two are asked
in turns, over 16 connections where records are read and over one where events are posted. First just loaded,
then after ANALYZE. A figure is the ratio of requests a second, of the same question to both; both 99th
percentiles are printed with it.

    python benchmarks/bench_peer.py [SIZE ...]
"""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
from loaded import SLUGS, Loaded, analyse, load
from service import Line, Service, median, now, service

SIZES = (20_000, 1_000_000)
CONNECTIONS = 16
SECONDS = 2
ROUNDS = 3
BULK = 1000
PEER_PORT = 18_431
GOALS = {
    "page of 20 events": 4.0, "page of 20 data points": 3.0, "one event": 3.0, "list of projects": 3.0,
    "single POST": 2.0, "bulk ingest": 30.0,
}  # fmt: skip
_EVENTS = """
    INSERT INTO events (event_type, start_time, end_time, tracking_id)
    SELECT 'reading', moment, moment + interval '1 minute', 'T-' || n / 20
      FROM (SELECT n, '2000-01-01Z'::timestamptz + n * interval '1 minute' AS moment
              FROM generate_series(0, %s - 1) AS n) AS made
"""
_POINTS = """
    INSERT INTO points (event_id, type_id, value, raw_value)
    SELECT e.id, t.id, 11.898 + e.id %% 977, 11.898 + e.id %% 977 FROM events e, point_types t WHERE true
     ORDER BY e.id, t.id
"""


def main() -> None:
    for size in [int(one) for one in sys.argv[1:]] or SIZES:
        with service(api_processes=1) as running:
            ours = load(running, "Plant", size, 10**9)
            with _peer(running, size) as theirs:
                _compare(running, theirs, ours, f"{size:,} events just loaded")
                analyse(running)
                with psycopg.connect(theirs.database_url, autocommit=True) as connection:
                    connection.execute("VACUUM ANALYZE")
                _compare(running, theirs, ours, f"{size:,} events later")
                _posts(running, theirs, ours, size)


@contextlib.contextmanager
def _peer(running: Service, size: int) -> Iterator[Service]:
    """The peer with as many events, in a database of its own on the same server."""
    url = running.database_url.replace("/weighbridge?", "/peer?")
    assert url != running.database_url, running.database_url
    with psycopg.connect(running.database_url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE peer")
    host = url.partition("host=")[2].partition("&")[0]
    user = url.partition("://")[2].partition("@")[0] if "@" in url else ""
    environment = os.environ | {
        "PEER_DATABASE": f"postgresql+asyncpg://{user}{'@' if user else ''}/peer?host={host}",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "uvicorn", "peer_service:app", "--port", str(PEER_PORT),
         "--log-level", "error", "--app-dir", Path(__file__).parent],
        env=environment,
    )  # fmt: skip
    theirs = replace(running, host="127.0.0.1", port=PEER_PORT, database_url=url, process=process)
    try:
        _await(theirs)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("ALTER TABLE events SET (autovacuum_enabled = false)")
            connection.execute("ALTER TABLE points SET (autovacuum_enabled = false)")
            for slug in SLUGS:
                connection.execute("INSERT INTO point_types (slug) VALUES (%s)", (slug,))
            connection.execute("INSERT INTO projects (name, created_at) VALUES ('Plant', now())")
            connection.execute(_EVENTS, (size,))
            connection.execute(_POINTS, ())
        yield theirs
    finally:
        process.terminate()
        process.wait(timeout=30)


def _await(theirs: Service) -> None:
    for _ in range(200):
        try:
            theirs.connect().connect()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError("the peer did not start")


def _compare(running: Service, theirs: Service, ours: Loaded, when: str) -> None:
    inside = f"/api/v1/projects/{ours.id}"
    event = running.call("GET", f"/projects/{ours.id}/events?page_size=1")["data"][0]["id"]
    pairs = {
        "page of 20 events": (f"{inside}/events?sort=-start_time", "/events"),
        "page of 20 data points": (f"{inside}/data_points?sort=-start_time", "/data_points"),
        "one event": (f"{inside}/events/{event}", "/events/1"),
        "list of projects": ("/api/v1/projects", "/projects"),
    }
    for name, (our_path, their_path) in pairs.items():
        _ratio(
            f"{when}: {name}", GOALS[name],
            lambda path=our_path: _rate(running, "GET", path, [b""] * CONNECTIONS),
            lambda path=their_path: _rate(theirs, "GET", path, [b""] * CONNECTIONS),
        )  # fmt: skip


def _posts(running: Service, theirs: Service, ours: Loaded, size: int) -> None:
    one = _event(1)
    many = json.dumps({"events": [_event(number) for number in range(BULK)]}).encode()
    path = f"/api/v1/projects/{ours.id}/events"
    place = ours.tags["location"]
    ours_one = json.dumps({"event": one | {"locations": [{"id": place}]}}).encode()
    placed = [_event(number) | {"locations": [{"id": place}]} for number in range(BULK)]
    ours_many = json.dumps({"events": placed}).encode()
    _ratio(
        f"{size:,} events: single POST", GOALS["single POST"],
        lambda: _rate(running, "POST", path, [ours_one]),
        lambda: _rate(theirs, "POST", "/event", [json.dumps(one).encode()]),
    )  # fmt: skip
    _ratio(
        f"{size:,} events: bulk ingest", GOALS["bulk ingest"],
        lambda: _rate(running, "POST", path, [ours_many] * 2),
        lambda: _rate(theirs, "POST", "/events", [many] * 2),
    )  # fmt: skip


def _event(number: int) -> dict[str, object]:
    start = f"2040-01-01T{number // 60 % 24:02d}:{number % 60:02d}:00Z"
    points = [{"slug": slug, "value": 11.898} for slug in SLUGS]
    return {
        "event_type": "reading",
        "start_time": start,
        "end_time": start,
        "tracking_id": "T",
        "data_points": points,
    }


Measured = tuple[float, float]
"""Requests a second, and the 99th percentile of their times in milliseconds."""


def _ratio(name: str, goal: float, ours: Callable[[], Measured], theirs: Callable[[], Measured]) -> None:
    rounds = [(ours(), theirs()) for _ in range(ROUNDS + 1)][1:]
    ratio = median([mine[0] / other[0] for mine, other in rounds])
    rates = [median([one[which][0] for one in rounds]) for which in (0, 1)]
    slow = [median([one[which][1] for one in rounds]) for which in (0, 1)]
    print(
        f"{name}: {ratio:.2f} times the peer (goal: at least {goal}); {rates[0]:,.0f}/s against "
        f"{rates[1]:,.0f}/s, p99 {slow[0]:.1f} ms against {slow[1]:.1f} ms",
        flush=True,
    )


def _rate(asked: Service, method: str, path: str, bodies: list[bytes]) -> Measured:
    lines = [Line(asked, method, path, body, prefix="") for body in bodies]
    taken: list[float] = []
    began = now()
    until = began + SECONDS

    def work(line: Line) -> None:
        while (started := now()) < until:
            status, answer = line.send()
            assert status in {200, 201}, answer
            taken.append(now() - started)

    threads = [threading.Thread(target=work, args=(line,)) for line in lines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = now() - began
    for line in lines:
        line.close()
    assert taken, "a connection failed"
    return len(taken) / seconds, sorted(taken)[len(taken) * 99 // 100] * 1000


if __name__ == "__main__":
    main()
