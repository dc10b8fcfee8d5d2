"""Read exports."""

import secrets
from datetime import datetime
from typing import Final

import msgspec
from psycopg.sql import SQL

from weighbridge.core.identity import ids
from weighbridge.core.identity.link import API_PREFIX, ResourceAddress
from weighbridge.core.platform.export_format import ExportFormat, ExportStatus
from weighbridge.core.platform.permission import Actor
from weighbridge.core.platform.task_state import TaskState
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.row import Column, row_of
from weighbridge.errors import Forbidden, NotFound
from weighbridge.exchange.exports.records import Export
from weighbridge.platform.tenancy.scope import of_account

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


async def get_export(tx: Read, actor: Actor, friendly: str) -> Export:
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
