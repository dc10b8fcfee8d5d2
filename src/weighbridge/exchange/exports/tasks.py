"""Make the file of an export: the rows as CSV, the format from that, into the store, and tell of it.

Invariants: what the file holds is one snapshot of the list; an attempt that was overtaken leaves no row that
names its file, and the sweeping of the store takes the file away.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

import msgspec

from weighbridge.collection.data_points.queries import DATA_POINTS
from weighbridge.collection.events.queries import EVENTS
from weighbridge.collection.evidence_files.keeping import KEY_BYTES
from weighbridge.collection.evidence_files.store import EvidenceStore
from weighbridge.collection.tenancy.project import project_named
from weighbridge.core.identity import ids
from weighbridge.core.platform.export_format import LASTS, ROWS_OF_FORMAT, ExportFormat
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Database, Read
from weighbridge.db.hosts.replica import Replica, ReplicaState
from weighbridge.db.listing import list_request
from weighbridge.errors import Invalid
from weighbridge.exchange.export_rows.data_points import data_points_table
from weighbridge.exchange.export_rows.events import events_table
from weighbridge.exchange.export_rows.records import Query, RecordTable, record_of
from weighbridge.exchange.export_rows.table import ExportTable
from weighbridge.exchange.exports.records import ExportResult
from weighbridge.http.call import Call
from weighbridge.http.operation import Operation
from weighbridge.http.wire import Encode
from weighbridge.platform.async_tasks import actions as tasks
from weighbridge.platform.async_tasks.actions import Attempt
from weighbridge.settings import Settings

REPLICA_WAIT_SECONDS: Final = 10
"""How long a file waits for the replica to have all that was committed before it was begun."""

_READ_BYTES: Final = 1_048_576


Result = TypeVar("Result")


class _Asked(msgspec.Struct, frozen=True):
    operation: str
    path: dict[str, str]
    query: list[list[str]]
    file_format: str


class Exporter:
    """Makes the files of lists; the worker has one, with the lists and the store of the service."""

    def __init__(
        self, lists: Mapping[str, Operation], store: EvidenceStore, encode: Encode, settings: Settings
    ) -> None:
        self._lists = lists
        self._store = store
        self._encode = encode
        self._settings = settings

    async def make(self, database: Database, attempt: Attempt) -> None:
        """Make the file of one export; Invalid where it would be longer than its format may be."""
        number = ids.number("export", attempt.args["export_id"], 0)
        with TemporaryDirectory(prefix="weighbridge-export-") as folder:
            rows, file = Path(folder) / "rows.csv", Path(folder) / "file"

            async def read(tx: Read) -> tuple[ExportTable, ExportFormat, int]:
                asked = await self._asked(tx, number)
                table = await self._table(tx, attempt, asked)
                export_format = ExportFormat(asked.file_format)
                guards = export_format is ExportFormat.CSV
                return table, export_format, await _written(tx, table, rows, guards=guards)

            table, export_format, count = await self._read(database, read)
            if count > ROWS_OF_FORMAT.get(export_format, count):
                raise Invalid([Problem(_too_long(export_format, count))])
            await tasks.report(database, attempt, 50, f"Writing {count:,} rows")
            await asyncio.to_thread(_write_file, export_format, rows, table, file)
            key = token_hex(KEY_BYTES)
            sha256 = await asyncio.to_thread(_digest, file)
            size = file.stat().st_size
            await self._store.put_file(key, file)
        await _publish(database, attempt, number, (key, count, size, sha256))

    async def _read(self, database: Database, read: Callable[[Read], Awaitable[Result]]) -> Result:
        """What is read of the replica where there is one that has all in time, and else of the primary."""
        found = None
        if (url := self._settings.replica_url) is not None:
            async with Replica(url, 1, REPLICA_WAIT_SECONDS, state=ReplicaState.FOLLOWING) as replica:
                found = await replica.serve(database, read)
        if found is not None:
            return found
        async with database.read() as tx:
            return await read(tx)

    async def _asked(self, tx: Read, number: int) -> _Asked:
        asked = await tx.row(_Asked, "SELECT list, path, query, format FROM exports WHERE id = %s", (number,))
        assert asked is not None, "a task of an export is written with it"  # noqa: S101
        return asked

    async def _table(self, tx: Read, attempt: Attempt, asked: _Asked) -> ExportTable:
        """The list as a table; those of a million rows are written by the database."""
        query = [(name, value) for name, value in asked.query]
        if asked.operation == "list_data_points":
            project = await project_named(tx, attempt.actor, asked.path["project_id"])
            return data_points_table(project, list_request(query, DATA_POINTS))
        if asked.operation == "list_events":
            project = await project_named(tx, attempt.actor, asked.path["project_id"])
            return await events_table(tx, project, list_request(query, EVENTS))
        operation = self._lists[asked.operation]

        async def read(tx: Read, query: Query) -> Any:
            assert operation.function is not None, "an endpoint has its function"  # noqa: S101
            call = Call(tx, attempt.actor, asked.path, tuple(query), self._store, self._settings)
            return await operation.function(call)

        return RecordTable(record_of(operation.returns), read, query, self._encode)


async def _written(tx: Read, table: ExportTable, target: Path, *, guards: bool) -> int:
    """Write the rows as CSV; gives how many they are."""
    with target.open("wb") as file:
        async for block in table.csv(tx, guards=guards):
            file.write(block)
    return await asyncio.to_thread(_rows_in, target)


def _rows_in(path: Path) -> int:
    """How many rows stand behind the header: line ends outside of quotes."""
    lines, is_quoted = 0, False
    with path.open("rb") as file:
        for block in iter(partial(file.read, _READ_BYTES), b""):
            if not is_quoted and b'"' not in block:
                lines += block.count(b"\n")
                continue
            for part in block.split(b'"'):
                lines += 0 if is_quoted else part.count(b"\n")
                is_quoted = not is_quoted
            is_quoted = not is_quoted
    return lines - 1


def _write_file(export_format: ExportFormat, rows: Path, table: ExportTable, target: Path) -> None:
    # Slow to import and large: no worker has it before the first file is made.
    from weighbridge.exchange.export_files.written import write_file  # noqa: PLC0415

    write_file(export_format, rows, table.columns, target)


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _too_long(export_format: ExportFormat, count: int) -> str:
    return (
        f"The list has {count:,} rows; a file of {export_format} holds at most "
        f"{ROWS_OF_FORMAT[export_format]:,}. Narrow it by filters, or take another format."
    )


async def _publish(
    database: Database, attempt: Attempt, number: int, file: tuple[str, int, int, bytes]
) -> None:
    async with database.write() as tx:
        await tasks.hold_fence(tx, attempt)
        await tx.execute(
            """
            UPDATE exports SET storage_key = %s, rows = %s, size_bytes = %s, sha256 = %s,
                               expires_at = clock_timestamp() + %s
             WHERE id = %s
            """,
            (*file, LASTS, number),
        )
        await tasks.succeed(tx, attempt, ExportResult(ids.of("export", 0, number), file[1]))
