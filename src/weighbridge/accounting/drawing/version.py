"""A version of a model as it draws: its nodes, the ledgers that they draw from, and its slots."""

from collections.abc import Mapping
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from weighbridge.core.engine.source_ledger import SourceLedgerView
from weighbridge.core.model import Model, Node
from weighbridge.core.time.cadence import label
from weighbridge.core.time.instant import Interval


@dataclass(frozen=True, slots=True)
class DrawingVersion:
    """What one version of a model draws for in a generation."""

    project: int
    family: int
    model_id: int
    model: Model
    source_ledgers: Mapping[str, SourceLedgerView]
    """The ledgers that its nodes draw from, by node."""
    zone: ZoneInfo
    slots: tuple[Interval, ...]
    """Those that it computes."""
    replaced: tuple[Interval, ...] = ()
    """Generated slots of other bounds that those replace: what their runs drew is given back."""
    included: frozenset[Interval] = frozenset()
    """Those of its slots that the request does not name: what was named for them before stays."""

    @property
    def manual_nodes(self) -> list[Node]:
        """The nodes that draw by hand."""
        return [node for node in self.model.nodes if node.allocation_group is not None]

    def label(self, slot: Interval) -> str:
        """What a slot is called."""
        return label(self.model.cadence, slot, self.zone)
