"""Health: whether the service does its work, by what the process, the database and the queue tell.

What other accounts have and ask for is told to operators alone, by the counters of `weighbridge serve`.
"""

import asyncio
import shutil
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final

import msgspec
from litestar.handlers import HTTPRouteHandler

from weighbridge.core.time.instant import Instant
from weighbridge.db.schema.revision import newest_revision
from weighbridge.settings import Settings
from weighbridge.web.operations.tasks import home_of
from weighbridge.web.page import page
from weighbridge.web.visit import View, Visit, view


class DatabaseHealth(msgspec.Struct, frozen=True):
    """What the database tells of itself."""

    revision: str
    """The step of its tables."""
    server: str
    """The version of PostgreSQL."""
    size: int
    """Bytes that it takes."""
    began_at: Instant
    """Since when it runs."""
    archived_at: Instant | None
    """When it last put away a part of its log of changes for a backup; None where it never did."""
    archive_failed_at: Instant | None
    """When that failed last; None where it never did."""


class QueueHealth(msgspec.Struct, frozen=True):
    """The tasks of the account, and who works on tasks."""

    waiting: int
    running: int
    failed: int
    """Those that failed within a day."""
    oldest: Instant | None
    """Since when the task waits that waits longest; None where none does."""
    oldest_id: int | None
    workers: int
    """Workers that gave a sign of life of late."""
    sign_of_life: Instant | None
    """The last one of any worker; None where there never was one."""


@dataclass(frozen=True, slots=True)
class DiskRoom:
    """The disk of the data folder."""

    free: int | None
    """Bytes that are free; None where that cannot be asked."""
    is_full: bool


@page("/health", permission="administration:read", everywhere=True)
async def health(visit: Visit) -> View:
    """Whether the service does its work."""
    settings: Settings = visit.request.app.state.settings
    began = asyncio.get_running_loop().time()
    database = await visit.reading.row(DatabaseHealth, _DATABASE)
    took = asyncio.get_running_loop().time() - began
    values = {"account": visit.actor.account_id, "lease": settings.lease_seconds}
    queue = await visit.reading.row(QueueHealth, _QUEUE, values)
    return view(
        "operations/health.html", "Health", guide="howto/operate.md",
        database=database, milliseconds=round(took * 1000), queue=queue, home=home_of(visit),
        is_current=database is not None and database.revision == newest_revision(),
        room=await asyncio.to_thread(_room, visit), version=version("weighbridge"),
        settings=settings,
    )  # fmt: skip


def _room(visit: Visit) -> DiskRoom:
    state = visit.request.app.state
    try:
        free = shutil.disk_usage(state.settings.data_dir).free
    except OSError:
        free = None
    return DiskRoom(free, state.disk.is_full())


_DATABASE: Final = """
    SELECT (SELECT version_num FROM alembic_version), current_setting('server_version'),
           pg_database_size(current_database()), pg_postmaster_start_time(), a.last_archived_time,
           a.last_failed_time
      FROM pg_stat_archiver a
"""
_QUEUE: Final = """
    WITH open AS (
        SELECT id, state, created_at FROM async_tasks
         WHERE account_id = %(account)s AND state IN ('pending', 'running')
    ), first AS (
        SELECT id, created_at FROM open WHERE state = 'pending' ORDER BY created_at, id LIMIT 1
    )
    SELECT (SELECT count(*) FROM open WHERE state = 'pending'),
           (SELECT count(*) FROM open WHERE state = 'running'),
           (SELECT count(*) FROM async_tasks WHERE account_id = %(account)s AND state = 'failed'
               AND finished_at > now() - interval '1 day'),
           (SELECT created_at FROM first), (SELECT id FROM first),
           count(*) FILTER (WHERE w.last_heartbeat > now() - make_interval(secs => %(lease)s)),
           max(w.last_heartbeat)
      FROM procrastinate_workers w
"""

PAGES: Final[list[HTTPRouteHandler]] = [*health]
