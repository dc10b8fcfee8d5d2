"""Exports: lists as files.

In comes a list that is asked for with `response_mode=summary_with_export`, out goes a file of all its
rows, for 24 hours.

Invariants: the file holds one snapshot of the list; an attempt that was superseded leaves no row that
names its file, and the sweeping of the store removes the file.
"""

import asyncio
import hashlib
import secrets
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from secrets import token_hex
from tempfile import SpooledTemporaryFile, TemporaryDirectory
from typing import Any, Final, TypeVar

import msgspec
from psycopg.sql import SQL

from weighbridge.accounting.batches_queries import LEDGER_BATCHES, list_ledger_batches
from weighbridge.accounting.ledgers_queries import find_ledger_to_read
from weighbridge.accounting.records.batches import Batch
from weighbridge.collection.data_points_queries import DATA_POINTS
from weighbridge.collection.events import EVENTS
from weighbridge.collection.evidence_files import KEY_BYTES, EvidenceStore
from weighbridge.collection.named_records.names import project_named
from weighbridge.core.identity import ids
from weighbridge.core.identity.ids import API_PREFIX, ResourceAddress
from weighbridge.core.platform.permission import ANY, Actor
from weighbridge.core.platform.tasks import (
    LASTS,
    MEDIA_TYPES,
    ROWS_OF_FORMAT,
    ExportFormat,
    ExportStatus,
    TaskState,
)
from weighbridge.core.problem import Problem
from weighbridge.core.time.instant import Instant
from weighbridge.db import locks
from weighbridge.db.engine import Database, Read, Write
from weighbridge.db.json import jsonb
from weighbridge.db.lists.listing import Page, list_request
from weighbridge.db.replica import Replica, ReplicaState
from weighbridge.db.row import Column, row_of
from weighbridge.errors import Forbidden, Invalid, NotFound
from weighbridge.exchange.export.record_table import Query, RecordTable, record_of
from weighbridge.exchange.export.selected_tables import ExportTable, data_points_table, events_table
from weighbridge.exchange.records.exports import Export, ExportResult
from weighbridge.http import wire
from weighbridge.http.endpoints.endpoint import ReadCall, get
from weighbridge.http.endpoints.links import LinkCall, Linked, by_link
from weighbridge.http.endpoints.response_modes import AskedFile, StartedExport
from weighbridge.http.messages.body import SPOOL_BYTES
from weighbridge.http.messages.operation import Call, Operation
from weighbridge.http.messages.reply import Attachment, Spool
from weighbridge.http.wire import Encode
from weighbridge.platform import async_tasks as tasks
from weighbridge.platform import changes
from weighbridge.platform.async_tasks import Attempt, queue_task
from weighbridge.platform.tenancy import of_account
from weighbridge.settings import Settings

KEY: Final = "key"
"""The parameter of a download that makes its address a secret."""


class StoredExport(msgspec.Struct, frozen=True):
    """An export as its row has it, and how its task stands."""

    number: int
    account: int
    task: int
    permission: str
    format: ExportFormat
    link: bytes
    storage_key: str | None
    rows: int | None
    size: int | None
    sha256: bytes | None
    expires_at: datetime | None
    is_over: bool
    task_state: str
    created_at: datetime

    @property
    def status(self) -> ExportStatus:
        if self.expires_at is not None:
            return ExportStatus.EXPIRED if self.is_over else ExportStatus.COMPLETED
        return ExportStatus.FAILED if self.task_state == TaskState.FAILED else ExportStatus.PENDING


STORED_EXPORT: Final = row_of(
    StoredExport,
    Column("number", "x.id"),
    Column("account", "x.account_id"),
    Column("task", "x.task_id"),
    Column("permission", "x.permission"),
    Column("format", "x.format", ExportFormat),
    Column("link", "x.link"),
    Column("storage_key", "x.storage_key"),
    Column("rows", "x.rows"),
    Column("size", "x.size_bytes"),
    Column("sha256", "x.sha256"),
    Column("expires_at", "x.expires_at"),
    Column("is_over", "coalesce(x.storage_key IS NULL OR x.expires_at <= now(), false)"),
    Column("task_state", "t.state"),
    Column("created_at", "x.created_at"),
)
_SOURCE: Final = "exports x JOIN async_tasks t ON t.id = x.task_id"


async def read_export(tx: Read, actor: Actor, friendly: str) -> Export:
    """One export of the account; Forbidden for a token that may not read its list."""
    number = ids.number("export", friendly, 0)
    stored = await tx.row(
        STORED_EXPORT.make,
        SQL("SELECT {} FROM {} WHERE x.id = %s AND {}").format(
            SQL(STORED_EXPORT.columns), SQL(_SOURCE), of_account(actor, "x.account_id")
        ),
        (number,),
    )
    if stored is None:
        raise NotFound
    if not actor.may(stored.permission):
        raise Forbidden(f"The token lacks the permission {stored.permission}.", "permission_missing")
    return as_export(stored)


async def export_behind(tx: Read, friendly: str, key: str) -> StoredExport:
    """The export that a link leads to, whose file is there; NotFound for any other link."""
    stored = await tx.row(
        STORED_EXPORT.make,
        f"SELECT {STORED_EXPORT.columns} FROM {_SOURCE} WHERE x.id = %s",
        (ids.number("export", friendly, 0),),
    )
    if stored is None or not secrets.compare_digest(
        stored.link.hex(), key.encode().decode("ascii", "replace")
    ):
        raise NotFound("export", friendly)
    if stored.status is not ExportStatus.COMPLETED:
        raise NotFound("export", friendly)
    return stored


def as_export(stored: StoredExport) -> Export:
    """An export as callers see it."""
    friendly = ids.of("export", 0, stored.number)
    is_there = stored.status is ExportStatus.COMPLETED
    address = f"{API_PREFIX}/exports/{friendly}/download?{KEY}={stored.link.hex()}"
    return Export(
        id=friendly,
        status=stored.status,
        format=stored.format,
        download_url=ResourceAddress(address) if is_there else None,
        file_size_bytes=stored.size,
        rows=stored.rows,
        sha256=None if stored.sha256 is None else stored.sha256.hex(),
        expires_at=None if stored.expires_at is None else Instant.of(stored.expires_at),
        async_task_id=stored.task,
        created_at=Instant.of(stored.created_at),
    )


LINK_BYTES: Final = 16
"""Random bytes of a link: nobody finds them by trying."""


async def start_export(tx: Write, actor: Actor, file: AskedFile) -> StartedExport:
    """Write down which list is asked for as a file, and queue the making of it."""
    number: int = await tx.value("SELECT nextval('exports_id_seq')")
    friendly = ids.of("export", 0, number)
    task = await queue_task(
        tx, actor, kind="export", project_id=None, args={"export_id": friendly},
        lock=locks.job_of_export(number),
    )  # fmt: skip
    await tx.execute(
        """
        INSERT INTO exports (id, account_id, task_id, list, path, query, permission, format, link)
        OVERRIDING SYSTEM VALUE VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
        """,
        (
            number,
            actor.account_id,
            task.id,
            file.operation.name,
            jsonb(dict(file.path)),
            jsonb([list(pair) for pair in file.query]),
            file.operation.permission,
            file.export_format,
            secrets.token_bytes(LINK_BYTES),
        ),
    )
    started = StartedExport(
        friendly, ExportStatus.PENDING, ResourceAddress(f"{API_PREFIX}/exports/{friendly}")
    )
    changes.record(
        tx, actor, action="export.create", target=friendly, project_id=None, before=None, after=started
    )
    return started


async def remove_expired(database: Database, store: EvidenceStore) -> int:
    """Remove the files of exports that are over; gives how many."""
    async with database.write() as tx:
        rows = await tx.tuples(
            """
            UPDATE exports x SET storage_key = NULL
              FROM (SELECT id, storage_key FROM exports
                     WHERE storage_key IS NOT NULL AND expires_at <= now() FOR UPDATE SKIP LOCKED) AS over
             WHERE x.id = over.id RETURNING over.storage_key
            """
        )
    for (key,) in rows:
        await store.delete(key)
    return len(rows)


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
    from weighbridge.exchange.export.files import write_file  # noqa: PLC0415

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
        await tasks.lock_current_attempt(tx, attempt)
        await tx.execute(
            """
            UPDATE exports SET storage_key = %s, rows = %s, size_bytes = %s, sha256 = %s,
                               expires_at = clock_timestamp() + %s
             WHERE id = %s
            """,
            (*file, LASTS, number),
        )
        await tasks.succeed(tx, attempt, ExportResult(ids.of("export", 0, number), file[1]))


_ONE: Final = "/exports/{export_id}"


@get(_ONE, permission=ANY, returns=Export, task_results={"export": ExportResult})
async def get_export(call: ReadCall) -> Export:
    """Read one export; poll it until it is completed, which it stays for 24 hours.

    Its file is asked for with `response_mode=summary_with_export` on a list. It takes the permission to read
    that list.
    """
    return await read_export(call.tx, call.actor, call.path["export_id"])


@by_link(
    _ONE + "/download",
    query={KEY: "What stands in the `download_url` of the export."},
    sends=tuple(MEDIA_TYPES.values()),
)
async def download_export(call: LinkCall) -> Linked:
    """Download the file of an export by the address that `download_url` says, for 24 hours."""
    stored = await export_behind(call.tx, call.path["export_id"], call.query.get(KEY, ""))
    assert stored.storage_key is not None, "a file that is there is kept"  # noqa: S101
    assert stored.size is not None, "a file that is there has a size"  # noqa: S101
    assert stored.sha256 is not None, "a file that is there has a digest"  # noqa: S101
    return Linked(
        stored.account,
        Attachment(
            name=f"{call.path['export_id']}.{stored.format}",
            media_type=MEDIA_TYPES[stored.format],
            size=stored.size,
            read=partial(call.files.get, stored.storage_key, stored.size, stored.sha256),
        ),
    )


@get(
    "/ledgers/{ledger_id}/batches.csv",
    permission="production_accounting:read",
    computes=True,
    sends=(MEDIA_TYPES[ExportFormat.CSV],),
)
async def download_ledger_batches(call: ReadCall) -> Attachment:
    """Download the batches of one ledger as CSV, oldest first.

    Texts that a spreadsheet would compute begin with an apostrophe.
    """
    ledger = find_ledger_to_read(call.tx, call.actor, call.path["ledger_id"])

    async def read(tx: Read, query: Query) -> Page[Batch]:
        request = list_request(query, LEDGER_BATCHES)
        return await list_ledger_batches(tx, ledger.project, ledger.key, request)

    table = RecordTable(Batch, read, (), wire.encoder(call.settings.address))
    spool = SpooledTemporaryFile[bytes](max_size=SPOOL_BYTES)
    try:
        async for block in table.csv(call.tx, guards=True):
            spool.write(block)
    except BaseException:
        spool.close()
        raise
    size = spool.tell()
    spool.seek(0)
    return Attachment(
        name=f"{call.path['ledger_id']}-batches.csv",
        media_type=MEDIA_TYPES[ExportFormat.CSV],
        size=size,
        read=partial(_ready, spool),
    )


async def _ready(spool: Spool) -> Spool:
    return spool


ROUTES = [get_export, download_export, download_ledger_batches]
