"""Move a report from state to state, and post what that does to the ledger, in one transaction.

Entering submission reserves, acceptance posts, rejection and withdrawal reverse; successors of accepted
reports take over what those have posted.

Invariants: a report moves while its row is locked; the ledger is locked before its balance is read;
every entry has one time, which is taken while the ledger is locked.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final

import msgspec

from weighbridge.accounting.books.balances import hold_ledger
from weighbridge.accounting.planning.proposal import ProposedEntries, derive_entries
from weighbridge.core import identity
from weighbridge.core.ledger.posting import OF_REPORTS
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.report import (
    RESERVING,
    Holdings,
    ReportStatus,
    ReportTrigger,
    advance,
    keep_posted,
    may,
    reserve,
)
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Conflict, NotFound
from weighbridge.reporting.submission.amounts import (
    NOTHING_HELD,
    ChainHoldings,
    Remaining,
    build_entries,
    read_amounts,
    read_holdings,
    store_accepted,
)


class MovingReport(msgspec.Struct, frozen=True):
    """A report that is locked to be moved."""

    project: int
    number: int
    status: str
    chain: int
    ledger: int | None
    methodology: int | None
    effective_at: Instant | None
    task: int | None
    liability: Decimal | None

    @property
    def state(self) -> ReportStatus:
        return ReportStatus(self.status)


@dataclass(frozen=True, slots=True)
class ReportWord:
    """Who or what says that a report moves, why, and what it is called by its receiver."""

    actor: Actor
    adapter: str | None = None
    reason: str | None = None
    reference: str | None = None


async def hold_report(tx: Write, project: int, number: int) -> MovingReport:
    """Hold a report and its ledgers, in the order of their numbers; NotFound when it was removed meanwhile.

    Raises Conflict while a generation works with one of them.
    """
    ledgers = await list_ledgers(tx, project, number)
    for ledger in sorted(ledgers):
        await hold_ledger(tx, project, ledger)
    report = await lock_report(tx, project, number)
    if await list_ledgers(tx, project, number) != ledgers:
        raise Conflict("The report was changed meanwhile; read it again.", "overtaken")
    return report


async def list_ledgers(tx: Read, project: int, number: int) -> list[int]:
    """The ledgers that a report takes of, in their order; none for a draft that has none yet."""
    rows = await tx.tuples(
        """
        SELECT ledger_id, 0 AS position FROM reports
         WHERE project_id = %(project)s AND id = %(report)s AND ledger_id IS NOT NULL
        UNION
        SELECT ledger_id, position FROM report_ledgers
         WHERE project_id = %(project)s AND report_id = %(report)s
         ORDER BY position
        """,
        {"project": project, "report": number},
    )
    return [ledger for ledger, _ in rows]


async def lock_report(tx: Write, project: int, number: int) -> MovingReport:
    """Lock the row of a report, which the ledger is not needed for; NotFound when there is none."""
    locked = await lock_reports(tx, project, [number])
    if number not in locked:
        raise NotFound
    return locked[number]


async def lock_reports(tx: Write, project: int, numbers: Collection[int]) -> dict[int, MovingReport]:
    """Lock the rows of those of some reports that there are, in their order; by their numbers."""
    rows = await tx.rows(MovingReport, f"{_MOVING_REPORTS} FOR UPDATE", (project, [*numbers]))
    return {row.number: row for row in rows}


async def lock_complete(
    tx: Write, project: int, ledger: int | None, numbers: Collection[int]
) -> dict[int, MovingReport]:
    """Read some reports, and lock the rows of those that are complete on a ledger, which is held.

    The ledger is the first of each; reports with the same first ledger wait for it.

    The rows of other ledgers, and of drafts, are locked by requests that may wait for this ledger.
    """
    rows = await tx.rows(MovingReport, _MOVING_REPORTS, (project, [*numbers]))
    complete = [row.number for row in rows if (row.ledger, row.state) == (ledger, ReportStatus.COMPLETE)]
    return {row.number: row for row in rows} | await lock_reports(tx, project, complete)


_MOVING_REPORTS: Final = """
    SELECT r.project_id, r.id, r.status, r.chain_id, r.ledger_id, r.methodology_id, r.effective_at,
           r.async_task_id, r.liability
      FROM reports r WHERE r.project_id = %s AND r.id = ANY (%s) ORDER BY r.id
"""


def refuse_unless(report: MovingReport, trigger: ReportTrigger, done: str) -> None:
    """Raise Conflict unless the report may be moved so."""
    if not may(report.state, trigger):
        raise Conflict(f"The report is {report.status}, and cannot be {done}.", "report_state")


async def enter_submission(
    tx: Write, report: MovingReport, remaining: Remaining, amounts: Mapping[int, Decimal], word: ReportWord
) -> None:
    """Reserve what a draft takes, in the place of what a report of its chain has reserved that still
    waits.
    """
    held = await read_holdings(tx, report.project, report.chain)
    await _note_basis(tx, report)
    await _supersede(tx, report, ReportStatus.SUBMITTED, word)
    await _move(tx, report, ReportTrigger.SUBMIT, word, remaining.effective_at)
    # The books that the report states are those with what it reserves, for which falls may have given way.
    reserved_at = await tx.value(
        "SELECT reserved_at FROM reports WHERE project_id = %s AND id = %s", (report.project, report.number)
    )
    reserved = reserve(remaining.taken(amounts), held.posted)
    await post_holdings(tx, report, held, held.posted, reserved, posted_at=reserved_at)


async def resume_submission(tx: Write, report: MovingReport, word: ReportWord) -> None:
    """Send off again what failed on its way; it holds what it held."""
    await _move(tx, report, ReportTrigger.SUBMIT, word, report.effective_at)


async def deliver(tx: Write, report: MovingReport, word: ReportWord) -> None:
    """Say that a report was received; what it takes stays reserved."""
    await _move(tx, report, ReportTrigger.DELIVER, word, report.effective_at)


async def accept(
    tx: Write, report: MovingReport, word: ReportWord, accepted: Mapping[int, Decimal] | None = None
) -> None:
    """Post what is accepted of a report, as a difference to what its chain has posted, and release the rest.

    That is all that it takes, unless amounts of its batches are given.
    """
    held = await read_holdings(tx, report.project, report.chain)
    assert report.effective_at is not None, "a report that was submitted counts from a moment on"  # noqa: S101
    if accepted is None:
        amounts = (await read_amounts(tx, report.project, report.number)).by_batch
    else:
        await store_accepted(tx, report.project, report.number, accepted)
        amounts = accepted
    await _supersede(tx, report, ReportStatus.COMPLETE, word)
    await _move(tx, report, ReportTrigger.ACCEPT, word, report.effective_at)
    taken: Holdings = {(batch, report.effective_at): amount for batch, amount in amounts.items()}
    await post_holdings(tx, report, held, taken, {})


async def reject(tx: Write, report: MovingReport, word: ReportWord) -> None:
    """Give back what a report has reserved; what its chain has posted stays."""
    held = await read_holdings(tx, report.project, report.chain)
    await _move(tx, report, ReportTrigger.REJECT, word, report.effective_at)
    await post_holdings(tx, report, held, held.posted, {})


async def withdraw(tx: Write, report: MovingReport, word: ReportWord) -> None:
    """Give back what a report has reserved, and what its chain has posted if the report states that.

    Raises Conflict while a restatement of the report is under way, because that one reserves only what it
    takes beyond what is posted.
    """
    if report.state is ReportStatus.COMPLETE:
        await refuse_while_restated(tx, report.project, [report.number], "withdrawn")
    held = await read_holdings(tx, report.project, report.chain)
    await _move(tx, report, ReportTrigger.WITHDRAW, word, report.effective_at)
    await post_holdings(tx, report, held, keep_posted(report.state, held.posted), {})


async def hand_over(
    tx: Write,
    predecessors: Sequence[MovingReport],
    successors: Mapping[int, Mapping[int, Decimal]],
    word: ReportWord,
) -> None:
    """Let drafts of one ledger, which are given with their amounts, take the place of accepted reports.

    All of a batch that the predecessors hold is held by the successors, from the moment on from which the
    last of the predecessors counts, so no balance changes and nothing is settled.
    """
    posted_at = await tx.value("SELECT clock_timestamp()")
    for report in predecessors:
        held = await read_holdings(tx, report.project, report.chain)
        await _move(tx, report, ReportTrigger.SUPERSEDE, word, report.effective_at)
        await _post_at(tx, report, (held, {}), posted_at)
    effective_at = max(report.effective_at for report in predecessors if report.effective_at is not None)
    for number, amounts in successors.items():
        successor = await lock_report(tx, predecessors[0].project, number)
        await _move(tx, successor, ReportTrigger.SUCCEED, word, effective_at, reserved_at=posted_at)
        taken: Holdings = {(batch, effective_at): amount for batch, amount in amounts.items()}
        await _post_at(tx, successor, (NOTHING_HELD, taken), posted_at)


async def _post_at(
    tx: Write, report: MovingReport, change: tuple[ChainHoldings, Holdings], posted_at: datetime
) -> None:
    """Post that a chain holds other amounts, which others take or give in the same transaction."""
    held, posted = change
    ledgers = await _read_ledgers(tx, report, held.posted, held.reserved, posted)
    entries = (*build_entries(ledgers, report, held, posted, {}),)
    await _insert_entries(tx, report, ProposedEntries(entries), posted_at)


async def refuse_while_restated(
    tx: Read, project: int, reports: Collection[int], done: str,
    states: Collection[ReportStatus] = RESERVING,
) -> None:  # fmt: skip
    """Raise Conflict while a later report of the chain of one of these reports is in one of these states."""
    restatements = await tx.tuples(
        """
        SELECT later.id, later.status
          FROM reports own
          JOIN reports later ON (later.project_id, later.chain_id) = (own.project_id, own.chain_id)
         WHERE own.project_id = %s AND own.id = ANY (%s) AND later.status = ANY (%s) AND later.id > own.id
         ORDER BY later.id LIMIT 1
        """,
        (project, [*reports], [*states]),
    )
    for number, status in restatements:
        later = identity.of("report", project, number)
        state, remedy = "under way", f"Have {later} decided or withdrawn"
        if status == ReportStatus.DRAFT:
            state, remedy = "a draft", "Remove it"
        message = (
            f"The report {later} restates this one and is {state}, so this one cannot be {done}. "
            f"{remedy} first."
        )
        raise Conflict([Problem(message, None, "restatement_under_way", (later,))])


async def _supersede(tx: Write, report: MovingReport, status: ReportStatus, word: ReportWord) -> None:
    """Let a report take the place of the one of its chain that stands there, if one does."""
    earlier = await tx.value(
        """
        SELECT id FROM reports WHERE project_id = %s AND chain_id = %s AND status = %s AND id <> %s FOR UPDATE
        """,
        (report.project, report.chain, status, report.number),
    )
    if earlier is not None:
        superseded = await lock_report(tx, report.project, earlier)
        await _move(tx, superseded, ReportTrigger.SUPERSEDE, ReportWord(word.actor), superseded.effective_at)


async def _move(
    tx: Write,
    report: MovingReport,
    trigger: ReportTrigger,
    word: ReportWord,
    effective_at: object,
    *,
    reserved_at: datetime | None = None,
) -> None:
    status = advance(report.state, trigger)
    await tx.execute(
        """
        UPDATE reports
           SET status = %s, effective_at = %s,
               reserved_at = coalesce(reserved_at, %s, (SELECT clock_timestamp())),
               updated_at = (SELECT clock_timestamp())
         WHERE project_id = %s AND id = %s
        """,
        (status, effective_at, reserved_at, report.project, report.number),
    )
    await tx.execute(
        """
        INSERT INTO report_moves (project_id, report_id, status, user_id, adapter, reason, reference)
        VALUES (%s, %s, %s, %s, %s, %s, %s)
        """,
        (
            report.project, report.number, status, word.actor.user_id, word.adapter, word.reason,
            word.reference,
        ),
    )  # fmt: skip


async def _note_basis(tx: Write, report: MovingReport) -> None:
    """Write down what the runs of a report's batches stand on, so that what changes later can be told."""
    await tx.execute(
        """
        UPDATE report_batches i SET basis = (
               SELECT max(b.id) FROM batches b
                WHERE (b.project_id, b.run_id, b.ledger_id) = (own.project_id, own.run_id, own.ledger_id)
                  AND b.deleted_at IS NULL)
          FROM batches own
         WHERE (i.project_id, i.report_id) = (%s, %s)
           AND (own.project_id, own.id) = (i.project_id, i.batch_id)
        """,
        (report.project, report.number),
    )


# The entries that make what a chain of reports holds of batches what it should hold.
#
# What a report gives back settles what the partition is short of at once, as it does when a run gives
# something back. Such a settlement is the doing of the run that was short, and names the report. What a
# report that restates an accepted one reserves may be what falls took: they give way, and their runs are
# short meanwhile of what both reports hold.
#
# Invariants: the ledger is held before what stands on it is read; every entry carries one time, which is
# taken while it is held.


async def post_holdings(
    tx: Write,
    report: MovingReport,
    held: ChainHoldings,
    posted: Holdings,
    reserved: Holdings,
    *,
    posted_at: datetime | None = None,
) -> None:
    """Let the report's chain hold these amounts instead of those that it holds; the ledger is held.

    It is posted now, unless a time is given that was taken while the ledger was held.
    """
    ledgers = await _read_ledgers(tx, report, held.posted, held.reserved, posted, reserved)
    if entries := [*build_entries(ledgers, report, held, posted, reserved)]:
        proposed = await derive_entries(tx, report.project, [], entries, {})
        await _insert_entries(tx, report, proposed, posted_at or await tx.value("SELECT clock_timestamp()"))


async def _read_ledgers(tx: Read, report: MovingReport, *holdings: Holdings) -> dict[int, int]:
    """The ledgers of the batches of which something is held."""
    batches = {batch for held in holdings for batch, _ in held}
    return dict(
        await tx.tuples(
            "SELECT id, ledger_id FROM batches WHERE project_id = %s AND id = ANY (%s)",
            (report.project, [*batches]),
        )
    )


async def _insert_entries(
    tx: Write, report: MovingReport, proposed: ProposedEntries, posted_at: datetime
) -> None:
    values = {"project": report.project, "report": report.number, "posted_at": posted_at}
    entries = {
        "ledgers": [entry.ledger for entry in proposed.entries],
        "batches": [entry.batch for entry in proposed.entries],
        "kinds": [entry.kind for entry in proposed.entries],
        "amounts": [entry.amount for entry in proposed.entries],
        "moments": [entry.effective_at for entry in proposed.entries],
        "runs": [None if entry.kind in OF_REPORTS else entry.run for entry in proposed.entries],
    }
    await tx.execute(_INSERT_ENTRIES, values | entries)
    if proposed.deficit_entries:
        deficits = {
            "ledgers": [entry.ledger for entry in proposed.deficit_entries],
            "runs": [entry.run for entry in proposed.deficit_entries],
            "amounts": [entry.amount for entry in proposed.deficit_entries],
            "moments": [entry.effective_at for entry in proposed.deficit_entries],
        }
        await tx.execute(_INSERT_DEFICITS, values | deficits)


# A settlement belongs to the newest batch of the run that was short, by which that came about.
_NEWEST: Final = """(
    SELECT max(b.id) FROM batches b
     WHERE (b.project_id, b.run_id, b.ledger_id) = (%(project)s, entry.run_id, entry.ledger_id)
       AND b.deleted_at IS NULL)
"""
_INSERT_ENTRIES: Final = f"""
    WITH made AS MATERIALIZED (
        SELECT %(project)s::integer, ledger_id, batch_id, kind, amount, effective_at,
               CASE WHEN run_id IS NOT NULL THEN {_NEWEST} END AS posted_by, run_id, %(report)s::bigint,
               %(posted_at)s::timestamptz
          FROM unnest(%(ledgers)s::integer[], %(batches)s::bigint[], %(kinds)s::text[],
                      %(amounts)s::numeric[], %(moments)s::timestamptz[], %(runs)s::bigint[])
               WITH ORDINALITY AS entry (ledger_id, batch_id, kind, amount, effective_at, run_id, position)
         ORDER BY position)
    INSERT INTO ledger_entries (project_id, ledger_id, batch_id, kind, amount, effective_at, posted_by,
                                run_id, report_id, posted_at)
    SELECT * FROM made
"""
_INSERT_DEFICITS: Final = f"""
    WITH made AS MATERIALIZED (
        SELECT %(project)s::integer, ledger_id, run_id, {_NEWEST} AS posted_by, amount,
               effective_at, %(report)s::bigint, %(posted_at)s::timestamptz
          FROM unnest(%(ledgers)s::integer[], %(runs)s::bigint[], %(amounts)s::numeric[],
                      %(moments)s::timestamptz[])
               WITH ORDINALITY AS entry (ledger_id, run_id, amount, effective_at, position)
         ORDER BY position)
    INSERT INTO deficit_entries (project_id, ledger_id, run_id, posted_by, amount, effective_at, report_id,
                                 posted_at)
    SELECT * FROM made
"""
