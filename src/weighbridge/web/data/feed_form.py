"""Making and changing a data feed by a form, which a sample of its files fills in as far as it tells."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any, Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.collection.event_types.records import EventType
from weighbridge.collection.event_types.routes import get_event_type, list_event_types
from weighbridge.core.collection.data_feed import HEADER_LINE_MAX, NAME_OF_FILE_MAX
from weighbridge.core.collection.evidence import without_path
from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid, Refusal
from weighbridge.exchange.data_feeds.records import DataFeed, SuggestedColumns
from weighbridge.exchange.data_feeds.routes import (
    create_data_feed,
    get_data_feed,
    suggest_columns,
    update_data_feed,
)
from weighbridge.exchange.feeding.sampling import FileSample, sample_of, with_times
from weighbridge.http.arrival.upload import FILE_PART, Form, Upload
from weighbridge.sandbox.limits import SandboxLimits
from weighbridge.sandbox.sandbox import read_apart
from weighbridge.web.data import feed_draft, feed_words
from weighbridge.web.data.feed_draft import FeedDraft
from weighbridge.web.data.feeds import OFFERED, ONE, PATH, named_records, path_of
from weighbridge.web.page import form, page
from weighbridge.web.visit import Moved, View, Visit, view

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
    draft = feed_draft.of_typed(visit) if is_typed else feed_draft.drawn_up(zone=zone)
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
    suggested = await visit.reading.in_thread(with_times, sample, by_names)  # many columns by many forms
    draft = feed_draft.of_sample(sample, suggested, visit.frame.zone)
    return await _editor(visit, kind, draft, sample=sample, suggested=suggested)


@form(f"{PATH}/new", permission=_WRITE, again=new_feed)
async def make_feed(visit: Visit) -> Moved:
    """Make the feed."""
    body = feed_draft.body_of(visit) | {"event_type_id": visit.text("event_type_id")}
    made = await visit.do(create_data_feed, {"data_feed": body})
    return Moved(f"{path_of(visit)}/{made.id}", "The feed is made. Try a file: nothing of that is stored.")


async def edit_feed(visit: Visit) -> View:
    """A feed that is to be changed."""
    feed = await visit.ask(get_data_feed)
    kind = await visit.ask(get_event_type, event_type_id=feed.event_type_id)
    draft = feed_draft.of_typed(visit) if visit.typed else feed_draft.of_feed(feed)
    return await _editor(visit, kind, draft, feed=feed)


@form(f"{ONE}/edit", permission=_WRITE, again=edit_feed)
async def change_feed(visit: Visit) -> Moved:
    """Change how files are read from now on."""
    made = await visit.do(update_data_feed, {"data_feed": feed_draft.body_of(visit)})
    return Moved(f"{path_of(visit)}/{made.id}", "Saved; files that come from now on are read so.")


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
        fields=feed_words.fields_of(kind), words=feed_words, delimiters=feed_draft.delimiters(draft),
        field_count=len(draft.lines),
        sample_path=f"{path_of(visit)}/sample?event_type_id={kind.id}", named=await named_records(visit),
    )  # fmt: skip


def _lacking(suggested: SuggestedColumns | None) -> list[str]:
    """What events need and no column of the sample seems to give, in words."""
    return [feed_words.FIELDS.get(one, one) for one in suggested.lacking] if suggested is not None else []


async def _sampled(upload: Upload, header_line: int) -> FileSample:
    name = without_path(upload.name)[:NAME_OF_FILE_MAX]
    with NamedTemporaryFile(prefix="weighbridge-sample-") as file:
        await asyncio.to_thread(_copy, upload, file)
        path = Path(file.name)
        said = f"The file {name}"
        return await read_apart(upload.account, said, SAMPLE_LIMITS, sample_of, path, name, header_line)


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
