"""Compute the impact of a change of events on batches, ledgers and reports, with and without the change.

The change is a set of proposals to approve, or a planned request. It is written in a transaction that
is undone.

Invariants: nothing remains of it. Both results equal those of a generation to the digit.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

from msgspec import structs

from weighbridge.accounting.books.runs import read_newly_stale, read_stale_reasons
from weighbridge.accounting.posting.impact import compare_chains, follow_chain, repeat_chain
from weighbridge.accounting.records.batches import StaleReason
from weighbridge.collection.measurements.corrections import settle_imputed
from weighbridge.core import identity
from weighbridge.core.platform.permission import Actor
from weighbridge.core.rule.states import ApprovalState
from weighbridge.db.engine import Read, Write
from weighbridge.http.endpoints.dry_runs import DryRun
from weighbridge.http.endpoints.endpoint import WriteCall
from weighbridge.platform.tenancy import project_of
from weighbridge.quality.records.rule_results import NO_IMPACT, BatchMadeStale, Impact
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

# The totals of batches with and without a change of events: the generations are carried out twice.
#
# The change is written as it would be for good, in a transaction that is undone; between the two sides
# nothing else differs, so whatever they disagree on is its doing. What others have left to be generated
# counts on both sides alike. The side with the change comes first: it finds what draws from what changes,
# and the locks of the change are let go before the other.


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
        stale = await read_newly_stale(tx, project)
        reasons = await read_stale_reasons(tx, project, list(stale))
        after = await follow_chain(tx, project, requests)
    async with tx.undone():
        before = await repeat_chain(tx, after.steps)
    of_generations = await compare_chains(tx, project, before, after)
    return Impact(
        **structs.asdict(of_generations),
        stale_batches=await _list_stale(tx, project, stale, reasons),
        following_rules=following,
    )


async def _list_stale(
    tx: Read, project: int, ledgers: Mapping[int, int], reasons: Mapping[int, Sequence[StaleReason]]
) -> list[BatchMadeStale]:
    """The batches with reasons that they have not already, by batch and ledger."""
    stated = await read_stale_reasons(tx, project, list(ledgers))
    rows = await tx.tuples(_NAMES, (project, list(ledgers)))
    names = {number: (tracking_id, ledger) for number, tracking_id, ledger in rows}
    return [
        BatchMadeStale(
            identity.of("batch", project, batch), identity.of("ledger", project, ledger), new, *names[batch]
        )
        for batch, ledger in ledgers.items()
        if (new := [reason for reason in reasons[batch] if reason not in stated[batch]])
    ]


_NAMES: Final = """
    SELECT b.id, b.tracking_id, l.name
      FROM batches b JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
     WHERE b.project_id = %s AND b.id = ANY (%s)
"""


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
