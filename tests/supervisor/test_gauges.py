"""The gauges are of each cell where there are several, and of the database where there is one.

`Gauges`.
"""

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from tests.databases import database
from tests.server import Account, Server

from weighbridge.db.cells import SCHEMA
from weighbridge.platform.async_tasks import queue_task
from weighbridge.supervisor.gauges import Gauges

NOBODY_LISTENS = "127.0.0.1:1"


def read(url: str, folder: Path) -> dict[str, str]:
    """Each series of the page, by its name with its labels."""
    lines = Gauges(url, folder).written().splitlines()
    return dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))


@contextmanager
def another_cell(server: Server, name: str, node: str) -> Iterator[None]:
    """The directory names one cell more, on a node."""
    with psycopg.connect(server.urls.migrating, autocommit=True) as connection:
        connection.execute(
            f"INSERT INTO {SCHEMA}.cells (number, name, opened_at, node) VALUES (2, %s, now(), %s)",
            (name, node),
        )
        yield
        connection.execute(f"DELETE FROM {SCHEMA}.cells WHERE name = %s", (name,))


def queue(account: Account) -> None:
    """Queue a task that no worker takes."""

    async def write() -> None:
        async with (
            account.database.with_connections(1) as connections,
            connections.in_cell(account.cell).write() as tx,
        ):
            await queue_task(tx, account.actor, kind="rule_run", project_id=None, args={}, lock="any")

    asyncio.run(write())


def test_one_cell_has_no_label(postgres: str, newest: str, tmp_path: Path):
    with database(postgres, newest) as url:
        series = read(url, tmp_path)

    assert series["weighbridge_database_up"] == "1"
    assert series['weighbridge_tasks{state="pending"}'] == "0"
    assert int(series["weighbridge_database_bytes"]) > 0
    assert not [name for name in series if "cell" in name]


def test_work_that_waits_is_counted_by_the_cell_that_has_it(
    two_cells: Server, northern: Account, first: Account, tmp_path: Path
):
    before = read(two_cells.urls.running, tmp_path)
    queue(northern)
    queue(northern)
    queue(first)
    after = read(two_cells.urls.running, tmp_path)

    grown = {
        name: int(after[name]) - int(before[name])
        for name in after
        if name.startswith('weighbridge_waiting{work="tasks"') or 'state="pending"' in name
    }
    assert grown == {
        'weighbridge_tasks{state="pending",cell="first"}': 1,
        'weighbridge_tasks{state="pending",cell="north"}': 2,
        'weighbridge_waiting{work="tasks",cell="first"}': 1,
        'weighbridge_waiting{work="tasks",cell="north"}': 2,
    }
    sizes = [int(after[f'weighbridge_cell_bytes{{cell="{name}"}}']) for name in ("first", "north")]
    assert all(0 < size <= 2 * int(after["weighbridge_database_bytes"]) for size in sizes)


def test_a_lost_node_leaves_out_what_its_cells_have(two_cells: Server, tmp_path: Path):
    with another_cell(two_cells, "lost", NOBODY_LISTENS):
        series = read(two_cells.urls.running, tmp_path)

    up = {name: value for name, value in series.items() if name.startswith("weighbridge_cell_up")}
    assert up == {
        'weighbridge_cell_up{cell="first"}': "1",
        'weighbridge_cell_up{cell="north"}': "1",
        'weighbridge_cell_up{cell="lost"}': "0",
    }
    assert series["weighbridge_database_up"] == "1"
    told = {cell for name in series for cell in re.findall(r'weighbridge_tasks.*cell="(\w+)"', name)}
    assert told == {"first", "north"}


def test_a_database_that_is_lost_leaves_the_rest(tmp_path: Path):
    series = read(f"postgresql://nobody@{NOBODY_LISTENS}/none", tmp_path)

    assert series["weighbridge_database_up"] == "0"
    assert int(series['weighbridge_disk_bytes{place="data"}']) > 0
