"""What each index and constraint of `events` costs an ingest, and what each step of the service costs.

The same rows go by COPY text into a copy of the table from which one thing after the other was taken; the
difference to the whole table is what that thing costs. Every figure is the median of several rounds that
take turns, in microseconds for each event, and stands beside its share of the whole.
"""

import json
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import psycopg
from service import median, now

from weighbridge.collection.intake.checking import (
    COPY_EVENTS,
    EventSchema,
    EventVocabulary,
    copy_text,
    take_in,
)
from weighbridge.collection.measurements.values import ValueColumn
from weighbridge.collection.records.events import NewEventsBody
from weighbridge.db.embedded.instance import server
from weighbridge.db.migration import migrate
from weighbridge.db.statements import canonical_sha256

EVENTS = 20_000
BATCH = 1000
ROUNDS = 7
SLUGS = ("energy", "flow", "pressure", "temperature", "moisture")
START = datetime(2025, 1, 1, tzinfo=UTC)

WITHOUT = {
    "index by type and time": "DROP INDEX events_of_type",
    "index by time": "DROP INDEX events_by_time",
    "indexes of long and of incomplete events": "DROP INDEX events_long, events_incomplete",
    "primary key": "ALTER TABLE events DROP CONSTRAINT events_pkey CASCADE",
    "index by location": "DROP INDEX events_of_location",
    "index by change": "DROP INDEX events_by_change",
    "trigger for event types and their counts": "ALTER TABLE events DISABLE TRIGGER events_types_on_insert",
    "trigger for locations": "ALTER TABLE events DISABLE TRIGGER events_locations_on_insert",
    "check of finite numbers": "ALTER TABLE events DROP CONSTRAINT events_numbers_are_finite",
}


def main() -> None:
    rows, body, known = _prepare()
    with tempfile.TemporaryDirectory(prefix="weighbridge-bench-") as folder, server(Path(folder)) as url:
        migrate(url)
        _plant(url)
        taken: dict[str, list[float]] = {name: [] for name in ("everything", *WITHOUT)}
        for _ in range(ROUNDS):
            for name, statement in [("everything", "SELECT 1"), *WITHOUT.items()]:
                taken[name].append(_copy(url, rows, statement))
    whole = median(taken["everything"])
    print(f"COPY into the table as it is: {whole:.1f} µs an event (median of {ROUNDS})")
    for name in WITHOUT:
        cost = whole - median(taken[name])
        print(f"  {name}: {cost:.1f} µs, {cost / whole:.0%}")
    print("steps of the service in Python, for one event of a request of 1,000:")
    decoder = msgspec.json.Decoder(NewEventsBody, float_hook=Decimal)
    asked = decoder.decode(body)
    for name, step in {
        "reading the JSON": lambda: decoder.decode(body),
        "checking and writing the row": lambda: copy_text(
            take_in(asked.events, range(BATCH), known, "events").rows
        ),
        "digest for the audit row": lambda: canonical_sha256(asked),
    }.items():
        cost = median([_timed(step) for _ in range(ROUNDS)])
        print(f"  {name}: {cost:.1f} µs, {cost / whole:.0%} of the COPY")


def _timed(step: Callable[[], Any]) -> float:
    started = now()
    step()
    return (now() - started) / BATCH * 1e6


def _prepare() -> tuple[list[str], bytes, EventVocabulary]:
    events = [
        {
            "event_type": "reading",
            "start_time": (START + timedelta(minutes=index)).isoformat(),
            "end_time": (START + timedelta(minutes=index + 1)).isoformat(),
            "locations": [{"id": "here"}],
            "data_points": [{"slug": slug, "value": index / 8} for slug in SLUGS],
        }
        for index in range(EVENTS)
    ]
    slots = {slug: ValueColumn(place, "number") for place, slug in enumerate(SLUGS, start=1)}
    template = EventSchema(1, slots, len(SLUGS), frozenset(SLUGS), 1, requires_tracking_id=False)
    known = EventVocabulary(1, {"reading": template}, {"here": 1}, {})
    decoder = msgspec.json.Decoder(NewEventsBody, float_hook=Decimal)
    rows = []
    for offset in range(0, EVENTS, BATCH):
        part = decoder.decode(json.dumps({"events": events[offset : offset + BATCH]}).encode())
        rows.append(copy_text(take_in(part.events, range(offset, offset + BATCH), known, "events").rows))
    return rows, json.dumps({"events": events[:BATCH]}).encode(), known


def _plant(url: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("INSERT INTO accounts (name) VALUES ('bench')")
        connection.execute("INSERT INTO projects (account_id, name) VALUES (1, 'bench')")
        connection.execute(
            "INSERT INTO event_types (project_id, slug, name) VALUES (1, 'reading', 'Reading')"
        )
        connection.execute("INSERT INTO locations (project_id, name) VALUES (1, 'here')")


def _copy(url: str, rows: list[str], statement: str) -> float:
    """Time the rows into the changed table, all in one transaction that is taken back."""
    with psycopg.connect(url) as connection:
        connection.execute(statement)  # type: ignore[arg-type]
        started = now()
        for part in rows:
            with connection.cursor() as cursor, cursor.copy(COPY_EVENTS) as copy:
                copy.write(part)
        taken = (now() - started) / EVENTS * 1e6
        connection.rollback()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM events")
    return taken


if __name__ == "__main__":
    main()
