"""The planner: reads the data of the selected slots, runs the model, and compares with what stands.

Preview and generation both call `make_plans` inside one snapshot, so they cannot disagree.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from weighbridge.accounting.drawing.draws import Drawings, drawings_of, with_draws
from weighbridge.accounting.drawing.manual_allocation import SlotRuns
from weighbridge.accounting.drawing.manual_sources import NO_CHOICES, Choices
from weighbridge.accounting.inputs.event_slots import in_several
from weighbridge.accounting.inputs.selection import BySlot
from weighbridge.accounting.inputs.slot_data import Inputs, read_slots
from weighbridge.accounting.inputs.statics import statics_of
from weighbridge.accounting.inputs.streams import Resolved, catalogue_of, streams_of
from weighbridge.accounting.inputs.window import Reach
from weighbridge.accounting.planning.computation import run_slots
from weighbridge.accounting.planning.differences import changes_of
from weighbridge.accounting.planning.double_counting import already_used
from weighbridge.accounting.planning.not_counted import left_out, met_no_partition
from weighbridge.accounting.planning.pending_proposals import pending_proposals
from weighbridge.accounting.planning.plan import Plan
from weighbridge.accounting.planning.scope import Scope
from weighbridge.accounting.planning.set_aside import set_aside
from weighbridge.accounting.planning.unchanged import digests_of, settled_slots
from weighbridge.core.engine import Setting, SlotData
from weighbridge.core.engine.run import wanted_partitions
from weighbridge.core.model import Input, Share, prepare
from weighbridge.core.time.cadence import EVENT, label
from weighbridge.db.engine import Read


@dataclass(frozen=True, slots=True)
class _Data:
    """Everything that one version reads."""

    scope: Scope
    resolved: Resolved
    place: BySlot
    slots: Sequence[SlotData]

    def runs(self) -> list[SlotRuns]:
        """The runs that the data call for."""
        model = self.scope.model
        return [SlotRuns(self.scope, one.slot, wanted_partitions(model, one.groups)) for one in self.slots]


async def make_plans(tx: Read, scopes: Sequence[Scope], choices: Choices = NO_CHOICES) -> list[Plan]:
    """Plan a generation, version by version; what they draw from other ledgers is one pool."""
    drawings = await drawings_of(tx, scopes, choices)
    data = [await _read(tx, scope) for scope in scopes]
    drawings = drawings.allotted([runs for one in data for runs in one.runs()], choices)
    plans = [await _plan(tx, one, drawings) for one in data]
    return with_draws(plans, drawings)


async def _read(tx: Read, scope: Scope) -> _Data:
    resolved = streams_of(scope.model, await catalogue_of(tx, scope.project), scope.inputs.nodes)
    statics = await statics_of(tx, scope.project, scope.model)
    place = BySlot(scope.project, scope.selection.selected, scope.inputs.by_node)
    skipped = [frozenset(scope.inputs.skipped_nodes.get(index, ())) for index in range(len(place.slots))]
    slots = await read_slots(tx, place, Inputs(resolved, statics, scope.model.partition_type), skipped)
    return _Data(scope, resolved, place, slots)


async def _plan(tx: Read, read: _Data, drawings: Drawings) -> Plan:
    """Plan one version; problems that would fail it are in the plan, nothing is raised for them."""
    scope, resolved = read.scope, read.resolved
    sources, slots = resolved.streams, scope.selection.selected
    data = [replace(one, drawing=drawings.of(scope.model_id, one.slot)) for one in read.slots]
    program = prepare(scope.model)
    setting = Setting(program, resolved.measures, scope.share_scale, scope.project, scope.zone)
    digests = digests_of(scope, resolved.measures, sources, data)
    settled = await settled_slots(tx, scope, digests)
    # Formulas are computed off the event loop: heartbeats and other requests go on meanwhile.
    ran = await tx.in_thread(run_slots, scope, setting, sources, data, settled)
    changes, unchanged = await changes_of(tx, scope, ran.runs, drawings.untouched(slots), settled)
    return Plan(
        model_id=scope.model_id,
        share_scale=scope.share_scale,
        sources=sources,
        place=read.place,
        slots=slots,
        slot_labels=tuple(label(scope.model.cadence, slot, scope.zone) for slot in slots),
        touched_labels=tuple(label(scope.cadence, slot, scope.zone) for slot in scope.selection.touched),
        changes=tuple(changes),
        unchanged=unchanged,
        not_counted=(
            *met_no_partition(sources, ran.lost),
            *await left_out(tx, scope, sources),
            *await set_aside(tx, scope, read.place, sources),
        ),
        pending=tuple(await pending_proposals(tx, scope, sources)),
        digests={slot: digest for slot, digest in digests.items() if slot not in settled},
        problems=(
            *ran.problems,
            *await already_used(tx, scope, read.place, sources, ran.runs),
            *await _counted_twice(tx, read),
        ),
    )


async def _counted_twice(tx: Read, read: _Data) -> list[str]:
    """Data that slots of events would count several times, because they overlap."""
    if read.scope.model.cadence != EVENT:
        return []
    bodies = {node.slug: node.body for node in read.scope.model.nodes}
    found = []
    for source in read.resolved.streams:
        inputs = [body for slug in source.node_slugs if isinstance(body := bodies[slug], Input)]
        is_divided = any(body.share is not Share.REPEAT for body in inputs)
        if is_divided and not source.is_defining and source.window.reach is not Reach.ANY:
            found += await in_several(tx, read.place, source)
    return found
