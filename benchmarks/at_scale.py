"""One project of a hundred million events beside one of a million, on one machine: `make scale`.

Three projects hold a year each: of a million events, of a tenth of EVENTS and of EVENTS, with five numbers in
each, put in by COPY into the product's own table with its triggers; indexes but the keys are made when all is
in, as a restored database has it. Then, in each: requests of 500 events over HTTP with every index there,
pages of lists, and a generation of twelve monthly batches with full lineage. Ratios are those to the project
of a million; of generation also that of EVENTS to its tenth, for which the goal is 10.5 at most. Figures for
tools/sizing.yaml are printed at the end. A hundred million events take 40 GB of disk, a third as much again
while they are put in, and more than an hour on two cores.

    python benchmarks/at_scale.py [EVENTS]
"""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

import psycopg
from bench_generation import MODEL, SLUGS
from service import Service, median, now, send, service

EVENTS: Final = 100_000_000
SMALL: Final = 1_000_000
YEAR: Final = timedelta(days=365)
START: Final = datetime(2025, 1, 1, tzinfo=UTC)
ROWS_OF_A_COPY: Final = 200_000
ROWS_OF_A_BLOCK: Final = 2000
BYTES_FOR_EACH: Final = 600
"""Disk that a load must find free for each event: row, indexes, and the server's log on the way."""
REQUESTS: Final = 40
EVENTS_PER_REQUEST: Final = 500
TIMES: Final = 15
WARM: Final = 6
GENERATIONS: Final = 2
POLL_SECONDS: Final = 0.1
TEN_TIMES_GOAL: Final = 10.5
LISTS_GOAL: Final = 1.3
_COPY: Final = (
    "COPY events (project_id, id, event_type_id, start_time, end_time, numbers, is_complete) FROM STDIN"
)


@dataclass(frozen=True)
class Plant:
    """A project with its events."""

    events: int
    id: str
    number: int
    type: str
    load_seconds: float


def main() -> None:
    events = int(sys.argv[1]) if sys.argv[1:] else EVENTS
    free = shutil.disk_usage(tempfile.gettempdir()).free
    assert free > events * BYTES_FOR_EACH, (
        f"{events:,} events need {events * BYTES_FOR_EACH / 1e9:.0f} GB of disk"
    )
    sizes = sorted({SMALL, events // 10, events})
    with service(api_processes=1, with_worker=True) as running:
        plants = _loaded(running, sizes)
        each = _bytes_for_each(running)
        rates = [_ingest(running, plant) for plant in plants]
        for plant, rate in zip(plants, rates, strict=True):
            print(f"{plant.events:,}: ingest {rate:,.0f} events/s, ratio {rate / rates[0]:.2f}", flush=True)
        _lists(running, plants)
        taken = [generated(running, plant) for plant in plants]
        for plant, seconds in zip(plants, taken, strict=True):
            times = plant.events / plants[0].events
            print(f"{plant.events:,}: generation {seconds:.2f} s for {times:.0f} times the data, "
                  f"ratio {seconds / taken[0]:.1f}", flush=True)  # fmt: skip
        tenfold = taken[-1] / taken[-2]
        print(f"ten times the data costs {tenfold:.1f} times in generation (goal: at most {TEN_TIMES_GOAL})")
        load = plants[-1].events / plants[-1].load_seconds
        print(
            f"measured: {{events: {events}, bytes_per_event: {each:.0f}, values_per_event: {len(SLUGS)}, "
            f"ingest_events_per_second: {rates[-1]:.0f}, copy_events_per_second: {load:.0f}, "
            f"generation_events_per_second: {events / taken[-1]:.0f}}}"
        )


def _loaded(running: Service, sizes: list[int]) -> list[Plant]:
    with psycopg.connect(running.database_url, autocommit=True) as connection:
        connection.execute("SET synchronous_commit = off; SET maintenance_work_mem = '512MB'")
        connection.execute("ALTER TABLE events SET (autovacuum_enabled = false)")
        later = connection.execute(
            "SELECT indexname, indexdef FROM pg_indexes"
            " WHERE tablename = 'events' AND indexdef LIKE 'CREATE INDEX%'"
        ).fetchall()
        for name, _ in later:
            connection.execute(f"DROP INDEX {name}")
        plants = [
            plant_of(running, connection, size, 10**10 * (place + 1)) for place, size in enumerate(sizes)
        ]
        started = now()
        for name, definition in later:
            connection.execute(definition)
            print(f"index {name} after {now() - started:.0f} s", flush=True)
        connection.execute("VACUUM ANALYZE events")
        print(f"{sum(sizes):,} events: indexes and statistics in {now() - started:.0f} s", flush=True)
    return plants


def plant_of(running: Service, connection: psycopg.Connection[Any], count: int, first: int) -> Plant:
    """A project with so many events, numbered from the first on, put in by COPY."""
    project = running.call("POST", "/projects", {"project": {"name": f"{count:,}"}})
    types = [{"name": slug, "slug": slug, "value_type": "number"} for slug in SLUGS]
    body = {
        "name": "Reading", "slug": "reading", "expected_locations": "none", "reusable_in_batches": True,
        "data_point_types": types,
    }  # fmt: skip
    kind = running.call("POST", f"/projects/{project['id']}/event_types", {"event_type": body})
    number = kind["data_point_types"][0]["nexus_event_type_id"]
    started = now()
    for begin in range(0, count, ROWS_OF_A_COPY):
        end = min(count, begin + ROWS_OF_A_COPY)
        with connection.cursor() as cursor, cursor.copy(_COPY) as copy:
            for block in _blocks(project["numeric_id"], number, first, count, range(begin, end)):
                copy.write(block)
    seconds = now() - started
    print(f"{count:,} events by COPY in {seconds:.0f} s, {count / seconds:,.0f} events/s", flush=True)
    return Plant(count, project["id"], project["numeric_id"], kind["id"], seconds)


def _blocks(project: int, kind: int, first: int, count: int, rows: range) -> Iterator[str]:
    """Rows as COPY reads them: so many seconds after the start of 2025, to the millisecond."""
    step = int(YEAR.total_seconds() * 1000) // count
    for at in range(rows.start, rows.stop, ROWS_OF_A_BLOCK):
        yield "".join(
            f"{project}\t{first + n}\t{kind}\t{_text(n * step)}\t{_text((n + 1) * step)}"
            f"\t{{{n % 977}.898,0.32663,1018.7,{n % 613}.125,83.675}}\tt\n"
            for n in range(at, min(rows.stop, at + ROWS_OF_A_BLOCK))
        )


_DAYS: Final = [f"{START + timedelta(days=day):%Y-%m-%d}" for day in range(367)]


def _text(milliseconds: int) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    day, seconds = divmod(seconds, 86_400)
    return f"{_DAYS[day]} {seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{rest:03d}Z"


def _bytes_for_each(running: Service) -> float:
    with psycopg.connect(running.database_url) as connection:
        row = connection.execute(
            "SELECT pg_table_size('events'), pg_indexes_size('events'), count(*) FROM events"
        ).fetchone()
    assert row is not None
    print(f"bytes for each event: row {row[0] / row[2]:.0f}, indexes {row[1] / row[2]:.0f}", flush=True)
    return float((row[0] + row[1]) / row[2])


def _ingest(running: Service, plant: Plant) -> float:
    """Events for each second over one connection, of the median request."""
    connection = running.connect()
    taken = []
    for request in range(REQUESTS):
        moment = START + YEAR + timedelta(hours=request)
        events = [
            {
                "event_type": "reading",
                "start_time": f"{moment + timedelta(seconds=n):%Y-%m-%dT%H:%M:%SZ}",
                "end_time": f"{moment + timedelta(seconds=n + 1):%Y-%m-%dT%H:%M:%SZ}",
                "data_points": [{"slug": slug, "value": 11.25 + n} for slug in SLUGS],
            }
            for n in range(EVENTS_PER_REQUEST)
        ]
        body = json.dumps({"events": events}).encode()
        started = now()
        status, answer = send(connection, running.token, "POST", f"/projects/{plant.id}/events", body)
        taken.append(now() - started)
        assert status == 201, answer
    return EVENTS_PER_REQUEST / median(taken[WARM:])


def _lists(running: Service, plants: list[Plant]) -> None:
    connection = running.connect()
    worst = 0.0
    for name, query in _PAGES.items():
        noun, _, _ = name.partition(",")
        targets = [f"/projects/{plant.id}/{noun.replace(' ', '_')}?{urlencode(query)}" for plant in plants]
        taken: list[list[float]] = [[] for _ in targets]
        for turn in range(WARM + TIMES):
            for of_target, target in zip(taken, targets, strict=True):
                started = now()
                status, answer = send(connection, running.token, "GET", target, None)
                if turn >= WARM:
                    of_target.append(now() - started)
                assert status == 200, answer
        medians = [median(one) * 1000 for one in taken]
        worst = max(worst, medians[-1] / medians[0])
        shown = ", ".join(f"{one:.2f}" for one in medians)
        print(f"{name}: {shown} ms, ratio {medians[-1] / medians[0]:.2f}", flush=True)
    print(f"lists: worst ratio {worst:.2f} (goal: at most {LISTS_GOAL})", flush=True)


def generated(running: Service, plant: Plant) -> float:
    """The seconds of the quicker of two generations, each on a model and ledger of its own."""
    found = []
    for turn in range(GENERATIONS):
        model = running.call("POST", "/models", {"model": {"project_id": plant.id, "yaml": MODEL}})
        ledger = {"name": f"Energy {turn}", "unit": "1", "model_id": model["id"]}
        made = running.call("POST", f"/projects/{plant.id}/ledgers", {"ledger": ledger})
        asked = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2026-01-01T00:00:00Z"}
        task = running.call("POST", f"/ledgers/{made['id']}/batch_generations", asked)
        while task["state"] not in {"complete", "failed"}:
            time.sleep(POLL_SECONDS)
            task = running.call("GET", f"/async_tasks/{task['id']}")
        assert task["state"] == "complete", task
        created, finished = (datetime.fromisoformat(task[name]) for name in ("created_at", "finished_at"))
        found.append((finished - created).total_seconds())
    return min(found)


_MIDDLE: Final = "2025-07-01T00:00:00Z"
_PAGES: Final = {
    "events, all": {},
    "events, of a type": {"filter[slug]": "reading"},
    "events, from a time": {"filter[start_time][geq]": _MIDDLE},
    "events, until a time": {"filter[start_time][leq]": _MIDDLE, "sort": "-start_time"},
    "events, newest": {"sort": "-start_time"},
    "events, by id": {"sort": "id"},
    "events, by change": {"sort": "-updated_at"},
    "events, page at row 10,000": {"page": "499"},
    "data points, all": {},
    "data points, of a slug from a time": {"slug": "flow", "start_time": _MIDDLE},
    "data points, newest": {"sort": "-start_time"},
}

if __name__ == "__main__":
    main()
