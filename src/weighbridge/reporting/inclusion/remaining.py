"""What a report may still include: of each batch what it has left, and of each account what was never
drawn below.

First come the batches, what a chain of reports holds of them, and their primary data shares; then
`Remaining`.

Invariant: nothing is included beyond what remains, at any moment from the latest slot's end on.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Final

import msgspec
from psycopg.sql import SQL

from weighbridge.accounting.books.balances import apply_changes, read_standings_after
from weighbridge.accounting.books.runs import (
    RESTS_ON,
    RUN_TAGS,
    compute_measured_share,
    compute_value_source_shares,
)
from weighbridge.accounting.planning.proposal import ProposedEntries, derive_entries
from weighbridge.core.identity import ids
from weighbridge.core.ledger.allocation import Account, Partition
from weighbridge.core.ledger.drawing import Standing
from weighbridge.core.ledger.posting import OF_REPORTS, Entry, EntryKind, Key, Timeline
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import EXACT, ZERO, plain
from weighbridge.core.report.restatement import Holdings, TakenShare, find_effective_time, list_changes
from weighbridge.core.report.state import Requirement
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read, Write

# The batches that a report takes from, as they stand now.


class ReportedBatch(msgspec.Struct, frozen=True):
    """A batch, what it has left, and the account that it belongs to."""

    number: int
    ledger: int
    start_time: Instant
    end_time: Instant
    name: str
    balance: Decimal
    credited: Decimal
    """What it was credited with; zero of one by which its run fell, or only rose back to what it was."""
    is_deleted: bool
    tracking_id: str | None
    feedstock: str | None
    asset: str | None

    @property
    def account(self) -> Account:
        return Account(self.ledger, Partition(self.tracking_id, self.feedstock, self.asset))


async def reported_batches(tx: Read, project: int, numbers: Collection[int]) -> dict[int, ReportedBatch]:
    """Those of some batches that the project has, oldest first; deleted ones are among them."""
    rows = await tx.rows(
        ReportedBatch,
        SQL("""
            SELECT b.id, b.ledger_id, b.start_time, b.end_time, b.tracking_id, b.balance, b.credited,
                   b.deleted_at IS NOT NULL, r.tracking_id, f.name, a.name
              FROM batches b LEFT JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id) {}
             WHERE b.project_id = %s AND b.id = ANY (%s)
             ORDER BY b.start_time, b.end_time, b.tracking_id, b.id
        """).format(SQL(RUN_TAGS)),
        (project, sorted(numbers)),
    )
    return {row.number: row for row in rows}


# What a chain of reports holds of batches: what it has posted, and what it has reserved.


@dataclass(frozen=True, slots=True)
class ChainHoldings:
    """By batch and the moment from which on it counts."""

    posted: Holdings = field(default_factory=dict)
    reserved: Holdings = field(default_factory=dict)
    posted_from: datetime | None = None
    """The moment from which on the report counts that states what is posted; None while there is none."""


NOTHING_HELD: Final = ChainHoldings()
"""What a report holds that restates none and is a draft."""


async def holdings_of_chain(tx: Read, project: int, chain: int | None) -> ChainHoldings:
    """What a chain holds, by the number of its first report; None for one that is not there yet."""
    if chain is None:
        return NOTHING_HELD
    posted: dict[tuple[int, datetime], Decimal] = {}
    reserved: dict[tuple[int, datetime], Decimal] = {}
    for is_reserve, batch, moment, amount in await tx.tuples(_HELD, (project, chain)):
        (reserved if is_reserve else posted)[batch, moment] = amount
    since = await tx.value(
        """
        SELECT effective_at FROM reports
         WHERE project_id = %s AND chain_id = %s AND status = 'complete'
        """,
        (project, chain),
    )
    return ChainHoldings(posted, reserved, since)


_HELD: Final = """
    SELECT e.kind IN ('reserve', 'release'), e.batch_id, e.effective_at, - sum(e.amount)
      FROM reports r JOIN ledger_entries e ON (e.project_id, e.report_id) = (r.project_id, r.id)
     WHERE r.project_id = %s AND r.chain_id = %s AND e.kind IN ('reserve', 'release', 'report', 'restate')
     GROUP BY e.kind IN ('reserve', 'release'), e.batch_id, e.effective_at HAVING sum(e.amount) <> 0
"""


# How much of each batch that a report takes from was measured.


async def shares_of_batches(tx: Read, report: ids.Key) -> list[TakenShare]:
    """What a report takes of each batch, and how much of that was measured, where that is known."""
    rows = await tx.tuples(_RESTS_ON, (report.project, report.key))
    return [
        TakenShare(batch, amount, compute_measured_share(compute_value_source_shares(contributions)))
        for batch, amount, contributions in rows
    ]


_RESTS_ON: Final = f"""
    SELECT i.batch_id, i.amount, {RESTS_ON}
      FROM report_batches i
      JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
      LEFT JOIN batch_calculations c ON (c.project_id, c.batch_id) = (b.project_id, b.id) AND c.is_primary
     WHERE i.project_id = %s AND i.report_id = %s ORDER BY i.batch_id
"""


# Entries of reports: what makes that which a chain holds of batches that which it should hold.
#
# What a report gives back settles what the partition is short of at once, as it does when a run gives
# something back. Such a settlement is the doing of the run that was short, and names the report. What a
# report that restates an accepted one reserves may be what falls took: they give way, and their runs are
# short meanwhile of what both reports hold.
#
# Invariants: the ledger is held before what stands on it is read; every entry carries one time, which is
# taken while it is held.


@dataclass(frozen=True, slots=True)
class PostingReport:
    """The report in whose name entries are posted, and its ledger."""

    project: int
    number: int
    ledger: int


async def post_holdings(
    tx: Write,
    report: PostingReport,
    held: ChainHoldings,
    posted: Holdings,
    reserved: Holdings,
    *,
    posted_at: datetime | None = None,
) -> None:
    """Let the report's chain hold these amounts instead of those that it holds; the ledger is held.

    It is posted now, unless a time is given that was taken while the ledger was held.
    """
    if entries := [*_entries(report.ledger, report, held, posted, reserved)]:
        proposed = await derive_entries(tx, report.project, [], entries, {})
        await _insert(tx, report, proposed, posted_at or await tx.value("SELECT clock_timestamp()"))


async def left_without(tx: Read, project: int, ledger: int, held: ChainHoldings) -> dict[int, Decimal]:
    """What batches would have more, or less, once a chain had given back all that it holds of a ledger.

    That first settles what the partition is short of, and is free where falls took it.
    """
    entries = [*_entries(ledger, "what is given back", held, {}, {})]
    proposed = await derive_entries(tx, project, [], entries, {}) if entries else ProposedEntries()
    changes: dict[int, Decimal] = {}
    for entry in proposed.entries:
        assert isinstance(entry.batch, int), "nothing is generated"  # noqa: S101
        changes[entry.batch] = EXACT.add(changes.get(entry.batch, ZERO), entry.amount)
    return changes


def _entries(
    ledger: int, poster: Key, held: ChainHoldings, posted: Holdings, reserved: Holdings
) -> Iterator[Entry]:
    changes = (
        (list_changes(held.reserved, reserved), EntryKind.RESERVE, EntryKind.RELEASE),
        (list_changes(held.posted, posted), EntryKind.REPORT, EntryKind.RESTATE),
    )
    for of_kind, taking, giving in changes:
        for change in of_kind:
            yield Entry(
                ledger=ledger,
                kind=taking if change.amount > 0 else giving,
                run=poster,
                batch=change.batch,
                posted_by=poster,
                amount=EXACT.minus(change.amount),
                effective_at=change.effective_at,
            )


async def _insert(tx: Write, report: PostingReport, proposed: ProposedEntries, posted_at: datetime) -> None:
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


# What remains for a report: of each batch what it has left, and of each account what was never drawn below.
#
# An account is one partition of the ledger. A report counts from the latest end of its batches' slots on,
# and takes no more of an account than what was produced less what was drawn stays at or above zero at that
# moment and every later one. What the report's own chain holds is there for it to take, less what that
# settles when it is given back; what falls took in its place they give back.
#
# Worked example, in tonnes. A report of 12 of a week was accepted; then its data were 11, and the month's.
# The month was credited with 11, of which the fall of the week took all, and 1 is open. Once the 12 are
# given back, the week's own batch covers its fall, the month has 11 left, and 11 of it may be reported.
#
# Invariant: once a report is accepted, it takes of no batch and no account what is not there.


FIELD = "report.batches"


@dataclass(frozen=True, slots=True)
class Remaining:
    """What a report over some batches may take."""

    project: int
    effective_at: datetime
    batches: Mapping[int, ReportedBatch]
    known: Mapping[int, ReportedBatch]
    """Those, and the others that its chain holds something of."""
    free: Mapping[int, Decimal]
    """What each batch has left, once all that the chain holds is given back."""
    standings: Mapping[Account, Standing]
    """How accounts stand then."""

    def whole(self) -> dict[int, Decimal]:
        """All that remains of each batch, oldest first, and of its account."""
        left = {account: self._lowest(account) for account in self._accounts()}
        amounts = {}
        for number, batch in self.batches.items():
            amounts[number] = max(ZERO, min(self.free[number], left[batch.account]))
            left[batch.account] = EXACT.subtract(left[batch.account], amounts[number])
        return amounts

    def problems(self, amounts: Mapping[int, Decimal]) -> list[Problem]:
        """What is wrong with taking so much of each batch: every batch and account of which less remains."""
        return [*self.of_ledgers(), *self._of_batches(amounts), *self._of_accounts(amounts)]

    def of_ledgers(self) -> Iterator[Problem]:
        """What is wrong when the chain holds something of another ledger than these batches are of."""
        ledgers = {batch.ledger for batch in self.known.values()}
        if len(ledgers) > 1:
            named = tuple(ids.of("ledger", self.project, ledger) for ledger in sorted(ledgers))
            message = f"A report takes from the ledger of what it restates; these are of {', '.join(named)}."
            yield Problem(message, FIELD, "several_ledgers", named)

    def taken(self, amounts: Mapping[int, Decimal]) -> Holdings:
        """What the report holds once it is accepted."""
        return {(batch, self.effective_at): amount for batch, amount in amounts.items()}

    def changes(
        self, amounts: Mapping[int, Decimal], held: ChainHoldings
    ) -> dict[Account, dict[datetime, Decimal]]:
        """What the acceptance of these amounts changes of accounts, by moment: given back less taken."""
        changes: dict[Account, dict[datetime, Decimal]] = {}
        for sign, holdings in ((1, held.posted), (1, held.reserved), (-1, self.taken(amounts))):
            for account, moments in _given_back(holdings, self.known).items():
                for moment, amount in moments.items():
                    of_account = changes.setdefault(account, {})
                    signed = amount if sign > 0 else EXACT.minus(amount)
                    of_account[moment] = EXACT.add(of_account.get(moment, ZERO), signed)
        return changes

    def _of_batches(self, amounts: Mapping[int, Decimal]) -> Iterator[Problem]:
        for number, amount in amounts.items():
            free = self.free[number]
            if amount > free:
                name = ids.of("batch", self.project, number)
                short = plain(EXACT.subtract(amount, free))
                message = (
                    f"Of the batch {name} {plain(free)} remains, and the report takes {plain(amount)}, "
                    f"which is {short} more."
                )
                yield Problem(message, FIELD, Requirement.AMOUNTS_REMAIN, (name,))

    def _of_accounts(self, amounts: Mapping[int, Decimal]) -> Iterator[Problem]:
        for account, amount in self._by_account(self.taken(amounts)).items():
            left = self._lowest(account)
            if amount > left:
                yield self._short(account, amount, left)

    def _short(self, account: Account, amount: Decimal, left: Decimal) -> Problem:
        of_partition = f" of {account.partition.label}" if account.partition.label else ""
        records = tuple(
            ids.of("batch", self.project, batch.number)
            for batch in self.batches.values()
            if batch.account == account
        )
        since, short = Instant.of(self.effective_at).text, plain(EXACT.subtract(amount, left))
        message = (
            f"From {since} on {plain(left)}{of_partition} remains on the ledger at its lowest, and the report"
            f" takes {plain(amount)}, which is {short} more."
        )
        return Problem(message, FIELD, Requirement.AMOUNTS_REMAIN, records)

    def _accounts(self) -> set[Account]:
        return {batch.account for batch in self.batches.values()}

    def _by_account(self, holdings: Holdings) -> dict[Account, Decimal]:
        sums: dict[Account, Decimal] = {}
        for (number, _), amount in holdings.items():
            account = self.batches[number].account
            sums[account] = EXACT.add(sums.get(account, ZERO), amount)
        return sums

    def _lowest(self, account: Account) -> Decimal:
        standing = self.standings.get(account, Standing(ZERO, {}))
        return max(ZERO, Timeline(standing.steps, opening=standing.opening).lowest_from(self.effective_at))


async def remaining_for(
    tx: Read,
    project: int,
    batches: Mapping[int, ReportedBatch],
    held: ChainHoldings,
    also: Mapping[int, ReportedBatch],
) -> Remaining:
    """What a report over batches of one ledger may take; `also` are batches that its chain holds beside
    them.
    """
    moment = find_effective_time((batch.end_time for batch in batches.values()), held.posted_from)
    ledgers: Collection[int] = {batch.ledger for batch in batches.values()}
    standings = await read_standings_after(tx, project, ledgers, moment)
    known = {**also, **batches}
    for holdings in (held.reserved, held.posted):
        standings = apply_changes(standings, _given_back(holdings, known))
    more = await left_without(tx, project, max(ledgers), held)
    return Remaining(
        project=project,
        effective_at=moment,
        batches=batches,
        known=known,
        free={number: EXACT.add(batch.balance, more.get(number, ZERO)) for number, batch in batches.items()},
        standings=standings,
    )


def _given_back(
    held: Holdings, batches: Mapping[int, ReportedBatch]
) -> dict[Account, dict[datetime, Decimal]]:
    changes: dict[Account, dict[datetime, Decimal]] = {}
    for (number, moment), amount in held.items():
        if number in batches:
            of_account = changes.setdefault(batches[number].account, {})
            of_account[moment] = EXACT.add(of_account.get(moment, ZERO), amount)
    return changes
