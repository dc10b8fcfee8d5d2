"""The gauges beside the counters: the state of the database, of the work that waits, of disks and processes.

They are read when the page is made, by one connection that gives up soon, so that a slow database makes the
page poorer and never late.
"""

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import psycopg
import structlog

from weighbridge import __version__
from weighbridge.backup.record import last_backup
from weighbridge.core.platform.task_state import TaskState
from weighbridge.http.metrics import METRICS

DATABASE_SECONDS: Final = 2
"""How long the database may take to answer."""

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


@dataclass(frozen=True, slots=True)
class Gauges:
    """What is read for each page; `starts` is raised by whoever starts a process."""

    database_url: str
    data_dir: Path
    starts: Counter[str] = field(default_factory=Counter)

    def written(self) -> str:
        """The gauges in Prometheus' text form."""
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        yield from _lines_of("weighbridge_build_info", "version", {__version__: 1})
        yield from _lines_of("weighbridge_process_starts_total", "process", self.starts)
        yield from self._of_disk()
        yield from self._of_backups()
        try:
            of_database = list(self._of_database())
        except psycopg.Error as error:
            log.warning("gauges_not_read", error=str(error))
            yield from _lines_of("weighbridge_database_up", None, {"": 0})
        else:
            yield from _lines_of("weighbridge_database_up", None, {"": 1})
            yield from of_database

    def _of_disk(self) -> Iterator[str]:
        try:
            disk = shutil.disk_usage(self.data_dir)
        except OSError:  # with an external database there may be no such folder
            return
        yield from _lines_of("weighbridge_disk_free_bytes", "place", {"data": disk.free})
        yield from _lines_of("weighbridge_disk_bytes", "place", {"data": disk.total})

    def _of_backups(self) -> Iterator[str]:
        last = last_backup(self.data_dir)
        if last is not None:
            taken, reaches = (f"{moment.timestamp():.3f}" for moment in (last.finished_at, last.reaches))
            yield from _lines_of("weighbridge_last_backup_timestamp_seconds", None, {"": taken})
            yield from _lines_of("weighbridge_backup_reaches_timestamp_seconds", None, {"": reaches})

    def _of_database(self) -> Iterator[str]:
        options = f"-c statement_timeout={DATABASE_SECONDS}s -c default_transaction_read_only=on"
        with closing(
            psycopg.connect(self.database_url, connect_timeout=DATABASE_SECONDS, options=options)
        ) as connection:
            states: dict[str, int] = dict(connection.execute(_STATES).fetchall())
            [size] = _only(connection.execute(_SIZE).fetchall())
            waiting = {kind: _only(connection.execute(_counted(kind)).fetchall()) for kind in _WAITING}
        yield from _lines_of(
            "weighbridge_tasks", "state", {state: states.get(state, 0) for state in TaskState}
        )
        yield from _lines_of("weighbridge_database_bytes", None, {"": size})
        yield from _lines_of("weighbridge_waiting", "work", {kind: row[0] for kind, row in waiting.items()})
        timed = {kind: row[1] for kind, row in waiting.items() if kind != "numbers"}
        yield from _lines_of("weighbridge_waiting_seconds", "work", timed)


def _counted(kind: str) -> bytes:
    """How many of a kind wait, and for how many seconds the oldest does."""
    found = f"SELECT since FROM ({_WAITING[kind]}) due LIMIT {WAITING_MAX}"
    oldest = "greatest(coalesce(extract(epoch FROM clock_timestamp() - min(since)), 0), 0)"
    return f"SELECT count(*), round({oldest}, 1) FROM ({found}) counted".encode()


def _only(rows: list[Any]) -> Any:
    [row] = rows
    return row


def _lines_of(name: str, label: str | None, values: Mapping[str, object]) -> Iterator[str]:
    """One gauge, or counter, with what the table says of it."""
    metric = METRICS[name]
    yield f"# HELP {name} {metric.doc}"
    yield f"# TYPE {name} {metric.kind}"
    for value, number in values.items():
        yield f'{name}{{{label}="{value}"}} {number}' if label else f"{name} {number}"
