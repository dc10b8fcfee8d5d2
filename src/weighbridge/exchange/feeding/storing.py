"""The rows of a file go to the database in portions, while the next ones are read; what is wrong is reported.

The report is a CSV file with a line for each thing that is wrong with a row or that differs from its event.

Invariants: an event whose client reference the project has already is left alone and counted, if it is the
row's and says the same; one that says otherwise is told of, and corrected where the feed wants that; a
reference that stands on two rows of the file makes the later one bad. No text of the report is computed by a
spreadsheet: what would begin as a formula gets an apostrophe.
"""

import asyncio
import csv
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from weighbridge.collection.events import change_events
from weighbridge.collection.intake.checking import COPY_EVENTS, EventVocabulary
from weighbridge.collection.intake.client_references import Discrepancy, HeldEvent, differences, held_events
from weighbridge.collection.records.events import EventChange
from weighbridge.core.collection.correction import hash_event_rows
from weighbridge.core.collection.data_feed import PROBLEMS_SHOWN
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.platform.tasks import guard_cell
from weighbridge.core.problem import Problem
from weighbridge.core.proof.merkle import Edge
from weighbridge.core.quantity.number import shorten
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Write
from weighbridge.exchange.feeding.reading import (
    ROWS_OF_PORTION,
    VALUE_LENGTH_MAX,
    FedRow,
    Portion,
    PortionSource,
)
from weighbridge.exchange.tabular.row import (
    GivenFields,
    build_change,
    build_differing_row,
    describe_outcome,
    is_correctable,
)
from weighbridge.exchange.tabular.table import BadRow, RowProblem

HEADER: Final = ("row", "column", "value", "reason", "stored")


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
                value, stored = (
                    "" if text is None else shorten(text, VALUE_LENGTH_MAX)
                    for text in (problem.value, problem.stored)
                )
                texts = (problem.column or "", value, problem.reason, stored)
                self._writer.writerow((row.line, *map(guard_cell, texts)))


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
            [ids.of("event", project, first), ids.of("event", project, last)] for first, last in self.spans
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
    """The events that rows of this file had already, a bit for each: a file is longer than memory."""

    def __init__(self) -> None:
        self._blocks: dict[int, bytearray] = {}

    def add(self, number: int) -> bool:
        """Note an event; False where it was met before."""
        block = self._blocks.setdefault(number >> 12, bytearray(512))
        place, bit = (number & 4_095) >> 3, 1 << (number & 7)
        is_new = not block[place] & bit
        block[place] |= bit
        return is_new


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
                left = portion.keys_left
                keys = [*left, *await self.tx.take_event_keys(ROWS_OF_PORTION - len(left))]
                reading = _begin_reading(rows, keys)
                await self._store(portion)
                await advance(portion.bytes_read, self.tally.rows)
        finally:
            reading.cancel()
            await asyncio.wait([reading])
        return self.tally

    async def _store(self, portion: Portion) -> None:
        rows = await self._sort_rows(portion.good)
        differing = await self._settle_differences(rows) if rows.known else []
        told = sorted([*portion.bad, *rows.bad, *differing], key=lambda one: one.line)
        tally = self.tally
        tally.rows += len(portion.good) + len(portion.bad)
        tally.already_there += len(rows.known) - len(differing)
        tally.differing += len(differing)
        tally.bad_rows += len(portion.bad) + len(rows.bad)
        if told:
            tally.shown += told[: PROBLEMS_SHOWN - len(tally.shown)]
            await asyncio.to_thread(self.report.add, told)
        if rows.new:
            await self.tx.copy(COPY_EVENTS, ["".join([row.text for row in rows.new])])
            tally.add_stored(rows.new)

    async def _sort_rows(self, good: Sequence[FedRow]) -> SortedRows:
        """The rows whose events are not there yet, those that are, and those whose reference is another's."""
        references = [row.reference for row in good if row.reference]
        held = await held_events(self.tx, self.order.project, references)
        rows = SortedRows()
        seen: set[str] = set()
        others = {one.event_type for one in held.values()} - {self.order.event_type}
        slugs: dict[int, str] = (
            dict(await self.tx.tuples(_SLUGS, (self.order.project, [*others]))) if others else {}
        )
        for row in good:
            reference = row.reference
            there = held.get(reference) if reference else None
            if reference is None:
                rows.new.append(row)
            elif reference in seen or (there is not None and there.is_own):
                rows.bad.append(_refuse_repeated(row))
            elif there is None:
                seen.add(reference)
                rows.new.append(row)
            elif wrong := _compare_identity(row, slugs.get(there.event_type), there):
                rows.bad.append(BadRow(row.line, (RowProblem(wrong, None, reference),)))
            elif self.met.add(there.number):
                rows.known.append((row, there))
            else:
                rows.bad.append(_refuse_repeated(row))
        return rows

    async def _settle_differences(self, rows: SortedRows) -> list[BadRow]:
        """The rows whose events say otherwise, as they are told of; corrects those where that is wanted."""
        order = self.order
        found = await asyncio.to_thread(_find_differences, rows.known, order)
        wanted: dict[int, EventChange] = {}
        for row, held, unlike in found:
            if order.is_correcting and is_correctable(unlike):
                wanted[held.number] = build_change(row.event, unlike, order.reason)
        refused: dict[int, list[Problem]] = {}
        if wanted:
            refused = await change_events(self.tx, order.actor, order.project, wanted, order.vocabulary)
        self.tally.corrected += len(wanted) - len(refused)
        told = []
        for row, held, unlike in found:
            event = ids.of("event", order.project, held.number)
            if held.number in refused:
                said = " ".join(one.message for one in refused[held.number]).rstrip(".")
            else:
                said = describe_outcome(
                    event, DIFFERING, is_correcting=order.is_correcting, is_correctable=held.number in wanted,
                    is_dry_run=order.is_dry_run,
                )  # fmt: skip
            told.append(build_differing_row(row.line, unlike, order.given, said))
        return told


def _find_differences(
    known: Sequence[tuple[FedRow, HeldEvent]], order: StoringOrder
) -> list[tuple[FedRow, HeldEvent, list[Discrepancy]]]:
    return [
        (row, held, found)
        for row, held in known
        if (found := differences(row.event, held, order.vocabulary, order.given))
    ]


def _refuse_repeated(row: FedRow) -> BadRow:
    reference = row.reference or ""
    said = f"its client_reference {shorten(reference)!r} stands on an earlier row too"
    return BadRow(row.line, (RowProblem(said, None, reference),))


def _begin_reading(rows: PortionSource, keys: Sequence[int]) -> "asyncio.Task[Portion | None]":
    return asyncio.create_task(rows.next(keys))


def _compare_identity(row: FedRow, other_type: str | None, there: HeldEvent) -> str | None:
    """Say why the event that has a row's reference is not the row's; None where it is."""
    has_it = f"the project has its client_reference {row.reference!r} on an event"
    if other_type is not None:
        return f"{has_it} of type {other_type!r}, not {row.event.event_type!r}"
    start, sent = Instant.of(there.start_time), Instant.of(row.start)
    # A time that was corrected since is not the file's any more.
    if row.is_known_by_line and not there.is_revised and start != sent:
        return (
            f"{has_it} that starts at {start.text}, not {sent.text}: it came of another file, or of this one "
            "read in another way"
        )
    return None


_SLUGS: Final = "SELECT id, slug FROM event_types WHERE project_id = %s AND id = ANY (%s)"
