"""A thousand batches of a model of 30 nodes against a bare script that inserts the same finished rows.

First: 50 feedstocks by 20 months, from the request to the finished task: queue, worker, sums, formulas,
batches, values of every node, lineage, entries, audit row. Baseline: psycopg inserts the rows of the same
batches, already computed, into tables of the same form. Second: the generation again, when nothing is new.
Third: a page of 20 batches with 10 rows of input data each, two API processes, 16 connections, against
asynchronous psycopg that runs the statements behind it and drops the rows.
"""

import asyncio
import threading
import time
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import psycopg
from psycopg.sql import SQL, Identifier
from service import Service, median, now, send, service

from weighbridge.accounting.batches_queries import LEDGER_BATCHES, list_ledger_batches
from weighbridge.accounting.ledgers_queries import find_ledger_to_read
from weighbridge.core.platform.permission import ALL_PERMISSIONS, Actor
from weighbridge.db.engine import Database, Read
from weighbridge.db.lists.listing import list_request

FEEDSTOCKS = 50
MONTHS = 20
DELIVERIES = 10
"""For each feedstock and month: the rows of input data of a batch."""
ROUNDS = 5
CONNECTIONS = 16
GET_SECONDS = 3
GENERATION_GOAL = 5.0
NOTHING_NEW_GOAL = 0.5
PAGE_GOAL = 0.35
RANGE = {"start_time": "2024-01-01T00:00:00Z", "end_time": "2025-09-01T00:00:00Z"}

MODEL = """
name: Thousand batches
cadence: monthly
partition_type: feedstock
primary_output: step_28
nodes:
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum, partitions: true}
    unit: t
  - slug: factor
    constant: 0.207
    unit: kg/t
  - slug: step_1
    formula: mass * factor
    unit: kg
""" + "".join(
    f"""
  - slug: step_{number}
    formula: step_{number - 1} * 1.01 + {number} * mass * factor / 7
    unit: kg
    output: {"true" if number == 28 else "false"}
"""
    for number in range(2, 29)
)

TABLES = (
    "runs", "batches", "batch_calculations", "batch_input_sets", "batch_inputs", "ledger_entries",
)  # fmt: skip


def main() -> None:
    with service(api_processes=2, with_worker=True) as running:
        project = running.call("POST", "/projects", {"project": {"name": "Bench"}})
        _load(running, project)
        firsts, agains = [], []
        for number in range(ROUNDS):
            ledger = _ledger(running, project["id"], number)
            first = _generate(running, ledger, created=FEEDSTOCKS * MONTHS)
            again = _generate(running, ledger, created=0)
            bare = _bare(running.database_url, ledger_number=number + 1)
            firsts.append(first / bare)
            agains.append(again / first)
            print(
                f"round {number + 1}: generation {first:.2f} s, bare inserts {bare:.2f} s, ratio "
                f"{firsts[-1]:.2f}; again {again:.2f} s, {agains[-1]:.2f} of the first"
            )
        print(f"1,000 batches: median ratio {median(firsts):.2f} (goal: at most {GENERATION_GOAL})")
        print(f"nothing new: median {median(agains):.2f} of the first (goal: at most {NOTHING_NEW_GOAL})")
        _pages(running, ledger)


def _load(running: Service, project: dict[str, Any]) -> None:
    mass = {"name": "Mass", "slug": "mass", "value_type": "number", "unit": "t"}
    body = {
        "name": "Delivery", "slug": "delivery", "expected_locations": "none", "reusable_in_batches": True,
        "data_point_types": [mass],
    }  # fmt: skip
    kind = running.call("POST", f"/projects/{project['id']}/event_types", {"event_type": body})
    names = [f"Feedstock {number:02}" for number in range(FEEDSTOCKS)]
    for name in names:
        running.call("POST", f"/projects/{project['id']}/feedstocks", {"feedstock": {"name": name}})
    number = kind["data_point_types"][0]["nexus_event_type_id"]
    with psycopg.connect(running.database_url) as connection, connection.cursor() as cursor:
        feedstocks = [row[0] for row in cursor.execute("SELECT id FROM feedstocks ORDER BY id").fetchall()]
        with cursor.copy(
            "COPY events (project_id, id, event_type_id, start_time, end_time, feedstock_id, numbers,"
            " is_complete) FROM STDIN"
        ) as copy:
            for index in range(FEEDSTOCKS * MONTHS * DELIVERIES):
                feedstock, rest = index % FEEDSTOCKS, index // FEEDSTOCKS
                month, delivery = rest % MONTHS, rest // MONTHS
                start = datetime(2024 + month // 12, month % 12 + 1, 1 + delivery, 12, tzinfo=UTC)
                values = [Decimal("11.898") + Decimal(index % 977) / 8]
                copy.write_row(
                    (project["numeric_id"], 10**9 + index, number, start, start + timedelta(hours=1),
                     feedstocks[feedstock], values, True)
                )  # fmt: skip
        connection.commit()
    with psycopg.connect(running.database_url, autocommit=True) as connection:
        connection.execute("ANALYZE events")


def _ledger(running: Service, project: str, number: int) -> str:
    """A model and a ledger of this round, so that every round makes a thousand new batches."""
    model = running.call("POST", "/models", {"model": {"project_id": project, "yaml": MODEL}})
    ledger = {"name": f"Carbon {number}", "unit": "kg", "model_id": model["id"]}
    return str(running.call("POST", f"/projects/{project}/ledgers", {"ledger": ledger})["id"])


def _generate(running: Service, ledger: str, *, created: int) -> float:
    started = now()
    task = running.call("POST", f"/ledgers/{ledger}/batch_generations", RANGE)
    while task["state"] not in {"complete", "failed"}:
        time.sleep(0.01)
        task = running.call("GET", f"/async_tasks/{task['id']}")
    assert task["state"] == "complete", task
    assert task["result"]["created"] == created, task["result"]["created"]
    return now() - started


def _bare(url: str, *, ledger_number: int) -> float:
    """Insert the finished rows of one ledger's batches once more, into empty tables of the same form."""
    with psycopg.connect(url) as connection:
        rows = {}
        for table in TABLES:
            copy = Identifier(f"bare_{table}")
            connection.execute(SQL("DROP TABLE IF EXISTS {}").format(copy))
            connection.execute(
                SQL("CREATE TABLE {} (LIKE {} INCLUDING ALL EXCLUDING IDENTITY)").format(
                    copy, Identifier(table)
                )
            )
            rows[table] = _rows(connection, table, ledger_number)
        connection.commit()
        started = now()
        for table, (columns, values) in rows.items():
            statement = SQL("INSERT INTO {} ({}) VALUES ({})").format(
                Identifier(f"bare_{table}"),
                SQL(", ").join(map(Identifier, columns)),
                SQL(", ").join([SQL("%s")] * len(columns)),
            )
            with connection.cursor() as cursor:
                cursor.executemany(statement, values)
        connection.commit()
        return now() - started


def _rows(
    connection: psycopg.Connection[Any], table: str, ledger: int
) -> tuple[list[str], list[tuple[Any, ...]]]:
    mine = "SELECT id FROM batches WHERE ledger_id = %s"
    key = {"batches": "id", "runs": None}.get(table, "batch_id")
    condition = f"{key} IN ({mine})" if key else "id IN (SELECT run_id FROM batches WHERE ledger_id = %s)"
    cursor = connection.execute(
        SQL("SELECT * FROM {} WHERE {}").format(Identifier(table), SQL(condition)),  # type: ignore[arg-type] # fixed texts
        (ledger,),
    )
    assert cursor.description is not None
    return [column.name for column in cursor.description], cursor.fetchall()


def _pages(running: Service, ledger: str) -> None:
    ratios = []
    for number in range(ROUNDS):
        ours = _service_pages(running, f"/ledgers/{ledger}/batches")
        bare = asyncio.run(_bare_pages(running.database_url, ledger))
        ratios.append(ours / bare)
        print(f"page round {number + 1}: service {ours:,.0f}/s, bare {bare:,.0f}/s, ratio {ratios[-1]:.2f}")
    print(
        f"GET of 20 batches with {DELIVERIES} rows of input data: median ratio {median(ratios):.2f} of bare"
        f" statements (goal: at least {PAGE_GOAL})"
    )


def _service_pages(running: Service, path: str) -> float:
    taken: list[float] = []
    until = now() + GET_SECONDS

    def work() -> None:
        connection = running.connect()
        while (started := now()) < until:
            status, answer = send(connection, running.token, "GET", path, None)
            assert status == 200, answer
            taken.append(now() - started)

    threads = [threading.Thread(target=work) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(taken) / GET_SECONDS


async def _bare_pages(url: str, ledger: str) -> float:
    statements = await _statements(url, ledger)
    until = now() + GET_SECONDS

    async def work() -> int:
        count = 0
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
            while now() < until:
                for statement, values in statements:
                    cursor = await connection.execute(statement, values)
                    await cursor.fetchall()
                count += 1
        return count

    return sum(await asyncio.gather(*(work() for _ in range(CONNECTIONS)))) / GET_SECONDS


class _Recording(Read):
    """A transaction that remembers what it was asked."""

    statements: list[tuple[Any, Any]]

    async def tuples(self, statement: Any, values: Any = ()) -> list[Any]:
        self.statements.append((statement, values))
        return await super().tuples(statement, values)

    async def rows(self, make: Any, statement: Any, values: Any = ()) -> list[Any]:
        self.statements.append((statement, values))
        return await super().rows(make, statement, values)

    async def several(self, *commands: Any) -> list[list[Any]]:
        self.statements += commands
        return await super().several(*commands)

    async def value(self, statement: Any, values: Any = ()) -> Any:
        self.statements.append((statement, values))
        return await super().value(statement, values)


async def _statements(url: str, ledger: str) -> list[tuple[Any, Any]]:
    """The statements behind a page of batches, as the service asks them, after that for the token."""
    async with Database(url, connections_max=1) as database, database.read() as tx:
        account, user = (await tx.tuples("SELECT account_id, id FROM users ORDER BY id LIMIT 1"))[0]
        recording = _Recording(await tx.ready(), tx.memory)
        recording.statements = [("SELECT * FROM api_tokens WHERE secret_hash = %s", (b"0" * 32,))]
        actor = Actor(account, user, None, frozenset(ALL_PERMISSIONS), "bench")
        key = find_ledger_to_read(recording, actor, ledger)
        page = await list_ledger_batches(recording, key.project, key.key, list_request([], LEDGER_BATCHES))
        assert len(page.data) == 20
        return recording.statements


if __name__ == "__main__":
    main()
