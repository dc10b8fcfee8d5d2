"""Compute the plans of a generation: read the data of the slots, run the model, compare with what was
posted.

One plan is made for each version of the model; all draw from one pool. An event feeds one model only,
unless its type is `reusable_in_batches`.

Invariant: what takes longer with each run is computed in threads, for the server ends a transaction that
idles while the event loop computes.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from psycopg.rows import TupleRow
from psycopg.sql import SQL, Composable

from weighbridge.accounting.books.allocation import Drawings, ManualSources, SlotRuns, read_drawings
from weighbridge.accounting.books.runs import compute_fingerprint, list_seen_nodes
from weighbridge.accounting.inputs.correlated_effects import check_correlated_effects
from weighbridge.accounting.inputs.event_slots import (
    EVENTS_NAMED_MAX,
    BorderEvents,
    ModelSlots,
    VersionSlot,
    check_shared_events,
    read_border_events,
)
from weighbridge.accounting.inputs.selection import BySlot, select_events
from weighbridge.accounting.inputs.slot_data import Inputs, read_slots
from weighbridge.accounting.inputs.static_values import read_statics
from weighbridge.accounting.inputs.streams import (
    InputStream,
    Reach,
    ResolvedStreams,
    calibrate_streams,
    read_catalogue,
    resolve_streams,
)
from weighbridge.accounting.planning.exclusions import (
    build_excluded_events,
    list_excluded_events,
    list_excluded_slots,
    list_undecided_events,
    list_unpartitioned_events,
    list_unusable_events,
    read_pending_evaluations,
    read_pending_proposals,
    read_pending_roll_ups,
)
from weighbridge.accounting.planning.plan import (
    ExcludedDraw,
    Exclusion,
    Plan,
    PostedRun,
    Reason,
    Run,
    compute_digests,
    find_unchanged_slots,
    list_differences,
    read_kept_digests,
    read_posted_runs,
)
from weighbridge.accounting.planning.scope import Scope
from weighbridge.accounting.records.model_runs import PendingEvaluations, PendingProposals, PendingRollUps
from weighbridge.core import identity
from weighbridge.core.engine import EngineSetting, PartitionRun, SlotData, list_unmet_groups, run_slot
from weighbridge.core.engine.meters import Unusable, list_unusable
from weighbridge.core.engine.run import find_partitions_of_data
from weighbridge.core.engine.slot_computation import Group, Measures
from weighbridge.core.halt import proceed
from weighbridge.core.ledger.allocation import Partition
from weighbridge.core.model import Input, Share, prepare
from weighbridge.core.time.calendar import EVENT, Interval, label_slot
from weighbridge.core.uncertainty.effects import hash_uncertainties
from weighbridge.db.engine import Read
from weighbridge.platform.staleness import IS_NEWEST

# Running a model over the slots of a scope: the values of every run, and the data behind them.


@dataclass(frozen=True, slots=True)
class ComputedRuns:
    """What some slots came to."""

    runs: tuple[Run, ...]
    without_partition: tuple[Group, ...]
    """Groups of data that met no partition."""
    unusable: tuple[Unusable, ...]
    """Readings of which inputs can make nothing."""
    problems: tuple[str, ...]
    rounded_away: tuple[Exclusion, ...] = ()
    """Withdrawals that are zero although an amount was needed."""


def compute_slots(
    scope: Scope,
    setting: EngineSetting,
    streams: Sequence[InputStream],
    slots: Sequence[SlotData],
    unchanged_slots: Collection[Interval] = (),
) -> ComputedRuns:
    """Run the model over slots in order; for unchanged slots, report only the exclusions."""
    names = {stream.number: stream.node_slugs for stream in streams}
    runs: list[Run] = []
    without_partition: list[Group] = []
    unusable: list[Unusable] = []
    problems: list[str] = []
    rounded_away: list[Exclusion] = []
    for position, data in enumerate(slots):
        proceed()
        if data.slot in unchanged_slots:
            lost = list_unmet_groups(scope.model, data)
            without_partition += lost
            unusable += _list_unusable(setting, data, lost)
            continue
        skipped_nodes = scope.inputs.skipped_nodes.get(position, {})
        name = label_slot(scope.model.cadence, data.slot, scope.zone)
        slot_run = run_slot(setting, data)
        problems += [f"{name}: {problem.message}" for problem in slot_run.problems]
        without_partition += slot_run.not_counted
        unusable += _list_unusable(setting, data, slot_run.not_counted)
        rounded_away += [
            Exclusion(Reason.ROUNDED_AWAY, ExcludedDraw(name, rounded_draw))
            for rounded_draw in slot_run.rounded_away
        ]
        runs += [
            replace(_run(scope, data.slot, name, run, names), skipped=skipped_nodes) for run in slot_run.runs
        ]
    return ComputedRuns(
        tuple(runs), tuple(without_partition), tuple(unusable), tuple(problems), tuple(rounded_away)
    )


def _list_unusable(setting: EngineSetting, data: SlotData, lost: Sequence[Group]) -> Iterator[Unusable]:
    """The readings of which inputs can make nothing, but for those that meet no partition anyway."""
    lost_events = {element.event for group in lost for element in group.elements}
    for unusable in list_unusable(setting, data):
        elements = tuple(
            unusable_element
            for unusable_element in unusable.elements
            if unusable_element.event not in lost_events
        )
        if elements:
            yield replace(unusable, elements=elements)


def _run(
    scope: Scope, slot: Interval, name: str, partition_run: PartitionRun, names: Mapping[int, Sequence[str]]
) -> Run:
    counts: dict[int, int] = {}
    tags: dict[int, tuple[Partition, ...]] = {}
    for group in partition_run.groups:
        counts[group.source] = counts.get(group.source, 0) + group.event_count
        tags[group.source] = (*tags.get(group.source, ()), group.tags)
    used_events = {
        number: tuple(element.event for element in elements)
        for number, elements in partition_run.used.items()
    }
    counts |= {number: len(events) for number, events in used_events.items()}
    uncertainties = partition_run.uncertainties or {}
    return Run(
        slot=slot,
        label=name,
        partition=partition_run.partition,
        readings=partition_run.readings,
        event_counts=counts,
        tags=tags,
        fingerprint=compute_fingerprint(
            scope.model_sha256, partition_run, names, list_seen_nodes(scope.model)
        ),
        used=used_events,
        statics=partition_run.statics,
        draws=partition_run.draws,
        contributions=partition_run.contributions or {},
        uncertainties=uncertainties,
        discounts=partition_run.discounts,
        uncertainty_sha256=hash_uncertainties(
            uncertainties, [draw.uncertainties for draw in partition_run.draws]
        ),
    )


# The double-counting check: an event feeds one model only, unless its type is `reusable_in_batches`.
#
# Versions of a model count as one. A run holds what its newest batch on a ledger was made of; deleting all
# batches of a run frees its data.


async def read_types_of_others(tx: Read, scope: Scope, streams: Sequence[InputStream]) -> set[int]:
    """The event types of some streams of which another model has events and may have them alone."""
    rivals = await tx.tuples(
        _RIVALS, (scope.project, sorted({stream.event_type for stream in streams}), scope.family)
    )
    return {kind for (kind,) in rivals}


async def check_already_used(
    tx: Read,
    scope: Scope,
    discovery: BySlot,
    streams: Sequence[InputStream],
    runs: Sequence[Run],
    *,
    types: Collection[int],
) -> list[str]:
    """Why a model cannot have some of the events that its runs use: another model has them.

    `types` are those that `read_types_of_others` returns.
    """
    problems = []
    for stream in streams:
        if stream.event_type in types:
            for rival, count, first in await _read_shared_events(tx, scope.family, discovery, stream, runs):
                example = identity.of("event", discovery.project, first)
                problems.append(
                    f"{count} events of type {stream.event_type_slug!r}, {example} for one, feed the model"
                    f" {rival!r} and cannot feed {scope.model.name!r} too; the event type is"
                    " not reusable in batches."
                )
    return problems


async def _read_shared_events(
    tx: Read, family: int, discovery: BySlot, stream: InputStream, runs: Sequence[Run]
) -> list[TupleRow]:
    """The models that have events of a source: name, how many, and the first of them."""
    if stream.is_of_elements:
        events: Composable = SQL("unnest(%(used)s::bigint[]) AS e (id)")
        used_events = {event for run in runs for event in run.used.get(stream.number, ())}
        values: Mapping[str, Any] = {"used": sorted(used_events)}
    else:
        selected = select_events(discovery, stream, ())
        events, values = selected.events, selected.values
    parameters = {"project": discovery.project, "family": family}
    return await tx.tuples(_SHARED.format(used=events, newest=SQL(IS_NEWEST)), {**values, **parameters})


_RIVALS: Final = """
    SELECT DISTINCT s.event_type_id
      FROM event_types t
      JOIN batch_input_sets s ON (s.project_id, s.event_type_id) = (t.project_id, t.id)
      JOIN batches b ON (b.project_id, b.id) = (s.project_id, s.batch_id) AND b.deleted_at IS NULL
      JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
     WHERE t.project_id = %s AND t.id = ANY (%s) AND NOT t.reusable_in_batches AND r.family_id <> %s
"""
"""Event types of which another model has events: usually none, and nothing more is looked up."""

_SHARED: Final = SQL("""
    SELECT m.name, count(DISTINCT e.id), min(e.id)
      FROM {used}
      JOIN batch_inputs i ON i.project_id = %(project)s
       AND int8range(i.first_event, i.last_event, '[]') @> e.id AND e.id = ANY (i.event_ids)
      JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id) AND {newest}
      JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id) AND r.family_id <> %(family)s
      JOIN models m ON m.id = b.model_id
     GROUP BY m.name ORDER BY m.name
""")


# The planner: reads the data of the selected slots, runs the model, and compares with what has been posted.
#
# One plan is made for each version of the model; they draw from one pool.


@dataclass(frozen=True, slots=True)
class _VersionData:
    """Everything that one version reads."""

    scope: Scope
    resolved: ResolvedStreams
    discovery: BySlot
    slots: Sequence[SlotData]
    around: "_VersionFacts"

    def runs(self) -> list[SlotRuns]:
        """The runs that the data call for."""
        model, drawing = self.scope.model, self.scope.drawing
        return [
            SlotRuns(drawing, slot.slot, find_partitions_of_data(model, slot.groups)) for slot in self.slots
        ]


@dataclass(frozen=True, slots=True)
class _VersionFacts:
    """The facts around the data of one version: posted runs, exclusions and pending proposals."""

    digests: Mapping[Interval, Sequence[bytes]]
    posted_runs: Sequence[PostedRun]
    excluded: Sequence[Exclusion]
    undecided: tuple[Sequence[Exclusion], Sequence[str]]
    excluded_slots: Sequence[Exclusion]
    proposals: Sequence[PendingProposals]
    evaluations: Sequence[PendingEvaluations]
    roll_ups: Sequence[PendingRollUps]
    types_of_others: Collection[int]
    counted_twice: Sequence[str]


async def make_plans(
    tx: Read, scopes: Sequence[Scope], sources: ManualSources
) -> tuple[list[Plan], Drawings]:
    """Plan a generation, version by version, and give what they draw with, as it is afterwards."""
    drawings, at_borders, *versions = await tx.together(
        read_drawings(tx, [scope.drawing for scope in scopes], sources),
        _read_border_events(tx, scopes),
        *(_read(tx, scope) for scope in scopes),
    )
    drawings = await tx.in_thread(
        lambda: drawings.allocated([runs for version in versions for runs in version.runs()], sources)
    )
    while True:
        plans = [await _plan(tx, version, drawings) for version in versions]
        plans[-1] = _add_border_events(plans[-1], at_borders)
        has_problems = any(plan.problems for plan in plans)
        if has_problems or drawings.pool is None or not drawings.pool.begin_again():
            return plans, drawings


async def _read(tx: Read, scope: Scope) -> _VersionData:
    catalogue, statics = await tx.together(
        read_catalogue(tx, scope.project), read_statics(tx, scope.project, scope.model)
    )
    resolved_streams = resolve_streams(scope.model, catalogue, scope.inputs.nodes, with_uncertainty=True)
    if scope.model.uncertainty is not None:
        await check_correlated_effects(tx, scope.project, scope.model)
        resolved_streams = await calibrate_streams(tx, scope.project, resolved_streams)
    # The one place that says which events a generation reads.
    discovery = BySlot(scope.project, scope.slots, scope.inputs.by_node)
    skipped_nodes = [
        frozenset(scope.inputs.skipped_nodes.get(position, ())) for position in range(len(scope.slots))
    ]
    inputs = Inputs(resolved_streams, statics, scope.model.partition_type)
    slots, facts = await tx.together(
        read_slots(tx, discovery, inputs, skipped_nodes),
        _read_around(tx, scope, discovery, resolved_streams.streams),
    )
    return _VersionData(scope, resolved_streams, discovery, slots, facts)


async def _read_around(
    tx: Read, scope: Scope, discovery: BySlot, streams: Sequence[InputStream]
) -> _VersionFacts:
    return _VersionFacts(
        *await tx.together(
            read_kept_digests(tx, scope),
            read_posted_runs(tx, scope),
            list_excluded_events(tx, scope, discovery, streams),
            list_undecided_events(tx, scope, streams),
            list_excluded_slots(tx, scope, streams),
            read_pending_proposals(tx, scope, streams),
            read_pending_evaluations(tx, scope, streams),
            read_pending_roll_ups(tx, scope, streams),
            read_types_of_others(tx, scope, streams),
            _check_counted_twice(tx, scope, discovery, streams),
        )
    )


def _build_setting(scope: Scope, measures: Measures) -> EngineSetting:
    """What all slots of a version have in common for the engine: books ask what outputs rest on."""
    program = prepare(scope.model)
    return EngineSetting(
        program, measures, scope.project, scope.zone, says_contributions=True, says_uncertainty=True
    )


async def _plan(tx: Read, version: _VersionData, drawings: Drawings) -> Plan:
    """Plan one version; problems that would fail it are in the plan, nothing is raised for them."""
    scope, resolved_streams, facts = version.scope, version.resolved, version.around
    streams = resolved_streams.streams
    data = await tx.in_thread(
        lambda: [
            replace(slot_data, drawing=drawings.of(scope.model_id, slot_data.slot))
            for slot_data in version.slots
        ]
    )
    setting = await tx.in_thread(_build_setting, scope, resolved_streams.measures)
    digests = await tx.in_thread(compute_digests, scope, resolved_streams.measures, streams, data)
    unchanged_slots = set() if scope.keeps_runs else find_unchanged_slots(scope, facts.digests, digests)
    # Formulas are computed off the event loop: heartbeats and other requests go on meanwhile.
    computation = await tx.in_thread(compute_slots, scope, setting, streams, data, unchanged_slots)
    differences, unchanged_count = await tx.in_thread(
        lambda: list_differences(
            scope, facts.posted_runs, computation.runs, drawings.unchanged(scope.slots), unchanged_slots
        )
    )
    undecided, errors = facts.undecided
    return Plan(
        scope=scope,
        streams=streams,
        discovery=version.discovery,
        differences=tuple(differences),
        unchanged=unchanged_count,
        exclusions=(
            *list_unpartitioned_events(streams, computation.without_partition),
            *facts.excluded,
            *undecided,
            *list_unusable_events(scope.project, streams, computation.unusable),
            *facts.excluded_slots,
            *computation.rounded_away,
        ),
        pending=tuple(facts.proposals),
        unevaluated=tuple(facts.evaluations),
        lagging=tuple(facts.roll_ups),
        digests={slot: digest for slot, digest in digests.items() if slot not in unchanged_slots},
        problems=(
            *computation.problems,
            *errors,
            *await check_already_used(
                tx, scope, version.discovery, streams, computation.runs, types=facts.types_of_others
            ),
            *facts.counted_twice,
        ),
        runs=computation.runs if scope.keeps_runs else (),
    )


async def _read_border_events(tx: Read, scopes: Sequence[Scope]) -> list[BorderEvents]:
    """Events that the versions which compute these slots, and those around them, do not count once."""
    last = scopes[-1]
    version_slots = [
        VersionSlot(slot.start, slot.end, scope.model_id)
        for scope in scopes
        for slot in scope.slots
        if scope.model.cadence != EVENT
    ]
    if not version_slots or last.keeps_runs:
        return []
    version_slots += [
        VersionSlot(time.start, time.end, last.model_id, is_empty=True) for time in last.open_time
    ]
    ledgers = [ledger.number for ledger in last.ledgers]
    slots = ModelSlots(last.project, ledgers, version_slots, {time.bounds for time in last.replaced})
    span = min(time.start for time in version_slots), max(time.end for time in version_slots)
    return await read_border_events(tx, slots, span)


def _add_border_events(plan: Plan, at_borders: Sequence[BorderEvents]) -> Plan:
    """The plan with the events at borders that would count less than once, or more, which is a problem."""
    exclusions, problems = [], []
    for border in at_borders:
        events_named = border.events[:EVENTS_NAMED_MAX]
        events = build_excluded_events(
            plan.scope, border.event_type, len(border.events), events_named, border.node
        )
        if border.is_more:
            problems.append(
                f"{events.count} events of type {border.event_type!r}, {events.examples[0]} for one, lie"
                " across a boundary between slots of two versions, which take them by other ends, and would"
                f" count more than once by input {border.node!r}; generate all of these slots with"
                " model_version latest."
            )
        else:
            exclusions.append(Exclusion(Reason.BETWEEN_VERSIONS, events))
    return replace(plan, exclusions=(*plan.exclusions, *exclusions), problems=(*plan.problems, *problems))


async def _check_counted_twice(
    tx: Read, scope: Scope, discovery: BySlot, streams: Sequence[InputStream]
) -> list[str]:
    """Data that slots of events would count several times, because they overlap."""
    if scope.model.cadence != EVENT:
        return []
    bodies = {node.slug: node.body for node in scope.model.nodes}
    problems = []
    for stream in streams:
        inputs = [body for slug in stream.node_slugs if isinstance(body := bodies[slug], Input)]
        is_divided = any(body.share is not Share.REPEAT for body in inputs)
        if is_divided and not stream.is_defining and stream.window.reach is not Reach.ANY:
            problems += await check_shared_events(tx, discovery, stream, scope.elsewhere)
    return problems
