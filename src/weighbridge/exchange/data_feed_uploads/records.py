"""What an upload looks like on the wire."""

from dataclasses import dataclass
from typing import Annotated

import msgspec

from weighbridge.core.platform.tasks import TaskState
from weighbridge.core.time.instant import Instant
from weighbridge.db.lists.listing import INT4_LARGEST
from weighbridge.http.text import between, one_of


class UploadProblem(msgspec.Struct, frozen=True):
    """One thing that is wrong with a row."""

    row: int
    """The line of the file on which the row begins, counted from 1; of a workbook, the row of the sheet."""
    column: str | None
    """The column that it is about, where it is about one."""
    value: str | None
    """What stands there; of a row that differs, in the unit of the data point."""
    reason: str
    """Why the row is no event, or how it differs from its event, as the end of a sentence."""
    stored: str | None = None
    """What its event has there, in the unit of the data point; null of a row that is bad."""


class DataFeedUpload(msgspec.Struct, frozen=True):
    """A file that came to a data feed, and what became of it."""

    id: int
    """The number of the upload."""
    project_id: str
    data_feed_id: int
    """The number of the data feed that it came to."""
    state: Annotated[str, one_of(TaskState)]
    """Where its task stands: `complete` when its rows were looked at, `failed` when nothing was stored."""
    async_task_id: int
    """The task that stores the rows; poll it, or this record."""
    progress: int
    """How much of the file is read, in percent."""
    error_message: str | None
    """Why nothing was stored; null unless it failed."""
    file_name: str
    """What the file is called."""
    file_size_bytes: int
    """How long the file is, in bytes."""
    sha256: str
    """The SHA-256 of the file as it came, in hexadecimal digits."""
    place: str | None
    """The watched place in which the file was found; null for one that was sent."""
    dry_run: bool
    """Whether everything was done as in earnest and then undone."""
    same_as: int | None
    """The upload whose file has the same content and was stored whole; this one then added nothing."""
    mapping: dict[str, str] | None
    """What each column gave; `-` gave nothing. Null before the header was read."""
    rows: int | None
    """Rows that were read; null until the end, as are all counts."""
    stored: int | None
    """Events that were stored."""
    already_there: int | None
    """Rows whose events the project had already, by their client references, and which say the same."""
    differing: int | None
    """Rows whose events the project had already with other values; they are among the `problems`."""
    corrected: int | None
    """How many of those events were corrected to what their rows say, where the data feed wants that."""
    incomplete: int | None
    """Events of this file that lack a required value."""
    bad_rows: int | None
    """Rows that are no event."""
    formulas: int | None
    """Cells whose value was saved with a formula, which was not computed."""
    first_start: Instant | None
    """When the first new event starts; of a dry run, the first that would be new."""
    last_end: Instant | None
    """When the last new event ends."""
    problems: list[UploadProblem] | None
    """What is wrong with the first rows that are bad or differ; all are in the file of `bad_rows.csv`."""
    created_at: Instant
    finished_at: Instant | None


class UploadAgain(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An upload of a file that was uploaded before, such as after a dry run."""

    of_upload: Annotated[int, between(1, INT4_LARGEST)]
    """The number of an upload of the same feed, whose file is taken once more."""
    dry_run: bool = False
    """Whether everything is done as in earnest and then undone."""


class NewUploadBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/data_feeds/{data_feed_id}/uploads, without a file."""

    upload: UploadAgain


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file that was put into the store for a new upload."""

    key: str
    name: str
    size: int
    sha256: bytes
    dry_run: bool


class UploadResult(msgspec.Struct, frozen=True):
    """What the task of an upload says it came to."""

    upload_id: int
    """The number of the upload."""
    rows: int
    """Rows that were read."""
    stored: int
    """Events that were stored."""
    already_there: int
    """Rows whose events the project had already, and which say the same."""
    bad_rows: int
    """Rows that are no event."""
    same_as: int | None = None
    """The upload that stored the same content; null unless there is one."""
    differing: int = 0
    """Rows whose events the project had already, with other values."""
    corrected: int = 0
    """How many of those events were corrected."""
