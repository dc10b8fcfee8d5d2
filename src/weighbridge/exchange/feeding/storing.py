"""The rows of a file go to the database in portions, while the next ones are read beside.

Invariants: an event whose client reference the project has already is left alone and counted, if it is the
row's; a reference that stands on two rows of the file makes the later one bad.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from weighbridge.collection.intake.checking import COPY_EVENTS
from weighbridge.core.collection.data_feed import PROBLEMS_SHOWN
from weighbridge.core.identity import ids
from weighbridge.core.quantity.number import shorten
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Write
from weighbridge.db.threads import ALIVE_SECONDS, computed
from weighbridge.exchange.feeding.portions import ROWS_OF_PORTION, FedRow, Portion, RowFeed
from weighbridge.exchange.feeding.report import BadRowReport
from weighbridge.exchange.tabular.row import BadRow, RowProblem

SPANS_TOLD_MAX: Final = 1_000
"""Runs of consecutive events that the audit log names; behind those it has the count alone."""

# What this transaction stored itself came of an earlier row of the same file.
_THERE: Final = """
    SELECT client_reference, event_type_id, start_time, is_revised, xmin = pg_current_xact_id()::xid
      FROM events WHERE project_id = %s AND client_reference = ANY (%s)
"""


@dataclass(slots=True)
class Tally:
    """What the rows of a file have come to so far."""

    rows: int = 0
    stored: int = 0
    already_there: int = 0
    incomplete: int = 0
    bad_rows: int = 0
    first_start: datetime | None = None
    last_start: datetime | None = None
    last_end: datetime | None = None
    shown: list[BadRow] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)

    def add_stored(self, rows: Sequence[FedRow]) -> None:
        """Count rows that were stored."""
        self.stored += len(rows)
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

    def add_bad(self, bad: Sequence[BadRow]) -> None:
        """Count rows that are bad."""
        self.bad_rows += len(bad)
        self.shown += bad[: PROBLEMS_SHOWN - len(self.shown)]

    def named_spans(self, project: int) -> list[list[str]]:
        """The runs of consecutive events by the ids of their first and last."""
        return [
            [ids.of("event", project, first), ids.of("event", project, last)] for first, last in self.spans
        ]


@dataclass(slots=True)
class RowStore:
    """Stores rows in one transaction, as events of one type of a project."""

    tx: Write
    project: int
    event_type: int
    report: BadRowReport
    tally: Tally = field(default_factory=Tally)

    async def store(self, rows: RowFeed, advance: Callable[[int, int], Awaitable[None]]) -> Tally:
        """Store the rows of a file; `advance` hears of the bytes that are read and the rows so far."""
        reading = _begun(rows, await self.tx.take_event_keys(ROWS_OF_PORTION))
        try:
            while (portion := await self._waited(reading)) is not None:
                left = portion.keys_left
                keys = [*left, *await self.tx.take_event_keys(ROWS_OF_PORTION - len(left))]
                reading = _begun(rows, keys)
                await self._store(portion)
                await advance(portion.bytes_read, self.tally.rows)
        finally:
            reading.cancel()
            await asyncio.wait([reading])
        return self.tally

    async def _waited(self, reading: "asyncio.Task[Portion | None]") -> Portion | None:
        """The next portion; the server ends a transaction that idles, so this one is used meanwhile."""
        while not (await asyncio.wait([reading], timeout=ALIVE_SECONDS))[0]:
            await self.tx.value("SELECT 1")
        return reading.result()

    async def _store(self, portion: Portion) -> None:
        new, bad = await self._new_rows(portion.good)
        every_bad = sorted([*portion.bad, *bad], key=lambda one: one.line) if bad else portion.bad
        tally = self.tally
        tally.rows += len(portion.good) + len(portion.bad)
        tally.already_there += len(portion.good) - len(new) - len(bad)
        if every_bad:
            tally.add_bad(every_bad)
            await asyncio.to_thread(self.report.add, every_bad)
        if new:
            await self.tx.copy(COPY_EVENTS, ["".join([row.text for row in new])])
            tally.add_stored(new)

    async def _new_rows(self, good: Sequence[FedRow]) -> tuple[list[FedRow], list[BadRow]]:
        """The rows whose events are not there yet, and those whose reference stands on something else."""
        references = [row.reference for row in good if row.reference]
        there = await self._there(references) if references else {}
        new: list[FedRow] = []
        bad: list[BadRow] = []
        seen: set[str] = set()
        for row in good:
            reference = row.reference
            if reference is None:
                new.append(row)
            elif reference in seen or (reference in there and there[reference][3]):
                said = f"its client_reference {shorten(reference)!r} stands on an earlier row too"
                bad.append(BadRow(row.line, (RowProblem(said, None, reference),)))
            elif reference in there:
                if wrong := _said_of_other(row, self.event_type, there[reference]):
                    bad.append(BadRow(row.line, (RowProblem(wrong, None, reference),)))
            else:
                seen.add(reference)
                new.append(row)
        return new, bad

    async def _there(self, references: list[str]) -> dict[str, Sequence[object]]:
        rows = await self.tx.tuples(_THERE, (self.project, references))
        return {reference: rest for reference, *rest in rows}


def _begun(rows: RowFeed, keys: Sequence[int]) -> "asyncio.Task[Portion | None]":
    return asyncio.create_task(computed(None, rows.next, keys))


def _said_of_other(row: FedRow, event_type: int, there: Sequence[object]) -> str | None:
    """Why the event that has a row's reference is not the row's; None where it is."""
    stored_type, start, is_revised, _ = there
    if stored_type != event_type:
        return f"the project has its client_reference {row.reference!r} on an event of another type"
    # A time that was corrected since is not the file's any more.
    assert isinstance(start, datetime), "a start is a time"  # noqa: S101
    if row.is_known_by_line and not is_revised and Instant.of(start) != Instant.of(row.start):
        return (
            f"the project has its client_reference {row.reference!r} on an event that starts at "
            f"{Instant.of(start).text}, for the file was read in another way before"
        )
    return None
