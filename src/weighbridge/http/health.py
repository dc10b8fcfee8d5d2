"""Whether the process lives, whether it can do its work, and whether a disk is full.

Readiness has a connection of its own, so that no number of requests at work makes the process look
dead.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from litestar import Request, Response, get
from litestar.datastructures import State
from psycopg import Error
from psycopg.errors import UndefinedTable

from weighbridge.core.platform.cell import Cell
from weighbridge.db.cells import Cells
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
async def readyz(request: Request[Any, Any, State]) -> Response[dict[str, Any]]:
    """The database answers, has the tables that this version expects, and room to write.

    Where cells lie on several hosts, the service is ready as long as one of them answers, and says which
    cells are lost.
    """
    database: Database = request.app.state.database_of_health
    known = await _list_cells(request.app.state.cells)
    by_host = {cell.node: cell for cell in reversed(known)}
    answers = await asyncio.gather(*(_read_revision(database, cell) for cell in by_host.values()))
    revisions = dict(zip(by_host, answers, strict=True))
    lost = [cell.name for cell in known if revisions[cell.node] is None]
    if len(lost) == len(known):
        return _unavailable("the database does not answer")
    if {*revisions.values()} - {None, newest_revision()}:
        return _unavailable("the database needs a migration")
    if request.app.state.disk.is_full():
        return _unavailable("a disk is full")
    return Response({"status": "ok", "lost_cells": lost} if lost else {"status": "ok"})


async def _list_cells(cells: Cells) -> Sequence[Cell]:
    """The cells that the service has, as far as this process knows when the directory does not answer."""
    with suppress(Error, TimeoutError):
        async with asyncio.timeout(READY_SECONDS / 2):
            return await cells.list()
    return cells.known


async def _read_revision(database: Database, cell: Cell) -> str | None:
    """The last step of the tables of a cell, empty where there are none; None where its host is lost."""
    place = database.in_cell(cell)
    database.follow(cell)
    try:
        async with asyncio.timeout(READY_SECONDS / 2):
            row = await place.single("SELECT version_num FROM alembic_version")
    except UndefinedTable:
        return ""
    except (Error, TimeoutError):
        return None
    return "" if row is None else str(row[0])


def _unavailable(reason: str) -> Response[dict[str, Any]]:
    return Response({"status": "unavailable", "reason": reason}, status_code=503)


ROUTES = [healthz, readyz]
