"""Derive the journal entries of a generation, account by account.

An account is one partition of a ledger over all slots. It is posted to as a whole and for all versions
of the model, because a downward adjustment may affect other runs and a credit may settle another run's
deficit.

A run that withdraws more or less than before posts the difference with the first of its new batches.
Invariant: each withdrawal and each return is posted once, regardless of the number of batches.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from weighbridge.accounting.books.balances import (
    HeldBatch,
    OpenDeficit,
    accounts_of,
    held_batches,
    open_deficits,
    posted_by,
    taken_by,
    takers_of,
)
from weighbridge.accounting.books.runs import RunIdentity
from weighbridge.accounting.planning.plan import NewBatch, Plan, RunDifference
from weighbridge.core.ledger.allocation import Account
from weighbridge.core.ledger.drawing import Drawer, Move, Released, RunKey
from weighbridge.core.ledger.pool.pool import Pool
from weighbridge.core.ledger.posting import (
    OF_REPORTS,
    BatchBalance,
    Deficit,
    DeficitEntry,
    Entry,
    EntryKind,
    Key,
    PartitionBooks,
    Taken,
    Total,
    post,
)
from weighbridge.core.quantity.number import EXACT
from weighbridge.db.engine import Read


@dataclass(frozen=True, slots=True)
class ProposedEntries:
    """Everything that a generation posts to ledgers, each list in order."""

    entries: tuple[Entry, ...] = ()
    deficit_entries: tuple[DeficitEntry, ...] = ()
    changes: Mapping[Account, Mapping[datetime, Decimal]] = field(default_factory=dict)
    """By account and moment: what is produced more than before, less what is drawn more."""
    short: frozenset[Account] = frozenset()
    """The accounts in which deficits change."""

    @property
    def credits(self) -> Mapping[NewBatch, Decimal]:
        """What each new batch credits."""
        return {
            entry.batch: entry.amount
            for entry in self.entries
            if entry.kind is EntryKind.CREDIT and isinstance(entry.batch, NewBatch)
        }


@dataclass(frozen=True, slots=True)
class _AccountWork:
    """All that concerns one account."""

    differences: list[RunDifference] = field(default_factory=list)
    draws: list[Entry] = field(default_factory=list)
    deficits: list[OpenDeficit] = field(default_factory=list)
    held: list[HeldBatch] = field(default_factory=list)
    taken: dict[Key, Sequence[Taken]] = field(default_factory=dict)

    def changes(self, totals: Mapping[NewBatch, Total]) -> Mapping[datetime, Decimal]:
        """What is produced more than before, less what is drawn more, for each moment."""
        changes: dict[datetime, Decimal] = {}
        moved = [
            *((draw.effective_at, draw.amount) for draw in self.draws),
            *(
                change
                for one in self.differences
                for change in totals[one.batch].difference_by_moment.items()
            ),
        ]
        for moment, amount in moved:
            changes[moment] = EXACT.add(changes.get(moment, Decimal(0)), amount)
        return changes


async def entries_of(
    tx: Read,
    project: int,
    plans: Sequence[Plan],
    draws: Sequence[Entry],
    released: Mapping[Account, Released],
    *,
    deficits: Sequence[OpenDeficit] | None = None,
) -> ProposedEntries:
    """Work out what plans post together; `draws` are what their runs take of other ledgers.

    What draws count upon to be released is released first, whatever else could be. The open deficits of the
    ledgers are asked for unless they are known.
    """
    work: dict[Account, _AccountWork] = {}
    for difference in sorted((one for plan in plans for one in plan.differences), key=_order):
        account = Account(difference.ledger.number, difference.run.partition)
        work.setdefault(account, _AccountWork()).differences.append(difference)
    accounts = await accounts_of(tx, project, _numbers(draw.batch for draw in draws))
    for draw in draws:
        if isinstance(draw.batch, int):
            work.setdefault(accounts[draw.batch], _AccountWork()).draws.append(draw)
    if deficits is None:
        deficits = await open_deficits(tx, project, {account.ledger for account in work})
    for deficit in deficits:
        if deficit.account in work:
            work[deficit.account].deficits.append(deficit)
    runs = {
        one.run_number
        for of_account in work.values()
        for one in of_account.differences
        if one.run_number is not None
    }
    # What reports take of a batch, falls of other runs may have to give way to.
    takers = await takers_of(tx, project, _numbers(one.batch for one in draws if one.kind in OF_REPORTS))
    of_work = [one for each in work.values() for one in each.differences]
    totals, taken = await tx.together(_totals(tx, project, of_work, runs), _taken(tx, project, runs | takers))
    moved = {
        account
        for account, of_account in work.items()
        if account in released or _needs_balances(of_account, totals, taken)
    }
    await _read_balances(tx, project, {account: work[account] for account in moved}, set(accounts), taken)
    return await tx.in_thread(_post_all, work, moved, totals, draws, released)


async def _read_balances(
    tx: Read,
    project: int,
    work: Mapping[Account, _AccountWork],
    named: set[int],
    taken: Mapping[RunKey, Sequence[Taken]],
) -> None:
    """Read what the batches of accounts hold, and what their runs took of which batches, and those runs' too.

    What the runs that post took is known, and what those took that reports take of batches with.
    """
    taken = dict(taken)
    known = {one.run_number for each in work.values() for one in each.differences if one.run_number}
    known |= {run for _, run in taken}
    while True:
        batches = named | {one.batch for each in taken.values() for one in each if isinstance(one.batch, int)}
        held = await held_batches(tx, project, work, batches)
        runs = {one.run for one in held if one.run is not None} - known
        newly_taken = await taken_by(tx, project, runs) if runs else {}
        known |= runs
        taken |= newly_taken
        if not {one.batch for each in newly_taken.values() for one in each} - batches:
            break
    for batch in held:
        work[batch.account].held.append(batch)
    # A run takes from its own partition, so its account is that of whatever it took from.
    accounts: dict[Key, Account] = {one.number: one.account for one in held}
    for (_, run), of_run in taken.items():
        account = next((accounts[one.batch] for one in of_run if one.batch in accounts), None)
        if account is not None:
            work[account].taken[run] = of_run


def _post_all(
    work: Mapping[Account, _AccountWork],
    moved: set[Account],
    totals: Mapping[NewBatch, Total],
    draws: Sequence[Entry],
    released: Mapping[Account, Released],
) -> ProposedEntries:
    entries: list[Entry] = [*draws]
    deficit_entries: list[DeficitEntry] = []
    changes, short = {}, set()
    for account, of_account in sorted(work.items(), key=lambda item: item[0].order):
        books = PartitionBooks(
            account.ledger,
            _balances(of_account),
            [Deficit(one.run, one.settled_from, one.amount) for one in of_account.deficits],
            of_account.taken,
            released.get(account, {}),
        )
        drawn = of_account.draws if account in moved else ()
        posted = post(books, [totals[one.batch] for one in of_account.differences], drawn)
        entries += posted.entries
        deficit_entries += posted.deficit_entries
        changes[account] = of_account.changes(totals)
        if posted.deficit_entries:
            short.add(account)
    return ProposedEntries(tuple(entries), tuple(deficit_entries), changes, frozenset(short))


def _balances(work: _AccountWork) -> list[BatchBalance]:
    """The batches of an account, oldest first; of a run, in the order they are made."""
    held = [
        (
            (one.start_time, one.end_time, one.name, 0),
            BatchBalance(one.number, one.run, one.end_time, one.balance),
        )
        for one in work.held
    ]
    new = [
        ((*_order(one), 1), BatchBalance(one.batch, one.run_key, one.run.slot.end, Decimal(0)))
        for one in work.differences
    ]
    return [balance for _, balance in sorted(held + new, key=lambda ordered: ordered[0])]


def _order(difference: RunDifference) -> tuple[object, ...]:
    return difference.run.slot.start, difference.run.slot.end, difference.run.name


def _needs_balances(
    work: _AccountWork,
    totals: Mapping[NewBatch, Total],
    taken: Mapping[RunKey, Sequence[Taken]],
) -> bool:
    """Whether other batches of the account are touched; a run that only credits its own needs none.

    What a report gives back may be of a run that took from others in its place.
    """
    is_reported = any(draw.kind in OF_REPORTS for draw in work.draws)
    return (
        bool(work.deficits)
        or is_reported
        or any(
            totals[one.batch].difference < 0 or (one.ledger.number, one.run_number) in taken
            for one in work.differences
        )
    )


async def _taken(tx: Read, project: int, runs: Collection[int]) -> Mapping[RunKey, Sequence[Taken]]:
    return await taken_by(tx, project, runs) if runs else {}


async def _totals(
    tx: Read, project: int, differences: Sequence[RunDifference], runs: Collection[int]
) -> dict[NewBatch, Total]:
    """What each difference comes to, and what its run has posted before."""
    posted = await posted_by(tx, project, runs) if runs else {}
    return {
        one.batch: Total(
            run=one.run_key,
            batch=one.batch,
            end=one.run.slot.end,
            total=one.total,
            posted=posted.get((one.ledger.number, one.run_number or 0), {}),
        )
        for one in differences
    }


def _numbers(batches: Iterable[object]) -> set[int]:
    return {batch for batch in batches if isinstance(batch, int)}


def draw_entries(plans: Sequence[Plan], pool: Pool) -> tuple[list[Entry], list[str]]:
    """The draws and returns of all plans, and why some cannot be posted.

    Entries name batches by number, and a run that has no batches yet and the new batch that posts them as
    its difference does.
    """
    posting: dict[RunIdentity, tuple[int, RunDifference]] = {}
    for number, plan in enumerate(plans):
        for difference in plan.differences:
            posting.setdefault(difference.run.identity, (number, difference))
    entries: list[list[Entry]] = [[] for _ in plans]
    problems = []
    for drawer, moves in pool.moved().items():
        if (poster := posting.get(RunIdentity(drawer.slot, drawer.partition))) is None:
            # A run that stands as it was has no batch to post that what it holds counts for other moments.
            if not _only_redated(moves):
                problems.append(_unposted(drawer))
            continue
        number, difference = poster
        entries[number] += _entries_of_moves(drawer, moves, difference)
    return [entry for of_plan in entries for entry in of_plan], problems


def _entries_of_moves(drawer: Drawer, moves: Sequence[Move], difference: RunDifference) -> list[Entry]:
    """What is given back counts for the moment for which it was drawn: in between, others may draw it."""
    return [
        Entry(
            ledger=move.source.ledger,
            kind=EntryKind.DRAW if move.amount > 0 else EntryKind.RETURN,
            run=difference.run_key,
            batch=move.source.number,
            posted_by=difference.batch,
            amount=EXACT.minus(move.amount),
            effective_at=move.effective_at,
            node=drawer.node,
        )
        for move in moves
    ]


def _only_redated(moves: Sequence[Move]) -> bool:
    """Whether a drawer holds as much of every source as before."""
    sums: dict[int, Decimal] = {}
    for move in moves:
        sums[move.source.number] = EXACT.add(sums.get(move.source.number, Decimal(0)), move.amount)
    return not any(sums.values())


def _unposted(drawer: Drawer) -> str:
    of_run = f" for {drawer.partition.label}" if drawer.partition.label else ""
    return (
        f"Node {drawer.node!r}{of_run} gives back what it drew, and its run has batches on other ledgers of"
        " the model only; ask for generate_concurrent_ledgers."
    )
