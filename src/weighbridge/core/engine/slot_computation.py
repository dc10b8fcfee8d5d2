"""A slot computation is the work in progress on one slot: every node's values so far, partition by partition.

First the data of a slot. A group is the events of one source in one slot that carry the same tags, with the
statistics of their values.

Then the computation, which never leaves `run_slot`. A node of any kind is computed by a function that takes
the computation and the node and calls `keep` once for each partition.

Invariants: sums are exact, so neither the order of events nor the way they were grouped shows in them;
values are in their node's unit; a problem is a full sentence that names the node, has a code that says of
what kind it is, and the ids of the events that it names.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Final

from weighbridge.core import identity
from weighbridge.core.engine.input_reads import InputReads
from weighbridge.core.engine.reading_families import (
    PointRead,
    ReadingFamilies,
    find_reading_families,
)
from weighbridge.core.engine.stated_values import Basis, RatedPart, StatedClass, scale_parts
from weighbridge.core.engine.statistics import Statistics
from weighbridge.core.expression import Budget, Environment, Value, number, quantity
from weighbridge.core.ledger.allocation import (
    DIMENSIONS,
    HALF_EVEN,
    Contributions,
    LedgerRounding,
    Partition,
    ValueSource,
    multiply_contributions,
)
from weighbridge.core.ledger.drawing import Drawer, SourceBatch
from weighbridge.core.ledger.pool import Pool
from weighbridge.core.model import Amount, Model, Node, PreparedModel
from weighbridge.core.model.definition import NO_COVERAGE
from weighbridge.core.number import CONTEXT, DIGITS_MAX, EXACT
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import MILLISECOND, Instant, Interval, count_days, count_hours
from weighbridge.core.time.expectation import ALWAYS, Meter, Service
from weighbridge.core.uncertainty.effects import Components, Uncertainty, multiply_components
from weighbridge.core.uncertainty.statement import Statements, UncertaintyStatement
from weighbridge.core.unit import ONE, Unit, find_absolute, find_slope, parse_unit

# What lies across a slot's boundary and is divided: the part of a value that belongs to the slot.
#
# The part is in proportion to time, in the 34 digits of the whole. It is cut as the difference of two
# running amounts, the one up to the slot's end and the one up to its start.
#
# Invariant: the parts of a value in slots that cover its time without gap or overlap sum to the value, to
# the last digit.


_HOUR: Final = Decimal(3_600_000)


def prorate_value(value: Decimal, time: Interval, slot: Interval) -> Decimal:
    """The part of a value that falls to the slot; all of it when its time is a moment or lies inside."""
    length = (time.end - time.start) // MILLISECOND
    if not value or not length or slot.holds(time):
        return value
    quantum = value.adjusted() - DIGITS_MAX + 1
    units = int(value.scaleb(-quantum, context=EXACT))

    def up_to(milliseconds: int) -> int:
        return round(Fraction(units * min(max(milliseconds, 0), length), length))

    count = up_to((slot.end - time.start) // MILLISECOND) - up_to((slot.start - time.start) // MILLISECOND)
    return _shorten_part(Decimal(count).scaleb(quantum, context=EXACT), value)


def measure_hours_inside(time: Interval, slot: Interval) -> Decimal:
    """How long a stretch lasts inside the slot, in hours."""
    common = slot.overlap(time)
    return Decimal(0) if common is None else measure_hours(common)


def measure_hours(time: Interval) -> Decimal:
    """How long a stretch lasts, in hours."""
    return CONTEXT.divide(Decimal((time.end - time.start) // MILLISECOND), _HOUR)


def _shorten_part(part: Decimal, whole: Decimal) -> Decimal:
    """The part without zeros that the whole does not have either."""
    if not part:
        return Decimal(0)
    shortened = part.normalize(EXACT)
    exponent, whole_exponent = shortened.as_tuple().exponent, whole.as_tuple().exponent
    assert isinstance(exponent, int)  # noqa: S101 - numbers are finite
    assert isinstance(whole_exponent, int)  # noqa: S101
    return (
        shortened.quantize(Decimal(1).scaleb(whole_exponent), context=EXACT)
        if exponent > whole_exponent
        else shortened
    )


# An element is one event as an input reads it by itself, where a sum over a group is not enough.
#
# Arrays, medians, totalisers, averages over time, joins and what reaches over a slot's boundary are
# computed from elements, in time order. A measure says where in its elements an input finds what it reads.
#
# Invariants: elements of a source come in order of start, end, tracking id, client reference and values,
# which is their rank; never by id or arrival.


Content = Decimal | str | bool | None
"""A value of an event, unconverted, in the unit of its data point type."""


NEVER_CERTIFIED: Final = datetime.min.replace(tzinfo=UTC)
"""The start of a reading that is not there any more: no certificate holds for it."""


@dataclass(frozen=True, slots=True)
class FilledBasis:
    """On what a value rests that a rule put in."""

    sources: "tuple[tuple[Element, Decimal], ...]" = ()
    """The readings that it came from, with their values at the same index, and the weight of each."""
    statements: Statements | None = None
    """What the rule states of it, in place of its sources."""


@dataclass(frozen=True, slots=True)
class Element:
    """One event of a source."""

    event: int
    rank: int
    time: Interval
    values: tuple[Content, ...]
    tracking_id: str | None = None
    feedstock: str | None = None
    asset: str | None = None
    location: str | None = None
    service: Service = ALWAYS
    """When its meter is in service."""
    digest: int = 0
    """A hash of the event, its time and its values."""
    is_of_slot: bool = True
    """Whether the slot has it; the reading in force when a slot begins may be older."""
    sources: tuple[ValueSource, ...] = ()
    """Where each of its values comes from; empty when all were captured."""
    stated: tuple[Statements | None, ...] = ()
    """What each of its values states of its uncertainty; None or nothing for what its kind states."""
    filled: "Mapping[int, FilledBasis]" = field(default_factory=dict, hash=False)
    """On what those of its values rest that rules put in, by their index."""

    @property
    def meter(self) -> Meter:
        """Whose reading it is."""
        return Meter.of(self.asset, self.location)

    def number(self, index: int) -> Decimal | None:
        """The number at an index of its values."""
        value = self.values[index]
        return value if isinstance(value, Decimal) else None

    def list_statements(
        self, index: int, default: Statements, calibrations: "Sequence[CalibrationPeriod]" = ()
    ) -> Statements:
        """List what a value states of its uncertainty, and what it shares with others of its meter."""
        stated = self.stated[index] if self.stated else None
        shared = tuple(period.statement for period in calibrations if period.holds_for(self))
        return (*(default if stated is None else stated), *shared)

    def source(self, index: int) -> ValueSource:
        """Where the value at an index of its values comes from."""
        return self.sources[index] if self.sources else ValueSource.CAPTURED


@dataclass(frozen=True, slots=True)
class EventCadence:
    """How often an event type is expected: every so many minutes, hours, days, weeks or months."""

    amount: int
    unit: str


@dataclass(frozen=True, slots=True)
class CalibrationPeriod:
    """What all readings of a meter share from one moment to another, by its certificate."""

    asset: str | None
    """The meter; None for readings of events that name no asset."""
    asset_number: int | None
    """Its number among the assets, for who selects its readings."""
    valid_from: datetime
    valid_until: datetime | None
    statement: UncertaintyStatement
    """It names its effect."""

    def holds_for(self, element: Element) -> bool:
        """Whether a reading starts while it holds."""
        return self.asset == element.asset and self.holds_at(element.time.start)

    def holds_at(self, moment: datetime) -> bool:
        """Whether it holds for readings that start at a moment."""
        return self.valid_from <= moment and (self.valid_until is None or moment < self.valid_until)


@dataclass(frozen=True, slots=True)
class Measure:
    """How an input finds its values: the source, and the indexes of what it reads in each element."""

    unit: Unit = ONE
    source: int = 0
    is_of_elements: bool = False
    value: int = 0
    weight: int | None = None
    is_weight_of_target: bool = False
    """Whether the weight belongs to the event that this one is joined to."""
    key: int | None = None
    """The text that is joined on, here and on the other side."""
    target_key: int | None = None
    coverage: Decimal = NO_COVERAGE
    """Percent of the slot that the data must cover."""
    cadence: EventCadence | None = None
    statements: Statements = ()
    """What its values state of their uncertainty, unless they state it themselves."""
    weight_unit: Unit = ONE
    weight_statements: Statements = ()
    """What their weights state of their uncertainty."""
    calibrations: tuple[CalibrationPeriod, ...] = ()
    """What values share with others of their meter, in addition to what they state."""
    weight_calibrations: tuple[CalibrationPeriod, ...] = ()


@dataclass(frozen=True, slots=True)
class StaticValue:
    """A value of the project that holds from a moment on, for what its keys name."""

    number: int
    value: Decimal
    unit: Unit
    effective_from: Instant
    asset: str | None = None
    feedstock: str | None = None
    location: str | None = None
    statement: UncertaintyStatement | None = None
    """What it states of its uncertainty."""


Measures = Mapping[str, Measure]
"""Measures by the slugs of the inputs."""


@dataclass(frozen=True, slots=True)
class Group:
    """The events of a source in one slot with the same tags, and the statistics of each input on them."""

    source: int
    tags: Partition
    event_count: int
    first_event: str
    """The id of one of them, for a sentence about the group."""
    digest: Decimal
    """Sum of hashes of the events, their times and values: the same for the same events in any order."""
    by_input: Mapping[str, Statistics]
    """By the slug of the input; of no values where the elements themselves were read."""
    elements: tuple[Element, ...] = ()
    is_of_elements: bool = False
    is_of_slot: bool = True
    """Whether the slot has any of them; events that are joined from any date do not make a slot run."""

    @property
    def is_captured(self) -> bool:
        """Whether all of its values were captured."""
        return not any(element.sources for element in self.elements) and not any(
            statistics.by_source for statistics in self.by_input.values()
        )

    def plus(self, other: "Group") -> "Group":
        """Both groups as one, where summed events of the same tags came in two."""
        return replace(
            self,
            event_count=self.event_count + other.event_count,
            first_event=min(self.first_event, other.first_event),
            digest=EXACT.add(self.digest, other.digest),
            by_input={node: each.plus(other.by_input[node]) for node, each in self.by_input.items()},
        )


# A source ledger as a node of a model sees it: its unit, its scale, what travels along.
#
# Invariants: every node that draws or looks has one; attributes are in the order in which the node lists
# them.


@dataclass(frozen=True, slots=True)
class SourceLedgerView:
    """The ledger that a node draws from or looks at, and the units of the attributes that travel along."""

    ledger: int
    name: str
    unit: Unit
    scale: int
    attributes: Mapping[str, Unit]
    rounding: LedgerRounding = HALF_EVEN


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a node of a run holds of one source, in the ledger's unit, and what travels along."""

    node: str
    source: SourceBatch
    amount: Decimal
    attributes: tuple[Decimal, ...] = ()
    units: tuple[Unit, ...] = ()
    rests_on: tuple[Contributions | None, ...] = ()
    """The contributions to the source's total and to each attribute; None if unknown."""
    uncertainties: tuple[Uncertainty, ...] = ()
    """How uncertain the amount is, and each attribute, in the units of the node, if asked for."""


@dataclass(frozen=True, slots=True)
class RoundedAway:
    """A withdrawal of zero: the need of a run's node, in the ledger's unit, rounds to zero there."""

    drawer: Drawer
    ledger: SourceLedgerView
    needed: Decimal


@dataclass(frozen=True, slots=True)
class Drawing:
    """What the nodes of one slot draw with: the pool that all runs share, and the source ledger of each."""

    slot: Interval
    pool: Pool
    source_ledgers: Mapping[str, SourceLedgerView]
    excluded: frozenset[Partition] = frozenset()
    """Partitions that do not run, because a node of theirs has no named source."""
    unchanged: frozenset[Partition] = frozenset()
    """Those of them that stay as they are; the others held something and fall to nothing."""
    recorded: Mapping[Drawer, tuple[Drawn, ...]] | None = None
    """What nodes drew before, where a run is computed again as it was; nothing is drawn then."""
    seen: Mapping[Drawer, Decimal] = field(default_factory=dict)
    """What `available` nodes saw then, in their own units."""


# What the engine is given: the setting that all slots have in common, and the data of one slot.
#
# Invariants: the data of a slot hold all that the model reads; the engine reads nothing else.


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
    """The project whose events are named; None if a caller gave values without events."""
    zone: tzinfo = UTC
    budget: Budget | None = None
    """What all formulas may cost together; without, each may cost as much as one expression may."""
    says_contributions: bool = False
    """Whether runs say what their outputs rest on, which only books ask for."""
    says_uncertainty: bool = False
    """Whether runs say how uncertain their outputs are; only where the model asks for it, too."""
    uncertain_nodes: Collection[str] | None = None
    """Nodes of one number whose uncertainty is asked for; None for the outputs."""
    keeps_reads: bool = False
    """Whether runs say what their inputs were read of, which only trials ask for."""

    @property
    def is_uncertain(self) -> bool:
        """Whether runs say how uncertain their outputs are."""
        return self.says_uncertainty and self.program.model.uncertainty is not None

    def ids_of(self, events: Sequence[int]) -> tuple[str, ...]:
        """The ids of events, as many as a problem carries; a given value is none."""
        if self.project is None:
            return ()
        return tuple(identity.of("event", self.project, event) for event in events[:EVENTS_LISTED_MAX])

    def named(self, events: Sequence[int]) -> str:
        """Events by their ids, for a sentence; given values by their places in the list."""
        remaining, first_events = len(events) - EVENTS_NAMED_MAX, events[:EVENTS_NAMED_MAX]
        shown_names = ", ".join(
            [f"value {event}" for event in first_events]
            if self.project is None
            else self.ids_of(first_events)
        )
        return f"{shown_names} and {remaining} more" if remaining > 0 else shown_names


@dataclass(frozen=True, slots=True)
class StandaloneRunContext:
    """The context of a run by itself over named data: one partition, for any tags of the data.

    Every named value must be used; elsewhere, events joined from any date need not be.
    """

    partition: Partition
    """The values that the data share; a dimension in which they differ, or that none has, has none."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """The asset, feedstock and location that the data share, by which static inputs go."""


@dataclass(frozen=True, slots=True)
class GivenValues:
    """Values that a caller gives to nodes by name, without data of a project.

    A list holds one value for each event, in the unit of the node; one number is what the node comes to.
    """

    values: Mapping[str, Decimal | tuple[Decimal, ...]] = field(default_factory=dict)
    """By slug; of a draw's attribute by `slug.attribute`. What is not there is missing."""
    partition: Mapping[str, str] = field(default_factory=dict)
    hours: Mapping[str, tuple[Decimal, ...]] = field(default_factory=dict)
    """The duration of each event of an input; unknown for an absent input."""
    period_days: Decimal | None = None
    """The slot's number of calendar days; None if unknown."""
    period_hours: Decimal | None = None
    """The slot's duration by the clock; None if unknown."""
    statements: Mapping[str, UncertaintyStatement] = field(default_factory=dict)
    """What the values of a node state of their uncertainty, by its slug."""


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
    """What `upstream` and `available` nodes draw with; without, they take their defaults."""
    alone: StandaloneRunContext | None = None
    """Given where the data are those of one run by itself, and no slot that is cut into partitions."""
    given: GivenValues | None = None
    """Values that a caller gave to nodes instead of data; lists are also groups of elements."""
    named: frozenset[Partition] = frozenset()
    """Partitions that run although no data here say so, because batches were made of them."""


MISSING: Final = "required"
"""The code of a problem: something that the node needs is not there."""

UNCOVERED: Final = "not_covered"
"""The data leave time of the slot uncovered, or cover it twice."""

UNMATCHED: Final = "unmatched"
"""Elements do not match one another."""

CHANGING: Final = "changes"
"""A value that is to be one changes inside the slot."""

UNTAGGED: Final = "untagged"
"""Data do not say which partition they belong to."""

NOT_DRAWN: Final = "draws"
"""A node cannot draw what it is to draw."""

NOT_COMPUTABLE: Final = "not_computable"
"""The node has all its inputs, but no result."""

HOUR: Final = "h"
DAY: Final = "d"
"""Symbols, not units: reading the first unit makes the table of all, which no import should wait for."""


@dataclass(frozen=True, slots=True)
class NodeReading:
    """The value of one node, None when it is optional and had no data; of a shared input, also the whole."""

    amount: Amount
    whole: Decimal | None = None


@dataclass(slots=True)
class PartitionComputation:
    """The results of the nodes in one partition, and the data that they used."""

    values: dict[str, Value]
    readings: dict[str, NodeReading] = field(default_factory=dict)
    arrays: dict[str, tuple[Element, ...]] = field(default_factory=dict)
    """The elements of each input that is an array."""
    durations: dict[str, Value] = field(default_factory=dict)
    used: dict[int, dict[int, Element]] = field(default_factory=dict)
    """The elements that were used, by source and event."""
    statics: dict[str, list[int]] = field(default_factory=dict)
    """The static inputs that were used, by node."""
    contributions: dict[str, Contributions] = field(default_factory=dict)
    """What contributes to inputs of one number, where that is asked for, in the absolute unit of the node."""
    components: dict[str, Components] = field(default_factory=dict)
    """What makes inputs of one number uncertain, where that is asked for, in the unit of the node."""
    rated: dict[str, tuple[RatedPart, ...]] = field(default_factory=dict)
    """The readings of such inputs that others may read too, whose own errors `components` leave out."""
    reads: dict[str, InputReads] = field(default_factory=dict)
    """What inputs were read of, where that is asked for."""


@dataclass
class SlotComputation:
    """What the nodes of one slot are computed from, and what they came to."""

    setting: EngineSetting
    data: SlotData
    by_partition: dict[Partition, PartitionComputation]
    problems: list[Problem] = field(default_factory=list)
    failed: set[tuple[Partition, str]] = field(default_factory=set)
    """Nodes that a problem was noted for, or for a node that they need: nothing more is said of them."""
    draws: dict[Partition, list[Drawn]] = field(default_factory=dict)
    period_days: Value | None = field(init=False)
    """The days of the slot by the project's calendar, where they are known and a formula asks for them."""
    period_hours: Value | None = field(init=False)
    """The hours of the slot by the clock, where they are known."""
    rounded_away: list[RoundedAway] = field(default_factory=list)
    """Withdrawals that are zero although an amount was needed."""

    def __post_init__(self) -> None:
        self.draws = {partition: [] for partition in self.by_partition}
        given, slot, functions = self.data.given, self.data.slot, self.setting.program.functions
        days = given.period_days if given else None
        if given is None and "period_days" in functions:
            days = count_days(slot, self.setting.zone)
        clock = given.period_hours if given else count_hours(slot)
        self.period_days = None if days is None else quantity(days, parse_unit(DAY))
        self.period_hours = None if clock is None else quantity(clock, parse_unit(HOUR))

    @property
    def model(self) -> Model:
        return self.setting.program.model

    @property
    def partitions(self) -> tuple[Partition, ...]:
        """The partitions that run, in order of name."""
        return tuple(self.by_partition)

    def measure(self, node: Node) -> Measure:
        """How an input finds its values."""
        return self.setting.measures[node.slug]

    def agreeing(self, group: Group) -> list[Partition]:
        """The partitions that a group of data belongs to."""
        return [partition for partition in self.by_partition if group.tags.agrees_with(partition)]

    def number_of(self, partition: Partition, slug: str) -> Decimal | None:
        """The value of a node that is one number."""
        amount = self.by_partition[partition].readings[slug].amount
        assert not isinstance(amount, tuple), "the model was checked: this node is one number"  # noqa: S101
        return amount

    @cached_property
    def is_captured(self) -> bool:
        """Whether all data of the slot were captured."""
        return all(group.is_captured for group in self.data.groups)

    @cached_property
    def families(self) -> ReadingFamilies:
        """The inputs that may read the same data points; of values that a caller gave, none do."""
        if not self.setting.is_uncertain or self.data.given is not None:
            return {}
        measures = self.setting.measures
        return find_reading_families(self.model, lambda slug: measures[slug].is_weight_of_target)

    def is_shared(self, read: PointRead) -> bool:
        """Whether the own errors of what an input reads are found with those of others, by reading."""
        family = self.families.get(read)
        return family is not None and not family.is_proportional

    def name_own(self, node: Node) -> str:
        """What names the effect of the errors that the values of an input have for themselves."""
        family = self.families.get(PointRead(node.slug))
        return node.slug if family is None or not family.is_proportional else family.name.node

    def environment(self, partition: Partition) -> Environment:
        """What a formula may name in a partition."""
        work = self.by_partition[partition]
        return Environment(
            work.values, self.model.tables, work.durations, self.period_days, self.period_hours
        )

    def keep(self, node: Node, partition: Partition, reading: NodeReading) -> None:
        """Store a node's result in a partition, for the record and for the formulas that name it."""
        self.by_partition[partition].readings[node.slug] = reading
        self.keep_value(node.slug, node.unit, partition, reading.amount)

    def keep_value(self, name: str, unit: Unit | None, partition: Partition, amount: Amount) -> None:
        """Keep a value under the name by which formulas know it."""
        origin = self.setting.program.types[name].origin if isinstance(amount, tuple) else None
        self.by_partition[partition].values[name] = Value(number(unit, origin), amount)

    def keep_array(
        self, slug: str, partition: Partition, elements: Sequence[Element], hours: Iterable[Decimal]
    ) -> None:
        """Keep the elements behind an array and how long each lasts, for what is joined to it or asks."""
        work = self.by_partition[partition]
        work.arrays[slug] = tuple(elements)
        if self.data.given is not None:
            known_hours = self.data.given.hours.get(slug)
            if known_hours is None:
                return
            hours = known_hours
        origin = self.setting.program.types[slug].origin
        work.durations[slug] = Value(number(parse_unit(HOUR), origin), tuple(hours))

    def rest(self, node: Node, partition: Partition, basis: Basis, unit: Unit) -> None:
        """Keep what an input rests on; `unit` is that of its data."""
        work = self.by_partition[partition]
        rate = find_slope(find_absolute(unit), find_absolute(node.unit))
        work.contributions[node.slug] = multiply_contributions(basis.contributions, rate)
        work.components[node.slug] = multiply_components(basis.components, find_slope(unit, node.unit))
        work.rated[node.slug] = scale_parts(basis.rated, find_slope(unit, node.unit))

    def classify(
        self, node: Node, element: Element, owner: str, weighing: Element | None = None
    ) -> StatedClass:
        """Say what a value states of its uncertainty, and its weight, where another element has that."""
        measure = self.measure(node)
        if self.data.given is not None and (given := self.data.given.statements.get(node.slug)):
            return StatedClass(owner, (given,))
        statements = element.list_statements(measure.value, measure.statements, measure.calibrations)
        if measure.weight is None:
            return StatedClass(owner, statements)
        weights = (weighing or element).list_statements(
            measure.weight, measure.weight_statements, measure.weight_calibrations
        )
        return StatedClass(owner, statements, weights)

    def name_owner(self, tags: Partition) -> str:
        """Name what has the own effects of a group of data: every run of the slot that reads it."""
        parts = (self.model.name, Instant.of(self.data.slot.start).text, tags.label)
        return " ".join(part for part in parts if part)

    def own(self, statistics: Statistics | None, tags: Partition) -> Statistics | None:
        """Return statistics of a group, whose values' own effects belong to it."""
        if statistics is None or not statistics.moments:
            return statistics
        owner = self.name_owner(tags)
        moments = {replace(stated, owner=owner): sums for stated, sums in statistics.moments.items()}
        return replace(statistics, moments=moments)

    def tag(self, element: Element) -> Partition:
        """Return the tags of the group that an element belongs to."""
        dimensions = DIMENSIONS[self.model.partition_type]
        return Partition(**{dimension: getattr(element, dimension) for dimension in dimensions})

    def use(self, partition: Partition, source: int, elements: Iterable[Element]) -> None:
        """Note that a partition's values were made of these elements."""
        used_elements = self.by_partition[partition].used.setdefault(source, {})
        used_elements |= {element.event: element for element in elements}

    def uses(self, partition: Partition, source: int) -> bool:
        """Whether a partition's values were made of elements of a source."""
        return bool(self.by_partition[partition].used.get(source))

    def problem(
        self, node: Node, fact: str, partition: Partition, code: str = MISSING, events: Sequence[int] = ()
    ) -> None:
        """Note why an input has no value in a partition, and the events that are in the way."""
        self.fail(node, partition, f"Input {node.slug!r} {fact}{name_partition(partition)}.", code, events)

    def fail(
        self, node: Node, partition: Partition, sentence: str, code: str, events: Sequence[int] = ()
    ) -> None:
        """Note why a node has no value in a partition; nothing more is said of what needs it."""
        self.failed.add((partition, node.slug))
        self.note(node, sentence, code, events)

    def note(self, node: Node, sentence: str, code: str, events: Sequence[int] = ()) -> None:
        """Note what keeps the slot from being computed."""
        self.problems.append(Problem(sentence, node.slug, code, self.setting.ids_of(events)))


def name_partition(partition: Partition) -> str:
    """` for Straw`: the partition as the end of a sentence about a node; empty when there is but one."""
    return f" for {partition.label}" if partition.label else ""
