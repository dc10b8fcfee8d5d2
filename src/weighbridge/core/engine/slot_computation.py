"""A slot computation is the work in progress on one slot: every node's values so far, partition by partition.

It never leaves `run_slot`. A node of any kind is computed by a function that takes the computation and the
node and calls `keep` once for each partition.

Invariants: values are in their node's unit; a problem is a full sentence that names the node, has a code that
says of what kind it is, and the ids of the events that it names.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Final

from weighbridge.core.engine.element import Element, Measure
from weighbridge.core.engine.setting import EngineSetting, SlotData
from weighbridge.core.engine.source_ledger import Drawn, RoundedAway
from weighbridge.core.engine.statistics import Group
from weighbridge.core.expression import Environment, Value, number, quantity
from weighbridge.core.ledger.contributions import Contributions, times
from weighbridge.core.ledger.partition import Partition
from weighbridge.core.model import Amount, Model, Node
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.unit import Unit, absolute, parse_unit, slope
from weighbridge.core.time.cadence import days_of, hours_of

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
"""All that the node needs is there, and it comes to no value."""

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
    """What the nodes came to in one partition, and the data that they used."""

    values: dict[str, Value]
    readings: dict[str, NodeReading] = field(default_factory=dict)
    arrays: dict[str, tuple[Element, ...]] = field(default_factory=dict)
    """The elements of each input that is an array."""
    durations: dict[str, Value] = field(default_factory=dict)
    used: dict[int, dict[int, Element]] = field(default_factory=dict)
    """The elements that were used, by source and event."""
    statics: dict[str, set[int]] = field(default_factory=dict)
    """The static inputs that were used, by node."""
    contributions: dict[str, Contributions] = field(default_factory=dict)
    """What contributes to inputs of one number, where that is asked for, in the absolute unit of the node."""


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
    """Draws that came to nothing although something was needed."""

    def __post_init__(self) -> None:
        self.draws = {one: [] for one in self.by_partition}
        given, slot, functions = self.data.given, self.data.slot, self.setting.program.functions
        days = given.period_days if given else None
        if given is None and "period_days" in functions:
            days = days_of(slot, self.setting.zone)
        clock = given.period_hours if given else hours_of(slot)
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
        return [one for one in self.by_partition if group.tags.agrees_with(one)]

    def number_of(self, one: Partition, slug: str) -> Decimal | None:
        """The value of a node that is one number."""
        amount = self.by_partition[one].readings[slug].amount
        assert not isinstance(amount, tuple), "the model was checked: this node is one number"  # noqa: S101
        return amount

    @cached_property
    def is_captured(self) -> bool:
        """Whether all data of the slot were captured."""
        return all(group.is_captured for group in self.data.groups)

    def environment(self, one: Partition) -> Environment:
        """What a formula may name in a partition."""
        work = self.by_partition[one]
        return Environment(
            work.values, self.model.tables, work.durations, self.period_days, self.period_hours
        )

    def keep(self, node: Node, one: Partition, reading: NodeReading) -> None:
        """Keep what a node came to in a partition, for the record and for the formulas that name it."""
        self.by_partition[one].readings[node.slug] = reading
        self.keep_value(node.slug, node.unit, one, reading.amount)

    def keep_value(self, name: str, unit: Unit | None, one: Partition, amount: Amount) -> None:
        """Keep a value under the name by which formulas know it."""
        origin = self.setting.program.types[name].origin if isinstance(amount, tuple) else None
        self.by_partition[one].values[name] = Value(number(unit, origin), amount)

    def keep_array(
        self, slug: str, one: Partition, elements: Sequence[Element], hours: Iterable[Decimal]
    ) -> None:
        """Keep the elements behind an array and how long each lasts, for what is joined to it or asks."""
        work = self.by_partition[one]
        work.arrays[slug] = tuple(elements)
        if self.data.given is not None:
            known = self.data.given.hours.get(slug)
            if known is None:
                return
            hours = known
        origin = self.setting.program.types[slug].origin
        work.durations[slug] = Value(number(parse_unit(HOUR), origin), tuple(hours))

    def contribute(self, node: Node, one: Partition, contributions: Contributions, unit: Unit) -> None:
        """Keep what contributes to an input; `unit` is that of its data."""
        rate = slope(absolute(unit), absolute(node.unit))
        self.by_partition[one].contributions[node.slug] = times(contributions, rate)

    def use(self, one: Partition, source: int, elements: Iterable[Element]) -> None:
        """Note that a partition's values were made of these elements."""
        used = self.by_partition[one].used.setdefault(source, {})
        used |= {element.event: element for element in elements}

    def uses(self, one: Partition, source: int) -> bool:
        """Whether a partition's values were made of elements of a source."""
        return bool(self.by_partition[one].used.get(source))

    def problem(
        self, node: Node, fact: str, one: Partition, code: str = MISSING, events: Sequence[int] = ()
    ) -> None:
        """Note why an input has no value in a partition, and the events that are in the way."""
        self.fail(node, one, f"Input {node.slug!r} {fact}{of(one)}.", code, events)

    def fail(self, node: Node, one: Partition, sentence: str, code: str, events: Sequence[int] = ()) -> None:
        """Note why a node has no value in a partition; nothing more is said of what needs it."""
        self.failed.add((one, node.slug))
        self.note(node, sentence, code, events)

    def note(self, node: Node, sentence: str, code: str, events: Sequence[int] = ()) -> None:
        """Note what keeps the slot from being computed."""
        self.problems.append(Problem(sentence, node.slug, code, self.setting.ids_of(events)))


def of(partition: Partition) -> str:
    """` for Straw`: the partition as the end of a sentence about a node; empty when there is but one."""
    return f" for {partition.label}" if partition.label else ""
