"""Flows of several calls: tasks that a caller waits for, many events in batches, and files as evidence."""

import math
import sys
from collections.abc import Awaitable, Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from itertools import islice
from os import PathLike
from pathlib import Path, PurePath
from typing import Any, Final, Literal, NamedTuple, TypeVar
from urllib.parse import parse_qs, quote, urlsplit
from uuid import uuid4

import msgspec

from weighbridge.client.calls import (
    PREFIX,
    Call,
    Flow,
    Pause,
    TaskFailed,
    TaskTimeout,
    answer_call,
    encode_body,
    execute_call,
)
from weighbridge.client.made.operations import async_tasks_get, exports_download, exports_get
from weighbridge.client.made.records import AsyncTask, EventReceipts, Evidence
from weighbridge.client.pages import Listing

# Tasks that a caller waits for.
#
# A task is asked for after 0.2 s, then ever more seldom, up to every 5 s, as the service suggests.


Show = Callable[[AsyncTask], None]
FIRST_SECONDS: Final = 0.2
SECONDS_MAX: Final = 5.0
"""The longest pause between two looks at a task, in seconds."""
GROWTH: Final = 1.6
BAR: Final = 30
"""How many characters a full bar has."""


def await_task(task_id: int, *, timeout: float | None, show: Show | None) -> Flow[AsyncTask]:
    """The task once it is complete.

    `timeout` is in seconds. Raises TaskFailed when it fails, TaskTimeout when it goes on for longer.
    """
    waited, pause = 0.0, FIRST_SECONDS
    while True:
        task = yield from execute_call(async_tasks_get(task_id))
        if show is not None:
            show(task)
        if task.state == "failed":
            raise TaskFailed(task)
        if task.state == "complete":
            return task
        if timeout is not None and waited + pause > timeout:
            raise TaskTimeout(f"Task {task.id} ({task.type}) is still {task.state} after {waited:.0f} s.")
        yield Pause(pause, is_retry=False)
        waited += pause
        pause = min(pause * GROWTH, SECONDS_MAX)


def bar(task: AsyncTask) -> str:
    """How far a task is, in one line."""
    full = task.progress * BAR // 100
    return (
        f"[{'#' * full}{'.' * (BAR - full)}] {task.progress:3d} % {task.progress_description or task.state}"
    )


def choose_progress(progress: bool | Show | None) -> Show | None:  # noqa: FBT001 - as people write it
    """What shows the progress: a bar on a terminal and in a notebook unless it is said otherwise."""
    if progress is None:
        progress = sys.stderr.isatty() or is_notebook(sys.modules)
    if progress is True:
        return _draw
    return progress or None


def is_notebook(modules: Container[str]) -> bool:
    """Whether a notebook runs the program: its kernel shows standard error, and says it is no terminal."""
    return "ipykernel" in modules


def _draw(task: AsyncTask) -> None:
    over = task.state in ("complete", "failed")
    sys.stderr.write(f"\r{bar(task):<78}" + ("\n" if over else ""))
    sys.stderr.flush()


# Files: what an operation sends as one, and lists that the service writes to one.


ExportFormat = Literal["csv", "json", "jsonl", "parquet", "xlsx"]


class File(NamedTuple):
    """A file as the service sent it, with the name that it gave."""

    name: str
    content: bytes

    def save(self, folder: str | PathLike[str] = ".") -> Path:
        """Store it under its name in a folder, and give its path; what is there is never written over."""
        path = Path(folder) / PurePath(self.name.replace("\\", "/")).name
        with path.open("xb") as target:
            target.write(self.content)
        return path


def download_call(call: Call[Any]) -> Flow[File]:
    """Execute a call that sends a file, and give that with its name."""
    answer = yield from answer_call(call)
    return File(answer.name or call.path.rpartition("/")[2], answer.content)


class _Started(msgspec.Struct):
    id: str


class _Summary(msgspec.Struct):
    """Of the answer to a list that is asked for as a file what leads to that."""

    export: _Started


def export_list(
    listing: Listing[Any], export_format: ExportFormat, *, timeout: float | None, show: Show | None
) -> Flow[File]:
    """The file of a whole list, once its task is complete; raises as `await_task` does."""
    asked = ("page", "page_size", "cursor")
    query = tuple(pair for pair in listing.call.query if pair[0] not in asked)
    mode = (("response_mode", "summary_with_export"), ("export_format", export_format))
    summary = yield from execute_call(replace(listing.call, kind=_Summary, query=(*query, *mode)))
    export = yield from execute_call(exports_get(summary.export.id))
    yield from await_task(export.async_task_id, timeout=timeout, show=show)
    made = yield from execute_call(exports_get(export.id))
    key = parse_qs(urlsplit(made.download_url or "").query).get("key", [""])[0]
    return (yield from download_call(exports_download(export.id, key=key)))


# A task in the hands of whoever started it.


Run = Callable[[Flow[AsyncTask]], AsyncTask]
AsyncRun = Callable[[Flow[AsyncTask]], Awaitable[AsyncTask]]


class TaskHandle:
    """A task, by its number and, once it was asked for, its record."""

    def __init__(self, run: Run, task: AsyncTask | int) -> None:
        self._run = run
        self.record = None if isinstance(task, int) else task
        self.id = task if isinstance(task, int) else task.id

    def __repr__(self) -> str:
        return f"<task {self.id}: {self.record.state if self.record else 'not asked for yet'}>"

    def wait(self, *, timeout: float | None = None, progress: bool | Show | None = None) -> Any:
        """What the task came to, once it is complete.

        `timeout` is in seconds; `progress` shows a bar on a terminal unless it is False, or calls what is
        given with each record. Raises TaskFailed when it fails, TaskTimeout when it goes on for longer.
        """
        self.record = self._run(await_task(self.id, timeout=timeout, show=choose_progress(progress)))
        return self.record.result


class AsyncTaskHandle:
    """A task to be awaited, by its number and, once it was asked for, its record."""

    def __init__(self, run: AsyncRun, task: AsyncTask | int) -> None:
        self._run = run
        self.record = None if isinstance(task, int) else task
        self.id = task if isinstance(task, int) else task.id

    def __repr__(self) -> str:
        return f"<task {self.id}: {self.record.state if self.record else 'not asked for yet'}>"

    async def wait(self, *, timeout: float | None = None, progress: bool | Show | None = None) -> Any:  # noqa: ASYNC109
        """What the task came to, once it is complete; otherwise as `TaskHandle.wait`."""
        self.record = await self._run(await_task(self.id, timeout=timeout, show=choose_progress(progress)))
        return self.record.result


# Many events: taken from anything that can be gone through, sent in batches of one request each.
#
# Rows of a data frame, or any flat mapping, become events of one type: the columns that an event has itself
# are its fields, all others are data points by their slugs, and empty cells are left out.
#
# Invariants: the order is kept; each batch is stored as a whole or not at all and has a key of its own, so
# that an answer that is lost on the way stores nothing twice; a number keeps the digits that its text had.


EVENTS_MAX: Final = 10_000
"""How many events one request takes."""
BATCH: Final = 5_000
OWN_COLUMNS: Final = frozenset(
    {
        "start_time",
        "end_time",
        "tracking_id",
        "feedstock_id",
        "asset_id",
        "client_reference",
        "notes",
    }
)
"""The columns of a row that an event has itself."""


def store_call(project_id: str, events: Sequence[Mapping[str, Any]]) -> Call[EventReceipts]:
    """The call that stores these events, all or none."""
    return store_body_call(project_id, encode_body({"events": events}))


def store_body_call(project_id: str, body: bytes) -> Call[EventReceipts]:
    """The call that stores the events of a body that is JSON already, all or none."""
    path = f"{PREFIX}/projects/{quote(project_id, safe='')}/events"
    return Call("POST", path, EventReceipts, body=body, content_type="application/json", takes_key=True)


def batches(events: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """The events in lists of `size`, the last one shorter.

    Raises ValueError for a size that no request takes.
    """
    if not 1 <= size <= EVENTS_MAX:
        message = f"batch_size is {size}; one request takes 1 to {EVENTS_MAX:,} events."
        raise ValueError(message)
    rest = iter(events)
    while batch := list(islice(rest, size)):
        yield batch


def rows_of(source: Any) -> Iterable[Mapping[str, Any]]:
    """The rows of a polars or pandas data frame as mappings; anything else is gone through as it is."""
    if hasattr(source, "iter_rows"):
        rows: Iterable[Mapping[str, Any]] = source.iter_rows(named=True)
        return rows
    if hasattr(source, "itertuples"):
        columns = [str(column) for column in source.columns]
        return (dict(zip(columns, row, strict=True)) for row in source.itertuples(index=False, name=None))
    return source  # type: ignore[no-any-return]


def event_of(row: Mapping[str, Any], event_type: str, location_ids: Sequence[str] = ()) -> dict[str, Any]:
    """The event that a flat row says."""
    event: dict[str, Any] = {"event_type": event_type}
    points = []
    for column, cell in row.items():
        if _empty(cell):
            continue
        if column in OWN_COLUMNS:
            event[column] = cell.isoformat() if isinstance(cell, datetime) else cell
        else:
            points.append({"slug": column, "value": _exact(cell)})
    event["data_points"] = points
    if location_ids:
        event["locations"] = [{"id": each} for each in location_ids]
    return event


def _empty(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell)) or type(cell).__name__ == "NaTType"


def _exact(cell: Any) -> Any:
    """A cell as a value: of a binary float the shortest decimal that stands for it, as it is printed."""
    if hasattr(cell, "item"):
        cell = cell.item()
    return Decimal(repr(cell)) if isinstance(cell, float) else cell


# A file as evidence of an event, in the form that the interface takes it.


T = TypeVar("T")


def attach_call(event_id: str, name: str, content: bytes, key: str | None) -> Call[Evidence]:
    """The call that attaches a file, as a form with one part."""
    return build_form(f"{PREFIX}/events/{event_id}/evidence", Evidence, name, content, key=key)


def build_form(
    path: str,
    kind: type[T],
    name: str,
    content: bytes,
    *,
    texts: Mapping[str, str] = {},
    key: str | None = None,
) -> Call[T]:
    """Build the call that sends a file as a form, with texts before it."""
    boundary = uuid4().hex
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    head = "".join(
        f'--{boundary}\r\nContent-Disposition: form-data; name="{text}"\r\n\r\n{value}\r\n'
        for text, value in texts.items()
    ) + (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{quoted}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    return Call(
        "POST",
        path,
        kind,
        body=head.encode() + content + f"\r\n--{boundary}--\r\n".encode(),
        content_type=f"multipart/form-data; boundary={boundary}",
        takes_key=True,
        key=key,
    )
