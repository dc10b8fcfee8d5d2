"""What a report and its mapping have to say: the facts that a plan is made of, as the books have them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from weighbridge.core.time.calendar import Instant


@dataclass(frozen=True, slots=True)
class KnownQuantity:
    """A value in a unit of ours, and how well it is known."""

    value: Decimal
    unit: str
    standard_uncertainty: Decimal | None = None
    """In the same unit; None where nobody stated it."""


@dataclass(frozen=True, slots=True)
class NodeFact:
    """What a node of a batch came to; its quantity is None for an array."""

    name: str
    quantity: KnownQuantity | None


@dataclass(frozen=True, slots=True)
class StaticInputFact:
    """A value of a static input that a batch read."""

    number: int
    slug: str
    quantity: KnownQuantity


@dataclass(frozen=True, slots=True)
class RunFact:
    """A run of which a report takes something, by its newest batch."""

    batch_id: str
    tracking_id: str
    start_time: Instant
    end_time: Instant
    started_on: date
    completed_on: date
    feedstock_id: str | None
    taken: Decimal
    """How much the report takes of all batches of the run."""
    total: Decimal
    """What the run came to, in the unit of the ledger."""
    amount: KnownQuantity
    """What the report takes, in the unit of the ledger."""
    nodes: Mapping[str, NodeFact]
    static_inputs: Mapping[str, Sequence[StaticInputFact]]
    evidence: Sequence[int] = ()
    """The numbers of the evidence behind it."""


@dataclass(frozen=True, slots=True)
class EventFact:
    """An event that a report rests on, with its numbers by data point."""

    event_id: str
    event_type: str
    start_time: Instant
    day: date
    feedstock_id: str | None
    location_id: str | None
    values: Mapping[str, KnownQuantity]
    evidence: Sequence[int] = ()
    """The numbers of its own evidence."""
    behind: frozenset[int] = frozenset()
    """The batches of the report that it lies behind, by their numbers."""


@dataclass(frozen=True, slots=True)
class ProductionFact:
    """A run of another ledger that a report rests on."""

    batch_id: str
    tracking_id: str
    start_time: Instant
    end_time: Instant
    feedstock_id: str | None
    total: KnownQuantity
    behind: frozenset[int] = frozenset()
    """The batches of the report that it lies behind, by their numbers."""


@dataclass(frozen=True, slots=True)
class EvidenceFact:
    """A file of evidence, or a link."""

    number: int
    name: str
    day: date
    content_type: str = ""
    size: int = 0
    url: str | None = None
    """Where a link leads; None for a file."""


@dataclass(frozen=True, slots=True)
class SeriesFact:
    """The readings of an event type in the period of a report, by time, in the order of mapped columns."""

    event_type: str
    rows: Sequence[Sequence[Instant | Decimal | None]]
    is_whole: bool = True
    """Whether all readings are there; false where there are more than one file takes."""


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """Everything that is sent of a report."""

    report_id: str
    project_id: str
    end_on: date
    runs: Sequence[RunFact]
    events: Sequence[EventFact] = ()
    productions: Sequence[ProductionFact] = ()
    evidence: Mapping[int, EvidenceFact] = field(default_factory=dict)
    series: Sequence[SeriesFact] = ()
    project_inputs: Sequence[Sequence[Sequence[StaticInputFact]]] = ()
    """Of each mapped component of the project and each of its inputs, the values that hold."""
    summary_of_changes: str | None = None
    """What a restatement changes; None for a report that restates nothing."""
