"""Read uploads."""

from functools import partial
from typing import Any, Final

import msgspec
from psycopg.sql import SQL

from weighbridge.core.identity import ids
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.lists.listing import Filter, Listing, ListRequest, Page, page_of, read_int4
from weighbridge.db.literal import Literal
from weighbridge.db.row import Column, row_of, unless_null
from weighbridge.errors import NotFound
from weighbridge.exchange.data_feed_uploads.records import DataFeedUpload, UploadProblem
from weighbridge.platform.tenancy import find

UPLOADS: Final = Listing(
    sorts={"id": "u.id", "created_at": "u.created_at"},
    default_sort="-id",
    key=("u.id",),
    filters={"file_name": Filter("u.file_name", str, "the name of a file")},
)


def _problems(stored: Any) -> list[UploadProblem]:
    return msgspec.convert(stored, list[UploadProblem])


UPLOAD_ROW: Final = row_of(
    DataFeedUpload,
    Column("id", "u.id"),
    Column("project_id", "u.project_id", partial(ids.of, "project")),
    Column("data_feed_id", "u.data_feed_id"),
    Column("state", "t.state"),
    Column("async_task_id", "u.task_id"),
    Column("progress", "CASE t.state WHEN 'complete' THEN 100 ELSE p.progress END"),
    Column("error_message", "t.error_message"),
    Column("file_name", "u.file_name"),
    Column("file_size_bytes", "u.size_bytes"),
    Column("sha256", "u.sha256", bytes.hex),
    Column("place", "u.place"),
    Column("dry_run", "u.dry_run"),
    Column("same_as", "u.same_as"),
    Column("mapping", "u.mapping"),
    Column("rows", "u.rows"),
    Column("stored", "u.stored"),
    Column("already_there", "u.already_there"),
    Column("differing", "u.differing"),
    Column("corrected", "u.corrected"),
    Column("incomplete", "u.incomplete"),
    Column("bad_rows", "u.bad_rows"),
    Column("formulas", "u.formulas"),
    Column("first_start", "u.first_start", unless_null(Instant.of)),
    Column("last_end", "u.last_end", unless_null(Instant.of)),
    Column("problems", "u.problems", unless_null(_problems)),
    Column("created_at", "u.created_at"),
    Column("finished_at", "t.finished_at", unless_null(Instant.of)),
)
_SOURCE: Final = """
    data_feed_uploads u JOIN async_tasks t ON t.id = u.task_id
    JOIN async_task_progress p ON p.task_id = u.task_id
"""
_OF_FEED: Final = SQL("u.project_id = %s AND u.data_feed_id = %s AND u.id = %s")


class KeptFile(msgspec.Struct, frozen=True):
    """A file of an upload in the store; without a key once it was removed."""

    name: str
    key: str | None
    size: int
    sha256: bytes


class UploadWork(msgspec.Struct, frozen=True):
    """What the task of an upload is to do."""

    project: int
    number: int
    feed: int
    dry_run: bool
    name: str
    key: str | None
    size: int
    sha256: bytes


async def list_uploads(tx: Read, project: int, feed: int, request: ListRequest) -> Page[DataFeedUpload]:
    """The uploads of a data feed, the newest first."""
    of_feed = SQL("u.project_id = {} AND u.data_feed_id = {}").format(Literal(project), Literal(feed))
    return await page_of(
        tx, UPLOAD_ROW.make, UPLOADS, request, columns=UPLOAD_ROW.columns, source=_SOURCE, where=[of_feed]
    )


async def get_upload(tx: Read, project: int, feed: int, named: str) -> DataFeedUpload:
    """One upload of a data feed by its number."""
    values = (project, feed, _number(named))
    return await find(tx, UPLOAD_ROW, _SOURCE, _OF_FEED, values)


async def get_file(tx: Read, project: int, feed: int, named: str | int) -> KeptFile:
    """The file of an upload; NotFound when there is no such upload."""
    return await _file(tx, project, feed, named, "file_name, storage_key, size_bytes, sha256")


async def get_report(tx: Read, project: int, feed: int, named: str) -> KeptFile:
    """The file of an upload's bad rows; NotFound where there were none."""
    columns = "file_name, report_key, coalesce(report_bytes, 0), coalesce(report_sha256, ''::bytea)"
    found = await _file(tx, project, feed, named, columns)
    if found.key is None:
        raise NotFound("upload", named)
    return found


async def work_of(tx: Read, project: int, task: int) -> UploadWork:
    """What a task is to do."""
    found = await tx.row(
        UploadWork,
        """
        SELECT project_id, id, data_feed_id, dry_run, file_name, storage_key, size_bytes, sha256
          FROM data_feed_uploads WHERE project_id = %s AND task_id = %s
        """,
        (project, task),
    )
    assert found is not None, "a task of an upload is written with it"  # noqa: S101
    return found


async def stored_before(tx: Read, work: UploadWork, content_sha256: bytes) -> int | None:
    """The upload by which the same content was stored whole as it is read today, if there is one.

    A feed that was changed since may read it otherwise.
    """
    number: int | None = await tx.value(
        """
        SELECT u.id FROM data_feed_uploads u JOIN data_feeds f ON (f.project_id, f.id)
                                                                = (u.project_id, u.data_feed_id)
         WHERE u.project_id = %s AND u.data_feed_id = %s AND u.content_sha256 = %s
           AND u.finished_at IS NOT NULL AND NOT u.dry_run AND u.bad_rows = 0
           AND u.differing = u.corrected AND u.same_as IS NULL AND u.created_at >= f.updated_at
         ORDER BY u.id LIMIT 1
        """,
        (work.project, work.feed, content_sha256),
    )
    return number


async def _file(tx: Read, project: int, feed: int, named: str | int, columns: Any) -> KeptFile:
    statement = SQL("SELECT {} FROM data_feed_uploads u WHERE {}").format(SQL(columns), _OF_FEED)
    found = await tx.row(KeptFile, statement, (project, feed, _number(named)))
    if found is None:
        raise NotFound("upload", named)
    return found


def _number(named: str | int) -> int:
    try:
        return read_int4(str(named))
    except ValueError:
        raise NotFound("upload", named) from None
