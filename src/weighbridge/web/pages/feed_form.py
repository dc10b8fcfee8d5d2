"""Create and change a data feed by a form, which a sample of its files fills in as far as possible."""

import asyncio
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
from weighbridge.core.collection.data_feed import HEADER_LINE_MAX, NAME_OF_FILE_MAX
from weighbridge.core.collection.evidence import remove_path
from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid, Refusal
from weighbridge.exchange.data_feeds import create_data_feed, get_data_feed, suggest_columns, update_data_feed
from weighbridge.exchange.feeding.sample import FileSample, add_times, guess_time_format, read_sample
from weighbridge.exchange.records.data_feeds import DataFeed, FeedColumn, SuggestedColumns
from weighbridge.exchange.tabular.columns import LEFT_OUT
from weighbridge.http.messages.body import FILE_PART, Form, Upload
from weighbridge.sandbox.sandbox import read_apart
from weighbridge.sandbox.work import SandboxLimits
from weighbridge.web.framework.page import form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages import feeds
from weighbridge.web.pages.feeds import DELIMITERS, OFFERED, ONE, PATH, named_records, path_of

# A data feed while it is typed: what its form shows, and what the interface is sent of it.


LINES_FREE: Final = 4
"""Lines for further columns that the form has."""

CELLS_SHOWN: Final = 3
"""Cells of a column that stand beside it, the first of the sample."""

CELL_LENGTH_SHOWN: Final = 24

_TEXTS: Final = (
    "name",
    "encoding",
    "bad_rows",
    "on_difference",
    "client_reference",
    "other_columns",
    "decimal_mark",
    "formulas",
)
_OR_NULL: Final = ("time_zone", "time_format", "duration", "sheet", "watch", "feedstock_id", "asset_id")
_TAB: Final = "tab"
"""How a tab is typed, which a field would not keep."""

_CELLS_APART: Final = " · "


@dataclass(frozen=True, slots=True)
class ColumnLine:
    """A line of the form: what a column of a file gives."""

    column: str = ""
    field: str = ""
    unit: str = ""
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
    has_units: bool = False
    """Whether a line of units stands below the header."""

    def text(self, name: str, usual: str = "") -> str:
        """What stands in a field."""
        return self.texts.get(name, usual)


def drawn_up(name: str = "", zone: str = "") -> FeedDraft:
    """A feed of which nothing is known yet."""
    return FeedDraft({"name": name, "time_zone": zone}, [ColumnLine()] * LINES_FREE)


def of_feed(feed: DataFeed) -> FeedDraft:
    """A feed as it is."""
    texts = {one: getattr(feed, one) or "" for one in (*_TEXTS, *_OR_NULL)}
    texts |= {
        "delimiter": _TAB if feed.delimiter == "\t" else feed.delimiter,
        "header_line": str(feed.header_line),
        "missing": ", ".join(feed.missing),
    }
    lines = [ColumnLine(one.column, one.field, one.unit or "") for one in feed.columns]
    all_lines = [*lines, *[ColumnLine()] * LINES_FREE]
    return FeedDraft(texts, all_lines, feed.location_ids, feed.rows_in_order, feed.units_line)


def of_sample(sample: FileSample, suggested: SuggestedColumns, zone: str) -> FeedDraft:
    """A feed as a sample of its files suggests it; columns about which nothing is known are left out."""
    time_format, has_offsets = guess_time_format(sample, suggested)
    known = {one.column: one for one in suggested.columns}
    lines = [
        _line(known.get(name, FeedColumn(name, LEFT_OUT)), sample.column(index))
        for index, name in enumerate(sample.header)
    ]
    texts = {
        "name": sample.name.rpartition(".")[0] or sample.name, "encoding": sample.encoding,
        "delimiter": _TAB if sample.delimiter == "\t" else sample.delimiter,
        "header_line": str(sample.header_line), "decimal_mark": sample.decimal_mark,
        "time_format": time_format or "", "time_zone": "" if has_offsets else zone,
    }  # fmt: skip
    return FeedDraft(texts, lines, has_units=sample.has_units_line)


def of_typed(visit: Visit) -> FeedDraft:
    """A feed as it was typed, with what is wrong beside the lines of its columns."""
    texts = {name: visit.text(name) for name in visit.typed}
    lines = list(_typed_lines(visit))
    sent = [at for at, one in enumerate(lines) if _is_sent(one)]
    wrong: dict[int, str] = {}
    for problem in visit.problems:
        at = _place_of(problem)
        if at is not None and at < len(sent):
            wrong[sent[at]] = f"{wrong.get(sent[at], '')} {problem.message}".strip()
    shown = [
        ColumnLine(one.column, one.field, one.unit, one.sample, wrong.get(at, ""))
        for at, one in enumerate(lines)
    ]
    locations = [one for one in visit.texts("location_ids") if one]
    return FeedDraft(texts, shown, locations, "rows_in_order" in texts, "units_line" in texts)


def body_of(visit: Visit) -> dict[str, Any]:
    """What was typed, as the interface takes it."""
    body: dict[str, Any] = {name: visit.text(name) for name in _TEXTS}
    body |= {name: visit.text(name) or None for name in _OR_NULL}
    line, delimiter = visit.text("header_line"), visit.text("delimiter")
    columns = [
        {"column": one.column, "field": one.field, "unit": one.unit or None}
        for one in _typed_lines(visit)
        if _is_sent(one)
    ]
    return body | {
        "columns": columns,
        "delimiter": "\t" if delimiter == _TAB else delimiter,
        "header_line": int(line) if line.isascii() and line.isdigit() and len(line) < 9 else line,
        "missing": [one.strip() for one in visit.text("missing").split(",") if one.strip()],
        "location_ids": [one for one in visit.texts("location_ids") if one],
        "rows_in_order": visit.text("rows_in_order") == "yes",
        "units_line": visit.text("units_line") == "yes",
    }


def delimiters(draft: FeedDraft) -> list[tuple[str, str]]:
    """The delimiters that the form offers, with the one that is set."""
    offered = [(_TAB if one == "\t" else one, words) for one, words in DELIMITERS.items()]
    own = draft.text("delimiter")
    return offered if not own or own in {one for one, _ in offered} else [*offered, (own, own)]


def _line(column: FeedColumn, cells: Sequence[str]) -> ColumnLine:
    shown = [
        cell if len(cell) <= CELL_LENGTH_SHOWN else f"{cell[:CELL_LENGTH_SHOWN]}…"
        for cell in cells[:CELLS_SHOWN]
    ]
    return ColumnLine(column.column, column.field, column.unit or "", _CELLS_APART.join(shown))


def _typed_lines(visit: Visit) -> Iterator[ColumnLine]:
    columns, fields, units, samples = (visit.texts(name) for name in ("column", "field", "unit", "sample"))
    for at, column in enumerate(columns):
        rest = (one[at].strip() if at < len(one) else "" for one in (fields, units, samples))
        yield ColumnLine(column.strip(), *rest)


def _is_sent(line: ColumnLine) -> bool:
    """Whether a line says anything: without a field the column gives what its name says."""
    return bool(line.field)


def _place_of(problem: Problem) -> int | None:
    """Which of the columns a problem is about; None where it is about none."""
    _, bracket, rest = (problem.field or "").partition("columns[")
    number = rest.partition("]")[0]
    return int(number) if bracket and number.isdigit() else None


# Making and changing a data feed by a form, which a sample of its files fills in as far as it tells.


SAMPLE_BYTES_MAX: Final = 8_388_608
"""The largest file that a form is filled in from, in bytes: 8 MB; of a larger one, its first rows will do."""

SAMPLE_LIMITS: Final = SandboxLimits(memory_bytes=536_870_912, cpu_seconds=5)
"""What looking at a sample may take: 512 MB, and 5 seconds of a processor."""

_WRITE: Final = "data_collection:write"
_HEADER_LINE: Final = "header_line"


@asynccontextmanager
async def received_sample(_: Any, upload: Upload) -> AsyncIterator[FileSample]:
    """The first rows of a file that is kept nowhere; Invalid where it is no table."""
    said = upload.texts.get(_HEADER_LINE) or "1"
    if not said.isascii() or not said.isdigit() or not 1 <= int(said[:9]) <= HEADER_LINE_MAX:
        text = f"header_line is {said[:20]!r}; it takes a whole number from 1 to {HEADER_LINE_MAX:,}."
        raise Invalid([Problem(text, _HEADER_LINE, "invalid")])
    if not upload.size:
        raise Invalid([Problem("The file is empty.", FILE_PART, "required")])
    try:
        sample = await _sampled(upload, int(said))
    except Refusal as refusal:
        raise Invalid([Problem(one.message, FILE_PART, "invalid") for one in refusal.problems]) from None
    yield sample


SAMPLE: Final = Form(
    file_bytes_max=SAMPLE_BYTES_MAX,
    file="A CSV file, plain or gzipped, or a workbook (XLSX).",
    texts={_HEADER_LINE: "The line that names the columns."},
    wrapping="",
    received=received_sample,
)


@page(f"{PATH}/new", permission=_WRITE)
async def new_feed_page(visit: Visit) -> View:
    """What a feed makes events of is chosen first, then how its files are read."""
    return await new_feed(visit)


async def new_feed(visit: Visit) -> View:
    """A feed that is to be made; its form, once the event type is chosen."""
    named = visit.text("event_type_id") or visit.asked("event_type_id")
    types = [one for one in (await visit.ask(list_event_types, OFFERED)).data if one.rolled_up_from is None]
    if not named and len(types) != 1:
        return view(
            "data/feed_types.html", "New feed", crumbs=(("Feeds", path_of(visit)),), types=types,
            path=path_of(visit), call=path_of(visit), method="POST",
        )  # fmt: skip
    kind = await visit.ask(get_event_type, event_type_id=named or types[0].id)
    is_typed = visit.text("event_type_id") != ""
    zone = visit.frame.zone
    draft = of_typed(visit) if is_typed else drawn_up(zone=zone)
    return await _editor(visit, kind, draft)


@form(
    f"{PATH}/sample",
    permission="data_collection:read",
    again=new_feed,
    asks=True,
    takes=SAMPLE,
    computes=True,
)
async def look_at_sample(visit: Visit) -> View:
    """The form as a sample of the files suggests it; the sample is kept nowhere."""
    if visit.file is None:
        raise Invalid([Problem("Choose a file to look at.", FILE_PART, "required")])
    sample: FileSample = visit.file
    kind = await visit.ask(get_event_type, event_type_id=visit.asked("event_type_id"))
    question = {"event_type_id": kind.id, "header": sample.header}
    by_names = await visit.do(suggest_columns, question)
    suggested = await visit.reading.in_thread(add_times, sample, by_names)  # many columns by many forms
    draft = of_sample(sample, suggested, visit.frame.zone)
    return await _editor(visit, kind, draft, sample=sample, suggested=suggested)


@form(f"{PATH}/new", permission=_WRITE, again=new_feed)
async def make_feed(visit: Visit) -> Redirect:
    """Make the feed."""
    body = body_of(visit) | {"event_type_id": visit.text("event_type_id")}
    made = await visit.do(create_data_feed, {"data_feed": body})
    return Redirect(f"{path_of(visit)}/{made.id}", "The feed is made. Try a file: nothing of that is stored.")


async def edit_feed(visit: Visit) -> View:
    """A feed that is to be changed."""
    feed = await visit.ask(get_data_feed)
    kind = await visit.ask(get_event_type, event_type_id=feed.event_type_id)
    draft = of_typed(visit) if visit.typed else of_feed(feed)
    return await _editor(visit, kind, draft, feed=feed)


@form(f"{ONE}/edit", permission=_WRITE, again=edit_feed)
async def change_feed(visit: Visit) -> Redirect:
    """Change how files are read from now on."""
    made = await visit.do(update_data_feed, {"data_feed": body_of(visit)})
    return Redirect(f"{path_of(visit)}/{made.id}", "Saved; files that come from now on are read so.")


async def _editor(
    visit: Visit,
    kind: EventType,
    draft: FeedDraft,
    *,
    feed: DataFeed | None = None,
    sample: FileSample | None = None,
    suggested: SuggestedColumns | None = None,
) -> View:
    back = path_of(visit) if feed is None else f"{path_of(visit)}/{feed.id}"
    crumbs = (("Feeds", path_of(visit)), *(() if feed is None else ((feed.name, back),)))
    title, action = ("New feed", f"{back}/new") if feed is None else ("Change", f"{back}/edit")
    return view(
        "data/feed_form.html", title, crumbs=crumbs, kind=kind, draft=draft,
        action=action, back=back, call=back, method="POST" if feed is None else "PATCH",
        is_new=feed is None, sample=sample, lacking=_lacking(suggested),
        fields=feeds.fields_of(kind), words=feeds, delimiters=delimiters(draft),
        field_count=len(draft.lines),
        sample_path=f"{path_of(visit)}/sample?event_type_id={kind.id}", named=await named_records(visit),
    )  # fmt: skip


def _lacking(suggested: SuggestedColumns | None) -> list[str]:
    """What events need and no column of the sample seems to give, in words."""
    return [feeds.FIELDS.get(one, one) for one in suggested.lacking] if suggested is not None else []


async def _sampled(upload: Upload, header_line: int) -> FileSample:
    name = remove_path(upload.name)[:NAME_OF_FILE_MAX]
    with NamedTemporaryFile(prefix="weighbridge-sample-") as file:
        await asyncio.to_thread(_copy, upload, file)
        path = Path(file.name)
        said = f"The file {name}"
        return await read_apart(upload.account, said, SAMPLE_LIMITS, read_sample, path, name, header_line)


def _copy(upload: Upload, file: IO[bytes]) -> None:
    upload.content.seek(0)
    shutil.copyfileobj(upload.content, file)
    file.flush()


PAGES: Final[list[HTTPRouteHandler]] = [
    *new_feed_page,
    *look_at_sample,
    *make_feed,
    *page(f"{ONE}/edit", permission=_WRITE)(edit_feed),
    *change_feed,
]
