"""What batches come to without and with a change of events: the plan of generation, made twice.

The change is written as it would be for good, in a transaction that is undone; between the two plans nothing
else differs, so whatever they disagree on is its doing. What others have left to be generated counts on both
sides alike. The plan with the change is made first: the locks of the change are let go before the other.

Invariants: nothing stays of it; before and after are what a generation would come to, to the digit.
"""

from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import groupby
from typing import NamedTuple

from weighbridge.accounting.books.runs import RunIdentity
from weighbridge.accounting.books.stale_reasons import made_stale, stale_reasons
from weighbridge.accounting.books.standings import Shortage
from weighbridge.accounting.ledgers.queries import as_deficit
from weighbridge.accounting.ledgers.records import PartitionDeficit
from weighbridge.accounting.planning.propose import Proposal, Request, propose
from weighbridge.accounting.planning.scope import CreditedLedger
from weighbridge.core.identity import ids
from weighbridge.core.ledger.partition import Account, Partition
from weighbridge.core.platform.permission import Actor
from weighbridge.core.time.cadence import identity_of
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Invalid
from weighbridge.platform.changes.newest_batch import IS_NEWEST
from weighbridge.quality.impact.answer import BatchMadeStale, Impact, ImpactOnBatch, ImpactOnLedger
from weighbridge.quality.impact.following_rules import following_rules, marks_before
from weighbridge.quality.impact.slots import (
    ChangedEvent,
    generations_of,
    reached_slots,
    touched_slots,
    with_roll_ups,
)
from weighbridge.quality.rollup.marked import roll_up_within


@dataclass(frozen=True, slots=True)
class _Outlook:
    """What the generations would post, and why some of them could post nothing."""

    proposals: Sequence[Proposal]
    refusals: Sequence[str]

    @property
    def problems(self) -> list[str]:
        """What would fail them."""
        return [*self.refusals, *(one.message for proposal in self.proposals for one in proposal.problems)]


class _Total(NamedTuple):
    """What a run comes to on a ledger, and its first batch there, if it has one."""

    ledger: CreditedLedger
    run: RunIdentity
    number: int | None
    batch: int | None
    total: Decimal


_RunKey = tuple[int, Hashable, Partition]
"""A ledger, a slot wherever it is, and a partition."""

_Totals = dict[_RunKey, _Total]


async def impact_of(
    tx: Write,
    actor: Actor,
    project: int,
    changed: Sequence[ChangedEvent],
    change: Callable[[], Awaitable[Sequence[ChangedEvent]]],
) -> Impact:
    """What a change of these events would come to; the transaction must be undone afterwards.

    The change tells which events it touched, those that it made among them.
    """
    # A generation would roll up first, before and after.
    await roll_up_within(tx, project)
    changed = await with_roll_ups(tx, project, changed)
    touched = await touched_slots(tx, project, changed)
    known = await marks_before(tx, project, changed)
    async with tx.undone():
        changed = [*dict.fromkeys([*changed, *await change()])]
        await roll_up_within(tx, project)
        changed = await with_roll_ups(tx, project, changed)
        touched += await touched_slots(tx, project, changed)
        touched += await reached_slots(tx, project, changed)
        following = await following_rules(tx, project, changed, known)
        requests = await generations_of(tx, actor, project, changed, touched)
        after = await _outlook(tx, requests)
        stale = await made_stale(tx, project)
        reasons = await stale_reasons(tx, project, list(stale))
    before = await _outlook(tx, requests)
    stated = await stale_reasons(tx, project, list(stale))
    batches = await _changed(tx, project, before.proposals, after.proposals)
    return Impact(
        batches=[_on_batch(project, was, now) for was, now in batches],
        ledgers=[_on_ledger(project, pairs) for pairs in _by_ledger(batches)],
        stale_batches=[
            BatchMadeStale(ids.of("batch", project, batch), ids.of("ledger", project, ledger), new)
            for batch, ledger in stale.items()
            if (new := [one for one in reasons[batch] if one not in stated[batch]])
        ],
        deficits=_deepened(project, before.proposals, after.proposals),
        problems=list(dict.fromkeys(after.problems)),
        following_rules=following,
    )


async def _outlook(tx: Read, requests: Sequence[Request]) -> _Outlook:
    proposals, refusals = [], []
    for request in requests:
        try:
            proposals.append(await propose(tx, request))
        except Invalid as error:
            refusals += [one.message for one in error.problems]
    return _Outlook(proposals, refusals)


async def _changed(
    tx: Read, project: int, before: Sequence[Proposal], after: Sequence[Proposal]
) -> list[tuple[Decimal, _Total]]:
    """What changes, in order of ledger, slot and partition: the total before, and how it is afterwards."""
    was, now = _totals(before), _totals(after)
    posted = await _posted(tx, project, [*was.values(), *now.values()])
    changed = []
    for key, one in (was | now).items():
        stands = posted.get((one.number, key[0]), Decimal(0))
        old = was[key].total if key in was else stands
        new = now[key].total if key in now else stands
        if old != new:
            changed.append((old, one._replace(total=new)))
    return sorted(changed, key=lambda pair: (pair[1].ledger.number, pair[1].run.order))


def _totals(proposals: Sequence[Proposal]) -> _Totals:
    """What the runs come to that a generation would post; one with problems posts nothing."""
    return {
        (one.ledger.number, identity_of(one.run.slot), one.run.partition): _Total(
            one.ledger, one.run.identity, one.run_number, one.adjusts, one.total
        )
        for proposal in proposals
        if not proposal.problems
        for one in proposal.differences
    }


async def _posted(
    tx: Read, project: int, totals: Sequence[_Total]
) -> Mapping[tuple[int | None, int], Decimal]:
    """What runs have posted, by run and ledger."""
    runs = [one.number for one in totals if one.number is not None]
    rows = await tx.tuples(
        f"""
        SELECT b.run_id, b.ledger_id, b.total FROM batches b
         WHERE b.project_id = %s AND b.run_id = ANY (%s) AND {IS_NEWEST}
        """,
        (project, runs),
    )
    return {(run, ledger): total for run, ledger, total in rows}


def _by_ledger(batches: Sequence[tuple[Decimal, _Total]]) -> list[list[tuple[Decimal, _Total]]]:
    return [list(pairs) for _, pairs in groupby(batches, key=lambda pair: pair[1].ledger.number)]


def _on_batch(project: int, was: Decimal, now: _Total) -> ImpactOnBatch:
    slot = now.run.slot
    return ImpactOnBatch(
        None if now.batch is None else ids.of("batch", project, now.batch),
        ids.of("ledger", project, now.ledger.number),
        now.run.partition.label or None,
        Instant.of(slot.start),
        Instant.of(slot.end),
        was,
        now.total,
        now.ledger.unit,
    )


def _on_ledger(project: int, pairs: Sequence[tuple[Decimal, _Total]]) -> ImpactOnLedger:
    ledger = pairs[0][1].ledger
    change = sum((now.total - was for was, now in pairs), Decimal(0))
    return ImpactOnLedger(
        ids.of("ledger", project, ledger.number), ledger.name, len(pairs), change, ledger.unit
    )


def _deepened(project: int, before: Sequence[Proposal], after: Sequence[Proposal]) -> list[PartitionDeficit]:
    """The open deficits that there would not be without the change, or less of."""
    was, now = _open(before), _open(after)
    return [
        as_deficit(project, one) for key, one in now.items() if key not in was or one.amount > was[key].amount
    ]


def _open(proposals: Sequence[Proposal]) -> dict[tuple[Account, datetime], Shortage]:
    """The open deficits; of one that generations of several models see, the largest."""
    found: dict[tuple[Account, datetime], Shortage] = {}
    for proposal in proposals:
        for one in proposal.deficits:
            key = one.account, one.opened_at
            if one.settled_at is None and (key not in found or one.amount > found[key].amount):
                found[key] = one
    return found
