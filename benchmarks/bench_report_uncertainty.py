"""The uncertainty of a report over 10,000 batches against a bare script that reads and squares the same.

50 feedstocks by 200 days: each batch has three effects of its own and four that it shares, so the report has
30,000 and a few. Ours: the reading behind `GET /reports/{id}/uncertainty`, with interval and budget.
Baseline: psycopg reads what the same batches keep in one statement, and the script adds up each effect and
takes the root of the squares, in decimals. The results are compared. Both run in this process by turns; the
ratio is that of processor time, which other work on the machine changes less. A GET is timed by the clock.
"""

import asyncio
import time
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import psycopg
from service import Service, median, now, service

from weighbridge.core import identity
from weighbridge.db.engine import Database
from weighbridge.reporting.report_uncertainty import read_report_uncertainty

FEEDSTOCKS = 50
DAYS = 200
ROUNDS = 5
GOAL = 8.0
SLUGS = ("mass", "moisture", "carbon")
START = datetime(2024, 1, 1, tzinfo=UTC)
DAYS_AT_ONCE = 20
"""Days of one generation: the transaction of all would wait for long computations."""

MODEL = """
name: Ten thousand batches
cadence: daily
partition_type: feedstock
primary_output: stored
uncertainty: {}
nodes:
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum, partitions: true}
    unit: t
  - slug: moisture
    input: {event_type: delivery, data_point_type: moisture, aggregate: average}
    unit: "1"
  - slug: carbon
    input: {event_type: delivery, data_point_type: carbon, aggregate: average}
    unit: "1"
  - slug: factor
    constant: 3.664
    unit: "1"
    uncertainty: {relative_standard: 0.001}
  - slug: stored
    formula: mass * (1 - moisture) * carbon * factor
    unit: t
    output: true
"""


def main() -> None:
    with service(api_processes=1, with_worker=True) as running:
        project = running.call("POST", "/projects", {"project": {"name": "Bench"}})
        load(running, project)
        report = report_all(running, project["id"], generate(running, project["id"]))
        ratios = asyncio.run(compare(running.database_url, report))
        started = now()
        found = running.call("GET", f"/reports/{report}/uncertainty")
        took = now() - started
        print(f"GET of {found['budget_count']:,} effects of {FEEDSTOCKS * DAYS:,} batches: {took:.2f} s")
        print(f"report: median ratio {median(ratios):.2f} of a bare script (goal: at most {GOAL})")


async def compare(url: str, report: str) -> list[float]:
    """The ratios of ours and the bare script, one for each round."""
    ratios = []
    key = identity.parse("report", report)
    assert key is not None
    async with Database(url, connections_max=1) as database:
        for number in range(ROUNDS):
            started = time.process_time()
            async with database.read() as tx:
                found = await read_report_uncertainty(tx, key)
            ours = time.process_time() - started
            started = time.process_time()
            expected = sum_bare(url)
            bare = time.process_time() - started
            assert found.stated is not None
            assert abs(found.stated.standard_uncertainty - expected) < Decimal("1e-20"), found.stated
            ratios.append(ours / bare)
            print(f"round {number + 1}: ours {ours:.2f} s, bare {bare:.2f} s, ratio {ratios[-1]:.2f}")
    return ratios


def load(running: Service, project: dict[str, Any]) -> None:
    """One delivery for each feedstock and day, with what is stated of its values and of its scales."""
    home = f"/projects/{project['id']}"
    kind = running.call("POST", f"{home}/event_types", {"event_type": {
        "name": "Delivery", "slug": "delivery", "expected_locations": "none", "reusable_in_batches": True,
        "data_point_types": [
            {"name": slug, "slug": slug, "value_type": "number", "uncertainty": {"relative_standard": 0.01}}
            | ({"unit": "t"} if slug == "mass" else {"unit": "1"})
            for slug in SLUGS
        ],
    }})  # fmt: skip
    for slug in SLUGS:
        body = {
            "name": f"Certificate of {slug}", "event_type_id": kind["id"], "data_point_type": slug,
            "valid_from": START.isoformat(), "uncertainty": {"relative_standard": 0.005},
        }  # fmt: skip
        running.call("POST", f"{home}/calibrations", {"calibration": body})
    for number in range(FEEDSTOCKS):
        running.call("POST", f"{home}/feedstocks", {"feedstock": {"name": f"Feedstock {number:02}"}})
    number = kind["data_point_types"][0]["nexus_event_type_id"]
    with psycopg.connect(running.database_url) as connection, connection.cursor() as cursor:
        feedstocks = [row[0] for row in cursor.execute("SELECT id FROM feedstocks ORDER BY id").fetchall()]
        with cursor.copy(
            "COPY events (project_id, id, event_type_id, start_time, end_time, feedstock_id, numbers,"
            " is_complete) FROM STDIN"
        ) as copy:
            for index in range(FEEDSTOCKS * DAYS):
                start = START + timedelta(days=index // FEEDSTOCKS, hours=12)
                values = [Decimal(10 + index % 977) / 8, Decimal(index % 13) / 100, Decimal("0.8")]
                copy.write_row(
                    (project["numeric_id"], 10**9 + index, number, start, start,
                     feedstocks[index % FEEDSTOCKS], values, True)
                )  # fmt: skip
        connection.commit()
    with psycopg.connect(running.database_url, autocommit=True) as connection:
        connection.execute("ANALYZE events")


def generate(running: Service, project: str) -> str:
    """The ledger of all batches."""
    model = running.call("POST", "/models", {"model": {"project_id": project, "yaml": MODEL}})
    ledger = {"name": "Stored", "unit": "t", "model_id": model["id"]}
    made = running.call("POST", f"/projects/{project}/ledgers", {"ledger": ledger})["id"]
    for first in range(0, DAYS, DAYS_AT_ONCE):
        times = (START + timedelta(days=day) for day in (first, first + DAYS_AT_ONCE))
        period = dict(zip(("start_time", "end_time"), (one.isoformat() for one in times), strict=True))
        task = running.call("POST", f"/ledgers/{made}/batch_generations", period)
        while task["state"] not in {"complete", "failed"}:
            time.sleep(0.1)
            task = running.call("GET", f"/async_tasks/{task['id']}")
        assert task["state"] == "complete", task
        assert task["result"]["created"] == FEEDSTOCKS * DAYS_AT_ONCE, task
    return str(made)


def report_all(running: Service, project: str, ledger: str) -> str:
    """A draft of half of all batches' balances, so that parts are taken of each."""
    batches: list[dict[str, Any]] = []
    query = "page_size=200&sort=start_time"
    while query:
        page = running.call("GET", f"/ledgers/{ledger}/batches?{query}")
        batches += [{"batch_id": one["id"], "amount": 0.5} for one in page["data"]]
        cursor = page["info"]["next_cursor"]
        query = f"page_size=200&cursor={cursor}" if cursor else ""
    body = {"name": "All", "report_type": "yearly", "project_id": project, "batches": batches}
    return str(running.call("POST", "/reports", {"report": body})["id"])


def sum_bare(url: str) -> Decimal:
    """What a script does that knows what is kept: add up each effect, and take the root of the squares."""
    with psycopg.connect(url) as connection:
        rows = connection.execute(
            "SELECT i.amount, b.total, c.uncertainty FROM report_batches i"
            " JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)"
            " JOIN batch_calculations c ON (c.project_id, c.batch_id) = (b.project_id, b.id) AND c.is_primary"
        ).fetchall()
    changes: dict[tuple[str, str], Decimal] = defaultdict(Decimal)
    for amount, total, written in rows:
        for name, owner, _, by_input in written["components"]:
            for change in by_input.values():
                changes[name, owner] += Decimal(change) * amount / total
    return sum((change * change for change in changes.values()), Decimal(0)).sqrt()


if __name__ == "__main__":
    main()
