"""Paths of uploads."""

from functools import partial
from typing import Final

from weighbridge.collection.named_records.names import project_named
from weighbridge.core.collection.data_feed import FILE_BYTES_MAX
from weighbridge.db.lists.listing import Page, list_request
from weighbridge.exchange.data_feed_uploads import actions, queries
from weighbridge.exchange.data_feed_uploads.records import (
    DataFeedUpload,
    NewUploadBody,
    SentFile,
    UploadResult,
)
from weighbridge.exchange.data_feeds.queries import get_data_feed
from weighbridge.http.endpoints.endpoint import Answer, ReadCall, WriteCall, get, post
from weighbridge.http.messages.body import Form
from weighbridge.http.messages.reply import Attachment
from weighbridge.platform.async_tasks import POLL_AFTER_SECONDS

_PATH: Final = "/projects/{project_id}/data_feeds/{data_feed_id}/uploads"
_ONE: Final = _PATH + "/{upload_id}"
_FORM: Final = Form(
    file_bytes_max=FILE_BYTES_MAX,
    file="A CSV file, plain or gzipped, or a workbook (XLSX).",
    texts={
        actions.DRY_RUN_PART: "true does everything as in earnest and then undoes it; false, if left out."
    },
    wrapping="upload",
    received=actions.keep_sent,
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
    after a dry run. Content that was stored whole before adds nothing, and `same_as` says so.
    """
    project, feed = await _feed(call)
    if isinstance(new, SentFile):
        made = await actions.create_upload(call.tx, call.actor, project, feed, new)
    else:
        made = await actions.upload_again(call.tx, call.actor, project, feed, new.upload)
    return Answer(made, {"Retry-After": str(POLL_AFTER_SECONDS)})


@get(_PATH, permission="data_collection:read", returns=Page[DataFeedUpload], listing=queries.UPLOADS)
async def list_uploads(call: ReadCall) -> Page[DataFeedUpload]:
    """List the uploads of a data feed, the newest first."""
    project, feed = await _feed(call)
    return await queries.list_uploads(call.tx, project, feed, list_request(call.query, queries.UPLOADS))


@get(_ONE, permission="data_collection:read", returns=DataFeedUpload)
async def get_upload(call: ReadCall) -> DataFeedUpload:
    """Read one upload: how far it is, and what it came to."""
    project, feed = await _feed(call)
    return await queries.get_upload(call.tx, project, feed, call.path["upload_id"])


@get(_ONE + "/bad_rows.csv", permission="data_collection:read", sends=(_CSV,))
async def download_bad_rows(call: ReadCall) -> Attachment:
    """Download every bad row of an upload as CSV: its number, the column, the value and the reason.

    Texts that a spreadsheet would compute begin with an apostrophe. There is no such file without bad rows.
    """
    project, feed = await _feed(call)
    file = await queries.get_report(call.tx, project, feed, call.path["upload_id"])
    assert file.key is not None, "a report that is there is kept"  # noqa: S101
    return Attachment(
        name=f"bad-rows-of-upload-{call.path['upload_id']}.csv",
        media_type=_CSV,
        size=file.size,
        read=partial(call.files.get, file.key, file.size, file.sha256),
    )


async def _feed(call: ReadCall | WriteCall) -> tuple[int, int]:
    """The project and the number of the data feed in the path."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return project, (await get_data_feed(call.tx, project, call.path["data_feed_id"])).id


ROUTES = [create_upload, list_uploads, get_upload, download_bad_rows]
