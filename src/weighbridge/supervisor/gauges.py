"""The gauges on the page of counters: the state of the database and its cells, of work that waits, of disks.

They are read when the page is made, by connections that give up soon, so that a slow database makes the page
poorer and never late. A cell on a node of a cluster is read there, each node in a thread of its own: one that
is lost leaves out what lies there, and nothing else.

Invariants: no series is of an account or a project; an installation of one cell has no label `cell`.
"""

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import psycopg
import structlog
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Identifier

from weighbridge import __version__
from weighbridge.backup.target import last_backup
from weighbridge.core.platform.cell import Cell
from weighbridge.core.platform.tasks import TaskState
from weighbridge.db.cells import SIZE_OF_CELL, list_cells
from weighbridge.db.engine import url_on_node
from weighbridge.db.nodes import SHOW_SHARDS
from weighbridge.http.metrics import METRICS

DATABASE_SECONDS: Final = 2
"""How long the database, or a node of it, may take to answer a question."""

NODES_AT_ONCE: Final = 16
"""Nodes of a cluster that are asked at the same time."""

WAITING_MAX: Final = 10_000
"""Work that is due is counted up to this number, of each kind."""

_STATES: Final = "SELECT state, count(*) FROM async_tasks GROUP BY state"
_SIZE: Final = "SELECT pg_database_size(current_database())"
_WAITING: Final = {
    "tasks": "SELECT created_at AS since FROM async_tasks WHERE state = 'pending' ORDER BY id",
    "deliveries": """
        SELECT d.next_attempt_at AS since FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
         WHERE d.state = 'pending' AND d.next_attempt_at < now() AND (w.is_enabled OR d.is_by_hand)
    """,
    "seals": """
        SELECT a.at AS since FROM audit_unsealed u JOIN audit_log a ON a.id = u.audit_id ORDER BY u.audit_id
    """,
    "numbers": "SELECT NULL::timestamptz AS since FROM unnumbered_changes",
    "roll_ups": "SELECT marked_at AS since FROM roll_up_marks",
}
"""What waits for a worker, each since when it is due; changes that wait for their number tell no time."""

log = structlog.get_logger("weighbridge.supervisor")

Samples = list[tuple[Mapping[str, str], object]]
"""Values of one gauge or counter, each with its labels."""


@dataclass(frozen=True, slots=True)
class CellWork:
    """What a cell has: tasks by state, and of each kind of work how much waits, and for how many seconds."""

    tasks: Mapping[str, int]
    waiting: Mapping[str, tuple[int, object]]
    octets: int


@dataclass(frozen=True, slots=True)
class Gauges:
    """What is read for each page; the supervisor raises `starts` for each start of a process."""

    database_url: str
    data_dir: Path
    starts: Counter[str] = field(default_factory=Counter)

    def written(self) -> str:
        """The gauges in Prometheus' text form."""
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        yield from _lines_of("weighbridge_build_info", [({"version": __version__}, 1)])
        starts: Samples = [({"process": process}, count) for process, count in self.starts.items()]
        yield from _lines_of("weighbridge_process_starts_total", starts)
        yield from self._of_disk()
        yield from self._of_backups()
        try:
            of_database = list(self._of_database())
        except psycopg.Error as error:
            log.warning("gauges_not_read", node=None, error=str(error))
            yield from _lines_of("weighbridge_database_up", [({}, 0)])
        else:
            yield from _lines_of("weighbridge_database_up", [({}, 1)])
            yield from of_database

    def _of_disk(self) -> Iterator[str]:
        try:
            disk = shutil.disk_usage(self.data_dir)
        except OSError:  # with an external database there may be no such folder
            return
        yield from _lines_of("weighbridge_disk_free_bytes", [({"place": "data"}, disk.free)])
        yield from _lines_of("weighbridge_disk_bytes", [({"place": "data"}, disk.total)])

    def _of_backups(self) -> Iterator[str]:
        last = last_backup(self.data_dir)
        if last is not None:
            finished_at, reaches = (
                f"{moment.timestamp():.3f}" for moment in (last.finished_at, last.reaches)
            )
            yield from _lines_of("weighbridge_last_backup_timestamp_seconds", [({}, finished_at)])
            yield from _lines_of("weighbridge_backup_reaches_timestamp_seconds", [({}, reaches)])

    def _of_database(self) -> Iterator[str]:
        with closing(_connect(self.database_url)) as connection:
            cells = list_cells(connection, only_open=True)
            size = _only(connection.execute(_SIZE).fetchall())[0]
            work = {cell: _read_cell(connection, cell) for cell in cells if cell.node is None}
        work |= _read_nodes(self.database_url, [cell for cell in cells if cell.node is not None])
        yield from _lines_of("weighbridge_database_bytes", [({}, size)])
        yield from _lines_of_cells(cells, work)


def _connect(url: str) -> psycopg.Connection[Any]:
    options = f"-c statement_timeout={DATABASE_SECONDS}s -c default_transaction_read_only=on"
    given = conninfo_to_dict(url).get("options")
    return psycopg.connect(
        url, connect_timeout=DATABASE_SECONDS, options=f"{given} {options}" if given else options
    )


def _read_nodes(url: str, cells: Sequence[Cell]) -> dict[Cell, CellWork]:
    """What the cells on nodes have, but for those on nodes that do not answer."""
    by_node: dict[str, list[Cell]] = {}
    for cell in cells:
        by_node.setdefault(str(cell.node), []).append(cell)
    if not by_node:
        return {}
    with ThreadPoolExecutor(max_workers=min(NODES_AT_ONCE, len(by_node))) as threads:
        read = threads.map(lambda node: _read_node(url, node, by_node[node]), by_node)
        return {cell: work for part in read for cell, work in part.items()}


def _read_node(url: str, node: str, cells: Iterable[Cell]) -> dict[Cell, CellWork]:
    work: dict[Cell, CellWork] = {}
    try:
        with closing(_connect(url_on_node(url, node))) as connection:
            connection.execute(SHOW_SHARDS)
            for cell in cells:
                work[cell] = _read_cell(connection, cell)
    except psycopg.Error as error:
        log.warning("gauges_not_read", node=node, error=str(error))
    return work


def _read_cell(connection: psycopg.Connection[Any], cell: Cell) -> CellWork:
    with connection.transaction():
        if cell.schema is not None:
            connection.execute(SQL("SET LOCAL search_path TO {}").format(Identifier(cell.schema)))
        tasks: dict[str, int] = dict(connection.execute(_STATES).fetchall())
        waiting = {kind: _only(connection.execute(_counted(kind)).fetchall()) for kind in _WAITING}
        _, octets = _only(connection.execute(SIZE_OF_CELL, (cell.schema,)).fetchall())
    return CellWork(tasks, waiting, octets)


def _counted(kind: str) -> bytes:
    """How many of a kind wait, and for how many seconds the oldest does."""
    due_query = f"SELECT since FROM ({_WAITING[kind]}) due LIMIT {WAITING_MAX}"
    oldest = "greatest(coalesce(extract(epoch FROM clock_timestamp() - min(since)), 0), 0)"
    return f"SELECT count(*), round({oldest}, 1) FROM ({due_query}) counted".encode()


def _lines_of_cells(cells: Sequence[Cell], work: Mapping[Cell, CellWork]) -> Iterator[str]:
    """The gauges of each cell; of an installation of one cell as if there were none."""
    are_several = len(cells) > 1
    label = {cell: {"cell": cell.name} if are_several else {} for cell in cells}
    if are_several:
        yield from _lines_of("weighbridge_cell_up", [(label[cell], int(cell in work)) for cell in cells])
        sizes: Samples = [(label[cell], found.octets) for cell, found in work.items()]
        yield from _lines_of("weighbridge_cell_bytes", sizes)
    tasks: Samples = [
        ({"state": state} | label[cell], found.tasks.get(state, 0))
        for cell, found in work.items()
        for state in TaskState
    ]
    yield from _lines_of("weighbridge_tasks", tasks)
    waiting = [
        ({"work": kind} | label[cell], count, seconds)
        for cell, found in work.items()
        for kind, (count, seconds) in found.waiting.items()
    ]
    yield from _lines_of("weighbridge_waiting", [(labels, count) for labels, count, _ in waiting])
    timed: Samples = [(labels, seconds) for labels, _, seconds in waiting if labels["work"] != "numbers"]
    yield from _lines_of("weighbridge_waiting_seconds", timed)


def _only(rows: list[Any]) -> Any:
    [row] = rows
    return row


def _lines_of(name: str, samples: Samples) -> Iterator[str]:
    """One gauge, or counter, with what the table says of it."""
    metric = METRICS[name]
    yield f"# HELP {name} {metric.doc}"
    yield f"# TYPE {name} {metric.kind}"
    for labels, number in samples:
        written = ",".join(f'{label}="{value}"' for label, value in labels.items())
        yield f"{name}{{{written}}} {number}" if written else f"{name} {number}"
