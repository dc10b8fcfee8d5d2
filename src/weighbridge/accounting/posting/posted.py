"""What is known once batches have been written: which run and batch each change of a plan became."""

from collections.abc import Mapping
from dataclasses import dataclass

from weighbridge.accounting.planning.plan import Change, Run
from weighbridge.core.time.cadence import EventSlot


@dataclass(frozen=True, slots=True)
class Posted:
    """The batch that a change made."""

    change: Change
    run_id: int
    batch_id: int


@dataclass(frozen=True, slots=True)
class Context:
    """What every row of a generation carries."""

    project: int
    family: int
    task_id: int
    model_sha256: bytes
    feedstocks: Mapping[str, int]
    assets: Mapping[str, int]


def run_key(context: Context, run: Run) -> tuple[object, ...]:
    """What tells a run from the others of its model: slot and partition, as their columns hold them."""
    feedstock = context.feedstocks[run.partition.feedstock] if run.partition.feedstock else None
    asset = context.assets[run.partition.asset] if run.partition.asset else None
    event = run.slot.event or None if isinstance(run.slot, EventSlot) else None
    is_by_event = isinstance(run.slot, EventSlot)
    return (
        run.slot.start, run.slot.end, run.partition.tracking_id, feedstock, asset, event, is_by_event
    )  # fmt: skip
