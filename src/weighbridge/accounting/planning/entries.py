"""Entries: what the plans of a generation do to ledgers, account by account.

An account, which is one partition of a ledger over all slots, is posted to as a whole and for all versions of
the model, because falls take from other runs and what one run credits settles what another is short of.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from weighbridge.accounting.books.balances import (
    Account,
    HeldBatch,
    OpenDeficit,
    accounts_of,
    held_batches,
    open_deficits,
    posted_by,
    taken_by,
)
from weighbridge.accounting.planning.plan import NewBatch, Plan, RunDifference
from weighbridge.core.ledger.posting import (
    BatchBalance,
    Deficit,
    DeficitEntry,
    Entry,
    EntryKind,
    Total,
    post,
)
from weighbridge.core.quantity.number import exact_total
from weighbridge.db.engine import Read


@dataclass(frozen=True, slots=True)
class ProposedEntries:
    """Everything that a generation posts to ledgers, each list in order."""

    entries: tuple[Entry, ...] = ()
    deficit_entries: tuple[DeficitEntry, ...] = ()
    deficits: Mapping[Account, Decimal] = field(default_factory=dict)
    """What is open afterwards in the accounts that it posts to."""

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


async def entries_of(
    tx: Read, project: int, plans: Sequence[Plan], draws: Sequence[Entry]
) -> ProposedEntries:
    """Work out what plans post together; `draws` are what their runs take of other ledgers."""
    work: dict[Account, _AccountWork] = {}
    for difference in sorted((one for plan in plans for one in plan.differences), key=_order):
        account = Account(difference.ledger.number, difference.run.partition)
        work.setdefault(account, _AccountWork()).differences.append(difference)
    accounts = await accounts_of(tx, project, _numbers(draw.batch for draw in draws))
    for draw in draws:
        if isinstance(draw.batch, int):
            work.setdefault(accounts[draw.batch], _AccountWork()).draws.append(draw)
    for deficit in await open_deficits(tx, project, {account.ledger for account in work}):
        if deficit.account in work:
            work[deficit.account].deficits.append(deficit)
    totals = await _totals(
        tx, project, [one for of_account in work.values() for one in of_account.differences]
    )
    moved = {account for account, of_account in work.items() if _needs_balances(of_account, totals)}
    named = _numbers(taken.batch for total in totals.values() for taken in total.taken) | set(accounts)
    for held in await held_batches(tx, project, moved, named):
        work[held.account].held.append(held)
    return await tx.in_thread(_post_all, work, moved, totals, draws)


def _post_all(
    work: Mapping[Account, _AccountWork],
    moved: set[Account],
    totals: Mapping[NewBatch, Total],
    draws: Sequence[Entry],
) -> ProposedEntries:
    entries: list[Entry] = [*draws]
    deficit_entries: list[DeficitEntry] = []
    deficits = {}
    for account, of_account in sorted(work.items(), key=lambda item: item[0].order):
        posted = post(
            account.ledger,
            _balances(of_account),
            [Deficit(one.run, one.settled_from, one.amount) for one in of_account.deficits],
            [totals[one.batch] for one in of_account.differences],
            of_account.draws if account in moved else (),
        )
        entries += posted.entries
        deficit_entries += posted.deficit_entries
        if posted.deficits:
            deficits[account] = exact_total(one.amount for one in posted.deficits)
    return ProposedEntries(tuple(entries), tuple(deficit_entries), deficits)


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


def _needs_balances(work: _AccountWork, totals: Mapping[NewBatch, Total]) -> bool:
    """Whether other batches of the account are touched; a run that only credits its own needs none."""
    return bool(work.deficits) or any(
        total.total < total.posted or total.taken for total in (totals[one.batch] for one in work.differences)
    )


async def _totals(tx: Read, project: int, differences: Sequence[RunDifference]) -> dict[NewBatch, Total]:
    """What each difference comes to, and what its run has posted and taken before."""
    runs = {one.run_number for one in differences if one.run_number is not None}
    posted = await posted_by(tx, project, runs) if runs else {}
    taken = await taken_by(tx, project, runs) if runs else {}
    return {
        one.batch: Total(
            run=one.run_key,
            batch=one.batch,
            end=one.run.slot.end,
            total=one.total,
            posted=posted.get((one.ledger.number, one.run_number or 0), Decimal(0)),
            taken=taken.get((one.ledger.number, one.run_number or 0), ()),
        )
        for one in differences
    }


def _numbers(batches: Iterable[object]) -> set[int]:
    return {batch for batch in batches if isinstance(batch, int)}
