"""The files of a data feed: validation, import, the result of each row, and rows that are corrected."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, DecimalException
from typing import Any, Final
from urllib.parse import urlencode

from weighbridge.collection.event_types import get_event_type
from weighbridge.collection.records.data_points import EventType
from weighbridge.core.collection.data_feed import OnDifference
from weighbridge.core.platform.tasks import TaskState, guard_cell
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import MILLISECOND, Instant
from weighbridge.errors import Invalid
from weighbridge.exchange.data_feed_uploads import (
    create_upload,
    download_bad_rows,
    get_invalid_rows,
    get_upload,
    list_uploads,
)
from weighbridge.exchange.data_feeds import get_data_feed
from weighbridge.exchange.records.data_feeds import DataFeed, DataFeedUpload, InvalidRow, UploadProblem
from weighbridge.exchange.tables.columns import TIME_FIELDS
from weighbridge.web.framework.listing import ListView, list_query
from weighbridge.web.framework.page import download, form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.data_feeds.feeds import FIELDS, ONE, data_feed

UPLOADS: Final = ONE + "/uploads"
UPLOAD: Final = UPLOADS + "/{upload_id}"

_CELLS: Final = "cells-"
"""How the fields of a row's cells are called, before its line."""

BEYOND: Final = "not in the header"
"""What a cell beyond the last column is called."""

_RUNNING: Final = (TaskState.PENDING, TaskState.RUNNING)


@page(UPLOADS, permission="data_collection:read", of=list_uploads, query_of=list_query)
async def uploads(visit: Visit) -> View:
    """Show all files of a feed, the newest first."""
    feed = await visit.ask(get_data_feed)
    listed_uploads = await visit.ask(list_uploads, list_query(visit))
    path = visit.url(f"data_feeds/{feed.id}")
    return view(
        "data/uploads.html",
        "Files",
        call=f"{path}/uploads",
        has_csv=True,
        crumbs=(("Feeds", visit.url("data_feeds")), (feed.name, path)),
        feed=feed,
        path=path,
        uploads=listed_uploads.data,
        list=ListView(f"{path}/uploads", visit.query, listed_uploads.info),
    )


@form(
    UPLOADS,
    permission="data_collection:write",
    error_page=data_feed,
    upload_form=create_upload.operation.form,
)
async def send_file(visit: Visit) -> Redirect:
    """Upload a file: to validate or to import it."""
    if visit.file is None:
        raise Invalid([Problem("Select a file.", "file", "required")])
    answer = await visit.keep(create_upload)
    return Redirect(visit.url(f"data_feeds/{{data_feed_id}}/uploads/{answer.record.id}"))


async def upload(visit: Visit) -> View:
    """One file: how far it is, then what became of its rows, with what is wrong with the bad ones."""
    feed: DataFeed = await visit.ask(get_data_feed)
    kind: EventType = await visit.ask(get_event_type, event_type_id=feed.event_type_id)
    upload_record: DataFeedUpload = await visit.ask(get_upload)
    path = visit.url(f"data_feeds/{feed.id}")
    names = {type_.slug: type_.name for type_ in kind.data_point_types}
    problems = upload_record.problems or []
    return view(
        "data/upload.html",
        upload_record.file_name,
        call=f"{path}/uploads/{upload_record.id}",
        crumbs=(("Feeds", visit.url("data_feeds")), (feed.name, path)),
        feed=feed,
        kind=kind,
        upload=upload_record,
        path=path,
        names=names,
        is_over=upload_record.state not in _RUNNING,
        is_correcting=(upload_record.on_difference or feed.on_difference) == OnDifference.CORRECT,
        events=_events_url(visit, kind, upload_record, feed.duration),
        problems=[problem for problem in problems if problem.event_id is None],
        differences=[describe_difference(problem, kind) for problem in problems if problem.event_id],
    )


@form(f"{UPLOAD}/again", permission="data_collection:write", error_page=upload)
async def import_upload(visit: Visit) -> Redirect:
    """Take the same file once more: in earnest as a rule, after it was tried."""
    trial_upload: DataFeedUpload = await visit.ask(get_upload)
    body = {
        "of_upload": trial_upload.id,
        "dry_run": visit.text("dry_run") == "true",
        "on_difference": visit.text("on_difference") or trial_upload.on_difference,
    }
    created_upload = await visit.do(create_upload, {"upload": body})
    return Redirect(visit.url(f"data_feeds/{{data_feed_id}}/uploads/{created_upload.id}"))


def _events_url(visit: Visit, kind: EventType, upload_record: DataFeedUpload, duration: str | None) -> str:
    """Return the URL of the events of a file, by their type and time; empty without events."""
    if not upload_record.stored or upload_record.first_start is None or upload_record.last_end is None:
        return ""
    last = upload_record.last_end if duration is None else Instant.of(upload_record.last_end - MILLISECOND)
    query = {
        "filter[slug]": kind.slug,
        "filter[start_time][geq]": upload_record.first_start.text,
        "filter[start_time][leq]": last.text,
    }
    return f"/projects/{visit.path['project_id']}/events?{urlencode(query)}"


# Rows that differ from their events, value by value.


@dataclass(frozen=True, slots=True)
class ValueDifference:
    """A value of a stored event, and what its row says instead; numbers and times as such."""

    row: int
    event_id: str
    name: str
    stored: Decimal | Instant | str | None
    sent: Decimal | Instant | str | None
    unit: str
    change: Decimal | str | None
    """By how much the row says more, in the unit; of times, in words."""
    outcome: str
    """What became of the event, or may be done with it."""


def describe_difference(problem: UploadProblem, kind: EventType) -> ValueDifference:
    """What a row says differently, with the difference of numbers and of times."""
    field = problem.field or ""
    point = next((type_ for type_ in kind.data_point_types if type_.slug == field), None)
    is_number = point is not None and point.value_type == "number"
    read = _read_number if is_number else _read_time if point is None and field in TIME_FIELDS else str
    stored, sent = (None if text is None else read(text) for text in (problem.stored, problem.value))
    change: Decimal | str | None = None
    if isinstance(stored, Decimal) and isinstance(sent, Decimal):
        change = sent - stored
    elif isinstance(stored, Instant) and isinstance(sent, Instant):
        change = _describe_shift(stored, sent)
    return ValueDifference(
        problem.row, problem.event_id or "", FIELDS.get(field, field) if point is None else point.name,
        stored, sent, (point.unit or "") if point is not None else "", change,
        problem.reason.rpartition(" in the file; ")[2],
    )  # fmt: skip


def _read_number(text: str) -> Decimal | str:
    try:
        return Decimal(text)
    except DecimalException:
        return text


def _read_time(text: str) -> Instant | str:
    try:
        return Instant.of(datetime.fromisoformat(text))
    except ValueError:
        return text


def _describe_shift(stored: Instant, sent: Instant) -> str:
    """By how long a time was moved, such as 1 h 30 min later."""
    seconds = abs((sent - stored).total_seconds())
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(int(minutes), 60)
    parts = [(hours, "h"), (minutes, "min"), (round(rest, 3), "s")]
    words = " ".join(f"{amount:,} {unit}".replace(".0 ", " ") for amount, unit in parts if amount)
    return f"{words} {'later' if sent > stored else 'earlier'}"


# Bad rows as cells that are corrected in the page.


@dataclass(frozen=True, slots=True)
class EditedCell:
    """A cell of a bad row in the form: what it is called, what is in it, and what is wrong with that."""

    column: str
    text: str
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class EditedRow:
    """A bad row in the form, with what is wrong with the row as a whole."""

    line: int
    cells: list[EditedCell]
    wrong: str


def build_edited_row(
    header: Sequence[str], row: InvalidRow, mapping: Mapping[str, str], typed: Sequence[str] = ()
) -> EditedRow:
    """A bad row with each problem at its cell; what was typed stands in place of what the file has."""
    reasons: dict[int, list[str]] = {}
    of_row: list[str] = []
    for problem in row.problems:
        places = _find_columns(header, mapping, problem.column)
        for at in places:
            reasons.setdefault(at, []).append(f"{problem.reason}.")
        if not places:
            of_row.append(f"{problem.reason}.")
    cells = [
        EditedCell(header[at] if at < len(header) else BEYOND, text, " ".join(reasons.get(at, ())))
        for at, text in enumerate(typed or row.cells)
    ]
    return EditedRow(row.row, cells, " ".join(of_row))


def _find_columns(header: Sequence[str], mapping: Mapping[str, str], column: str | None) -> list[int]:
    """The columns that a problem names: one by its name, or all that give a field together."""
    if column is None:
        return []
    places = [at for at, name in enumerate(header) if column in {name, guard_cell(name)}]
    if places:
        return places
    for field in TIME_FIELDS:
        parts = [at for at, name in enumerate(header) if mapping.get(name) == field]
        joined = ", ".join(header[at] for at in parts)
        if parts and column in {joined, guard_cell(joined)}:
            return parts
    return []


async def edit_invalid_rows(visit: Visit) -> View:
    """The bad rows of a file as cells, to be corrected and sent again."""
    feed: DataFeed = await visit.ask(get_data_feed)
    upload_record: DataFeedUpload = await visit.ask(get_upload)
    given = await visit.ask(get_invalid_rows)
    path = visit.url(f"data_feeds/{feed.id}")
    here = f"{path}/uploads/{upload_record.id}"
    rows = [
        build_edited_row(given.header, row, upload_record.mapping or {}, visit.texts(f"{_CELLS}{row.row}"))
        for row in given.rows
    ]
    return view(
        "data/invalid_rows.html", "Correct invalid rows", call=f"{here}/invalid_rows", feed=feed,
        crumbs=(("Feeds", visit.url("data_feeds")), (feed.name, path), (upload_record.file_name, here)),
        upload=upload_record, header=given.header, rows=rows, omitted=given.omitted, path=here,
        width=max((len(row.cells) for row in rows), default=0), cells_name=_CELLS, beyond=BEYOND,
        field_count=sum(len(row.cells) for row in rows),
    )  # fmt: skip


@form(f"{UPLOAD}/invalid_rows", permission="data_collection:write", error_page=edit_invalid_rows)
async def send_corrected_rows(visit: Visit) -> Redirect:
    """Read the file again, with the corrected rows in place of the bad ones."""
    upload_record: DataFeedUpload = await visit.ask(get_upload)
    body = {
        "of_upload": upload_record.id,
        "dry_run": visit.text("dry_run") == "true",
        "on_difference": upload_record.on_difference,
        "rows": read_corrected_rows(visit.typed),
    }
    created_upload = await visit.do(create_upload, {"upload": body})
    return Redirect(visit.url(f"data_feeds/{{data_feed_id}}/uploads/{created_upload.id}"))


def read_corrected_rows(typed: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """The rows of the form; cells beyond the header are left out where they were emptied."""
    widths = "".join(typed.get("width", ()))
    width = int(widths) if widths.isascii() and widths.isdigit() and len(widths) < 6 else 0
    rows = []
    for name, texts in typed.items():
        line = name.removeprefix(_CELLS)
        if name == line or not line.isascii() or not line.isdigit():
            continue
        cells = [*texts]
        while len(cells) > width and not cells[-1].strip():
            cells.pop()
        rows.append({"row": int(line[:12]), "cells": cells})
    if not rows:
        raise Invalid([Problem("There are no rows to send.", "rows", "required")])
    return rows


PAGES = [
    *uploads,
    *send_file,
    *page(UPLOAD, permission="data_collection:read", of=get_upload)(upload),
    *import_upload,
    *page(f"{UPLOAD}/invalid_rows", permission="data_collection:write", of=get_invalid_rows)(
        edit_invalid_rows
    ),
    *send_corrected_rows,
    *download(f"{UPLOAD}/bad_rows", download_bad_rows, permission="data_collection:read"),
]
