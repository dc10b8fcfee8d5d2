"""The planner: reads the data of the selected slots, runs the model, and compares with what has been posted.

One plan is made for each version of the model; they draw from one pool.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from weighbridge.accounting.counting.borders import BorderEvents, events_at_borders
from weighbridge.accounting.counting.version_slots import ModelSlots, VersionSlot
from weighbridge.accounting.drawing.draws import Drawings, drawings_of
from weighbridge.accounting.drawing.manual_allocation import SlotRuns
from weighbridge.accounting.drawing.manual_sources import ManualSources
from weighbridge.accounting.inputs.event_slots import EVENTS_NAMED_MAX, in_several
from weighbridge.accounting.inputs.selection import BySlot
from weighbridge.accounting.inputs.slot_data import Inputs, read_slots
from weighbridge.accounting.inputs.statics import statics_of
from weighbridge.accounting.inputs.streams import Resolved, catalogue_of, streams_of
from weighbridge.accounting.inputs.window import Reach
from weighbridge.accounting.planning.computation import compute_slots
from weighbridge.accounting.planning.differences import differences_of, digests_of, unchanged_slots
from weighbridge.accounting.planning.double_counting import already_used
from weighbridge.accounting.planning.exclusions import (
    Exclusion,
    Reason,
    events_of,
    excluded_events,
    excluded_slots,
    undecided_events,
    unusable_events,
)
from weighbridge.accounting.planning.pending_corrections import (
    pending_evaluations,
    pending_proposals,
    pending_roll_ups,
)
from weighbridge.accounting.planning.plan import Plan
from weighbridge.accounting.planning.scope import Scope
from weighbridge.core.engine import EngineSetting, SlotData
from weighbridge.core.engine.run import partitions_of_data
from weighbridge.core.model import Input, Share, prepare
from weighbridge.core.time.cadence import EVENT
from weighbridge.db.engine import Read


@dataclass(frozen=True, slots=True)
class _VersionData:
    """Everything that one version reads."""

    scope: Scope
    resolved: Resolved
    discovery: BySlot
    slots: Sequence[SlotData]

    def runs(self) -> list[SlotRuns]:
        """The runs that the data call for."""
        model, drawing = self.scope.model, self.scope.drawing
        return [SlotRuns(drawing, one.slot, partitions_of_data(model, one.groups)) for one in self.slots]


async def make_plans(
    tx: Read, scopes: Sequence[Scope], sources: ManualSources
) -> tuple[list[Plan], Drawings]:
    """Plan a generation, version by version, and give what they draw with, as it is afterwards."""
    drawings = await drawings_of(tx, [scope.drawing for scope in scopes], sources)
    versions = [await _read(tx, scope) for scope in scopes]
    drawings = await tx.in_thread(
        lambda: drawings.allocated([runs for one in versions for runs in one.runs()], sources)
    )
    at_borders = await _at_borders(tx, scopes)
    while True:
        plans = [await _plan(tx, one, drawings) for one in versions]
        plans[-1] = _with_borders(plans[-1], at_borders)
        has_problems = any(plan.problems for plan in plans)
        if has_problems or drawings.pool is None or not drawings.pool.begin_again():
            return plans, drawings


async def _read(tx: Read, scope: Scope) -> _VersionData:
    resolved = streams_of(scope.model, await catalogue_of(tx, scope.project), scope.inputs.nodes)
    statics = await statics_of(tx, scope.project, scope.model)
    # The one place that says which events a generation reads.
    discovery = BySlot(scope.project, scope.slots, scope.inputs.by_node)
    skipped = [
        frozenset(scope.inputs.skipped_nodes.get(position, ())) for position in range(len(scope.slots))
    ]
    inputs = Inputs(resolved, statics, scope.model.partition_type)
    return _VersionData(scope, resolved, discovery, await read_slots(tx, discovery, inputs, skipped))


async def _plan(tx: Read, read: _VersionData, drawings: Drawings) -> Plan:
    """Plan one version; problems that would fail it are in the plan, nothing is raised for them."""
    scope, resolved = read.scope, read.resolved
    streams = resolved.streams
    data = await tx.in_thread(
        lambda: [replace(one, drawing=drawings.of(scope.model_id, one.slot)) for one in read.slots]
    )
    program = await tx.in_thread(prepare, scope.model)
    setting = EngineSetting(program, resolved.measures, scope.project, scope.zone, says_contributions=True)
    digests = await tx.in_thread(digests_of, scope, resolved.measures, streams, data)
    unchanged = set() if scope.keeps_runs else await unchanged_slots(tx, scope, digests)
    # Formulas are computed off the event loop: heartbeats and other requests go on meanwhile.
    computed = await tx.in_thread(compute_slots, scope, setting, streams, data, unchanged)
    differences, unchanged_count = await differences_of(
        tx, scope, computed.runs, drawings.unchanged(scope.slots), unchanged
    )
    undecided, errors = await undecided_events(tx, scope, streams)
    return Plan(
        scope=scope,
        streams=streams,
        discovery=read.discovery,
        differences=tuple(differences),
        unchanged=unchanged_count,
        exclusions=(
            *await excluded_events(tx, scope, read.discovery, streams, computed.without_partition),
            *undecided,
            *unusable_events(scope.project, streams, computed.unusable),
            *await excluded_slots(tx, scope, streams),
            *computed.rounded_away,
        ),
        pending=tuple(await pending_proposals(tx, scope, streams)),
        unevaluated=tuple(await pending_evaluations(tx, scope, streams)),
        lagging=tuple(await pending_roll_ups(tx, scope, streams)),
        digests={slot: digest for slot, digest in digests.items() if slot not in unchanged},
        problems=(
            *computed.problems,
            *errors,
            *await already_used(tx, scope, read.discovery, streams, computed.runs),
            *await _counted_twice(tx, read),
        ),
        runs=computed.runs if scope.keeps_runs else (),
    )


async def _at_borders(tx: Read, scopes: Sequence[Scope]) -> list[BorderEvents]:
    """Events that the versions which compute these slots, and those around them, do not count once."""
    last = scopes[-1]
    computed = [
        VersionSlot(slot.start, slot.end, scope.model_id)
        for scope in scopes
        for slot in scope.slots
        if scope.model.cadence != EVENT
    ]
    if not computed or last.keeps_runs:
        return []
    computed += [VersionSlot(one.start, one.end, last.model_id, is_empty=True) for one in last.open_time]
    ledgers = [one.number for one in last.ledgers]
    slots = ModelSlots(last.project, ledgers, computed, {one.bounds for one in last.replaced})
    span = min(one.start for one in computed), max(one.end for one in computed)
    return await events_at_borders(tx, slots, span)


def _with_borders(plan: Plan, at_borders: Sequence[BorderEvents]) -> Plan:
    """The plan with the events at borders that would count less than once, or more, which is a problem."""
    exclusions, problems = [], []
    for one in at_borders:
        named = one.events[:EVENTS_NAMED_MAX]
        events = events_of(plan.scope, one.event_type, len(one.events), named, one.node)
        if one.is_more:
            problems.append(
                f"{events.count} events of type {one.event_type!r}, {events.examples[0]} for one, lie across"
                " a boundary between slots of two versions, which take them by other ends, and would count"
                f" more than once by input {one.node!r}; generate all of these slots with model_version"
                " latest."
            )
        else:
            exclusions.append(Exclusion(Reason.BETWEEN_VERSIONS, events))
    return replace(plan, exclusions=(*plan.exclusions, *exclusions), problems=(*plan.problems, *problems))


async def _counted_twice(tx: Read, read: _VersionData) -> list[str]:
    """Data that slots of events would count several times, because they overlap."""
    if read.scope.model.cadence != EVENT:
        return []
    bodies = {node.slug: node.body for node in read.scope.model.nodes}
    problems = []
    for stream in read.resolved.streams:
        inputs = [body for slug in stream.node_slugs if isinstance(body := bodies[slug], Input)]
        is_divided = any(body.share is not Share.REPEAT for body in inputs)
        if is_divided and not stream.is_defining and stream.window.reach is not Reach.ANY:
            problems += await in_several(tx, read.discovery, stream, read.scope.elsewhere)
    return problems
