"""Pages of the web app on large books: what they take beside the queries behind them.

First: a page of 50 batches in a project with a million events, against asynchronous psycopg that runs the
statements of the same lists (batches, and the ledgers that they are named by) and drops the rows. Then: the
overview and the ledgers' page of a project whose books have 100,000 entries, at the server, against a goal.

    python benchmarks/bench_pages.py [EVENTS [ENTRIES]]
"""

import asyncio
import sys
from typing import Any

import psycopg
from bench_batches import _Recording
from loaded import analyse, load
from psycopg.sql import SQL, Identifier
from service import Service, median, now, service

from weighbridge.accounting.batches_queries import BATCHES, list_batches_of_project
from weighbridge.accounting.ledgers_queries import list_ledgers_of_project
from weighbridge.core.platform.permission import ALL_PERMISSIONS, Actor
from weighbridge.db.engine import Database
from weighbridge.db.lists.listing import list_request
from weighbridge.platform.authentication import begin_session
from weighbridge.platform.users import add_user_without_password

EVENTS = 1_000_000
ENTRIES = 100_000
LEDGERS = 10
TIMES = 25
WARM = 5
PAGE = 50
PAGE_GOAL = 3.0
OVERVIEW_GOAL_MS = 300
DAYS = ("2000-01-02T00:00:00Z", "2000-03-31T00:00:00Z")
"""Days in which events were loaded: 89 batches."""

MODEL = """
name: Energy {number}
cadence: daily
partition_type: time
primary_output: total
nodes:
  - slug: energy
    input: {{event_type: reading, data_point_type: energy, aggregate: sum}}
    unit: "1"
  - slug: total
    formula: energy / 2
    unit: "1"
    output: true
"""


def main() -> None:
    sizes = [int(one) for one in sys.argv[1:]] or [EVENTS, ENTRIES]
    with service(api_processes=1, with_worker=True) as running:
        project = load(running, "Bench", sizes[0], 10**9)
        analyse(running)
        ledgers = [_ledger(running, project.id, number) for number in range(LEDGERS)]
        _generate(running, ledgers[0], DAYS)
        cookie = asyncio.run(_signed_in(running.database_url))
        _batches(running, project.id, project.number, cookie)
        for day, ledger in enumerate(ledgers[1:], start=1):
            _generate(running, ledger, (f"2000-04-{day:02}T00:00:00Z", f"2000-04-{day + 1:02}T00:00:00Z"))
        entries = _book(running, project.number, sizes[-1] if len(sizes) > 1 else ENTRIES)
        print(f"books of {entries:,} entries", flush=True)
        home = f"/projects/{project.id}"
        for name, path in (("overview", home), ("ledgers", f"{home}/ledgers")):
            taken = _page(running, path, cookie)
            print(f"{name}: {taken * 1000:.0f} ms at the server (goal: below {OVERVIEW_GOAL_MS})", flush=True)
        _page_of(running, f"{home}/batches", cookie, "batches of these books")


def _batches(running: Service, project: str, number: int, cookie: str) -> None:
    ratios = []
    path = f"/projects/{project}/batches?page_size={PAGE}"
    for turn in range(5):
        page = _page(running, path, cookie)
        bare = asyncio.run(_bare(running.database_url, number))
        ratios.append(page / bare)
        print(
            f"round {turn + 1}: page {page * 1000:.1f} ms, its lists' queries alone {bare * 1000:.1f} ms, "
            f"ratio {ratios[-1]:.2f}",
            flush=True,
        )
    print(
        f"page of {PAGE} batches: median ratio {median(ratios):.2f} (goal: at most {PAGE_GOAL})", flush=True
    )


def _page_of(running: Service, path: str, cookie: str, name: str) -> None:
    print(f"{name}: {_page(running, path, cookie) * 1000:.0f} ms", flush=True)


def _page(running: Service, path: str, cookie: str) -> float:
    """The median time of a page, over one connection."""
    connection = running.connect()
    taken = []
    for turn in range(TIMES + WARM):
        started = now()
        connection.request("GET", path, headers={"Cookie": f"weighbridge_session={cookie}"})
        response = connection.getresponse()
        text = response.read()
        if turn >= WARM:
            taken.append(now() - started)
        assert response.status == 200, (path, response.status, text[:500])
    connection.close()
    return median(taken)


async def _bare(url: str, project: int) -> float:
    """The median time of the statements behind the lists of the page, without the service."""
    statements = await _statements(url, project)
    taken = []
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        for turn in range(TIMES + WARM):
            started = now()
            for statement, values in statements:
                cursor = await connection.execute(statement, values)
                await cursor.fetchall()
            if turn >= WARM:
                taken.append(now() - started)
    return median(taken)


async def _statements(url: str, project: int) -> list[tuple[Any, Any]]:
    async with Database(url, connections_max=1) as database, database.read() as tx:
        recording = _Recording(await tx.ready(), tx.memory)
        recording.statements = []
        query = [("page_size", str(PAGE)), ("sort", "-start_time")]
        page = await list_batches_of_project(recording, project, list_request(query, BATCHES))
        assert len(page.data) == PAGE, len(page.data)
        await list_ledgers_of_project(recording, project, [("page_size", "100"), ("sort", "name")])
        return recording.statements


async def _signed_in(url: str) -> str:
    """The secret of a session of a person who may do everything."""
    async with Database(url, connections_max=1) as database, database.write() as tx:
        account, user = (await tx.tuples("SELECT account_id, id FROM users ORDER BY id LIMIT 1"))[0]
        actor = Actor(account, user, None, frozenset(ALL_PERMISSIONS), "bench")
        await add_user_without_password(
            tx,
            actor,
            email="bench@plant.example",
            name="Bench",
            permissions=ALL_PERMISSIONS,
        )
        person = await tx.value("SELECT id FROM users WHERE email = 'bench@plant.example'")
        of_person = Actor(account, person, None, frozenset(ALL_PERMISSIONS), "bench")
        return await begin_session(tx, of_person, "a benchmark")


def _ledger(running: Service, project: str, number: int) -> str:
    document = MODEL.format(number=number)
    model = running.call("POST", "/models", {"model": {"project_id": project, "yaml": document}})
    new = {"name": f"Energy {number}", "unit": "dimensionless", "model_id": model["id"]}
    return str(running.call("POST", f"/projects/{project}/ledgers", {"ledger": new})["id"])


def _generate(running: Service, ledger: str, period: tuple[str, str]) -> None:
    body = {"start_time": period[0], "end_time": period[1]}
    task = running.call("POST", f"/ledgers/{ledger}/batch_generations", body)
    while task["state"] not in {"complete", "failed"}:
        task = running.call("GET", f"/async_tasks/{task['id']}")
    assert task["state"] == "complete", task


def _book(running: Service, project: int, entries: int) -> int:
    """Make so many entries: batches like those that each ledger has, and as many draws between ledgers."""
    with psycopg.connect(running.database_url) as connection:
        each = entries // (2 * LEDGERS)
        connection.execute(
            """
            INSERT INTO runs (project_id, family_id, start_time, end_time)
            SELECT l.project_id, l.family_id, day, day + interval '1 day'
              FROM ledgers l
             CROSS JOIN LATERAL (SELECT '2025-12-31Z'::timestamptz - n * interval '1 day' AS day
                                   FROM generate_series(1, %s) AS n) AS days
             WHERE l.project_id = %s
            ON CONFLICT DO NOTHING
            """,
            (each, project),
        )
        new = {"run_id": "r.id", "start_time": "r.start_time", "end_time": "r.end_time",
               "tracking_id": "'B-' || r.id", "balance": "0"}  # fmt: skip
        _like(connection, project, "batches", new, _NEW_BATCHES)
        new = {"batch_id": "b.id"}
        _like(connection, project, "batch_calculations", new, _NEW_CALCULATIONS)
        new = {"batch_id": "b.id", "posted_by": "b.id", "run_id": "b.run_id", "effective_at": "b.end_time"}
        _like(connection, project, "ledger_entries", new, _NEW_CREDITS)
        connection.execute(_NEW_DRAWS, {"project": project})
        connection.commit()
        connection.autocommit = True
        connection.execute("ANALYZE")
        row = connection.execute("SELECT count(*) FROM ledger_entries WHERE project_id = %s", (project,))
        return int((row.fetchone() or (0,))[0])


def _like(
    connection: psycopg.Connection[Any], project: int, table: str, new: dict[str, str], source: str
) -> None:
    """Insert rows like the template `t` of a source, with some columns anew."""
    cursor = connection.execute(SQL("SELECT * FROM {} LIMIT 0").format(Identifier(table)))
    names = [one.name for one in cursor.description or () if one.name != "id"]
    columns = ", ".join(names)
    values = ", ".join(new.get(name, f"t.{name}") for name in names)
    statement = f"INSERT INTO {table} ({columns}) SELECT {values} FROM {source}"
    connection.execute(statement, {"project": project})  # type: ignore[arg-type] # fixed texts


_TEMPLATES = """
    (SELECT DISTINCT ON (ledger_id) * FROM batches WHERE project_id = %(project)s
      ORDER BY ledger_id, id) AS {name}
"""
_NEW_BATCHES = f"""
    {_TEMPLATES.format(name="t")}
    JOIN ledgers l ON (l.project_id, l.id) = (t.project_id, t.ledger_id)
    JOIN runs r ON (r.project_id, r.family_id) = (l.project_id, l.family_id)
   WHERE NOT EXISTS (SELECT FROM batches o WHERE (o.project_id, o.run_id) = (r.project_id, r.id))
"""
_NEW_CALCULATIONS = f"""
    {_TEMPLATES.format(name="first")}
    JOIN batch_calculations t ON (t.project_id, t.batch_id) = (first.project_id, first.id)
    JOIN batches b ON (b.project_id, b.ledger_id) = (first.project_id, first.ledger_id)
   WHERE b.tracking_id LIKE 'B-%%'
"""
_NEW_CREDITS = f"""
    {_TEMPLATES.format(name="first")}
    JOIN ledger_entries t ON (t.project_id, t.batch_id) = (first.project_id, first.id)
    JOIN batches b ON (b.project_id, b.ledger_id) = (first.project_id, first.ledger_id)
   WHERE b.tracking_id LIKE 'B-%%'
"""
_NEW_DRAWS = """
    INSERT INTO ledger_entries (project_id, ledger_id, batch_id, kind, amount, effective_at, posted_by,
                                run_id, node, async_task_id)
    SELECT b.project_id, b.ledger_id, b.id, 'draw', -1, b.end_time, d.id, d.run_id, 'drawn', d.async_task_id
      FROM batches b
      JOIN LATERAL (SELECT min(l.id) AS id FROM ledgers l
                     WHERE l.project_id = b.project_id AND l.id > b.ledger_id) AS next ON true
      JOIN batches d ON (d.project_id, d.ledger_id, d.start_time) = (b.project_id, next.id, b.start_time)
     WHERE b.project_id = %(project)s AND b.tracking_id LIKE 'B-%%' AND d.tracking_id LIKE 'B-%%'
"""


if __name__ == "__main__":
    main()
