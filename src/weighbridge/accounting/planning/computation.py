"""Running a model over the slots of a scope: the values of every run, and the data behind them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from weighbridge.accounting.books.fingerprint import fingerprint, seen_only
from weighbridge.accounting.inputs.streams import InputStream
from weighbridge.accounting.planning.exclusions import ExcludedDraw, Exclusion, Reason
from weighbridge.accounting.planning.plan import Run
from weighbridge.accounting.planning.scope import Scope
from weighbridge.core.engine import EngineSetting, PartitionRun, SlotData, run_slot, unmet
from weighbridge.core.engine.meters.totalisers import Unusable, unusable
from weighbridge.core.engine.statistics import Group
from weighbridge.core.halt import proceed
from weighbridge.core.ledger.partition import Partition
from weighbridge.core.time.cadence import label
from weighbridge.core.time.instant import Interval


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
    """Draws that came to nothing although something was needed."""


def compute_slots(
    scope: Scope,
    setting: EngineSetting,
    streams: Sequence[InputStream],
    slots: Sequence[SlotData],
    unchanged: Collection[Interval] = (),
) -> ComputedRuns:
    """Run the model over slots, one after the other; of unchanged ones only what does not count is told."""
    names = {stream.number: stream.node_slugs for stream in streams}
    runs: list[Run] = []
    without_partition: list[Group] = []
    left: list[Unusable] = []
    problems: list[str] = []
    rounded_away: list[Exclusion] = []
    for position, data in enumerate(slots):
        proceed()
        if data.slot in unchanged:
            lost = unmet(scope.model, data)
            without_partition += lost
            left += _unusable(setting, data, lost)
            continue
        skipped = scope.inputs.skipped_nodes.get(position, {})
        name = label(scope.model.cadence, data.slot, scope.zone)
        slot_run = run_slot(setting, data)
        problems += [f"{name}: {problem.message}" for problem in slot_run.problems]
        without_partition += slot_run.not_counted
        left += _unusable(setting, data, slot_run.not_counted)
        rounded_away += [
            Exclusion(Reason.ROUNDED_AWAY, ExcludedDraw(name, one)) for one in slot_run.rounded_away
        ]
        runs += [replace(_run(scope, data.slot, name, one, names), skipped=skipped) for one in slot_run.runs]
    return ComputedRuns(
        tuple(runs), tuple(without_partition), tuple(left), tuple(problems), tuple(rounded_away)
    )


def _unusable(setting: EngineSetting, data: SlotData, lost: Sequence[Group]) -> Iterator[Unusable]:
    """The readings of which inputs can make nothing, but for those that meet no partition anyway."""
    lost_events = {element.event for group in lost for element in group.elements}
    for one in unusable(setting, data):
        elements = tuple(each for each in one.elements if each.event not in lost_events)
        if elements:
            yield replace(one, elements=elements)


def _run(
    scope: Scope, slot: Interval, name: str, computed: PartitionRun, names: Mapping[int, Sequence[str]]
) -> Run:
    counts: dict[int, int] = {}
    tags: dict[int, tuple[Partition, ...]] = {}
    for group in computed.groups:
        counts[group.source] = counts.get(group.source, 0) + group.event_count
        tags[group.source] = (*tags.get(group.source, ()), group.tags)
    used = {
        number: tuple(element.event for element in elements) for number, elements in computed.used.items()
    }
    counts |= {number: len(events) for number, events in used.items()}
    return Run(
        slot=slot,
        label=name,
        partition=computed.partition,
        readings=computed.readings,
        event_counts=counts,
        tags=tags,
        fingerprint=fingerprint(scope.model_sha256, computed, names, seen_only(scope.model)),
        used=used,
        statics=computed.statics,
        draws=computed.draws,
        contributions=computed.contributions or {},
    )
