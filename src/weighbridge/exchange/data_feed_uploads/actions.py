"""Take files for data feeds: put them into the store, write them down and queue their tasks."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from secrets import token_hex
from typing import Final

from weighbridge.collection.evidence_files import KEY_BYTES, EvidenceStore
from weighbridge.core.collection.data_feed import NAME_OF_FILE_MAX
from weighbridge.core.collection.evidence import problems_of_name, without_path
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import shorten
from weighbridge.db import locks
from weighbridge.db.engine import Database, Write
from weighbridge.errors import Invalid, Refusal
from weighbridge.exchange.data_feed_uploads import queries
from weighbridge.exchange.data_feed_uploads.records import DataFeedUpload, SentFile, UploadAgain
from weighbridge.http.messages.body import FILE_PART, Upload
from weighbridge.platform import changes
from weighbridge.platform.async_tasks import queue_task

DRY_RUN_PART: Final = "dry_run"
KIND: Final = "data_feed_upload"

_TRUTHS: Final = {"true": True, "false": False}


@asynccontextmanager
async def keep_sent(store: EvidenceStore, upload: Upload) -> AsyncIterator[SentFile]:
    """Put a file into the store; it is removed when the block ends with a refusal."""
    name = without_path(upload.name)
    problems = problems_of_name(name, FILE_PART)
    said = upload.texts.get(DRY_RUN_PART, "false")
    if said not in _TRUTHS:
        text = f"{DRY_RUN_PART} is {shorten(said)!r}; it takes true or false."
        problems.append(Problem(text, DRY_RUN_PART, "invalid"))
    if not upload.size:
        problems.append(Problem("The file is empty.", FILE_PART, "required"))
    if problems:
        raise Invalid(problems)
    key = token_hex(KEY_BYTES)
    upload.content.seek(0)
    await store.put_file(key, upload.content)
    try:
        yield SentFile(key, name[:NAME_OF_FILE_MAX], upload.size, upload.sha256, _TRUTHS[said])
    except Refusal:
        with suppress(Refusal):
            await store.delete(key)
        raise


async def create_upload(
    tx: Write, actor: Actor, project: int, feed: int, file: SentFile, *, place: str | None = None
) -> DataFeedUpload:
    """Write down a file that is in the store, and queue the storing of its rows."""
    number: int = await tx.value("SELECT nextval('data_feed_uploads_id_seq')")
    task = await queue_task(
        tx, actor, kind=KIND, project_id=project, args={"data_feed_id": feed, "upload_id": number},
        lock=locks.jobs_of_feed(project, feed),
    )  # fmt: skip
    await tx.execute(
        """
        INSERT INTO data_feed_uploads (project_id, id, data_feed_id, task_id, file_name, size_bytes, sha256,
                                       storage_key, dry_run, place)
        OVERRIDING SYSTEM VALUE VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
        """,
        (
            project, number, feed, task.id, file.name, file.size, file.sha256, file.key, file.dry_run, place,
        ),
    )  # fmt: skip
    made = await queries.get_upload(tx, project, feed, str(number))
    changes.record(
        tx, actor, action="data_feed_upload.create", target=str(number), project_id=project, after=made
    )
    return made


async def upload_again(
    tx: Write, actor: Actor, project: int, feed: int, again: UploadAgain
) -> DataFeedUpload:
    """Take the file of an earlier upload once more."""
    file = await queries.get_file(tx, project, feed, again.of_upload)
    if file.key is None:
        text = f"The file of upload {again.of_upload} is not kept any more; send it again."
        raise Invalid([Problem(text, "upload.of_upload", "invalid")])
    sent = SentFile(file.key, file.name, file.size, file.sha256, again.dry_run)
    return await create_upload(tx, actor, project, feed, sent)


async def remove_old_files(database: Database, store: EvidenceStore) -> int:
    """Remove files and reports of uploads that ended long ago; gives how many uploads they were of."""
    async with database.write() as tx:
        rows = await tx.tuples(_FORGET)
        # The file of an upload may be that of a later one too.
        kept = (
            {key for (key,) in await tx.tuples(_STILL_NAMED, ([key for key, _ in rows],))} if rows else set()
        )
    for key, report in rows:
        for one in (key, report):
            if one is not None and one not in kept:
                await store.delete(one)
    return len(rows)


_FORGET: Final = """
    UPDATE data_feed_uploads u SET storage_key = NULL, report_key = NULL
      FROM (SELECT d.project_id, d.id, d.storage_key, d.report_key
              FROM data_feed_uploads d JOIN async_tasks t ON t.id = d.task_id
             WHERE (d.storage_key IS NOT NULL OR d.report_key IS NOT NULL)
               AND (d.place IS NULL OR d.settled_at IS NOT NULL)
               AND t.finished_at < now() - interval '30 days' FOR UPDATE OF d SKIP LOCKED) AS old
     WHERE (u.project_id, u.id) = (old.project_id, old.id)
    RETURNING old.storage_key, old.report_key
"""
_STILL_NAMED: Final = "SELECT storage_key FROM data_feed_uploads WHERE storage_key = ANY (%s)"
