"""What the engine is given: the setting that all slots have in common, and the data of one slot.

Invariants: the data of a slot hold all that the model reads; the engine asks nobody for more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo

from weighbridge.core import ids
from weighbridge.core.element import Measures, StaticValue
from weighbridge.core.engine.outlet import Drawing
from weighbridge.core.instant import Interval
from weighbridge.core.model import Program
from weighbridge.core.statistics import Group

EVENTS_NAMED_MAX = 5
"""Events that one problem names."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A model made ready to run over a project's data."""

    program: Program
    measures: Measures
    scale: int
    """The largest scale of the model's ledgers, at which amounts are shared."""
    project: int = 0
    zone: tzinfo = UTC

    def named(self, events: Sequence[int]) -> str:
        """Events by their ids, for a sentence."""
        shown = [ids.make(ids.PREFIXES["event"], ids.Key(self.project, one)) for one in events]
        more = len(shown) - EVENTS_NAMED_MAX
        return ", ".join(shown[:EVENTS_NAMED_MAX]) + (f" and {more} more" if more > 0 else "")


@dataclass(frozen=True, slots=True)
class SlotData:
    """The data of one slot."""

    slot: Interval
    groups: Sequence[Group]
    statics: Mapping[str, Sequence[StaticValue]] = field(default_factory=dict)
    """The values of each static input, by its slug."""
    skipped: frozenset[str] = frozenset()
    """Inputs whose data were set aside by the caller."""
    drawing: Drawing | None = None
    """What `upstream` and `available` nodes draw with; a model without any needs none."""
