"""Ask for a list as a file, and remove files that are over."""

import secrets
from typing import Final

from weighbridge.collection.evidence_files.store import EvidenceStore
from weighbridge.core.identity import ids
from weighbridge.core.identity.link import API_PREFIX, ResourceAddress
from weighbridge.core.platform.export_format import ExportStatus
from weighbridge.core.platform.permission import Actor
from weighbridge.db import locks
from weighbridge.db.engine import Database, Write
from weighbridge.db.json import jsonb
from weighbridge.http.lists.response_mode import AskedFile, StartedExport
from weighbridge.platform import changes
from weighbridge.platform.async_tasks.actions import queue_task

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
