"""What a data feed looks like on the wire."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Final

import msgspec

from weighbridge.core.collection.data_feed import (
    COLUMN_NAME_LENGTH_MAX,
    COLUMNS_MAX,
    COLUMNS_OF_FEED_MAX,
    HEADER_LINE_MAX,
    LOCATIONS_OF_FEED_MAX,
    PLACE_LENGTH_MAX,
    ROWS_EDITED_MAX,
    AboveLimit,
    BadRows,
    BelowLimit,
    DecimalMark,
    Formulas,
    OnDifference,
    OtherColumns,
    ReferenceRule,
    ThousandsSeparator,
)
from weighbridge.core.platform.tasks import TaskState
from weighbridge.core.time.calendar import Instant
from weighbridge.db.lists.field import RequestBodies, Sent
from weighbridge.db.lists.listing import INT4_LARGEST, Filter
from weighbridge.http.text import Line, Name, at_most, between, one_of

_HeaderLine = Annotated[int, msgspec.Meta(ge=0, le=HEADER_LINE_MAX)]
_AboveLimit = Annotated[str, one_of(AboveLimit)]
_BadRows = Annotated[str, one_of(BadRows)]
_BelowLimit = Annotated[str, one_of(BelowLimit)]
_DecimalMark = Annotated[str, one_of(DecimalMark)]
_Formulas = Annotated[str, one_of(Formulas)]
_OnDifference = Annotated[str, one_of(OnDifference)]
_OtherColumns = Annotated[str, one_of(OtherColumns)]
_ReferenceRule = Annotated[str, one_of(ReferenceRule)]

_Thousands = Annotated[str, one_of(ThousandsSeparator)]


class FeedColumn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one column of a file gives."""

    column: Line
    """The name of the column in the header, or `=` and a value of every row: the first `start_time`, the
    start of `client_reference`, a `location`; `=` alone for no `end_time` or `client_reference`."""
    field: Line
    """The slug of a data point, or `start_time`, `end_time`, `utc_offset`, `tracking_id`, `location`,
    `feedstock`, `asset`, `client_reference` or `notes`; `-` leaves the column out."""
    unit: Line | None = None
    """The unit in which the column is written; null is the unit of the data point."""
    flag: Line | None = None
    """The slug of a text data point that keeps a detection limit as it is written, such as `<0.05`."""


_Columns = Annotated[list[FeedColumn], msgspec.Meta(max_length=COLUMNS_OF_FEED_MAX)]
_Missing = Annotated[list[Line], msgspec.Meta(max_length=20)]
_LocationIds = Annotated[list[str], msgspec.Meta(max_length=LOCATIONS_OF_FEED_MAX)]


class DataFeed(msgspec.Struct, frozen=True):
    """How the files of one source are read."""

    id: int
    """The number of the feed."""
    project_id: str
    name: Annotated[str, Sent(Name, write=str.strip, filter=Filter("name", str, "a name"), is_sorted=True)]
    """What people call it, once in its project."""
    event_type_id: Annotated[str, Sent(str, of="event_type")]
    """The friendly id of the event type of all its events."""
    columns: Annotated[
        list[FeedColumn],
        Sent(_Columns, default=[], read=partial(msgspec.convert, type=list[FeedColumn]), is_json=True),
    ]
    """What columns give; one that is not named here gives what its name says."""
    other_columns: Annotated[_OtherColumns, Sent(_OtherColumns, default=OtherColumns.REFUSE)]
    """What becomes of columns that are not named here and whose names say nothing."""
    time_zone: Annotated[str | None, Sent(Line)]
    """The zone of times without an offset, such as `Europe/Istanbul`; null refuses such times."""
    time_format: Annotated[str | None, Sent(Line)]
    """The form of times that are not in ISO 8601, such as `%d.%m.%Y %H:%M`, or `epoch_seconds`,
    `epoch_milliseconds`, `epoch_microseconds`, `epoch_nanoseconds`, `excel_serial`, `excel_serial_1904`."""
    rows_in_order: Annotated[bool, Sent(bool, default=False)]
    """Each row is later than the one before it, which tells apart local times that come twice."""
    files_in_order: Annotated[bool, Sent(bool, default=False)]
    """Each file begins after what was stored of the files before it, which tells apart such times too."""
    duration: Annotated[str | None, Sent(Line)]
    """How long each event is: `30s`, `15m`, `1h` or `1d`; null makes readings, unless a column gives ends."""
    decimal_mark: Annotated[_DecimalMark, Sent(_DecimalMark, default=DecimalMark.POINT)]
    """What stands before the decimals of numbers that are texts."""
    thousands_separator: Annotated[_Thousands, Sent(_Thousands, default=ThousandsSeparator.NONE)]
    """What may stand between groups of digits: `.`, `,`, `space`, `'` or `none`."""
    below_limit: Annotated[_BelowLimit, Sent(_BelowLimit, default=BelowLimit.REFUSE)]
    """What a value such as `<0.05` is: `limit`, `half`, `zero`, or `refuse`; its column then has a `flag`."""
    above_limit: Annotated[_AboveLimit, Sent(_AboveLimit, default=AboveLimit.REFUSE)]
    """What a value such as `>1000` is: `limit` or `refuse`."""
    encoding: Annotated[str, Sent(Line, default="utf-8")]
    """The encoding of CSV files, such as `utf-8` or `windows-1252`."""
    delimiter: Annotated[str, Sent(Line, default=",")]
    """The character between the cells of CSV files."""
    header_line: Annotated[int, Sent(_HeaderLine, default=1)]
    """The line that names the columns; what stands before it is passed over. 0 looks for it among the first
    50 lines: it has every column that `columns` names."""
    units_line: Annotated[bool, Sent(bool, default=False)]
    """Whether the first line below the header holds the units of the columns."""
    sheet: Annotated[str | None, Sent(Line)]
    """The sheet of a workbook, or a pattern of several, such as `*`; null is its first one."""
    archive_files: Annotated[str | None, Sent(Line)]
    """The files of a ZIP archive that are read, as a pattern, such as `*.csv`; null is all of them."""
    skip_rows: Annotated[list[str], Sent(_Missing, default=[])]
    """Patterns of rows that are no data, such as `Total*`, by the first cell that holds anything."""
    tag_column: Annotated[str | None, Sent(Line)]
    """Of a long file, the column that says what a row is a value of; `columns` then names tags too."""
    value_column: Annotated[str | None, Sent(Line)]
    """Of a long file, the column of the values."""
    missing: Annotated[list[str], Sent(_Missing, default=[])]
    """Texts that say, as an empty cell does, that there is no value."""
    formulas: Annotated[_Formulas, Sent(_Formulas, default=Formulas.REFUSE)]
    """What becomes of cells that hold a formula, which is never computed."""
    location_ids: Annotated[list[str], Sent(_LocationIds, default=[], of="location")]
    """The locations of every event."""
    feedstock_id: Annotated[str | None, Sent(str, of="feedstock")]
    """The feedstock of events whose rows name none."""
    asset_id: Annotated[str | None, Sent(str, of="asset")]
    """The asset of events whose rows name none."""
    client_reference: Annotated[_ReferenceRule, Sent(_ReferenceRule, default=ReferenceRule.ROW)]
    """What the client references of events are made of: `row`, `time` or `column`."""
    bad_rows: Annotated[_BadRows, Sent(_BadRows, default=BadRows.REFUSE_FILE)]
    """Whether a bad row, or one that differs from its event, refuses the file, or is left out of it."""
    on_difference: Annotated[_OnDifference, Sent(_OnDifference, default=OnDifference.REPORT)]
    """Whether an event that the project has with other values than its row is told of, or corrected."""
    watch: Annotated[str | None, Sent(Annotated[str, at_most(PLACE_LENGTH_MAX)])]
    """A folder (`/srv/drop/plant`) or a prefix in an object store (`s3://bucket/a`) to take files from."""
    watch_problem: str | None
    """Why the last look at that place came to nothing; null where all was well."""
    created_at: Instant
    updated_at: Instant


DATA_FEED_BODIES: Final = RequestBodies(
    DataFeed,
    "data_feed",
    "/projects/{project_id}/data_feeds",
    about_new="What a caller sends to make a data feed.",
)


_NameOfColumn = Annotated[str, msgspec.Meta(max_length=COLUMN_NAME_LENGTH_MAX)]


class HeaderQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/data_feed_suggestions."""

    event_type_id: str
    header: Annotated[list[_NameOfColumn], msgspec.Meta(min_length=1, max_length=COLUMNS_MAX)]
    """The names of the columns, as they stand in the first line of a file."""


class SuggestedColumns(msgspec.Struct, frozen=True):
    """What the columns of a header may give, to be looked through and sent back as `columns` of a feed."""

    columns: list[FeedColumn]
    """What the columns give, as far as their names tell."""
    unclear: list[str]
    """Columns about which nothing is suggested; they are left out of `columns`."""
    lacking: list[str]
    """What events of the type need and no column gives."""


# What an upload looks like on the wire.


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
    field: str | None = None
    """The field of the event, or the slug of the data point, that differs; null of a row that is bad."""
    event_id: str | None = None
    """The event that differs from its row; null of a row that is bad."""


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
    on_difference: _OnDifference | None
    """What becomes of events that differ from their rows; null as the data feed says."""
    corrects: int | None
    """The upload whose file was read, with the corrected rows that this upload brought; null without any."""
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


class CorrectedRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row of a file as a person has corrected it."""

    row: Annotated[int, between(1, INT4_LARGEST)]
    """The line on which the row begins, as the `problems` of the upload name it."""
    cells: list[str]
    """Its cells, as many as the header has, written as the data feed reads them."""


class InvalidRow(msgspec.Struct, frozen=True):
    """A bad row as it stands in the file."""

    row: int
    """The line on which the row begins."""
    cells: list[str]
    """Its cells, to be corrected and sent as `rows` of a new upload."""
    problems: list[UploadProblem]
    """What is wrong with it."""


class InvalidRows(msgspec.Struct, frozen=True):
    """The first bad rows of an upload, with their cells."""

    header: list[str]
    """The names of the columns."""
    rows: list[InvalidRow]
    """The rows, in the order of the file."""
    omitted: int
    """Bad rows that are not given here: beyond the first ones, or too long."""


class UploadAgain(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An upload of a file that was uploaded before, such as after a dry run."""

    of_upload: Annotated[int, between(1, INT4_LARGEST)]
    """The number of an upload of the same feed, whose file is taken once more."""
    dry_run: bool = False
    """Whether everything is done as in earnest and then undone."""
    on_difference: _OnDifference | None = None
    """What becomes of events that differ from their rows, this time only; null as the data feed says."""
    rows: Annotated[list[CorrectedRow], msgspec.Meta(min_length=1, max_length=ROWS_EDITED_MAX)] | None = None
    """Rows that are read in place of those of the file; its other rows are read as they are."""


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
    on_difference: str | None = None
    """What becomes of events that differ from their rows; None as the data feed says."""
    corrects: int | None = None
    """The upload whose file is read, where this one holds corrected rows of it."""


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
    """How many of those events were corrected; of a dry run, how many would be."""
