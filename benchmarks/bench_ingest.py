"""Bulk ingest over HTTP against a bare script that writes the same rows.

Service: one API process; requests of 1,000 events with 5 number data points, every check, the audit row,
one durable commit each. Baseline: psycopg holding the same events as ready tuples, binary COPY row by row
(`write_row`) into the same table of the same server, one commit per 1,000.
"""

import json
import threading
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from queue import Empty, Queue

import psycopg
from service import Service, median, now, send, service

EVENTS_PER_REQUEST = 1000
REQUESTS = 60
ROUNDS = 5
CONNECTIONS = 2
GOAL = 0.65
START = datetime(2025, 1, 1, tzinfo=UTC)
SLUGS = ("energy", "flow", "pressure", "temperature", "moisture")


def main() -> None:
    with service(api_processes=1) as running:
        project = running.call("POST", "/projects", {"project": {"name": "Bench"}})
        types = [{"name": slug, "slug": slug, "value_type": "number"} for slug in SLUGS]
        event_type = {"name": "Reading", "slug": "reading", "data_point_types": types}
        kind = running.call("POST", f"/projects/{project['id']}/event_types", {"event_type": event_type})
        place = running.call("POST", f"/projects/{project['id']}/locations", {"location": {"name": "Stack"}})
        bodies = [_body(request, place["id"]) for request in range(REQUESTS)]
        number = kind["data_point_types"][0]["nexus_event_type_id"]
        rates: list[tuple[float, float]] = []
        _over_http(running, project["id"], bodies[:10])
        for round_number in range(ROUNDS):
            ours = _over_http(running, project["id"], bodies)
            bare = _bare(running.database_url, project["numeric_id"], number, round_number)
            rates.append((ours, bare))
            print(
                f"round {round_number + 1}: service {ours:,.0f} events/s, bare COPY {bare:,.0f} events/s, "
                f"ratio {ours / bare:.2f}"
            )
    ratio = median([ours / bare for ours, bare in rates])
    print(f"ingest: median ratio {ratio:.2f} of bare binary COPY (goal: at least {GOAL})")


def _body(request: int, place: str) -> bytes:
    events = [
        {
            "event_type": "reading",
            "start_time": _text(_moment(request * EVENTS_PER_REQUEST + index)),
            "end_time": _text(_moment(request * EVENTS_PER_REQUEST + index + 1)),
            "locations": [{"id": place}],
            "data_points": [
                {"slug": slug, "value": float(value)}
                for slug, value in zip(SLUGS, _values(index), strict=True)
            ],
        }
        for index in range(EVENTS_PER_REQUEST)
    ]
    return json.dumps({"events": events}).encode()


def _over_http(running: Service, project: str, bodies: list[bytes]) -> float:
    queue: Queue[bytes] = Queue()
    for body in bodies:
        queue.put(body)

    def work() -> None:
        connection = running.connect()
        while True:
            try:
                body = queue.get_nowait()
            except Empty:
                return
            status, answer = send(connection, running.token, "POST", f"/projects/{project}/events", body)
            assert status == 201, answer

    threads = [threading.Thread(target=work) for _ in range(CONNECTIONS)]
    started = now()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(bodies) * EVENTS_PER_REQUEST / (now() - started)


def _bare(url: str, project: int, event_type: int, round_number: int) -> float:
    first = 10**12 + round_number * REQUESTS * EVENTS_PER_REQUEST
    rows = [
        (project, first + index, event_type, _moment(index), _moment(index + 1), None, None, None, None, [1],
         list(_values(index % EVENTS_PER_REQUEST)), [], [], True)
        for index in range(REQUESTS * EVENTS_PER_REQUEST)
    ]  # fmt: skip
    with psycopg.connect(url) as connection:
        started = now()
        for offset in range(0, len(rows), EVENTS_PER_REQUEST):
            with connection.cursor() as cursor, cursor.copy(_COPY) as copy:
                copy.set_types(_TYPES)
                for row in rows[offset : offset + EVENTS_PER_REQUEST]:
                    copy.write_row(row)
            connection.commit()
        return len(rows) / (now() - started)


def _moment(index: int) -> datetime:
    return START + timedelta(minutes=index)


def _text(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def _values(index: int) -> tuple[Decimal, ...]:
    return (
        Decimal("11.898") + index,
        Decimal("0.32663"),
        Decimal("1018.7"),
        Decimal(index) / 8,
        Decimal("83.675"),
    )


_COPY = """
    COPY events (project_id, id, event_type_id, start_time, end_time, tracking_id, feedstock_id,
                 client_reference, notes, location_ids, numbers, texts, booleans, is_complete)
    FROM STDIN (FORMAT BINARY)
"""
_TYPES = [
    "int4", "int8", "int4", "timestamptz", "timestamptz", "text", "int4", "text", "text", "int4[]",
    "numeric[]", "text[]", "bool[]", "bool",
]  # fmt: skip

if __name__ == "__main__":
    main()
