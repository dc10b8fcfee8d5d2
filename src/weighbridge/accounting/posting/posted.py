"""What is known once batches have been written: which run and batch each difference of a plan became."""

from collections.abc import Mapping
from dataclasses import dataclass

from weighbridge.accounting.planning.plan import Run, RunDifference
from weighbridge.core.time.cadence import EventSlot


@dataclass(frozen=True, slots=True)
class Posted:
    """The batch that a difference made."""

    difference: RunDifference
    run_id: int
    batch_id: int


@dataclass(frozen=True, slots=True)
class GenerationContext:
    """What every row of a generation carries."""

    project: int
    family: int
    task_id: int
    feedstocks: Mapping[str, int]
    assets: Mapping[str, int]


def identity_columns(context: GenerationContext, run: Run) -> tuple[object, ...]:
    """The identity of a run, as its columns are written: slot, and partition by number."""
    feedstock = context.feedstocks[run.partition.feedstock] if run.partition.feedstock else None
    asset = context.assets[run.partition.asset] if run.partition.asset else None
    event = run.slot.event or None if isinstance(run.slot, EventSlot) else None
    is_by_event = isinstance(run.slot, EventSlot)
    return (
        run.slot.start, run.slot.end, run.partition.tracking_id, feedstock, asset, event, is_by_event
    )  # fmt: skip
