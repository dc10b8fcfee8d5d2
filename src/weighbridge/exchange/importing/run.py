"""A run of an import: check the whole file, then store its events batch by batch.

Invariants: nothing is stored while a row is bad; each batch is one transaction; a dry run asks and stores
nothing; when a run ends early, what its earlier batches stored stays, and the refusal says how much that is.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Final

import msgspec

from weighbridge.collection.records.events import EVENTS_MAX, LocationRef
from weighbridge.core.collection.data_feed import OnDifference
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import shorten
from weighbridge.core.time.instant import Instant
from weighbridge.errors import Invalid, Refusal
from weighbridge.exchange.importing.check import BAD_ROWS_SHOWN, Checked, check
from weighbridge.exchange.importing.store import (
    Comparing,
    Destination,
    Store,
    StoredBatch,
    check_locations,
)
from weighbridge.exchange.tabular.cell import MissingMarks
from weighbridge.exchange.tabular.clock import Clock, check_clock
from weighbridge.exchange.tabular.columns import map_columns
from weighbridge.exchange.tabular.dating import outcomes
from weighbridge.exchange.tabular.file import CsvFile, fingerprint
from weighbridge.exchange.tabular.given import fields_given
from weighbridge.exchange.tabular.opening import content_digest, reading_table
from weighbridge.exchange.tabular.row import BadRow, NumberedEvent, RowMapping

DIGEST_DIGITS: Final = 12
"""Digits of the file's SHA-256 that its events' client references begin with."""

FILE_NAME_SHOWN: Final = 200
"""Characters of a file's name that the reason of a correction shows."""

BATCH_SIZE_DEFAULT: Final = 1_000

ProgressReport = Callable[[str, int, int], None]
"""Hears of progress: what is being done, how far it is, and how far it goes."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be imported, where to, and how the file is to be read."""

    file: CsvFile
    project: str
    event_type: str
    locations: Sequence[str] = ()
    columns: Sequence[str] = ()
    clock: Clock = Clock()  # noqa: RUF009 - a frozen value
    decimal_comma: bool = False
    missing: frozenset[str] = frozenset()
    reference: str | None = None
    """What client references begin with; None takes the digest of the file."""
    has_references: bool = True
    batch_size: int = BATCH_SIZE_DEFAULT
    is_dry_run: bool = False
    sheet: str | None = None
    """The sheet of a workbook; None is its first one."""
    on_difference: OnDifference = OnDifference.REPORT


class BadLine(msgspec.Struct, frozen=True):
    """A bad row of the summary."""

    line: int
    reasons: tuple[str, ...]


class Summary(msgspec.Struct, frozen=True):
    """What an import did."""

    file: str
    sha256: str
    project: str
    event_type: str
    mapping: dict[str, str]
    reference: str | None
    dry_run: bool
    rows: int
    stored: int
    already_there: int
    differing: int
    """Rows whose events the project has with other values; they are among the problems."""
    corrected: int
    """How many of those events were corrected, or of a dry run would be."""
    incomplete: int
    missing: dict[str, int]
    bad_rows: int
    problems: list[BadLine]
    first_start: Instant | None
    last_end: Instant | None

    @property
    def sentences(self) -> str:
        """The summary for a person."""
        told = [f"{self.file}: {self.rows:,} rows", self._done]
        if self.first_start and self.last_end:
            told.append(f"from {self.first_start.text} to {self.last_end.text}")
        text = ", ".join(told) + "."
        if self.incomplete:
            lacking = ", ".join(f"{slug} ({count:,})" for slug, count in self.missing.items())
            text += f" Incomplete are {self.incomplete:,} of the events, which lack {lacking}."
        return text

    @property
    def complaints(self) -> list[Problem]:
        """The bad rows, for a person."""
        told = [Problem(f"Line {bad.line}: {'; '.join(bad.reasons)}.") for bad in self.problems]
        left = self.bad_rows + self.differing - len(told)
        word = "are bad" if self.bad_rows else "differ"
        more = [Problem(f"{left:,} more rows {word}.")] if left else []
        return told + more

    @property
    def is_amiss(self) -> bool:
        """Whether a row is bad, or contradicts an event that stays as it is."""
        return self.bad_rows > 0 or self.differing > self.corrected

    @property
    def _done(self) -> str:
        if self.bad_rows:
            return f"{self.bad_rows:,} of them bad, nothing stored"
        unlike = ""
        if self.differing:
            unlike = f", {self.differing:,} there already with other values"
        if self.corrected:
            unlike += f", of which {self.corrected:,} {'would be' if self.dry_run else 'are'} corrected"
        if self.dry_run:
            return f"{'none bad' if unlike else 'all good'}{unlike}, nothing stored in a dry run"
        return f"{self.stored:,} events stored, {self.already_there:,} there already{unlike}"


def run(order: Order, store: Store, report: ProgressReport) -> Summary:
    """Check the file and, unless a row is bad or the run is dry, store its events."""
    before = fingerprint(order.file)
    digest = content_digest(order.file)
    destination = store.destination(order.project, order.event_type)
    mapping = _mapping(order, destination, digest)
    checked = check(
        partial(reading_table, order.file, sheet=order.sheet),
        mapping,
        destination.vocabulary(),
        lambda done: report("Checking", done, before[0]),
    )
    _refuse_when_changed(order.file, before)
    summary = _checked_summary(order, mapping, destination.project, digest, checked)
    if checked.bad_rows:
        return summary
    kept = _store(order, mapping, store, lambda done: report("Storing", done, checked.rows))
    _refuse_when_changed(order.file, before)
    return msgspec.structs.replace(
        summary,
        stored=0 if order.is_dry_run else kept.stored,
        already_there=kept.already_there,
        differing=kept.differing,
        corrected=kept.corrected,
        problems=[BadLine(row.line, row.reasons) for row in kept.shown],
    )


def _mapping(order: Order, destination: Destination, digest: str) -> RowMapping:
    """Bring together the order, the header and the event type; raise with every problem of the three."""
    with reading_table(order.file, sheet=order.sheet) as pass_:
        columns = map_columns(pass_.header, order.columns, destination.value_types)
    problems = [*check_clock(order.clock, columns.fields), *check_locations(destination, order.locations)]
    if not 1 <= order.batch_size <= EVENTS_MAX:
        problems.append(
            Problem(
                f"--batch-size is {order.batch_size}; it takes 1 to {EVENTS_MAX:,}.", "batch_size", "invalid"
            )
        )
    if order.reference is not None and not order.reference.strip():
        problems.append(Problem("--reference is blank; leave it out instead.", "reference", "invalid"))
    if problems:
        raise Invalid(problems)
    return RowMapping(
        columns=columns,
        clock=order.clock,
        event_type=destination.event_type.slug,
        locations=[LocationRef(friendly) for friendly in order.locations],
        feedstocks=destination.feedstocks,
        assets=destination.assets,
        reference=(order.reference or digest[:DIGEST_DIGITS]) if order.has_references else None,
        decimal_comma=order.decimal_comma,
        missing=MissingMarks.of(order.missing, decimal_comma=order.decimal_comma),
    )


@dataclass(slots=True)
class _Kept:
    """What became of the rows so far."""

    stored: int = 0
    already_there: int = 0
    differing: int = 0
    corrected: int = 0
    shown: list[BadRow] = field(default_factory=list)

    def add(self, batch: StoredBatch) -> None:
        self.stored += batch.stored
        self.already_there += batch.already_there
        self.differing += len(batch.differing)
        self.corrected += batch.corrected
        self.shown += batch.differing[: BAD_ROWS_SHOWN - len(self.shown)]

    @property
    def rows(self) -> int:
        return self.stored + self.already_there + self.differing


def _store(order: Order, mapping: RowMapping, store: Store, advance: Callable[[int], None]) -> _Kept:
    """Store the rows batch by batch; a dry run compares them with what is there, and stores nothing."""
    comparing = Comparing(
        fields_given(mapping),
        f"The file {shorten(order.file.path.name, FILE_NAME_SHOWN)} says so, which was imported",
        is_correcting=order.on_difference == OnDifference.CORRECT,
        is_dry_run=order.is_dry_run,
    )
    kept = _Kept()
    with reading_table(order.file, sheet=order.sheet) as pass_:
        for batch in _batches(outcomes(pass_, mapping), order.batch_size):
            with _progress_in_refusal(batch, kept.stored, kept.already_there + kept.differing):
                kept.add(store.keep(batch, comparing))
            advance(kept.rows)
    return kept


def _batches(rows: Iterator[NumberedEvent | BadRow], batch_size: int) -> Iterator[list[NumberedEvent]]:
    batch: list[NumberedEvent] = []
    for outcome in rows:
        if isinstance(outcome, BadRow):
            raise Refusal(f"The file changed after it was checked. {outcome}")
        batch.append(outcome)
        if len(batch) == batch_size:
            yield batch
            batch = []
    if batch:
        yield batch


@contextmanager
def _progress_in_refusal(batch: Sequence[NumberedEvent], stored: int, there: int) -> Iterator[None]:
    """Say in the refusal of a batch how far the import came."""
    try:
        yield
    except Refusal as refusal:
        shown = refusal.problems[:BAD_ROWS_SHOWN]
        left = len(refusal.problems) - len(shown)
        more = [Problem(f"{left:,} more problems are not shown.")] if left else []
        stopped = Problem(
            f"The import stopped at lines {batch[0].line} to {batch[-1].line}; {stored:,} events were stored "
            f"before, {there:,} were there already."
        )
        raise Invalid([*shown, *more, stopped]) from refusal


def _refuse_when_changed(file: CsvFile, before: tuple[int, int]) -> None:
    if fingerprint(file) != before:
        raise Refusal(f"The file {file.path} changed while it was imported; import one that stays as it is.")


def _checked_summary(
    order: Order, mapping: RowMapping, project: str, digest: str, checked: Checked
) -> Summary:
    """Sum up the check; nothing is stored as yet."""
    return Summary(
        file=str(order.file.path),
        sha256=digest,
        project=project,
        event_type=mapping.event_type,
        mapping=mapping.columns.as_mapping(),
        reference=mapping.reference,
        dry_run=order.is_dry_run,
        rows=checked.rows,
        stored=0,
        already_there=0,
        differing=0,
        corrected=0,
        incomplete=checked.incomplete,
        missing=dict(sorted(checked.missing.items())),
        bad_rows=checked.bad_rows,
        problems=[BadLine(bad.line, bad.reasons) for bad in checked.shown],
        first_start=_instant(checked.first_start),
        last_end=_instant(checked.last_end),
    )


def _instant(moment: datetime | None) -> Instant | None:
    return None if moment is None else Instant.of(moment)
