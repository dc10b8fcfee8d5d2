"""Whether the process lives, whether it can do its work, and whether a disk is full.

Readiness has a connection of its own, so that no number of requests at work makes the process look
dead.
"""

import asyncio
from pathlib import Path
from typing import Any, Final

from litestar import Request, Response, get
from litestar.datastructures import State
from psycopg import Error
from psycopg_pool import PoolTimeout

from weighbridge.db.embedded import cluster
from weighbridge.db.engine import Database
from weighbridge.db.replica import Replica
from weighbridge.db.roles import newest_revision

REMEMBERED_SECONDS: Final = 60.0
"""How long a write that found a disk full counts as news of it."""


class Disk:
    """The disks of one service."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._found_full: float | None = None

    def fill(self) -> None:
        """Remember that a write found a disk full."""
        self._found_full = asyncio.get_running_loop().time()

    def is_full(self) -> bool:
        """Whether a disk has no room, as far as is known."""
        was_full = self._found_full
        if was_full is not None and asyncio.get_running_loop().time() - was_full < REMEMBERED_SECONDS:
            return True
        return cluster.is_disk_full(self._data_dir)

    def release(self) -> bool:
        """Release the disk reserve; return whether there was any."""
        return cluster.release_reserve(self._data_dir)


READY_SECONDS: Final = 2.0
"""How long the database may take to answer a process that is ready."""


@get("/healthz", include_in_schema=False, sync_to_thread=False)
def healthz(request: Request[Any, Any, State]) -> Response[dict[str, Any]]:
    """The process answers, and says how it last saw the replica, where there is one."""
    replica: Replica | None = request.app.state.replica
    if replica is None:
        return Response({"status": "ok"})
    replica_state = {"state": replica.state, "lag_seconds": round(replica.lag_seconds, 3)}
    return Response({"status": "ok", "replica": replica_state})


@get("/readyz", include_in_schema=False)
async def readyz(request: Request[Any, Any, State]) -> Response[dict[str, str]]:
    """The database answers, has the tables that this version expects, and room to write."""
    database: Database = request.app.state.database_of_health
    try:
        async with asyncio.timeout(READY_SECONDS):
            row = await database.single("SELECT version_num FROM alembic_version")
    except (Error, PoolTimeout, TimeoutError):
        return Response({"status": "unavailable", "reason": "the database does not answer"}, status_code=503)
    if row is None or row[0] != newest_revision():
        return Response(
            {"status": "unavailable", "reason": "the database needs a migration"}, status_code=503
        )
    if request.app.state.disk.is_full():
        return Response({"status": "unavailable", "reason": "a disk is full"}, status_code=503)
    return Response({"status": "ok"})


ROUTES = [healthz, readyz]
