"""Read what a generation would do, and say what one does or did as callers see it."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal

from weighbridge.accounting.batch_generations.records import (
    LeftOut,
    NewGeneration,
    NotCounted,
    Preview,
    PreviewEntry,
    RoundedAwayDraw,
    StaleSource,
)
from weighbridge.accounting.books.value_source_shares import measured_share, value_source_shares
from weighbridge.accounting.drawing.manual_allocation import RunWithoutSource
from weighbridge.accounting.ledgers.queries import as_deficit
from weighbridge.accounting.ledgers.records import PartitionDeficit
from weighbridge.accounting.planning.exclusions import (
    ExcludedDraw,
    ExcludedEvents,
    ExcludedSlot,
    Exclusion,
    Reason,
)
from weighbridge.accounting.planning.plan import RunDifference
from weighbridge.accounting.planning.propose import Proposal, Request, propose
from weighbridge.accounting.planning.scope import CreditedLedger
from weighbridge.core.identity import ids
from weighbridge.core.ledger.contributions import NO_CONTRIBUTIONS, as_columns, spread, together
from weighbridge.core.ledger.rounding import coarseness
from weighbridge.core.platform.permission import Actor
from weighbridge.core.time.cadence import label
from weighbridge.core.time.instant import Interval
from weighbridge.db.engine import Read


async def preview(tx: Read, actor: Actor, ledger: str, generation: NewGeneration) -> Preview:
    """Say what generation would do, ledger by ledger."""
    proposal = await propose(tx, Request(actor, ledger, generation))
    return await tx.in_thread(lambda: Preview([_entry(proposal, one) for one in proposal.scope.ledgers]))


def not_counted(exclusions: Iterable[Exclusion]) -> list[NotCounted]:
    """The events that no run uses."""
    return [
        NotCounted(one.sentence, one.what.event_type, one.what.count, list(one.what.examples))
        for one in exclusions
        if isinstance(one.what, ExcludedEvents)
    ]


def left_out(exclusions: Iterable[Exclusion]) -> list[LeftOut]:
    """The runs that are not made."""
    return [
        LeftOut(one.what.slot, one.what.partition.label or None, list(one.what.nodes))
        for one in exclusions
        if isinstance(one.what, RunWithoutSource)
    ]


def rounded_away(proposal: Proposal) -> list[RoundedAwayDraw]:
    """The draws that come to nothing although something is needed."""
    project = proposal.scope.project
    return [
        RoundedAwayDraw(
            one.what.slot,
            one.what.draw.drawer.partition.label or None,
            one.what.draw.drawer.node,
            ids.of("ledger", project, one.what.draw.ledger.ledger),
            one.what.draw.needed,
        )
        for one in proposal.exclusions
        if isinstance(one.what, ExcludedDraw)
    ]


def deficits(proposal: Proposal) -> list[PartitionDeficit]:
    """Every deficit of the ledgers and of those that they draw from, as it is afterwards."""
    return [as_deficit(proposal.scope.project, one) for one in proposal.deficits]


def _entry(proposal: Proposal, ledger: CreditedLedger) -> PreviewEntry:
    """What the plans of all versions do to one ledger."""
    scope, exclusions = proposal.scope, proposal.exclusions
    # What has problems posts nothing.
    differences = [one for one in proposal.differences if one.ledger == ledger and not proposal.problems]
    own = ids.of("ledger", scope.project, ledger.number)
    others = {ids.of("ledger", scope.project, one.number) for one in scope.ledgers} - {own}
    shares = value_source_shares(_contributions(differences))
    return PreviewEntry(
        id=own,
        name=ledger.name,
        count=len(differences),
        adjustments=sum(one.adjusts is not None for one in differences),
        slots=_slot_labels(proposal),
        touched_slots=_labels_of(exclusions, Reason.MOSTLY_OUTSIDE),
        passed_over_slots=passed_over(exclusions),
        not_counted=not_counted(exclusions),
        pending_proposals=[one for plan in proposal.plans for one in plan.pending],
        pending_evaluations=[one for plan in proposal.plans for one in plan.unevaluated],
        pending_roll_ups=[one for plan in proposal.plans for one in plan.lagging],
        left_out=left_out(exclusions),
        rounded_away=rounded_away(proposal),
        measured_share=measured_share(shares),
        value_source_shares=shares,
        deficits=[one for one in deficits(proposal) if one.ledger not in others],
        warnings=_warnings(proposal, ledger),
        stale_sources=stale_sources(proposal),
        problems=[problem.message for problem in proposal.problems],
        passed_over_with_data=passed_over_with_data(exclusions),
    )


def _contributions(differences: Sequence[RunDifference]) -> list[Decimal] | None:
    """What contributes to the runs of a ledger, source by source; None where nobody knows."""
    found = [
        (one.total, one.run.contributions.get(one.ledger.output, NO_CONTRIBUTIONS)) for one in differences
    ]
    known = [spread(total, contributions) for total, contributions in found if contributions is not None]
    return as_columns(together(known)) if len(known) == len(found) else None


def _warnings(proposal: Proposal, ledger: CreditedLedger) -> list[str]:
    """What the ledger's scale may cost, by each version of the model that is computed."""
    warnings = [
        coarseness(ledger.name, ledger.unit, ledger.scale, ledger.rounding, scope.model.share_places)
        for scope in proposal.scopes
        if scope.model.partition_type != "time"
    ]
    return list(dict.fromkeys(warning for warning in warnings if warning is not None))


def passed_over(exclusions: Sequence[Exclusion]) -> list[str]:
    """What the slots are called that are left to batches of another cadence."""
    return _labels_of(exclusions, Reason.OTHER_CADENCE)


def passed_over_with_data(exclusions: Sequence[Exclusion]) -> list[str]:
    """What those of them are called in which the model reads events."""
    return [
        one.what.label
        for one in exclusions
        if one.reason is Reason.OTHER_CADENCE and isinstance(one.what, ExcludedSlot) and one.what.has_data
    ]


def stale_sources(proposal: Proposal) -> list[StaleSource]:
    """The batches that runs would draw from although they are stale."""
    return [
        StaleSource(
            ids.of("batch", proposal.scope.project, one.batch),
            ids.of("ledger", proposal.scope.project, one.ledger),
            one.name,
            list(one.reasons),
        )
        for one in proposal.stale_sources
    ]


def _slot_labels(proposal: Proposal) -> list[str]:
    """What the slots that are computed are called, in their order."""
    slots = [
        (slot, label(scope.model.cadence, slot, scope.zone))
        for scope in proposal.scopes
        for slot in scope.slots
    ]
    return [named for _, named in sorted(slots, key=_slot_order)]


def _labels_of(exclusions: Sequence[Exclusion], reason: Reason) -> list[str]:
    return [
        one.what.label for one in exclusions if one.reason is reason and isinstance(one.what, ExcludedSlot)
    ]


def _slot_order(slot: tuple[Interval, str]) -> tuple[datetime, datetime, str]:
    interval, named = slot
    return interval.start, interval.end, named
