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
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
from psycopg.sql import SQL

from weighbridge.accounting.batches_queries import LEDGER_BATCHES, list_ledger_batches
from weighbridge.accounting.ledgers_queries import find_ledger_to_read
from weighbridge.accounting.records.batches import Batch
from weighbridge.collection.data_points_queries import DATA_POINTS
from weighbridge.collection.events import EVENTS
from weighbridge.collection.evidence_files import KEY_BYTES, EvidenceStore
from weighbridge.core import identity
from weighbridge.core.identity import API_PREFIX, ResourceAddress
from weighbridge.core.platform.cell import name_account
from weighbridge.core.platform.file_name import describe_query
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
from weighbridge.db import locks
from weighbridge.db.engine import Database, Read, Write
from weighbridge.db.lists.listing import Page, list_request
from weighbridge.db.replica import Replica, ReplicaState
from weighbridge.db.row import Column, row_of, unless_null
from weighbridge.db.statements import jsonb
from weighbridge.errors import Forbidden, Invalid, NotFound
from weighbridge.exchange.export.record_table import Query, RecordTable, find_record
from weighbridge.exchange.export.selected_tables import (
    ExportTable,
    build_data_points_table,
    build_events_table,
)
from weighbridge.exchange.records.exports import Export, ExportResult
from weighbridge.http import wire
from weighbridge.http.admission import admit
from weighbridge.http.endpoints.endpoint import ReadCall, get
from weighbridge.http.endpoints.links import KEY, LinkCall, Linked, by_link
from weighbridge.http.endpoints.response_modes import AskedFile, StartedExport
from weighbridge.http.messages.body import SPOOL_BYTES
from weighbridge.http.messages.operation import Attachment, Call, Operation, Spool
from weighbridge.http.wire import Encode
from weighbridge.platform import async_tasks as tasks
from weighbridge.platform import changes
from weighbridge.platform.async_tasks import Attempt, queue_task
from weighbridge.platform.tenancy import find, name_download, project_named
from weighbridge.settings import Settings

_IS_THERE: Final = "(x.storage_key IS NOT NULL AND x.expires_at > now())"

_STATUS: Final = f"""
    CASE WHEN {_IS_THERE} THEN '{ExportStatus.COMPLETED}'
         WHEN x.expires_at IS NOT NULL THEN '{ExportStatus.EXPIRED}'
         WHEN t.state = '{TaskState.FAILED}' THEN '{ExportStatus.FAILED}'
         ELSE '{ExportStatus.PENDING}' END
"""


def _build_url(
    number: int,
    account: int,
    link: bytes,
    is_there: bool,  # noqa: FBT001 - a column
) -> ResourceAddress | None:
    if not is_there:
        return None
    secret = name_account(account, link.hex())
    return ResourceAddress(f"{API_PREFIX}/exports/{identity.of('export', 0, number)}/download?{KEY}={secret}")


EXPORT: Final = row_of(
    Export,
    Column("id", "x.id", partial(identity.of, "export", 0)),
    Column("status", _STATUS),
    Column("format", "x.format"),
    Column("download_url", ("x.id", "x.account_id", "x.link", _IS_THERE), _build_url),
    Column("file_size_bytes", "x.size_bytes"),
    Column("rows", "x.rows"),
    Column("sha256", "x.sha256", unless_null(bytes.hex)),
    Column("expires_at", "x.expires_at"),
    Column("async_task_id", "x.task_id"),
    Column("created_at", "x.created_at"),
)


class LinkedFile(NamedTuple):
    """The file of an export, as the link in its address leads to it."""

    account: int
    link: bytes
    format: str
    storage_key: str
    size: int
    sha256: bytes
    operation: str
    path: dict[str, str]
    query: list[list[str]]
    created_at: datetime

    async def name(self, tx: Read, friendly: str) -> str:
        """What the file is called: project, list and filters, and when it was asked for."""
        key = identity.parse("project", project) if (project := self.path.get("project_id", "")) else None
        number = key.project if key else int(project) if project.isdecimal() else None
        listed = self.operation.removeprefix("list_").replace("_", "-")
        return await name_download(
            tx, number, self.format, listed, *describe_query((name, value) for name, value in self.query),
            moment=self.created_at, friendly=friendly,
        )  # fmt: skip


async def find_linked_file(tx: Read, friendly: str, key: str) -> LinkedFile:
    """The file that a link leads to; NotFound for any other link, and when it is not there."""
    statement = f"""
        SELECT x.account_id, x.link, x.format, x.storage_key, x.size_bytes, x.sha256, x.list, x.path, x.query,
               x.created_at
          FROM exports x WHERE x.id = %s AND {_IS_THERE}
    """
    file = await tx.row(LinkedFile, statement, (identity.number("export", friendly, 0),))
    given = key.encode()
    if file is None or not (
        secrets.compare_digest(name_account(file.account, file.link.hex()).encode(), given)
        or secrets.compare_digest(file.link.hex().encode(), given)  # of addresses that name no account
    ):
        raise NotFound("export", friendly)
    return file


LINK_BYTES: Final = 16
"""Random bytes of a link: nobody finds them by trying."""


async def start_export(tx: Write, actor: Actor, file: AskedFile) -> StartedExport:
    """Write down which list is asked for as a file, and queue the making of it."""
    number: int = await tx.value("SELECT nextval('exports_id_seq')")
    friendly = identity.of("export", 0, number)
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


class _ExportRequest(msgspec.Struct, frozen=True):
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
        number = identity.number("export", attempt.args["export_id"], 0)
        with TemporaryDirectory(prefix="weighbridge-export-") as folder:
            rows, file = Path(folder) / "rows.csv", Path(folder) / "file"

            async def read(tx: Read) -> tuple[ExportTable, ExportFormat, int]:
                asked = await self._read_request(tx, number)
                table = await self._build_table(tx, attempt, asked)
                export_format = ExportFormat(asked.file_format)
                guards = export_format is ExportFormat.CSV
                return table, export_format, await _write_rows(tx, table, rows, guards=guards)

            table, export_format, count = await self._read(database, read)
            if count > ROWS_OF_FORMAT.get(export_format, count):
                raise Invalid([Problem(_describe_limit(export_format, count))])
            await tasks.report_progress(database, attempt, 50, f"Writing {count:,} rows")
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

    async def _read_request(self, tx: Read, number: int) -> _ExportRequest:
        asked = await tx.row(
            _ExportRequest, "SELECT list, path, query, format FROM exports WHERE id = %s", (number,)
        )
        assert asked is not None, "a task of an export is written with it"  # noqa: S101
        return asked

    async def _build_table(self, tx: Read, attempt: Attempt, asked: _ExportRequest) -> ExportTable:
        """The list as a table; those of a million rows are written by the database."""
        query = [(name, value) for name, value in asked.query]
        operation = self._lists[asked.operation]
        actor = await tasks.read_limited_actor(tx, attempt)
        if actor.is_limited:
            spans_projects = operation.spans_projects
            actor = admit(actor, operation.permission, asked.path, spans_projects=spans_projects)
        if asked.operation == "list_data_points":
            project = await project_named(tx, actor, asked.path["project_id"])
            return build_data_points_table(project, list_request(query, DATA_POINTS))
        if asked.operation == "list_events":
            project = await project_named(tx, actor, asked.path["project_id"])
            return await build_events_table(tx, project, list_request(query, EVENTS))

        async def read(tx: Read, query: Query) -> Any:
            assert operation.function is not None, "an endpoint has its function"  # noqa: S101
            call = Call(tx, actor, asked.path, tuple(query), self._store, self._settings)
            return await operation.function(call)

        return RecordTable(find_record(operation.returns), read, query, self._encode)


async def _write_rows(tx: Read, table: ExportTable, target: Path, *, guards: bool) -> int:
    """Write the rows as CSV; gives how many they are."""
    with target.open("wb") as file:
        async for block in table.csv(tx, guards=guards):
            file.write(block)
    return await asyncio.to_thread(_count_rows, target)


def _count_rows(path: Path) -> int:
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


def _describe_limit(export_format: ExportFormat, count: int) -> str:
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
                               expires_at = (SELECT clock_timestamp() + %s)
             WHERE id = %s
            """,
            (*file, LASTS, number),
        )
        await tasks.complete_task(tx, attempt, ExportResult(identity.of("export", 0, number), file[1]))


_ONE: Final = "/exports/{export_id}"


@get(_ONE, permission=ANY, returns=Export, task_results={"export": ExportResult})
async def get_export(call: ReadCall) -> Export:
    """Read one export; poll it until it is completed, which it stays for 24 hours.

    Its file is asked for with `response_mode=summary_with_export` on a list. It takes the permission to read
    that list.
    """
    tx, actor = call.tx, call.actor
    number = identity.number("export", call.path["export_id"], 0)
    rows = await tx.tuples(
        """
        SELECT x.permission, (t.user_id, t.token_id) IS NOT DISTINCT FROM (%s::integer, %s::integer)
          FROM exports x JOIN async_tasks t ON t.id = x.task_id WHERE x.id = %s AND x.account_id = %s
        """,
        (actor.user_id, actor.token_id, number, actor.account_id),
    )
    if not rows:
        raise NotFound
    [(permission, is_own)] = rows
    projects = actor.find_projects(permission)
    # What others asked for may have rows of projects that are not there for somebody limited to some.
    if actor.is_limited and projects is not None and not is_own:
        raise NotFound
    if projects == frozenset():
        raise Forbidden(f"The token lacks the permission {permission}.", "permission_missing")
    source = "exports x JOIN async_tasks t ON t.id = x.task_id"
    return await find(tx, EXPORT, source, SQL("x.id = %s"), (number,))


@by_link(
    _ONE + "/download",
    query={KEY: "What stands in the `download_url` of the export."},
    sends=tuple(MEDIA_TYPES.values()),
)
async def download_export(call: LinkCall) -> Linked:
    """Download the file of an export by the address that `download_url` says, for 24 hours."""
    file = await find_linked_file(call.tx, call.path["export_id"], call.query.get(KEY, ""))
    return Linked(
        file.account,
        Attachment(
            name=await file.name(call.tx, call.path["export_id"]),
            media_type=MEDIA_TYPES[ExportFormat(file.format)],
            size=file.size,
            read=partial(call.files.get, file.storage_key, file.size, file.sha256),
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
    told = await _read_ledger_name(call, ledger), "batches"
    friendly = call.path["ledger_id"]
    return Attachment(
        name=await name_download(call.tx, ledger.project, ExportFormat.CSV, *told, friendly=friendly),
        media_type=MEDIA_TYPES[ExportFormat.CSV],
        size=size,
        read=partial(_return_spool, spool),
    )


async def _read_ledger_name(call: ReadCall, ledger: identity.Key) -> str:
    statement = "SELECT name FROM ledgers WHERE (project_id, id) = (%s, %s)"
    return str(await call.tx.value(statement, (ledger.project, ledger.key)))


async def _return_spool(spool: Spool) -> Spool:
    return spool


ROUTES = [get_export, download_export, download_ledger_batches]
