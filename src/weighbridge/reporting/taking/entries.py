"""Entries of reports: what makes that which a chain holds of batches that which it should hold.

What a report gives back settles what the partition is short of at once, as it does when a run gives something
back. Such a settlement is the doing of the run that was short, and names the report.

Invariants: the ledger is held before what stands on it is read; every entry carries one time, which is taken
while it is held.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from weighbridge.accounting.planning.entries import ProposedEntries, entries_of
from weighbridge.core.ledger.posting import OF_REPORTS, Entry, EntryKind
from weighbridge.core.quantity.number import EXACT
from weighbridge.core.report.restatement import HoldingChange, Holdings, differences
from weighbridge.db.engine import Write
from weighbridge.reporting.taking.holdings import ChainHoldings


@dataclass(frozen=True, slots=True)
class PostingReport:
    """The report in whose name entries are posted, and its ledger."""

    project: int
    number: int
    ledger: int


async def post_holdings(
    tx: Write, report: PostingReport, held: ChainHoldings, posted: Holdings, reserved: Holdings
) -> None:
    """Let the report's chain hold these amounts instead of those that it holds; the ledger is held."""
    entries = [
        *_entries(report, differences(held.reserved, reserved), EntryKind.RESERVE, EntryKind.RELEASE),
        *_entries(report, differences(held.posted, posted), EntryKind.REPORT, EntryKind.RESTATE),
    ]
    if entries:
        proposed = await entries_of(tx, report.project, [], entries, {})
        await _insert(tx, report, proposed)


def _entries(
    report: PostingReport, changes: Iterable[HoldingChange], taking: EntryKind, giving: EntryKind
) -> Iterator[Entry]:
    for change in changes:
        yield Entry(
            ledger=report.ledger,
            kind=taking if change.amount > 0 else giving,
            run=report,
            batch=change.batch,
            posted_by=report,
            amount=EXACT.minus(change.amount),
            effective_at=change.effective_at,
        )


async def _insert(tx: Write, report: PostingReport, proposed: ProposedEntries) -> None:
    posted_at = await tx.value("SELECT clock_timestamp()")
    values = {
        "project": report.project,
        "report": report.number,
        "ledger": report.ledger,
        "posted_at": posted_at,
    }
    rows = [
        (one.batch, one.kind, one.amount, one.effective_at, None if one.kind in OF_REPORTS else one.run)
        for one in proposed.entries
    ]
    names = ("batches", "kinds", "amounts", "moments", "runs")
    await tx.execute(_INSERT_ENTRIES, values | dict(zip(names, _columns(rows, 5), strict=True)))
    short = [(one.run, one.amount, one.effective_at) for one in proposed.deficit_entries]
    if short:
        columns = dict(zip(("runs", "amounts", "moments"), _columns(short, 3), strict=True))
        await tx.execute(_INSERT_DEFICITS, values | columns)


def _columns(rows: Sequence[Sequence[object]], width: int) -> list[list[object]]:
    return [[row[column] for row in rows] for column in range(width)]


# A settlement belongs to the newest batch of the run that was short, by which that came about.
_NEWEST: Final = """(
    SELECT max(b.id) FROM batches b
     WHERE (b.project_id, b.run_id, b.ledger_id) = (%(project)s, entry.run_id, %(ledger)s)
       AND b.deleted_at IS NULL)
"""
_INSERT_ENTRIES: Final = f"""
    INSERT INTO ledger_entries (project_id, ledger_id, batch_id, kind, amount, effective_at, posted_by,
    run_id,
                                report_id, posted_at)
    SELECT %(project)s, %(ledger)s, batch_id, kind, amount, effective_at,
           CASE WHEN run_id IS NOT NULL THEN {_NEWEST} END, run_id, %(report)s, %(posted_at)s
      FROM unnest(%(batches)s::bigint[], %(kinds)s::text[], %(amounts)s::numeric[],
                  %(moments)s::timestamptz[], %(runs)s::bigint[])
           WITH ORDINALITY AS entry (batch_id, kind, amount, effective_at, run_id, position)
     ORDER BY position
"""
_INSERT_DEFICITS: Final = f"""
    INSERT INTO deficit_entries (project_id, ledger_id, run_id, posted_by, amount, effective_at, report_id,
                                 posted_at)
    SELECT %(project)s, %(ledger)s, run_id, {_NEWEST}, amount, effective_at, %(report)s, %(posted_at)s
      FROM unnest(%(runs)s::bigint[], %(amounts)s::numeric[], %(moments)s::timestamptz[])
           WITH ORDINALITY AS entry (run_id, amount, effective_at, position)
     ORDER BY position
"""
