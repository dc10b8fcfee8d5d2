"""Create and change a data feed by a form, which a sample of its files fills in as far as possible."""

import asyncio
import re
import shutil
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any, Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.collection.event_types import get_event_type, list_event_types
from weighbridge.collection.records.data_points import EventType
from weighbridge.core.collection.data_feed import (
    FILES_TAKEN,
    HEADER_LINE_MAX,
    HEADER_SEARCHED,
    NAME_OF_FILE_MAX,
    DecimalMark,
)
from weighbridge.core.collection.evidence import remove_path
from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid, Refusal
from weighbridge.exchange.data_feeds import create_data_feed, get_data_feed, suggest_columns, update_data_feed
from weighbridge.exchange.records.data_feeds import DataFeed, FeedColumn, SuggestedColumns
from weighbridge.exchange.tables.preview import PreviewedRow
from weighbridge.exchange.tables.sample import FileSample, add_times, guess_time_format, read_sample
from weighbridge.exchange.tables.table_form import LEFT_OUT
from weighbridge.http.messages.body import FILE_PART, Form, Upload
from weighbridge.sandbox.sandbox import read_apart
from weighbridge.sandbox.work import SandboxLimits
from weighbridge.web.forms.choices import build_way_to_make, make_new_records
from weighbridge.web.forms.fields import FormField
from weighbridge.web.forms.pages import build_form_context
from weighbridge.web.framework.page import form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.data_feeds import feeds
from weighbridge.web.pages.data_feeds.feed_questions import (
    CarriedSample,
    SampleQuestion,
    build_preview,
    carry_sample,
    check_answers,
    find_open,
    list_answers,
    list_questions,
    read_carried,
)
from weighbridge.web.pages.data_feeds.feeds import DELIMITERS, OFFERED, ONE, PATH

# A data feed while it is typed: what its form shows, and what the interface is sent of it.


LINES_FREE: Final = 4
"""Lines for further columns that the form has."""

CELLS_SHOWN: Final = 3
"""Sample values of a column, the first of the file."""

CELL_LENGTH_SHOWN: Final = 24

_TEXTS: Final = (
    "name",
    "encoding",
    "bad_rows",
    "on_difference",
    "client_reference",
    "other_columns",
    "decimal_mark",
    "thousands_separator",
    "below_limit",
    "above_limit",
    "formulas",
)
_USUAL: Final = {"thousands_separator": "none", "below_limit": "refuse", "above_limit": "refuse"}
"""What these fields are where a form does not say it."""
_OR_NULL: Final = (
    "time_zone",
    "time_format",
    "duration",
    "sheet",
    "archive_files",
    "tag_column",
    "value_column",
    "watch",
    "feedstock_id",
    "asset_id",
)
_LOCATIONS: Final = ("location_id", "second_location_id")
RECORD_FIELDS: Final = (
    FormField(_LOCATIONS[0], "Location", "record", help="empty: none, or from a column", of="location"),
    FormField(_LOCATIONS[1], "Second location", "record", help="empty: none", of="location"),
    FormField("feedstock_id", "Feedstock", "record", help="empty: none, or from a column", of="feedstock"),
    FormField("asset_id", "Asset", "record", help="empty: none, or from a column", of="asset"),
)
"""The records that are set on every event of a feed."""

_TAB: Final = "tab"
"""How a tab is typed, which a field would not keep."""

_BETWEEN_TEXTS: Final = re.compile(r"(?<![0-9]),|,(?![0-9])")
"""What parts texts where a comma may also be the mark of a number."""

_CELLS_APART: Final = " · "


@dataclass(frozen=True, slots=True)
class ColumnLine:
    """A line of the form: what a column of a file gives."""

    column: str = ""
    field: str = ""
    unit: str = ""
    flag: str = ""
    sample: str = ""
    """The first cells of the column, where a sample came."""
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class FeedDraft:
    """All that the form shows."""

    texts: dict[str, str] = field(default_factory=dict)
    lines: list[ColumnLine] = field(default_factory=list)
    locations: list[str] = field(default_factory=list)
    in_order: bool = False
    files_in_order: bool = False
    has_units: bool = False
    """Whether a line of units follows the header."""

    def text(self, name: str, usual: str = "") -> str:
        """Return the text of a field."""
        return self.texts.get(name, usual)


def new_draft(name: str = "", zone: str = "") -> FeedDraft:
    """A feed of which nothing is known yet."""
    return FeedDraft({"name": name, "time_zone": zone}, [ColumnLine()] * LINES_FREE)


def draft_of_feed(feed: DataFeed) -> FeedDraft:
    """A feed as it is."""
    texts = {name: getattr(feed, name) or "" for name in (*_TEXTS, *_OR_NULL)}
    texts |= {
        "delimiter": _TAB if feed.delimiter == "\t" else feed.delimiter,
        "header_line": str(feed.header_line),
        "missing": ", ".join(feed.missing),
        "skip_rows": ", ".join(feed.skip_rows),
    }
    lines = [
        ColumnLine(column.column, column.field, column.unit or "", column.flag or "")
        for column in feed.columns
    ]
    all_lines = [*lines, *[ColumnLine()] * LINES_FREE]
    return FeedDraft(
        texts, all_lines, feed.location_ids, feed.rows_in_order, feed.files_in_order, feed.units_line
    )


def draft_of_sample(sample: FileSample, suggested: SuggestedColumns, carried: CarriedSample) -> FeedDraft:
    """A feed as a sample of its files suggests it; columns about which nothing is known are left out.

    What the sample leaves open stays empty, and is asked.
    """
    time_format, _ = guess_time_format(sample, suggested)
    suggestions = {column.column: column for column in suggested.columns}
    lines = [
        _line(suggestions.get(name, FeedColumn(name, LEFT_OUT)), sample.column(index))
        for index, name in enumerate(sample.header)
    ]
    texts = {
        "name": sample.name.rpartition(".")[0] or sample.name, "encoding": sample.encoding,
        "delimiter": _TAB if sample.delimiter == "\t" else sample.delimiter,
        "header_line": str(sample.header_line), "decimal_mark": sample.decimal_mark,
        "thousands_separator": sample.thousands_separator, "skip_rows": ", ".join(sample.skip_rows),
        "missing": ", ".join(sample.missing),
        "tag_column": sample.tag_column or "", "value_column": sample.value_column or "",
        "time_format": "" if carried.ambiguity.formats else time_format or "", "time_zone": "",
    }  # fmt: skip
    return FeedDraft(texts, lines, has_units=sample.has_units_line)


def draft_of_form(visit: Visit) -> FeedDraft:
    """Return the draft of the typed fields, with problems at the lines of their columns."""
    texts = {name: visit.text(name) for name in visit.typed} | list_answers(visit.typed)
    lines = list(_typed_lines(visit))
    sent_indices = [at for at, line in enumerate(lines) if _is_sent(line)]
    wrong: dict[int, str] = {}
    for problem in visit.problems:
        at = _place_of(problem)
        if at is not None and at < len(sent_indices):
            wrong[sent_indices[at]] = f"{wrong.get(sent_indices[at], '')} {problem.message}".strip()
    shown_lines = [
        ColumnLine(line.column, line.field, line.unit, line.flag, line.sample, wrong.get(at, ""))
        for at, line in enumerate(lines)
    ]
    locations = [text for name in _LOCATIONS if (text := visit.text(name))]
    marked = ("rows_in_order" in texts, "files_in_order" in texts, "units_line" in texts)
    return FeedDraft(texts, shown_lines, locations, *marked)


def build_feed_body(draft: FeedDraft) -> dict[str, Any]:
    """What the form shows, as the interface takes it."""
    body: dict[str, Any] = {name: draft.text(name) or _USUAL.get(name, "") for name in _TEXTS}
    body |= {name: draft.text(name) or None for name in _OR_NULL}
    line, delimiter = draft.text("header_line"), draft.text("delimiter")
    columns = [
        {
            "column": typed_line.column,
            "field": typed_line.field,
            "unit": typed_line.unit or None,
            "flag": typed_line.flag or None,
        }
        for typed_line in draft.lines
        if _is_sent(typed_line)
    ]
    return body | {
        "columns": columns,
        "delimiter": "\t" if delimiter == _TAB else delimiter,
        "header_line": int(line) if line.isascii() and line.isdigit() and len(line) < 9 else line,
        "missing": split_missing(draft.text("missing"), draft.text("decimal_mark")),
        "skip_rows": _split(draft.text("skip_rows")),
        "location_ids": draft.locations,
        "rows_in_order": draft.in_order,
        "files_in_order": draft.files_in_order,
        "units_line": draft.has_units,
    }


def _split(text: str) -> list[str]:
    return [part for piece in text.split(",") if (part := piece.strip())]


def split_missing(text: str, decimal_mark: str) -> list[str]:
    """Return the texts that mean no value; with a decimal comma, one between two digits is of a number."""
    if decimal_mark != DecimalMark.COMMA:
        return _split(text)
    return [part for piece in _BETWEEN_TEXTS.split(text) if (part := piece.strip())]


def delimiters(draft: FeedDraft) -> list[tuple[str, str]]:
    """The delimiters that the form offers, with the one that is set."""
    offered = [(_TAB if delimiter == "\t" else delimiter, words) for delimiter, words in DELIMITERS.items()]
    own_delimiter = draft.text("delimiter")
    return (
        offered
        if not own_delimiter or own_delimiter in {delimiter for delimiter, _ in offered}
        else [*offered, (own_delimiter, own_delimiter)]
    )


def _line(column: FeedColumn, cells: Sequence[str]) -> ColumnLine:
    samples_shown = [
        cell if len(cell) <= CELL_LENGTH_SHOWN else f"{cell[:CELL_LENGTH_SHOWN]}…"
        for cell in cells[:CELLS_SHOWN]
    ]
    return ColumnLine(column.column, column.field, column.unit or "", sample=_CELLS_APART.join(samples_shown))


def _typed_lines(visit: Visit) -> Iterator[ColumnLine]:
    columns, *others = (visit.texts(name) for name in ("column", "field", "unit", "flag", "sample"))
    for at, column in enumerate(columns):
        other_texts = (texts[at].strip() if at < len(texts) else "" for texts in others)
        yield ColumnLine(column.strip(), *other_texts)


def _is_sent(line: ColumnLine) -> bool:
    """Whether a line says anything: without a field the column gives what its name says."""
    return bool(line.field)


def _place_of(problem: Problem) -> int | None:
    """Which of the columns a problem is about; None where it is about none."""
    _, bracket, index_part = (problem.field or "").partition("columns[")
    number = index_part.partition("]")[0]
    return int(number) if bracket and number.isdigit() else None


# Create and change a data feed by a form, which a sample file fills in.


SAMPLE_BYTES_MAX: Final = 8_388_608
"""The largest file that a form is filled in from, in bytes: 8 MB; of a larger one, its first rows will do."""

SAMPLE_LIMITS: Final = SandboxLimits(memory_bytes=536_870_912, cpu_seconds=5)
"""What looking at a sample may take: 512 MB, and 5 seconds of a processor."""

_WRITE: Final = "data_collection:write"
_HEADER_LINE: Final = "header_line"


@asynccontextmanager
async def receive_sample(_: Any, upload: Upload) -> AsyncIterator[FileSample]:
    """The first rows of a file that is kept nowhere; Invalid where it is no table."""
    line = upload.texts.get(_HEADER_LINE) or str(HEADER_SEARCHED)
    if not line.isascii() or not line.isdigit() or not int(line[:9]) <= HEADER_LINE_MAX:
        text = f"header_line must be a whole number from 0 to {HEADER_LINE_MAX:,}, but is {line[:20]!r}."
        raise Invalid([Problem(text, _HEADER_LINE, "invalid")])
    if not upload.size:
        raise Invalid([Problem("The file must not be empty.", FILE_PART, "required")])
    try:
        sample = await _read_apart(upload, int(line))
    except Refusal as refusal:
        raise Invalid(
            [Problem(problem.message, FILE_PART, "invalid") for problem in refusal.problems]
        ) from None
    yield sample


SAMPLE: Final = Form(
    file_bytes_max=SAMPLE_BYTES_MAX,
    file=FILES_TAKEN,
    texts={_HEADER_LINE: "The line that names the columns; it is looked for if left out."},
    wrapping="",
    received=receive_sample,
)


@page(f"{PATH}/new", permission=_WRITE)
async def new_feed_page(visit: Visit) -> View:
    """What a feed makes events of is chosen first, then how its files are read."""
    return await new_feed(visit)


async def new_feed(visit: Visit) -> View:
    """A feed that is to be made; its form, once the event type is chosen."""
    type_id = visit.text("event_type_id") or visit.asked("event_type_id")
    types = [
        event_type
        for event_type in (await visit.ask(list_event_types, OFFERED)).data
        if event_type.rolled_up_from is None
    ]
    if not type_id and len(types) != 1:
        return view(
            "data/feed_types.html", "New feed", crumbs=(("Feeds", visit.url("data_feeds")),), types=types,
            path=visit.url("data_feeds"), call=visit.url("data_feeds"), method="POST",
            new_type=build_way_to_make(visit, "event_type", "event_type_id"),
        )  # fmt: skip
    kind = await visit.ask(get_event_type, event_type_id=type_id or types[0].id)
    is_typed = visit.text("event_type_id") != ""
    zone = visit.frame.zone
    draft = draft_of_form(visit) if is_typed else new_draft(zone=zone)
    return await _editor(visit, kind, draft, carried=read_carried(visit.text("carried")))


@form(
    f"{PATH}/sample",
    permission="data_collection:read",
    error_page=new_feed,
    asks=True,
    upload_form=SAMPLE,
    computes=True,
)
async def look_at_sample(visit: Visit) -> View:
    """The form as a sample of the files suggests it; the sample is kept nowhere."""
    if visit.file is None:
        raise Invalid([Problem("Select a sample file.", FILE_PART, "required")])
    sample: FileSample = visit.file
    kind = await visit.ask(get_event_type, event_type_id=visit.asked("event_type_id"))
    question = {"event_type_id": kind.id, "header": sample.header}
    by_names = await visit.do(suggest_columns, question)
    suggested = await visit.reading.in_thread(add_times, sample, by_names)  # many columns by many forms
    carried = await visit.reading.in_thread(carry_sample, sample, suggested.columns, kind)
    draft = draft_of_sample(sample, suggested, carried)
    return await _editor(visit, kind, draft, carried=carried, suggested=suggested)


@form(f"{PATH}/preview", permission="data_collection:read", error_page=new_feed, asks=True, computes=True)
async def preview_feed(visit: Visit) -> View:
    """The form with the events that the sample becomes as it is filled in now."""
    return await new_feed(visit)


@form(f"{PATH}/new", permission=_WRITE, error_page=new_feed)
async def make_feed(visit: Visit) -> Redirect:
    """Make the feed."""
    visit = await make_new_records(visit, RECORD_FIELDS)
    draft = draft_of_form(visit)
    carried = read_carried(visit.text("carried"))
    if carried is not None:
        kind = await visit.ask(get_event_type, event_type_id=visit.text("event_type_id"))
        check_answers(await _list_questions(visit, draft, carried, kind), visit.typed)
    body = build_feed_body(draft) | {"event_type_id": visit.text("event_type_id")}
    created_feed = await visit.do(create_data_feed, {"data_feed": body})
    return Redirect(
        visit.url(f"data_feeds/{created_feed.id}"),
        "Feed created. Validate a file to test it without storing anything.",
    )


async def edit_feed(visit: Visit) -> View:
    """A feed that is to be changed."""
    feed = await visit.ask(get_data_feed)
    kind = await visit.ask(get_event_type, event_type_id=feed.event_type_id)
    draft = draft_of_form(visit) if visit.typed else draft_of_feed(feed)
    return await _editor(visit, kind, draft, feed=feed)


@form(f"{ONE}/edit", permission=_WRITE, error_page=edit_feed)
async def change_feed(visit: Visit) -> Redirect:
    """Change how files are read from now on."""
    visit = await make_new_records(visit, RECORD_FIELDS)
    changed_feed = await visit.do(update_data_feed, {"data_feed": build_feed_body(draft_of_form(visit))})
    return Redirect(
        visit.url(f"data_feeds/{changed_feed.id}"),
        "Feed saved. The changes apply to files uploaded from now on.",
    )


async def _editor(
    visit: Visit,
    kind: EventType,
    draft: FeedDraft,
    *,
    feed: DataFeed | None = None,
    carried: CarriedSample | None = None,
    suggested: SuggestedColumns | None = None,
) -> View:
    back = visit.url("data_feeds") if feed is None else visit.url(f"data_feeds/{feed.id}")
    crumbs = (("Feeds", visit.url("data_feeds")), *(() if feed is None else ((feed.name, back),)))
    title, action = ("New feed", f"{back}/new") if feed is None else ("Edit", f"{back}/edit")
    questions: list[SampleQuestion] = []
    preview: list[PreviewedRow] = []
    preview_problems: list[str] = []
    if carried is not None:
        questions = await _list_questions(visit, draft, carried, kind)
    answers = _list_given(visit, questions)
    open_fields = {question.field for question in questions if not answers[question.name]}
    if carried is not None:
        # What is open is read in any way, and not shown.
        open_answers = {
            question.field: question.alternatives[0].value
            for question in questions
            if question.field in open_fields
        }
        shown_body = build_feed_body(draft) | open_answers
        preview, preview_problems = await visit.reading.in_thread(
            build_preview, carried, shown_body, kind, _count_new_locations(visit)
        )
    nights = await visit.reading.in_thread(
        feeds.describe_nights, draft.text("time_zone"), build_feed_body(draft), visit.frame.now
    )
    chosen = draft.texts | dict(zip(_LOCATIONS, draft.locations, strict=False))
    return view(
        "data/feed_form.html", title, crumbs=crumbs, kind=kind, draft=draft,
        action=action, back=back, call=back, method="POST" if feed is None else "PATCH",
        is_new=feed is None, sample=carried, lacking=_missing_fields(suggested),
        questions=questions, answers=answers, open_fields=open_fields, preview=preview,
        preview_problems=preview_problems, field_names=feeds.FIELDS,
        points={point.slug: point for point in kind.data_point_types},
        preview_path=visit.url("data_feeds/preview"),
        nights=nights, flags=[point for point in kind.data_point_types if point.value_type == "string"],
        column_fields=feeds.fields_of(kind), words=feeds, delimiters=delimiters(draft),
        field_count=len(draft.lines),
        sample_path=visit.url(f"data_feeds/sample?event_type_id={kind.id}"),
        **await build_form_context(visit, RECORD_FIELDS, chosen, "data_feed"),
    )  # fmt: skip


def _list_given(visit: Visit, questions: Sequence[SampleQuestion]) -> dict[str, str]:
    """The answers by question; one to a question that is asked otherwise since is none."""
    return {
        question.name: answer if answer in {each.value for each in question.alternatives} else ""
        for question in questions
        for answer in (visit.text(question.name),)
    }


def _count_new_locations(visit: Visit) -> int:
    return sum(1 for name in _LOCATIONS if visit.text(f"{name}.new.name"))


async def _list_questions(
    visit: Visit, draft: FeedDraft, carried: CarriedSample, kind: EventType
) -> list[SampleQuestion]:
    columns = [FeedColumn(line.column, line.field) for line in draft.lines if _is_sent(line)]
    ambiguity = await visit.reading.in_thread(find_open, carried, columns, kind)
    is_chosen = not ambiguity.formats or bool(visit.text("answer_time_format"))
    return list_questions(
        ambiguity, visit.frame.zone, draft.text("time_format") or None, is_format_chosen=is_chosen
    )


def _missing_fields(suggested: SuggestedColumns | None) -> list[str]:
    """What events need and no column of the sample seems to give, in words."""
    return (
        [feeds.FIELDS.get(field_name, field_name) for field_name in suggested.lacking]
        if suggested is not None
        else []
    )


async def _read_apart(upload: Upload, header_line: int) -> FileSample:
    name = remove_path(upload.name)[:NAME_OF_FILE_MAX]
    with NamedTemporaryFile(prefix="weighbridge-sample-") as file:
        await asyncio.to_thread(_copy, upload, file)
        path = Path(file.name)
        file_name = f"The file {name}"
        return await read_apart(
            upload.account, file_name, SAMPLE_LIMITS, read_sample, path, name, header_line
        )


def _copy(upload: Upload, file: IO[bytes]) -> None:
    upload.content.seek(0)
    shutil.copyfileobj(upload.content, file)
    file.flush()


PAGES: Final[list[HTTPRouteHandler]] = [
    *new_feed_page,
    *look_at_sample,
    *preview_feed,
    *make_feed,
    *page(f"{ONE}/edit", permission=_WRITE)(edit_feed),
    *change_feed,
]
