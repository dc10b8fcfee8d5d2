"""Roll-ups: a year of one-minute events rolled up to hours, against bare SQL that does the same.

`bench_rollups.py [DAYS]` loads so many days of minutes (a year unless it is said), of one meter with three
values. Roll-up: from the definition of an hourly event type (average, maximum, last; at least 80 % of the
minutes) to its stored hours, with the reading of marks and all that an event leaves behind. Baseline: one
INSERT ... SELECT that a person would write for the same hours, into the same table. Late: one minute that
comes late, until its hour follows. Anew: every hour changed by another definition, updated in place.
"""

import asyncio
import sys
from typing import Any

import psycopg
from service import Service, median, now, service

from weighbridge.db.engine import Database
from weighbridge.quality.slots.roll_up_refresh import roll_up_marked

DAYS = 365
ROUNDS = 3
GOAL = 3.0
START = "2025-01-01T00:00:00Z"
SLUGS = ("co2", "flow", "state")
AGGREGATES = ("average", "max", "last")
_LOAD = """
    INSERT INTO events (project_id, id, event_type_id, start_time, end_time, asset_id, numbers, is_complete)
    SELECT %(project)s, %(first)s + n, %(event_type)s, moment, moment, %(asset)s,
           ARRAY[11.898 + n %% 977, 0.32663 + n %% 91, n %% 7], true
      FROM (SELECT n, %(start)s::timestamptz + n * interval '1 minute' AS moment
              FROM generate_series(0, %(minutes)s - 1) AS n) AS made
"""
_BARE = """
    INSERT INTO events (project_id, id, event_type_id, start_time, end_time, asset_id, numbers, is_complete)
    SELECT %(project)s, %(first)s + row_number() OVER (), %(target)s, hour, hour + interval '1 hour',
           asset_id,
           CASE WHEN is_enough THEN ARRAY[average, highest, newest] ELSE ARRAY[]::numeric[] END, is_enough
      FROM (SELECT date_bin('1 hour', e.start_time, '2000-01-01Z') AS hour, e.asset_id,
                   avg((coalesce(e.corrected_numbers, e.numbers))[1]) AS average,
                   max((coalesce(e.corrected_numbers, e.numbers))[2]) AS highest,
                   (array_agg((coalesce(e.corrected_numbers, e.numbers))[3] ORDER BY e.start_time DESC))[1]
                   AS newest,
                   count(DISTINCT date_bin('1 minute', e.start_time, '2000-01-01Z')) >= 48 AS is_enough
              FROM events e
             WHERE e.project_id = %(project)s AND e.event_type_id = %(source)s AND e.voided_at IS NULL
               AND e.is_complete AND NOT e.is_imputed
             GROUP BY 1, 2) AS hours
"""


def main() -> None:
    days = int(sys.argv[1]) if len(sys.argv) > 1 else DAYS
    with service(api_processes=1) as running:
        ratios = []
        for round_number in range(1, ROUNDS + 1):
            project, number, source = _plant(running, days, round_number)
            bare = _bare(running, project, number, source, round_number)
            kind, ours = _roll_up(running, project, number)
            ratios.append(ours / bare)
            print(
                f"round {round_number}: {days * 24:,} hours in {ours:.2f} s, bare SQL {bare:.2f} s, "
                f"ratio {ratios[-1]:.2f}"
            )
        print(f"roll-up of {days} days: median ratio {median(ratios):.2f} (goal: at most {GOAL})")
        _late(running, project, number)
        _anew(running, project, number, kind)


def _plant(running: Service, days: int, round_number: int) -> tuple[str, int, int]:
    made = running.call("POST", "/projects", {"project": {"name": "Stack"}})
    project, number = f"/projects/{made['id']}", made["numeric_id"]
    asset = running.call("POST", f"{project}/assets", {"asset": {"name": "Analyser"}})
    kind = running.call(
        "POST",
        f"{project}/event_types",
        {"event_type": _type("minute", "minute", expected_locations="none")},
    )
    source = kind["data_point_types"][0]["nexus_event_type_id"]
    with psycopg.connect(running.database_url, autocommit=True) as connection:
        [(meter,)] = connection.execute("SELECT id FROM assets WHERE project_id = %s", (number,)).fetchall()
        values = {"project": number, "event_type": source, "asset": meter, "start": START}
        keys = {"minutes": days * 24 * 60, "first": 1_000_000_000 * round_number}
        connection.execute(_LOAD, values | keys)
        connection.execute("VACUUM ANALYZE events")
    assert asset["name"] == "Analyser"
    return project, number, source


def _type(slug: str, unit: str, **fields: Any) -> dict[str, Any]:
    points = [{"name": one, "slug": one, "value_type": "number"} for one in SLUGS]
    shape = {
        "name": slug,
        "slug": slug,
        "cadence_amount": 1,
        "cadence_unit": unit,
        "data_point_types": points,
    }
    return shape | fields


def _rolled_up(aggregates: tuple[str, ...] = AGGREGATES) -> dict[str, Any]:
    values = [{"data_point": slug, "aggregate": how} for slug, how in zip(SLUGS, aggregates, strict=True)]
    return {"event_type": "minute", "data_points": values, "valid_share_min": 0.8}


def _bare(running: Service, project: str, number: int, source: int, round_number: int) -> float:
    body = {"event_type": _type(f"bare-{round_number}", "hour")}
    target = running.call("POST", f"{project}/event_types", body)["data_point_types"][0][
        "nexus_event_type_id"
    ]
    values = {"project": number, "source": source, "target": target, "first": 10_000_000_000 * round_number}
    with psycopg.connect(running.database_url) as connection:
        started = now()
        connection.execute(_BARE, values)
        connection.commit()
        return now() - started


def _roll_up(running: Service, project: str, number: int) -> tuple[str, float]:
    body = {"event_type": _type("hour", "hour", rolled_up_from=_rolled_up())}
    kind = running.call("POST", f"{project}/event_types", body)
    return kind["id"], _work(running, number)


def _work(running: Service, number: int) -> float:
    """Roll up what is marked; the seconds that it took."""

    async def work() -> float:
        async with Database(running.database_url, connections_max=2) as database:
            async with database.read() as tx:
                await tx.value("SELECT 1")
            started = now()
            assert await roll_up_marked(database, number)
            return now() - started

    return asyncio.run(work())


def _late(running: Service, project: str, number: int) -> None:
    body = {
        "event_type": "minute",
        "start_time": "2025-01-03T10:00:30Z",
        "data_points": [{"slug": slug, "value": 5} for slug in SLUGS],
    }
    seconds = []
    for _ in range(20):
        running.call("POST", f"{project}/events", {"event": body})
        seconds.append(_work(running, number))
    print(f"a late minute: its hour follows in {median(seconds) * 1000:.0f} ms")


def _anew(running: Service, project: str, number: int, kind: str) -> None:
    body = {"event_type": {"rolled_up_from": _rolled_up(("sum", "min", "first"))}}
    running.call("PATCH", f"{project}/event_types/{kind}", body)
    print(f"another definition: every hour updated in {_work(running, number):.2f} s")


if __name__ == "__main__":
    main()
