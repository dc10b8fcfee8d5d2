"""The engine runs a model over the data of one slot: one run for each partition, node by node.

A run by itself is a slot of one partition, with data that a caller named; nothing else distinguishes it.
All partitions of a slot advance together, because an amount that belongs to no single partition (a power
bill) is shared over those that run, and the sharing may weigh by a node computed just before.

Invariants: the parts of a shared amount sum to it, to the last digit; every group of data is used by at
least one run, or named as not counted; a run either has a value for every node or the slot is refused.
"""

from weighbridge.core.engine.inputs import aggregate_statistics
from weighbridge.core.engine.revisions import ENGINE_REVISION
from weighbridge.core.engine.run import PartitionRun, SlotRun, find_partitions, list_unmet_groups, run_slot
from weighbridge.core.engine.slot_computation import (
    NOT_COMPUTABLE,
    EngineSetting,
    GivenValues,
    NodeReading,
    SlotData,
    StandaloneRunContext,
)
from weighbridge.core.engine.trials import CaseResult, Comparison, Trial, add_attributes, run_cases, try_out
from weighbridge.core.engine.uncertainty import write_output_uncertainty
from weighbridge.core.model import Amount

__all__ = [
    "ENGINE_REVISION",
    "NOT_COMPUTABLE",
    "Amount",
    "CaseResult",
    "Comparison",
    "EngineSetting",
    "GivenValues",
    "NodeReading",
    "PartitionRun",
    "SlotData",
    "SlotRun",
    "StandaloneRunContext",
    "Trial",
    "add_attributes",
    "aggregate_statistics",
    "find_partitions",
    "list_unmet_groups",
    "run_cases",
    "run_slot",
    "try_out",
    "write_output_uncertainty",
]
