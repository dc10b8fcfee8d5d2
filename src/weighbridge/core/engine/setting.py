"""What the engine is given: the setting that all slots have in common, and the data of one slot.

Invariants: the data of a slot hold all that the model reads; the engine asks nobody for more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from decimal import Decimal

from weighbridge.core.engine.element import Measures, StaticValue
from weighbridge.core.engine.source_ledger import Drawing
from weighbridge.core.engine.statistics import Group
from weighbridge.core.expression import Budget
from weighbridge.core.identity import ids
from weighbridge.core.ledger.partition import Partition
from weighbridge.core.model import PreparedModel
from weighbridge.core.time.instant import Interval

EVENTS_NAMED_MAX = 5
"""Events that the sentence of one problem names."""

EVENTS_LISTED_MAX = 100
"""Events whose ids one problem carries."""


@dataclass(frozen=True, slots=True)
class EngineSetting:
    """A model made ready to run over a project's data."""

    program: PreparedModel
    measures: Measures
    project: int | None = 0
    """The project whose events are named; None where values were given and no events stand behind them."""
    zone: tzinfo = UTC
    budget: Budget | None = None
    """What all formulas may cost together; without, each may cost as much as one expression may."""
    says_contributions: bool = False
    """Whether runs say what their outputs rest on, which only books ask for."""

    def ids_of(self, events: Sequence[int]) -> tuple[str, ...]:
        """The ids of events, as many as a problem carries; a given value is none."""
        if self.project is None:
            return ()
        return tuple(ids.of("event", self.project, one) for one in events[:EVENTS_LISTED_MAX])

    def named(self, events: Sequence[int]) -> str:
        """Events by their ids, for a sentence; given values by their places in the list."""
        more, first = len(events) - EVENTS_NAMED_MAX, events[:EVENTS_NAMED_MAX]
        shown = ", ".join([f"value {one}" for one in first] if self.project is None else self.ids_of(first))
        return f"{shown} and {more} more" if more > 0 else shown


@dataclass(frozen=True, slots=True)
class Alone:
    """What a run by itself has, over data that somebody named: one partition, whatever the data's tags.

    All that was named must count, as what is joined whatever its date need not elsewhere.
    """

    partition: Partition
    """The values that the data share; a dimension in which they differ, or that none has, has none."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """The asset, feedstock and location that the data share, by which static inputs go."""


@dataclass(frozen=True, slots=True)
class GivenValues:
    """Values that somebody gives to nodes by name, where no project's data stand behind them.

    A list holds one value for each event, in the unit of the node; one number is what the node comes to.
    """

    values: Mapping[str, Decimal | tuple[Decimal, ...]] = field(default_factory=dict)
    """By slug; of a draw's attribute by `slug.attribute`. What is not there is missing."""
    partition: Mapping[str, str] = field(default_factory=dict)
    hours: Mapping[str, tuple[Decimal, ...]] = field(default_factory=dict)
    """How long each event of an input lasted; of an input that is not there nobody knows it."""
    period_days: Decimal | None = None
    """How many days of the calendar the slot is; None when nobody knows it."""
    period_hours: Decimal | None = None
    """How long the slot lasts by the clock; None when nobody knows it."""


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
    """What `upstream` and `available` nodes draw with; without, they take what stands in for them."""
    alone: Alone | None = None
    """Given where the data are those of one run by itself, and no slot that is cut into partitions."""
    given: GivenValues | None = None
    """What somebody gave to nodes in place of data; the lists among it are groups of elements as well."""
    named: frozenset[Partition] = frozenset()
    """Partitions that run although no data here say so, because batches were made of them."""
