"""Uploads: the files that came to data feeds, and what became of each.

A file, or an earlier upload whose file is read again, becomes a task that stores its rows, counts them,
and lists every bad row (`data_feed_uploads_tasks`). Permission: data collection.
"""

import asyncio
import hashlib
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec
from psycopg.sql import SQL

from weighbridge.collection.evidence_files import KEY_BYTES, EvidenceStore
from weighbridge.core import identity
from weighbridge.core.collection.data_feed import (
    CONTENT_BYTES_MAX,
    FILE_BYTES_MAX,
    FILES_TAKEN,
    NAME_OF_FILE_MAX,
    OnDifference,
)
from weighbridge.core.collection.evidence import check_file_name, remove_path
from weighbridge.core.number import shorten
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant
from weighbridge.db import locks
from weighbridge.db.engine import Database, Read, Write
from weighbridge.db.lists.listing import Filter, Listing, Page, list_request, page_of
from weighbridge.db.row import Column, row_of, unless_null
from weighbridge.db.statements import Literal
from weighbridge.errors import Invalid, NotFound, Refusal
from weighbridge.exchange.data_feeds import DATA_FEEDS
from weighbridge.exchange.records.data_feeds import (
    DataFeed,
    DataFeedUpload,
    InvalidRow,
    InvalidRows,
    NewUploadBody,
    SentFile,
    UploadAgain,
    UploadProblem,
    UploadResult,
)
from weighbridge.exchange.tables.corrected_rows import (
    decode_rows,
    encode_rows,
    read_cells,
    read_problems,
    write_spool,
)
from weighbridge.exchange.tables.reading import FEED_LIMITS
from weighbridge.exchange.tables.table import CsvFile
from weighbridge.exchange.tables.table_form import TableForm
from weighbridge.http.endpoints.endpoint import Answer, ReadCall, WriteCall, get, post
from weighbridge.http.messages.body import FILE_PART, Form, Upload
from weighbridge.http.messages.operation import Attachment, Files
from weighbridge.platform import changes
from weighbridge.platform.async_tasks import POLL_AFTER_SECONDS, queue_task
from weighbridge.platform.tenancy import find, name_download, number_named, project_of
from weighbridge.sandbox.sandbox import read_apart

# Read uploads.


UPLOADS: Final = Listing(
    sorts={"id": "u.id", "created_at": "u.created_at"},
    default_sort="-id",
    key=("u.id",),
    filters={"file_name": Filter("u.file_name", str, "the name of a file")},
)


def _read_problems(stored: Any) -> list[UploadProblem]:
    return msgspec.convert(stored, list[UploadProblem])


UPLOAD_ROW: Final = row_of(
    DataFeedUpload,
    Column("id", "u.id"),
    Column("project_id", "u.project_id", partial(identity.of, "project")),
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
    Column("on_difference", "t.args ->> 'on_difference'"),
    Column("corrects", "(t.args ->> 'corrects')::integer"),
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
    Column("problems", "u.problems", unless_null(_read_problems)),
    Column("created_at", "u.created_at"),
    Column("finished_at", "t.finished_at", unless_null(Instant.of)),
)
_SOURCE: Final = """
    data_feed_uploads u JOIN async_tasks t ON t.id = u.task_id
    JOIN async_task_progress p ON p.task_id = u.task_id
"""
_OF_FEED: Final = SQL("u.project_id = %s AND u.data_feed_id = %s AND u.id = %s")


class UploadFile(msgspec.Struct, frozen=True):
    """A file of an upload in the store; without a key once it was removed."""

    name: str
    key: str | None
    size: int
    sha256: bytes
    corrects: int | None = None
    """The upload whose file is read, where this one holds corrected rows of it."""


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
    on_difference: str | None
    """What becomes of events that differ from their rows; None as the data feed says."""
    corrects: int | None
    """The upload whose file is read, where this one holds corrected rows of it."""


async def read_upload(tx: Read, project: int, feed: int, named: str) -> DataFeedUpload:
    """One upload of a data feed by its number."""
    values = (project, feed, number_named("upload", str(named)))
    return await find(tx, UPLOAD_ROW, _SOURCE, _OF_FEED, values)


async def get_file(tx: Read, project: int, feed: int, named: str | int) -> UploadFile:
    """The file of an upload; NotFound when there is no such upload."""
    return await _read_file(tx, project, feed, named, _COLUMNS_OF_FILE)


async def get_report(tx: Read, project: int, feed: int, named: str) -> UploadFile:
    """The file of an upload's bad rows; NotFound where there were none."""
    columns = "u.file_name, u.report_key, coalesce(u.report_bytes, 0), coalesce(u.report_sha256, ''::bytea)"
    found = await _read_file(tx, project, feed, named, columns)
    if found.key is None:
        raise NotFound("upload", named)
    return found


async def get_work(tx: Read, project: int, task: int) -> UploadWork:
    """What a task is to do."""
    found = await tx.row(
        UploadWork,
        """
        SELECT u.project_id, u.id, u.data_feed_id, u.dry_run, u.file_name, u.storage_key, u.size_bytes,
               u.sha256, t.args ->> 'on_difference', (t.args ->> 'corrects')::integer
          FROM data_feed_uploads u JOIN async_tasks t ON t.id = u.task_id
         WHERE u.project_id = %s AND u.task_id = %s
        """,
        (project, task),
    )
    assert found is not None, "a task of an upload is written with it"  # noqa: S101
    return found


async def find_stored(tx: Read, work: UploadWork, content_sha256: bytes) -> int | None:
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


async def _read_file(tx: Read, project: int, feed: int, named: str | int, columns: Any) -> UploadFile:
    statement = SQL(_SELECT_FILE).format(SQL(columns), _OF_FEED)
    found = await tx.row(UploadFile, statement, (project, feed, number_named("upload", str(named))))
    if found is None:
        raise NotFound("upload", named)
    return found


_COLUMNS_OF_FILE: Final = (
    "u.file_name, u.storage_key, u.size_bytes, u.sha256, (t.args ->> 'corrects')::integer"
)
_SELECT_FILE: Final = "SELECT {} FROM data_feed_uploads u JOIN async_tasks t ON t.id = u.task_id WHERE {}"


# Take files for data feeds: put them into the store, write them down and queue their tasks.


DRY_RUN_PART: Final = "dry_run"
DIFFERENCE_PART: Final = "on_difference"
KIND: Final = "data_feed_upload"

_TRUTHS: Final = {"true": True, "false": False}


@asynccontextmanager
async def keep_sent(store: EvidenceStore, upload: Upload) -> AsyncIterator[SentFile]:
    """Put a file into the store; it is removed when the block ends with a refusal."""
    name = remove_path(upload.name)
    problems = check_file_name(name, FILE_PART)
    on_difference = upload.texts.get(DIFFERENCE_PART) or None
    problems += _problems_of_difference(on_difference, DIFFERENCE_PART)
    written = upload.texts.get(DRY_RUN_PART, "false")
    if written not in _TRUTHS:
        text = f"{DRY_RUN_PART} is {shorten(written)!r}; it takes true or false."
        problems.append(Problem(text, DRY_RUN_PART, "invalid"))
    if not upload.size:
        problems.append(Problem("The file is empty.", FILE_PART, "required"))
    if problems:
        raise Invalid(problems)
    key = token_hex(KEY_BYTES)
    upload.content.seek(0)
    await store.put_file(key, upload.content)
    try:
        yield SentFile(
            key, name[:NAME_OF_FILE_MAX], upload.size, upload.sha256, _TRUTHS[written], on_difference
        )
    except Refusal:
        with suppress(Refusal):
            await store.delete(key)
        raise


def _problems_of_difference(on_difference: str | None, field: str) -> list[Problem]:
    """What is wrong with the words for events that differ from their rows, by the field that has them."""
    if on_difference is None or on_difference in {*OnDifference}:
        return []
    text = f"{field} is {shorten(on_difference)!r}; it takes one of {', '.join(OnDifference)}."
    return [Problem(text, field, "invalid")]


async def insert_upload(
    tx: Write, actor: Actor, project: int, feed: int, file: SentFile, *, place: str | None = None
) -> DataFeedUpload:
    """Write down a file that is in the store, and queue the storing of its rows."""
    number: int = await tx.value("SELECT nextval('data_feed_uploads_id_seq')")
    options = {"on_difference": file.on_difference, "corrects": file.corrects}
    args = {"data_feed_id": feed, "upload_id": number} | {
        name: value for name, value in options.items() if value is not None
    }
    task = await queue_task(
        tx, actor, kind=KIND, project_id=project, args=args, lock=locks.jobs_of_feed(project, feed)
    )
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
    made = await read_upload(tx, project, feed, str(number))
    changes.record(
        tx, actor, action="data_feed_upload.create", target=str(number), project_id=project, after=made
    )
    return made


async def upload_again(
    tx: Write, files: Files, actor: Actor, project: int, feed: int, again: UploadAgain
) -> DataFeedUpload:
    """Take the file of an earlier upload once more, with the rows that are corrected."""
    if problems := _problems_of_difference(again.on_difference, f"upload.{DIFFERENCE_PART}"):
        raise Invalid(problems)
    file = await get_file(tx, project, feed, again.of_upload)
    original = file if file.corrects is None else await get_file(tx, project, feed, file.corrects)
    if file.key is None or original.key is None:
        text = f"The file of upload {again.of_upload} is no longer stored. Upload it again."
        raise Invalid([Problem(text, "upload.of_upload", "invalid")])
    sent = SentFile(
        file.key, file.name, file.size, file.sha256, again.dry_run, again.on_difference, file.corrects
    )
    if again.rows is None:
        return await insert_upload(tx, actor, project, feed, sent)
    before = {} if file.corrects is None else await tx.meanwhile(read_corrected_rows(files, file))
    content = encode_rows(before, again.rows)
    key = token_hex(KEY_BYTES)
    await tx.meanwhile(files.put_file(key, io.BytesIO(content)))
    corrected = replace(
        sent, key=key, size=len(content), sha256=hashlib.sha256(content).digest(),
        corrects=file.corrects or again.of_upload,
    )  # fmt: skip
    try:
        return await insert_upload(tx, actor, project, feed, corrected)
    except Refusal:
        with suppress(Refusal):
            await files.delete(key)
        raise


async def read_corrected_rows(files: Files, file: UploadFile) -> dict[int, list[str]]:
    """The corrected rows that the file of an upload holds, by their lines."""
    assert file.key is not None, "the caller has seen that it is stored"  # noqa: S101
    with await files.get(file.key, file.size, file.sha256) as spool:
        return decode_rows(spool.read())


async def find_last_start(tx: Read, work: UploadWork) -> datetime | None:
    """When the last event begins that earlier files of a feed have brought; None before the first."""
    last: datetime | None = await tx.value(
        """
        SELECT max(coalesce(last_start, first_start)) FROM data_feed_uploads
         WHERE project_id = %s AND data_feed_id = %s AND id < %s AND NOT dry_run
        """,
        (work.project, work.feed, work.number),
    )
    return last


async def remove_old_files(database: Database, store: EvidenceStore) -> int:
    """Remove files and reports of uploads that ended long ago; gives how many uploads they were of."""
    async with database.write() as tx:
        rows = await tx.tuples(_FORGET)
        # The file of an upload may be that of a later one too.
        kept = (
            {key for (key,) in await tx.tuples(_STILL_NAMED, ([key for key, _ in rows],))} if rows else set()
        )
    for key, report in rows:
        for stored_key in (key, report):
            if stored_key is not None and stored_key not in kept:
                await store.delete(stored_key)
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


# Paths of uploads.


_PATH: Final = "/projects/{project_id}/data_feeds/{data_feed_id}/uploads"
_ONE: Final = _PATH + "/{upload_id}"
_FORM: Final = Form(
    file_bytes_max=FILE_BYTES_MAX,
    file=FILES_TAKEN,
    texts={
        DRY_RUN_PART: "true does everything as in earnest and then undoes it; false, if left out.",
        DIFFERENCE_PART: "report or correct, for this file only; as the data feed says, if left out.",
    },
    wrapping="upload",
    received=keep_sent,
)
_CSV: Final = "text/csv"


@post(
    _PATH,
    permission="data_collection:write",
    body=NewUploadBody,
    form=_FORM,
    returns=DataFeedUpload,
    status=202,
    example={"upload": {"of_upload": 1, "dry_run": False}},
    task_results={"data_feed_upload": UploadResult},
)
async def create_upload(call: WriteCall, new: NewUploadBody | SentFile) -> Answer:
    """Upload a file to a data feed: a task stores each of its rows as an event.

    A file is sent as multipart/form-data. Sent as JSON, the file of an earlier upload is taken again, such as
    after a dry run, or with corrected `rows` in place of bad ones. A corrected row keeps the line and the
    client reference that it has in the file. Content that was stored whole before adds nothing, and `same_as`
    says so.
    """
    project, feed = await _find_feed(call)
    if isinstance(new, SentFile):
        made = await insert_upload(call.tx, call.actor, project, feed, new)
    else:
        made = await upload_again(call.tx, call.files, call.actor, project, feed, new.upload)
    return Answer(made, {"Retry-After": str(POLL_AFTER_SECONDS)})


@get(_PATH, permission="data_collection:read", returns=Page[DataFeedUpload], listing=UPLOADS)
async def list_uploads(call: ReadCall) -> Page[DataFeedUpload]:
    """List the uploads of a data feed, the newest first."""
    project, feed = await _find_feed(call)
    request = list_request(call.query, UPLOADS)
    of_feed = SQL("u.project_id = {} AND u.data_feed_id = {}").format(Literal(project), Literal(feed))
    return await page_of(
        call.tx, UPLOAD_ROW.make, UPLOADS, request,
        columns=UPLOAD_ROW.columns, source=_SOURCE, where=[of_feed],
    )  # fmt: skip


@get(_ONE, permission="data_collection:read", returns=DataFeedUpload)
async def get_upload(call: ReadCall) -> DataFeedUpload:
    """Read one upload: how far it is, and what it came to."""
    project, feed = await _find_feed(call)
    return await read_upload(call.tx, project, feed, call.path["upload_id"])


@get(_ONE + "/invalid_rows", permission="data_collection:read", returns=InvalidRows)
async def get_invalid_rows(call: ReadCall) -> InvalidRows:
    """Read the first bad rows of an upload with their cells, as they stand in the file.

    Correct the cells and send them as `rows` of a new upload. Rows that differ from their events are not
    among them.
    """
    project = await project_of(call)
    feed = await DATA_FEEDS.read(call.tx, project, call.path["data_feed_id"])
    named = call.path["upload_id"]
    upload = await read_upload(call.tx, project, feed.id, named)
    if not upload.bad_rows:
        return InvalidRows([], [], 0)
    report = await get_report(call.tx, project, feed.id, named)
    file = await get_file(call.tx, project, feed.id, named)
    original = file if file.corrects is None else await get_file(call.tx, project, feed.id, file.corrects)
    if report.key is None or file.key is None or original.key is None:
        raise Refusal("The file of the upload is no longer stored. Upload it again.")
    corrected = {} if file.corrects is None else await read_corrected_rows(call.files, file)
    return await _read_invalid_rows(call, feed, upload, report, original, corrected)


async def _read_invalid_rows(
    call: ReadCall,
    feed: DataFeed,
    upload: DataFeedUpload,
    report: UploadFile,
    original: UploadFile,
    corrected: dict[int, list[str]],
) -> InvalidRows:
    with TemporaryDirectory(prefix="weighbridge-rows-") as folder:
        paths = Path(folder) / "report", Path(folder) / "file"
        for stored, path in zip((report, original), paths, strict=True):
            assert stored.key is not None, "the caller has seen that it is stored"  # noqa: S101
            spool = await call.files.get(stored.key, stored.size, stored.sha256)
            await asyncio.to_thread(write_spool, spool, path)
        problems = await asyncio.to_thread(read_problems, paths[0])
        title = f"The file {shorten(original.name, NAME_OF_FILE_MAX)}"
        file = CsvFile(
            paths[1], feed.delimiter, feed.encoding, feed.header_line, original.name, CONTENT_BYTES_MAX
        )
        header, rows = await read_apart(
            call.actor.account_id,
            title,
            FEED_LIMITS,
            read_cells,
            file,
            TableForm.of(feed, takes_stored=True),
            [*problems],
            corrected,
        )
    invalid = [InvalidRow(line, cells, problems[line]) for line, cells in rows.items()]
    return InvalidRows(header, invalid, (upload.bad_rows or 0) - len(invalid))


@get(_ONE + "/bad_rows.csv", permission="data_collection:read", sends=(_CSV,))
async def download_bad_rows(call: ReadCall) -> Attachment:
    """Download every bad row of an upload as CSV: its number, the column, the value and the reason.

    Texts that a spreadsheet would compute begin with an apostrophe. There is no such file without bad rows.
    """
    project, feed = await _find_feed(call)
    file = await get_report(call.tx, project, feed, call.path["upload_id"])
    assert file.key is not None, "a report that is there is kept"  # noqa: S101
    upload = call.path["upload_id"]
    feed_name = (await DATA_FEEDS.read(call.tx, project, call.path["data_feed_id"])).name
    return Attachment(
        name=await name_download(call.tx, project, "csv", feed_name, f"bad-rows-of-upload-{upload}"),
        media_type=_CSV,
        size=file.size,
        read=partial(call.files.get, file.key, file.size, file.sha256),
    )


async def _find_feed(call: ReadCall | WriteCall) -> tuple[int, int]:
    """The project and the number of the data feed in the path."""
    project = await project_of(call)
    return project, (await DATA_FEEDS.read(call.tx, project, call.path["data_feed_id"])).id


ROUTES = [create_upload, list_uploads, get_upload, get_invalid_rows, download_bad_rows]
