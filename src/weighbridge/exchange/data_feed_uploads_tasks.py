"""Store the rows of an upload: fetch the file, read it, store everything in one transaction, report on it.

Rows go to the database in portions, while the next ones are read. The report is a CSV file with a line for
each thing that is wrong with a row or that differs from its event.

Invariants: the events of a file, its counts and the end of its task are one transaction, so an attempt that
is killed, superseded or cancelled leaves nothing; a file with bad rows that its feed refuses stores nothing;
a dry run is undone. An event whose client reference the project has already is left alone and counted, if it
is the row's and has the same values; one with other values is reported, and corrected where the feed wants
that; a reference that is on two rows of the file makes the later one bad. No text of the report is computed
by a spreadsheet: what would begin as a formula gets an apostrophe.
"""

import asyncio
import csv
import hashlib
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Final, Self

import msgspec

from weighbridge.collection.events import change_events
from weighbridge.collection.evidence_files import KEY_BYTES, EvidenceStore
from weighbridge.collection.intake.checking import EVENT_COLUMNS, EventVocabulary
from weighbridge.collection.intake.client_references import Discrepancy, HeldEvent, differences, held_events
from weighbridge.collection.intake.creation import count_day
from weighbridge.collection.records.events import EventChange, NewEvent
from weighbridge.core import identity
from weighbridge.core.collection.correction import hash_event_rows
from weighbridge.core.collection.data_feed import (
    CONTENT_BYTES_MAX,
    NAME_OF_FILE_MAX,
    PROBLEMS_SHOWN,
    BadRows,
    OnDifference,
)
from weighbridge.core.number import shorten
from weighbridge.core.platform.permission import Actor
from weighbridge.core.platform.tasks import guard_cell
from weighbridge.core.problem import Problem
from weighbridge.core.proof import Edge
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Database, Write
from weighbridge.db.statements import jsonb
from weighbridge.errors import Refusal
from weighbridge.exchange import data_feed_uploads
from weighbridge.exchange.data_feed_uploads import UploadFile, UploadWork
from weighbridge.exchange.data_feeds import DATA_FEEDS
from weighbridge.exchange.records.data_feeds import DataFeed, UploadProblem, UploadResult
from weighbridge.exchange.tables.columns import RowValues
from weighbridge.exchange.tables.corrected_rows import write_spool
from weighbridge.exchange.tables.opening import digest_content
from weighbridge.exchange.tables.reading import (
    FEED_LIMITS,
    ROWS_OF_PORTION,
    VALUE_LENGTH_MAX,
    FedRow,
    Portion,
    PortionSource,
    SandboxedRows,
    find_destination,
)
from weighbridge.exchange.tables.rows import (
    GivenFields,
    build_change,
    build_differing_row,
    describe_outcome,
    is_correctable,
)
from weighbridge.exchange.tables.table import BadRow, CsvFile, RowProblem
from weighbridge.platform import async_tasks as tasks
from weighbridge.platform import changes
from weighbridge.platform.async_tasks import Attempt
from weighbridge.sandbox.sandbox import read_apart, run_sandboxed

HEADER: Final = ("row", "column", "value", "reason", "stored", "field", "event_id")


class BadRowReport:
    """The file on its way; a context manager."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows = 0

    def __enter__(self) -> Self:
        self._file = self.path.open("w", encoding="utf-8", newline="")
        self._writer = csv.writer(self._file)
        self._writer.writerow(HEADER)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def flush(self) -> None:
        """Hand on all that was written, so that the file can be read."""
        self._file.flush()

    def add(self, bad: Iterable[BadRow]) -> None:
        """Write the lines of some rows."""
        for row in bad:
            self.rows += 1
            for problem in row.problems:
                value, stored_value = (
                    "" if text is None else shorten(text, VALUE_LENGTH_MAX)
                    for text in (problem.value, problem.stored)
                )
                field = problem.field if problem.event else None
                texts = (problem.column or "", value, problem.reason, stored_value, field or "")
                self._writer.writerow((row.line, *map(guard_cell, texts), problem.event or ""))


SPANS_TOLD_MAX: Final = 1_000
"""Runs of consecutive events that the audit log names; behind those it has the count alone."""

DIFFERING: Final = (
    "mend the file, correct the event {event}, or let on_difference of the data feed be correct"
)
REASON: Final = "The file {file} says so, upload {upload} to the data feed {feed}"
"""Why an event is corrected, as its history says."""


@dataclass(slots=True)
class Tally:
    """What the rows of a file have come to so far."""

    rows: int = 0
    stored: int = 0
    already_there: int = 0
    differing: int = 0
    corrected: int = 0
    incomplete: int = 0
    bad_rows: int = 0
    first_start: datetime | None = None
    last_start: datetime | None = None
    last_end: datetime | None = None
    shown: list[BadRow] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    tree: Edge = field(default_factory=Edge)
    """Over the leaves of the events that were stored, in the order of the rows."""

    def add_stored(self, rows: Sequence[FedRow]) -> None:
        """Count rows that were stored."""
        self.stored += len(rows)
        for leaf in hash_event_rows(row.text for row in rows):
            self.tree.add(leaf)
        for row in rows:
            self.incomplete += not row.is_complete
            if self.first_start is None or row.start < self.first_start:
                self.first_start = row.start
            if self.last_start is None or row.start > self.last_start:
                self.last_start = row.start
            if self.last_end is None or row.end > self.last_end:
                self.last_end = row.end
            if self.spans and self.spans[-1][1] == row.key - 1:
                self.spans[-1] = (self.spans[-1][0], row.key)
            elif len(self.spans) < SPANS_TOLD_MAX:
                self.spans.append((row.key, row.key))

    def named_spans(self, project: int) -> list[list[str]]:
        """The runs of consecutive events by the ids of their first and last."""
        return [
            [identity.of("event", project, first), identity.of("event", project, last)]
            for first, last in self.spans
        ]


@dataclass(frozen=True, slots=True)
class StoringOrder:
    """Into which project rows go and for whom, and what becomes of events that the project has otherwise."""

    actor: Actor
    project: int
    event_type: int
    vocabulary: EventVocabulary
    given: GivenFields
    reason: str
    """Why events are corrected."""
    is_correcting: bool = False
    is_dry_run: bool = False
    """Whether everything is undone in the end."""


@dataclass(slots=True)
class SortedRows:
    """The good rows of a portion, by what becomes of them."""

    new: list[FedRow] = field(default_factory=list)
    bad: list[BadRow] = field(default_factory=list)
    known: list[tuple[FedRow, HeldEvent]] = field(default_factory=list)
    """Rows whose events the project has."""


class MetEvents:
    """The events that rows of this file were or became, a bit for each: a file is longer than memory."""

    def __init__(self) -> None:
        self._blocks: dict[int, bytearray] = {}

    def __contains__(self, number: int) -> bool:
        block = self._blocks.get(number >> 12)
        return block is not None and bool(block[(number & 4_095) >> 3] & 1 << (number & 7))

    def add(self, number: int) -> None:
        block = self._blocks.setdefault(number >> 12, bytearray(512))
        block[(number & 4_095) >> 3] |= 1 << (number & 7)


@dataclass(slots=True)
class RowStore:
    """Stores rows in one transaction, as events of one type of a project."""

    tx: Write
    order: StoringOrder
    report: BadRowReport
    tally: Tally = field(default_factory=Tally)
    met: MetEvents = field(default_factory=MetEvents)

    async def store(self, rows: PortionSource, advance: Callable[[int, int], Awaitable[None]]) -> Tally:
        """Store the rows of a file; `advance` hears of the bytes that are read and the rows so far."""
        reading = _begin_reading(rows, await self.tx.take_event_keys(ROWS_OF_PORTION))
        try:
            while (portion := await self.tx.meanwhile(reading)) is not None:
                keys_left = portion.keys_left
                keys = [*keys_left, *await self.tx.take_event_keys(ROWS_OF_PORTION - len(keys_left))]
                reading = _begin_reading(rows, keys)
                await self._store(portion, rows)
                await advance(portion.bytes_read, self.tally.rows)
        finally:
            reading.cancel()
            await asyncio.wait([reading])
        return self.tally

    async def _store(self, portion: Portion, source: PortionSource) -> None:
        rows = await self._sort_rows(portion.good)
        differing = await self._settle_differences(rows, source) if rows.known else []
        reported = sorted([*portion.bad, *rows.bad, *differing], key=lambda row: row.line)
        tally = self.tally
        tally.rows += len(portion.good) + len(portion.bad)
        tally.already_there += len(rows.known) - len(differing)
        tally.differing += len(differing)
        tally.bad_rows += len(portion.bad) + len(rows.bad)
        if reported:
            tally.shown += reported[: PROBLEMS_SHOWN - len(tally.shown)]
            await asyncio.to_thread(self.report.add, reported)
        if rows.new:
            await self.tx.copy("events", EVENT_COLUMNS, ["".join([row.text for row in rows.new])])
            tally.add_stored(rows.new)
            for row in rows.new:
                self.met.add(row.key)

    async def _sort_rows(self, good: Sequence[FedRow]) -> SortedRows:
        """The rows whose events are not there yet, those that are, and those whose reference is another's."""
        references = [row.reference for row in good if row.reference]
        stored_events = await held_events(self.tx, self.order.project, references)
        rows = SortedRows()
        references_seen: set[str] = set()
        other_types = {event.event_type for event in stored_events.values()} - {self.order.event_type}
        slugs: dict[int, str] = (
            dict(await self.tx.tuples(_SLUGS, (self.order.project, [*other_types]))) if other_types else {}
        )
        for row in good:
            reference = row.reference
            stored_event = stored_events.get(reference) if reference else None
            if reference is None:
                rows.new.append(row)
            elif reference in references_seen or (
                stored_event is not None and stored_event.number in self.met
            ):
                rows.bad.append(_refuse_repeated(row))
            elif stored_event is None:
                references_seen.add(reference)
                rows.new.append(row)
            elif wrong := self._compare_identity(row, slugs.get(stored_event.event_type), stored_event):
                rows.bad.append(BadRow(row.line, (RowProblem(wrong, None, reference),)))
            else:
                self.met.add(stored_event.number)
                rows.known.append((row, stored_event))
        return rows

    def _compare_identity(self, row: FedRow, other_type: str | None, stored_event: HeldEvent) -> str | None:
        """Say why the event that has a row's reference is not the row's; None where it is."""
        has_it = f"the project has its client_reference {row.reference!r} on an event"
        if other_type is not None:
            own = self.order.event_type
            [slug] = [name for name, schema in self.order.vocabulary.schemas.items() if schema.number == own]
            return f"{has_it} of type {other_type!r}, not {slug!r}"
        start, sent = Instant.of(stored_event.start_time), Instant.of(row.start)
        # A time that was corrected since is not the file's any more.
        if row.is_known_by_line and not stored_event.is_revised and start != sent:
            return (
                f"{has_it} that starts at {start.text}, not {sent.text}: it came of another file, or of this "
                "one read in another way"
            )
        return None

    async def _settle_differences(self, rows: SortedRows, source: PortionSource) -> list[BadRow]:
        """Report the rows whose events have other values, and correct these events where that is wanted."""
        order = self.order
        events = await source.events([row.line for row, _ in rows.known])
        differing_rows = await asyncio.to_thread(_find_differences, rows.known, events, order)
        event_changes: dict[int, EventChange] = {}
        for _, event, stored_event, discrepancies in differing_rows:
            if order.is_correcting and is_correctable(discrepancies):
                event_changes[stored_event.number] = build_change(event, discrepancies, order.reason)
        refused_changes: dict[int, list[Problem]] = {}
        if event_changes:
            refused_changes = await change_events(
                self.tx, order.actor, order.project, event_changes, order.vocabulary
            )
        self.tally.corrected += len(event_changes) - len(refused_changes)
        differing = []
        for row, _, stored_event, discrepancies in differing_rows:
            friendly = identity.of("event", order.project, stored_event.number)
            if stored_event.number in refused_changes:
                outcome = " ".join(
                    problem.message for problem in refused_changes[stored_event.number]
                ).rstrip(".")
            else:
                outcome = describe_outcome(
                    friendly, DIFFERING, is_correcting=order.is_correcting,
                    is_correctable=stored_event.number in event_changes, is_dry_run=order.is_dry_run,
                )  # fmt: skip
            differing.append(build_differing_row(row.line, friendly, discrepancies, order.given, outcome))
        return differing


def _find_differences(
    known_rows: Sequence[tuple[FedRow, HeldEvent]], events: Sequence[NewEvent], order: StoringOrder
) -> list[tuple[FedRow, NewEvent, HeldEvent, list[Discrepancy]]]:
    return [
        (row, event, stored_event, discrepancies)
        for (row, stored_event), event in zip(known_rows, events, strict=True)
        if (discrepancies := differences(event, stored_event, order.vocabulary, order.given))
    ]


def _refuse_repeated(row: FedRow) -> BadRow:
    reference = row.reference or ""
    reason = f"its client_reference {shorten(reference)!r} stands on an earlier row too"
    return BadRow(row.line, (RowProblem(reason, None, reference),))


def _begin_reading(rows: PortionSource, keys: Sequence[int]) -> "asyncio.Task[Portion | None]":
    return asyncio.create_task(rows.next(keys))


_SLUGS: Final = "SELECT id, slug FROM event_types WHERE project_id = %s AND id = ANY (%s)"


# The task of an upload.


REPORT_SECONDS: Final = 1
"""How often the progress of an upload is recorded."""


class _UndoneError(Exception):
    """The transaction is undone on purpose; another one records what it came to."""


@dataclass(frozen=True, slots=True)
class ReadContent:
    """What is read: the content of a file, with corrected rows in place of some of its own."""

    file_sha256: bytes
    """The digest of the file alone: corrected rows are known by the file that they are rows of."""
    corrected: dict[int, list[str]] = field(default_factory=dict)
    corrections_sha256: bytes = b""

    @property
    def sha256(self) -> bytes:
        """The digest of all that is read."""
        if not self.corrections_sha256:
            return self.file_sha256
        return hashlib.sha256(self.file_sha256 + self.corrections_sha256).digest()


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """A file that was fetched: what is to be done with it, as which feed says, and what it holds."""

    work: UploadWork
    feed: DataFeed
    path: Path
    content: ReadContent
    report: BadRowReport


class ReportFile(msgspec.Struct, frozen=True):
    """The file of bad rows in the store."""

    key: str
    size: int
    sha256: bytes


class FeedOutcome(msgspec.Struct, frozen=True):
    """What an upload came to, to be written down."""

    content_sha256: bytes
    mapping: dict[str, str]
    tally: Tally
    formulas: int
    same_as: int | None = None
    report: ReportFile | None = None


class Feeder:
    """Carries out the tasks of uploads; the worker has one, with the store of the service."""

    def __init__(self, store: EvidenceStore) -> None:
        self._store = store

    async def take_in(self, database: Database, attempt: Attempt) -> None:
        """Store the rows of one upload; a refusal where the file as a whole cannot be read."""
        async with database.read() as tx:
            work = await data_feed_uploads.get_work(tx, attempt.project_id, attempt.task_id)
            feed = await DATA_FEEDS.read(tx, work.project, str(work.feed))
            file_read = await data_feed_uploads.get_file(
                tx, work.project, work.feed, work.number if work.corrects is None else work.corrects
            )
        if work.on_difference is not None:
            feed = msgspec.structs.replace(feed, on_difference=work.on_difference)
        with TemporaryDirectory(prefix="weighbridge-feed-") as folder:
            file = Path(folder) / "file"
            content = await self._fetch(attempt, work, file_read, file)
            digest = content.sha256
            async with database.read() as tx:
                before = await data_feed_uploads.find_stored(tx, work, digest)
            is_known = before is not None and RowValues.of(feed.columns).reference != ""
            if is_known and not work.dry_run:
                async with database.write() as tx:
                    await self._end(tx, attempt, work, FeedOutcome(digest, {}, Tally(), 0, before))
                return
            with BadRowReport(Path(folder) / "report") as report:
                fetched = FetchedFile(work, feed, file, content, report)
                await self._store_rows(database, attempt, fetched)

    async def _fetch(self, attempt: Attempt, work: UploadWork, file: UploadFile, target: Path) -> ReadContent:
        """Fetch the file that is read, and the corrected rows, if the upload brought some."""
        if work.key is None or file.key is None:
            raise Refusal("The uploaded file is no longer stored. Upload it again.")
        spool = await self._store.get(file.key, file.size, file.sha256)
        await asyncio.to_thread(write_spool, spool, target)
        csv_file = CsvFile(target, name=work.name, bytes_max=CONTENT_BYTES_MAX)
        account, title = attempt.actor.account_id, _build_title(work)
        digest = bytes.fromhex(await read_apart(account, title, FEED_LIMITS, digest_content, csv_file))
        if work.corrects is None:
            return ReadContent(digest)
        own = UploadFile(work.name, work.key, work.size, work.sha256)
        corrected = await data_feed_uploads.read_corrected_rows(self._store, own)
        return ReadContent(digest, corrected, work.sha256)

    async def _store_rows(self, database: Database, attempt: Attempt, fetched: FetchedFile) -> None:
        """Store the rows, and undo that where the feed or the caller wants it so."""
        outcome: FeedOutcome | None = None
        work, feed = fetched.work, fetched.feed
        try:
            async with database.write() as tx:
                outcome = await _store_file_rows(tx, database, attempt, fetched)
                outcome = msgspec.structs.replace(outcome, report=await self._store_report(fetched.report))
                _undo_if(work.dry_run or _is_refused(feed, outcome))
                await count_day(tx, attempt.actor, outcome.tally.stored)
                await self._end(tx, attempt, work, outcome)
        except _UndoneError:
            assert outcome is not None, "it was undone after it came to something"  # noqa: S101
            refused = _is_refused(feed, outcome) and not work.dry_run
            outcome.tally.stored = 0
            outcome.tally.corrected *= work.dry_run
            async with database.write() as tx:
                await self._end(tx, attempt, work, outcome, is_refused=refused)

    @staticmethod
    async def _end(
        tx: Write, attempt: Attempt, work: UploadWork, outcome: FeedOutcome, *, is_refused: bool = False
    ) -> None:
        """Write down what the upload came to, and end its task with it."""
        await tasks.lock_current_attempt(tx, attempt)
        tally = outcome.tally
        corrected = 0 if work.dry_run else tally.corrected
        await tx.execute(
            _UPDATE_UPLOAD,
            _build_values(outcome) | {"corrected": corrected, "project": work.project, "id": work.number},
        )
        result = UploadResult(
            work.number, tally.rows, tally.stored, tally.already_there, tally.bad_rows, outcome.same_as,
            tally.differing, tally.corrected,
        )  # fmt: skip
        record: dict[str, Any] = msgspec.structs.asdict(result)
        record["content_sha256"] = outcome.content_sha256.hex()
        if tally.stored:
            record["ids"] = tally.named_spans(work.project)
            record["root"] = tally.tree.root.hex()
        changes.record(
            tx, attempt.actor, await _find_new_events(tx, work, tally), action="data_feed_upload.finish",
            target=str(work.number), project_id=work.project, after=record,
        )  # fmt: skip
        if is_refused:
            await tasks.fail_task(tx, attempt.task_id, _describe_refusal(tally))
        else:
            await tasks.complete_task(tx, attempt, result)

    async def _store_report(self, report: BadRowReport) -> ReportFile | None:
        """Put the report of bad rows into the store, if there are any."""
        if not report.rows:
            return None
        report.flush()
        key = token_hex(KEY_BYTES)
        sha256 = await asyncio.to_thread(_digest, report.path)
        await self._store.put_file(key, report.path)
        return ReportFile(key, report.path.stat().st_size, sha256)


async def _store_file_rows(
    tx: Write, database: Database, attempt: Attempt, fetched: FetchedFile
) -> FeedOutcome:
    """Store the rows of the file, and say what they came to."""
    work, feed, path, content = fetched.work, fetched.feed, fetched.path, fetched.content
    destination = await find_destination(tx, attempt.actor, work.project, feed)
    csv_file = CsvFile(path, feed.delimiter, feed.encoding, feed.header_line, work.name, CONTENT_BYTES_MAX)
    reference = RowValues.of(feed.columns).reference_of(feed, content.file_sha256)
    after = await data_feed_uploads.find_last_start(tx, work) if feed.files_in_order else None
    async with run_sandboxed(attempt.actor.account_id, _build_title(work), FEED_LIMITS) as sandbox:
        rows = SandboxedRows(sandbox)
        opened = await tx.meanwhile(
            rows.open(csv_file, feed, destination, reference, content.corrected, after)
        )
        number = destination.vocabulary.schemas[destination.event_type.slug].number
        order = StoringOrder(
            attempt.actor, work.project, number, destination.vocabulary, opened.given,
            _build_reason(work, feed), is_correcting=feed.on_difference == OnDifference.CORRECT,
            is_dry_run=work.dry_run,
        )  # fmt: skip
        store = RowStore(tx, order, fetched.report)
        tally = await store.store(rows, _build_progress_report(database, attempt, path.stat().st_size))
        return FeedOutcome(content.sha256, opened.mapping, tally, await rows.formulas())


def _build_progress_report(
    database: Database, attempt: Attempt, size: int
) -> Callable[[int, int], Awaitable[None]]:
    """Tells of progress, some times a minute; the last per cent are for the end."""
    recorded_at = time.monotonic()

    async def advance(bytes_read: int, rows: int) -> None:
        nonlocal recorded_at
        if time.monotonic() - recorded_at >= REPORT_SECONDS:
            recorded_at = time.monotonic()
            progress = min(99, 100 * bytes_read // max(1, size))
            await tasks.report_progress(database, attempt, progress, f"{rows:,} rows")

    return advance


def _undo_if(is_undone: bool) -> None:  # noqa: FBT001 - it reads as a sentence
    if is_undone:
        raise _UndoneError


def _is_refused(feed: DataFeed, outcome: FeedOutcome) -> bool:
    """Whether nothing is stored for rows that are bad, or that contradict events which stay as they are."""
    tally = outcome.tally
    return feed.bad_rows == BadRows.REFUSE_FILE and tally.bad_rows + tally.differing > tally.corrected


def _describe_refusal(tally: Tally) -> str:
    first = tally.shown[0]
    bad = f"{tally.bad_rows:,} of {tally.rows:,} rows are bad"
    differing = f"{tally.differing:,} of {tally.rows:,} rows differ from the events that the project has"
    wrong = " and ".join(
        text for text, count in ((bad, tally.bad_rows), (differing, tally.differing)) if count
    )
    return (
        f"{wrong}, so nothing was stored. The first is row "
        f"{first.line:,}: {'; '.join(first.reasons)}. All are in bad_rows.csv of the upload."
    )


def _build_title(work: UploadWork) -> str:
    return f"The file {shorten(work.name, NAME_OF_FILE_MAX)}"


def _build_reason(work: UploadWork, feed: DataFeed) -> str:
    """Why events are corrected, as their history says."""
    return REASON.format(
        file=shorten(work.name, NAME_OF_FILE_MAX), upload=work.number, feed=shorten(feed.name)
    )


async def _find_new_events(tx: Write, work: UploadWork, tally: Tally) -> changes.NewEvents | None:
    if tally.first_start is None or tally.last_start is None or not tally.stored:
        return None
    number = await tx.value(
        "SELECT event_type_id FROM data_feeds WHERE project_id = %s AND id = %s", (work.project, work.feed)
    )
    return changes.NewEvents.of([(number, tally.first_start), (number, tally.last_start)])


def _cut(text: str | None) -> str | None:
    """As much of a text as is shown; a NUL, which no text of the database has, as the sign for it."""
    return text and text[:VALUE_LENGTH_MAX].replace("\0", "\N{SYMBOL FOR NULL}")


def _build_values(outcome: FeedOutcome) -> dict[str, Any]:
    tally, report = outcome.tally, outcome.report
    problems = [
        UploadProblem(
            row.line,
            problem.column,
            _cut(problem.value),
            problem.reason,
            _cut(problem.stored),
            problem.field if problem.event else None,
            problem.event,
        )
        for row in tally.shown
        for problem in row.problems
    ]
    return {
        "content_sha256": outcome.content_sha256,
        "same_as": outcome.same_as,
        "mapping": jsonb(outcome.mapping),
        "rows": tally.rows,
        "stored": tally.stored,
        "already_there": tally.already_there,
        "differing": tally.differing,
        "incomplete": tally.incomplete,
        "bad_rows": tally.bad_rows,
        "formulas": outcome.formulas,
        "first_start": tally.first_start and Instant.of(tally.first_start),
        "last_start": tally.last_start and Instant.of(tally.last_start),
        "last_end": tally.last_end and Instant.of(tally.last_end),
        "problems": jsonb(problems),
        "report_key": report and report.key,
        "report_bytes": report and report.size,
        "report_sha256": report and report.sha256,
    }


_UPDATE_UPLOAD: Final = """
    UPDATE data_feed_uploads
       SET content_sha256 = %(content_sha256)s, same_as = %(same_as)s, mapping = %(mapping)s, rows = %(rows)s,
           stored = %(stored)s, already_there = %(already_there)s, differing = %(differing)s,
           corrected = %(corrected)s, incomplete = %(incomplete)s,
           bad_rows = %(bad_rows)s, formulas = %(formulas)s, first_start = %(first_start)s,
           last_start = %(last_start)s, last_end = %(last_end)s, problems = %(problems)s,
           report_key = %(report_key)s, report_bytes = %(report_bytes)s, report_sha256 = %(report_sha256)s,
           finished_at = (SELECT clock_timestamp())
     WHERE project_id = %(project)s AND id = %(id)s
"""


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
