"""Behind PgBouncer in transaction mode, with the real program: requests and tasks share its few sessions.

A session of the database here and there says another time zone and no time-outs, so whatever relied on a
session of its own, or on what it had said there before, would answer something else.
"""

import asyncio
import os
import shutil
import socket
import subprocess
import threading
from contextlib import contextmanager, suppress
from decimal import Decimal

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from tests.databases import database
from tests.durability.processes import until
from tests.given import collection as given
from tests.given import rule_evaluation as given_rules
from tests.given import works as given_works
from tests.server import Server

from weighbridge import worker
from weighbridge.db.embedded.instance import OWNER, RUNNING_ROLE
from weighbridge.db.engine import Database
from weighbridge.settings import Settings

PROGRAM = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
SESSIONS = 3
CALLERS = 8

CONFIGURATION = """\
[databases]
* = host={host} port={port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listening}
unix_socket_dir =
auth_type = trust
auth_file = {folder}/users
pool_mode = transaction
default_pool_size = {sessions}
logfile = {folder}/log
"""

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="PgBouncer is not installed; see make packages")


@contextmanager
def pooler(url, folder):
    """PgBouncer in front of a database; gives its URL, and the program's number."""
    known = conninfo_to_dict(url)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (folder / "users").write_text(f'"{OWNER}" ""\n"{RUNNING_ROLE}" ""\n')
    (folder / "ini").write_text(
        CONFIGURATION.format(
            host=known["host"], port=known.get("port", 5432), listening=port, folder=folder, sessions=SESSIONS
        )
    )
    # It refuses to run as root, and the socket of the database is root's: in a namespace it is somebody.
    prefix = ("unshare", "--user", "--map-user=65534", "--") if os.geteuid() == 0 else ()
    running = subprocess.Popen(
        [*prefix, PROGRAM, "--quiet", folder / "ini"], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    pooled = make_conninfo("", host="127.0.0.1", port=port, user=RUNNING_ROLE, dbname=known["dbname"])
    try:
        until(lambda: answers(pooled), what="PgBouncer answers")
        yield pooled
    finally:
        running.terminate()
        running.wait(20)


def answers(url):
    with suppress(psycopg.OperationalError), psycopg.connect(url) as connection:
        return connection.execute("SELECT 1").fetchone()
    return None


@pytest.fixture(scope="module")
def site(postgres, newest, tmp_path_factory):
    """A service and a worker that come to their database through PgBouncer."""
    folder = tmp_path_factory.mktemp("pooler")
    with database(postgres, newest) as url:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(
                f"ALTER DATABASE {conninfo_to_dict(url)['dbname']} SET TimeZone TO 'Asia/Tokyo'"
            )
        with (
            pooler(url, folder) as pooled,
            Server(url, pooler_url=pooled, lease_seconds=5) as server,
            working(server.settings),
        ):
            yield server


@contextmanager
def working(settings: Settings):
    """A worker on a loop of its own, until the block ends."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def work():
        async with Database(
            settings.database_url, connections_max=7, session_url=settings.session_database_url
        ) as own:
            await worker.work(own, settings, asyncio.Event())

    async def begin():
        return asyncio.create_task(work())

    async def end():
        task.cancel()
        await asyncio.wait([task])

    task = asyncio.run_coroutine_threadsafe(begin(), loop).result(20)
    try:
        yield
    finally:
        asyncio.run_coroutine_threadsafe(end(), loop).result(20)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@pytest.fixture
def plant(site):
    account = site.account()
    return account.caller()


def quiet(site):
    """Wait until every task has ended."""
    unfinished = "SELECT id FROM async_tasks WHERE state IN ('pending', 'running')"
    until(lambda: not site.sql(unfinished), what="every task has ended")


def test_events_are_stored_and_listed_by_many_at_once(site, plant):
    project = given.measuring(plant, given.number("mass"))
    bodies = [given.event_body(values={"mass": number}) for number in range(50)]

    site.together(lambda: [given.event(plant, project, values={"mass": 1}) for _ in range(8)], CALLERS)
    site.together(lambda: given.events(plant, project, bodies), CALLERS)

    path = f"/projects/{project['id']}/events"
    pages = site.together(lambda: plant.get(path, {"page_size": "5", "sort": "-start_time"}), CALLERS)
    assert {page.expect(200).info["total_items"] for page in pages} == {CALLERS * 58}
    assert {one["start_time"][-1] for page in pages for one in page.data} == {"Z"}


def test_what_was_generated_and_deleted_comes_to_what_was_measured(site, plant):
    works = given_works.works(plant, lambda: quiet(site))
    for amount in range(1, 6):
        works.measure("delivery", 1, Decimal(amount), "Wood")

    tasks = [works.generate("Deliveries") for _ in range(2)]
    deleted = works.ended(works.delete(tasks[0]["result"]["batches"]))
    again = works.generate("Deliveries")

    assert [task["state"] for task in (*tasks, deleted, again)] == ["complete"] * 4
    assert sum(works.totals()["Deliveries"].values()) == 15


def test_rules_look_and_whoever_follows_changes_is_told(plant):
    project = given.measuring(plant, given.number("mass"))
    cursor = plant.get("/changes", {"after": "latest"}).expect(200).body["cursor"]

    rule = given_rules.rule(plant, project, "{{mass}} > 40")
    given.event(plant, project, values={"mass": 41})
    until(lambda: given_rules.statuses(plant, rule), what="the rule has looked")

    assert given_rules.statuses(plant, rule) == [("fail", "41")]
    told = plant.get("/changes", {"after": cursor, "wait": "20"}).expect(200).body["data"]
    assert {"event", "rule_result"} <= {one["kind"] for one in told}


def test_time_limits_and_the_time_zone_hold_in_whatever_session_a_transaction_runs(site):
    async def seen():
        settings = "SELECT current_setting('statement_timeout'), current_setting('TimeZone')"
        async with Database(
            site.settings.database_url,
            connections_max=2,
            statement_timeout_seconds=7,
            session_url=site.settings.session_database_url,
        ) as own:
            found = [await own.single(settings)]
            async with own.read() as tx:
                found += await tx.tuples(settings)
            async with own.write() as tx:
                found += await tx.tuples(settings)
            async with own.trial() as tx:
                found += await tx.tuples(settings)
            async with own.question() as tx:
                found += await tx.tuples(settings)
            async with own.snapshot(locks=["here", "there"]) as tx:
                found += await tx.tuples(settings)
        return found

    assert set(site.run(seen())) == {("7s", "UTC")}


def test_no_session_of_the_pooler_keeps_anything_of_ours(site):
    prepared = "SELECT count(*) FROM pg_prepared_statements"
    held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"
    with psycopg.connect(site.settings.database_url, autocommit=True, prepare_threshold=None) as connection:
        for statement in (prepared, held):
            assert connection.execute(statement).fetchone() == (0,)
