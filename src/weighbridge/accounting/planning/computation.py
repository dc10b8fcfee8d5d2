"""Running a model over the slots of a scope: the values of every run, and the data behind them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from weighbridge.accounting.inputs.streams import InputStream
from weighbridge.accounting.planning.fingerprint import fingerprint, seen_only
from weighbridge.accounting.planning.plan import Run
from weighbridge.accounting.planning.scope import Scope
from weighbridge.core.engine import PartitionRun, Setting, SlotData, run_slot, unmet
from weighbridge.core.engine.statistics import Group
from weighbridge.core.ledger.partition import Partition
from weighbridge.core.time.cadence import label
from weighbridge.core.time.instant import Interval


@dataclass(frozen=True, slots=True)
class Ran:
    """What some slots came to."""

    runs: tuple[Run, ...]
    lost: tuple[Group, ...]
    """Groups of data that met no partition."""
    problems: tuple[str, ...]


def run_slots(
    scope: Scope,
    setting: Setting,
    sources: Sequence[InputStream],
    slots: Sequence[SlotData],
    settled: Collection[Interval] = (),
) -> Ran:
    """Run the model over slots, one after the other; of settled ones only what met no partition is told."""
    names = {source.number: source.node_slugs for source in sources}
    runs: list[Run] = []
    lost: list[Group] = []
    problems: list[str] = []
    for place, data in enumerate(slots):
        if data.slot in settled:
            lost += unmet(scope.model, data)
            continue
        skipped = scope.inputs.skipped_nodes.get(place, {})
        name = label(scope.model.cadence, data.slot, scope.zone)
        slot_run = run_slot(setting, data)
        problems += [f"{name}: {problem.message}" for problem in slot_run.problems]
        lost += slot_run.not_counted
        runs += [replace(_run(scope, data.slot, name, one, names), skipped=skipped) for one in slot_run.runs]
    return Ran(tuple(runs), tuple(lost), tuple(problems))


def _run(
    scope: Scope, slot: Interval, name: str, found: PartitionRun, names: Mapping[int, Sequence[str]]
) -> Run:
    counts: dict[int, int] = {}
    tags: dict[int, tuple[Partition, ...]] = {}
    for group in found.groups:
        counts[group.source] = counts.get(group.source, 0) + group.event_count
        tags[group.source] = (*tags.get(group.source, ()), group.tags)
    used = {source: tuple(element.event for element in elements) for source, elements in found.used.items()}
    counts |= {source: len(events) for source, events in used.items()}
    return Run(
        slot=slot,
        label=name,
        partition=found.partition,
        readings=found.readings,
        event_counts=counts,
        tags=tags,
        fingerprint=fingerprint(scope.model_sha256, found, names, seen_only(scope.model)),
        used=used,
        statics=found.statics,
        draws=found.draws,
    )
