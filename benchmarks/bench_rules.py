"""Data rules: a backfill against bare SQL, what they cost a bulk ingest, and how quick a backlog goes.

Backfill: the time from saving a range rule over 1,000,000 data points, of which 1 % alert on one, to its
finished run: queue, worker, results, audit row. Baseline: one statement that selects the violating rows and
inserts the same results. Ingest: requests of 1,000 events of 5 values to a project with ten automatic rules
and to one without, turn by turn, the worker idle and busy. Backlog: 100,000 events that ten automatic rules
have not seen, against the time that their ingest took. Calibration: a backfill by a rule that adjusts what it
alerts on, 1 % and a tenth of the values.
"""

import asyncio
import json
import threading
import time
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from queue import Empty, Queue

import psycopg
from service import Service, median, now, send, service

from weighbridge.db.engine import Database
from weighbridge.quality.evaluation.incremental import evaluate_changes

EVENTS = 200_000
BACKLOG = 100_000
EVENTS_PER_REQUEST = 1_000
REQUESTS = 60
ROUNDS = 5
CONNECTIONS = 2
BACKFILL_GOAL = 5.0
INGEST_GOAL = 0.95
BACKLOG_GOAL = 1.0
START = datetime(2025, 1, 1, tzinfo=UTC)
SLUGS = ("energy", "flow", "pressure", "temperature", "moisture")
RULES = [
    "{{energy}} not between 0 and 980",
    "{{flow}} < 0",
    "{{pressure}} > 2000",
    "{{temperature}} > 76",
    "{{moisture}} not between 0 and 100",
    "{{energy}} is null or {{flow}} is null",
    "{{pressure}} = {{temperature}}",
    "{{temperature}} < -40",
    "{{moisture}} in (0, 100)",
    "{{flow}} > 1000 and {{energy}} < 1",
]


def main() -> None:
    with service(api_processes=1, with_worker=True) as running:
        _backfill(running)
        _ingest(running, "worker busy")
    with service(api_processes=1) as running:
        _ingest(running, "worker idle")
        _backlog(running)
    with service(api_processes=1, with_worker=True) as running:
        _calibrate(running)


def _backfill(running: Service) -> None:
    project, number, kind = _plant(running, "Backfill")
    _load(running.database_url, number, kind)
    ratios = []
    for round_number in range(ROUNDS):
        started = now()
        run = _save_rule(running, project, "{{energy}} > 977.5", f"range {round_number}")["rule_run_id"]
        while (state := running.call("GET", f"/rule_runs/{run}"))["finished_at"] is None:
            time.sleep(0.01)
        ours = now() - started
        assert (state["evaluated"], state["alerts"]) == (EVENTS, EVENTS // 100), state
        bare = _bare(running.database_url, number, kind)
        ratios.append(ours / bare)
        print(
            f"round {round_number + 1}: backfill {ours:.2f} s, bare SQL {bare:.2f} s, ratio {ratios[-1]:.2f}"
        )
    print(f"backfill: median ratio {median(ratios):.2f} of bare SQL (goal: at most {BACKFILL_GOAL})")


def _calibrate(running: Service) -> None:
    project, number, kind = _plant(running, "Calibration")
    _load(running.database_url, number, kind)
    for expression in ("{{energy}} > 977.5", "{{energy}} between 800 and 900"):
        _calibration(running, project, expression)


def _calibration(running: Service, project: str, expression: str) -> None:
    correction = {"method": "expression", "expression": "{{energy}} * 1.02"}
    started = now()
    saved = _save_rule(
        running, project, expression, f"calibrate {expression}", purpose="adjust", correction=correction
    )
    while (state := running.call("GET", f"/rule_runs/{saved['rule_run_id']}"))["finished_at"] is None:
        time.sleep(0.05)
    print(f"calibration: {state['corrections']:,} of {EVENTS:,} values adjusted in {now() - started:.2f} s")


def _ingest(running: Service, worker: str) -> None:
    watched, _, _ = _plant(running, "Watched")
    plain, _, _ = _plant(running, "Plain")
    for expression in RULES:
        _save_rule(running, watched, expression, expression)
    bodies = [_body(request) for request in range(REQUESTS)]
    _over_http(running, plain, bodies[:10])
    _over_http(running, watched, bodies[:10])
    ratios = []
    for round_number in range(ROUNDS):
        without, with_rules = _over_http(running, plain, bodies), _over_http(running, watched, bodies)
        ratios.append(without / with_rules)
        rate = REQUESTS * EVENTS_PER_REQUEST
        print(
            f"round {round_number + 1}: ingest {rate / without:,.0f} events/s without rules, "
            f"{rate / with_rules:,.0f} with ten, ratio {ratios[-1]:.2f}"
        )
    print(f"ingest, {worker}: median ratio {median(ratios):.2f} (goal: at least {INGEST_GOAL})")


def _backlog(running: Service) -> None:
    project, _, _ = _plant(running, "Backlog")
    for expression in RULES:
        _save_rule(running, project, expression, expression)
    asyncio.run(_work_off(running.database_url))
    took = _over_http(running, project, [_body(request) for request in range(BACKLOG // EVENTS_PER_REQUEST)])
    started = now()
    asyncio.run(_work_off(running.database_url))
    worked = now() - started
    print(f"ingest of {BACKLOG:,} events {took:.2f} s, their backlog for ten rules {worked:.2f} s")
    print(f"backlog: ratio {worked / took:.2f} of the ingest (goal: at most {BACKLOG_GOAL})")


async def _work_off(url: str) -> None:
    async with Database(url, connections_max=2) as database:
        await evaluate_changes(database)


def _plant(running: Service, name: str) -> tuple[str, int, int]:
    project = running.call("POST", "/projects", {"project": {"name": name}})
    types = [{"name": slug, "slug": slug, "value_type": "number"} for slug in SLUGS]
    body = {"name": "Reading", "slug": "reading", "expected_locations": "none", "data_point_types": types}
    kind = running.call("POST", f"/projects/{project['id']}/event_types", {"event_type": body})
    return project["id"], project["numeric_id"], kind["data_point_types"][0]["nexus_event_type_id"]


def _save_rule(running: Service, project: str, expression: str, name: str, **fields: object) -> dict:
    body = {"name": name, "expression": expression, "effective_from": "2020-01-01T00:00:00Z"} | fields
    return running.call("POST", f"/projects/{project}/rules", {"rule": body})


def _load(url: str, project: int, kind: int) -> None:
    with psycopg.connect(url) as connection:
        with (
            connection.cursor() as cursor,
            cursor.copy(
                "COPY events (project_id, id, event_type_id, start_time, end_time, numbers, is_complete) "
                "FROM STDIN"
            ) as copy,
        ):
            for minute in range(EVENTS):
                start = START + timedelta(minutes=minute)
                energy = Decimal(978) if minute % 100 == 0 else Decimal("11.898") + minute % 900
                values = [
                    energy,
                    Decimal("0.32663"),
                    Decimal("1018.7"),
                    Decimal(minute % 613) / 8,
                    Decimal(84),
                ]
                copy.write_row((project, 10**9 + minute, kind, start, start, values, True))
        connection.commit()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ANALYZE events")


def _bare(url: str, project: int, kind: int) -> float:
    with psycopg.connect(url) as connection:
        connection.execute("DROP TABLE IF EXISTS bare_results")
        connection.execute("CREATE TABLE bare_results (LIKE data_point_results INCLUDING ALL)")
        connection.commit()
        started = now()
        connection.execute(_BARE, {"project": project, "kind": kind})
        connection.commit()
        return now() - started


_BARE = """
    INSERT INTO bare_results (project_id, rule_id, rule_version, event_id, position, status, entered_value,
                              evaluated_at)
    SELECT project_id, 1, 1, id, 1, 'fail', numbers[1]::text, now()
      FROM events
     WHERE project_id = %(project)s AND event_type_id = %(kind)s AND start_time >= '2020-01-01Z'
       AND voided_at IS NULL AND numbers[1] > 977.5
"""


def _body(request: int) -> bytes:
    first = request * EVENTS_PER_REQUEST
    events = [
        {
            "event_type": "reading",
            "start_time": (START + timedelta(minutes=first + index)).isoformat(),
            "data_points": [
                {"slug": slug, "value": value}
                for slug, value in zip(SLUGS, (index % 977, 0.33, 1018.7, index % 613 / 8, 84), strict=True)
            ],
        }
        for index in range(EVENTS_PER_REQUEST)
    ]
    return json.dumps({"events": events}).encode()


def _over_http(running: Service, project: str, bodies: list[bytes]) -> float:
    """Send all bodies over a few connections; gives the seconds that it took."""
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
    return now() - started


if __name__ == "__main__":
    main()
