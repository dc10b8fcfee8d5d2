"""Small requests against bare statements: one event posted, and a page of events read.

POST: one event with 5 data points for each request, every check and the audit row, two API processes, over
one connection and over 16. Baseline: a transaction that inserts the same two rows and commits, by psycopg
over one connection, and by asynchronous psycopg over 16.

GET: a page of 20 events with their data points, two API processes, 16 connections. Baseline: asynchronous
psycopg with 16 connections that runs the same statements and drops the rows.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from http.client import HTTPConnection
from itertools import count
from typing import Any

import psycopg
from psycopg.types.json import Jsonb
from service import Line, Service, median, now, send, service

SLUGS = ("energy", "flow", "pressure", "temperature", "moisture")
ROUNDS = 5
POST_SECONDS = 2
CONNECTIONS = 16
GET_SECONDS = 3
POST_GOAL = 0.5
GET_GOAL = 0.35
STORED = 5000
START = datetime(2025, 1, 1, tzinfo=UTC)
INSERT_EVENT = """
    INSERT INTO events
        (project_id, id, event_type_id, start_time, end_time, location_ids, numbers, is_complete)
    VALUES (%s, %s, %s, %s, %s, '{1}', %s, true)
"""
INSERT_AUDIT = """
    INSERT INTO audit_log (account_id, project_id, user_id, token_id, request_id, action, object, after)
    VALUES (1, %s, 1, 1, 'bench', 'event.create', 'bench', %s)
"""


def main() -> None:
    with service(api_processes=2) as running:
        project = running.call("POST", "/projects", {"project": {"name": "Bench"}})
        types = [{"name": slug, "slug": slug, "value_type": "number"} for slug in SLUGS]
        event_type = {"name": "Reading", "slug": "reading", "data_point_types": types}
        kind = running.call("POST", f"/projects/{project['id']}/event_types", {"event_type": event_type})
        place = running.call("POST", f"/projects/{project['id']}/locations", {"location": {"name": "Stack"}})
        number = kind["data_point_types"][0]["nexus_event_type_id"]
        path = f"/projects/{project['id']}/events"
        _fill(running, path, place["id"])
        _gets(running, path, project["numeric_id"], number)
        _posts(running, path, place["id"], project["numeric_id"], number)


def _event(index: int, place: str) -> dict:
    start = START + timedelta(minutes=index)
    return {
        "event_type": "reading",
        "start_time": start.isoformat(),
        "end_time": (start + timedelta(minutes=1)).isoformat(),
        "locations": [{"id": place}],
        "data_points": [{"slug": slug, "value": 11.898} for slug in SLUGS],
    }


def _fill(running: Service, path: str, place: str) -> None:
    for offset in range(0, STORED, 1000):
        running.call("POST", path, {"events": [_event(offset + index, place) for index in range(1000)]})


def _posts(running: Service, path: str, place: str, project: int, event_type: int) -> None:
    body = json.dumps({"event": _event(0, place)}).encode()
    numbers = count(10**12)
    rows = ((_event_row(project, event_type, number), _audit_row(project, number)) for number in numbers)
    for connections in (1, CONNECTIONS):
        ratios = []
        for round_number in range(1, ROUNDS + 1):
            ours = _service_posts(running, path, body, connections)
            if connections == 1:
                bare = _bare_posts(running.database_url, rows)
            else:
                bare = asyncio.run(_bare_posts_at_once(running.database_url, rows))
            ratios.append(ours / bare)
            print(
                f"POST over {connections}, round {round_number}: "
                f"service {ours:,.0f}/s, bare {bare:,.0f}/s, ratio {ours / bare:.2f}"
            )
        print(
            f"single POST over {connections}: median ratio {median(ratios):.2f} of a bare transaction "
            f"(goal: at least {POST_GOAL})"
        )


def _event_row(project: int, event_type: int, number: int) -> tuple:
    values = [Decimal("11.898")] * len(SLUGS)
    return project, number, event_type, START, START + timedelta(minutes=1), values


def _audit_row(project: int, number: int) -> tuple:
    return project, Jsonb({"id": number})


def _service_posts(running: Service, path: str, body: bytes, connections: int) -> float:
    lines = [Line(running, "POST", path, body) for _ in range(connections)]
    posted: list[int] = []
    until = now() + POST_SECONDS

    def work(line: Line) -> None:
        times = 0
        while now() < until:
            status, answer = line.send()
            assert status == 201, answer
            times += 1
        posted.append(times)

    _in_threads(work, lines)
    for line in lines:
        line.close()
    assert len(posted) == connections, "a connection failed"
    return sum(posted) / POST_SECONDS


def _bare_posts(url: str, rows: Iterator[tuple[tuple, tuple]]) -> float:
    until, posted = now() + POST_SECONDS, 0
    with psycopg.connect(url) as connection:
        while now() < until:
            event, audit = next(rows)
            connection.execute(INSERT_EVENT, event)
            connection.execute(INSERT_AUDIT, audit)
            connection.commit()
            posted += 1
    return posted / POST_SECONDS


async def _bare_posts_at_once(url: str, rows: Iterator[tuple[tuple, tuple]]) -> float:
    until = now() + POST_SECONDS

    async def work() -> int:
        posted = 0
        async with await psycopg.AsyncConnection.connect(url) as connection:
            while now() < until:
                event, audit = next(rows)
                await connection.execute(INSERT_EVENT, event)
                await connection.execute(INSERT_AUDIT, audit)
                await connection.commit()
                posted += 1
        return posted

    return sum(await asyncio.gather(*(work() for _ in range(CONNECTIONS)))) / POST_SECONDS


def _gets(running: Service, path: str, project: int, event_type: int) -> None:
    ratios = []
    for number in range(ROUNDS):
        ours, slowest = _service_gets(running, path)
        bare = asyncio.run(_bare_gets(running.database_url, project, event_type))
        ratios.append(ours / bare)
        print(
            f"GET round {number + 1}: service {ours:,.0f}/s, p99 {slowest * 1000:.1f} ms, "
            f"bare {bare:,.0f}/s, ratio {ours / bare:.2f}"
        )
    print(f"GET of a page: median ratio {median(ratios):.2f} of bare statements (goal: at least {GET_GOAL})")


def _service_gets(running: Service, path: str) -> tuple[float, float]:
    taken: list[float] = []
    until = now() + GET_SECONDS

    def work(connection: HTTPConnection) -> None:
        while (started := now()) < until:
            status, answer = send(connection, running.token, "GET", path, None)
            assert status == 200, answer
            taken.append(now() - started)

    _in_threads(work, [running.connect() for _ in range(CONNECTIONS)])
    return len(taken) / GET_SECONDS, sorted(taken)[len(taken) * 99 // 100]


def _in_threads(work: Callable[[Any], None], each: Iterable[Any]) -> None:
    threads = [threading.Thread(target=work, args=(one,)) for one in each]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


async def _bare_gets(url: str, project: int, event_type: int) -> float:
    until = now() + GET_SECONDS

    async def work() -> int:
        count = 0
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
            while now() < until:
                for statement, values in _STATEMENTS:
                    cursor = await connection.execute(statement, [values[name] for name in values])
                    await cursor.fetchall()
                count += 1
        return count

    names = {"project": project, "type": event_type}
    _STATEMENTS[:] = _statements(names)
    return sum(await asyncio.gather(*(work() for _ in range(CONNECTIONS)))) / GET_SECONDS


_STATEMENTS: list = []


def _statements(names: dict[str, int]) -> list:
    project, kind = names["project"], names["type"]
    return [
        ("SELECT id, user_id, permissions FROM api_tokens WHERE secret_hash = %s", {"hash": b"0" * 32}),
        ("SELECT id FROM projects WHERE id = %s AND account_id = %s", {"p": project, "a": 1}),
        (
            """
            SELECT count(*) FROM (SELECT 1 FROM events WHERE project_id = %s AND voided_at IS NULL
                                  LIMIT 10001) AS matching
            """,
            {"p": project},
        ),
        (
            """
            SELECT e.*, t.slug, t.name, f.name FROM events e
              JOIN event_types t ON (t.project_id, t.id) = (e.project_id, e.event_type_id)
              LEFT JOIN feedstocks f ON (f.project_id, f.id) = (e.project_id, e.feedstock_id)
             WHERE e.project_id = %s AND e.voided_at IS NULL ORDER BY e.start_time, e.id LIMIT 20
            """,
            {"p": project},
        ),
        (
            """
            SELECT * FROM data_point_types WHERE project_id = %s AND event_type_id = ANY (%s)
             ORDER BY position
            """,
            {"p": project, "t": [kind]},
        ),
        ("SELECT * FROM locations WHERE project_id = %s AND id = ANY (%s)", {"p": project, "l": [1]}),
    ]


if __name__ == "__main__":
    main()
