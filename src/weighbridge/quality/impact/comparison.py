"""What batches come to without and with a proposed correction: the plan of generation, made twice.

The correction is written as an approval would write it, in a transaction that is undone; between the two
plans nothing else changes, so whatever differs is its doing. What others have left to be generated counts on
both sides alike.

Invariants: nothing stays of it; before and after are what a generation would come to, to the digit.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import groupby
from typing import Final, NamedTuple

from weighbridge.accounting.books.runs import RunIdentity
from weighbridge.accounting.ledgers.queries import as_deficit
from weighbridge.accounting.ledgers.records import PartitionDeficit
from weighbridge.accounting.planning.propose import Proposal, propose
from weighbridge.accounting.planning.scope import CreditedLedger
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.rule.proposal import ApprovalState
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read, Write
from weighbridge.platform.changes.newest_batch import IS_NEWEST
from weighbridge.quality.approval.decision import correct, held_proposals
from weighbridge.quality.approval.standing import still_standing
from weighbridge.quality.impact.slots import generations_of
from weighbridge.quality.rollup.marked import roll_up_within
from weighbridge.quality.rule_results.records import Impact, ImpactOnBatch, ImpactOnLedger, RuleResult


class _Total(NamedTuple):
    """What a run comes to on a ledger, and its first batch there, if it has one."""

    ledger: CreditedLedger
    run: RunIdentity
    number: int | None
    batch: int | None
    total: Decimal


_Totals = dict[tuple[int, RunIdentity], _Total]


async def impact_of(tx: Write, actor: Actor, project: int, result: RuleResult) -> Impact:
    """What approving a result would change; the transaction must be undone afterwards."""
    if result.approval_state != ApprovalState.PENDING:
        return _nothing(result.id, result.approval_state)
    number = ids.number("data_point_result", result.id, project)
    [proposal] = await held_proposals(tx, project, [number])
    if not await still_standing(tx, project, [proposal]):
        return _nothing(result.id, ApprovalState.SUPERSEDED)
    # A generation would roll up first, before and after.
    await roll_up_within(tx, project)
    requests = await generations_of(tx, actor, project, proposal)
    before = [await propose(tx, request) for request in requests]
    await correct(tx, actor, project, [proposal])
    await roll_up_within(tx, project)
    after = [await propose(tx, request) for request in requests]
    batches = await _changed(tx, project, before, after)
    return Impact(
        result.id,
        ApprovalState.PENDING,
        batches=[_on_batch(project, was, now) for was, now in batches],
        ledgers=[_on_ledger(project, pairs) for pairs in _by_ledger(batches)],
        deficits=_deepened(project, before, after),
        problems=[problem.message for proposal in after for problem in proposal.problems],
    )


def _nothing(friendly: str, state: str | None) -> Impact:
    return Impact(friendly, state, batches=[], ledgers=[], deficits=[], problems=[])


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
    """What the runs come to that a generation would post."""
    return {
        (one.ledger.number, one.run.identity): _Total(
            one.ledger, one.run.identity, one.run_number, one.adjusts, one.total
        )
        for proposal in proposals
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


_NONE: Final = Decimal(0)


def _deepened(project: int, before: Sequence[Proposal], after: Sequence[Proposal]) -> list[PartitionDeficit]:
    """The open deficits that there would not be without the correction, or less of."""
    was = {
        (one.account, one.opened_at): one.amount
        for proposal in before
        for one in proposal.deficits
        if one.settled_at is None
    }
    now = {
        (one.account, one.opened_at): one
        for proposal in after
        for one in proposal.deficits
        if one.settled_at is None
    }
    return [as_deficit(project, one) for key, one in now.items() if one.amount > was.get(key, _NONE)]
