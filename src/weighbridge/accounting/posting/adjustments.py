"""Postings: what the plans of a generation do to ledgers, partition by partition of each ledger.

A partition is posted to as a whole, over all its slots and over all versions of the model, because falls
take from other runs and what one run credits settles what another is short of.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from weighbridge.accounting.batch_generations.records import PartitionDeficit
from weighbridge.accounting.planning.plan import Change, NewBatch, Plan
from weighbridge.accounting.posting.balances import (
    Account,
    OpenDeficit,
    Stored,
    accounts_of,
    open_deficits,
    posted_by,
    stored_in,
    taken_by,
)
from weighbridge.core.identity import ids
from weighbridge.core.ledger.posting import Deficit, DeficitEntry, Entry, Holding, Kind, Total, post
from weighbridge.core.quantity.number import exact_total
from weighbridge.db.engine import Read


@dataclass(frozen=True, slots=True)
class Postings:
    """Everything that a generation posts, each list in order."""

    entries: tuple[Entry, ...]
    deficit_entries: tuple[DeficitEntry, ...]
    deficits: Mapping[Account, Decimal]
    """What is open afterwards in the partitions that it posts to."""

    @property
    def credits(self) -> Mapping[NewBatch, Decimal]:
        """What each new batch credits."""
        return {
            entry.batch: entry.amount
            for entry in self.entries
            if entry.kind is Kind.CREDIT and isinstance(entry.batch, NewBatch)
        }

    def named_deficits(self, project: int) -> list[PartitionDeficit]:
        """The open deficits as callers see them."""
        return [
            PartitionDeficit(
                ids.of("ledger", project, account.ledger), account.partition.label or None, amount
            )
            for account, amount in self.deficits.items()
        ]


@dataclass(frozen=True, slots=True)
class _Part:
    """All that concerns one partition of a ledger."""

    changes: list[Change] = field(default_factory=list)
    draws: list[Entry] = field(default_factory=list)
    deficits: list[OpenDeficit] = field(default_factory=list)
    stored: list[Stored] = field(default_factory=list)


async def postings_of(tx: Read, project: int, plans: Sequence[Plan]) -> Postings:
    """Work out what plans post together."""
    parts: dict[Account, _Part] = {}
    for change in sorted((change for plan in plans for change in plan.changes), key=_place):
        account = Account(change.target.number, change.run.partition)
        parts.setdefault(account, _Part()).changes.append(change)
    draws = [draw for plan in plans for draw in plan.draws]
    places = await accounts_of(tx, project, _numbers(draw.batch for draw in draws))
    for draw in draws:
        if isinstance(draw.batch, int):
            parts.setdefault(places[draw.batch], _Part()).draws.append(draw)
    for deficit in await open_deficits(tx, project, {account.ledger for account in parts}):
        if deficit.account in parts:
            parts[deficit.account].deficits.append(deficit)
    totals = await _totals(tx, project, [change for part in parts.values() for change in part.changes])
    moved = {account for account, part in parts.items() if _needs_holdings(part, totals)}
    named = _numbers(taken.batch for total in totals.values() for taken in total.taken) | set(places)
    for stored in await stored_in(tx, project, moved, named):
        parts[stored.account].stored.append(stored)
    return await tx.in_thread(_post_all, parts, moved, totals, draws)


def _post_all(
    parts: Mapping[Account, _Part],
    moved: set[Account],
    totals: Mapping[NewBatch, Total],
    draws: Sequence[Entry],
) -> Postings:
    entries: list[Entry] = [*draws]
    deficit_entries: list[DeficitEntry] = []
    deficits = {}
    for account, part in sorted(parts.items(), key=lambda item: item[0].place):
        done = post(
            account.ledger,
            _holdings(part),
            [Deficit(one.run, one.settled_from, one.amount) for one in part.deficits],
            [totals[change.batch] for change in part.changes],
            part.draws if account in moved else (),
        )
        entries += done.entries
        deficit_entries += done.deficit_entries
        if done.deficits:
            deficits[account] = exact_total(one.amount for one in done.deficits)
    return Postings(tuple(entries), tuple(deficit_entries), deficits)


def _holdings(part: _Part) -> list[Holding]:
    """The batches of a partition, oldest first; of a run, in the order they are made."""
    stored = [
        ((one.start_time, one.end_time, one.name, 0), Holding(one.number, one.run, one.end_time, one.balance))
        for one in part.stored
    ]
    new = [
        ((*_place(one), 1), Holding(one.batch, one.run_name, one.run.slot.end, Decimal(0)))
        for one in part.changes
    ]
    return [holding for _, holding in sorted(stored + new, key=lambda placed: placed[0])]


def _place(change: Change) -> tuple[object, ...]:
    return change.run.slot.start, change.run.slot.end, change.run.name


def _needs_holdings(part: _Part, totals: Mapping[NewBatch, Total]) -> bool:
    """Whether other batches of the partition are touched; a run that only credits its own needs none."""
    return bool(part.deficits) or any(
        total.total < total.posted or total.taken
        for total in (totals[change.batch] for change in part.changes)
    )


async def _totals(tx: Read, project: int, changes: Sequence[Change]) -> dict[NewBatch, Total]:
    """What each change comes to, and what its run has posted and taken before."""
    runs = {change.run_number for change in changes if change.run_number is not None}
    posted = await posted_by(tx, project, runs) if runs else {}
    taken = await taken_by(tx, project, runs) if runs else {}
    return {
        change.batch: Total(
            run=change.run_name,
            batch=change.batch,
            end=change.run.slot.end,
            total=change.total,
            posted=posted.get((change.target.number, change.run_number or 0), Decimal(0)),
            taken=taken.get((change.target.number, change.run_number or 0), ()),
        )
        for change in changes
    }


def _numbers(batches: Iterable[object]) -> set[int]:
    return {batch for batch in batches if isinstance(batch, int)}
