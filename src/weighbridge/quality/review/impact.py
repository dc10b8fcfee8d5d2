"""Compute the impact of a change of events on batches and ledgers: two plans, with and without the change.

The change is a set of proposals to approve, or a planned request. It is written in a transaction that
is undone.

Invariants: nothing remains of it. Both results equal those of a generation to the digit.
"""

from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import groupby
from typing import Any, Final, NamedTuple

from weighbridge.accounting.books.balances import Shortage
from weighbridge.accounting.books.runs import RunIdentity, read_newly_stale, read_stale_reasons
from weighbridge.accounting.ledgers_queries import show_deficit
from weighbridge.accounting.planning.proposal import Proposal, Request, propose
from weighbridge.accounting.planning.scope import CreditedLedger
from weighbridge.accounting.records.ledgers import PartitionDeficit
from weighbridge.collection.measurements.corrections import settle_imputed
from weighbridge.core import identity
from weighbridge.core.ledger.allocation import Account, Partition
from weighbridge.core.platform.permission import Actor
from weighbridge.core.rule.states import ApprovalState
from weighbridge.core.time.calendar import Instant, identify_slot
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Invalid
from weighbridge.http.endpoints.dry_runs import DryRun
from weighbridge.http.endpoints.endpoint import WriteCall
from weighbridge.platform.staleness import IS_NEWEST
from weighbridge.platform.tenancy import project_of
from weighbridge.quality.records.rule_results import (
    NO_IMPACT,
    BatchMadeStale,
    Impact,
    ImpactOnBatch,
    ImpactOnLedger,
)
from weighbridge.quality.review.affected_slots import (
    ChangedEvent,
    following_rules,
    list_generations,
    marks_before,
    reached_slots,
    touched_slots,
    with_roll_ups,
)
from weighbridge.quality.review.approval import correct, list_current_proposals, read_proposals
from weighbridge.quality.slots.roll_up_refresh import roll_up_within

# The totals of batches without and with a change of events: the generation is planned twice.
#
# The change is written as it would be for good, in a transaction that is undone; between the two plans
# nothing else differs, so whatever they disagree on is its doing. What others have left to be generated
# counts on both sides alike. The plan with the change is made first: the locks of the change are let go
# before the other.
#
# Invariants: nothing of it is stored; both totals equal those of a generation, to the digit.


@dataclass(frozen=True, slots=True)
class _Outlook:
    """The postings that the generations would make, and why some of them could post nothing."""

    proposals: Sequence[Proposal]
    refusals: Sequence[str]

    @property
    def problems(self) -> list[str]:
        """The errors that would fail them."""
        return [
            *self.refusals,
            *(problem.message for proposal in self.proposals for problem in proposal.problems),
        ]


class _Total(NamedTuple):
    """The total of a run on a ledger, and its first batch there, if it has one."""

    ledger: CreditedLedger
    run: RunIdentity
    number: int | None
    batch: int | None
    total: Decimal


_RunKey = tuple[int, Hashable, Partition]
"""A ledger, a slot wherever it is, and a partition."""

_Totals = dict[_RunKey, _Total]


async def compute_impact(
    tx: Write,
    actor: Actor,
    project: int,
    changed: Sequence[ChangedEvent],
    change: Callable[[], Awaitable[Sequence[ChangedEvent]]],
) -> Impact:
    """The impact of a change of these events; the caller must roll the transaction back afterwards.

    The change returns the events that it touched, including those that it created.
    """
    # A generation would roll up first, before and after.
    await roll_up_within(tx, project)
    changed = await with_roll_ups(tx, project, changed)
    touched = await touched_slots(tx, project, changed)
    earlier_marks = await marks_before(tx, project, changed)
    async with tx.undone():
        changed = [*dict.fromkeys([*changed, *await change()])]
        await roll_up_within(tx, project)
        changed = await with_roll_ups(tx, project, changed)
        touched += await touched_slots(tx, project, changed)
        touched += await reached_slots(tx, project, changed)
        following = await following_rules(tx, project, changed, earlier_marks)
        requests = await list_generations(tx, actor, project, changed, touched)
        after = await _outlook(tx, requests)
        stale = await read_newly_stale(tx, project)
        reasons = await read_stale_reasons(tx, project, list(stale))
    before = await _outlook(tx, requests)
    stated = await read_stale_reasons(tx, project, list(stale))
    batches = await _list_changes(tx, project, before.proposals, after.proposals)
    return Impact(
        batches=[_on_batch(project, was, now) for was, now in batches],
        ledgers=[_on_ledger(project, pairs) for pairs in _by_ledger(batches)],
        stale_batches=[
            BatchMadeStale(identity.of("batch", project, batch), identity.of("ledger", project, ledger), new)
            for batch, ledger in stale.items()
            if (new := [reason for reason in reasons[batch] if reason not in stated[batch]])
        ],
        deficits=_list_deepened_deficits(project, before.proposals, after.proposals),
        problems=list(dict.fromkeys(after.problems)),
        following_rules=following,
    )


async def _outlook(tx: Read, requests: Sequence[Request]) -> _Outlook:
    proposals, refusals = [], []
    for request in requests:
        try:
            proposals.append(await propose(tx, request))
        except Invalid as error:
            refusals += [problem.message for problem in error.problems]
    return _Outlook(proposals, refusals)


async def _list_changes(
    tx: Read, project: int, before: Sequence[Proposal], after: Sequence[Proposal]
) -> list[tuple[Decimal, _Total]]:
    """The changed totals, in order of ledger, slot and partition: the total before and after."""
    totals_before, totals_after = _totals(before), _totals(after)
    posted_totals = await _read_posted(tx, project, [*totals_before.values(), *totals_after.values()])
    changed = []
    for key, total in (totals_before | totals_after).items():
        posted_total = posted_totals.get((total.number, key[0]), Decimal(0))
        total_before = totals_before[key].total if key in totals_before else posted_total
        total_after = totals_after[key].total if key in totals_after else posted_total
        if total_before != total_after:
            changed.append((total_before, total._replace(total=total_after)))
    return sorted(changed, key=lambda pair: (pair[1].ledger.number, pair[1].run.order))


def _totals(proposals: Sequence[Proposal]) -> _Totals:
    """The totals of the runs that a generation would post; one with problems posts nothing."""
    return {
        (difference.ledger.number, identify_slot(difference.run.slot), difference.run.partition): _Total(
            difference.ledger,
            difference.run.identity,
            difference.run_number,
            difference.adjusts,
            difference.total,
        )
        for proposal in proposals
        if not proposal.problems
        for difference in proposal.differences
    }


async def _read_posted(
    tx: Read, project: int, totals: Sequence[_Total]
) -> Mapping[tuple[int | None, int], Decimal]:
    """The posted totals, by run and ledger."""
    runs = [slot_total.number for slot_total in totals if slot_total.number is not None]
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
        None if now.batch is None else identity.of("batch", project, now.batch),
        identity.of("ledger", project, now.ledger.number),
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
        identity.of("ledger", project, ledger.number), ledger.name, len(pairs), change, ledger.unit
    )


def _list_deepened_deficits(
    project: int, before: Sequence[Proposal], after: Sequence[Proposal]
) -> list[PartitionDeficit]:
    """The open deficits that there would not be without the change, or less of."""
    shortages_before, shortages_after = _list_open_deficits(before), _list_open_deficits(after)
    return [
        show_deficit(project, shortage)
        for key, shortage in shortages_after.items()
        if key not in shortages_before or shortage.amount > shortages_before[key].amount
    ]


def _list_open_deficits(proposals: Sequence[Proposal]) -> dict[tuple[Account, datetime], Shortage]:
    """The open deficits; of one that generations of several models see, the largest."""
    shortages: dict[tuple[Account, datetime], Shortage] = {}
    for proposal in proposals:
        for deficit in proposal.deficits:
            key = deficit.account, deficit.opened_at
            if deficit.settled_at is None and (
                key not in shortages or deficit.amount > shortages[key].amount
            ):
                shortages[key] = deficit
    return shortages


# The impact of approving proposals: of one result, or of many together.
#
# Invariants: only proposals that their rules still make have an impact, as only they are applied.


async def impact_of_proposals(
    tx: Write, actor: Actor, project: int, pending: Sequence[int]
) -> tuple[Impact, dict[int, ApprovalState]]:
    """The impact of approving pending results, and the state that an approval would find each of them in.

    A proposal that its rule no longer makes is superseded. The caller must roll the transaction back.
    """
    proposals = await read_proposals(tx, project, pending) if pending else []
    current_numbers = await list_current_proposals(tx, project, proposals)
    states = {
        proposal.number: ApprovalState.PENDING
        if proposal.number in current_numbers
        else ApprovalState.SUPERSEDED
        for proposal in proposals
    }
    approved = [proposal for proposal in proposals if proposal.number in current_numbers]
    if not approved:
        return NO_IMPACT, states

    async def approve() -> list[ChangedEvent]:
        corrected, _ = await correct(tx, actor, project, approved)
        if any(proposal.event is None for proposal in approved):
            await settle_imputed(tx, project)
        return [ChangedEvent(*key) for key in corrected]

    changed = [
        ChangedEvent(proposal.event, proposal.position) for proposal in approved if proposal.event is not None
    ]
    return await compute_impact(tx, actor, project, changed, approve), states


# Dry runs: the impact of a planned change of a data point or an event, requested with the change itself.
#
# Collection knows nothing of ledgers, so the requests that change events are given their dry runs where the
# service is put together.


_Change = Callable[[], Awaitable[Any]]


async def _of_data_point(call: WriteCall, change: _Change) -> Impact:
    key = identity.parse("data_point", call.path["data_point_id"])
    return await _look(call, change, None if key is None else ChangedEvent(key.key, key.position))


async def _of_event(call: WriteCall, change: _Change) -> Impact:
    key = identity.parse("event", call.path["event_id"])
    return await _look(call, change, None if key is None else ChangedEvent(key.key))


async def _look(call: WriteCall, change: _Change, changed: ChangedEvent | None) -> Impact:
    """The impact of a change; the change itself reports a record that does not exist."""
    project = await project_of(call)
    events = [changed] if changed else []

    async def carry_out() -> list[ChangedEvent]:
        await change()
        return events

    return await compute_impact(call.tx, call.actor, project, events, carry_out)


_PERMISSION: Final = "production_accounting:read"
_OF_DATA_POINT: Final = DryRun(_PERMISSION, Impact, _of_data_point)
_OF_EVENT: Final = DryRun(_PERMISSION, Impact, _of_event)

DRY_RUNS: Final[Mapping[str, DryRun]] = {
    "correct_data_point": _OF_DATA_POINT,
    "correct_event_data_point": _OF_DATA_POINT,
    "update_event": _OF_EVENT,
}
"""The dry runs that there are, by the names of their operations."""
