"""Store the rows of an upload: fetch the file, read it, store everything in one transaction, tell of it.

Invariants: the events of a file, its counts and the end of its task are one transaction, so an attempt that
is killed, overtaken or cancelled leaves nothing; a file with bad rows that its feed refuses stores nothing; a
dry run is undone.
"""

import asyncio
import hashlib
import shutil
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec

from weighbridge.collection.evidence_files import KEY_BYTES, EvidenceStore
from weighbridge.collection.intake.creation import count_day
from weighbridge.core.collection.data_feed import CONTENT_BYTES_MAX, NAME_OF_FILE_MAX, BadRows, OnDifference
from weighbridge.core.quantity.number import shorten
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Database, Write
from weighbridge.db.json import jsonb
from weighbridge.errors import Refusal
from weighbridge.exchange import data_feed_uploads
from weighbridge.exchange.data_feed_uploads import UploadWork
from weighbridge.exchange.data_feeds import read_data_feed
from weighbridge.exchange.feeding.mapping import RowValues
from weighbridge.exchange.feeding.reading import (
    FEED_LIMITS,
    VALUE_LENGTH_MAX,
    SandboxedRows,
    find_destination,
)
from weighbridge.exchange.feeding.storing import REASON, BadRowReport, RowStore, StoringOrder, Tally
from weighbridge.exchange.records.data_feeds import DataFeed, UploadProblem, UploadResult
from weighbridge.exchange.tabular.sheet import content_digest
from weighbridge.exchange.tabular.table import CsvFile
from weighbridge.http.messages.operation import Spool
from weighbridge.platform import async_tasks as tasks
from weighbridge.platform import changes
from weighbridge.platform.async_tasks import Attempt
from weighbridge.sandbox.sandbox import read_apart, run_sandboxed

REPORT_SECONDS: Final = 1
"""How often the progress of an upload is told."""


class _UndoneError(Exception):
    """The transaction is undone on purpose; what it came to is told by another."""


@dataclass(frozen=True, slots=True)
class FileAtHand:
    """A file that was fetched: what is to be done with it, as which feed says, and what it holds."""

    work: UploadWork
    feed: DataFeed
    path: Path
    content_sha256: bytes
    report: BadRowReport


class KeptReport(msgspec.Struct, frozen=True):
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
    report: KeptReport | None = None


class Feeder:
    """Carries out the tasks of uploads; the worker has one, with the store of the service."""

    def __init__(self, store: EvidenceStore) -> None:
        self._store = store

    async def take_in(self, database: Database, attempt: Attempt) -> None:
        """Store the rows of one upload; a refusal where the file as a whole cannot be read."""
        async with database.read() as tx:
            work = await data_feed_uploads.get_work(tx, attempt.project_id, attempt.task_id)
            feed = await read_data_feed(tx, work.project, str(work.feed))
        with TemporaryDirectory(prefix="weighbridge-feed-") as folder:
            file = Path(folder) / "file"
            await self._fetch(work, file)
            written = CsvFile(file, name=work.name, bytes_max=CONTENT_BYTES_MAX)
            said = f"The file {shorten(work.name, NAME_OF_FILE_MAX)}"
            account = attempt.actor.account_id
            read = await read_apart(account, said, FEED_LIMITS, content_digest, written)
            digest = bytes.fromhex(read)
            async with database.read() as tx:
                before = await data_feed_uploads.find_stored(tx, work, digest)
            is_known = before is not None and RowValues.of(feed.columns).reference != ""
            if is_known and not work.dry_run:
                async with database.write() as tx:
                    await self._end(tx, attempt, work, FeedOutcome(digest, {}, Tally(), 0, before))
                return
            with BadRowReport(Path(folder) / "report") as report:
                at_hand = FileAtHand(work, feed, file, digest, report)
                await self._store_rows(database, attempt, at_hand)

    async def _fetch(self, work: UploadWork, target: Path) -> None:
        if work.key is None:
            raise Refusal("The file of the upload is not kept any more; send it again.")
        spool = await self._store.get(work.key, work.size, work.sha256)
        await asyncio.to_thread(_written, spool, target)

    async def _store_rows(self, database: Database, attempt: Attempt, at_hand: FileAtHand) -> None:
        """Store the rows, and undo that where the feed or the caller wants it so."""
        outcome: FeedOutcome | None = None
        work, feed = at_hand.work, at_hand.feed
        try:
            async with database.write() as tx:
                outcome = await _outcome(tx, database, attempt, at_hand)
                outcome = msgspec.structs.replace(outcome, report=await self._kept(at_hand.report))
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
            _COME_TO,
            _values(outcome) | {"corrected": corrected, "project": work.project, "id": work.number},
        )
        result = UploadResult(
            work.number, tally.rows, tally.stored, tally.already_there, tally.bad_rows, outcome.same_as,
            tally.differing, tally.corrected,
        )  # fmt: skip
        said: dict[str, Any] = msgspec.structs.asdict(result)
        said["content_sha256"] = outcome.content_sha256.hex()
        if tally.stored:
            said["ids"] = tally.named_spans(work.project)
            said["root"] = tally.tree.root.hex()
        changes.record(
            tx, attempt.actor, await _stored_events(tx, work, tally), action="data_feed_upload.finish",
            target=str(work.number), project_id=work.project, after=said,
        )  # fmt: skip
        if is_refused:
            await tasks.fail_task(tx, attempt.task_id, _said_of_refused(tally))
        else:
            await tasks.complete_task(tx, attempt, result)

    async def _kept(self, report: BadRowReport) -> KeptReport | None:
        """Put the report of bad rows into the store, if there are any."""
        if not report.rows:
            return None
        report.flush()
        key = token_hex(KEY_BYTES)
        sha256 = await asyncio.to_thread(_digest, report.path)
        await self._store.put_file(key, report.path)
        return KeptReport(key, report.path.stat().st_size, sha256)


async def _outcome(tx: Write, database: Database, attempt: Attempt, at_hand: FileAtHand) -> FeedOutcome:
    """Store the rows of the file, and say what they came to."""
    work, feed, path, digest = at_hand.work, at_hand.feed, at_hand.path, at_hand.content_sha256
    destination = await find_destination(tx, attempt.actor, work.project, feed)
    written = CsvFile(path, feed.delimiter, feed.encoding, feed.header_line, work.name, CONTENT_BYTES_MAX)
    reference = RowValues.of(feed.columns).reference_of(feed, digest)
    async with run_sandboxed(attempt.actor.account_id, f"The file {written.said}", FEED_LIMITS) as sandbox:
        rows = SandboxedRows(sandbox)
        opened = await tx.meanwhile(rows.open(written, feed, destination, reference))
        number = destination.vocabulary.schemas[destination.event_type.slug].number
        order = StoringOrder(
            attempt.actor, work.project, number, destination.vocabulary, opened.given,
            _reason(work, feed), is_correcting=feed.on_difference == OnDifference.CORRECT,
            is_dry_run=work.dry_run,
        )  # fmt: skip
        store = RowStore(tx, order, at_hand.report)
        tally = await store.store(rows, _advancing(database, attempt, path.stat().st_size))
        return FeedOutcome(digest, opened.mapping, tally, await rows.formulas())


def _advancing(database: Database, attempt: Attempt, size: int) -> Callable[[int, int], Awaitable[None]]:
    """Tells of progress, some times a minute; the last per cent are for the end."""
    told = time.monotonic()

    async def advance(bytes_read: int, rows: int) -> None:
        nonlocal told
        if time.monotonic() - told >= REPORT_SECONDS:
            told = time.monotonic()
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


def _said_of_refused(tally: Tally) -> str:
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


def _reason(work: UploadWork, feed: DataFeed) -> str:
    """Why events are corrected, as their history says."""
    return REASON.format(
        file=shorten(work.name, NAME_OF_FILE_MAX), upload=work.number, feed=shorten(feed.name)
    )


async def _stored_events(tx: Write, work: UploadWork, tally: Tally) -> changes.NewEvents | None:
    if tally.first_start is None or tally.last_start is None or not tally.stored:
        return None
    number = await tx.value(
        "SELECT event_type_id FROM data_feeds WHERE project_id = %s AND id = %s", (work.project, work.feed)
    )
    return changes.NewEvents.of([(number, tally.first_start), (number, tally.last_start)])


def _cut(text: str | None) -> str | None:
    """As much of a text as is told; a NUL, which no text of the database holds, as the sign for it."""
    return text and text[:VALUE_LENGTH_MAX].replace("\0", "\N{SYMBOL FOR NULL}")


def _values(outcome: FeedOutcome) -> dict[str, Any]:
    tally, report = outcome.tally, outcome.report
    problems = [
        UploadProblem(row.line, one.column, _cut(one.value), one.reason, _cut(one.stored))
        for row in tally.shown
        for one in row.problems
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
        "last_end": tally.last_end and Instant.of(tally.last_end),
        "problems": jsonb(problems),
        "report_key": report and report.key,
        "report_bytes": report and report.size,
        "report_sha256": report and report.sha256,
    }


_COME_TO: Final = """
    UPDATE data_feed_uploads
       SET content_sha256 = %(content_sha256)s, same_as = %(same_as)s, mapping = %(mapping)s, rows = %(rows)s,
           stored = %(stored)s, already_there = %(already_there)s, differing = %(differing)s,
           corrected = %(corrected)s, incomplete = %(incomplete)s,
           bad_rows = %(bad_rows)s, formulas = %(formulas)s, first_start = %(first_start)s,
           last_end = %(last_end)s, problems = %(problems)s, report_key = %(report_key)s,
           report_bytes = %(report_bytes)s, report_sha256 = %(report_sha256)s, finished_at = clock_timestamp()
     WHERE project_id = %(project)s AND id = %(id)s
"""


def _written(spool: Spool, target: Path) -> None:
    with spool, target.open("wb") as file:
        shutil.copyfileobj(spool, file, 1_048_576)


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
