"""Bulk ingest through the Python client against the same events as ready bodies.

Service: one API process. Client: `Client.store` from an iterable of plain events with 5 numbers as decimals,
one connection, 5,000 events a request. Baseline: the same events, already JSON, over one kept connection.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from service import Service, median, now, send, service

from weighbridge.client import Client

EVENTS = 60_000
BATCH = 5_000
ROUNDS = 5
GOAL = 0.6
START = datetime(2025, 1, 1, tzinfo=UTC)
SLUGS = ("energy", "flow", "pressure", "temperature", "moisture")


def main() -> None:
    with service(api_processes=1) as running:
        project = running.call("POST", "/projects", {"project": {"name": "Bench"}})
        types = [{"name": slug, "slug": slug, "value_type": "number"} for slug in SLUGS]
        event_type = {"name": "Reading", "slug": "reading", "data_point_types": types}
        running.call("POST", f"/projects/{project['id']}/event_types", {"event_type": event_type})
        place = running.call("POST", f"/projects/{project['id']}/locations", {"location": {"name": "Stack"}})
        bodies = [_body(offset, place["id"]) for offset in range(0, EVENTS, BATCH)]
        _ready(running, project["id"], bodies[:2])
        ratios = []
        for round_number in range(ROUNDS):
            ready = _ready(running, project["id"], bodies)
            ours = _stored(running, project["id"], place["id"])
            ratios.append(ours / ready)
            print(
                f"round {round_number + 1}: client {ours:,.0f} events/s, ready bodies {ready:,.0f} events/s, "
                f"ratio {ours / ready:.2f}"
            )
    print(f"client: median ratio {median(ratios):.2f} of ready bodies (goal: at least {GOAL})")


def _ready(running: Service, project: str, bodies: list[bytes]) -> float:
    connection = running.connect()
    started = now()
    for body in bodies:
        status, answer = send(connection, running.token, "POST", f"/projects/{project}/events", body)
        assert status == 201, answer
    return len(bodies) * BATCH / (now() - started)


def _stored(running: Service, project: str, place: str) -> float:
    with Client(f"http://{running.host}:{running.port}", token=running.token) as client:
        started = now()
        stored = sum(1 for _ in client.store(project, _events(0, EVENTS, place), batch_size=BATCH))
        assert stored == EVENTS
        return stored / (now() - started)


def _events(first: int, after: int, place: str) -> Iterator[dict[str, Any]]:
    for index in range(first, after):
        yield {
            "event_type": "reading",
            "start_time": START + timedelta(minutes=index),
            "locations": [{"id": place}],
            "data_points": [
                {"slug": slug, "value": value} for slug, value in zip(SLUGS, _values(index), strict=True)
            ],
        }


def _values(index: int) -> tuple[Decimal, ...]:
    return (
        Decimal("11.898") + index,
        Decimal("0.32663"),
        Decimal("1018.7"),
        Decimal(index) / 8,
        Decimal("83.675"),
    )


def _body(offset: int, place: str) -> bytes:
    def plain(value: object) -> object:
        return value.isoformat() if isinstance(value, datetime) else float(str(value))

    return json.dumps({"events": list(_events(offset, offset + BATCH, place))}, default=plain).encode()


if __name__ == "__main__":
    main()
